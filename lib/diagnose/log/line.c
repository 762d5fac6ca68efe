// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/diagnose/log/log.h"

/* A line with an end.  A NUL would end what is searched as a text. */
struct copy {
	char text[MR_LOG_LINE_MAX + 1];
	char lower[MR_LOG_LINE_MAX + 1]; /* the same in lower case */
	uint32_t
		pairs[32]; /* bits: the pairs of bytes that it has, of which most texts have none */
	struct mr_tokens tokens;
};

static bool copy_line(struct copy *copy, const char *text, size_t length)
{
	bool is_colour = false;

	if (length > MR_LOG_LINE_MAX)
		return false;
	memset(copy->pairs, 0, sizeof(copy->pairs));
	for (size_t i = 0; i < length; i++) {
		/* "\x1b[1m" is a colour. */
		is_colour = is_colour ? !mr_is_letter(text[i - 1]) : text[i] == '\x1b';
		copy->text[i] = text[i] && !is_colour ? text[i] : ' ';
		copy->lower[i] =
			(char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] | 0x20 : copy->text[i]);
		if (i)
			copy->pairs[copy->lower[i - 1] & 31] |= UINT32_C(1)
								<< (copy->lower[i] & 31);
	}
	copy->text[length] = copy->lower[length] = '\0';
	return true;
}

/* Whether one of the texts in lower case, which "|" separates, stands in the line; one behind "^" begins a word. */
static bool has_one(const struct copy *line, const char *texts)
{
	char text[48]; /* of strstr(3), which is much faster than memmem(3) */
	size_t length;

	for (; *texts; texts += length + (texts[length] == '|')) {
		const bool begins = *texts == '^';
		const char *first = texts + begins;

		length = (size_t)(strchrnul(texts, '|') - texts);
		if (length >= sizeof(text) || !(line->pairs[first[0] & 31] >> (first[1] & 31) & 1))
			continue;
		memcpy(text, first, length - begins);
		text[length - begins] = '\0';
		for (const char *at = line->lower; (at = strstr(at, text)); at++)
			if (!begins || at == line->lower ||
			    !(mr_is_letter(at[-1]) || mr_is_digit(at[-1])))
				return true;
	}
	return false;
}

/* Each name of a call, and each phrase for one, has one of these. */
static const char seeds[] =
	"reg|mr|umem|lock|limit|ibv_|cq|qp|srq|pd|dm|mkey|op_mod|memory|mtr|umr|buf|queue|devx|ib_|"
	"peer|stag|mpt|timeout|ib device|synd|local prot|remote |flushed|transport retry|_wc_";

/* Each name of a call, and each phrase for one, has one of these as well. */
static const char callers[] =
	"reg|creat|alloc|umem|ibv_|mlx5dv_|init_user|list|export|stag|mpt|mtpt|size|pin|internal|op_mod|"
	"timeout|canceled|done";

static const char failures[] =
	"fail|error|could not|couldn|cannot|can't|unable|refus|not able|denied|too small|"
	"too low|big enough|insufficient|exceed|out of m|please increase|not permitted|"
	"returned null|vendor err|vendor_err|vend 0x|_wc_|only allow|registerable memory|registering part of|severely limit|"
	"rlimit_memlock is|unknown symbol|invalid mem|overflow|version of symbol|"
	"^err,|^err:|fehlgeschl|échou|échec|erreur|失败|失敗|エラー|"
	"no se pud|falló|falha|impossib|е удал|шибк";

/* Words of lines about success, or about a call that is only announced. */
static const char successes[] = "registered|success|lkey|rkey|^ok|^done|passed";

/* Words that lines about RDMA have, and hardly any others; names of devices are such as well. */
static const char rdma[] =
	"rdma|infiniband|verbs|ibv|^ib_|^ib |mlx|^roce|ucx|^ucp_|^uct_|rcache|^ofi|libfabric|^fi_|"
	"nccl|rccl|nvshmem|oshmem|openshmem|mooncake|nixl|iwarp|^rxe|lkey|^rkey|^hca|^mpi|btl_|"
	"dapl|gpudirect|^gdr|peermem|mercury|^na_|gasnet|vbuf|mvapich|disni|openib|openfabrics|umem";

/* The same, which lines of other owners of memory have as well. */
static const char near_rdma[] = "gpu|cuda|qemu|ram block|hugepage|shmem|^mr |^mr_|^efa";

static const char limits[] =
	"memlock|locked memory|ulimit -l|lockable memory|locked-in-memory|max locked";

static const char pinning[] =
	"umem_get|umem get|get umem|get user pages|pin and map|get_user_pages|pin_user_pages";

/* Memory of a GPU.  "(type = 2)" is NCCL_PTR_CUDA, which plugins of NCCL print; bits are those of UCX without 0x1. */
static const char gpus[] =
	"cuda|^gpu|^hip|rocm|^cumem|gpunetio|level zero|^hmem|gdrcopy|gaudi|^neuron|^vram|"
	"^hbm|device memory|sink memory|(type = 2)|"
	"mem_type bit 0x2|mem_type bit 0x4|mem_type bit 0x8";

/* Programs that register it more often than other memory where that is refused with EFAULT or EINVAL. */
static const char gpu_programs[] =
	"nccl|rccl|ibvwrap|nvshmem|ibgda|transport_ib_common|mooncake|rdma_context.cpp|"
	"rdma_transport.cpp|nixl|deepep|hybridep|registerrdmamemoryregion|^mori|uccl|flagcx|"
	"torch|vllm|sglang|cufile|nvidia|amdgpu|peermem|peer_mem";

/* Made of the causes, whose entries have the words that indicate them */
const struct mr_log_topic mr_log_topics[] = {
#include "lib/diagnose/log/topics.inc"
	{ .id = NULL },
};

/* Programs that register memory without libibverbs. */
static const struct {
	const char *words; /* as of has_one() */
	const char *remark;
} others[] = {
	{ ":cxi:|^cxi_|^cxip_|^cxil_",
	  "The line comes from libfabric's provider cxi (Slingshot), which registers memory with "
	  "another driver, not with verbs." },
	{ ":gni:|ugni|^gni_",
	  "The line comes from libfabric's provider gni (Cray Gemini and Aries), which registers "
	  "memory with uGNI, not with verbs." },
	{ "^nvme nvme|nvme_rdma:|nvmet_rdma:",
	  "The line comes from the kernel's NVMe over RDMA, which uses a pool of MRs in the "
	  "kernel, not libibverbs.  If the pool cannot be made, the device has too few MRs, or "
	  "not this kind: use fewer or smaller queues (nvme connect --nr-io-queues, "
	  "--queue-size)." },
	{ "o2iblnd|kiblnd|^lnet",
	  "The line comes from Lustre's o2iblnd, which registers memory in the kernel, not with "
	  "libibverbs: see its module parameters (map_on_demand, concurrent_sends)." },
	{ "svcrdma|rpcrdma|xprtrdma|svc_rdma|frwr_",
	  "The line comes from NFS over RDMA, which registers memory in the kernel, not with "
	  "libibverbs." },
	{ "ib_iser|ib_isert|ib_srp|^iser:",
	  "The line comes from a storage driver of the kernel (iSER, SRP), which registers "
	  "memory there, not with libibverbs." },
	{ "memory for unknown device|specified or all potential backends",
	  "The program refused this itself, before any call of libibverbs: its backend is not "
	  "set up for this device or kind of memory." },
	{ "^rds_|rds/ib|rds/iw",
	  "The line comes from RDS, which registers memory in the kernel, not with libibverbs." },
	{ "smb_direct|ksmbd|^smbd_|^cifs",
	  "The line comes from SMB Direct, which registers memory in the kernel, not with "
	  "libibverbs." },
	{ "smc_|smc-r", "The line comes from SMC-R, which registers memory in the kernel, not "
			"with libibverbs." },
	{ "ib_alloc_mr|ib_alloc_fast_reg_mr",
	  "The line comes from a user of RDMA in the kernel, which registers memory there, not "
	  "with libibverbs." },
	{ ":opx:|fi_opx_|:psm2:|:shm:|:tcp:|:sockets:",
	  "The line comes from a provider of libfabric that does not register memory with verbs." },
};

/* A status of UCX can have the text of an errno: UCS_ERR_IO_ERROR only shows that one of the transports refused. */
static const char ucx_remark[] =
	"The line has a status of UCX, not the errno of a call: the line before it that names "
	"the call has the errno, or UCX_LOG_LEVEL=info shows it.";

static const char ucx[] = "^ucx |^ucs_|rcache.c|mpool.c";
static const char ucx_status[] = "input/output error|out of memory|no such device";

/* Returns the topics that a line has: bits of mr_log_topics. */
static uint64_t topics_of(const struct copy *text)
{
	uint64_t topics = 0;

	for (size_t i = 0; mr_log_topics[i].id; i++)
		topics |= has_one(text, mr_log_topics[i].words) ? UINT64_C(1) << i : 0;
	return topics;
}

/* Finds what the line is about beside a call, by its words. */
static void find_subject(struct mr_log_line *line, const struct copy *text, bool is_any)
{
	if (!is_any && !line->call && !line->command[0] && !line->has_failed) {
		line->is_memlock = false;
		return;
	}
	line->has_passed = has_one(text, successes);
	line->is_on_gpu = has_one(text, gpus);
	line->is_of_gpu_program = has_one(text, gpu_programs);
	line->is_pinning = has_one(text, pinning);
	line->topics = topics_of(text);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && !line->remark; i++)
		if (has_one(text, others[i].words))
			line->remark = others[i].remark;
	if (!line->remark && !line->is_named && !line->command[0] && has_one(text, ucx_status) &&
	    has_one(text, ucx))
		line->remark = ucx_remark;
	if (line->remark)
		line->call = NULL;
}

/* Finds a topic of the line, of those without an errno, or of those that need no call.  NULL: it has none. */
static const struct mr_log_topic *find_topic(const struct mr_log_line *line, bool without_errno)
{
	for (const struct mr_log_topic *topic = mr_log_topics; topic->id; topic++)
		if (line->topics >> (topic - mr_log_topics) & 1 &&
		    (without_errno ? topic->has_no_errno : topic->is_reason))
			return topic;
	return NULL;
}

/* Whether a topic is one of data that does not move: a completion has reported it. */
static bool is_of_data(const struct mr_log_topic *topic)
{
	return topic && mr_cause_find(topic->id, strlen(topic->id))->table == mr_causes_of_data;
}

/* Whether nothing in the line but common words means a call: without words about RDMA it is about memory of others. */
static bool is_of_others(struct mr_log_line *line, const struct copy *copy)
{
	if ((!line->has_owner && !line->is_vague) || has_one(copy, rdma))
		return false;
	mr_log_find_device(line, &copy->tokens);
	if (line->provider[0])
		return false;
	return line->has_owner || (line->call && !line->topics &&
				   !mr_log_has_address(&copy->tokens) && !has_one(copy, near_rdma));
}

/* @is_any: the line need be about no call. */
static void read_copy(struct mr_log_line *line, struct copy *copy, size_t length, bool is_any)
{
	bool is_other;
	const bool may_call = has_one(copy, callers) && (!is_any || has_one(copy, seeds));

	line->has_failed = has_one(copy, failures);
	if (!is_any && !may_call && !line->has_failed)
		return;
	line->is_memlock = has_one(copy, limits);
	mr_tokens_read(&copy->tokens, copy->text, length, false);
	if (may_call || line->is_memlock) {
		mr_log_find_command(line, &copy->tokens);
		mr_log_find_call(line, &copy->tokens);
	}
	find_subject(line, copy, is_any);
	if (is_any || line->call || line->command[0] || line->is_memlock)
		mr_log_find_errno(line, &copy->tokens, copy->text);
	if (find_topic(line, true))
		line->errnum = line->other_errnum = 0;
	is_other = !line->remark && is_of_others(line, copy);
	if (is_other)
		line->call = NULL;
	if (line->is_bare && line->errnum != ENOMEM && line->errnum != EFAULT)
		line->call = NULL;
	/* "RLIMIT_MEMLOCK too small", without a word about a call */
	if (line->has_failed && !line->remark && !line->is_named && !line->errnum &&
	    ((!line->call && line->is_memlock && !line->is_foreign && !is_other) ||
	     find_topic(line, false))) {
		line->call = is_of_data(find_topic(line, false)) ? "ibv_poll_cq" : "ibv_reg_mr";
		line->is_reason = true;
	}
	if (!is_any && !line->call && !line->command[0] && !line->remark)
		return;
	if (!line->is_reason || line->is_memlock)
		mr_log_find_numbers(line, &copy->tokens);
	/* "CQ of size 4096" are entries. */
	if (line->call && strstr(line->call, "_create_"))
		line->length.known = false;
	mr_log_find_device(line, &copy->tokens);
	if (!line->provider[0] &&
	    (line->command[0] || (line->call && !strncmp(line->call, "mlx5dv_", 7))))
		memcpy(line->provider, "mlx5", sizeof("mlx5"));
}

bool mr_log_line_read(struct mr_log_line *line, const char *text, size_t length)
{
	struct copy copy;

	*line = (struct mr_log_line){ .call = NULL };
	if (!copy_line(&copy, text, length) || !has_one(&copy, seeds))
		return false;
	read_copy(line, &copy, length, false);
	if (line->remark)
		return line->has_failed;
	return (line->call || line->command[0]) && (line->errnum || line->has_failed);
}

void mr_log_line_scan(struct mr_log_line *line, const char *text, size_t length)
{
	struct copy copy;

	*line = (struct mr_log_line){ .call = NULL };
	if (copy_line(&copy, text, length))
		read_copy(line, &copy, length, true);
}

static int errno_of(const char *text, size_t length)
{
	struct mr_log_line line;

	mr_log_line_scan(&line, text, length);
	return line.errnum;
}

size_t mr_log_line_part(const char *text, size_t length)
{
	const char *name = length <= MR_LOG_LINE_MAX ? memmem(text, length, "ibv_", 4) : NULL;
	const char *first = NULL;
	struct mr_tokens tokens;

	/* Hardly any line has two calls. */
	if (!name || !memmem(name + 1, length - (size_t)(name + 1 - text), "ibv_", 4))
		return length;
	mr_tokens_read(&tokens, text, length, false);
	for (size_t i = 0; i < tokens.count; i++) {
		const struct mr_token *token = &tokens.list[i];
		const char *call = token->kind == MR_TOKEN_WORD ? mr_log_call_of(token) : NULL;
		const size_t before = (size_t)(token->text - text);
		int errnums[2];

		if (!call || mr_log_is_mention(&tokens, i))
			continue;
		/* Two calls with an errno each are two refusals; programs often name one call twice. */
		errnums[0] = first ? errno_of(text, before) : 0;
		errnums[1] = first ? errno_of(token->text, length - before) : 0;
		if (errnums[0] && errnums[1] && (call != first || errnums[0] != errnums[1]))
			return before;
		first = call;
	}
	return length;
}

bool mr_log_line_request(const struct mr_log_line *line, struct mr_region_request *request)
{
	static const enum mr_region_call calls[] = { MR_REG_MR, MR_REG_MR_IOVA, MR_UMEM_REG };
	const char *call = line->call ? line->call : "";
	const bool has_all = line->addr.known && line->length.known && line->access.known;

	for (size_t i = 0; has_all && i < sizeof(calls) / sizeof(*calls); i++) {
		const char *name = mr_call_row(calls[i])->name;
		const bool is_iova = calls[i] == MR_REG_MR_IOVA;

		/* ibv_reg_mr_iova2 is what the macro ibv_reg_mr_iova calls. */
		if (strncmp(call, name, strlen(name)) != 0 ||
		    is_iova != !strncmp(call, "ibv_reg_mr_iova", 15) ||
		    (is_iova && !line->iova.known))
			continue;
		*request = (struct mr_region_request){
			.call = calls[i],
			.addr = line->addr.value,
			.length = line->length.value,
			.iova = is_iova ? line->iova.value : line->addr.value,
			.access = (uint32_t)line->access.value,
			.fd = -1,
		};
		return true;
	}
	return false;
}
