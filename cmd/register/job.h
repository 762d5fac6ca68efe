/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One run of a registering command: its plan, what it has opened and allocated, its results so far. */
#ifndef CMD_REGISTER_JOB_H
#define CMD_REGISTER_JOB_H

#include "cmd/region/answer.h"
#include "cmd/register/plan.h"
#include "cmd/register/registrar.h"
#include "lib/base/base.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/** A region that the command has registered. */
struct new_region {
	struct mr_region region;
	uint64_t id;
	uint64_t index;           /**< which of --count, from 1 */
	enum mr_tristate at_zero; /**< what mr_in_force_at_zero() returned */
};

/** The answer to the advice about a region. */
struct advice_answer {
	uint64_t elapsed_ns;
	int errnum; /**< 0: the advice was accepted */
	bool known; /**< advice was given about the region */
};

/**
 * Memory that only some runs use.  A batch begins thousands of runs a second: unlike struct register_job this
 * is not cleared before each of them.
 */
struct register_room {
	struct context_room context;
	struct new_region only; /**< the region, if only one is planned */
	char columns[160];
};

/** One run of a registering command. */
struct register_job {
	const struct register_args *args;
	const struct register_plan *plan;
	struct register_room *room;
	struct registrar registrar;
	struct mr_memory memory;
	struct mr_dm dm;
	struct mr_dmah dmah;
	struct mr_dmabuf dmabuf;
	struct mr_backing *backing; /**< keeps memory and dma-buf in a private session, or NULL */
	struct mr_in_force in_force;
	struct new_region *regions;           /**< room for all that are planned */
	uint64_t count;                       /**< regions that are registered so far */
	struct advice_answer *advice_answers; /**< one for each region, or NULL */
	struct mr_umem_blob *blobs;           /**< one for each region, or NULL */
	struct mr_memory prefetched;          /**< mapped for advice about an implicit region */
	struct answer answer;
	bool unnamed;        /**< mr_table_begin_unnamed() was called */
	bool blocks_signals; /**< signals are blocked: mr_interrupted() must be asked between regions */
	bool interrupted; /**< a signal came before all was done */
};

/** register_flags_query() - what mr_in_force_bits() needs to know of a region */
static inline struct mr_in_force_region register_flags_query(const struct register_job *job,
							     const struct new_region *new)
{
	return (struct mr_in_force_region){ .call = job->plan->call,
					    .via = job->registrar.base.via,
					    .access = job->plan->access,
					    .at_zero = new->at_zero };
}

#endif
