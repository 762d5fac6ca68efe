// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memory behind a region: kinds as typed, and what is mapped for them. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>

#include "lib/memory/mapping.h"
#include "tests/unit/unit.h"

#define PAGE ((uint64_t)sysconf(_SC_PAGESIZE))

static void *pointer(uint64_t addr)
{
	return (void *)(uintptr_t)addr; // NOLINT(performance-no-int-to-ptr)
}

/* The kernel is asked: where nothing is mapped it says EFAULT, and no signal comes. */
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

static bool under_valgrind(void)
{
	const char *preload = getenv("LD_PRELOAD");

	return preload && strstr(preload, "vgpreload");
}

static struct mr_memory_request request(const char *kind, uint64_t length)
{
	struct mr_memory_request r = { .length = length };
	struct mr_error err = { 0 };

	if (mr_memory_kind_parse(kind, &r.kind, &err))
		fail_msg("%s", err.text);
	return r;
}

static struct mr_memory map(const struct mr_memory_request *r)
{
	struct mr_memory memory;
	struct mr_error err = { 0 };

	if (mr_memory_map(r, &memory, &err))
		fail_msg("%s: %s", r->kind.text, err.text);
	return memory;
}

static struct mr_error map_fails(const struct mr_memory_request *r)
{
	struct mr_memory memory;
	struct mr_error err = { 0 };
	int rc = mr_memory_map(r, &memory, &err);

	assert_true(rc < 0);
	assert_int_equal(rc, -err.errnum);
	assert_null(memory.map);
	return err;
}

/* An address with @length bytes of nothing, as far as a single thread can tell. */
static uint64_t free_place(size_t length)
{
	void *place = mmap(NULL, length, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(place != MAP_FAILED);
	munmap(place, length);
	return (uintptr_t)place;
}

struct scratch {
	char folder[64], path[96], kind[128];
};

/* "file:" or "file-private:" and a path in a folder of its own */
static struct scratch scratch_new(const char *kind)
{
	struct scratch s = { .folder = "/tmp/mrctl-unit-XXXXXX" };

	assert_non_null(mkdtemp(s.folder));
	snprintf(s.path, sizeof(s.path), "%s/file", s.folder);
	snprintf(s.kind, sizeof(s.kind), "%s%s", kind, s.path);
	return s;
}

static void scratch_remove(const struct scratch *s)
{
	unlink(s->path);
	assert_int_equal(rmdir(s->folder), 0);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

static char first_byte(const char *path)
{
	int fd = open(path, O_RDONLY);
	char c = 0;

	assert_true(fd >= 0);
	assert_int_equal(read(fd, &c, 1), 1);
	close(fd);
	return c;
}

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
	for (size_t i = 0; mr_memory_kinds[i].name; i++)
		assert_true(mr_memory_kinds[i].help && *mr_memory_kinds[i].help);
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

	r.addr = (struct mr_opt_u64){ free_place(4 * PAGE), true };
	r.offset = 8;
	memory = map(&r);
	assert_int_equal((uintptr_t)memory.map, r.addr.value);
	assert_int_equal(memory.start, r.addr.value + 8);
	mr_memory_unmap(&memory);
}

TEST(an_occupied_address_fails_with_a_hint)
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
	assert_contains(err.hint, "--addr");
	assert_string_equal(memory.map, "untouched");
	r.kind = request("unmapped", PAGE).kind;
	assert_int_equal(map_fails(&r).errnum, EEXIST);
	mr_memory_unmap(&memory);
}

TEST(an_address_inside_a_page_fails_with_a_hint)
{
	struct mr_memory_request r = request("anon", PAGE);
	struct mr_error err;

	r.addr = (struct mr_opt_u64){ free_place(PAGE) + 1, true };
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

TEST(unmapped_has_nothing_there)
{
	struct mr_memory_request r = request("unmapped", 3 * PAGE);
	struct mr_memory memory = map(&r);

	assert_null(memory.map);
	assert_true(memory.start);
	for (uint64_t i = 0; i < 3; i++)
		assert_false(can_read(memory.start + i * PAGE));
	mr_memory_unmap(&memory);

	r.addr = (struct mr_opt_u64){ free_place(8 * PAGE) + 16, true };
	r.offset = 16;
	memory = map(&r);
	assert_int_equal(memory.start, r.addr.value + 16);
}

TEST(nothing_comes_to_be_where_nothing_is)
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

TEST(a_hole_is_a_last_page_that_is_missing)
{
	const struct mr_memory_request r = request("hole", 3 * PAGE);
	struct mr_memory memory = map(&r);

	assert_int_equal(memory.map_length, 2 * PAGE);
	assert_true(can_write(memory.start + 2 * PAGE - 1));
	assert_false(can_read(memory.start + 2 * PAGE));
	mr_memory_unmap(&memory);
	assert_false(can_read(memory.start));
}

TEST(a_hole_of_one_page_is_nothing)
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

/* Free huge pages of the default size. */
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
	assert_contains(err.hint, "nr_hugepages");
}

TEST(a_size_that_no_huge_page_has_is_refused)
{
	struct mr_memory_request r = request("hugetlb:8M", 1);

	assert_true(map_fails(&r).errnum > 0);
	/* The kernel reads a size of 0 or 1 bytes as "the default". */
	r = request("hugetlb:4K", 1);
	assert_true(map_fails(&r).errnum > 0);
}

TEST(a_missing_file_is_made_and_shared)
{
	struct scratch s = scratch_new("file:");
	struct mr_memory_request r = request(s.kind, PAGE + 1);
	struct mr_memory memory = map(&r);
	struct stat st;

	assert_int_equal(stat(s.path, &st), 0);
	assert_int_equal(st.st_size, 2 * PAGE);
	assert_int_equal(st.st_mode & 0777, 0600);
	*(char *)memory.map = 'x';
	assert_int_equal(first_byte(s.path), 'x');
	mr_memory_keep_file(&memory);
	mr_memory_unmap(&memory);
	assert_int_equal(first_byte(s.path), 'x');
	scratch_remove(&s);
}

TEST(a_file_that_was_made_is_removed_unless_it_is_kept)
{
	struct scratch s = scratch_new("file:");
	struct mr_memory_request r = request(s.kind, PAGE);
	struct mr_memory memory = map(&r);

	mr_memory_unmap(&memory);
	assert_int_equal(access(s.path, F_OK), -1);

	/* another one that has its name by now stays */
	memory = map(&r);
	unlink(s.path);
	write_file(s.path, "other");
	mr_memory_unmap(&memory);
	assert_int_equal(first_byte(s.path), 'o');

	/* and so does one that was there before */
	memory = map(&r);
	mr_memory_unmap(&memory);
	assert_int_equal(first_byte(s.path), 'o');
	scratch_remove(&s);
}

TEST(an_existing_file_is_mapped_as_it_is)
{
	struct scratch s = scratch_new("file:");
	struct mr_memory_request r = request(s.kind, 2 * PAGE);
	struct mr_memory memory;
	struct stat st;

	write_file(s.path, "hello");
	memory = map(&r);
	assert_string_equal(memory.map, "hello");
	assert_int_equal(stat(s.path, &st), 0);
	assert_int_equal(st.st_size, 5);
	assert_false(can_read(memory.start + PAGE));
	mr_memory_unmap(&memory);
	scratch_remove(&s);
}

TEST(a_private_file_keeps_its_contents)
{
	struct scratch s = scratch_new("file-private:");
	struct mr_memory_request r = request(s.kind, PAGE);
	struct mr_memory memory;

	assert_int_equal(map_fails(&r).errnum, ENOENT);
	write_file(s.path, "hello");
	memory = map(&r);
	assert_string_equal(memory.map, "hello");
	*(char *)memory.map = 'x';
	assert_int_equal(first_byte(s.path), 'h');
	mr_memory_unmap(&memory);
	scratch_remove(&s);
}

TEST(no_file_is_left_behind_where_the_memory_cannot_be_had)
{
	struct scratch s = scratch_new("file:");
	struct mr_memory_request r = request(s.kind, SIZE_MAX);

	map_fails(&r);
	assert_int_equal(access(s.path, F_OK), -1);

	r = request(s.kind, PAGE);
	r.addr = (struct mr_opt_u64){ 1, true };
	map_fails(&r);
	assert_int_equal(access(s.path, F_OK), -1);
	scratch_remove(&s);
}

TEST(paths_that_cannot_be_used_are_named)
{
	static const struct {
		const char *kind;
		int errnum;
	} cases[] = {
		{ "file:/nowhere/x", ENOENT },         { "file:/", EISDIR },
		{ "file-private:/nowhere/x", ENOENT }, { "device:/nowhere/x", ENOENT },
		{ "device:/dev/null", ENODEV },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct mr_memory_request r = request(cases[i].kind, PAGE);
		struct mr_error err = map_fails(&r);

		assert_equal_for(cases[i].kind, err.errnum, cases[i].errnum);
		assert_contains(err.text, strchr(cases[i].kind, '/'));
	}
}

TEST(a_device_node_is_mapped)
{
	const struct mr_memory_request r = request("device:/dev/zero", PAGE);
	struct mr_memory memory = map(&r);

	assert_true(can_write(memory.start));
	mr_memory_unmap(&memory);
}

TEST(lengths_without_end_are_the_hosts_to_refuse)
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

TEST(populate_reads_what_cannot_be_written)
{
	struct mr_memory_request r = request("readonly", PAGE);
	struct mr_memory memory;

	r.populate = true;
	memory = map(&r);
	mr_memory_unmap(&memory);
}

TEST(a_node_that_is_not_there_is_refused)
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

static int count_descriptors(void)
{
	int n = 0;

	for (int fd = 0; fd < 256; fd++)
		n += fcntl(fd, F_GETFD) >= 0;
	return n;
}

TEST(descriptors_are_closed_again)
{
	static const char *const kinds[] = { "memfd", "device:/dev/zero", "device:/dev/null",
					     "file:/proc/self/comm", "anon" };
	int before = count_descriptors();

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
		struct mr_memory_request r = request(kinds[i], PAGE);
		struct mr_memory memory;
		struct mr_error err;

		if (!mr_memory_map(&r, &memory, &err))
			mr_memory_unmap(&memory);
	}
	assert_int_equal(count_descriptors(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kinds_are_read_as_they_are_written),
		cmocka_unit_test(memory_on_the_device_may_have_a_size),
		cmocka_unit_test(other_kinds_are_usage_errors),
		cmocka_unit_test(anon_is_whole_pages_that_can_be_written),
		cmocka_unit_test(zero_length_has_an_address_nevertheless),
		cmocka_unit_test(an_offset_moves_the_start_and_makes_room),
		cmocka_unit_test(a_chosen_address_is_the_mappings),
		cmocka_unit_test(an_occupied_address_fails_with_a_hint),
		cmocka_unit_test(an_address_inside_a_page_fails_with_a_hint),
		cmocka_unit_test(readonly_cannot_be_written),
		cmocka_unit_test(unmapped_has_nothing_there),
		cmocka_unit_test(nothing_comes_to_be_where_nothing_is),
		cmocka_unit_test(unmapped_ranges_may_wrap_or_be_longer_than_the_address_space),
		cmocka_unit_test(a_hole_is_a_last_page_that_is_missing),
		cmocka_unit_test(a_hole_of_one_page_is_nothing),
		cmocka_unit_test(none_is_address_zero),
		cmocka_unit_test(thp_is_aligned_to_huge_pages),
		cmocka_unit_test(memfd_is_memory_that_can_be_written),
		cmocka_unit_test(hugetlb_is_huge_pages_or_says_how_to_get_some),
		cmocka_unit_test(a_size_that_no_huge_page_has_is_refused),
		cmocka_unit_test(a_missing_file_is_made_and_shared),
		cmocka_unit_test(a_file_that_was_made_is_removed_unless_it_is_kept),
		cmocka_unit_test(an_existing_file_is_mapped_as_it_is),
		cmocka_unit_test(a_private_file_keeps_its_contents),
		cmocka_unit_test(no_file_is_left_behind_where_the_memory_cannot_be_had),
		cmocka_unit_test(paths_that_cannot_be_used_are_named),
		cmocka_unit_test(a_device_node_is_mapped),
		cmocka_unit_test(lengths_without_end_are_the_hosts_to_refuse),
		cmocka_unit_test(populate_faults_the_pages_in),
		cmocka_unit_test(populate_reads_what_cannot_be_written),
		cmocka_unit_test(a_node_that_is_not_there_is_refused),
		cmocka_unit_test(pages_come_from_the_chosen_node),
		cmocka_unit_test(descriptors_are_closed_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
