/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A libibverbs in place of the real one: a test says what it refuses, and sees what is left. */
#ifndef TESTS_UNIT_LIB_DIAGNOSE_TRIAL_LIBRARY_H
#define TESTS_UNIT_LIB_DIAGNOSE_TRIAL_LIBRARY_H

#include <infiniband/verbs.h>

#include "tests/unit/unit.h"

extern struct fake_library {
	/** The errno of a registration, or 0. */
	int (*rule)(uint64_t addr, uint64_t length, uint64_t iova, uint32_t access);
	int dereg_errno, pd_errno; /**< of the other calls, or 0 */
	int calls;                 /**< registrations that were asked for */
	int mrs, pds;              /**< objects that are there */
	struct ibv_mr mr;
	struct ibv_pd pd;
} library;

int library_reset(void **state);

#endif
