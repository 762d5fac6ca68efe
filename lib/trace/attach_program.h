/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The BPF programs that copy calls into the ring. */
#ifndef LIB_TRACE_ATTACH_PROGRAM_H
#define LIB_TRACE_ATTACH_PROGRAM_H

#include <linux/bpf.h>
#include <sys/types.h>

#include "lib/trace/kernel_call.h"

/** Descriptors of the maps. */
struct mr_attach_maps {
	int ring, pending, lost;
};

/** What a program is for. */
struct mr_attach_kind {
	bool at_entry; /**< of the function; else at its return */
	bool is_write; /**< the function is that of write(2); else of ioctl(2) */
};

/** mr_attach_program() - load a program, Return: its descriptor; -1 with errno. */
int mr_attach_program(const struct mr_attach_maps *maps, pid_t pid,
		      const struct mr_attach_kind *kind);

/** mr_attach_bpf() - bpf(2) */
int mr_attach_bpf(enum bpf_cmd command, union bpf_attr *attributes);

#endif
