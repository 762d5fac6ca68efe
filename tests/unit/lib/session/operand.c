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

TEST(a_region_is_named_by_id_name_key_or_handle_of_its_kind)
{
	static const struct {
		const char *word;
		enum mr_operand_type type;
		uint64_t id;
		enum mr_region_kind kind;
		uint32_t handle;
	} cases[] = {
		{ "1", MR_OPERAND_ENTRY, 1, MR_KIND_MR, 0 },
		{ "buf0", MR_OPERAND_ENTRY, 1, MR_KIND_MR, 0 },
		{ "lkey:0x1805", MR_OPERAND_ENTRY, 1, MR_KIND_MR, 0 },
		{ "rkey:0x1806", MR_OPERAND_ENTRY, 1, MR_KIND_MR, 0 },
		{ "rkey:6150", MR_OPERAND_ENTRY, 1, MR_KIND_MR, 0 },
		{ "mr:42", MR_OPERAND_ENTRY, 1, MR_KIND_MR, 0 },
		{ "umem:44", MR_OPERAND_ENTRY, 2, MR_KIND_UMEM, 0 },
		{ "q", MR_OPERAND_ENTRY, 2, MR_KIND_UMEM, 0 },
		/* only the kernel knows whether there are such objects */
		{ "mr:43", MR_OPERAND_OBJECT, 0, MR_KIND_MR, 43 },
		{ "mr:44", MR_OPERAND_OBJECT, 0, MR_KIND_MR, 44 },
		{ "umem:42", MR_OPERAND_OBJECT, 0, MR_KIND_UMEM, 42 },
	};
	struct mr_operand operand;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		assert_equal_for(c->word, mr_operand_find(&session, c->word, &operand, &err), 0);
		assert_equal_for(c->word, operand.type, c->type);
		if (c->type == MR_OPERAND_ENTRY) {
			assert_equal_for(c->word, operand.id, c->id);
			continue;
		}
		assert_equal_for(c->word, operand.kind, c->kind);
		assert_equal_for(c->word, operand.handle, c->handle);
	}
	assert_int_equal(mr_operand_find(&session, "pd:one", &operand, &err), 0);
	assert_int_equal(operand.type, MR_OPERAND_PD);
	assert_string_equal(operand.pd, "one");
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
