// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <asm/ptrace.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/trace/kernel_calls.h"
#include "lib/trace/wire/wire.h"

/* A method of ioctl(2) that registers, changes, frees, or creates a queue. */
struct mr_kernel_method {
	uint16_t object, method;
	enum mr_traced_call
		call; /* of the library that makes it; MR_TRACED_CALL_COUNT: a command */
	/* Numbers of attributes, plus 1; 0: there is none */
	uint16_t addr, length, access, iova, fd, pages, flags, handle;
};

/* Of UVERBS_METHOD_REG_MR and of mlx5, from later versions of the headers; as in lib/verbs/uverbs.c */
enum { METHOD_REG_MR = 5 };
enum { REG_MR_IOVA = 3, REG_MR_ADDR, REG_MR_LENGTH, REG_MR_ACCESS, REG_MR_FD, REG_MR_FD_OFFSET };
/* Page sizes that mlx5dv_devx_umem_reg() asks for: all from 4 KiB (providers/mlx5/verbs.c) */
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

static const struct mr_kernel_method mr_kernel_methods[MR_KERNEL_METHODS] = {
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

static const uint32_t mr_kernel_commands[MR_KERNEL_COMMANDS] = {
	IB_USER_VERBS_CMD_ALLOC_PD,  IB_USER_VERBS_CMD_DEALLOC_PD, IB_USER_VERBS_CMD_REG_MR,
	IB_USER_VERBS_CMD_REREG_MR,  IB_USER_VERBS_CMD_DEREG_MR,   IB_USER_VERBS_CMD_CREATE_CQ,
	IB_USER_VERBS_CMD_CREATE_QP, IB_USER_VERBS_CMD_CREATE_SRQ, IB_USER_VERBS_CMD_CREATE_XSRQ,
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

static void read_advised(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	const size_t place = find(event, UVERBS_ATTR_ADVISE_MR_SGE_LIST + 1);
	struct ib_uverbs_sge range;

	if (place == MR_KERNEL_ATTRIBUTES)
		return;
	memcpy(&range, event->block[place], sizeof(range));
	record->addr = range.addr;
	record->length = range.length;
	record->lkey = range.lkey;
	record->range_count = event->attribute[place].length / (uint32_t)sizeof(range);
}

static void read_queue(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	const size_t place = find(event, UVERBS_ATTR_CREATE_QP_CAP + 1);
	uint64_t number;

	if (record->call == MR_TRACED_IBV_CREATE_CQ) {
		read_number(event, UVERBS_ATTR_CREATE_CQ_CQE + 1, &number, 0);
		record->queue_bytes = mr_trace_cq_bytes((uint32_t)number);
	} else if (record->call == MR_TRACED_IBV_CREATE_SRQ) {
		read_number(event, UVERBS_ATTR_CREATE_SRQ_MAX_WR + 1, &number, 0);
		record->queue_bytes = mr_trace_srq_bytes((uint32_t)number);
	} else if (place < MR_KERNEL_ATTRIBUTES) {
		struct ib_uverbs_qp_cap cap;

		memcpy(&cap, event->block[place], sizeof(cap));
		read_number(event, UVERBS_ATTR_CREATE_QP_TYPE + 1, &number, 0);
		record->queue_bytes = mr_trace_qp_bytes(&(struct mr_trace_qp){
			.type = (uint32_t)number,
			.max_send_wr = cap.max_send_wr,
			.max_recv_wr = cap.max_recv_wr,
			.max_recv_sge = cap.max_recv_sge,
			.has_srq = find(event, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE + 1) <
				   MR_KERNEL_ATTRIBUTES,
		});
	}
}

static void read_method(const struct mr_kernel_event *event, const struct mr_kernel_method *method,
			struct mr_trace_record *record)
{
	uint64_t access, fd, flags, handle;
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
	if (record->call == MR_TRACED_IBV_ADVISE_MR)
		read_advised(event, record);
	if (mr_traced_call_row(record->call)->effect == MR_TRACED_CREATES)
		read_queue(event, record);
}

static void read_reg(const struct ib_uverbs_reg_mr *in, struct mr_trace_record *record)
{
	const bool has_iova = in->start != in->hca_va;

	record->call = has_iova ? MR_TRACED_IBV_REG_MR_IOVA : MR_TRACED_IBV_REG_MR;
	record->flags |= has_iova ? MR_TRACE_HAS_IOVA : 0;
	record->addr = in->start;
	record->length = in->length;
	record->iova = in->hca_va;
	record->access = in->access_flags;
}

static void read_rereg(const struct ib_uverbs_rereg_mr *in, struct mr_trace_record *record)
{
	record->call = MR_TRACED_IBV_REREG_MR;
	record->call_flags = in->flags;
	record->handle = in->mr_handle;
	record->addr = in->start;
	record->length = in->length;
	record->access = in->access_flags;
	record->result = IBV_REREG_MR_ERR_CMD; /* of libibverbs, where the kernel refuses */
}

static void read_qp(const struct ib_uverbs_create_qp *in, struct mr_trace_record *record)
{
	record->queue_bytes = mr_trace_qp_bytes(&(struct mr_trace_qp){
		.type = in->qp_type,
		.max_send_wr = in->max_send_wr,
		.max_recv_wr = in->max_recv_wr,
		.max_recv_sge = in->max_recv_sge,
		.has_srq = in->is_srq,
	});
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
		read_reg(&in.reg, record);
		return true;
	case IB_USER_VERBS_CMD_REREG_MR:
		read_rereg(&in.rereg, record);
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
			read_qp(&in.qp, record);
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
	if (event->is_write)
		return read_command(event->size | ((uint64_t)event->object << 16 & EXTENDED),
				    event->block[0], record);
	for (size_t i = 0; i < MR_KERNEL_METHODS; i++) {
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

/* Offsets in the registers of a function at its entry and return, and in those of the system call (FD) */
#if defined(__x86_64__)
enum {
	ARGUMENT_2 = offsetof(struct pt_regs, rsi),
	ARGUMENT_3 = offsetof(struct pt_regs, rdx),
	RESULT = offsetof(struct pt_regs, rax),
	FD = offsetof(struct pt_regs, rdi),
	IS_KNOWN = 1,
};
#elif defined(__aarch64__)
enum { ARGUMENT_2 = 8, ARGUMENT_3 = 16, RESULT = 0, FD = 0, IS_KNOWN = 1 };
#else
enum { ARGUMENT_2, ARGUMENT_3, RESULT, FD, IS_KNOWN = 0 };
#endif

/* COUNT takes the place of a register that is not needed any more. */
enum { R0, R1, R2, R3, R4, FUNCTION = 6, COUNT = FUNCTION, THREAD, REQUEST, EVENT, FRAME };

/* Places in the frame: a thread, and when its call began and with which address */
enum { KEY = -8, REQUEST_AT = -16, BEGIN_AT = -24 };

/* Places that are jumped to; NEXT + n: the attribute after the n-th */
enum label {
	NOWHERE,
	TAKE,
	ADMITTED,
	READ,
	DISCARD,
	LOST,
	OUT,
	NEXT,
	LABELS = NEXT + MR_KERNEL_ATTRIBUTES
};

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

static void finish(struct program *p, int32_t function)
{
	MOVE(R1, EVENT);
	COMPUTE(MOV, R2, 0);
	ADD(BPF_JMP | BPF_CALL, .imm = function);
	JUMP(OUT);
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

static void copy_ioctl(struct program *p)
{
	copy(p, AT(size), AT(attribute) - AT(size), 0);
	LOAD(H, COUNT, EVENT, AT(attributes));
	for (unsigned int n = 0; n < MR_KERNEL_ATTRIBUTES; n++)
		copy_attribute(p, n);
}

/* Some providers send and receive by such calls, so that what is of no interest is left out. */
static void copy_write(struct program *p)
{
	copy(p, AT(size), sizeof(uint64_t), 0);
	LOAD(H, R1, EVENT, AT(size));
	for (size_t i = 0; i < MR_KERNEL_COMMANDS; i++)
		JUMP_IF(JEQ, R1, mr_kernel_commands[i], ADMITTED);
	finish(p, BPF_FUNC_ringbuf_discard);
	LABEL(ADMITTED);
	copy(p, AT(block), MR_KERNEL_BLOCK, sizeof(uint64_t));
}

/* Stores the number of the thread as the process sees it; 0 where the kernel does not find it there. */
static void store_thread(struct program *p, const struct mr_attach_process *process)
{
	COMPUTE(MOV, R1, process->pid_device);
	ADD(BPF_LD | BPF_DW | BPF_IMM, .dst_reg = R2, .imm = (int32_t)process->pid_inode);
	ADD(0, .imm = (int32_t)(process->pid_inode >> 32));
	point_to(p, R3, EVENT, AT(tid));
	COMPUTE(MOV, R4, sizeof(struct bpf_pidns_info));
	CALL(get_ns_current_pid_tgid);
}

/* Stores the descriptor that the system call was given, which needs BTF of the kernel. */
static void store_fd(struct program *p, bool has_btf)
{
	COMPUTE(MOV, R0, -1);
	if (has_btf) {
		CALL(get_current_task_btf);
		MOVE(R1, R0);
		CALL(task_pt_regs);
		LOAD(DW, R0, R0, FD);
	}
	STORE(EVENT, AT(fd), R0);
}

/* Notes where the request is.  The thread has no other call: one that is there has returned unseen. */
static void build_entry(struct program *p, const struct mr_attach_maps *maps, bool is_write)
{
	LOAD(DW, R1, FUNCTION, is_write ? ARGUMENT_2 : ARGUMENT_3);
	STORE(FRAME, REQUEST_AT, R1);
	CALL(ktime_get_ns);
	STORE(FRAME, BEGIN_AT, R0);
	use_map(p, maps->pending);
	CALL(map_delete_elem);
	MOVE(COUNT, R0);
	use_map(p, maps->pending);
	point_to(p, R3, FRAME, (size_t)BEGIN_AT);
	COMPUTE(MOV, R4, BPF_ANY);
	CALL(map_update_elem);
	JUMP_IF(JNE, R0, 0, LOST);
	JUMP_IF(JNE, COUNT, 0, OUT);
}

/* Copies the request, which the process keeps until the call has returned, and the answer. */
static void build_return(struct program *p, const struct mr_attach_maps *maps,
			 const struct mr_attach_process *process, bool is_write, bool has_btf)
{
	use_map(p, maps->pending);
	CALL(map_lookup_elem);
	JUMP_IF(JEQ, R0, 0, OUT);
	LOAD(DW, R1, R0, 0);
	STORE(FRAME, BEGIN_AT, R1);
	LOAD(DW, REQUEST, R0, sizeof(uint64_t));
	use_map(p, maps->pending);
	CALL(map_delete_elem);
	use_map(p, maps->ring);
	COMPUTE(MOV, R2, sizeof(struct mr_kernel_event));
	COMPUTE(MOV, R3, 0);
	CALL(ringbuf_reserve);
	JUMP_IF(JEQ, R0, 0, LOST);
	MOVE(EVENT, R0);
	store_thread(p, process);
	LOAD(DW, R1, FRAME, BEGIN_AT);
	STORE(EVENT, AT(begin_ns), R1);
	LOAD(DW, R1, FUNCTION, RESULT);
	STORE(EVENT, AT(result), R1);
	COMPUTE(MOV, R1, is_write);
	STORE(EVENT, AT(is_write), R1);
	CALL(ktime_get_ns);
	STORE(EVENT, AT(end_ns), R0);
	store_fd(p, has_btf);
	if (is_write)
		copy_write(p);
	else
		copy_ioctl(p);
	LABEL(READ);
	finish(p, BPF_FUNC_ringbuf_submit);
}

static void build(struct program *p, const struct mr_attach_maps *maps,
		  const struct mr_attach_process *process, const struct mr_attach_kind *kind,
		  bool has_btf)
{
	MOVE(FUNCTION, R1);
	CALL(get_current_pid_tgid);
	MOVE(THREAD, R0);
	COMPUTE(RSH, R0, 32);
	JUMP_IF(JNE, R0, process->pid, OUT);
	STORE(FRAME, KEY, THREAD);
	if (kind->at_entry)
		build_entry(p, maps, kind->is_write);
	else
		build_return(p, maps, process, kind->is_write, has_btf);
	LABEL(LOST);
	COMPUTE(MOV, R1, 0);
	STORE(FRAME, KEY, R1);
	use_map(p, maps->lost);
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

int mr_attach_bpf(enum bpf_cmd command, union bpf_attr *attributes)
{
	return (int)syscall(SYS_bpf, command, attributes, sizeof(*attributes));
}

int mr_attach_program(const struct mr_attach_maps *maps, const struct mr_attach_process *process,
		      const struct mr_attach_kind *kind)
{
	union bpf_attr attributes;
	int fd = -1;

	errno = EOPNOTSUPP;
	for (int has_btf = 1; IS_KNOWN && fd < 0 && has_btf >= 0; has_btf--) {
		struct program program = { .count = 0 };

		build(&program, maps, process, kind, has_btf);
		memset(&attributes, 0, sizeof(attributes));
		attributes.prog_type = BPF_PROG_TYPE_KPROBE;
		attributes.insns = (uintptr_t)program.list;
		attributes.insn_cnt = (uint32_t)program.count;
		attributes.license = (uintptr_t) "GPL";
		fd = mr_attach_bpf(BPF_PROG_LOAD, &attributes);
	}
	return fd;
}
