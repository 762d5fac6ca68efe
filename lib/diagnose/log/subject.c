// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a line is about, by single words in it. */
#include <string.h>

#include "lib/base/character.h"
#include "lib/diagnose/log/parts.h"

/* Whether one of the texts stands in the line, both in lower case; one behind "^" begins a word there. */
static bool has_one(const char *line, const char *const *texts)
{
	for (; *texts; texts++) {
		const bool begins = **texts == '^';
		const char *text = *texts + begins;

		for (const char *at = line; (at = strstr(at, text)); at++)
			if (!begins || at == line || !(mr_is_letter(at[-1]) || mr_is_digit(at[-1])))
				return true;
	}
	return false;
}

/* All that names a call, or stands for one, has one of these. */
static const char *const seeds[] = { "reg",    "mr",     "umem", "lock", "limit", "ibv_",
				     "cq",     "qp",     "srq",  "pd",   "dm",    "mkey",
				     "op_mod", "memory", "mtr",  "umr",  "buf",   NULL };

static const char *const failures[] = { "fail",
					"error",
					"could not",
					"couldn",
					"cannot",
					"can't",
					"unable",
					"refus",
					"not able",
					"denied",
					"too small",
					"too low",
					"insufficient",
					"exceed",
					"out of m",
					"please increase",
					"not permitted",
					"returned null",
					"only allow",
					"severely limit",
					NULL };

static const char *const limits[] = {
	"memlock",          "locked memory", "ulimit -l", "lockable memory",
	"locked-in-memory", "max locked",    NULL
};

static const char *const translations[] = { "^mtt", "num_mtt", "registerable memory",
					    "registering part of", NULL };

static const char *const work_requests[] = { "^umr", NULL };

static const char *const pinning[] = { "umem_get",       "umem get",    "get umem",
				       "get user pages", "pin and map", "get_user_pages",
				       "pin_user_pages", NULL };

/* Memory of a GPU, and programs that register hardly any other. */
static const char *const gpus[] = { "cuda",   "^gpu",    "^hip",          "rocm",
				    "^cumem", "nvshmem", "gpunetio",      "level zero",
				    "^hmem",  "gdrcopy", "gaudi",         "^neuron",
				    "^vram",  "^hbm",    "device memory", NULL };

/* What registers memory in another way than by libibverbs. */
static const struct {
	const char *words[6];
	const char *remark;
} others[] = {
	{ { ":cxi:", "^cxi_", "^cxip_", NULL },
	  "This is libfabric's cxi provider (Slingshot), which registers memory by a driver of its own, not by "
	  "verbs." },
	{ { "^nvme nvme", "nvme_rdma", "nvmet_rdma", NULL },
	  "This is the kernel's NVMe over RDMA: it takes MRs out of a pool in the kernel, not by libibverbs.  A pool "
	  "that cannot be made needs more MRs, or other kinds of them, than the device has: use fewer or smaller "
	  "queues (nvme connect --nr-io-queues, --queue-size)." },
	{ { "o2iblnd", "kiblnd", "^lnet", NULL },
	  "This is Lustre's o2iblnd, which registers memory in the kernel, not by libibverbs: see its module "
	  "parameters (map_on_demand, concurrent_sends)." },
	{ { "svcrdma", "rpcrdma", "xprtrdma", "svc_rdma", "frwr_", NULL },
	  "This is NFS over RDMA, which registers memory in the kernel, not by libibverbs." },
	{ { "ib_iser", "ib_isert", "ib_srp", "^iser:", NULL },
	  "This is a storage driver of the kernel (iSER, SRP), which registers memory there, not by libibverbs." },
	{ { "^rds_", "rds/ib", "rds_ib", NULL },
	  "This is RDS, which registers memory in the kernel, not by libibverbs." },
	{ { "smc_", "smc-r", NULL },
	  "This is SMC-R, which registers memory in the kernel, not by libibverbs." },
};

/* A status of UCX has the text of an errno, and is none: UCS_ERR_IO_ERROR says only that one of the transports refused. */
static const char ucx_remark[] =
	"\"Input/output error\" is UCX's own status, not the errno of a call: the line before "
	"it that names the call has that, or UCX_LOG_LEVEL=info shows it.";

static const char *const ucx[] = { "^ucx ", "^ucs_", "rcache.c", "mpool.c", NULL };
static const char *const ucx_status[] = { "input/output error", NULL };

bool mr_log_may_be_about_call(const char *text)
{
	return has_one(text, seeds);
}

void mr_log_find_subject(struct mr_log_line *line, const char *text)
{
	line->has_failed = has_one(text, failures);
	if (!line->call && !line->command[0] && !line->has_failed)
		return;
	line->is_memlock = has_one(text, limits);
	line->is_on_gpu = has_one(text, gpus);
	line->is_mtt = has_one(text, translations);
	line->is_umr = has_one(text, work_requests);
	line->is_pinning = has_one(text, pinning);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others) && !line->remark; i++)
		if (has_one(text, others[i].words))
			line->remark = others[i].remark;
	if (line->remark || line->is_named || line->command[0])
		return;
	if (has_one(text, ucx_status) && has_one(text, ucx)) {
		line->remark = ucx_remark;
		line->call = NULL;
	}
}
