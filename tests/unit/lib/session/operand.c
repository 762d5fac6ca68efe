// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* REGION operands: which entry, object or PD each names. */
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "tests/unit/unit.h"

static struct mr_error err;
static struct mr_session session;

static void add(struct mr_entry entry)
{
	const uint32_t handle = entry.handle;
	uint32_t slot;

	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	assert_int_equal(mr_table_add(&session.table, &entry, &slot, &err), 0);
	entry.handle = handle;
	assert_true(mr_table_commit(&session.table, slot, &entry));
	mr_table_unlock(&session.table);
}

/* A session with the MR 1, "buf0", and the umem 2, "q". */
static int set_up(void **state __attribute__((unused)))
{
	static const struct mr_table_device facts = { .name = "dev0" };

	session = (struct mr_session){ .uverbs = { .fd = -1 } };
	assert_int_equal(mr_table_create(&facts, &session.table, &err), 0);
	add((struct mr_entry){ .name = "buf0", .handle = 42, .lkey = 0x1805, .rkey = 0x1806 });
	add((struct mr_entry){ .name = "q", .handle = 44, .call = MR_UMEM_REG });
	return 0;
}

static int tear_down(void **state __attribute__((unused)))
{
	const bool locked = session.table.locked;

	mr_session_close(&session);
	return locked;
}

TEST(what_names_no_region_is_named_in_the_error)
{
	static const char *const absent[] = {
		"3", "0", "buf", "lkey:0x1806", "rkey:0x1805", "18446744073709551615",
	};
	static const char *const malformed[] = {
		"", "a b", "lkey:", "lkey:x", "rkey:-1", "mr:", "mr:x", "pd:", "qp:1", "pd:a b",
		"lkey:0x100000000", "umem:", "umem:x", "99999999999999999999",
	};
	struct mr_operand operand;

	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_failure(mr_operand_find(&session, absent[i], &operand, &err), -ENOENT, err,
			       MR_ERROR_ABSENT, absent[i]);
	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		assert_true(mr_operand_find(&session, malformed[i], &operand, &err) < 0);
		assert_equal_for(malformed[i], err.kind, MR_ERROR_USAGE);
	}
}

EACH_TEST(set_up, tear_down)
