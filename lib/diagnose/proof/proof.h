/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Proof of who refused a call: the functions of the kernel that returned the error, and what the firmware of an
 * mlx5 device has answered.  It is got from the call itself, which is made once, so it begins before the call.
 */
#ifndef LIB_DIAGNOSE_PROOF_PROOF_H
#define LIB_DIAGNOSE_PROOF_PROOF_H

#include "lib/diagnose/proof/chain.h"
#include "lib/host/host.h"

/** What watches the calls of this thread.  All zero: nothing does. */
struct mr_proof {
	bool is_tried; /**< probes were put up, or could not be */
	struct mr_watch watch;
	char note[1040];      /**< why nothing can be proven, and what to do; empty: it can */
	char pci_address[32]; /**< of the device whose counters are known; empty: none */
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS]; /**< as they were before the call */
};

/** A command that the firmware refused.  Only a status that is known makes it one. */
struct mr_firmware_answer {
	char command[40]; /**< "CREATE_MKEY"; empty: not known */
	struct mr_opt_u64 status, syndrome;
	int errnum; /**< that mlx5_core made of it; 0: not known */
};

/** What was proven about a refusal. */
struct mr_proven {
	uint32_t layers;     /**< bits of the layers that can have refused; 0: nothing is proven */
	enum mr_layer layer; /**< the one that refused, where one can have only */
	struct mr_chain chain;
	bool in_user_space; /**< the RDMA stack of the kernel did not return the errno */
	struct mr_firmware_answer firmware;
	const char *note; /**< why nothing is proven, and what to do; NULL: something is */
};

/** The refusal that something is to be proven about. */
struct mr_proof_question {
	int errnum;           /**< positive */
	const char *device;   /**< "mlx5_0", or empty */
	const char *provider; /**< of the device: "mlx5" */
	bool is_simulated;    /**< the device is: no kernel has answered */
	bool by_library;      /**< an open device was asked by libibverbs, which may have refused */
	bool is_filtered; /**< something may keep system calls from the RDMA stack: seccomp(2) */
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
