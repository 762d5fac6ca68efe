// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Wraps the calls of libibverbs and libmlx5 that are traced, and puts a record of each into the ring. */
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <infiniband/mlx5dv.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "lib/trace/agent/agent.h"

/* verbs.h has macros of these names. */
#undef ibv_reg_mr
#undef ibv_reg_mr_iova

/* Whether libibverbs protects memory from fork(2), and whether one of its calls to the kernel was seen: as in the parent */
static _Atomic uint32_t is_fork_safe, is_kernel_seen;

/* The call that is seen in this thread.  initial-exec: reading it never allocates memory. */
static _Thread_local struct {
	uintptr_t outermost; /* stack address of its wrapper; 0: none */
	int saved;           /* errno before it */
	uint32_t kernel_calls;
	int kernel_errnum;
	pid_t pid, tid; /* of the process, and of the thread in it */
} thread __attribute__((tls_model("initial-exec")));

/* A header of 16 bytes, and struct mlx5_ifc_cmd_hca_cap_bits. */
#define ANSWER_SIZE (16 + 4096)

/* QUERY_HCA_CAP of the general capabilities.  lib/verbs/query.c makes the same call in mrctl's own contexts. */
static int query_capabilities(int fd)
{
	static const uint8_t in[16] = { 0x01, 0x00, [7] = 0x01 };
	static uint8_t out[ANSWER_SIZE]; /* of all threads: nobody reads it */
	/* The header ends with an array of no length, which the attributes follow. */
	union {
		struct ib_uverbs_ioctl_hdr header;
		struct {
			char before[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attrs[2];
		};
	} request = {
		.attrs = { { .attr_id = MLX5_IB_ATTR_DEVX_OTHER_CMD_IN,
			     .len = sizeof(in),
			     .flags = UVERBS_ATTR_F_MANDATORY,
			     .data = (uintptr_t)in },
			   { .attr_id = MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT,
			     .len = sizeof(out),
			     .flags = UVERBS_ATTR_F_MANDATORY,
			     .data = (uintptr_t)out } },
	};

	request.header.length = sizeof(request);
	request.header.object_id = MLX5_IB_OBJECT_DEVX;
	request.header.method_id = MLX5_IB_METHOD_DEVX_OTHER;
	request.header.num_attrs = 2;
	request.header.driver_id = RDMA_DRIVER_MLX5;
	return ioctl(fd, RDMA_VERBS_IOCTL, &request.header) ? errno : 0;
}

/* lib/sim/preload: bytes that simulated devices have pinned, which no file of /proc has; NULL without them */
extern uint64_t mrctl_sim_pinned(void) __attribute__((weak));

enum {
	OWN_FRAMES = 6,             /* of the agent, at most, on top of a backtrace */
	LOOKS_OF_KIND = 3,          /* refusals that are alike and that mrctl looks at */
	LOOKS_OF_OTHER_RANGES = 16, /* more of them, each of another range */
	FRAME_BYTES = 4096,         /* that an inline function of verbs.h takes at most */
};

/*
 * Begins the record of a call.  @frame: of its wrapper, where that is in the table of a context; or NULL
 * Return: false where the call is part of another one that is seen: libibverbs calls its own functions.
 *
 * Also notes where the caller of such a wrapper returns to: that is an inline function of verbs.h, which, unoptimized,
 * is a function of its own and has a frame pointer.  Else it may be anything, and is looked at only where it could be
 * one; mrctl knows whether the caller is such a function.  Inlined into some wrappers, it would be in frames of unlike depth.
 */
__attribute__((noinline)) static bool begin(struct mr_trace_record *call,
					    enum mr_traced_call number, uintptr_t caller,
					    const uintptr_t *frame)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	const uintptr_t up = frame ? frame[0] : 0, size = up - (uintptr_t)frame;

	/* The stack grows down: an outer call that lies below has been left by siglongjmp() or an exception. */
	if (thread.outermost && here < thread.outermost)
		return false;
	thread.outermost = here;
	thread.kernel_calls = 0;
	thread.kernel_errnum = 0;
	thread.saved = errno;
	errno = 0;
	*call = (struct mr_trace_record){ .call = number, .caller = caller };
	if (up > (uintptr_t)frame && size <= FRAME_BYTES && up % sizeof(up) == 0)
		call->outer = ((const uintptr_t *)up)[1];
	call->begin_ns = mr_now_ns();
	return true;
}

/* The refusals of a kind; NULL: there are too many kinds. */
static struct agent_refusal *refusals_of(uint64_t kind)
{
	for (uint64_t i = 0; i < AGENT_REFUSALS; i++) {
		struct agent_refusal *refusal =
			&agent_process->refusals[(kind + i) % AGENT_REFUSALS];
		uint64_t found = 0;

		if (atomic_compare_exchange_strong(&refusal->kind, &found, kind) || found == kind)
			return refusal;
	}
	return NULL;
}

/* Whether mrctl has not looked at so many refusals of a kind yet; one more counts as looked at. */
static bool take_look(struct agent_refusal *refusal, uint32_t most)
{
	return refusal && atomic_load(&refusal->looks) < most &&
	       atomic_fetch_add(&refusal->looks, 1) < most;
}

/*
 * A program's library makes all its calls in one place, and requests the same access to any memory: so other memory
 * is examined, too, which may be refused for another reason.
 */
static bool is_worth_a_look(const struct mr_trace_record *record)
{
	const uint64_t alike = mr_trace_mix(mr_trace_likeness(record), record->caller);
	struct agent_refusal *like = record->errnum ? refusals_of(alike) : NULL;
	bool is_other_range;

	if (!like || atomic_load(&like->looks) >= LOOKS_OF_KIND + LOOKS_OF_OTHER_RANGES)
		return false;
	is_other_range = take_look(refusals_of(mr_trace_range_likeness(record, alike)), 1);
	return take_look(like, LOOKS_OF_KIND) ||
	       (is_other_range && take_look(like, LOOKS_OF_KIND + LOOKS_OF_OTHER_RANGES));
}

/* Notes the return addresses from the caller's on. */
static void note_frames(struct mr_traced_record *record, uint32_t most)
{
	void *frames[MR_TRACE_FRAMES + OWN_FRAMES];
	const int count = backtrace(frames, MR_TRACE_FRAMES + OWN_FRAMES);
	int skipped = 0;

	while (skipped < count && skipped < OWN_FRAMES &&
	       (uintptr_t)frames[skipped] != record->call.caller)
		skipped++;
	if (skipped == OWN_FRAMES)
		return;
	for (int i = skipped; i < count && record->call.frame_count < most; i++)
		record->frames[record->call.frame_count++] = (uintptr_t)frames[i];
}

/* Puts the record of a call, or of a call of libibverbs within it, with errno unchanged. */
static void put(const struct mr_trace_record *call)
{
	const int saved = errno;
	const struct ibv_context *context = (const void *)(uintptr_t)call->context;
	struct mr_ring *ring = ring_of_process();
	struct mr_traced_record record;

	if (!ring)
		return;
	record.call = *call;
	if (thread.pid != agent_process->pid && !agent_is_filtered) {
		thread.pid = agent_process->pid;
		thread.tid = (pid_t)SYSTEM(SYS_gettid);
	}
	record.call.tid = (uint32_t)thread.tid;
	record.call.flags |= (is_kernel_seen ? (uint32_t)MR_TRACE_KERNEL_SEEN : 0) |
			     (is_fork_safe ? (uint32_t)MR_TRACE_FORK_SAFE : 0);
	if (ring->frames)
		note_frames(&record, ring->frames);
	if (is_worth_a_look(&record.call)) {
		record.call.flags |= MR_TRACE_LOOKED_AT;
		if (mrctl_sim_pinned) { /* it reads /proc, so only where mrctl looks */
			record.call.pinned = mrctl_sim_pinned();
			record.call.flags |= MR_TRACE_HAS_PINNED;
		}
		/* Answer to another DEVX call in the same context, which changes nothing. */
		if ((call->call == MR_TRACED_MLX5DV_DEVX_UMEM_REG ||
		     call->call == MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX) &&
		    call->errnum == EINVAL) {
			record.call.devx_errnum = query_capabilities(context->cmd_fd);
			record.call.flags |= MR_TRACE_HAS_DEVX;
		}
	}
	mr_ring_put(ring, &record, channel_pause);
	errno = saved;
}

/* Completes the record; errno is what the real function left.  @result: what it returned, if that is an int */
static void end(struct mr_trace_record *call, bool failed, int result)
{
	const int left = errno;

	call->elapsed_ns = mr_now_ns() - call->begin_ns;
	call->result = result;
	if (failed)
		call->errnum = result > 0 ? result : left ? left : MR_TRACE_NO_ERRNO;
	call->kernel_calls = thread.kernel_calls;
	call->kernel_errnum = thread.kernel_errnum;
	put(call);
	thread.outermost = 0;
	errno = left ? left : thread.saved;
}

/* ---- facts of a call ---- */

static void note_device(struct mr_trace_record *call, const struct ibv_device *device)
{
	for (size_t i = 0; i < sizeof(call->device) - 1 && device->name[i]; i++)
		call->device[i] = device->name[i];
}

static void note_context(struct mr_trace_record *call, const struct ibv_context *context)
{
	call->context = (uintptr_t)context;
	if (context)
		note_device(call, context->device);
}

static void note_pd(struct mr_trace_record *call, const struct ibv_pd *pd)
{
	call->pd = (uintptr_t)pd;
	if (pd)
		note_context(call, pd->context);
}

/* Notes a region as the object; @mr: NULL: none */
static void note_mr(struct mr_trace_record *call, const struct ibv_mr *mr)
{
	call->object = (uintptr_t)mr;
	if (!mr)
		return;
	call->lkey = mr->lkey;
	call->rkey = mr->rkey;
	call->handle = mr->handle;
}

static void note_range(struct mr_trace_record *call, uint64_t addr, uint64_t length,
		       uint32_t access)
{
	call->addr = addr;
	call->length = length;
	call->access = access;
}

/* Where the wrapper is to return to, and its frame: the saved registers of its caller come first. */
#define CALLER         (uintptr_t) __builtin_return_address(0)
#define FRAME          __builtin_frame_address(0)
#define IS_INT(result) _Generic((result), int : true, default : false)

/*
 * SEEN_BY() - the body of a wrapper
 * @frame:     of the wrapper, or NULL: see begin()
 * @real:      the function, which is called with @arguments
 * @before, @after: statements that record the facts of the call in &call; @after knows @result
 *
 * A function that returns an int is refused where that is not 0, another one where it is NULL.
 */
#define SEEN_BY(type, number, frame, real, arguments, before, after)                               \
	{                                                                                          \
		struct mr_trace_record call;                                                       \
		type result;                                                                       \
		if (!begin(&call, MR_TRACED_##number, CALLER, frame))                              \
			return (real)arguments;                                                    \
		before;                                                                            \
		result = (real)arguments;                                                          \
		after;                                                                             \
		end(&call, IS_INT(result) ? result != 0 : !result,                                 \
		    IS_INT(result) ? (int)(intptr_t)result : 0);                                   \
		return result;                                                                     \
	}

/* SEEN() - define the wrapper of a call that is seen; @number: of MR_TRACED_CALLS() */
#define SEEN(type, name, number, parameters, arguments, before, after)                             \
	TRACED(type, name, parameters)                                                             \
	SEEN_BY(type, number, NULL, REAL(name), arguments, before, after)

/* SEEN_VOID() - the same for a function that returns nothing, and is never refused */
#define SEEN_VOID(name, number, parameters, arguments, before)                                     \
	TRACED(void, name, parameters)                                                             \
	{                                                                                          \
		struct mr_trace_record call;                                                       \
		const bool is_seen = begin(&call, MR_TRACED_##number, CALLER, NULL);               \
		if (is_seen) {                                                                     \
			before;                                                                    \
		}                                                                                  \
		REAL(name) arguments;                                                              \
		if (is_seen)                                                                       \
			end(&call, false, 0);                                                      \
	}

/* ---- regions ---- */

/* struct ibv_mr_init_attr and enum ibv_mr_init_attr_mask of rdma-core 59, which older headers lack. */
struct init_attr {
	size_t length;
	int access;
	uint64_t comp_mask;
	uint64_t iova;
	void *addr;
	int fd;
	uint64_t fd_offset;
	void *dmah;
};

enum {
	HAS_IOVA = 1 << 0,
	HAS_ADDR = 1 << 1,
	HAS_FD = 1 << 2,
	HAS_FD_OFFSET = 1 << 3,
	HAS_DMAH = 1 << 4,
};

static void note_iova(struct mr_trace_record *call, uint64_t iova)
{
	call->iova = iova;
	call->flags |= MR_TRACE_HAS_IOVA;
}

static void note_fd(struct mr_trace_record *call, int fd)
{
	call->fd = fd;
	call->flags |= MR_TRACE_HAS_FD;
}

/* Notes a registration, whose IOVA may be another address. */
static void note_reg(struct mr_trace_record *call, const struct ibv_pd *pd, uint64_t addr,
		     uint64_t length, uint32_t access, const struct ibv_mr *mr)
{
	note_pd(call, pd);
	note_range(call, addr, length, access);
	note_mr(call, mr);
}

static void note_reg_dmabuf(struct mr_trace_record *call, const struct ibv_pd *pd, uint64_t offset,
			    uint64_t length, uint64_t iova, int fd, int access,
			    const struct ibv_mr *mr)
{
	note_reg(call, pd, offset, length, (uint32_t)access, mr);
	note_iova(call, iova);
	note_fd(call, fd);
}

/* Read after the real function has: what the mask does not name need not be there. */
static void note_init_attr(struct mr_trace_record *call, const struct ibv_pd *pd,
			   const struct init_attr *attr, const struct ibv_mr *mr)
{
	const uint64_t mask = attr->comp_mask;

	note_reg(call, pd, mask & HAS_ADDR ? (uintptr_t)attr->addr : 0, attr->length,
		 (uint32_t)attr->access, mr);
	call->comp_mask = mask;
	if (mask & HAS_IOVA)
		note_iova(call, attr->iova);
	if (mask & HAS_FD)
		note_fd(call, attr->fd);
	if (mask & HAS_FD_OFFSET)
		call->addr = attr->fd_offset;
	if (mask & HAS_DMAH)
		call->flags |= MR_TRACE_HAS_DMAH;
}

/* Freed by the call, so it is noted before.  Its protection domain is not read, as libibverbs does not, either. */
static void note_old_mr(struct mr_trace_record *call, const struct ibv_mr *mr)
{
	call->pd = (uintptr_t)mr->pd;
	note_context(call, mr->context);
	note_mr(call, mr);
	note_range(call, (uintptr_t)mr->addr, mr->length, 0);
}

static void note_rereg(struct mr_trace_record *call, const struct ibv_mr *mr, int flags,
		       const struct ibv_pd *pd)
{
	if (flags & IBV_REREG_MR_CHANGE_PD)
		note_pd(call, pd);
	note_context(call, mr->context);
	note_mr(call, mr);
	call->call_flags = (uint32_t)flags;
}

static void note_umem(struct mr_trace_record *call, const struct ibv_context *context,
		      const struct mlx5dv_devx_umem *umem)
{
	if (context)
		note_context(call, context);
	call->object = (uintptr_t)umem;
	call->handle = umem ? umem->umem_id : 0;
}

static void note_umem_in(struct mr_trace_record *call, const struct mlx5dv_devx_umem_in *in)
{
	note_range(call, (uintptr_t)in->addr, in->size, in->access);
	call->page_sizes = in->pgsz_bitmap;
	call->comp_mask = in->comp_mask;
	call->flags |= MR_TRACE_HAS_PAGE_SIZES;
	if (in->comp_mask & MLX5DV_UMEM_MASK_DMABUF)
		note_fd(call, in->dmabuf_fd);
}

SEEN(struct ibv_mr *, ibv_reg_mr, IBV_REG_MR,
     (struct ibv_pd * pd, void *addr, size_t length, int access), (pd, addr, length, access), ,
     note_reg(&call, pd, (uintptr_t)addr, length, (uint32_t)access, result))

SEEN(struct ibv_mr *, ibv_reg_mr_iova, IBV_REG_MR_IOVA,
     (struct ibv_pd * pd, void *addr, size_t length, uint64_t iova, int access),
     (pd, addr, length, iova, access), note_iova(&call, iova),
     note_reg(&call, pd, (uintptr_t)addr, length, (uint32_t)access, result))

SEEN(struct ibv_mr *, ibv_reg_mr_iova2, IBV_REG_MR_IOVA2,
     (struct ibv_pd * pd, void *addr, size_t length, uint64_t iova, unsigned int access),
     (pd, addr, length, iova, access), note_iova(&call, iova),
     note_reg(&call, pd, (uintptr_t)addr, length, access, result))

SEEN(struct ibv_mr *, ibv_reg_dmabuf_mr, IBV_REG_DMABUF_MR,
     (struct ibv_pd * pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access),
     (pd, offset, length, iova, fd, access), ,
     note_reg_dmabuf(&call, pd, offset, length, iova, fd, access, result))

SEEN(struct ibv_mr *, mlx5dv_reg_dmabuf_mr, MLX5DV_REG_DMABUF_MR,
     (struct ibv_pd * pd, uint64_t offset, size_t length, uint64_t iova, int fd, int access,
      int mlx5_access),
     (pd, offset, length, iova, fd, access, mlx5_access), call.call_flags = (uint32_t)mlx5_access,
     note_reg_dmabuf(&call, pd, offset, length, iova, fd, access, result))

/* Exists since rdma-core 65.  The memory is the library's own: @buf describes its allocation. */
SEEN(struct ibv_mr *, ibv_reg_buf_mr, IBV_REG_BUF_MR,
     (struct ibv_pd * pd, void *buf, void *addr, size_t length, int access),
     (pd, buf, addr, length, access), ,
     note_reg(&call, pd, (uintptr_t)addr, length, (uint32_t)access, result))

SEEN(struct ibv_mr *, ibv_reg_mr_ex, IBV_REG_MR_EX, (struct ibv_pd * pd, struct init_attr *attr),
     (pd, attr), , note_init_attr(&call, pd, attr, result))

SEEN(struct ibv_mr *, ibv_import_mr, IBV_IMPORT_MR, (struct ibv_pd * pd, uint32_t handle),
     (pd, handle), , note_reg(&call, pd, 0, result ? result->length : 0, 0, result);
     call.handle = handle)

SEEN(int, ibv_dereg_mr, IBV_DEREG_MR, (struct ibv_mr * mr), (mr), note_old_mr(&call, mr), )

SEEN_VOID(ibv_unimport_mr, IBV_UNIMPORT_MR, (struct ibv_mr * mr), (mr), note_old_mr(&call, mr))

SEEN(int, ibv_rereg_mr, IBV_REREG_MR,
     (struct ibv_mr * mr, int flags, struct ibv_pd *pd, void *addr, size_t length, int access),
     (mr, flags, pd, addr, length, access),
     note_range(&call, (uintptr_t)addr, length, (uint32_t)access), note_rereg(&call, mr, flags, pd))

SEEN(struct mlx5dv_devx_umem *, mlx5dv_devx_umem_reg, MLX5DV_DEVX_UMEM_REG,
     (struct ibv_context * context, void *addr, size_t size, uint32_t access),
     (context, addr, size, access), note_range(&call, (uintptr_t)addr, size, access),
     note_umem(&call, context, result))

SEEN(struct mlx5dv_devx_umem *, mlx5dv_devx_umem_reg_ex, MLX5DV_DEVX_UMEM_REG_EX,
     (struct ibv_context * context, struct mlx5dv_devx_umem_in *in), (context, in), ,
     note_umem_in(&call, in);
     note_umem(&call, context, result))

SEEN(int, mlx5dv_devx_umem_dereg, MLX5DV_DEVX_UMEM_DEREG, (struct mlx5dv_devx_umem * umem), (umem),
     note_umem(&call, NULL, umem), )

/* ---- queues ---- */

/* Sizes of queues are noted before the call, which may change its attributes. */
static void note_qp(struct mr_trace_record *call, enum ibv_qp_type type,
		    const struct ibv_qp_cap *cap, bool has_srq)
{
	call->queue_bytes = mr_trace_qp_bytes(type, cap->max_send_wr, cap->max_recv_wr,
					      cap->max_recv_sge, has_srq);
}

/* Notes a QP, which may have no queues at all. */
static void note_qp_ex(struct mr_trace_record *call, const struct ibv_qp_init_attr_ex *attr)
{
	if (!(attr->comp_mask & IBV_QP_INIT_ATTR_IND_TABLE))
		note_qp(call, attr->qp_type, &attr->cap, attr->srq);
	if (attr->comp_mask & IBV_QP_INIT_ATTR_PD)
		note_pd(call, attr->pd);
}

/* Notes the object that a call returns or frees, and its device. */
static void note_object(struct mr_trace_record *call, const struct ibv_context *context,
			const void *object)
{
	note_context(call, context);
	call->object = (uintptr_t)object;
}

static void note_pd_object(struct mr_trace_record *call, const struct ibv_context *context,
			   const struct ibv_pd *pd)
{
	note_pd(call, pd);
	note_object(call, context, pd);
}

SEEN(struct ibv_cq *, ibv_create_cq, IBV_CREATE_CQ,
     (struct ibv_context * context, int cqe, void *cq_context, struct ibv_comp_channel *channel,
      int vector),
     (context, cqe, cq_context, channel, vector),
     call.queue_bytes = mr_trace_cq_bytes((uint32_t)cqe), note_object(&call, context, result))

SEEN(struct ibv_cq_ex *, mlx5dv_create_cq, MLX5DV_CREATE_CQ,
     (struct ibv_context * context, struct ibv_cq_init_attr_ex *attr,
      struct mlx5dv_cq_init_attr *mlx5_attr),
     (context, attr, mlx5_attr), call.queue_bytes = mr_trace_cq_bytes(attr->cqe),
     note_object(&call, context, result))

SEEN(struct ibv_qp *, ibv_create_qp, IBV_CREATE_QP,
     (struct ibv_pd * pd, struct ibv_qp_init_attr *attr), (pd, attr),
     note_qp(&call, attr->qp_type, &attr->cap, attr->srq), note_pd(&call, pd);
     note_object(&call, pd->context, result))

SEEN(struct ibv_qp *, mlx5dv_create_qp, MLX5DV_CREATE_QP,
     (struct ibv_context * context, struct ibv_qp_init_attr_ex *attr,
      struct mlx5dv_qp_init_attr *mlx5_attr),
     (context, attr, mlx5_attr), note_qp_ex(&call, attr), note_object(&call, context, result))

SEEN(struct ibv_srq *, ibv_create_srq, IBV_CREATE_SRQ,
     (struct ibv_pd * pd, struct ibv_srq_init_attr *attr), (pd, attr),
     call.queue_bytes = mr_trace_srq_bytes(attr->attr.max_wr), note_pd(&call, pd);
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
	_Atomic(const struct ibv_context *) context; /* NULL: free */
	REPLACED(MEMBER)
};

static struct replaced list[CONTEXTS];

/* The program can only call a wrapper by a context whose table has it, so there is an entry. */
static struct replaced *find(const struct ibv_context *context)
{
	size_t i = 0;

	while (i < CONTEXTS - 1 && list[i].context != context)
		i++;
	return &list[i];
}

static void note_advice(struct mr_trace_record *call, const struct ibv_pd *pd, uint32_t advice,
			uint32_t flags, const struct ibv_sge *ranges, uint32_t count)
{
	note_pd(call, pd);
	if (count && ranges) {
		note_range(call, ranges->addr, ranges->length, 0);
		call->lkey = ranges->lkey;
		call->range_count = count;
	}
	call->access = advice;
	call->call_flags = flags;
}

static void note_dm(struct mr_trace_record *call, const struct ibv_context *context,
		    const struct ibv_dm *dm, uint64_t length)
{
	note_object(call, context, dm);
	call->dm = (uintptr_t)dm;
	call->length = length;
}

/* IN_TABLE() - define the wrapper of a function of a context's table */
#define IN_TABLE(type, name, number, context, parameters, arguments, before, after)                \
	static type name parameters SEEN_BY(type, number, FRAME, find(context)->name, arguments,   \
					    before, after)

IN_TABLE(int, advise_mr, IBV_ADVISE_MR, pd->context,
	 (struct ibv_pd * pd, enum ibv_advise_mr_advice advice, uint32_t flags,
	  struct ibv_sge *ranges, uint32_t count),
	 (pd, advice, flags, ranges, count), , note_advice(&call, pd, advice, flags, ranges, count))

IN_TABLE(struct ibv_mr *, alloc_null_mr, IBV_ALLOC_NULL_MR, pd->context, (struct ibv_pd * pd), (pd),
	 , note_pd(&call, pd);
	 note_mr(&call, result))

IN_TABLE(struct ibv_mr *, reg_dm_mr, IBV_REG_DM_MR, pd->context,
	 (struct ibv_pd * pd, struct ibv_dm *dm, uint64_t offset, size_t length,
	  unsigned int access),
	 (pd, dm, offset, length, access), call.dm = (uintptr_t)dm, note_pd(&call, pd);
	 note_mr(&call, result); note_range(&call, offset, length, access))

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
	 call.queue_bytes = mr_trace_cq_bytes(attr->cqe), note_object(&call, context, result))

IN_TABLE(struct ibv_qp *, create_qp_ex, IBV_CREATE_QP_EX, context,
	 (struct ibv_context * context, struct ibv_qp_init_attr_ex *attr), (context, attr),
	 note_qp_ex(&call, attr), note_object(&call, context, result))

IN_TABLE(struct ibv_srq *, create_srq_ex, IBV_CREATE_SRQ_EX, context,
	 (struct ibv_context * context, struct ibv_srq_init_attr_ex *attr), (context, attr),
	 call.queue_bytes = mr_trace_srq_bytes(attr->attr.max_wr),
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
		const struct ibv_context *none = NULL;

		if (atomic_compare_exchange_strong(&list[i].context, &none, context))
			entry = &list[i];
	}
	if (!entry) /* then the inline functions of so many contexts are not seen */
		return;
	REPLACED(REPLACE)
}

/* Frees the entry of a context that is about to be closed. */
static void table_forget(struct ibv_context *context)
{
	struct replaced *entry = find(context);

	if (entry->context == context)
		entry->context = NULL;
}

static void note_opened(struct mr_trace_record *call, const struct ibv_device *device,
			struct ibv_context *context)
{
	if (device)
		note_device(call, device);
	note_object(call, context, context);
	if (context)
		table_replace(context);
}

SEEN(struct ibv_context *, ibv_open_device, IBV_OPEN_DEVICE, (struct ibv_device * device), (device),
     , note_opened(&call, device, result))

SEEN(struct ibv_context *, mlx5dv_open_device, MLX5DV_OPEN_DEVICE,
     (struct ibv_device * device, struct mlx5dv_context_attr *attr), (device, attr), ,
     note_opened(&call, device, result))

SEEN(struct ibv_context *, ibv_import_device, IBV_IMPORT_DEVICE, (int fd), (fd), ,
     note_opened(&call, NULL, result))

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
	if (!thread.outermost)
		return;
	is_kernel_seen = 1;
	thread.kernel_calls++;
	if (failed)
		thread.kernel_errnum = errno;
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
		is_fork_safe = 1;
	put(&record);
	return record.result;
}
