/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Limits of this process that decide on registration, as words: "memlock=64K,nofile=100". */
#ifndef LIB_BASE_LIMITS_H
#define LIB_BASE_LIMITS_H

#include "lib/base/choice.h"
#include "lib/base/number.h"

enum { MR_LIMITS = 4 /**< limits that there are */ };

/** The limits, by name: "memlock", ...; the last one has no name. */
extern const struct mr_word mr_limit_names[MR_LIMITS + 1];

/** Limits that are asked for; UINT64_MAX: unlimited. */
struct mr_limits {
	struct mr_opt_u64 values[MR_LIMITS];
};

/**
 * mr_limits_parse() - add the limits of a list to @limits
 * @text: "memlock=64K,as=unlimited"
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE.
 */
int mr_limits_parse(const char *text, struct mr_limits *limits, struct mr_error *err);

/**
 * mr_limits_set() - limit this process (setrlimit(2))
 *
 * The soft limit is set, which is the one that counts; the hard one only where it is lower.  A limit of locked memory
 * does not count for a process with CAP_IPC_LOCK (drivers/infiniband/core/umem.c ib_umem_get()): it gives up that.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_limits_set(const struct mr_limits *limits, struct mr_error *err);

/** mr_limits_have_memlock() - whether mr_limits_set() has set the limit of locked memory of this process */
bool mr_limits_have_memlock(void);

#endif
