// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The memory behind a region: kinds as users type them, and the mapping of each kind.  Files that are made,
 * kept and removed are in tests/cli/memory.bats.
 */
#include <sys/uio.h>

#include "lib/memory/memory.h"
#include "tests/unit/unit.h"

#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))

static struct mr_error err;

static void *pointer(uint64_t addr)
{
	return (void *)(uintptr_t)addr; // NOLINT(performance-no-int-to-ptr)
}

/* The kernel reads the byte: where nothing is mapped that fails with EFAULT, and raises no signal. */
static bool can_read(uint64_t addr)
{
	char byte;
	const struct iovec here = { &byte, 1 }, there = { pointer(addr), 1 };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == 1;
}

static bool can_write(uint64_t addr)
{
	char byte = 'w';
	const struct iovec here = { &byte, 1 }, there = { pointer(addr), 1 };

	return process_vm_writev(getpid(), &here, 1, &there, 1, 0) == 1;
}

static struct mr_memory_request request(const char *kind, uint64_t length)
{
	struct mr_memory_request r = { .length = length };

	if (mr_memory_kind_parse(kind, &r.kind, &err))
		fail_msg("%s", err.text);
	return r;
}

static struct mr_memory map(const struct mr_memory_request *r)
{
	struct mr_memory memory;

	if (mr_memory_map(r, &memory, &err))
		fail_msg("%s: %s", r->kind.text, err.text);
	return memory;
}

/* Checks that the memory cannot be mapped, and returns the errno. */
static int refusal_of(const struct mr_memory_request *r)
{
	struct mr_memory memory;
	int rc;

	mr_error_clear(&err);
	rc = mr_memory_map(r, &memory, &err);
	assert_true(rc < 0);
	assert_int_equal(rc, -err.errnum);
	assert_null(memory.map);
	return err.errnum;
}

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

/* ---- kinds ---- */

TEST(other_kinds_are_usage_errors)
{
	static const char *const texts[] = {
		"",       ":",       "bogus",       "ANON",      "ano",       "anon:",
		"file",   "file:",   "device:",     "hugetlb:",  "hugetlb:x", "hugetlb:3M",
		"dm:",    "dm:x",    "hugetlb:0",   "hugetlb:1", "none:0",    "null-mr:1",
		"thp:2M", "anon:4K", "hugetlb[:2M", " anon",     "device",    "file-private:",
		"cuda",   "cuda:",   "cuda:x",      "cuda:-1",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct mr_memory_kind kind;

		assert_equal_for(texts[i], mr_memory_kind_parse(texts[i], &kind, &err), -EINVAL);
		assert_equal_for(texts[i], err.kind, MR_ERROR_USAGE);
		assert_contains(err.text, "'");
	}
}

/* ---- mappings ---- */

TEST(each_kind_is_mapped_in_whole_pages_with_its_permissions)
{
	const uint64_t huge = 2 << 20;
	const struct {
		const char *kind;
		uint64_t length, offset, mapped;
		bool populate, write; /* is every byte writable? */
	} cases[] = {
		{ "anon", PAGE + 1, 0, 2 * PAGE, false, true },
		{ "anon", 0, 0, PAGE, false, true }, /* an address nevertheless */
		{ "anon", PAGE, 123, 2 * PAGE, false, true },
		{ "anon", 16 * PAGE, 0, 16 * PAGE, true, true },
		{ "memfd", 2 * PAGE, 0, 2 * PAGE, false, true },
		{ "memfd", 16 * PAGE, 0, 16 * PAGE, true, true },
		{ "readonly", PAGE, 0, PAGE, false, false },
		{ "readonly", PAGE, 0, PAGE, true, false }, /* populated by reading */
		{ "device:/dev/zero", PAGE, 0, PAGE, false, true },
		{ "thp", 2 * huge, 0, 2 * huge, false, true },
	};
	unsigned char resident;
	uint64_t last;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		struct mr_memory_request r = request(c->kind, c->length);
		struct mr_memory memory;

		r.offset = c->offset;
		r.populate = c->populate;
		memory = map(&r);
		last = (uintptr_t)memory.map + c->mapped - 1;
		assert_equal_for(c->kind, memory.map_length, c->mapped);
		assert_equal_for(c->kind, memory.start - (uintptr_t)memory.map, c->offset);
		if (memory.start % huge)
			assert_string_not_equal(c->kind, "thp");
		assert_int_equal(mincore(pointer(last + 1 - PAGE), PAGE, &resident), 0);
		if (c->populate || !strcmp(c->kind, "anon"))
			assert_equal_for(c->kind, resident & 1, c->populate);
		assert_true(can_read(memory.start));
		assert_equal_for(c->kind, can_write(memory.start), c->write);
		assert_equal_for(c->kind, can_write(last), c->write);
		mr_memory_unmap(&memory);
		assert_null(memory.map);
		assert_false(can_read(memory.start));
	}
}

TEST(nothing_is_mapped_at_unmapped_and_at_none)
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
	assert_int_equal(map(&r).start, r.addr.value + 16);
	/* a range may wrap, or be longer than the address space */
	r = request("unmapped", 2 * PAGE);
	r.addr = (struct mr_opt_u64){ UINT64_MAX - PAGE + 1, true };
	assert_int_equal(map(&r).start, UINT64_MAX - PAGE + 1);
	r = request("unmapped", SIZE_MAX);
	memory = map(&r);
	assert_true(memory.start);
	assert_false(can_read(memory.start));

	r = request("none", SIZE_MAX);
	memory = map(&r);
	assert_int_equal(memory.start, 0);
	assert_null(memory.map);
}

TEST(later_mappings_do_not_fill_an_unmapped_range)
{
	const struct mr_memory_request unmapped = request("unmapped", 4 * PAGE);
	const struct mr_memory_request hole = request("hole", 4 * PAGE);
	struct mr_memory memory[] = { map(&unmapped), map(&hole), map(&unmapped), map(&hole) };

	if (under_valgrind())
		skip(); /* it chooses addresses itself */
	for (size_t i = 0; i < 64; i++)
		mmap(NULL, PAGE * (1 + i % 4), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < ARRAY_SIZE(memory); i++) {
		assert_false(can_read(memory[i].start + 3 * PAGE));
		mr_memory_unmap(&memory[i]);
	}
}

TEST(hugetlb_is_huge_pages_of_a_size_that_there_is)
{
	struct mr_memory_request r = request("hugetlb", 1);
	struct mr_memory memory;

	/* tests/cli/memory.bats registers huge pages where some are free */
	if (!mr_memory_map(&r, &memory, &err)) {
		assert_true(memory.page_size > PAGE);
		assert_int_equal(memory.map_length, memory.page_size);
		mr_memory_unmap(&memory);
	} else {
		assert_int_equal(err.errnum, ENOMEM);
		assert_int_equal(err.kind, MR_ERROR_HOST);
	}
	r = request("hugetlb:8M", 1);
	refusal_of(&r);
	r = request("hugetlb:4K", 1); /* the base size is none of huge pages */
	refusal_of(&r);
	assert_null(strstr(err.hint, "--addr")); /* which was not given */
}

TEST(a_node_that_does_not_exist_is_refused)
{
	struct mr_memory_request r = request("anon", PAGE);

	r.node = (struct mr_opt_u64){ 1000, true };
	refusal_of(&r);
	assert_int_equal(err.kind, MR_ERROR_HOST);
	r.node.value = 32768;
	refusal_of(&r);
	assert_int_equal(err.kind, MR_ERROR_USAGE);
}

/* The program of the tests compares the descriptors that are open. */
TEST(huge_lengths_are_refused_and_descriptors_closed_again)
{
	static const char *const kinds[] = { "anon", "thp",        "memfd",
					     "hole", "hugetlb:2M", "readonly" };
	static const char *const files[] = { "memfd", "device:/dev/zero", "device:/dev/null",
					     "file:/proc/self/comm" };

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct mr_memory_request r = request(kinds[i], SIZE_MAX);

		refusal_of(&r);
		assert_equal_for(kinds[i], err.kind, MR_ERROR_HOST);
		assert_non_null(err.call);
		r.offset = SIZE_MAX; /* their sum wraps */
		refusal_of(&r);
	}
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		struct mr_memory_request r = request(files[i], PAGE);
		struct mr_memory memory;

		if (!mr_memory_map(&r, &memory, &err))
			mr_memory_unmap(&memory);
	}
}

TEST(a_private_file_keeps_its_contents)
{
	char path[] = "/tmp/mrctl-unit-XXXXXX", kind[64], c = 0;
	int fd = mkstemp(path);
	struct mr_memory_request r;
	struct mr_memory memory;

	assert_int_equal(write(fd, "hello", 5), 5);
	snprintf(kind, sizeof(kind), "file-private:%s", path);
	r = request(kind, PAGE);
	memory = map(&r);
	assert_string_equal(memory.map, "hello");
	*(char *)memory.map = 'x';
	mr_memory_unmap(&memory);
	assert_int_equal(pread(fd, &c, 1, 0), 1);
	assert_int_equal(c, 'h');
	close(fd);
	unlink(path);
	assert_int_equal(refusal_of(&r), ENOENT);
}
