/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The calls that a benchmark measures, as a table: a new one is a row in case.c. */
#ifndef LIB_BENCH_CASE_H
#define LIB_BENCH_CASE_H

#include "lib/base/error.h"
#include "lib/bench/place.h"
#include "lib/bench/point.h"
#include "lib/memory/mapping.h"
#include "lib/session/types.h"

/** What one worker calls with. */
struct mr_bench_work {
	const struct mr_bench_point *point;
	struct mr_bench_place *place;
	struct mr_registrar registrar;
	struct mr_memory memory;
	struct mr_memory other; /**< of cases that change a region's memory */
	struct mr_dmabuf dmabuf;
	struct mr_region_request request;
	struct mr_region region;    /**< live: it is registered now */
	struct mr_session *session; /**< of relaxed regions: the worker's own */
	struct mr_entry entry;      /**< of the relaxed region */
};

/** A step of a case.  Return: 0 or -errno. */
typedef int mr_bench_step(struct mr_bench_work *work, struct mr_error *err);

/** A case. */
struct mr_bench_case {
	const char *name;         /**< "reg" */
	const char *help;         /**< what is measured, for the help */
	enum mr_region_call call; /**< by which its regions are registered */
	bool registers;           /**< the measured call is that one, on memory of the process */
	uint32_t access;          /**< access flags that it needs */
	bool two_memories;        /**< it needs mr_bench_work.other */
	bool private_session;     /**< it needs mr_bench_work.session */
	mr_bench_step *begin;     /**< once, before the first call; or NULL */
	mr_bench_step *before;    /**< before each call; or NULL */
	/** The call.  @ns: set to the time it took, in nanoseconds. */
	int (*measure)(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err);
	mr_bench_step *after; /**< after each call; or NULL */
};

/** All cases; the last one has no name. */
extern const struct mr_bench_case mr_bench_cases[];

/** mr_bench_case_find() - the case of that name, or NULL */
const struct mr_bench_case *mr_bench_case_find(const char *name);

/** mr_bench_access() - the access flags that a point registers with: its own and the case's */
uint32_t mr_bench_access(const struct mr_bench_point *point);

/**
 * mr_bench_work_open() - get memory, and whatever else the case needs before its first call
 * @work: set; mr_bench_work_close() it, after a failure too
 *
 * Return: 0 or -errno.
 */
int mr_bench_work_open(struct mr_bench_work *work, const struct mr_bench_point *point,
		       struct mr_bench_place *place, struct mr_error *err);

/**
 * mr_bench_work_call() - make the call once, with all that goes before and after it
 * @ns: set to the time of the call alone
 */
int mr_bench_work_call(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err);

/** mr_bench_work_close() - deregister what is left, and free the memory */
void mr_bench_work_close(struct mr_bench_work *work);

#endif
