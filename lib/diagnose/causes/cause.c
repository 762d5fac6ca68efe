// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>

#include "lib/diagnose/causes/causes.h"

/* Calls that do the same, the usual one first. */
static const struct operation_row {
	enum mr_operation plain;  /* without a request that shows it */
	enum mr_operation dmabuf; /* with a request for a dma-buf; 0: the same */
	const char *calls[12];
} rows[] = {
	{ MR_OP_PREPARE, .calls = { "mmap", "mbind", "madvise", "memfd_create", "ftruncate",
				    "shmget", "fallocate", "posix_fallocate", "open",
				    "ioctl(UDMABUF_CREATE)", "ioctl(DMA_HEAP_IOCTL_ALLOC)" } },
	{ MR_OP_PREPARE,
	  .calls = { "dlopen", "cuInit", "cuDeviceGet", "cuDevicePrimaryCtxRetain",
		     "cuCtxSetCurrent", "cuMemAlloc", "cuMemGetHandleForAddressRange" } },
	{ MR_OP_FIND, .calls = { "ibv_get_device_list", "stat" } },
	{ MR_OP_OPEN, .calls = { "ibv_open_device", "mlx5dv_open_device" } },
	{ MR_OP_IMPORT, .calls = { "ibv_import_device", "ibv_import_pd", "ibv_import_mr",
				   "mlx5dv_devx_umem_import" } },
	{ MR_OP_ALLOC_PD, .calls = { "ibv_alloc_pd", "ioctl(ALLOC_PD)" } },
	{ MR_OP_ALLOC_DM, .calls = { "ibv_alloc_dm", "ioctl(DM_ALLOC)" } },
	{ MR_OP_ALLOC_DMAH, .calls = { "ibv_alloc_dmah", "ioctl(DMAH_ALLOC)" } },
	{ MR_OP_EXPORT, .calls = { "ibv_dm_export_dmabuf_fd", "mlx5dv_devx_umem_export" } },
	{ MR_OP_REG, .calls = { "ibv_reg_mr", "ibv_reg_mr_iova", "ibv_reg_mr_iova2",
				"mr_reg_mr_relaxed", "ioctl(REG_MR)" } },
	{ MR_OP_REG_DMABUF,
	  .calls = { "ibv_reg_dmabuf_mr", "mlx5dv_reg_dmabuf_mr", "ioctl(REG_DMABUF_MR)" } },
	{ MR_OP_REG, MR_OP_REG_DMABUF, { "ibv_reg_mr_ex" } },
	{ MR_OP_REG_DM, .calls = { "ibv_reg_dm_mr", "ioctl(DM_MR_REG)" } },
	{ MR_OP_NULL_MR, .calls = { "ibv_alloc_null_mr" } },
	{ MR_OP_UMEM, .calls = { "mlx5dv_devx_umem_reg" } },
	{ MR_OP_UMEM, MR_OP_UMEM_DMABUF, { "mlx5dv_devx_umem_reg_ex", "ioctl(DEVX_UMEM_REG)" } },
	{ MR_OP_REREG, .calls = { "ibv_rereg_mr", "ioctl(REREG_MR)" } },
	{ MR_OP_ADVISE, .calls = { "ibv_advise_mr", "ioctl(ADVISE_MR)" } },
	{ MR_OP_DEREG, .calls = { "ibv_dereg_mr", "mr_dereg_mr_relaxed", "ioctl(MR_DESTROY)",
				  "mlx5dv_devx_umem_dereg", "ioctl(DEVX_UMEM_DEREG)" } },
	{ MR_OP_FREE, .calls = { "ibv_dealloc_pd", "ioctl(PD_DESTROY)", "ibv_free_dm",
				 "ioctl(DM_FREE)", "ibv_dealloc_dmah", "ioctl(DMAH_FREE)" } },
	{ MR_OP_QUEUE,
	  .calls = { "ibv_create_cq", "ibv_create_cq_ex", "ibv_create_qp", "ibv_create_qp_ex",
		     "ibv_create_srq", "ibv_create_srq_ex", "mlx5dv_create_cq", "mlx5dv_create_qp",
		     "rdma_create_qp", "rdma_create_srq", "mlx5dv_devx_obj_create" } },
	{ MR_OP_QUERY, .calls = { "ioctl(QUERY_MR)", "ioctl(INFO_HANDLES)", "ioctl(QUERY_CONTEXT)",
				  "ibv_query_device_ex" } },
	{ MR_OP_DATA, .calls = { "ibv_poll_cq", "ibv_post_send", "ibv_post_recv", "ibv_modify_qp",
				 "ibv_query_port", "ibv_query_gid", "ibv_bind_mw" } },
};

#define ROWS (sizeof(rows) / sizeof(*rows))

/* Finds the row of a call by its name (@length bytes), and sets that. */
static const struct operation_row *find_row(const char *text, size_t length, const char **call)
{
	for (size_t i = 0; i < ROWS; i++)
		for (const char *const *name = rows[i].calls; *name; name++)
			if (!strncmp(*name, text, length) && !(*name)[length]) {
				*call = *name;
				return &rows[i];
			}
	return NULL;
}

enum mr_operation mr_operation_of(const struct mr_refusal *refusal)
{
	const char *call = refusal->call ?: "";
	const struct operation_row *row = find_row(call, strlen(call), &call);

	if (!row)
		return MR_OP_OTHER;
	return row->dmabuf && refusal->request && mr_region_is_dmabuf(refusal->request->call)
		       ? row->dmabuf
		       : row->plain;
}

const char *mr_call_name(size_t index)
{
	for (size_t i = 0; i < ROWS; i++)
		for (const char *const *name = rows[i].calls; *name; name++)
			if (!index--)
				return *name;
	return NULL;
}

const char *mr_call_find(const char *text, size_t length)
{
	const char *call;

	return find_row(text, length, &call) ? call : NULL;
}

const char *mr_operation_name(enum mr_operation operation)
{
	for (size_t i = 0; operation && i < ROWS; i++)
		if (rows[i].plain == operation || rows[i].dmabuf == operation)
			return rows[i].calls[0];
	return NULL;
}

uint32_t mr_operations_of_name(const char *call)
{
	const char *name = call ?: "";
	const struct operation_row *row = find_row(name, strlen(name), &name);

	return row ? 1U << row->plain | 1U << (row->dmabuf ?: row->plain) : 0;
}

const struct mr_word mr_certainties[MR_CERTAINTIES + 1] = {
	[MR_UNRELATED] = MR_WORD("unrelated", "unrelated to the call"),
	[MR_RULED_OUT] = MR_WORD("ruled-out", "the evidence excludes it"),
	[MR_POSSIBLE] = MR_WORD("possible", "no evidence excludes it"),
	[MR_LIKELY] = MR_WORD("likely", "the evidence supports it"),
	[MR_CERTAIN] = MR_WORD("certain", "the evidence excludes all others"),
};

bool mr_cause_speaks_for(const struct mr_cause *cause, uint32_t operations, int errnum)
{
	if (operations && !(cause->operations & operations))
		return false;
	if (!errnum || !cause->errnums[0])
		return true;
	for (const int *number = cause->errnums; *number; number++)
		if (*number == errnum)
			return true;
	return false;
}

void mr_suspect(struct mr_suspicion *suspicion, enum mr_certainty certainty, const char *fmt, ...)
{
	va_list ap;

	suspicion->certainty = certainty;
	va_start(ap, fmt);
	vsnprintf(suspicion->text, sizeof(suspicion->text), fmt, ap);
	va_end(ap);
}

void mr_suspect_remedy(struct mr_suspicion *suspicion, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(suspicion->remedy, sizeof(suspicion->remedy), fmt, ap);
	va_end(ap);
}

/* Behind the last one that there is room for, the last one is written over. */
static struct mr_evidence *add_evidence(struct mr_suspicion *suspicion, const char *name)
{
	struct mr_evidence *evidence;

	suspicion->evidence_count += suspicion->evidence_count < MR_EVIDENCE_MAX;
	evidence = &suspicion->evidence[suspicion->evidence_count - 1];
	*evidence = (struct mr_evidence){ .name = name };
	return evidence;
}

void mr_evidence_number(struct mr_suspicion *suspicion, const char *name, uint64_t number)
{
	struct mr_evidence *evidence = add_evidence(suspicion, name);

	evidence->is_number = true;
	evidence->number = number;
}

void mr_evidence_text(struct mr_suspicion *suspicion, const char *name, const char *fmt, ...)
{
	struct mr_evidence *evidence = add_evidence(suspicion, name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(evidence->text, sizeof(evidence->text), fmt, ap);
	va_end(ap);
}
