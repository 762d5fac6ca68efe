// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <asm/ptrace.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/diagnose/proof/proof.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/trace/trace.h"

/* ---- reading what was called ---- */

/* A method of ioctl(2) that registers, changes, frees, or creates a queue. */
struct mr_kernel_method {
	uint16_t object, method;
	enum mr_traced_call call; /* MR_TRACED_CALL_COUNT: a command */
	/* Numbers of attributes, plus 1; 0: there is none */
	uint16_t addr, length, access, iova, fd, pages, flags, handle;
};

/* Attributes of UVERBS_METHOD_REG_MR and of mlx5, from newer headers; as in lib/verbs/uverbs.c */
enum { METHOD_REG_MR = 5 };
enum { REG_MR_IOVA = 3, REG_MR_ADDR, REG_MR_LENGTH, REG_MR_ACCESS, REG_MR_FD, REG_MR_FD_OFFSET };
/* Page sizes that mlx5dv_devx_umem_reg() requests: all from 4 KiB (providers/mlx5/verbs.c) */
#define ALL_PAGES             (~UINT64_C(4095))
#define MLX5_REG_DMABUF_FLAGS (1U << UVERBS_ID_NS_SHIFT)
#define EXTENDED              IB_USER_VERBS_CMD_FLAG_EXTENDED

#define METHOD(object_, method_, call_, ...)                                                       \
	{                                                                                          \
		.object = (object_), .method = (method_), .call = MR_TRACED_##call_, __VA_ARGS__   \
	}
#define OF_DM(name)     UVERBS_ATTR_REG_DM_MR_##name + 1
#define OF_DMABUF(name) UVERBS_ATTR_REG_DMABUF_MR_##name + 1
#define OF_UMEM(name)   MLX5_IB_ATTR_DEVX_UMEM_REG_##name + 1

static const struct mr_kernel_method mr_kernel_methods[] = {
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, CALL_COUNT),
	METHOD(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, IBV_DEALLOC_PD),
	METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, IBV_ALLOC_DM,
	       .length = UVERBS_ATTR_ALLOC_DM_LENGTH + 1),
	METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, IBV_FREE_DM,
	       .handle = UVERBS_ATTR_FREE_DM_HANDLE + 1),
	METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, IBV_CREATE_CQ),
	METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, IBV_CREATE_QP),
	METHOD(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, IBV_CREATE_SRQ),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, IBV_REG_DM_MR, .addr = OF_DM(OFFSET),
	       .length = OF_DM(LENGTH), .access = OF_DM(ACCESS_FLAGS)),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, IBV_DEREG_MR,
	       .handle = UVERBS_ATTR_DESTROY_MR_HANDLE + 1),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, IBV_ADVISE_MR,
	       .access = UVERBS_ATTR_ADVISE_MR_ADVICE + 1,
	       .flags = UVERBS_ATTR_ADVISE_MR_FLAGS + 1),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, IBV_REG_DMABUF_MR,
	       .addr = OF_DMABUF(OFFSET), .length = OF_DMABUF(LENGTH),
	       .access = OF_DMABUF(ACCESS_FLAGS), .iova = OF_DMABUF(IOVA), .fd = OF_DMABUF(FD),
	       .flags = MLX5_REG_DMABUF_FLAGS + 1),
	METHOD(UVERBS_OBJECT_MR, METHOD_REG_MR, IBV_REG_MR_EX, .addr = REG_MR_ADDR + 1,
	       .length = REG_MR_LENGTH + 1, .access = REG_MR_ACCESS + 1, .iova = REG_MR_IOVA + 1,
	       .fd = REG_MR_FD + 1),
	METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, MLX5DV_DEVX_UMEM_REG,
	       .addr = OF_UMEM(ADDR), .length = OF_UMEM(LEN), .access = OF_UMEM(ACCESS),
	       .fd = OF_UMEM(DMABUF_FD), .pages = OF_UMEM(PGSZ_BITMAP)),
	METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, MLX5DV_DEVX_UMEM_DEREG,
	       .handle = MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE + 1),
};

/* @number: of an attribute, plus 1.  Return: its place; MR_KERNEL_ATTRIBUTES where it was not given, or not copied */
static size_t find(const struct mr_kernel_event *event, unsigned int number)
{
	size_t i = 0;

	while (i < MR_KERNEL_ATTRIBUTES &&
	       (i >= event->attributes || event->attribute[i].id + 1U != number))
		i++;
	return i;
}

/* Reads a number, which is in the attribute itself; 0 where there is none.  Return: @flag, or 0 where there is none */
static uint32_t read_number(const struct mr_kernel_event *event, unsigned int number,
			    uint64_t *value, uint32_t flag)
{
	const size_t place = find(event, number);

	*value = 0;
	if (place == MR_KERNEL_ATTRIBUTES)
		return 0;
	*value = event->attribute[place].data;
	if (event->attribute[place].length == sizeof(uint32_t))
		*value &= UINT32_MAX;
	return flag;
}

/* Reads the sizes of a queue; its command has them where it is not made by an ioctl. */
static void read_queue(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	const size_t place = find(event, UVERBS_ATTR_CREATE_QP_CAP + 1);
	struct ib_uverbs_qp_cap cap;
	uint64_t number;

	if (record->call == MR_TRACED_IBV_CREATE_CQ) {
		read_number(event, UVERBS_ATTR_CREATE_CQ_CQE + 1, &number, 0);
		record->queue_bytes = mr_trace_cq_bytes((uint32_t)number);
	} else if (record->call == MR_TRACED_IBV_CREATE_SRQ) {
		read_number(event, UVERBS_ATTR_CREATE_SRQ_MAX_WR + 1, &number, 0);
		record->queue_bytes = mr_trace_srq_bytes((uint32_t)number);
	} else if (place < MR_KERNEL_ATTRIBUTES) {
		memcpy(&cap, event->block[place], sizeof(cap));
		read_number(event, UVERBS_ATTR_CREATE_QP_TYPE + 1, &number, 0);
		record->queue_bytes = mr_trace_qp_bytes(
			(uint32_t)number, cap.max_send_wr, cap.max_recv_wr, cap.max_recv_sge,
			find(event, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE + 1) < MR_KERNEL_ATTRIBUTES);
	}
}

static void read_method(const struct mr_kernel_event *event, const struct mr_kernel_method *method,
			struct mr_trace_record *record)
{
	const size_t advised = find(event, UVERBS_ATTR_ADVISE_MR_SGE_LIST + 1);
	uint64_t access, fd, flags, handle;
	struct ib_uverbs_sge range;
	const bool has_flags = read_number(event, method->flags, &flags, 1);

	record->call = method->call;
	if (!read_number(event, method->addr, &record->addr, 1) &&
	    method->call == MR_TRACED_IBV_REG_MR_EX)
		read_number(event, REG_MR_FD_OFFSET + 1, &record->addr, 0);
	read_number(event, method->length, &record->length, 0);
	read_number(event, method->access, &access, 0);
	read_number(event, method->handle, &handle, 0);
	record->flags |=
		read_number(event, method->iova, &record->iova, MR_TRACE_HAS_IOVA) |
		read_number(event, method->fd, &fd, MR_TRACE_HAS_FD) |
		read_number(event, method->pages, &record->page_sizes, MR_TRACE_HAS_PAGE_SIZES);
	record->access = (uint32_t)access;
	record->fd = (int32_t)fd;
	record->call_flags = (uint32_t)flags;
	record->handle = (uint32_t)handle;
	if (has_flags && record->call == MR_TRACED_IBV_REG_DMABUF_MR)
		record->call = MR_TRACED_MLX5DV_REG_DMABUF_MR;
	if (record->page_sizes == ALL_PAGES)
		record->flags &= ~(uint32_t)MR_TRACE_HAS_PAGE_SIZES;
	if (record->flags & (MR_TRACE_HAS_PAGE_SIZES | MR_TRACE_HAS_FD) &&
	    record->call == MR_TRACED_MLX5DV_DEVX_UMEM_REG)
		record->call = MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX;
	if (record->call == MR_TRACED_IBV_ADVISE_MR && advised < MR_KERNEL_ATTRIBUTES) {
		memcpy(&range, event->block[advised], sizeof(range));
		record->addr = range.addr;
		record->length = range.length;
		record->lkey = range.lkey;
		record->range_count = event->attribute[advised].length / (uint32_t)sizeof(range);
	}
	if (mr_traced_call_row(record->call)->effect == MR_TRACED_CREATES)
		read_queue(event, record);
}

/* Reads a command; the request of an extended one, which has the same number, is another one and is not read. */
static bool read_command(uint64_t command, const void *request, struct mr_trace_record *record)
{
	union {
		struct ib_uverbs_reg_mr reg;
		struct ib_uverbs_rereg_mr rereg;
		struct ib_uverbs_dereg_mr dereg;
		struct ib_uverbs_create_cq cq;
		struct ib_uverbs_create_qp qp;
		struct ib_uverbs_create_srq srq;
		struct ib_uverbs_create_xsrq xsrq;
		uint8_t bytes[MR_KERNEL_BLOCK];
	} in;

	memcpy(&in, request, sizeof(in));
	switch (command) {
	case IB_USER_VERBS_CMD_REG_MR:
		record->call = in.reg.start == in.reg.hca_va ? MR_TRACED_IBV_REG_MR
							     : MR_TRACED_IBV_REG_MR_IOVA;
		record->flags |= in.reg.start == in.reg.hca_va ? 0 : MR_TRACE_HAS_IOVA;
		record->addr = in.reg.start;
		record->length = in.reg.length;
		record->iova = in.reg.hca_va;
		record->access = in.reg.access_flags;
		return true;
	case IB_USER_VERBS_CMD_REREG_MR:
		record->call = MR_TRACED_IBV_REREG_MR;
		record->call_flags = in.rereg.flags;
		record->handle = in.rereg.mr_handle;
		record->addr = in.rereg.start;
		record->length = in.rereg.length;
		record->access = in.rereg.access_flags;
		record->result = IBV_REREG_MR_ERR_CMD; /* of libibverbs, where the kernel refuses */
		return true;
	case IB_USER_VERBS_CMD_DEREG_MR:
		record->call = MR_TRACED_IBV_DEREG_MR;
		record->handle = in.dereg.mr_handle;
		return true;
	case IB_USER_VERBS_CMD_ALLOC_PD:
	case IB_USER_VERBS_CMD_DEALLOC_PD:
		record->call = command == IB_USER_VERBS_CMD_ALLOC_PD ? MR_TRACED_IBV_ALLOC_PD
								     : MR_TRACED_IBV_DEALLOC_PD;
		return true;
	case IB_USER_VERBS_CMD_CREATE_CQ:
	case EXTENDED | IB_USER_VERBS_CMD_CREATE_CQ:
		record->call = MR_TRACED_IBV_CREATE_CQ;
		if (!(command & EXTENDED))
			record->queue_bytes = mr_trace_cq_bytes(in.cq.cqe);
		return true;
	case IB_USER_VERBS_CMD_CREATE_QP:
	case EXTENDED | IB_USER_VERBS_CMD_CREATE_QP:
		record->call = MR_TRACED_IBV_CREATE_QP;
		if (!(command & EXTENDED))
			record->queue_bytes = mr_trace_qp_bytes(in.qp.qp_type, in.qp.max_send_wr,
								in.qp.max_recv_wr,
								in.qp.max_recv_sge, in.qp.is_srq);
		return true;
	case IB_USER_VERBS_CMD_CREATE_SRQ:
	case IB_USER_VERBS_CMD_CREATE_XSRQ:
		record->call = MR_TRACED_IBV_CREATE_SRQ;
		record->queue_bytes = mr_trace_srq_bytes(
			command == IB_USER_VERBS_CMD_CREATE_SRQ ? in.srq.max_wr : in.xsrq.max_wr);
		return true;
	default:
		return false;
	}
}

/* A request of up to 8 bytes is in the attribute itself. */
static bool read_invoked(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	const size_t place = find(event, UVERBS_ATTR_CORE_IN + 1);
	uint8_t request[MR_KERNEL_BLOCK] = { 0 };
	uint64_t command;

	if (place == MR_KERNEL_ATTRIBUTES ||
	    !read_number(event, UVERBS_ATTR_WRITE_CMD + 1, &command, 1))
		return false;
	if (event->attribute[place].length > sizeof(uint64_t))
		memcpy(request, event->block[place], sizeof(request));
	else
		memcpy(request, &event->attribute[place].data, sizeof(uint64_t));
	return read_command(command, request, record);
}

bool mr_kernel_call_read(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	memset(record, 0, sizeof(*record));
	record->begin_ns = event->begin_ns;
	record->elapsed_ns = event->end_ns - event->begin_ns;
	if (event->result < 0 && event->result >= -4095)
		record->errnum = record->kernel_errnum = -(int32_t)event->result;
	record->kernel_calls = 1;
	record->flags = MR_TRACE_KERNEL_SEEN;
	for (size_t i = 0; i < sizeof(mr_kernel_methods) / sizeof(*mr_kernel_methods); i++) {
		const struct mr_kernel_method *method = &mr_kernel_methods[i];

		if (method->object != event->object || method->method != event->method)
			continue;
		if (method->call == MR_TRACED_CALL_COUNT)
			return read_invoked(event, record);
		read_method(event, method, record);
		return true;
	}
	return false;
}

/* ---- programs that copy calls ---- */

/* Offsets in the registers of a function at its entry and return, and in those of the system call (FD) */
#if defined(__x86_64__)
enum {
	ARGUMENT_3 = offsetof(struct pt_regs, rdx),
	RESULT = offsetof(struct pt_regs, rax),
	FD = offsetof(struct pt_regs, rdi),
	IS_KNOWN = 1,
};
#elif defined(__aarch64__)
enum { ARGUMENT_3 = 16, RESULT = 0, FD = 0, IS_KNOWN = 1 };
#else
enum { ARGUMENT_3, RESULT, FD, IS_KNOWN = 0 };
#endif

/* COUNT takes the place of a register that is not needed any more. */
enum { R0, R1, R2, R3, R4, FUNCTION = 6, COUNT = FUNCTION, THREAD, REQUEST, EVENT, FRAME };

/* Places in the frame: a thread, and when its call began and with which address */
enum { KEY = -8, REQUEST_AT = -16, BEGIN_AT = -24 };

/* Places that are jumped to; NEXT + n: the attribute after the n-th */
enum label { NOWHERE, READ, LOST, OUT, NEXT, LABELS = NEXT + MR_KERNEL_ATTRIBUTES };

struct program {
	struct bpf_insn list[512];
	uint8_t targets[512]; /* enum label of a jump */
	size_t count, labels[LABELS];
};

static void add(struct program *p, unsigned int target, struct bpf_insn instruction)
{
	p->targets[p->count] = (uint8_t)target;
	p->list[p->count++] = instruction;
}

#define JUMP_IF(condition, from, number, target)                                                   \
	add(p, target,                                                                             \
	    (struct bpf_insn){ .code = BPF_JMP | BPF_##condition | BPF_K,                          \
			       .dst_reg = (from)&15,                                               \
			       .imm = (int32_t)(number) })
#define JUMP(target)    JUMP_IF(JA, R0, 0, target)
#define LABEL(label)    (p->labels[label] = p->count)
#define ADD(code_, ...) add(p, NOWHERE, (struct bpf_insn){ .code = (code_), __VA_ARGS__ })
#define COMPUTE(operation, to, number)                                                             \
	ADD(BPF_ALU64 | BPF_##operation | BPF_K, .dst_reg = (to)&15, .imm = (int32_t)(number))
#define MOVE(to, from) ADD(BPF_ALU64 | BPF_MOV | BPF_X, .dst_reg = (to)&15, .src_reg = (from)&15)
#define LOAD(size, to, from, offset)                                                               \
	ADD(BPF_LDX | BPF_MEM | BPF_##size, .dst_reg = (to)&15, .src_reg = (from)&15,              \
	    .off = (int16_t)(offset))
#define STORE(to, offset, from)                                                                    \
	ADD(BPF_STX | BPF_MEM | BPF_DW, .dst_reg = (to)&15, .src_reg = (from)&15,                  \
	    .off = (int16_t)(offset))
#define CALL(function) ADD(BPF_JMP | BPF_CALL, .imm = BPF_FUNC_##function)
#define AT(member)     offsetof(struct mr_kernel_event, member)

static void point_to(struct program *p, unsigned int to, unsigned int from, size_t offset)
{
	MOVE(to, from);
	COMPUTE(ADD, to, offset);
}

static void use_map(struct program *p, int map)
{
	ADD(BPF_LD | BPF_DW | BPF_IMM, .dst_reg = R1, .src_reg = BPF_PSEUDO_MAP_FD, .imm = map);
	ADD(0); /* the second half of that instruction */
	point_to(p, R2, FRAME, (size_t)KEY);
}

/* Copies @size bytes of the process, from @offset of the request. */
static void copy(struct program *p, size_t to, size_t size, size_t offset)
{
	point_to(p, R1, EVENT, to);
	COMPUTE(MOV, R2, size);
	point_to(p, R3, REQUEST, offset);
	CALL(probe_read_user);
}

/* Copies the n-th attribute, and what its pointer leads to; COUNT: how many there are. */
static void copy_attribute(struct program *p, unsigned int n)
{
	const size_t place = AT(attribute) + n * sizeof(struct mr_kernel_attribute);

	JUMP_IF(JLE, COUNT, n, READ);
	copy(p, place, sizeof(struct mr_kernel_attribute), place - AT(size));
	LOAD(H, R2, EVENT, place + offsetof(struct mr_kernel_attribute, length));
	JUMP_IF(JLE, R2, sizeof(uint64_t), NEXT + n);
	ADD(BPF_JMP | BPF_JLE | BPF_K, .dst_reg = R2, .imm = MR_KERNEL_BLOCK, .off = 1);
	COMPUTE(MOV, R2, MR_KERNEL_BLOCK);
	point_to(p, R1, EVENT, AT(block) + n * MR_KERNEL_BLOCK);
	LOAD(DW, R3, EVENT, place + offsetof(struct mr_kernel_attribute, data));
	CALL(probe_read_user);
	LABEL(NEXT + n);
}

/* Notes where the request is.  The thread has no other call: one that is there has returned unseen. */
static void build_entry(struct program *p, const struct mr_attach *attach)
{
	LOAD(DW, R1, FUNCTION, ARGUMENT_3);
	STORE(FRAME, REQUEST_AT, R1);
	CALL(ktime_get_ns);
	STORE(FRAME, BEGIN_AT, R0);
	use_map(p, attach->pending);
	CALL(map_delete_elem);
	MOVE(COUNT, R0);
	use_map(p, attach->pending);
	point_to(p, R3, FRAME, (size_t)BEGIN_AT);
	COMPUTE(MOV, R4, BPF_ANY);
	CALL(map_update_elem);
	JUMP_IF(JNE, R0, 0, LOST);
	JUMP_IF(JNE, COUNT, 0, OUT);
}

/* Copies the request, which the process keeps until the call has returned, and the answer. */
static void build_return(struct program *p, const struct mr_attach *attach, bool has_btf)
{
	use_map(p, attach->pending);
	CALL(map_lookup_elem);
	JUMP_IF(JEQ, R0, 0, OUT);
	LOAD(DW, R1, R0, 0);
	STORE(FRAME, BEGIN_AT, R1);
	LOAD(DW, REQUEST, R0, sizeof(uint64_t));
	use_map(p, attach->pending);
	CALL(map_delete_elem);
	use_map(p, attach->ring);
	COMPUTE(MOV, R2, sizeof(struct mr_kernel_event));
	COMPUTE(MOV, R3, 0);
	CALL(ringbuf_reserve);
	JUMP_IF(JEQ, R0, 0, LOST);
	MOVE(EVENT, R0);
	/* The number of the thread as the process sees it; 0 where the kernel does not find it there. */
	COMPUTE(MOV, R1, attach->pid_device);
	ADD(BPF_LD | BPF_DW | BPF_IMM, .dst_reg = R2, .imm = (int32_t)attach->pid_inode);
	ADD(0, .imm = (int32_t)(attach->pid_inode >> 32));
	point_to(p, R3, EVENT, AT(tid));
	COMPUTE(MOV, R4, sizeof(struct bpf_pidns_info));
	CALL(get_ns_current_pid_tgid);
	LOAD(DW, R1, FRAME, BEGIN_AT);
	STORE(EVENT, AT(begin_ns), R1);
	LOAD(DW, R1, FUNCTION, RESULT);
	STORE(EVENT, AT(result), R1);
	CALL(ktime_get_ns);
	STORE(EVENT, AT(end_ns), R0);
	/* The descriptor that the system call was given, which needs BTF of the kernel. */
	COMPUTE(MOV, R0, -1);
	if (has_btf) {
		CALL(get_current_task_btf);
		MOVE(R1, R0);
		CALL(task_pt_regs);
		LOAD(DW, R0, R0, FD);
	}
	STORE(EVENT, AT(fd), R0);
	copy(p, AT(size), AT(attribute) - AT(size), 0);
	LOAD(H, COUNT, EVENT, AT(attributes));
	for (unsigned int n = 0; n < MR_KERNEL_ATTRIBUTES; n++)
		copy_attribute(p, n);
	LABEL(READ);
	MOVE(R1, EVENT);
	COMPUTE(MOV, R2, 0);
	CALL(ringbuf_submit);
	JUMP(OUT);
}

static void build(struct program *p, const struct mr_attach *attach, bool at_entry, bool has_btf)
{
	MOVE(FUNCTION, R1);
	CALL(get_current_pid_tgid);
	MOVE(THREAD, R0);
	COMPUTE(RSH, R0, 32);
	JUMP_IF(JNE, R0, attach->pid, OUT);
	STORE(FRAME, KEY, THREAD);
	if (at_entry)
		build_entry(p, attach);
	else
		build_return(p, attach, has_btf);
	LABEL(LOST);
	COMPUTE(MOV, R1, 0);
	STORE(FRAME, KEY, R1);
	use_map(p, attach->lost);
	CALL(map_lookup_elem);
	JUMP_IF(JEQ, R0, 0, OUT);
	COMPUTE(MOV, R1, 1);
	ADD(BPF_STX | BPF_ATOMIC | BPF_DW, .dst_reg = R0, .src_reg = R1, .imm = BPF_ADD);
	LABEL(OUT);
	COMPUTE(MOV, R0, 0);
	ADD(BPF_JMP | BPF_EXIT);
	for (size_t i = 0; i < p->count; i++)
		if (p->targets[i] != NOWHERE)
			p->list[i].off = (int16_t)(p->labels[p->targets[i]] - i - 1);
}

/* bpf(2) */
static int call_bpf(enum bpf_cmd command, union bpf_attr *attributes)
{
	return (int)syscall(SYS_bpf, command, attributes, sizeof(*attributes));
}

/* Loads a program.  Return: its descriptor; -1 with errno. */
static int load_program(const struct mr_attach *attach, bool at_entry)
{
	union bpf_attr attributes;
	int fd = -1;

	errno = EOPNOTSUPP;
	for (int has_btf = 1; IS_KNOWN && fd < 0 && has_btf >= 0; has_btf--) {
		struct program program = { .count = 0 };

		build(&program, attach, at_entry, has_btf);
		memset(&attributes, 0, sizeof(attributes));
		attributes.prog_type = BPF_PROG_TYPE_KPROBE;
		attributes.insns = (uintptr_t)program.list;
		attributes.insn_cnt = (uint32_t)program.count;
		attributes.license = (uintptr_t) "GPL";
		fd = call_bpf(BPF_PROG_LOAD, &attributes);
	}
	return fd;
}

#define RING      (1U << 22)            /* bytes for events, some 4,500 calls; a power of 2 */
#define LATE_NS   UINT64_C(10000000000) /* after a call; then a look shows nothing about it */
#define PERIOD_NS UINT64_C(1000000000)  /* between looks after the first LOOKS_AT_ONCE */

enum {
	THREADS = 16384,    /* in a call at once */
	EVENTS = 1024,      /* taken before signals are looked at again */
	LOOKS_AT_ONCE = 64, /* at the process; then one each PERIOD_NS */
};

/* ---- putting up ---- */

static int fail(int errnum, const char *call, struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, errnum, call, "calls of a running process cannot be watched");
	if (errnum == EOPNOTSUPP)
		mr_hint(err, "not available on this processor: start the program with mrctl trace");
	else
		mr_hint(err, "requires root (CAP_BPF), and Linux 5.8 with CONFIG_BPF_EVENTS");
	return -errnum;
}

/* Keeps a descriptor for mr_attach_end().  Return: whether it is one */
static bool keep(struct mr_attach *attach, int fd)
{
	if (fd >= 0)
		attach->fds[attach->fd_count++] = fd;
	return fd >= 0;
}

static bool create_map(struct mr_attach *attach, int *map, uint32_t type, uint32_t key,
		       uint32_t value, uint32_t entries)
{
	union bpf_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.map_type = type;
	attributes.key_size = key;
	attributes.value_size = value;
	attributes.max_entries = entries;
	*map = call_bpf(BPF_MAP_CREATE, &attributes);
	return keep(attach, *map);
}

static int create_maps(struct mr_attach *attach, struct mr_error *err)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	void *consumer, *producer;

	if (!create_map(attach, &attach->ring, BPF_MAP_TYPE_RINGBUF, 0, 0, RING) ||
	    !create_map(attach, &attach->pending, BPF_MAP_TYPE_HASH, sizeof(uint64_t),
			2 * sizeof(uint64_t), THREADS) ||
	    !create_map(attach, &attach->lost, BPF_MAP_TYPE_ARRAY, sizeof(uint32_t),
			sizeof(uint64_t), 1))
		return fail(errno, "bpf(BPF_MAP_CREATE)", err);
	consumer = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, attach->ring, 0);
	if (consumer == MAP_FAILED)
		return fail(errno, "mmap", err);
	attach->consumer = consumer;
	producer = mmap(NULL, page + 2 * RING, PROT_READ, MAP_SHARED, attach->ring, (off_t)page);
	if (producer == MAP_FAILED)
		return fail(errno, "mmap", err);
	attach->producer = producer;
	return 0;
}

int mr_attach_begin(struct mr_attach *attach, pid_t pid, struct mr_error *err)
{
	struct stat namespace;
	uint64_t type;
	int rc = mr_kprobe_type(&type, err); /* first: it requires root */

	if (rc)
		return rc;
	if (!mr_trace_stat(pid, "ns/pid", &namespace))
		return mr_fail(err, MR_ERROR_HOST, errno, "stat", "/proc/%d/ns/pid", (int)pid);
	attach->pid = pid;
	/* The kernel's own form of a device number (MKDEV of include/linux/kdev_t.h) */
	attach->pid_device = (uint32_t)(major(namespace.st_dev) << 20 | minor(namespace.st_dev));
	attach->pid_inode = namespace.st_ino;
	rc = create_maps(attach, err);
	/* The return comes first, so that no call is seen to begin and not to end. */
	for (int at_entry = 0; !rc && at_entry < 2; at_entry++) {
		const int program = load_program(attach, at_entry);
		int probe;

		if (!keep(attach, program))
			return fail(errno, "bpf(BPF_PROG_LOAD)", err);
		probe = mr_kprobe_open(type, &(struct mr_kprobe){
						     .function = "ib_uverbs_ioctl",
						     .at_entry = at_entry,
						     .by_program = true,
					     });
		if (!keep(attach, probe))
			return mr_kprobe_fail(errno, err);
		if (ioctl(probe, PERF_EVENT_IOC_SET_BPF, program))
			return fail(errno, "ioctl(PERF_EVENT_IOC_SET_BPF)", err);
	}
	return rc;
}

void mr_attach_end(struct mr_attach *attach)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	if (attach->consumer)
		munmap(attach->consumer, page);
	if (attach->producer)
		munmap(attach->producer, page + 2 * RING);
	while (attach->fd_count)
		close(attach->fds[--attach->fd_count]);
	*attach = (struct mr_attach){ .fd_count = 0 };
}

/* ---- events ---- */

/* Takes the next event of the ring (kernel/bpf/ringbuf.c), which is mapped twice in a row.  Return: whether there is one */
static bool next_event(struct mr_attach *attach, struct mr_kernel_event *event)
{
	const char *data = (const char *)attach->producer + sysconf(_SC_PAGESIZE);
	uint64_t *consumed = attach->consumer;
	bool is_event = false;

	while (!is_event &&
	       *consumed < __atomic_load_n((uint64_t *)attach->producer, __ATOMIC_ACQUIRE)) {
		const uint32_t *header = (const void *)(data + (*consumed & (RING - 1)));
		const uint32_t length = __atomic_load_n(header, __ATOMIC_ACQUIRE);
		const size_t size = length & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);

		if (length & BPF_RINGBUF_BUSY_BIT)
			return false;
		is_event = !(length & BPF_RINGBUF_DISCARD_BIT) && size <= sizeof(*event);
		if (is_event)
			memcpy(event, (const char *)header + BPF_RINGBUF_HDR_SZ, size);
		__atomic_store_n(consumed, *consumed + (BPF_RINGBUF_HDR_SZ + size + 7) / 8 * 8,
				 __ATOMIC_RELEASE);
	}
	return is_event;
}

/* ---- the process ---- */

static void take_events(struct mr_attach *attach, struct mr_follow *follow)
{
	struct mr_traced_process *process = follow->first;
	struct mr_kernel_event event;

	for (size_t i = 0; i < EVENTS && next_event(attach, &event); i++) {
		struct mr_traced_record record;
		struct stat device;
		uint64_t now;
		char name[24];

		if (!mr_kernel_call_read(&event, &record.call))
			continue;
		record.call.tid = event.tid;
		snprintf(name, sizeof(name), "fd/%d", (int)event.fd);
		if (mr_trace_stat(process->pid, name, &device) && S_ISCHR(device.st_mode))
			mr_host_line(mr_this_host(), record.call.device, MR_TRACE_DEVICE,
				     "/sys/dev/char/%u:%u/ibdev", major(device.st_rdev),
				     minor(device.st_rdev));
		/* mrctl looks soon after the call, and rarely if it is refused again and again. */
		now = mr_now_ns();
		if (record.call.errnum && now - event.end_ns <= LATE_NS &&
		    (attach->looks++ < LOOKS_AT_ONCE || now - attach->last_look_ns >= PERIOD_NS)) {
			attach->last_look_ns = now;
			record.call.flags |= MR_TRACE_LOOKED_AT;
		}
		mr_follow_take(follow, process, &record);
	}
	follow->sink.caught_up(follow->sink.data);
}

int mr_attach_run(struct mr_attach *attach, struct mr_follow *follow, struct mr_error *err)
{
	struct pollfd fds[] = { { .fd = attach->ring, .events = POLLIN },
				{ .fd = follow->first->pidfd, .events = POLLIN },
				{ .fd = follow->signals, .events = POLLIN } };
	struct signalfd_siginfo info;
	union bpf_attr attributes;
	const uint32_t key = 0;
	int rc = 0;

	while (!rc && !fds[1].revents && !fds[2].revents) {
		if (poll(fds, sizeof(fds) / sizeof(*fds), -1) < 0 && errno != EINTR)
			rc = mr_fail(err, MR_ERROR_HOST, errno, "poll", NULL);
		take_events(attach, follow);
	}
	/* The signal has done what it was sent for: it must not end mrctl before the summary. */
	if (fds[2].revents && read(follow->signals, &info, sizeof(info)) < 0)
		rc = mr_fail(err, MR_ERROR_HOST, errno, "read", "signalfd");
	memset(&attributes, 0, sizeof(attributes));
	attributes.map_fd = (uint32_t)attach->lost;
	attributes.key = (uintptr_t)&key;
	attributes.value = (uintptr_t)&follow->unseen;
	call_bpf(BPF_MAP_LOOKUP_ELEM, &attributes);
	return rc;
}
