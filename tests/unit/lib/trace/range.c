// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Which kind of memory stands for that of a call. */
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "lib/trace/trace.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

#define PAGE  ((uint64_t)sysconf(_SC_PAGESIZE))
#define WRITE MR_ACCESS_LOCAL_WRITE
#define RW    (PROT_READ | PROT_WRITE)

static struct mr_traced_range range;

static int read_range(const void *addr, uint64_t length, uint32_t access)
{
	struct mr_environment environment = { .simulated_kernel = "7.2" };
	const struct mr_region_request request = {
		.call = MR_REG_MR, .addr = (uintptr_t)addr, .length = length, .access = access
	};
	const struct mr_refusal refusal = { .call = "ibv_reg_mr",
					    .errnum = EFAULT,
					    .environment = &environment,
					    .request = &request };

	return mr_traced_range_read(&refusal, mr_this_host(), &range);
}

static void is(const char *memory, uint64_t offset, bool is_exact)
{
	struct mr_memory_kind kind;
	struct mr_error err;

	assert_string_equal(range.memory, memory);
	assert_int_equal(range.offset, offset);
	assert_true(range.is_exact == is_exact);
	assert_true(is_exact == !range.remark[0]);
	/* A range that is not exact or has no kind has a remark; otherwise it has a KIND of --memory. */
	assert_int_equal(mr_memory_kind_parse(range.memory, &kind, &err), 0);
	assert_int_equal(kind.type, range.type);
}

static char *map(uint64_t pages, int rights, int flags, int fd)
{
	char *memory =
		mmap(NULL, pages * PAGE, rights, flags | (fd < 0 ? MAP_ANONYMOUS : 0), fd, 0);

	assert_true(memory != MAP_FAILED);
	return memory;
}

TEST(what_cannot_be_pinned_is_stood_for_by_what_answers_alike)
{
	char *memory = map(8, RW, MAP_PRIVATE, -1);

	munmap(memory + 2 * PAGE, PAGE);
	read_range(memory + PAGE, 3 * PAGE, WRITE);
	is("hole", 0, true);
	assert_int_equal(range.obstacle, MR_OBSTACLE_HOLE);
	assert_int_equal(range.obstacle_addr, (uintptr_t)memory + 2 * PAGE);
	/* on demand nothing is pinned, and a range may begin where nothing is mapped */
	read_range(memory + 2 * PAGE, PAGE, WRITE | MR_ACCESS_ON_DEMAND);
	is("unmapped", 0, true);
	read_range(memory + 2 * PAGE, PAGE, WRITE);
	is("unmapped", 0, true);
	mprotect(memory + 4 * PAGE, PAGE, PROT_READ);
	read_range(memory + 4 * PAGE + 8, 8, WRITE);
	is("readonly", 8, true);
	read_range(memory + 4 * PAGE + 8, 8, 0);
	is("anon", 8, true);
	mprotect(memory + 4 * PAGE, PAGE, PROT_NONE);
	read_range(memory + 4 * PAGE, PAGE, 0);
	is("unmapped", 0, false);
	assert_contains(range.remark, "without read permission");
	munmap(memory, 8 * PAGE);
}

TEST(an_empty_range_is_the_memory_that_it_points_to)
{
	char *memory = map(4, RW, MAP_PRIVATE, -1);

	mprotect(memory, PAGE, PROT_NONE);
	munmap(memory + 3 * PAGE, PAGE);
	read_range(memory + PAGE, 0, WRITE); /* the first byte of a mapping */
	is("anon", 0, true);
	read_range(memory + 2 * PAGE + 8, 0, WRITE);
	is("anon", 8, true);
	read_range(memory + 3 * PAGE, 0, WRITE); /* the last byte is before it */
	is("unmapped", 0, true);
	munmap(memory, 3 * PAGE);
}

/* Who may follow map_files sees the file of a mapping, others need a descriptor of it. */
TEST(the_end_of_a_file_without_a_path_is_found)
{
	const int fd = memfd_create("mrctl-range", MFD_CLOEXEC);
	char *memory, link[64];
	struct stat st;

	assert_true(fd >= 0 && !ftruncate(fd, (off_t)(2 * PAGE)));
	memory = map(4, RW, MAP_SHARED, fd);
	read_range(memory, 2 * PAGE, WRITE);
	is("memfd", 0, true);
	read_range(memory, 4 * PAGE, WRITE);
	is("unmapped", 0, false);
	assert_int_equal(range.obstacle, MR_OBSTACLE_FILE_END);
	assert_int_equal(range.obstacle_addr, (uintptr_t)memory + 2 * PAGE);
	assert_int_equal(range.file.size.value, 2 * PAGE);
	assert_contains(range.remark, "without a path");
	close(fd);
	read_range(memory, 4 * PAGE, WRITE);
	snprintf(link, sizeof(link), "/proc/self/map_files/%" PRIxPTR "-%" PRIxPTR,
		 (uintptr_t)memory, (uintptr_t)(memory + 4 * PAGE));
	assert_int_equal(range.obstacle, stat(link, &st) ? MR_OBSTACLE_NONE : MR_OBSTACLE_FILE_END);
	munmap(memory, 4 * PAGE);
}

/* The range of a private mapping of a file of that name, in a new folder; @path is set to its path. */
static void read_named(const char *name, char *path, size_t size)
{
	char folder[] = "/tmp/mrctl-range-XXXXXX";
	char *memory;
	int fd;

	assert_non_null(mkdtemp(folder));
	snprintf(path, size, "%s/%s", folder, name);
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0 && !ftruncate(fd, (off_t)PAGE));
	memory = map(1, RW, MAP_PRIVATE, fd);
	read_range(memory, PAGE, WRITE);
	munmap(memory, PAGE);
	close(fd);
	unlink(path);
	rmdir(folder);
}

TEST(names_that_could_mislead_are_not_used)
{
	static const struct {
		const char *name;
		bool is_usable;
	} rows[] = {
		{ "a\nreg --size 1", false },
		{ "a\xff", false },
		{ "a\xc2\x9b", false },
		{ "a\xe2\x80\xae", false },
		{ "Gr\xc3\xb6\xc3\x9f\x65 \xe5\xa4\xa7", true },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		char path[64], text[80];

		read_named(rows[i].name, path, sizeof(path));
		snprintf(text, sizeof(text), "file-private:%s", path);
		is(rows[i].is_usable ? text : "anon", 0, rows[i].is_usable);
		if (!rows[i].is_usable)
			assert_contains(range.remark, "a line of a batch cannot contain the path");
	}
}

TEST(huge_pages_are_told_from_others)
{
	const uint64_t huge = UINT64_C(2) << 20;
	const int flags =
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE | 21 << MAP_HUGE_SHIFT;
	char *memory = map(4, RW, MAP_PRIVATE, -1);

	if (!madvise(memory, 4 * PAGE, MADV_HUGEPAGE)) {
		read_range(memory, PAGE, WRITE);
		is("thp", (uintptr_t)memory % huge, true);
	}
	munmap(memory, 4 * PAGE);
	memory = mmap(NULL, huge, RW, flags, -1, 0);
	if (memory == MAP_FAILED)
		skip();
	read_range(memory + PAGE, PAGE, WRITE);
	is("hugetlb:2M", PAGE, true);
	assert_int_equal(range.page_size, huge);
	munmap(memory, huge);
}

TEST(mappings_that_differ_are_not_stood_for)
{
	const int fd = memfd_create("mrctl", MFD_CLOEXEC);
	char *memory = map(4, RW, MAP_PRIVATE, -1);

	assert_true(fd >= 0 && !ftruncate(fd, (off_t)PAGE));
	assert_ptr_equal(mmap(memory + 2 * PAGE, PAGE, RW, MAP_SHARED | MAP_FIXED, fd, 0),
			 memory + 2 * PAGE);
	read_range(memory, 4 * PAGE, WRITE);
	is("anon", 0, false);
	assert_contains(range.remark, "3 mappings of different kinds");
	munmap(memory, 4 * PAGE);
	close(fd);
}

TEST(a_call_without_memory_has_no_range)
{
	const struct mr_refusal refusal = { .call = "ibv_alloc_pd", .errnum = ENOMEM };

	assert_int_equal(mr_traced_range_read(&refusal, mr_this_host(), &range), -ENODATA);
}
