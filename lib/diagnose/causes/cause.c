// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/causes/causes.h"

/* A call by its name, and what it does. */
struct operation_row {
	const char *call;
	uint32_t operations;      /* bits of all that it can be */
	enum mr_operation plain;  /* without a request that tells */
	enum mr_operation dmabuf; /* with a request for a dma-buf */
};

#define ONE(call_, operation)                                                                      \
	{                                                                                          \
		(call_), MR_ON(operation), MR_OP_##operation, MR_OP_##operation                    \
	}
#define TWO(call_, plain_, dmabuf_)                                                                \
	{                                                                                          \
		(call_), MR_ON(plain_) | MR_ON(dmabuf_), MR_OP_##plain_, MR_OP_##dmabuf_           \
	}

static const struct operation_row rows[] = {
	ONE("mmap", PREPARE),
	ONE("mbind", PREPARE),
	ONE("madvise", PREPARE),
	ONE("memfd_create", PREPARE),
	ONE("ftruncate", PREPARE),
	ONE("shmget", PREPARE),
	ONE("fallocate", PREPARE),
	ONE("posix_fallocate", PREPARE),
	ONE("open", PREPARE),
	ONE("ioctl(UDMABUF_CREATE)", PREPARE),
	ONE("ioctl(DMA_HEAP_IOCTL_ALLOC)", PREPARE),
	ONE("ibv_get_device_list", FIND),
	ONE("stat", FIND),
	ONE("ibv_open_device", OPEN),
	ONE("mlx5dv_open_device", OPEN),
	ONE("ibv_import_device", IMPORT),
	ONE("ibv_import_pd", IMPORT),
	ONE("ibv_import_mr", IMPORT),
	ONE("mlx5dv_devx_umem_import", IMPORT),
	ONE("ibv_alloc_pd", ALLOC_PD),
	ONE("ioctl(ALLOC_PD)", ALLOC_PD),
	ONE("ibv_alloc_dm", ALLOC_DM),
	ONE("ioctl(DM_ALLOC)", ALLOC_DM),
	ONE("ibv_alloc_dmah", ALLOC_DMAH),
	ONE("ioctl(DMAH_ALLOC)", ALLOC_DMAH),
	ONE("ibv_dm_export_dmabuf_fd", EXPORT),
	ONE("mlx5dv_devx_umem_export", EXPORT),
	ONE("ibv_reg_mr", REG),
	ONE("ibv_reg_mr_iova", REG),
	ONE("ibv_reg_mr_iova2", REG),
	TWO("ibv_reg_mr_ex", REG, REG_DMABUF),
	ONE("mr_reg_mr_relaxed", REG),
	ONE("ioctl(REG_MR)", REG),
	ONE("ibv_reg_dmabuf_mr", REG_DMABUF),
	ONE("mlx5dv_reg_dmabuf_mr", REG_DMABUF),
	ONE("ioctl(REG_DMABUF_MR)", REG_DMABUF),
	ONE("ibv_reg_dm_mr", REG_DM),
	ONE("ioctl(DM_MR_REG)", REG_DM),
	ONE("ibv_alloc_null_mr", NULL_MR),
	ONE("mlx5dv_devx_umem_reg", UMEM),
	TWO("mlx5dv_devx_umem_reg_ex", UMEM, UMEM_DMABUF),
	TWO("ioctl(DEVX_UMEM_REG)", UMEM, UMEM_DMABUF),
	ONE("ibv_rereg_mr", REREG),
	ONE("ioctl(REREG_MR)", REREG),
	ONE("ibv_advise_mr", ADVISE),
	ONE("ioctl(ADVISE_MR)", ADVISE),
	ONE("ibv_dereg_mr", DEREG),
	ONE("mr_dereg_mr_relaxed", DEREG),
	ONE("ioctl(MR_DESTROY)", DEREG),
	ONE("mlx5dv_devx_umem_dereg", DEREG),
	ONE("ioctl(DEVX_UMEM_DEREG)", DEREG),
	ONE("ibv_dealloc_pd", FREE),
	ONE("ioctl(PD_DESTROY)", FREE),
	ONE("ibv_free_dm", FREE),
	ONE("ioctl(DM_FREE)", FREE),
	ONE("ibv_dealloc_dmah", FREE),
	ONE("ioctl(DMAH_FREE)", FREE),
	ONE("ibv_create_cq", QUEUE),
	ONE("ibv_create_cq_ex", QUEUE),
	ONE("ibv_create_qp", QUEUE),
	ONE("ibv_create_qp_ex", QUEUE),
	ONE("ibv_create_srq", QUEUE),
	ONE("ibv_create_srq_ex", QUEUE),
	ONE("mlx5dv_create_cq", QUEUE),
	ONE("mlx5dv_create_qp", QUEUE),
	ONE("rdma_create_qp", QUEUE),
	ONE("rdma_create_srq", QUEUE),
	ONE("ioctl(QUERY_MR)", QUERY),
	ONE("ioctl(INFO_HANDLES)", QUERY),
	ONE("ioctl(QUERY_CONTEXT)", QUERY),
	ONE("ibv_query_device_ex", QUERY),
};

static const struct operation_row *find_row(const char *call)
{
	for (size_t i = 0; call && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].call, call))
			return &rows[i];
	return NULL;
}

enum mr_operation mr_operation_of(const struct mr_refusal *refusal)
{
	const struct operation_row *row = find_row(refusal->call);

	if (!row)
		return MR_OP_OTHER;
	return refusal->request && mr_region_is_dmabuf(refusal->request->call) ? row->dmabuf
									       : row->plain;
}

const char *mr_call_name(size_t index)
{
	return index < sizeof(rows) / sizeof(*rows) ? rows[index].call : NULL;
}

const char *mr_operation_name(enum mr_operation operation)
{
	const char *other = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].plain == operation)
			return rows[i].call;
		if (rows[i].dmabuf == operation && !other)
			other = rows[i].call;
	}
	return other;
}

uint32_t mr_operations_of_name(const char *call)
{
	const struct operation_row *row = find_row(call);

	return row ? row->operations : 0;
}

const struct mr_word mr_certainties[MR_CERTAINTIES + 1] = {
	[MR_UNRELATED] = MR_WORD("unrelated", "has nothing to do with the call"),
	[MR_RULED_OUT] = MR_WORD("ruled-out", "the evidence excludes it"),
	[MR_POSSIBLE] = MR_WORD("possible", "nothing speaks against it"),
	[MR_LIKELY] = MR_WORD("likely", "the evidence speaks for it"),
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

void mr_rule_out(struct mr_suspicion *suspicion, const char *fmt, ...)
{
	va_list ap;

	suspicion->certainty = MR_RULED_OUT;
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

static struct mr_evidence *add_evidence(struct mr_suspicion *suspicion, const char *name)
{
	static struct mr_evidence surplus; /* is never read */
	struct mr_evidence *evidence = suspicion->evidence_count < MR_EVIDENCE_MAX
					       ? &suspicion->evidence[suspicion->evidence_count++]
					       : &surplus;

	evidence->name = name;
	evidence->is_number = false;
	evidence->number = 0;
	return evidence;
}

void mr_evidence_number(struct mr_suspicion *suspicion, const char *name, uint64_t number)
{
	struct mr_evidence *evidence = add_evidence(suspicion, name);

	evidence->is_number = true;
	evidence->number = number;
}

void mr_evidence_limit(struct mr_suspicion *suspicion, const char *name, uint64_t limit)
{
	if (limit == UINT64_MAX)
		mr_evidence_text(suspicion, name, "unlimited");
	else
		mr_evidence_number(suspicion, name, limit);
}

void mr_evidence_hex(struct mr_suspicion *suspicion, const char *name, uint64_t number)
{
	mr_evidence_text(suspicion, name, "0x%" PRIx64, number);
}

void mr_evidence_text(struct mr_suspicion *suspicion, const char *name, const char *fmt, ...)
{
	struct mr_evidence *evidence = add_evidence(suspicion, name);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(evidence->text, sizeof(evidence->text), fmt, ap);
	va_end(ap);
}

static void limit(struct mr_suspicion *suspicion, enum mr_certainty most,
		  const struct mr_try *passed)
{
	if (suspicion->certainty <= most)
		return;
	suspicion->certainty = most;
	mr_evidence_text(suspicion, "tried", "%s the call passes", passed->words);
}

/* Whether @try has answered 0. */
static bool has_passed(const struct mr_try *try)
{
	return try && !try->errnum;
}

static void weigh_cures(const struct mr_tries *tries, struct mr_suspicion *suspicion, int errnum)
{
	const struct mr_try *refused = NULL;
	bool is_other = false;

	for (size_t i = 0; i < tries->count; i++) {
		const struct mr_try *try = &tries->list[i];

		if (!try->made || !(suspicion->cause->cured_by >> try->change & 1))
			continue;
		if (has_passed(try)) {
			if (suspicion->certainty == MR_POSSIBLE)
				suspicion->certainty = MR_LIKELY;
			mr_evidence_text(suspicion, "tried", "%s the call passes", try->words);
			return;
		}
		refused = try;
		is_other |= try->errnum != errnum;
	}
	if (refused && !is_other && suspicion->certainty != MR_CERTAIN)
		mr_rule_out(suspicion, "%s the call is refused as well", refused->words);
}

void mr_tries_weigh(const struct mr_tries *tries, struct mr_suspicion *suspicion)
{
	const struct mr_try *again = mr_tries_find(tries, MR_TRY_UNCHANGED);
	const struct mr_try *own = mr_tries_find(tries, MR_TRY_OWN_CONTEXT);

	if (suspicion->certainty <= MR_RULED_OUT)
		return;
	if (has_passed(again))
		limit(suspicion, MR_POSSIBLE, again);
	else if (has_passed(own))
		limit(suspicion, MR_LIKELY, own);
	else if (tries->is_refused_again)
		weigh_cures(tries, suspicion, tries->list[0].errnum);
}
