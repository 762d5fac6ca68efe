// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which pages are present before the memory is used, and on which NUMA node. */
#include <sys/mman.h>

#include "lib/memory/mapping.h"
#include "tests/unit/lib/memory/mapping.h"
#include "tests/unit/unit.h"

static bool is_resident(const struct mr_memory *memory)
{
	unsigned char pages[64];

	assert_int_equal(mincore(memory->map, memory->map_length, pages), 0);
	for (uint64_t i = 0; i < memory->map_length / PAGE; i++)
		if (!(pages[i] & 1))
			return false;
	return true;
}

TEST(populate_faults_the_pages_in)
{
	static const char *const kinds[] = { "anon", "memfd" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct mr_memory_request r = request(kinds[i], 16 * PAGE);
		struct mr_memory memory = map(&r);

		assert_false(is_resident(&memory));
		mr_memory_unmap(&memory);
		r.populate = true;
		memory = map(&r);
		assert_true(is_resident(&memory));
		mr_memory_unmap(&memory);
	}
}

TEST(populate_reads_memory_that_cannot_be_written)
{
	struct mr_memory_request r = request("readonly", PAGE);
	struct mr_memory memory;

	r.populate = true;
	memory = map(&r);
	mr_memory_unmap(&memory);
}

TEST(a_node_that_does_not_exist_is_refused)
{
	struct mr_memory_request r = request("anon", PAGE);
	struct mr_error err;

	r.node = (struct mr_opt_u64){ 1000, true };
	err = map_fails(&r);
	assert_string_equal(err.call, "mbind");
	assert_int_equal(err.kind, MR_ERROR_HOST);
	assert_contains(err.text, "1000");

	r.node.value = 32768;
	assert_int_equal(map_fails(&r).kind, MR_ERROR_USAGE);
	r.node.value = UINT64_MAX;
	assert_int_equal(map_fails(&r).kind, MR_ERROR_USAGE);
}

TEST(pages_come_from_the_chosen_node)
{
	struct mr_memory_request r = request("anon", PAGE);
	struct mr_memory memory;

	if (access("/sys/devices/system/node/node0", F_OK)) {
		print_message("no NUMA nodes in /sys\n");
		skip();
	}
	r.node = (struct mr_opt_u64){ 0, true };
	memory = map(&r);
	assert_true(can_write(memory.start));
	mr_memory_unmap(&memory);
}
