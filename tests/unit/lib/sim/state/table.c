// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The file of an object table: which files are one, who can write to it, and how it grows. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "tests/unit/lib/sim/state/object_table.h"

TEST(another_mapping_sees_what_was_added)
{
	struct sim_table *table = *state, other;
	struct sim_object *object;
	uint32_t i, last = 0;

	assert_int_equal(sim_table_map(&other, table->fd), 0);
	for (i = 0; i < 300000; i++)
		last = add(table, PD, SIM_NO_HANDLE);
	sim_table_unlock(table);

	assert_int_equal(sim_table_lock(&other), 0);
	assert_int_equal(sim_object_find(&other, PD, last, &object), 0);
	sim_object_delete(&other, 262144);
	assert_int_equal(add(&other, MR, SIM_NO_HANDLE), 262144);
	sim_table_unlock(&other);
	sim_table_unmap(&other);
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(sim_object_find(table, MR, 262144, &object), 0);
}

TEST(other_files_are_not_tables)
{
	const uint32_t no_kind = MR_SIM_PROFILES;
	struct sim_table *table = *state;
	int plain = memfd_create("plain", 0),
	    unsealed = memfd_create("unsealed", MFD_ALLOW_SEALING);

	assert_false(is_table(plain));
	assert_int_equal(pwrite(unsealed, table->header, 4096, 0), 4096);
	assert_false(is_table(unsealed));
	assert_int_equal(fcntl(unsealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL), 0);
	assert_true(is_table(unsealed));
	assert_int_equal(
		pwrite(unsealed, &no_kind, sizeof(no_kind), offsetof(struct sim_header, kind)),
		sizeof(no_kind));
	assert_false(is_table(unsealed));
	assert_false(is_table(-1));
	close(plain);
	close(unsealed);
}

TEST(what_a_program_writes_does_not_reach_the_table)
{
	const struct sim_table *table = *state;
	const uint64_t id = table->header->id;
	const int fd = table->fd;
	const char text[64] = "a command of the older ABI";

	assert_int_equal(write(fd, text, sizeof(text)), -1);
	assert_int_equal(pwrite(fd, text, sizeof(text), 0), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
	assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), MAP_FAILED);
	assert_int_equal(table->header->id, id);
	assert_true(is_table(fd));
}

TEST(more_objects_than_the_file_has_are_not_looked_at)
{
	struct sim_table *table = *state;
	const uint32_t capacity = table->header->capacity;
	static const uint32_t wrong[] = { 0, 1, 1u << 20, UINT32_MAX };
	size_t i;

	sim_table_unlock(table);
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		table->header->capacity = wrong[i];
		assert_int_equal(sim_table_lock(table), -EIO);
	}
	table->header->capacity = capacity;
	assert_int_equal(sim_table_lock(table), 0);
}

EACH_TEST(open_table, close_table)
