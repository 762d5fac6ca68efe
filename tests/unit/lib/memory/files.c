// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Files and devices as memory: how they are opened, created, kept and removed. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "lib/memory/mapping.h"
#include "tests/unit/lib/memory/mapping.h"
#include "tests/unit/unit.h"

struct scratch {
	char folder[64], path[96], kind[128];
};

/* @kind: "file:" or "file-private:"; the path is in a folder of its own */
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

TEST(a_missing_file_is_created_and_shared)
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

TEST(a_created_file_is_removed_unless_it_is_kept)
{
	struct scratch s = scratch_new("file:");
	struct mr_memory_request r = request(s.kind, PAGE);
	struct mr_memory memory = map(&r);

	mr_memory_unmap(&memory);
	assert_int_equal(access(s.path, F_OK), -1);

	/* another file that has its path by now stays */
	memory = map(&r);
	unlink(s.path);
	write_file(s.path, "other");
	mr_memory_unmap(&memory);
	assert_int_equal(first_byte(s.path), 'o');

	/* a file that existed before stays, too */
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

TEST(no_file_is_left_behind_if_the_memory_cannot_be_mapped)
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
