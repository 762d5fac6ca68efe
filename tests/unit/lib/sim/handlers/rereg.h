/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Raw write commands REREG_MR. */
#ifndef TESTS_UNIT_LIB_SIM_HANDLERS_REREG_H
#define TESTS_UNIT_LIB_SIM_HANDLERS_REREG_H

#include "tests/unit/lib/sim/device.h"

static inline void init_translation(struct ib_uverbs_rereg_mr *in, uint32_t mr, const void *addr,
				    uint64_t length, uint64_t iova)
{
	memset(in, 0, sizeof(*in));
	in->mr_handle = mr;
	in->flags = REREG_TRANS;
	in->start = (uintptr_t)addr;
	in->length = length;
	in->hca_va = iova;
}

static inline int translate(int fd, uint32_t mr, const void *addr, uint64_t length, uint64_t iova,
			    uint32_t *key)
{
	struct ib_uverbs_rereg_mr_resp out = { 0 };
	struct ib_uverbs_rereg_mr in;
	int rc;

	init_translation(&in, mr, addr, length, iova);
	rc = rereg(fd, &in, &out);
	*key = out.lkey;
	return rc ? rc : out.lkey != out.rkey;
}

static inline int set_access(int fd, uint32_t mr, uint32_t access, uint32_t *key)
{
	const struct ib_uverbs_rereg_mr in = {
		.mr_handle = mr,
		.flags = REREG_ACCESS,
		.access_flags = access,
	};
	struct ib_uverbs_rereg_mr_resp out = { 0 };
	int rc = rereg(fd, &in, &out);

	*key = out.lkey;
	return rc;
}

static inline int set_pd(int fd, uint32_t mr, uint32_t pd)
{
	const struct ib_uverbs_rereg_mr in = {
		.mr_handle = mr,
		.flags = REREG_PD,
		.pd_handle = pd,
	};
	struct ib_uverbs_rereg_mr_resp out;

	return rereg(fd, &in, &out);
}

static inline void assert_region(int fd, uint32_t handle, uint32_t key, uint64_t length,
				 uint64_t iova)
{
	struct mr mr;

	assert_int_equal(query(fd, handle, &mr), 0);
	assert_int_equal(mr.lkey, key);
	assert_int_equal(mr.rkey, key);
	assert_int_equal(mr.length, length);
	assert_int_equal(mr.iova, iova);
}

#endif
