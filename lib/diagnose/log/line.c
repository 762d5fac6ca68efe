// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "lib/base/base.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/log/log.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Names of other libraries and of the kernel for what ends in a call. */
static const struct {
	const char *call;
	const char *names[18];
} aliases[] = {
	{ "ibv_reg_mr",
	  { "fi_mr_reg", "fi_mr_regv", "fi_mr_regattr", "ibv_exp_reg_mr", "ibv_cmd_reg_mr",
	    "efa_cmd_reg_mr", "rdma_reg_msgs", "rdma_reg_read", "rdma_reg_write", "rpma_mr_reg",
	    "rpma_peer_mr_reg", "reg_user_mr", "ib_umem_get", "mr_umem_get", "rxe_umem_get",
	    "rxe_mr_init_user", "REG_MR" } },
	{ "ibv_reg_dmabuf_mr", { "ib_umem_dmabuf_get", "reg_user_mr_dmabuf" } },
	{ "ibv_dereg_mr", { "dereg_user_mr" } },
	{ "ibv_create_qp",
	  { "rdma_create_qp", "rdma_create_ep", "ibv_create_qp_ex", "mlx5dv_create_qp" } },
	{ "ibv_create_srq", { "rdma_create_srq", "ibv_create_srq_ex" } },
	{ "ibv_create_cq", { "ibv_create_cq_ex", "mlx5dv_create_cq" } },
};

/* Commands of mlx5's firmware, and the calls that send them. */
static const struct {
	const char *name;
	const char *call;
} commands[] = {
	{ "CREATE_MKEY", "ibv_reg_mr" },         { "QUERY_MKEY", "ibv_reg_mr" },
	{ "DESTROY_MKEY", "ibv_dereg_mr" },      { "CREATE_UMEM", "mlx5dv_devx_umem_reg" },
	{ "ALLOC_PD", "ibv_alloc_pd" },          { "DESTROY_UMEM", "mlx5dv_devx_umem_dereg" },
	{ "DEALLOC_PD", "ibv_dealloc_pd" },      { "ALLOC_UAR", "ibv_open_device" },
	{ "CREATE_UCTX", "mlx5dv_open_device" }, { "ALLOC_MEMIC", "ibv_alloc_dm" },
	{ "DEALLOC_MEMIC", "ibv_free_dm" },      { "CREATE_CQ", "ibv_create_cq" },
	{ "CREATE_QP", "ibv_create_qp" },
};

/* ---- names ---- */

/* Whether a word is the name, or ends with it as "wrap_ibv_reg_mr" does. */
static bool is_name(const struct mr_token *token, const char *name)
{
	const size_t length = memchr(token->text, *name, token->length) ? strlen(name) : 0;

	return length && token->length >= length &&
	       !strncmp(token->text + token->length - length, name, length) &&
	       (token->length == length || token->text[token->length - length - 1] == '_');
}

static const char *find_alias(const struct mr_token *token)
{
	if (!memchr(token->text, '_', token->length))
		return NULL;
	for (size_t i = 0; i < COUNT(aliases); i++)
		for (const char *const *name = aliases[i].names; *name; name++)
			if (is_name(token, *name))
				return aliases[i].call;
	return NULL;
}

/* Returns the call that a word names; of several that it ends with, the longest; NULL: none. */
static const char *call_of(const struct mr_token *token)
{
	const char *name = memmem(token->text, token->length, "ibv_", 4);

	name = name ? name : memmem(token->text, token->length, "mlx5dv_", 7);
	if (!name || (name > token->text && name[-1] != '_'))
		return NULL;
	return mr_call_find(name, token->length - (size_t)(name - token->text));
}

static bool has_call(const struct mr_tokens *tokens, size_t from, size_t end)
{
	for (; from < end; from++)
		if (call_of(&tokens->list[from]))
			return true;
	return false;
}

/* Returns whether the line reports the success of the call, before it names another one: "f: ok; g: Bad address". */
static bool has_passed_before_another(const struct mr_tokens *tokens, size_t index)
{
	for (size_t i = index + 1; i < tokens->count; i++)
		if (mr_token_is(&tokens->list[i], "ok|success|successful|succeeded|passed") &&
		    !mr_token_is(&tokens->list[i - 1], "not"))
			return !has_call(tokens, index + 1, i) &&
			       has_call(tokens, i + 1, tokens->count);
	return false;
}

/* Whether the call that the @index-th word names is not the refused one: "fall back to f", "f: ok; g: Bad address" */
static bool is_mention(const struct mr_tokens *tokens, size_t index)
{
	for (size_t i = index < 4 ? 0 : index - 4; i < index; i++)
		if (mr_token_is(&tokens->list[i],
				"back|fallback|instead|retry|retrying|trying|use|using"))
			return true;
	return has_passed_before_another(tokens, index);
}

/* ---- words ---- */

static const char registering[] =
	"reg|register|registers|registered|registering|registration|registrations|"
	"registeration|registerin";
static const char freeing[] =
	"dereg|deregister|deregistering|unregister|unregistering|deregistration|unreg";
static const char making[] = "create|creating|creation|allocate|allocating|alloc|allocation";
/* Names of the object that is registered: those that nothing else has, and those of other things, too. */
static const char memory[] = "memory|mem|mr|mrs|umem|mkey|umr";
static const char exact[] = "mr|mrs|umem|mkey|umr"; /* nothing but RDMA has them */
static const char vague[] = "region|regions|buffer|buffers|buf|bufs|segment|segments|block|blocks|"
			    "ram|heap|chunk|range|address|ptr|tensor|tensors|dmabuf";
/* Words that may stand between a verb and its object, beside adjectives, and words that end the object. */
static const char article[] = "a|an|the|its|our|all|some|any|of";
static const char follower[] =
	"for|from|at|of|with|on|in|to|by|is|was|and|or|as|due|using|via|because|that|into|"
	"fail|failed|failing|fails|failure|error|err|errno|ret|rc|size|length|len|addr|"
	"returned|has|attempt|request|through|key|starting|beginning";

static bool ends(const struct mr_token *word)
{
	if (mr_token_is_sign(word, "-")) /* "user-mr", but "user MR - rc = -5" */
		return mr_token_is(&word[1], follower);
	return word->kind != MR_TOKEN_WORD || mr_token_is(word, follower);
}

/* Words that another subsystem than RDMA has in its lines about memory that it registers. */
static const char foreign[] =
	"vhost|vfio|xdp|xsk|kubelet|framebuffer|hotplug|cgroup|drm|gem|ext4|xfs|btrfs|v4l2|bpf|ebpf|"
	"libbpf|vulkan|opengl|gitlab|glab|pipewire|cufio|uring|ioring|liburing|tee|optee";
/* Words of other owners of memory, which lines about RDMA can have as well. */
static const char owners[] =
	"kvm|vm|vmm|guest|hypervisor|xen|virtio|slot|slots|memslot|bar|bar0|bar1|bar2|bar3|bar4|bar5|"
	"shm|ashmem|trustzone|enclave|malloc|jemalloc|tcmalloc|mimalloc|arena|allocator|jvm|mlock|"
	"mlockall|swap|mmap|postgres|innodb|lmdb|mongod|rocksdb|carveout|remoteproc|fastrpc|dsp|"
	"memorymanager";
/* The same of merge requests, which are called MR. */
static const char reviews[] =
	"branch|reviewer|assignee|approver|approval|repository|renovate|draft";

static bool is_object(const struct mr_token *word)
{
	return mr_token_is(word, memory) || mr_token_is(word, vague);
}

/*
 * The object behind a verb, of which the last noun counts: "memory manager state" is none.  NULL: there is none.
 * Sets is_vague to whether none of its nouns is memory, and is_exact to whether one is of RDMA alone.
 */
static const struct mr_token *find_object(const struct mr_token *word, struct mr_log_line *line)
{
	const struct mr_token *found = NULL;

	line->is_vague = true;
	line->is_exact = false;
	for (int i = 0; i < 6 && (word->kind == MR_TOKEN_WORD || mr_token_is_sign(word, "-"));
	     i++, word++) {
		line->is_vague &= !mr_token_is(word, memory);
		line->is_exact |= mr_token_is(word, exact);
		if (!is_object(word)) {
			if (mr_token_is(word, follower) && !mr_token_is(word, article))
				break;
			found = NULL;
			continue;
		}
		found = word;
		if (ends(&word[1]))
			break;
	}
	return found && ends(&found[1]) ? found : NULL;
}

/* The call that makes what the word names; @is_last: words behind it do not change its meaning. */
static const char *find_made(const struct mr_token *word, bool *is_exact)
{
	static const struct {
		const char *names, *next; /* the word behind it; NULL: any */
		const char *call;
		bool is_last; /* nothing else is made, but a "queue" of it */
		bool is_exact;
	} made[] = {
		{ "cq|cqs", NULL, "ibv_create_cq", true, true },
		{ "completion", "queue|queues", "ibv_create_cq", true, true },
		{ "qp|qps|queuepair", NULL, "ibv_create_qp", true, true },
		{ "queue", "pair|pairs", "ibv_create_qp", true, true },
		{ "srq", NULL, "ibv_create_srq", true, true },
		{ "pd", NULL, "ibv_alloc_pd", true, false },
		{ "dm", NULL, "ibv_alloc_dm", true, false },
		{ "dm", "memory|buffer", "ibv_alloc_dm", false, false },
		{ "mr", NULL, "ibv_reg_mr", true, true },
		{ "mkey", NULL, "ibv_reg_mr", false, true },
		{ "mtr", NULL, "ibv_reg_mr", false, false },
		{ "memory", "region", "ibv_reg_mr", false, false },
	};
	const struct mr_token *next = &word[1];
	const struct mr_token *behind = next + mr_token_is(next, "queue|queues|pair|pairs");
	const bool is_last = ends(behind) || mr_token_is(behind, making);

	for (size_t k = 0; k < COUNT(made); k++)
		if (mr_token_is(word, made[k].names) &&
		    (!made[k].next || mr_token_is(next, made[k].next)) &&
		    (is_last || !made[k].is_last)) {
			*is_exact = made[k].is_exact;
			return made[k].call;
		}
	return NULL;
}

/* "create a verbs MR", "CQ creation", "queue pair create": the call that makes it. */
static const char *find_making(const struct mr_tokens *words, size_t at, bool *is_exact)
{
	const struct mr_token *word = &words->list[at];
	const char *call = NULL;

	for (size_t i = 1; i < 5 && word[i].kind == MR_TOKEN_WORD && !call; i++)
		call = find_made(&word[i], is_exact);
	if (!call && ends(&word[1]) && at)
		call = find_made(&word[-1], is_exact);
	if (!call && ends(&word[1]) && at > 1 && mr_token_is(&word[-2], "completion|queue"))
		call = find_made(&word[-2], is_exact);
	return call;
}

/* "registration failed", alone */
static bool is_bare(const struct mr_tokens *words, size_t i)
{
	return (!i || words->list[i - 1].kind != MR_TOKEN_WORD) &&
	       mr_token_is(&words->list[i], "registration|registrations|registeration") &&
	       ends(&words->list[i + 1]);
}

/* Words in this order, with any text before and after them. */
static const struct {
	const char *words[4];
	const char *call;
} phrases[] = {
	{ { "ib", "devices", "list" }, "ibv_get_device_list" }, /* ibv_devices */
	{ { "ib", "device", "list" }, "ibv_get_device_list" },
	{ { "export", "dm" }, "ibv_dm_export_dmabuf_fd" },
	{ { "deallocate", "pd" }, "ibv_dealloc_pd" },
	{ { "dealloc", "pd" }, "ibv_dealloc_pd" },
	{ { "umem", "get" }, "ibv_reg_mr" },
	{ { "get", "umem" }, "ibv_reg_mr" },
	{ { "get", "dmabuf", "umem" }, "ibv_reg_mr" },
	/* siw, irdma, hns */
	{ { "mr", "[", "stag" }, "ibv_reg_mr" },
	{ { "allocate", "stag" }, "ibv_reg_mr" },
	{ { "mr", "reg", "non" }, "ibv_reg_mr" },
	{ { "create", "mpt" }, "ibv_reg_mr" },
	{ { "sw2", "hw", "mpt" }, "ibv_reg_mr" },
	{ { "write", "mtpt" }, "ibv_reg_mr" },
	{ { "out", "of", "mr", "size" }, "ibv_reg_mr" },
	{ { "pin", "and", "map" }, "ibv_reg_mr" },
	{ { "internal", "receive", "buffers" },
	  "ibv_reg_mr" }, /* libfabric's EFA, which registers them */
};

static const char *find_phrase(const struct mr_token *word)
{
	for (size_t i = 0; i < COUNT(phrases); i++) {
		size_t k = 0;

		if (*word->lower != *phrases[i].words[0])
			continue;
		while (k < COUNT(phrases[i].words) && phrases[i].words[k] &&
		       (!strcmp(word[k].lower, phrases[i].words[k]) ||
			mr_token_is_sign(&word[k], phrases[i].words[k])))
			k++;
		if (k == COUNT(phrases[i].words) || !phrases[i].words[k])
			return phrases[i].call;
	}
	return NULL;
}

/* "register [0x7f0000000000, ..." */
static bool is_range(const struct mr_token *word)
{
	return mr_token_is_sign(word, "[(") && word[1].is_hex && word[1].value >> 32;
}

static const char *call_at(struct mr_log_line *line, const struct mr_tokens *words, size_t i)
{
	const struct mr_token *word = &words->list[i], *of;
	const char *call = find_phrase(word);
	size_t amount = 0;

	line->is_exact = call;
	if (call)
		return call;
	if (mr_token_is(word, registering)) {
		/* "register 4096 bytes of memory" */
		if (word[1].kind == MR_TOKEN_NUMBER &&
		    mr_token_is(&word[2], "bytes|kib|mib|gib|kb|mb|gb|pages"))
			amount = 2;
		of = find_object(word + 1 + amount, line);
		if (of)
			return mr_token_is(of, "umem") ? "mlx5dv_devx_umem_reg" : "ibv_reg_mr";
		line->is_vague = line->is_exact = false;
		if (i && is_object(word - 1) && ends(word + 1)) {
			line->is_exact = mr_token_is(word - 1, exact);
			line->is_vague = mr_token_is(word - 1, vague) &&
					 !(i > 1 && mr_token_is(word - 2, memory));
			return "ibv_reg_mr";
		}
		line->is_bare = is_bare(words, i);
		return line->is_bare || is_range(word + 1) ? "ibv_reg_mr" : NULL;
	}
	if (mr_token_is(word, freeing))
		return find_object(word + 1, line) ? "ibv_dereg_mr" : NULL;
	if (mr_token_is(word, making))
		return find_making(words, i, &line->is_exact);
	return NULL;
}

static bool is_foreign(const struct mr_tokens *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct mr_token *word = &words->list[i];

		if (mr_token_is(word, foreign) ||
		    (mr_token_is(word, "cuda|hip") && mr_token_is(&word[1], "host")) ||
		    (mr_token_is(word, "merge") && mr_token_is(&word[1], "request")) ||
		    (mr_token_is_sign(word, "!") && word[1].kind == MR_TOKEN_NUMBER) ||
		    (word->is_hex && word->value >> 16 == 0x8007)) /* HRESULT of Windows */
			return true;
	}
	return false;
}

/* Whether the line has words of another owner of memory. */
static bool has_owner(const struct mr_log_line *line, const struct mr_tokens *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct mr_token *word = &words->list[i];

		if (mr_token_is(word, owners) || (line->is_exact && mr_token_is(word, reviews)) ||
		    (mr_token_is(word, "shared") &&
		     mr_token_is(&word[1], "memory|mem|segment|buffer")) ||
		    (mr_token_is(word, "memory|mem") &&
		     mr_token_is(&word[1], "manager|map|table|failure")))
			return true;
	}
	return false;
}

static bool is_about_dmabuf(const struct mr_tokens *words)
{
	for (size_t i = 0; i < words->count; i++) {
		const struct mr_token *word = &words->list[i];

		if (!strncmp(word->lower, "dmabuf", 6))
			return true;
		if (mr_token_is(word, "dma") &&
		    !strncmp(word[1 + mr_token_is_sign(&word[1], "-")].lower, "buf", 3))
			return true;
	}
	return false;
}

/* ---- both ---- */

/* Return: a call that the line names, but not as the refused one; NULL: none. */
static const char *find_named(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	const char *mentioned = NULL;

	for (size_t i = 0; i < tokens->count && !line->call; i++) {
		const char *call = call_of(&tokens->list[i]);

		if (call && is_mention(tokens, i))
			mentioned = call;
		else
			line->call = call;
	}
	line->is_named = line->call;
	for (size_t i = 0; i < COUNT(commands) && !line->call; i++)
		if (!strcasecmp(line->command, commands[i].name))
			line->call = commands[i].call;
	for (size_t i = 0; i < tokens->count && !line->call && !line->command[0]; i++)
		line->call = find_alias(&tokens->list[i]);
	return mentioned;
}

/* Finds the call, after mr_log_find_command(). */
static void find_call(struct mr_log_line *line, const struct mr_tokens *tokens, const char *text,
		      size_t length)
{
	const char *mentioned = find_named(line, tokens);
	struct mr_tokens words;

	if (line->is_named || line->command[0])
		return;
	mr_tokens_read(&words, text, length, true);
	if (!line->call) {
		for (size_t i = 0; i < words.count && !line->call; i++)
			line->call = call_at(line, &words, i);
		/* Most lines have no call, and their other words do not matter. */
		if (line->call || line->is_memlock) {
			line->is_foreign = is_foreign(&words);
			line->has_owner = has_owner(line, &words);
		}
		if (line->is_foreign) {
			line->call = NULL;
			line->is_vague = line->is_bare = false;
		}
	}
	if (line->call && !strcmp(line->call, "ibv_reg_mr") && is_about_dmabuf(&words))
		line->call = "ibv_reg_dmabuf_mr";
	if (!line->call)
		line->call = mentioned;
}

/* ---- the line ---- */

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
	copy->tokens.count = 0; /* so that clang's analyser finds it set */
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
	for (size_t i = 0; mr_log_topics[i].id; i++)
		line->topics |= has_one(text, mr_log_topics[i].words) ? UINT64_C(1) << i : 0;
	for (size_t i = 0; i < COUNT(others) && !line->remark; i++)
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
	const struct mr_log_topic *reason;
	bool is_other, is_of_data;
	const bool may_call = has_one(copy, callers) && (!is_any || has_one(copy, seeds));

	line->has_failed = has_one(copy, failures);
	if (!is_any && !may_call && !line->has_failed)
		return;
	line->is_memlock = has_one(copy, limits);
	mr_tokens_read(&copy->tokens, copy->text, length, false);
	if (may_call || line->is_memlock) {
		mr_log_find_command(line, &copy->tokens);
		find_call(line, &copy->tokens, copy->text, length);
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
	reason = find_topic(line, false);
	if (line->has_failed && !line->remark && !line->is_named && !line->errnum &&
	    (reason || (!line->call && line->is_memlock && !line->is_foreign && !is_other))) {
		/* A completion has reported that data does not move. */
		is_of_data = reason && mr_cause_find(reason->id, strlen(reason->id))->table ==
					       mr_causes_of_data;
		line->call = is_of_data ? "ibv_poll_cq" : "ibv_reg_mr";
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
		const char *call = token->kind == MR_TOKEN_WORD ? call_of(token) : NULL;
		const size_t before = (size_t)(token->text - text);
		int errnums[2];

		if (!call || is_mention(&tokens, i))
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

	for (size_t i = 0; has_all && i < COUNT(calls); i++) {
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
