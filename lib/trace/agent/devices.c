// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "lib/trace/agent/agent.h"
#include "lib/trace/wire/wire.h"

/* Notes a CQ of at least so many entries; before the call, which may change them. */
static void queue_note_cq(struct call *call, uint32_t cqe)
{
	call->record.queue_bytes = mr_trace_cq_bytes(cqe);
}

/* Notes a QP; @has_srq: it has no receive queue of its own. */
static void queue_note_qp(struct call *call, enum ibv_qp_type type, const struct ibv_qp_cap *cap,
			  bool has_srq)
{
	call->record.queue_bytes =
		mr_trace_qp_bytes(&(struct mr_trace_qp){ .type = type,
							 .max_send_wr = cap->max_send_wr,
							 .max_recv_wr = cap->max_recv_wr,
							 .max_recv_sge = cap->max_recv_sge,
							 .has_srq = has_srq });
}

/* Notes a QP, which may have no queues at all. */
static void queue_note_qp_ex(struct call *call, const struct ibv_qp_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE))
		queue_note_qp(call, attr->qp_type, &attr->cap, attr->srq);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_PD)
		call_note_pd(call, attr->pd);
}

/* Notes an SRQ. */
static void queue_note_srq(struct call *call, const struct ibv_srq_attr *attr)
{
	call->record.queue_bytes = mr_trace_srq_bytes(attr->max_wr);
}

/* Ends the call, which has returned @queue.  Return: @queue. */
static void *queue_end(struct call *call, const struct ibv_context *context, void *queue)
{
	call_note_context(call, context);
	call->record.object = (uintptr_t)queue;
	call_end(call, !queue, 0);
	return queue;
}

TRACED(struct ibv_cq *, ibv_create_cq,
       (struct ibv_context * context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
	int vector))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_CREATE_CQ, CALLER))
		return REAL(ibv_create_cq)(context, cqe, cq_context, channel, vector);
	queue_note_cq(&call, (uint32_t)cqe);
	return queue_end(&call, context,
			 REAL(ibv_create_cq)(context, cqe, cq_context, channel, vector));
}

TRACED(struct ibv_cq_ex *, mlx5dv_create_cq,
       (struct ibv_context * context, struct ibv_cq_init_attr_ex *attr,
	struct mlx5dv_cq_init_attr *mlx5_attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_CREATE_CQ, CALLER))
		return REAL(mlx5dv_create_cq)(context, attr, mlx5_attr);
	queue_note_cq(&call, attr->cqe);
	return queue_end(&call, context, REAL(mlx5dv_create_cq)(context, attr, mlx5_attr));
}

TRACED(struct ibv_qp *, ibv_create_qp, (struct ibv_pd * pd, struct ibv_qp_init_attr *attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_CREATE_QP, CALLER))
		return REAL(ibv_create_qp)(pd, attr);
	queue_note_qp(&call, attr->qp_type, &attr->cap, attr->srq);
	call_note_pd(&call, pd);
	return queue_end(&call, pd->context, REAL(ibv_create_qp)(pd, attr));
}

TRACED(struct ibv_qp *, mlx5dv_create_qp,
       (struct ibv_context * context, struct ibv_qp_init_attr_ex *attr,
	struct mlx5dv_qp_init_attr *mlx5_attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_CREATE_QP, CALLER))
		return REAL(mlx5dv_create_qp)(context, attr, mlx5_attr);
	queue_note_qp_ex(&call, attr);
	return queue_end(&call, context, REAL(mlx5dv_create_qp)(context, attr, mlx5_attr));
}

TRACED(struct ibv_srq *, ibv_create_srq, (struct ibv_pd * pd, struct ibv_srq_init_attr *attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_CREATE_SRQ, CALLER))
		return REAL(ibv_create_srq)(pd, attr);
	queue_note_srq(&call, &attr->attr);
	call_note_pd(&call, pd);
	return queue_end(&call, pd->context, REAL(ibv_create_srq)(pd, attr));
}

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

/* Puts wrappers into the table of a new context, before the program has it. */
static void table_replace(struct ibv_context *context)
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

/* Returns a context is about to be closed. */
static void table_forget(struct ibv_context *context)
{
	struct replaced *entry = find(context);

	if (entry->context == context)
		atomic_store(&entry->context, NULL);
}

static struct ibv_context *end_of_open(struct call *call, const struct ibv_device *device,
				       struct ibv_context *context)
{
	call->record.object = (uintptr_t)context;
	if (device)
		call_note_device(call, device);
	if (context) {
		call_note_context(call, context);
		table_replace(context);
	}
	call_end(call, !context, 0);
	return context;
}

TRACED(struct ibv_context *, ibv_open_device, (struct ibv_device * device))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_OPEN_DEVICE, CALLER))
		return REAL(ibv_open_device)(device);
	return end_of_open(&call, device, REAL(ibv_open_device)(device));
}

TRACED(struct ibv_context *, mlx5dv_open_device,
       (struct ibv_device * device, struct mlx5dv_context_attr *attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_OPEN_DEVICE, CALLER))
		return REAL(mlx5dv_open_device)(device, attr);
	return end_of_open(&call, device, REAL(mlx5dv_open_device)(device, attr));
}

TRACED(struct ibv_context *, ibv_import_device, (int fd))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_IMPORT_DEVICE, CALLER))
		return REAL(ibv_import_device)(fd);
	return end_of_open(&call, NULL, REAL(ibv_import_device)(fd));
}

TRACED(int, ibv_close_device, (struct ibv_context * context))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_IBV_CLOSE_DEVICE, CALLER))
		return REAL(ibv_close_device)(context);
	call_note_context(&call, context);
	call.record.object = (uintptr_t)context;
	table_forget(context);
	rc = REAL(ibv_close_device)(context);
	call_end(&call, rc, rc);
	return rc;
}

static struct ibv_pd *end_of_pd(struct call *call, struct ibv_context *context, struct ibv_pd *pd)
{
	call_note_pd(call, pd);
	call_note_context(call, context);
	call->record.object = (uintptr_t)pd;
	call_end(call, !pd, 0);
	return pd;
}

TRACED(struct ibv_pd *, ibv_alloc_pd, (struct ibv_context * context))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_ALLOC_PD, CALLER))
		return REAL(ibv_alloc_pd)(context);
	return end_of_pd(&call, context, REAL(ibv_alloc_pd)(context));
}

TRACED(struct ibv_pd *, ibv_import_pd, (struct ibv_context * context, uint32_t handle))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_IMPORT_PD, CALLER))
		return REAL(ibv_import_pd)(context, handle);
	call.record.pd_handle = handle;
	return end_of_pd(&call, context, REAL(ibv_import_pd)(context, handle));
}

TRACED(int, ibv_dealloc_pd, (struct ibv_pd * pd))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_IBV_DEALLOC_PD, CALLER))
		return REAL(ibv_dealloc_pd)(pd);
	call_note_pd(&call, pd);
	call.record.object = (uintptr_t)pd;
	rc = REAL(ibv_dealloc_pd)(pd);
	call_end(&call, rc, rc);
	return rc;
}

TRACED(void, ibv_unimport_pd, (struct ibv_pd * pd))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_UNIMPORT_PD, CALLER)) {
		REAL(ibv_unimport_pd)(pd);
		return;
	}
	call_note_pd(&call, pd);
	call.record.object = (uintptr_t)pd;
	REAL(ibv_unimport_pd)(pd);
	call_end(&call, false, 0);
}

TRACED(int, ibv_fork_init, (void))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_IBV_FORK_INIT, CALLER))
		return REAL(ibv_fork_init)();
	rc = REAL(ibv_fork_init)();
	call_end(&call, rc, rc);
	return rc;
}

#define IN_LIBRARY(name) CALL_PASTE_(MR_TRACE_LIBRARY, name)

EXPORT int IN_LIBRARY(ioctl)(int fd, unsigned long request, ...);
EXPORT ssize_t IN_LIBRARY(write)(int fd, const void *bytes, size_t count);
EXPORT int IN_LIBRARY(madvise)(void *address, size_t length, int advice);

static void count(bool failed)
{
	agent_kernel_seen = 1;
	agent_thread.kernel_calls++;
	if (failed)
		agent_thread.kernel_errnum = errno;
}

EXPORT int IN_LIBRARY(ioctl)(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	int rc;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	rc = ioctl(fd, request, arg);
	count(rc < 0);
	return rc;
}

EXPORT ssize_t IN_LIBRARY(write)(int fd, const void *bytes, size_t bytes_count)
{
	ssize_t rc = write(fd, bytes, bytes_count);

	count(rc < 0);
	return rc;
}

/*
 * ibv_fork_init(), which libibverbs calls by itself where the environment asks for it, tries this advice and gives it
 * for each region from then on (libibverbs/memory.c).  Where the kernel copies pinned pages on fork(2) it does not.
 */
EXPORT int IN_LIBRARY(madvise)(void *address, size_t length, int advice)
{
	struct mr_trace_record record = { .begin_ns = system_now(),
					  .caller = CALLER,
					  .call = MR_TRACED_MADVISE,
					  .addr = (uintptr_t)address,
					  .length = length,
					  .call_flags = (uint32_t)advice,
					  .flags = MR_TRACE_IN_LIBRARY };

	record.result = madvise(address, length, advice);
	record.errnum = record.result ? errno : 0;
	record.elapsed_ns = system_now() - record.begin_ns;
	if (advice == MADV_DONTFORK && !record.result)
		agent_fork_safe = 1;
	call_put_within(&record);
	return record.result;
}
