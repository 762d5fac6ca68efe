// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdatomic.h>
#include <stddef.h>

#include "lib/trace/agent/call.h"
#include "lib/trace/agent/queues.h"
#include "lib/trace/agent/table.h"

enum { CONTEXTS = 1024 };

/* What the table of a context named before. */
struct replaced {
	_Atomic(struct ibv_context *) context; /* NULL: free */
	int (*advise_mr)(struct ibv_pd *, enum ibv_advise_mr_advice, uint32_t, struct ibv_sge *,
			 uint32_t);
	struct ibv_mr *(*alloc_null_mr)(struct ibv_pd *);
	struct ibv_mr *(*reg_dm_mr)(struct ibv_pd *, struct ibv_dm *, uint64_t, size_t,
				    unsigned int);
	struct ibv_dm *(*alloc_dm)(struct ibv_context *, struct ibv_alloc_dm_attr *);
	int (*free_dm)(struct ibv_dm *);
	struct ibv_pd *(*alloc_parent_domain)(struct ibv_context *,
					      struct ibv_parent_domain_init_attr *);
	struct ibv_cq_ex *(*create_cq_ex)(struct ibv_context *, struct ibv_cq_init_attr_ex *);
	struct ibv_qp *(*create_qp_ex)(struct ibv_context *, struct ibv_qp_init_attr_ex *);
	struct ibv_srq *(*create_srq_ex)(struct ibv_context *, struct ibv_srq_init_attr_ex *);
};

static struct replaced list[CONTEXTS];
static struct ibv_context being_filled; /* its address marks an entry that is not yet found */

/* The program can only call a wrapper by a context whose table has it, so there is an entry. */
static struct replaced *find(const struct ibv_context *context)
{
	size_t i = 0;

	while (i < CONTEXTS - 1 && atomic_load_explicit(&list[i].context, memory_order_acquire) !=
					   (struct ibv_context *)context)
		i++;
	return &list[i];
}

/* Of a wrapper: what it has saved of its caller's frame comes first. */
#define FRAME __builtin_frame_address(0)

enum { FRAME_BYTES = 4096 /* that an inline function of verbs.h takes at most */ };

/*
 * Where the caller returns to.  All these functions are called by inline functions of verbs.h; unoptimized, those are
 * functions of their own, and have a frame pointer.  Else it may be anything, and is looked at only where it could be
 * one; mrctl knows whether the caller is such a function.
 */
static uintptr_t outer_of(const uintptr_t *frame)
{
	const uintptr_t begin = (uintptr_t)frame, up = frame[0];

	if (up <= begin || up - begin > FRAME_BYTES || up % sizeof(up))
		return 0;
	return ((const uintptr_t *)up)[1];
}

static bool begin(struct call *call, enum mr_traced_call number, uintptr_t caller,
		  const uintptr_t *frame)
{
	if (!call_begin(call, number, caller))
		return false;
	call->record.outer = outer_of(frame);
	return true;
}

static int advise_mr(struct ibv_pd *pd, enum ibv_advise_mr_advice advice, uint32_t flags,
		     struct ibv_sge *ranges, uint32_t count)
{
	struct replaced *real = find(pd->context);
	struct call call;
	int rc;

	if (!begin(&call, MR_TRACED_IBV_ADVISE_MR, CALLER, FRAME))
		return real->advise_mr(pd, advice, flags, ranges, count);
	rc = real->advise_mr(pd, advice, flags, ranges, count);
	call_note_pd(&call, pd);
	if (count && ranges) {
		call_note_range(&call, ranges->addr, ranges->length, 0);
		call.record.lkey = ranges->lkey;
		call.record.range_count = count;
	}
	call.record.access = advice;
	call.record.call_flags = flags;
	call_end(&call, rc, rc);
	return rc;
}

static struct ibv_mr *alloc_null_mr(struct ibv_pd *pd)
{
	struct replaced *real = find(pd->context);
	struct ibv_mr *mr;
	struct call call;

	if (!begin(&call, MR_TRACED_IBV_ALLOC_NULL_MR, CALLER, FRAME))
		return real->alloc_null_mr(pd);
	mr = real->alloc_null_mr(pd);
	call_note_pd(&call, pd);
	call_note_mr(&call, mr);
	call_end(&call, !mr, 0);
	return mr;
}

static struct ibv_mr *reg_dm_mr(struct ibv_pd *pd, struct ibv_dm *dm, uint64_t offset,
				size_t length, unsigned int access)
{
	struct replaced *real = find(pd->context);
	struct ibv_mr *mr;
	struct call call;

	if (!begin(&call, MR_TRACED_IBV_REG_DM_MR, CALLER, FRAME))
		return real->reg_dm_mr(pd, dm, offset, length, access);
	mr = real->reg_dm_mr(pd, dm, offset, length, access);
	call_note_pd(&call, pd);
	call_note_mr(&call, mr);
	call_note_range(&call, offset, length, access);
	call.record.dm = (uintptr_t)dm;
	call_end(&call, !mr, 0);
	return mr;
}

static struct ibv_dm *alloc_dm(struct ibv_context *context, struct ibv_alloc_dm_attr *attr)
{
	struct replaced *real = find(context);
	struct ibv_dm *dm;
	struct call call;

	if (!begin(&call, MR_TRACED_IBV_ALLOC_DM, CALLER, FRAME))
		return real->alloc_dm(context, attr);
	dm = real->alloc_dm(context, attr);
	call_note_context(&call, context);
	call.record.object = call.record.dm = (uintptr_t)dm;
	call.record.length = attr->length;
	call_end(&call, !dm, 0);
	return dm;
}

static int free_dm(struct ibv_dm *dm)
{
	struct replaced *real = find(dm->context);
	struct call call;
	int rc;

	if (!begin(&call, MR_TRACED_IBV_FREE_DM, CALLER, FRAME))
		return real->free_dm(dm);
	call_note_context(&call, dm->context);
	call.record.object = call.record.dm = (uintptr_t)dm;
	rc = real->free_dm(dm);
	call_end(&call, rc, rc);
	return rc;
}

static struct ibv_pd *alloc_parent_domain(struct ibv_context *context,
					  struct ibv_parent_domain_init_attr *attr)
{
	struct replaced *real = find(context);
	struct ibv_pd *pd;
	struct call call;

	if (!begin(&call, MR_TRACED_IBV_ALLOC_PARENT_DOMAIN, CALLER, FRAME))
		return real->alloc_parent_domain(context, attr);
	pd = real->alloc_parent_domain(context, attr);
	call_note_pd(&call, pd);
	call_note_context(&call, context);
	call.record.object = (uintptr_t)pd;
	call_end(&call, !pd, 0);
	return pd;
}

static struct ibv_cq_ex *create_cq_ex(struct ibv_context *context, struct ibv_cq_init_attr_ex *attr)
{
	struct replaced *real = find(context);
	struct call call;

	if (!begin(&call, MR_TRACED_IBV_CREATE_CQ_EX, CALLER, FRAME))
		return real->create_cq_ex(context, attr);
	queue_note_cq(&call, attr->cqe);
	return queue_end(&call, context, real->create_cq_ex(context, attr));
}

static struct ibv_qp *create_qp_ex(struct ibv_context *context, struct ibv_qp_init_attr_ex *attr)
{
	struct replaced *real = find(context);
	struct call call;

	if (!begin(&call, MR_TRACED_IBV_CREATE_QP_EX, CALLER, FRAME))
		return real->create_qp_ex(context, attr);
	queue_note_qp_ex(&call, attr);
	return queue_end(&call, context, real->create_qp_ex(context, attr));
}

static struct ibv_srq *create_srq_ex(struct ibv_context *context, struct ibv_srq_init_attr_ex *attr)
{
	struct replaced *real = find(context);
	struct call call;

	if (!begin(&call, MR_TRACED_IBV_CREATE_SRQ_EX, CALLER, FRAME))
		return real->create_srq_ex(context, attr);
	queue_note_srq(&call, &attr->attr);
	return queue_end(&call, context, real->create_srq_ex(context, attr));
}

/* A free entry, or NULL where the program has very many contexts open: then their inline functions are not seen. */
static struct replaced *take(void)
{
	for (size_t i = 0; i < CONTEXTS; i++) {
		struct ibv_context *none = NULL;

		if (atomic_compare_exchange_strong(&list[i].context, &none, &being_filled))
			return &list[i];
	}
	return NULL;
}

/* The table grows at its front: an older libibverbs has less of it (verbs.h, verbs_get_ctx_op()). */
#define REPLACE(name)                                                                              \
	do {                                                                                       \
		if (table->sz >= sizeof(*table) - offsetof(struct verbs_context, name) &&          \
		    table->name) {                                                                 \
			entry->name = table->name;                                                 \
			table->name = name;                                                        \
		}                                                                                  \
	} while (0)

void table_replace(struct ibv_context *context)
{
	struct verbs_context *table = verbs_get_ctx(context);
	struct replaced *entry = table && table->advise_mr != advise_mr ? take() : NULL;

	if (!entry)
		return;
	REPLACE(advise_mr);
	REPLACE(alloc_null_mr);
	REPLACE(reg_dm_mr);
	REPLACE(alloc_dm);
	REPLACE(free_dm);
	REPLACE(alloc_parent_domain);
	REPLACE(create_cq_ex);
	REPLACE(create_qp_ex);
	REPLACE(create_srq_ex);
	atomic_store_explicit(&entry->context, context, memory_order_release);
}

void table_forget(struct ibv_context *context)
{
	struct replaced *entry = find(context);

	if (entry->context == context)
		atomic_store(&entry->context, NULL);
}
