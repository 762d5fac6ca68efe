// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The memfd of the table: which files are accepted as a table, and how it grows. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "tests/unit/lib/session/table/table.h"
#include "tests/unit/unit.h"

TEST(a_new_table_is_empty_sealed_and_knows_its_device)
{
	struct mr_table_device device;
	struct mr_table table;

	open_new(&table);
	assert_int_equal(mr_table_count(&table), 0);
	assert_int_equal(fcntl(table.fd, F_GET_SEALS) & (F_SEAL_SHRINK | F_SEAL_SEAL),
			 F_SEAL_SHRINK | F_SEAL_SEAL);
	assert_int_equal(ftruncate(table.fd, 0), -1);
	assert_int_equal(fcntl(table.fd, F_GETFD), FD_CLOEXEC);
	mr_table_device(&table, &device);
	assert_string_equal(device.name, "mlx5_0");
	assert_string_equal(device.provider, "mlx5");
	assert_int_equal(device.driver_id, 1);
	for (uint32_t slot = 0; slot < table.capacity; slot++)
		assert_false(mr_table_is_used(&table, slot));
	mr_table_close(&table);
}

TEST(the_table_grows_for_all_who_have_it_open)
{
	enum { MANY = 5000 };
	struct mr_table table, other;
	struct mr_entry entry;

	open_new(&table);
	open_again(&table, &other);
	for (uint32_t i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "buf.%u", i);
		add_live(&table, name, i, &entry);
	}
	assert_int_equal(mr_table_lock(&other, &err), 0); /* same process */
	assert_int_equal(mr_table_count(&other), MANY);
	assert_true(mr_table_size(&other) < MANY * 256);
	for (uint32_t i = 0; i < MANY; i++) {
		char name[16];

		snprintf(name, sizeof(name), "buf.%u", i);
		assert_true(mr_table_get(&other, mr_table_find_name(&other, name), &entry));
		assert_int_equal(entry.handle, i);
		assert_true(mr_table_get(&other, mr_table_find(&other, MR_BY_LKEY, 0x1000 + i),
					 &entry));
		assert_int_equal(entry.handle, i);
	}
	mr_table_close(&other);
	mr_table_close(&table);
}

/* Returns a memfd with the first @length bytes of a sound table, and these seals. */
static int copy_of(size_t length, int seals)
{
	static char image[1 << 16];
	struct mr_table table;
	int fd = memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	ssize_t got;

	open_new(&table);
	got = pread(table.fd, image, sizeof(image), 0);
	assert_true(got > 0);
	if (length > (size_t)got)
		length = (size_t)got;
	mr_table_close(&table);
	assert_int_equal(write(fd, image, length), length);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, seals), 0);
	return fd;
}

/* Returns a copy of a table, with the first number @from of its header replaced by @to. */
static int changed(uint32_t from, uint32_t to)
{
	int fd = copy_of(SIZE_MAX, F_SEAL_SHRINK | F_SEAL_SEAL);

	for (off_t at = 0; at < 64; at += 4) {
		uint32_t value;

		assert_int_equal(pread(fd, &value, sizeof(value), at), sizeof(value));
		if (value != from)
			continue;
		assert_int_equal(pwrite(fd, &to, sizeof(to), at), sizeof(to));
		return fd;
	}
	fail_msg("no %u in the header", from);
	return -1;
}

static void assert_unsound(int fd, const char *why)
{
	struct mr_table table;

	assert_true(fd >= 0);
	assert_int_equal(mr_table_open(fd, &table, &err), -EPROTO);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.text, why);
	assert_int_equal(fcntl(fd, F_GETFD), -1); /* mr_table_open() has closed it */
}

TEST(a_copy_of_a_table_is_a_table)
{
	struct mr_table table;

	assert_int_equal(
		mr_table_open(copy_of(SIZE_MAX, F_SEAL_SHRINK | F_SEAL_SEAL), &table, &err), 0);
	mr_table_close(&table);
}

TEST(a_file_that_could_be_made_shorter_is_not_mapped)
{
	assert_unsound(copy_of(SIZE_MAX, 0), "seals");
	assert_unsound(copy_of(SIZE_MAX, F_SEAL_SHRINK), "seals");
	assert_unsound(copy_of(SIZE_MAX, F_SEAL_SEAL), "seals");
	assert_unsound(open("/dev/null", O_RDWR), "seals");
	assert_unsound(open("/proc/self/exe", O_RDONLY), "seals");
	assert_unsound(fileno(tmpfile()), "seals");
}

TEST(a_file_that_cannot_be_written_or_grown_is_not_mapped)
{
	const int good = F_SEAL_SHRINK | F_SEAL_SEAL;

	assert_unsound(copy_of(SIZE_MAX, good | F_SEAL_WRITE), "seals");
	assert_unsound(copy_of(SIZE_MAX, good | F_SEAL_GROW), "seals");
}

TEST(a_file_that_is_shorter_than_its_header_says_is_not_mapped)
{
	const int good = F_SEAL_SHRINK | F_SEAL_SEAL;

	assert_unsound(copy_of(0, good), "header");
	assert_unsound(copy_of(100, good), "header");
	assert_unsound(copy_of(8192, good), "shorter");
	assert_unsound(changed(64, 1000), "shorter");
	assert_unsound(changed(64, UINT32_MAX), "shorter");
	assert_unsound(changed(64, 0), "shorter");
}

TEST(a_table_of_another_version_is_named_so)
{
	assert_unsound(changed(7, 6), "another version");
	assert_unsound(changed(sizeof(struct mr_entry), 128), "another version");
}

TEST(a_table_that_may_only_be_read_is_an_error)
{
	struct mr_table table;
	char path[64];
	int fd = copy_of(SIZE_MAX, F_SEAL_SHRINK | F_SEAL_SEAL);

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	assert_int_equal(mr_table_open(open(path, O_RDONLY | O_CLOEXEC), &table, &err), -EACCES);
	assert_contains(err.text, "session table");
	close(fd);
}
