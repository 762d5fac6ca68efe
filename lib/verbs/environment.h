/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The environment of an answer: what one must know to understand a refusal, or to reproduce it. */
#ifndef LIB_VERBS_ENVIRONMENT_H
#define LIB_VERBS_ENVIRONMENT_H

#include <stdbool.h>

#include "lib/base/base.h"

/** Versions, device and limits.  A string that is not known is empty. */
struct mr_environment {
	char mrctl[32];     /**< version of mrctl */
	char kernel[65];    /**< release of the running kernel */
	char rdma_core[32]; /**< version of the loaded libibverbs, from its file name */
	char device[64];    /**< "mlx5_0" */
	/** User-space driver: "mlx5".  While a device is not open, libibverbs tells of this one only. */
	char provider[32];
	char firmware[64];         /**< version, as /sys has it */
	bool simulated;            /**< the device is the simulated HCA */
	char simulated_kernel[16]; /**< kernel whose answers a simulated device gives */
	/** RLIMIT_MEMLOCK in bytes; not known: unlimited. */
	struct mr_opt_u64 memlock_soft;
	struct mr_opt_u64 memlock_hard;
	struct mr_opt_u64 uid;
	struct mr_opt_u64 euid;
	/** Path of an mlx5 device's Data Direct device in /sys, set only by a command that uses it. */
	char data_direct[256];
};

/** mr_environment_init() - set what is known without a device; the members about a device are empty */
void mr_environment_init(struct mr_environment *environment);

/** mr_environment_find() - set firmware and simulated kernel of the device that @environment names */
void mr_environment_find(struct mr_environment *environment);

/**
 * mr_rdma_core_version() - the version of rdma-core by the file of its libibverbs
 * @path: without symbolic links.  Its name is SONAME.ABI.PABI.VERSION, such as libibverbs.so.1.14.44.0: the version
 *        of the package comes after the second number.
 *
 * Return: false where the name has none.
 */
bool mr_rdma_core_version(const char *path, char *version, size_t size);

#endif
