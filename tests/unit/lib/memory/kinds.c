// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Kinds of memory, as users type them. */
#include <errno.h>

#include "lib/memory/kinds.h"
#include "tests/unit/lib/memory/mapping.h"
#include "tests/unit/unit.h"

TEST(kinds_are_read_as_they_are_written)
{
	static const struct {
		const char *text;
		enum mr_memory_type type;
		const char *path;
		uint64_t huge_size;
	} cases[] = {
		{ "anon", MR_MEMORY_ANON, NULL, 0 },
		{ "thp", MR_MEMORY_THP, NULL, 0 },
		{ "memfd", MR_MEMORY_MEMFD, NULL, 0 },
		{ "hugetlb", MR_MEMORY_HUGETLB, NULL, 0 },
		{ "hugetlb:2M", MR_MEMORY_HUGETLB, NULL, 2 << 20 },
		{ "hugetlb:1G", MR_MEMORY_HUGETLB, NULL, 1 << 30 },
		{ "file:/dev/shm/x", MR_MEMORY_FILE, "/dev/shm/x", 0 },
		{ "file:a:b", MR_MEMORY_FILE, "a:b", 0 },
		{ "file-private:x", MR_MEMORY_FILE_PRIVATE, "x", 0 },
		{ "none", MR_MEMORY_NONE, NULL, 0 },
		{ "dm", MR_MEMORY_DM, NULL, 0 },
		{ "null-mr", MR_MEMORY_NULL_MR, NULL, 0 },
		{ "readonly", MR_MEMORY_READONLY, NULL, 0 },
		{ "unmapped", MR_MEMORY_UNMAPPED, NULL, 0 },
		{ "hole", MR_MEMORY_HOLE, NULL, 0 },
		{ "device:/dev/zero", MR_MEMORY_DEVICE, "/dev/zero", 0 },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mr_memory_kind kind = request(cases[i].text, 0).kind;

		assert_equal_for(cases[i].text, kind.type, cases[i].type);
		assert_equal_for(cases[i].text, kind.huge_size, cases[i].huge_size);
		assert_string_equal(kind.text, cases[i].text);
		if (cases[i].path)
			assert_string_equal(kind.path, cases[i].path);
		else
			assert_null(kind.path);
	}
}

TEST(each_kind_has_a_word_and_help)
{
	for (size_t i = 0; i < MR_MEMORY_TYPES; i++) {
		if (!mr_memory_kinds[i].name)
			fail_msg("memory type %zu has no row", i);
		assert_true(mr_memory_kinds[i].help && *mr_memory_kinds[i].help);
	}
	assert_null(mr_memory_kinds[MR_MEMORY_TYPES].name);
}

TEST(memory_on_the_device_may_have_a_size)
{
	struct mr_memory_kind kind;
	struct mr_error err;

	assert_int_equal(mr_memory_kind_parse("dm", &kind, &err), 0);
	assert_false(kind.dm_size.known);
	assert_int_equal(mr_memory_kind_parse("dm:0", &kind, &err), 0);
	assert_true(kind.dm_size.known);
	assert_int_equal(kind.dm_size.value, 0);
	assert_int_equal(mr_memory_kind_parse("dm:64K", &kind, &err), 0);
	assert_int_equal(kind.dm_size.value, 65536);
	assert_string_equal(kind.text, "dm:64K");
}

TEST(other_kinds_are_usage_errors)
{
	static const char *const texts[] = {
		"",           ":",
		"bogus",      "ANON",
		"ano",        "anonx",
		"anon:",      "anon:4K",
		"file",       "file:",
		"device",     "device:",
		"hugetlb:",   "hugetlb:x",
		"hugetlb:3M", "hugetlb:0",
		"hugetlb:1",  "none:0",
		"dm:",        "dm:x",
		"null-mr:1",  "file-private:",
		"thp:2M",     "hugetlb[:2M",
		" anon",      "hugetlb:2M ",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct mr_memory_kind kind;
		struct mr_error err = { 0 };

		assert_equal_for(texts[i], mr_memory_kind_parse(texts[i], &kind, &err), -EINVAL);
		assert_equal_for(texts[i], err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, "'");
	}
}
