/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The search for the cause of one refusal.  What several causes want to know is found out once. */
#ifndef LIB_DIAGNOSE_CAUSES_INQUIRY_H
#define LIB_DIAGNOSE_CAUSES_INQUIRY_H

#include <stdbool.h>

#include "lib/diagnose/causes/obstacle.h"
#include "lib/diagnose/causes/place.h"
#include "lib/diagnose/causes/refusal.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"
#include "lib/host/reading.h"
#include "lib/verbs/device.h"

/** A fact that is looked up when it is asked for first. */
enum mr_fact { MR_FACT_NOT_READ, MR_FACT_KNOWN, MR_FACT_UNKNOWN };

struct mr_inquiry {
	const struct mr_refusal *refusal;
	enum mr_operation operation;
	struct mr_host *host;

	enum mr_fact has_status, has_memlock, has_attributes, has_kernel, has_place, has_obstacle;
	enum mr_fact has_dmabuf, has_log_line;
	struct mr_process_status status;
	struct mr_memlock memlock;
	struct mr_attributes attributes;
	struct mr_kernel_version kernel;
	bool is_vendors; /**< the vendor of that kernel may have added what newer releases brought */
	enum mr_tristate has_ofed; /**< whether its RDMA modules are those of OFED */
	struct mr_place place;
	struct mr_dmabuf_file dmabuf;
	struct mr_mlx5_log_line log_line;
	struct mr_obstacle obstacle; /**< mr_obstacle_find() */
};

/* Each of these returns NULL where the fact is not known. */

/** mr_inquiry_status() - this process */
const struct mr_process_status *mr_inquiry_status(struct mr_inquiry *inquiry);

/** mr_inquiry_memlock() - RLIMIT_MEMLOCK of this process */
const struct mr_memlock *mr_inquiry_memlock(struct mr_inquiry *inquiry);

/** mr_inquiry_attributes() - what the call's device reports of itself */
const struct mr_attributes *mr_inquiry_attributes(struct mr_inquiry *inquiry);

/** mr_inquiry_kernel() - the kernel that answered: of the simulated HCA the one that it simulates */
const struct mr_kernel_version *mr_inquiry_kernel(struct mr_inquiry *inquiry);

/** mr_inquiry_place() - where the call's device is, or the one that was looked for; never NULL */
const struct mr_place *mr_inquiry_place(struct mr_inquiry *inquiry);

/**
 * mr_inquiry_kernel_since() - whether that kernel does what Linux does from @major.@minor on
 *
 * Return: MR_UNKNOWN, too, where the release does not tell: of an older one to which its vendor may have added, and
 * of any where the RDMA modules are those of OFED, which are of a release of their own.
 */
enum mr_tristate mr_inquiry_kernel_since(struct mr_inquiry *inquiry, unsigned int major,
					 unsigned int minor);

/** mr_inquiry_has_ofed() - whether the RDMA modules are those of OFED, not of the kernel */
enum mr_tristate mr_inquiry_has_ofed(struct mr_inquiry *inquiry);

/** mr_inquiry_is_driver() - whether the call's device is of the provider @name: "mlx5", "rxe" */
bool mr_inquiry_is_driver(const struct mr_inquiry *inquiry, const char *name);

/** mr_inquiry_access() - the access flags that were asked for; 0 where the call has none */
uint32_t mr_inquiry_access(const struct mr_inquiry *inquiry);

/** mr_inquiry_dmabuf() - the descriptor that was given as that of a dma-buf; NULL, too, where none was */
const struct mr_dmabuf_file *mr_inquiry_dmabuf(struct mr_inquiry *inquiry);

/** mr_inquiry_mlx5_log() - what the kernel's log says of the last command that mlx5_core has sent for this thread */
const struct mr_mlx5_log_line *mr_inquiry_mlx5_log(struct mr_inquiry *inquiry);

/** A range of addresses of this process. */
struct mr_range {
	uint64_t addr, length;
};

/** mr_inquiry_range() - the memory that the call was given; false: it was given none */
bool mr_inquiry_range(const struct mr_inquiry *inquiry, struct mr_range *range);

/** mr_inquiry_proof() - what watching the kernel has proven; NULL: nothing */
const struct mr_proven *mr_inquiry_proof(const struct mr_inquiry *inquiry);

#endif
