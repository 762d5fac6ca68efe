// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The object table: its file, its lock, objects and keys, and the repair after a kill. */
#include "lib/sim/state/state.h"
#include "tests/unit/unit.h"

#define PD 1
#define MR 7

/* The table of each test, locked. */
static struct sim_table tables[2], *table = &tables[0];

static bool is_table(int fd)
{
	enum mr_sim_profile kind;

	assert_int_equal(sim_table_probe(fd, &kind), 0);
	return kind != MR_SIM_PROFILES;
}

/* Makes a new table, and locks it. */
static int open_table(void **state __attribute__((unused)))
{
	int fd = sim_table_create(MR_SIM_MLX5, true);

	assert_true(fd >= 0);
	assert_true(is_table(fd));
	assert_int_equal(sim_table_map(table, fd), 0);
	assert_int_equal(sim_table_lock(table), 0);
	return 0;
}

static int close_table(void **state __attribute__((unused)))
{
	sim_table_unlock(table);
	sim_table_unmap(table);
	close(table->fd);
	return 0;
}

/* Makes an object; returns its handle. */
static uint32_t add(uint32_t type, uint32_t parent)
{
	struct sim_object *object;
	uint32_t handle;

	assert_int_equal(sim_object_reserve(table, &handle, &object), 0);
	assert_int_equal(object->type, 0);
	object->parent = parent;
	sim_object_commit(table, handle, type);
	return handle;
}

/* Lets the next lock repair the table. */
static void repair(void)
{
	table->header->damaged = true;
	sim_table_unlock(table);
	assert_int_equal(sim_table_lock(table), 0);
}

/* Returns how many objects name that one as parent. */
static uint32_t users(uint32_t handle)
{
	return table->objects[handle].users;
}

/* Checks that the list by age holds each of @objects once, in both directions. */
static void assert_listed(uint32_t objects)
{
	uint32_t handle, newer = SIM_NO_HANDLE, count = 0;

	for (handle = table->header->newest; handle != SIM_NO_HANDLE && count <= objects;
	     handle = table->objects[handle].older) {
		assert_int_not_equal(table->objects[handle].type, 0);
		assert_int_equal(table->objects[handle].newer, newer);
		newer = handle;
		count++;
	}
	assert_int_equal(count, objects);
}

/* Checks that bitmap, list and the users of @pd agree with the objects, all MRs but @pd. */
static void assert_consistent(uint32_t pd)
{
	uint32_t i, children = 0, taken;

	for (i = 0; i < table->header->capacity; i++) {
		taken = table->header->used[i / 64] >> i % 64 & 1;
		assert_int_equal(taken, table->objects[i].type != 0);
		children += table->objects[i].type == MR;
	}
	assert_int_equal(users(pd), children);
	assert_listed(children + 1);
}

/* ---- the file ---- */

TEST(what_a_program_writes_does_not_reach_the_table)
{
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

TEST(other_files_are_not_tables)
{
	const uint32_t no_kind = MR_SIM_PROFILES;
	int plain = memfd_create("plain", 0), copy = memfd_create("copy", MFD_ALLOW_SEALING);

	assert_false(is_table(plain));
	assert_int_equal(pwrite(copy, table->header, 4096, 0), 4096);
	assert_false(is_table(copy)); /* without seals */
	assert_int_equal(fcntl(copy, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_SEAL), 0);
	assert_true(is_table(copy));
	assert_int_equal(pwrite(copy, &no_kind, sizeof(no_kind), offsetof(struct sim_header, kind)),
			 sizeof(no_kind));
	assert_false(is_table(copy));
	assert_false(is_table(-1));
	close(plain);
	close(copy);
}

TEST(a_header_that_was_written_over_is_refused)
{
	static const uint32_t wrong[] = { 0, 1, 1u << 20, UINT32_MAX };
	struct sim_header *header = table->header;
	const uint64_t guard = header->guard;
	const uint32_t capacity = header->capacity;

	sim_table_unlock(table);
	header->guard = 0x6d656d6f7279;
	assert_int_equal(sim_table_lock(table), -EIO);
	header->guard = guard;
	header->magic[3]++;
	assert_int_equal(sim_table_lock(table), -EIO);
	header->magic[3]--;
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		header->capacity = wrong[i]; /* more objects than the file has, or fewer */
		assert_equal_for(row_name(i), sim_table_lock(table), -EIO);
	}
	header->capacity = capacity;
	assert_int_equal(sim_table_lock(table), 0);
}

TEST(a_lock_that_another_process_has_is_waited_for)
{
	int ready[2];
	pid_t pid;
	char byte;

	sim_table_unlock(table);
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		if (sim_table_lock(table) || write(ready[1], "", 1) != 1)
			_exit(1);
		usleep(20000); /* for a parent that does not wait to come too early */
		table->header->umem_id = 7;
		sim_table_unlock(table);
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(table->header->umem_id, 7);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

/* ---- objects ---- */

TEST(the_lowest_free_handle_is_given_out_in_each_mapping)
{
	struct sim_object *object;
	uint32_t handle;

	assert_int_equal(sim_table_map(&tables[1], table->fd), 0);
	for (uint32_t i = 0; i < 300000; i++)
		assert_int_equal(add(PD, SIM_NO_HANDLE), i);
	sim_object_delete(table, 262144);
	sim_object_delete(table, 64);
	sim_object_delete(table, 0);
	assert_int_equal(add(MR, SIM_NO_HANDLE), 0);
	assert_int_equal(sim_object_reserve(table, &handle, &object), 0);
	sim_object_cancel(table, handle);
	assert_int_equal(sim_object_find(table, PD, handle, &object), -ENOENT);
	assert_int_equal(add(MR, SIM_NO_HANDLE), handle);
	assert_int_equal(handle, 64);
	sim_table_unlock(table);
	table = &tables[1];
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(sim_object_find(table, PD, 299999, &object), 0);
	assert_int_equal(add(MR, SIM_NO_HANDLE), 262144);
	sim_table_unlock(table);
	sim_table_unmap(table);
	table = &tables[0];
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(sim_object_find(table, MR, 262144, &object), 0);
	assert_int_equal(add(MR, SIM_NO_HANDLE), 300000);
}

TEST(an_object_has_its_type_its_users_and_its_age)
{
	struct sim_object *object;
	uint32_t pd = add(PD, SIM_NO_HANDLE), mr = add(MR, pd);

	assert_int_equal(sim_object_find(table, PD, pd, &object), 0);
	assert_int_equal(sim_object_find(table, MR, pd, &object), -EINVAL);
	assert_int_equal(sim_object_find(table, PD, mr + 1, &object), -ENOENT);
	assert_int_equal(sim_object_find(table, PD, UINT64_MAX, &object), -ENOENT);
	assert_int_equal(sim_object_find(table, PD, (uint64_t)pd + (1ull << 32), &object), -ENOENT);
	assert_int_equal(users(pd), 1);
	add(MR, pd);
	assert_int_equal(users(pd), 2);
	sim_object_renew(table, mr);
	assert_int_equal(table->header->newest, mr);
	assert_int_equal(table->objects[mr].older, 2);
	assert_int_equal(table->objects[2].older, pd);
	assert_consistent(pd);
	sim_object_delete(table, mr);
	assert_int_equal(users(pd), 1);
	assert_consistent(pd);
}

TEST(numbers_that_were_written_over_reach_nothing_else)
{
	uint32_t pd = add(PD, SIM_NO_HANDLE), mr = add(MR, pd);
	struct sim_object *object;

	table->objects[pd].older = mr; /* a circle */
	repair();
	assert_int_equal(sim_object_find(table, MR, mr, &object), 0);
	table->objects[pd].older = 12345678;
	table->header->changing = 0x7fffffff;
	table->objects[mr].parent = 0x7fffffff;
	repair();
	assert_int_equal(sim_object_find(table, PD, pd, &object), 0);
	assert_int_equal(sim_object_find(table, MR, mr, &object), 0);
	assert_int_equal(users(pd), 0);
}

/* The process is killed while it holds the lock. */
TEST(a_reservation_does_not_outlive_its_maker)
{
	uint32_t pd = add(PD, SIM_NO_HANDLE), handle;
	struct sim_object *object;
	pid_t pid;

	add(MR, pd);
	sim_table_unlock(table);
	pid = fork();
	if (!pid) {
		if (!sim_table_lock(table))
			for (int i = 0; i < 3000 && !sim_object_reserve(table, &handle, &object);
			     i++)
				object->parent = 0;
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(users(pd), 1);
	assert_int_equal(add(MR, pd), 2);
}

TEST(what_was_half_done_is_repaired)
{
	uint32_t pd = add(PD, SIM_NO_HANDLE), handle;
	struct sim_object *object;

	for (int i = 0; i < 3; i++)
		add(MR, pd);
	/* the first store of sim_object_delete(), then the first two, of the newest object */
	for (int i = 0; i < 2; i++) {
		table->objects[1].type = 0;
		if (i)
			table->header->newest = table->objects[1].older;
		repair();
		assert_consistent(pd);
		assert_int_equal(add(MR, pd), 1);
	}
	/* stores of sim_object_commit() */
	assert_int_equal(sim_object_reserve(table, &handle, &object), 0);
	object->older = table->header->newest;
	table->header->newest = handle;
	repair();
	assert_consistent(pd);
	assert_int_equal(add(MR, pd), 4);
	assert_int_equal(table->header->newest, 4);
	assert_int_equal(table->objects[4].older, 1);
	/* a store of sim_object_renew() */
	table->objects[3].older = table->objects[2].older;
	repair();
	assert_consistent(pd);
	assert_int_equal(table->header->newest, 2);
}

TEST(a_change_is_made_or_not)
{
	const struct sim_object contents = { .parent = 0, .key = 5, .length = 9, .type = 99 };
	struct sim_object *mr = NULL;
	uint32_t pd = add(PD, SIM_NO_HANDLE), other = add(PD, SIM_NO_HANDLE);
	uint32_t handle = add(MR, other);

	sim_object_change(table, handle, &contents);
	assert_int_equal(sim_object_find(table, MR, handle, &mr), 0);
	assert_int_equal(mr->key, 5);
	assert_int_equal(mr->length, 9);
	assert_int_equal(users(pd), 1);
	assert_int_equal(users(other), 0);

	/* stores of sim_object_change(): header->changing, and some of what follows it */
	table->header->change = (struct sim_object){
		.type = MR, .parent = 1, .key = 7, .length = 11, .older = 1,
	};
	table->header->changing = 2;
	table->objects[0].users--;
	table->objects[2].length = 11;
	repair();
	assert_int_equal(sim_object_find(table, MR, handle, &mr), 0);
	assert_int_equal(mr->key, 7);
	assert_int_equal(mr->length, 11);
	assert_int_equal(users(pd), 0);
	assert_int_equal(users(other), 1);
	assert_listed(3);

	/* before header->changing is stored, the change is not made */
	table->header->change = (struct sim_object){ .parent = 0, .key = 8 };
	repair();
	assert_int_equal(mr->key, 7);
	assert_int_equal(users(other), 1);
}

/* ---- keys ---- */

#define FIRST 0x11

TEST(the_last_key_of_its_variant_comes_back_first)
{
	assert_int_equal(sim_key_reuse(table, 4), 0);
	sim_key_free(table, 0x1104);
	sim_key_free(table, 0x1206);
	sim_key_free(table, 0x1304);
	assert_int_equal(sim_key_reuse(table, 5), 0);
	assert_int_equal(sim_key_reuse(table, 4), 0x1304);
	sim_key_free(table, 0x1404);
	assert_int_equal(sim_key_reuse(table, 6), 0x1206);
	assert_int_equal(sim_key_reuse(table, 4), 0x1404);
	assert_int_equal(sim_key_reuse(table, 4), 0x1104);
	assert_int_equal(sim_key_reuse(table, 4), 0);
	assert_int_equal(sim_key_reuse(table, 6), 0);
}

TEST(the_oldest_of_many_keys_are_forgotten)
{
	uint32_t i;

	for (i = 1; i <= SIM_FREED_KEYS + 1; i++)
		sim_key_free(table, i << 8);
	for (i = SIM_FREED_KEYS + 1; i > SIM_FREED_KEYS / 2; i--)
		assert_int_equal(sim_key_reuse(table, 0), i << 8);
	assert_int_equal(sim_key_reuse(table, 0), 0);
}

TEST(keys_that_do_not_come_back)
{
	sim_key_free(table, 0x1100 | SIM_KEY_OF_DEVICE);
	assert_int_equal(sim_key_reuse(table, SIM_KEY_OF_DEVICE), 0);
	sim_key_free(table, 0x1104);
	repair(); /* forgets them */
	assert_int_equal(sim_key_reuse(table, 4), 0);
	table->header->freed_count = 0x7fffffff;
	assert_int_equal(sim_key_reuse(table, 0), 0);
	table->header->freed_count = SIM_FREED_KEYS + 1;
	sim_key_free(table, 0x1100);
	assert_int_equal(sim_key_reuse(table, 0), 0x1100);
}

TEST(indexes_are_used_in_turn)
{
	uint32_t mr = add(MR, SIM_NO_HANDLE);

	assert_int_equal(sim_key_index(table, FIRST), FIRST);
	assert_int_equal(sim_key_index(table, FIRST), FIRST + 1);
	table->objects[mr].key = FIRST << 8 | 4;
	table->header->key_index = 0xfffffe;
	sim_key_free(table, (FIRST + 1) << 8);
	assert_int_equal(sim_key_index(table, FIRST), 0xffffff);
	/* then one that is taken is left out, and one that was freed is new */
	assert_int_equal(sim_key_index(table, FIRST), FIRST + 1);
	assert_int_equal(sim_key_reuse(table, 0), 0);
}

EACH_TEST(open_table, close_table)
