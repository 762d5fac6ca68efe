/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The functions of the kernel that a call for registration passes, and what their return values mean. */
#ifndef LIB_DIAGNOSE_PROOF_FUNCTIONS_H
#define LIB_DIAGNOSE_PROOF_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/diagnose/layer.h"

/** What a function returns: only so many bits of the register are defined. */
enum mr_returns {
	MR_RETURNS_INT,
	MR_RETURNS_LONG,    /**< also a pointer: an errno is a value from -4095 to -1 */
	MR_RETURNS_NOTHING, /**< errors are not of interest */
};

/** A function of the kernel. */
struct mr_kernel_function {
	const char *name;
	enum mr_returns returns;
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

/** mr_kernel_function_errno() - the errno that a return value is, positive; 0: it is no error */
int mr_kernel_function_errno(const struct mr_kernel_function *function, uint64_t value);

#endif
