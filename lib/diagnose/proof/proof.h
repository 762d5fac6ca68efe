/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares proofs: which function of the kernel refused a call. */
#ifndef LIB_DIAGNOSE_PROOF_PROOF_H
#define LIB_DIAGNOSE_PROOF_PROOF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/host.h"
#include "lib/verbs/verbs.h"

/** A function of the kernel. */
struct mr_kernel_function {
	const char *name;
	bool is_long; /**< returns a long or a pointer; else an int, of which only 32 bits are defined */
	bool is_entry;        /**< here a system call comes in */
	bool translates;      /**< returns another errno than a function that it has called */
	const char *provider; /**< of a driver: "mlx5"; NULL: all drivers use it */
	enum mr_layer layer;  /**< who refuses where no function below has failed */
	uint32_t also;        /**< bits of other layers that it may have asked */
	bool checks; /**< of ib_umem: ENOMEM and EPERM are of @layer, the rest are rules of ib_core */
};

enum { MR_KERNEL_FUNCTIONS_MAX = 128 };

/** From the outermost to the innermost; it ends with a row that has no name. */
extern const struct mr_kernel_function mr_kernel_functions[];

/*
 * Watching what functions of the kernel return to this thread.
 *
 * Each function has a return probe of perf_event_open(2) (the PMU "kprobe").  Such a probe belongs to its
 * descriptor: it sees this thread only, has no name that others could see or meet, and is gone with the process,
 * however that ends.  So nothing of tracefs, which all users share, is touched.
 */

/** A function that has returned. */
struct mr_return {
	unsigned int function; /**< index in mr_kernel_functions */
	uint64_t value;        /**< the register of return values */
	uint64_t stack; /**< the stack pointer of the caller: of callers further out it is higher */
};

/** A probe of one function. */
struct mr_kprobe {
	const char *function;
	bool at_entry; /**< of its entry; else of its return */
	/** A BPF program takes what it sees, of all processes on all processors; else it records calls of this thread. */
	bool by_program;
};

/**
 * mr_kprobe_type() - find the PMU of probes, and see whether they work
 * @type: set, for mr_kprobe_open()
 *
 * Return: 0, or -errno with MR_ERROR_HOST and a hint: only root may, the kernel has no such probes or does not
 * allow them, or they do not record.
 */
int mr_kprobe_type(uint64_t *type, struct mr_error *err);

/** mr_kprobe_open() - put up a probe.  Return: its descriptor; -1 with errno, ENOENT: there is no such function. */
int mr_kprobe_open(uint64_t type, const struct mr_kprobe *probe);

/** mr_kprobe_fail() - explain why no probe at all could be put up.  Return: -@errnum. */
int mr_kprobe_fail(int errnum, struct mr_error *err);

/** Which function of the kernel has refused: the deepest one that returned the error that came out. */
enum { MR_CHAIN_MAX = 16 /**< functions of a chain that are kept */ };

/** A function that has returned an error. */
struct mr_chain_link {
	const struct mr_kernel_function *function;
	int errnum; /**< positive */
};

/** Functions that have passed on an error. */
struct mr_chain {
	struct mr_chain_link links[MR_CHAIN_MAX]; /**< from the outermost to the one that refused */
	size_t count;                             /**< 0: no system call has returned the errno */
};

/**
 * mr_chain_find() - find the functions that have passed on an error
 * @returns: what has returned, the newest first
 * @errnum:  that the system call has returned, positive
 *
 * The functions that a function has called are those that returned before it, deeper in the stack.
 */
void mr_chain_find(const struct mr_return *returns, size_t count, int errnum,
		   struct mr_chain *chain);

/** State of the watch on the calls of this thread.  All zero: there is none. */
struct mr_proof {
	bool is_tried; /**< probes were put up, or could not be */
	int probes
		[MR_KERNEL_FUNCTIONS_MAX]; /**< descriptors; -1: the kernel has no such function */
	uint64_t ids[MR_KERNEL_FUNCTIONS_MAX];
	void *buffer;    /**< shared with the kernel; NULL: no probe stands */
	uint64_t mark;   /**< where the records of the current call begin */
	char note[1040]; /**< why nothing can be proven, and the remedy; empty: proof is possible */
	char pci_address[32]; /**< of the device whose counters are known; empty: none */
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS]; /**< as they were before the call */
};

/** A command that the firmware refused.  Only a status that is known makes it one. */
struct mr_firmware_answer {
	char command[40]; /**< "CREATE_MKEY"; empty: not known */
	struct mr_opt_u64 status, syndrome;
	int errnum; /**< that mlx5_core made of it; 0: not known */
};

/**
 * mr_firmware_answer_take() - take a line of the kernel's log for the answer
 * Return: false where the line is too old, or of another errno.
 */
bool mr_firmware_answer_take(struct mr_firmware_answer *answer, const struct mr_mlx5_log_line *line,
			     int errnum);

/** The proof about a refusal. */
struct mr_proven {
	uint32_t layers;     /**< bits of the layers that can have refused; 0: nothing is proven */
	enum mr_layer layer; /**< the one that refused, where one can have only */
	struct mr_chain chain;
	bool in_user_space; /**< the RDMA stack of the kernel did not return the errno */
	struct mr_firmware_answer firmware;
	const char *note; /**< why nothing is proven, and the remedy; NULL: proven */
};

/** The refusal that something is to be proven about. */
struct mr_proof_question {
	int errnum; /**< positive */
	const struct mr_environment
		*environment; /**< of the device; simulated: no kernel has answered */
	bool by_library;      /**< an open device was asked by libibverbs, which may have refused */
	bool is_filtered;     /**< a filter may keep system calls from the RDMA stack: seccomp(2) */
};

/**
 * mr_proof_mark() - a call comes next: forget the calls before it
 * @device: that it is made on, or NULL
 *
 * The first time puts up the probes, which takes a while: some ms for each of a hundred functions.
 */
void mr_proof_mark(struct mr_proof *proof, const char *device);

/** mr_proof_end() - remove the probes; the next mr_proof_mark() puts them up again */
void mr_proof_end(struct mr_proof *proof);

/** mr_proof_read() - what is proven about the refusal of the call since mr_proof_mark() */
void mr_proof_read(struct mr_proof *proof, const struct mr_proof_question *question,
		   struct mr_proven *proven);

/** mr_proven_function() - the function that refused, or NULL */
static inline const char *mr_proven_function(const struct mr_proven *proven)
{
	return proven->chain.count ? proven->chain.links[proven->chain.count - 1].function->name
				   : NULL;
}

#endif
