/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What the tries of a refused call are made with: the request, and a context that is this process's alone.  So
 * the kernel takes back whatever a try has made, also where the process is killed.
 */
#ifndef LIB_DIAGNOSE_TRIAL_BENCH_H
#define LIB_DIAGNOSE_TRIAL_BENCH_H

#include "lib/diagnose/causes/refusal.h"
#include "lib/diagnose/causes/tries.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

struct mr_bench {
	const struct mr_refusal *refusal;
	enum mr_operation operation;
	enum mr_try_change first;         /**< how the call itself is repeated */
	struct mr_region_request request; /**< of the call itself */
	struct mr_registrar base;         /**< of the call itself */
	/* The context of @base, on either path: */
	struct ibv_context *context;
	struct ibv_pd *pd; /**< or NULL: a umem needs none */
	struct mr_uverbs uverbs;
	/* Opened for the tries, or all zeros: */
	struct mr_device own;
	struct mr_dm dm;
	struct mr_environment environment;

	uint64_t page;            /**< bytes of one */
	uint64_t available;       /**< bytes that a try may take */
	const char *available_by; /**< as of struct mr_available */
	uint64_t until_ns;        /**< the tries end then, as mr_now_ns() counts */
};

/** mr_bench_has_request() - whether a refused call has anything that a try could change */
bool mr_bench_has_request(const struct mr_refusal *refusal);

/**
 * mr_bench_open() - prepare tries of a refused call that registers, or changes a region
 * @ns:   time that they may take
 * @note: set to why nothing can be tried, @size bytes
 *
 * A context is opened unless that of the call is this process's alone.
 *
 * Return: whether there is something to try.  mr_bench_close() it in either case.
 */
bool mr_bench_open(struct mr_bench *bench, const struct mr_refusal *refusal, uint64_t ns,
		   char *note, size_t size);

/** mr_bench_close() - close what was opened */
void mr_bench_close(struct mr_bench *bench);

#endif
