// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* REGION operands: which entry, object or PD each names. */
#include <errno.h>

#include "lib/session/open.h"
#include "lib/session/operand.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/lock.h"
#include "tests/unit/unit.h"

static struct mr_error err;
static struct mr_session session;

static void open_table(void)
{
	static const struct mr_table_device facts = { .name = "dev0" };
	struct mr_entry entry = { .name = "buf0" };
	uint32_t slot;

	session = (struct mr_session){ .uverbs = { .fd = -1 } };
	assert_int_equal(mr_table_create(&facts, &session.table, &err), 0);
	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	assert_int_equal(mr_table_add(&session.table, &entry, &slot, &err), 0);
	entry.handle = 42;
	entry.lkey = 0x1805;
	entry.rkey = 0x1806;
	assert_true(mr_table_commit(&session.table, slot, &entry));
	mr_table_unlock(&session.table);
}

TEST(a_region_is_named_by_id_name_key_or_handle)
{
	static const char *const words[] = { "1",           "buf0",      "lkey:0x1805",
					     "rkey:0x1806", "rkey:6150", "mr:42" };

	open_table();
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct mr_operand operand;

		assert_equal_for(words[i], mr_operand_find(&session, words[i], &operand, &err), 0);
		assert_equal_for(words[i], operand.type, MR_OPERAND_ENTRY);
		assert_equal_for(words[i], operand.id, 1);
	}
	mr_session_close(&session);
}

TEST(a_region_that_does_not_exist_is_named)
{
	static const char *const words[] = { "2",           "0",           "buf",
					     "lkey:0x1806", "rkey:0x1805", "18446744073709551615" };

	open_table();
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct mr_operand operand;

		assert_equal_for(words[i], mr_operand_find(&session, words[i], &operand, &err),
				 -ENOENT);
		assert_equal_for(words[i], err.kind, MR_ERROR_ABSENT);
		assert_contains(err.text, words[i]);
	}
	mr_session_close(&session);
}

TEST(a_handle_that_no_entry_names_is_an_object_of_the_kernel)
{
	struct mr_operand operand;

	open_table();
	assert_int_equal(mr_operand_find(&session, "mr:43", &operand, &err), 0);
	assert_int_equal(operand.type, MR_OPERAND_OBJECT);
	assert_int_equal(operand.kind, MR_KIND_MR);
	assert_int_equal(operand.handle, 43);
	mr_session_close(&session);
}

TEST(a_handle_names_only_a_region_of_the_kind_that_is_asked_for)
{
	struct mr_entry umem = { .call = MR_UMEM_REG, .name = "q" };
	struct mr_operand operand;
	uint32_t slot;

	open_table();
	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	assert_int_equal(mr_table_add(&session.table, &umem, &slot, &err), 0);
	umem.handle = 44;
	assert_true(mr_table_commit(&session.table, slot, &umem));
	mr_table_unlock(&session.table);
	assert_int_equal(mr_operand_find(&session, "umem:44", &operand, &err), 0);
	assert_int_equal(operand.type, MR_OPERAND_ENTRY);
	assert_int_equal(operand.id, umem.id);
	assert_int_equal(mr_operand_find(&session, "q", &operand, &err), 0);
	assert_int_equal(operand.id, umem.id);
	/* only the kernel knows that there is no such object */
	assert_int_equal(mr_operand_find(&session, "mr:44", &operand, &err), 0);
	assert_int_equal(operand.type, MR_OPERAND_OBJECT);
	assert_int_equal(operand.kind, MR_KIND_MR);
	assert_int_equal(mr_operand_find(&session, "umem:42", &operand, &err), 0);
	assert_int_equal(operand.type, MR_OPERAND_OBJECT);
	assert_int_equal(operand.kind, MR_KIND_UMEM);
	assert_int_equal(operand.handle, 42);
	mr_session_close(&session);
}

TEST(a_protection_domain_is_named_by_its_name)
{
	struct mr_operand operand;

	open_table();
	assert_int_equal(mr_operand_find(&session, "pd:one", &operand, &err), 0);
	assert_int_equal(operand.type, MR_OPERAND_PD);
	assert_string_equal(operand.pd, "one");
	mr_session_close(&session);
}

TEST(a_malformed_region_is_a_usage_error)
{
	static const char *const words[] = { "",        "a b",
					     "lkey:",   "lkey:x",
					     "rkey:-1", "mr:",
					     "mr:x",    "pd:",
					     "pd:a b",  "lkey:0x100000000",
					     "qp:1",    "umem:",
					     "umem:x",  "99999999999999999999" };

	open_table();
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		struct mr_operand operand;

		assert_true(mr_operand_find(&session, words[i], &operand, &err) < 0);
		assert_equal_for(words[i], err.kind, MR_ERROR_USAGE);
	}
	mr_session_close(&session);
}
