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
static void build_return(struct program *p, const struct mr_attach_maps *maps, bool is_write,
			 bool has_btf)
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
	STORE(EVENT, AT(tid), THREAD);
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

static void build(struct program *p, const struct mr_attach_maps *maps, pid_t pid,
		  const struct mr_attach_kind *kind, bool has_btf)
{
	MOVE(FUNCTION, R1);
	CALL(get_current_pid_tgid);
	MOVE(THREAD, R0);
	COMPUTE(RSH, R0, 32);
	JUMP_IF(JNE, R0, pid, OUT);
	STORE(FRAME, KEY, THREAD);
	if (kind->at_entry)
		build_entry(p, maps, kind->is_write);
	else
		build_return(p, maps, kind->is_write, has_btf);
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

int mr_attach_program(const struct mr_attach_maps *maps, pid_t pid,
		      const struct mr_attach_kind *kind)
{
	union bpf_attr attributes;
	int fd = -1;

	errno = EOPNOTSUPP;
	for (int has_btf = 1; IS_KNOWN && fd < 0 && has_btf >= 0; has_btf--) {
		struct program program = { .count = 0 };

		build(&program, maps, pid, kind, has_btf);
		memset(&attributes, 0, sizeof(attributes));
		attributes.prog_type = BPF_PROG_TYPE_KPROBE;
		attributes.insns = (uintptr_t)program.list;
		attributes.insn_cnt = (uint32_t)program.count;
		attributes.license = (uintptr_t) "GPL";
		fd = mr_attach_bpf(BPF_PROG_LOAD, &attributes);
	}
	return fd;
}
