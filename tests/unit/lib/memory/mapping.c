// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The mapping of a region, for each kind of memory. */
#include <errno.h>
#include <inttypes.h>
#include <sys/mman.h>

#include "lib/memory/mapping.h"
#include "tests/unit/lib/memory/mapping.h"
#include "tests/unit/unit.h"

static bool under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

/* An address where @length bytes are unmapped: nothing else maps memory, as there is one thread. */
static uint64_t free_address(size_t length)
{
	void *address = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(address != MAP_FAILED);
	munmap(address, length);
	return (uintptr_t)address;
}

TEST(anon_is_whole_pages_that_can_be_written)
{
	const struct mr_memory_request r = request("anon", PAGE + 1);
	struct mr_memory memory = map(&r);

	assert_int_equal(memory.map_length, 2 * PAGE);
	assert_int_equal(memory.page_size, PAGE);
	assert_int_equal(memory.start, (uintptr_t)memory.map);
	assert_true(can_write(memory.start));
	assert_true(can_write(memory.start + 2 * PAGE - 1));
	mr_memory_unmap(&memory);
	assert_null(memory.map);
	assert_false(can_read(memory.start));
}

TEST(zero_length_has_an_address_nevertheless)
{
	const struct mr_memory_request r = request("anon", 0);
	struct mr_memory memory = map(&r);

	assert_int_equal(memory.map_length, PAGE);
	assert_true(can_read(memory.start));
	mr_memory_unmap(&memory);
}

TEST(an_offset_moves_the_start_and_makes_room)
{
	struct mr_memory_request r = request("anon", PAGE);
	struct mr_memory memory;

	r.offset = 123;
	memory = map(&r);
	assert_int_equal(memory.start, (uintptr_t)memory.map + 123);
	assert_int_equal(memory.map_length, 2 * PAGE);
	assert_true(can_write(memory.start + PAGE - 1));
	mr_memory_unmap(&memory);
}

TEST(a_chosen_address_is_the_mappings)
{
	struct mr_memory_request r = request("anon", PAGE);
	struct mr_memory memory;

	r.addr = (struct mr_opt_u64){ free_address(4 * PAGE), true };
	r.offset = 8;
	memory = map(&r);
	assert_int_equal((uintptr_t)memory.map, r.addr.value);
	assert_int_equal(memory.start, r.addr.value + 8);
	mr_memory_unmap(&memory);
}

TEST(an_occupied_address_fails)
{
	const struct mr_memory_request first = request("anon", PAGE);
	struct mr_memory_request r = first;
	struct mr_memory memory = map(&first);
	struct mr_error err;

	if (under_valgrind()) {
		print_message("valgrind does not know MAP_FIXED_NOREPLACE\n");
		skip();
	}
	strcpy(memory.map, "untouched");
	r.addr = (struct mr_opt_u64){ memory.start, true };
	err = map_fails(&r);
	assert_int_equal(err.errnum, EEXIST);
	assert_int_equal(err.kind, MR_ERROR_HOST);
	assert_string_equal(memory.map, "untouched");
	r.kind = request("unmapped", PAGE).kind;
	assert_int_equal(map_fails(&r).errnum, EEXIST);
	mr_memory_unmap(&memory);
}

TEST(an_address_inside_a_page_fails_with_a_hint)
{
	struct mr_memory_request r = request("anon", PAGE);
	struct mr_error err;

	r.addr = (struct mr_opt_u64){ free_address(PAGE) + 1, true };
	err = map_fails(&r);
	assert_int_equal(err.errnum, EINVAL);
	assert_contains(err.hint, "--offset");
}

TEST(readonly_cannot_be_written)
{
	const struct mr_memory_request r = request("readonly", PAGE);
	struct mr_memory memory = map(&r);

	assert_true(can_read(memory.start));
	assert_false(can_write(memory.start));
	mr_memory_unmap(&memory);
}

TEST(nothing_is_mapped_at_unmapped)
{
	struct mr_memory_request r = request("unmapped", 3 * PAGE);
	struct mr_memory memory = map(&r);

	assert_null(memory.map);
	assert_true(memory.start);
	for (uint64_t i = 0; i < 3; i++)
		assert_false(can_read(memory.start + i * PAGE));
	mr_memory_unmap(&memory);

	r.addr = (struct mr_opt_u64){ free_address(8 * PAGE) + 16, true };
	r.offset = 16;
	memory = map(&r);
	assert_int_equal(memory.start, r.addr.value + 16);
}

TEST(later_mappings_do_not_fill_an_unmapped_range)
{
	static const char *const kinds[] = { "unmapped", "hole", "unmapped", "hole" };
	struct mr_memory memory[4];
	void *other[64];

	if (under_valgrind()) {
		print_message("valgrind chooses addresses itself\n");
		skip();
	}
	for (size_t i = 0; i < 4; i++) {
		const struct mr_memory_request r = request(kinds[i], 4 * PAGE);

		memory[i] = map(&r);
	}
	for (size_t i = 0; i < 64; i++)
		other[i] = mmap(NULL, PAGE * (1 + i % 4), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS,
				-1, 0);
	for (size_t i = 0; i < 4; i++)
		assert_false(can_read(memory[i].start + 3 * PAGE));
	for (size_t i = 0; i < 64; i++)
		munmap(other[i], PAGE * (1 + i % 4));
	for (size_t i = 0; i < 4; i++)
		mr_memory_unmap(&memory[i]);
}

TEST(unmapped_ranges_may_wrap_or_be_longer_than_the_address_space)
{
	struct mr_memory_request r = request("unmapped", 2 * PAGE);
	struct mr_memory memory;

	r.addr = (struct mr_opt_u64){ UINT64_MAX - PAGE + 1, true };
	memory = map(&r);
	assert_int_equal(memory.start, UINT64_MAX - PAGE + 1);

	r = request("unmapped", SIZE_MAX);
	memory = map(&r);
	assert_true(memory.start);
	assert_false(can_read(memory.start));
}

TEST(a_hole_has_its_last_page_unmapped)
{
	const struct mr_memory_request r = request("hole", 3 * PAGE);
	struct mr_memory memory = map(&r);

	assert_int_equal(memory.map_length, 2 * PAGE);
	assert_true(can_write(memory.start + 2 * PAGE - 1));
	assert_false(can_read(memory.start + 2 * PAGE));
	mr_memory_unmap(&memory);
	assert_false(can_read(memory.start));
}

TEST(a_hole_of_one_page_is_unmapped)
{
	const struct mr_memory_request r = request("hole", 1);
	struct mr_memory memory = map(&r);

	assert_false(can_read(memory.start));
	assert_true(memory.start);
	mr_memory_unmap(&memory);
}

TEST(none_is_address_zero)
{
	struct mr_memory_request r = request("none", SIZE_MAX);
	struct mr_memory memory = map(&r);

	assert_int_equal(memory.start, 0);
	assert_null(memory.map);
	mr_memory_unmap(&memory);

	r.offset = 8;
	r.addr = (struct mr_opt_u64){ 4096, true };
	assert_int_equal(map(&r).start, 4104);
}

TEST(thp_is_aligned_to_huge_pages)
{
	const struct mr_memory_request r = request("thp", 4 << 20);
	struct mr_memory memory = map(&r);

	assert_int_equal(memory.start % (2 << 20), 0);
	assert_int_equal(memory.map_length, 4 << 20);
	assert_true(can_write(memory.start + memory.map_length - 1));
	mr_memory_unmap(&memory);
	assert_false(can_read(memory.start));
}

TEST(memfd_is_memory_that_can_be_written)
{
	const struct mr_memory_request r = request("memfd", 2 * PAGE);
	struct mr_memory memory = map(&r);

	assert_int_equal(memory.map_length, 2 * PAGE);
	assert_true(can_write(memory.start + 2 * PAGE - 1));
	mr_memory_unmap(&memory);
}

/* The number of free huge pages of the default size. */
static uint64_t free_huge_pages(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	uint64_t pages = 0;
	char line[128];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "HugePages_Free: %" SCNu64, &pages) == 1)
			break;
	if (f)
		fclose(f);
	return pages;
}

TEST(hugetlb_is_huge_pages_or_says_how_to_get_some)
{
	const struct mr_memory_request r = request("hugetlb", 1);
	struct mr_memory memory;
	struct mr_error err = { 0 };

	if (free_huge_pages()) {
		memory = map(&r);
		assert_true(memory.page_size > PAGE);
		assert_int_equal(memory.map_length, memory.page_size);
		mr_memory_unmap(&memory);
		return;
	}
	err = map_fails(&r);
	assert_int_equal(err.errnum, ENOMEM);
	assert_int_equal(err.kind, MR_ERROR_HOST);
}

TEST(a_size_that_no_huge_page_has_is_refused)
{
	struct mr_memory_request r = request("hugetlb:8M", 1);

	assert_true(map_fails(&r).errnum > 0);
	/* The base size is none of huge pages. */
	r = request("hugetlb:4K", 1);
	assert_true(map_fails(&r).errnum > 0);
}

TEST(the_host_refuses_huge_lengths)
{
	static const char *const kinds[] = { "anon",     "thp",  "memfd",
					     "readonly", "hole", "hugetlb:2M" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct mr_memory_request r = request(kinds[i], SIZE_MAX);
		struct mr_error err = map_fails(&r);

		assert_equal_for(kinds[i], err.kind, MR_ERROR_HOST);
		assert_non_null(err.call);
		r.offset = SIZE_MAX; /* their sum wraps */
		map_fails(&r);
	}
}
