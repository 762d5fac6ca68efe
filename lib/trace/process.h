/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A process that is followed. */
#ifndef LIB_TRACE_PROCESS_H
#define LIB_TRACE_PROCESS_H

#include <sys/types.h>

#include "lib/trace/ledger.h"
#include "lib/trace/modules.h"
#include "lib/trace/places.h"
#include "lib/trace/ring.h"

struct mr_traced_process {
	pid_t pid;                        /**< as mrctl sees it; 0: it cannot */
	uint64_t id;                      /**< that no other process has had */
	struct mr_traced_process *parent; /**< which it was forked from; NULL: none is known */
	unsigned int children;            /**< processes that have it as @parent */
	unsigned int heirs;               /**< of itself, its children and theirs: how many run */
	struct mr_traced_process *next;   /**< that has ended later: struct mr_leaks */
	uid_t uid;
	int pidfd;                   /**< readable once it has ended; -1: none */
	char program[MR_TRACE_PATH]; /**< path of its program, as it says itself */
	unsigned int looks;          /**< that were asked for */
	bool is_attached; /**< it ran already, and has no agent: places are not known, and it does not wait */
	struct mr_ring ring;
	struct mr_ledger ledger;
	struct mr_modules modules;
	struct mr_places *places; /**< of @modules as they were read last; NULL: not made */
	bool has_places;          /**< whether it was tried to make them */
	unsigned int place_reads; /**< modules.reads of @places */
};

/** mr_process_place() - the name of the place of a call, looked up once; "?" where memory is short; NULL: not known */
const char *mr_process_place(struct mr_traced_process *process, struct mr_site *site);

/** mr_process_is_header() - whether a place is in an inline function of rdma-core that is a function of its own */
bool mr_process_is_header(struct mr_traced_process *process, struct mr_site *site);

/** mr_process_caller() - the name of a place that led to one which made a call, by its return address */
const char *mr_process_caller(struct mr_traced_process *process, uint64_t addr);

/**
 * mr_process_see() - make sure that the file which has an address is known, while the process is there
 *
 * Libraries are loaded later, too: the files that a process has mapped are read again where a call comes from
 * another one.
 */
void mr_process_see(struct mr_traced_process *process, uint64_t addr);

/** mr_process_stop() - free what only a process that runs needs, and its places: those that were named stay named */
void mr_process_stop(struct mr_traced_process *process);

/**
 * mr_process_unmap() - the process is about to unmap a library: name its places while it is known what is there
 * @addr: in the library
 */
void mr_process_unmap(struct mr_traced_process *process, uint64_t addr);

/** mr_process_frame() - the name of a caller of a place that has made a call, to be freed; NULL: memory is short */
char *mr_process_frame(struct mr_traced_process *process, const struct mr_site *site,
		       uint32_t frame);

void mr_process_release(struct mr_traced_process *process);

#endif
