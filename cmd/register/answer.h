/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a registering command tells what it did: its regions, the refusals, and what to beware of. */
#ifndef CMD_REGISTER_ANSWER_H
#define CMD_REGISTER_ANSWER_H

#include "cmd/region/answer.h"
#include "cmd/register/plan.h"
#include "cmd/register/registrar.h"
#include "lib/base/tristate.h"
#include "lib/memory/dmabuf.h"
#include "lib/memory/mapping.h"
#include "lib/verbs/dm.h"
#include "lib/verbs/in_force.h"

/** A region that the command has registered. */
struct new_region {
	struct mr_region region;
	uint64_t id;
	uint64_t index;           /**< which of --count, from 1 */
	enum mr_tristate at_zero; /**< of mr_in_force_at_zero() */
};

/** What became of the advice about a region. */
struct advised {
	uint64_t elapsed_ns;
	int errnum; /**< 0: it was taken */
	bool known; /**< there was one */
};

/** Room for what not each run needs, so that it is not cleared before each. */
struct register_room {
	struct context_room context;
	struct new_region only; /**< where it is to be but one */
	char columns[128];
};

/** One run of a registering command. */
struct register_job {
	const struct register_args *args;
	const struct register_plan *plan;
	struct register_room *room;
	struct registrar registrar;
	struct mr_memory memory;
	struct mr_dm dm;
	struct mr_dmabuf dmabuf;
	struct mr_backing *backing; /**< keeps memory and dma-buf in a private session, or NULL */
	struct mr_in_force in_force;
	struct new_region *regions;
	uint64_t count;              /**< of those */
	struct advised *advised;     /**< one for each of those, or NULL */
	struct mr_umem_blob *blobs;  /**< one for each, or NULL */
	struct mr_memory prefetched; /**< by the advice about a region of the whole address space */
	struct answer answer;
	bool unnamed; /**< mr_table_begin_unnamed() was called */
	bool blocks_signals;
	bool interrupted; /**< a signal came before all were registered */
};

/**
 * register_name() - the name of a region: NULL, or --name, with its number where there are several
 * @buffer: room for it
 */
const char *register_name(const struct register_job *job, uint64_t index, char *buffer,
			  size_t size);

/** register_columns() - those of the table of new regions */
const char *register_columns(struct register_job *job);

/**
 * register_fail() - tell a failure, with what was asked
 * @request: the region's, or NULL where there was none yet
 *
 * Return: as answer_fail().
 */
bool register_fail(struct register_job *job, struct mr_error *err, uint64_t index, uint64_t id,
		   const struct mr_region_request *request);

/** register_refuse() - tell a refusal, with what was asked */
void register_refuse(struct register_job *job, struct mr_error *err, uint64_t index,
		     const struct mr_region_request *request);

/** register_row() - print a region */
void register_row(struct register_job *job, const struct new_region *new);

/** register_interrupt() - note that a signal came before all was done; @index: of which region */
void register_interrupt(struct register_job *job, uint64_t index);

/** register_prints_rows() - whether the regions are printed: not for people who have interrupted */
bool register_prints_rows(const struct register_job *job);

/** register_tell_interrupted() - where the regions are that were registered until a signal came */
void register_tell_interrupted(const struct register_job *job);

/** register_tell_hold() - that the regions are held, until when, and by which process */
void register_tell_hold(const struct register_job *job);

/** register_hint_unprinted() - what became of the regions that could not be printed */
void register_hint_unprinted(const struct register_job *job, struct mr_error *err);

/** register_warn_of_flags() - of flags that have no effect on any of the regions */
void register_warn_of_flags(struct register_job *job);

/** register_warn_of_death() - of regions that do not outlive the process though the session does */
void register_warn_of_death(const struct register_job *job, bool hold);

#endif
