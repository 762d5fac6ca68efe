// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <asm/ptrace.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/trace/attach_program.h"

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

enum { R0, R1, R2, R3, R4, FUNCTION = 6, THREAD, REQUEST, EVENT, FRAME };

enum { KEY = -8, VALUE = -16 /* places in the frame */ };

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
#define STORE_NUMBER(to, offset, number)                                                           \
	ADD(BPF_ST | BPF_MEM | BPF_DW, .dst_reg = (to)&15, .off = (int16_t)(offset),               \
	    .imm = (number))
#define CALL(function) ADD(BPF_JMP | BPF_CALL, .imm = BPF_FUNC_##function)
#define AT(member)     offsetof(struct mr_kernel_event, member)

static void load_map(struct program *p, unsigned int to, int fd)
{
	ADD(BPF_LD | BPF_DW | BPF_IMM, .dst_reg = to & 15, .src_reg = BPF_PSEUDO_MAP_FD, .imm = fd);
	ADD(0); /* the second half of that instruction */
}

static void point_to(struct program *p, unsigned int to, unsigned int from, size_t offset)
{
	MOVE(to, from);
	COMPUTE(ADD, to, offset);
}

static void begin(struct program *p, pid_t pid)
{
	MOVE(FUNCTION, R1);
	CALL(get_current_pid_tgid);
	MOVE(THREAD, R0);
	COMPUTE(RSH, R0, 32);
	JUMP_IF(JNE, R0, pid, OUT);
	STORE(FRAME, KEY, THREAD);
}

static void reserve(struct program *p, int ring, size_t size, enum mr_kernel_event_kind kind)
{
	load_map(p, R1, ring);
	COMPUTE(MOV, R2, size);
	COMPUTE(MOV, R3, 0);
	CALL(ringbuf_reserve);
	JUMP_IF(JEQ, R0, 0, LOST);
	MOVE(EVENT, R0);
	STORE(EVENT, AT(tid), THREAD);
	STORE_NUMBER(EVENT, AT(kind), kind);
	CALL(ktime_get_ns);
	STORE(EVENT, AT(time_ns), R0);
}

/* Copies @size bytes of the process, from @offset of the request. */
static void copy(struct program *p, size_t to, size_t size, size_t offset)
{
	point_to(p, R1, EVENT, to);
	COMPUTE(MOV, R2, size);
	point_to(p, R3, REQUEST, offset);
	CALL(probe_read_user);
}

/* R1: the command */
static void admit_commands(struct program *p, enum label admitted)
{
	for (size_t i = 0; i < MR_KERNEL_COMMANDS; i++)
		JUMP_IF(JEQ, R1, mr_kernel_commands[i], admitted);
	JUMP(DISCARD);
	LABEL(admitted);
}

/* Copies the n-th attribute, and what its pointer leads to; FUNCTION: how many there are. */
static void copy_attribute(struct program *p, unsigned int n)
{
	const size_t place = AT(attribute) + n * sizeof(struct mr_kernel_attribute);

	JUMP_IF(JLE, FUNCTION, n, READ);
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

/* Leaves out what is of no interest: some providers send and receive by such calls. */
static void copy_ioctl(struct program *p)
{
	copy(p, AT(size), AT(attribute) - AT(size), 0);
	LOAD(H, R1, EVENT, AT(method));
	COMPUTE(LSH, R1, 16);
	LOAD(H, R2, EVENT, AT(object));
	ADD(BPF_ALU64 | BPF_OR | BPF_X, .dst_reg = R1, .src_reg = R2);
	for (size_t i = 0; i < MR_KERNEL_METHODS; i++)
		JUMP_IF(JEQ, R1, mr_kernel_methods[i].method << 16 | mr_kernel_methods[i].object,
			TAKE);
	JUMP(DISCARD);
	LABEL(TAKE);
	LOAD(H, FUNCTION, EVENT, AT(attributes));
	copy_attribute(p, 0);
	LOAD(H, R1, EVENT, AT(object));
	JUMP_IF(JNE, R1, 0, ADMITTED);
	/* The first attribute is UVERBS_ATTR_WRITE_CMD (ioctl_write() of libibverbs/cmd_fallback.c). */
	LOAD(DW, R1, EVENT, AT(attribute[0].data));
	admit_commands(p, ADMITTED);
	for (unsigned int n = 1; n < MR_KERNEL_ATTRIBUTES; n++)
		copy_attribute(p, n);
}

static void copy_write(struct program *p)
{
	copy(p, AT(size), sizeof(uint64_t), 0);
	LOAD(H, R1, EVENT, AT(size));
	admit_commands(p, ADMITTED);
	copy(p, AT(block), MR_KERNEL_BLOCK, sizeof(uint64_t));
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
	STORE(EVENT, AT(value), R0);
}

static void finish(struct program *p, int32_t function)
{
	MOVE(R1, EVENT);
	COMPUTE(MOV, R2, 0);
	ADD(BPF_JMP | BPF_CALL, .imm = function);
	JUMP(OUT);
}

static void build_entry(struct program *p, const struct mr_attach *attach, bool has_btf,
			enum mr_kernel_event_kind kind)
{
	LOAD(DW, REQUEST, FUNCTION, kind == MR_KERNEL_IOCTL ? ARGUMENT_3 : ARGUMENT_2);
	reserve(p, attach->ring, sizeof(struct mr_kernel_event), kind);
	store_fd(p, has_btf);
	if (kind == MR_KERNEL_IOCTL)
		copy_ioctl(p);
	else
		copy_write(p);
	LABEL(READ);
	STORE_NUMBER(FRAME, VALUE, 0);
	load_map(p, R1, attach->pending);
	point_to(p, R2, FRAME, (size_t)KEY);
	point_to(p, R3, FRAME, (size_t)VALUE);
	COMPUTE(MOV, R4, BPF_ANY);
	CALL(map_update_elem);
	finish(p, BPF_FUNC_ringbuf_submit);
	LABEL(DISCARD);
	finish(p, BPF_FUNC_ringbuf_discard);
}

static void build_return(struct program *p, const struct mr_attach *attach)
{
	load_map(p, R1, attach->pending);
	point_to(p, R2, FRAME, (size_t)KEY);
	CALL(map_delete_elem);
	JUMP_IF(JNE, R0, 0, OUT);
	reserve(p, attach->ring, AT(size), MR_KERNEL_RETURN);
	LOAD(DW, R1, FUNCTION, RESULT);
	STORE(EVENT, AT(value), R1);
	finish(p, BPF_FUNC_ringbuf_submit);
}

static void build_end(struct program *p, const struct mr_attach *attach)
{
	LABEL(LOST);
	STORE_NUMBER(FRAME, KEY, 0);
	load_map(p, R1, attach->lost);
	point_to(p, R2, FRAME, (size_t)KEY);
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

int mr_attach_program(const struct mr_attach *attach, pid_t pid, enum mr_kernel_event_kind kind)
{
	union bpf_attr attributes;
	int fd = -1;

	errno = EOPNOTSUPP;
	for (int has_btf = 1; IS_KNOWN && fd < 0 && has_btf >= 0; has_btf--) {
		struct program program = { .count = 0 };

		begin(&program, pid);
		if (kind == MR_KERNEL_RETURN)
			build_return(&program, attach);
		else
			build_entry(&program, attach, has_btf, kind);
		build_end(&program, attach);
		memset(&attributes, 0, sizeof(attributes));
		attributes.prog_type = BPF_PROG_TYPE_KPROBE;
		attributes.insns = (uintptr_t)program.list;
		attributes.insn_cnt = (uint32_t)program.count;
		attributes.license = (uintptr_t) "GPL";
		fd = mr_attach_bpf(BPF_PROG_LOAD, &attributes);
	}
	return fd;
}
