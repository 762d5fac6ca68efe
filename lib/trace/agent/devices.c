// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "lib/trace/agent/agent.h"
#include "lib/trace/wire/wire.h"

/* Sizes of queues are noted before the call, which may change its attributes. */
static void note_qp(struct call *call, enum ibv_qp_type type, const struct ibv_qp_cap *cap,
		    bool has_srq)
{
	call->record.queue_bytes = mr_trace_qp_bytes(type, cap->max_send_wr, cap->max_recv_wr,
						     cap->max_recv_sge, has_srq);
}

/* Notes a QP, which may have no queues at all. */
static void note_qp_ex(struct call *call, const struct ibv_qp_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE))
		note_qp(call, attr->qp_type, &attr->cap, attr->srq);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_PD)
		call_note_pd(call, attr->pd);
}

/* Notes the object that a call returns or frees, and its device. */
static void note_object(struct call *call, const struct ibv_context *context, const void *object)
{
	call_note_context(call, context);
	call->record.object = (uintptr_t)object;
}

static void note_pd_object(struct call *call, const struct ibv_context *context,
			   const struct ibv_pd *pd)
{
	call_note_pd(call, pd);
	note_object(call, context, pd);
}

SEEN(struct ibv_cq *, ibv_create_cq, IBV_CREATE_CQ,
     (struct ibv_context * context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
      int vector),
     (context, cqe, cq_context, channel, vector),
     call.record.queue_bytes = mr_trace_cq_bytes((uint32_t)cqe),
     note_object(&call, context, result))

SEEN(struct ibv_cq_ex *, mlx5dv_create_cq, MLX5DV_CREATE_CQ,
     (struct ibv_context * context, struct ibv_cq_init_attr_ex *attr,
      struct mlx5dv_cq_init_attr *mlx5_attr),
     (context, attr, mlx5_attr), call.record.queue_bytes = mr_trace_cq_bytes(attr->cqe),
     note_object(&call, context, result))

SEEN(struct ibv_qp *, ibv_create_qp, IBV_CREATE_QP,
     (struct ibv_pd * pd, struct ibv_qp_init_attr *attr), (pd, attr),
     note_qp(&call, attr->qp_type, &attr->cap, attr->srq), call_note_pd(&call, pd);
     note_object(&call, pd->context, result))

SEEN(struct ibv_qp *, mlx5dv_create_qp, MLX5DV_CREATE_QP,
     (struct ibv_context * context, struct ibv_qp_init_attr_ex *attr,
      struct mlx5dv_qp_init_attr *mlx5_attr),
     (context, attr, mlx5_attr), note_qp_ex(&call, attr), note_object(&call, context, result))

SEEN(struct ibv_srq *, ibv_create_srq, IBV_CREATE_SRQ,
     (struct ibv_pd * pd, struct ibv_srq_init_attr *attr), (pd, attr),
     call.record.queue_bytes = mr_trace_srq_bytes(attr->attr.max_wr), call_note_pd(&call, pd);
     note_object(&call, pd->context, result))

enum { CONTEXTS = 1024 };

/* Functions of a context's table that have wrappers. */
#define REPLACED(FUNCTION)                                                                         \
	FUNCTION(advise_mr)                                                                        \
	FUNCTION(alloc_null_mr)                                                                    \
	FUNCTION(reg_dm_mr)                                                                        \
	FUNCTION(alloc_dm)                                                                         \
	FUNCTION(free_dm)                                                                          \
	FUNCTION(alloc_parent_domain)                                                              \
	FUNCTION(create_cq_ex)                                                                     \
	FUNCTION(create_qp_ex)                                                                     \
	FUNCTION(create_srq_ex)

/* Functions that the table of a context had before. */
#define MEMBER(name) __typeof__(((struct verbs_context *)NULL)->name) name;
struct replaced {
	_Atomic(struct ibv_context *) context; /* NULL: free */
	REPLACED(MEMBER)
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

/* The frame of a wrapper: the saved registers of its caller come first. */
#define FRAME __builtin_frame_address(0)

enum { FRAME_BYTES = 4096 /* that an inline function of verbs.h takes at most */ };

/*
 * Also notes where the caller returns to.  All these functions are called by inline functions of verbs.h; unoptimized,
 * those are functions of their own, and have a frame pointer.  Else it may be anything, and is looked at only where it
 * could be one; mrctl knows whether the caller is such a function.
 */
static bool begin(struct call *call, enum mr_traced_call number, uintptr_t caller,
		  const uintptr_t *frame)
{
	const uintptr_t up = frame[0], size = up - (uintptr_t)frame;

	if (!call_begin(call, number, caller))
		return false;
	if (up > (uintptr_t)frame && size <= FRAME_BYTES && up % sizeof(up) == 0)
		call->record.outer = ((const uintptr_t *)up)[1];
	return true;
}

static void note_advice(struct call *call, const struct ibv_pd *pd, uint32_t advice, uint32_t flags,
			const struct ibv_sge *ranges, uint32_t count)
{
	call_note_pd(call, pd);
	if (count && ranges) {
		call_note_range(call, ranges->addr, ranges->length, 0);
		call->record.lkey = ranges->lkey;
		call->record.range_count = count;
	}
	call->record.access = advice;
	call->record.call_flags = flags;
}

static void note_dm(struct call *call, const struct ibv_context *context, const struct ibv_dm *dm,
		    uint64_t length)
{
	note_object(call, context, dm);
	call->record.dm = (uintptr_t)dm;
	call->record.length = length;
}

/* IN_TABLE() - define the wrapper of a function of a context's table */
#define IN_TABLE(type, name, number, context, parameters, arguments, before, after)                \
	static type name parameters SEEN_BY(type, begin(&call, MR_TRACED_##number, CALLER, FRAME), \
					    find(context)->name, arguments, before, after)

IN_TABLE(int, advise_mr, IBV_ADVISE_MR, pd->context,
	 (struct ibv_pd * pd, enum ibv_advise_mr_advice advice, uint32_t flags,
	  struct ibv_sge *ranges, uint32_t count),
	 (pd, advice, flags, ranges, count), , note_advice(&call, pd, advice, flags, ranges, count))

IN_TABLE(struct ibv_mr *, alloc_null_mr, IBV_ALLOC_NULL_MR, pd->context, (struct ibv_pd * pd), (pd),
	 , call_note_pd(&call, pd);
	 call_note_mr(&call, result))

IN_TABLE(struct ibv_mr *, reg_dm_mr, IBV_REG_DM_MR, pd->context,
	 (struct ibv_pd * pd, struct ibv_dm *dm, uint64_t offset, size_t length,
	  unsigned int access),
	 (pd, dm, offset, length, access), call.record.dm = (uintptr_t)dm, call_note_pd(&call, pd);
	 call_note_mr(&call, result); call_note_range(&call, offset, length, access))

IN_TABLE(struct ibv_dm *, alloc_dm, IBV_ALLOC_DM, context,
	 (struct ibv_context * context, struct ibv_alloc_dm_attr *attr), (context, attr), ,
	 note_dm(&call, context, result, attr->length))

IN_TABLE(int, free_dm, IBV_FREE_DM, dm->context, (struct ibv_dm * dm), (dm),
	 note_dm(&call, dm->context, dm, 0), )

IN_TABLE(struct ibv_pd *, alloc_parent_domain, IBV_ALLOC_PARENT_DOMAIN, context,
	 (struct ibv_context * context, struct ibv_parent_domain_init_attr *attr), (context, attr),
	 , note_pd_object(&call, context, result))

IN_TABLE(struct ibv_cq_ex *, create_cq_ex, IBV_CREATE_CQ_EX, context,
	 (struct ibv_context * context, struct ibv_cq_init_attr_ex *attr), (context, attr),
	 call.record.queue_bytes = mr_trace_cq_bytes(attr->cqe),
	 note_object(&call, context, result))

IN_TABLE(struct ibv_qp *, create_qp_ex, IBV_CREATE_QP_EX, context,
	 (struct ibv_context * context, struct ibv_qp_init_attr_ex *attr), (context, attr),
	 note_qp_ex(&call, attr), note_object(&call, context, result))

IN_TABLE(struct ibv_srq *, create_srq_ex, IBV_CREATE_SRQ_EX, context,
	 (struct ibv_context * context, struct ibv_srq_init_attr_ex *attr), (context, attr),
	 call.record.queue_bytes = mr_trace_srq_bytes(attr->attr.max_wr),
	 note_object(&call, context, result))

/* The table grows at its front: an older libibverbs has less of it (verbs.h, verbs_get_ctx_op()). */
#define REPLACE(name)                                                                              \
	do {                                                                                       \
		if (table->sz >= sizeof(*table) - offsetof(struct verbs_context, name) &&          \
		    table->name) {                                                                 \
			entry->name = table->name;                                                 \
			table->name = name;                                                        \
		}                                                                                  \
	} while (0);

/* Puts wrappers into the table of a new context, before the program has it. */
static void table_replace(struct ibv_context *context)
{
	struct verbs_context *table = verbs_get_ctx(context);
	struct replaced *entry = NULL;

	for (size_t i = 0; table && table->advise_mr != advise_mr && i < CONTEXTS && !entry; i++) {
		struct ibv_context *none = NULL;

		if (atomic_compare_exchange_strong(&list[i].context, &none, &being_filled))
			entry = &list[i];
	}
	if (!entry) /* then the inline functions of so many contexts are not seen */
		return;
	REPLACED(REPLACE)
	atomic_store_explicit(&entry->context, context, memory_order_release);
}

/* Frees the entry of a context that is about to be closed. */
static void table_forget(struct ibv_context *context)
{
	struct replaced *entry = find(context);

	if (entry->context == context)
		atomic_store(&entry->context, NULL);
}

static void note_context(struct call *call, const struct ibv_device *device,
			 struct ibv_context *context)
{
	if (device)
		call_note_device(call, device);
	note_object(call, context, context);
	if (context)
		table_replace(context);
}

SEEN(struct ibv_context *, ibv_open_device, IBV_OPEN_DEVICE, (struct ibv_device * device), (device),
     , note_context(&call, device, result))

SEEN(struct ibv_context *, mlx5dv_open_device, MLX5DV_OPEN_DEVICE,
     (struct ibv_device * device, struct mlx5dv_context_attr *attr), (device, attr), ,
     note_context(&call, device, result))

SEEN(struct ibv_context *, ibv_import_device, IBV_IMPORT_DEVICE, (int fd), (fd), ,
     note_context(&call, NULL, result))

SEEN(int, ibv_close_device, IBV_CLOSE_DEVICE, (struct ibv_context * context), (context),
     note_object(&call, context, context);
     table_forget(context), )

SEEN(struct ibv_pd *, ibv_alloc_pd, IBV_ALLOC_PD, (struct ibv_context * context), (context), ,
     note_pd_object(&call, context, result))

SEEN(struct ibv_pd *, ibv_import_pd, IBV_IMPORT_PD, (struct ibv_context * context, uint32_t handle),
     (context, handle), , note_pd_object(&call, context, result))

SEEN(int, ibv_dealloc_pd, IBV_DEALLOC_PD, (struct ibv_pd * pd), (pd),
     note_pd_object(&call, pd->context, pd), )

SEEN_VOID(ibv_unimport_pd, IBV_UNIMPORT_PD, (struct ibv_pd * pd), (pd),
	  note_pd_object(&call, pd->context, pd))

SEEN(int, ibv_fork_init, IBV_FORK_INIT, (void), (), , )

/* ---- calls of the kernel by libibverbs and its providers ---- */

/* Counts for the thread: within a call that is seen these are libibverbs' own. */
static void count(bool failed)
{
	if (!agent_thread.outermost)
		return;
	agent_kernel_seen = 1;
	agent_thread.kernel_calls++;
	if (failed)
		agent_thread.kernel_errnum = errno;
}

TRACED(int, ioctl, (int fd, unsigned long request, ...))
{
	va_list args;
	void *arg;
	int rc;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	rc = REAL(ioctl)(fd, request, arg);
	count(rc < 0);
	return rc;
}

TRACED(ssize_t, write, (int fd, const void *bytes, size_t size))
{
	ssize_t rc = REAL(write)(fd, bytes, size);

	count(rc < 0);
	return rc;
}

/*
 * ibv_fork_init(), which libibverbs calls itself if the environment enables it, tests this advice and gives it for
 * each region from then on (libibverbs/memory.c).  Where the kernel copies pinned pages on fork(2) it does not.
 */
TRACED(int, madvise, (void *address, size_t length, int advice))
{
	struct mr_trace_record record = { .begin_ns = mr_now_ns(),
					  .caller = CALLER,
					  .call = MR_TRACED_MADVISE,
					  .addr = (uintptr_t)address,
					  .length = length,
					  .call_flags = (uint32_t)advice };
	Dl_info caller;

	if ((advice != MADV_DONTFORK && advice != MADV_DOFORK) ||
	    !dladdr((void *)CALLER, &caller) || !strstr(caller.dli_fname, "libibverbs"))
		return REAL(madvise)(address, length, advice);
	record.result = REAL(madvise)(address, length, advice);
	record.errnum = record.result ? errno : 0;
	record.elapsed_ns = mr_now_ns() - record.begin_ns;
	if (advice == MADV_DONTFORK && !record.result)
		agent_fork_safe = 1;
	call_put(&record);
	return record.result;
}
