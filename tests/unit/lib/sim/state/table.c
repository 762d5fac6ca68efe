// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The simulator's object table: handles, growth, and what a killed process leaves. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "lib/sim/state/lock.h"
#include "lib/sim/state/objects.h"
#include "tests/unit/unit.h"

#define PD 1
#define MR 7

static bool is_table(int fd)
{
	enum mr_sim_profile kind;

	assert_int_equal(sim_table_probe(fd, &kind), 0);
	return kind != MR_SIM_PROFILES;
}

static int open_table(void **state)
{
	static struct sim_table table;
	int fd = sim_table_create(MR_SIM_MLX5, true);

	assert_true(fd >= 0);
	assert_true(is_table(fd));
	assert_int_equal(sim_table_map(&table, fd), 0);
	assert_int_equal(sim_table_lock(&table), 0);
	*state = &table;
	return 0;
}

static int close_table(void **state)
{
	struct sim_table *table = *state;

	sim_table_unlock(table);
	sim_table_unmap(table);
	close(table->fd);
	return 0;
}

static uint32_t add(struct sim_table *table, uint32_t type, uint32_t parent)
{
	struct sim_object *object;
	uint32_t handle;

	assert_int_equal(sim_object_reserve(table, &handle, &object), 0);
	assert_int_equal(object->type, 0);
	object->parent = parent;
	sim_object_commit(table, handle, type);
	return handle;
}

static uint32_t users(struct sim_table *table, uint32_t handle)
{
	return table->objects[handle].users;
}

static void the_lowest_free_handle_is_given_out(void **state)
{
	struct sim_table *table = *state;
	uint32_t i;

	for (i = 0; i < 5000; i++)
		assert_int_equal(add(table, PD, SIM_NO_HANDLE), i);
	sim_object_delete(table, 4097);
	sim_object_delete(table, 64);
	sim_object_delete(table, 0);
	assert_int_equal(add(table, MR, SIM_NO_HANDLE), 0);
	assert_int_equal(add(table, MR, SIM_NO_HANDLE), 64);
	assert_int_equal(add(table, MR, SIM_NO_HANDLE), 4097);
	assert_int_equal(add(table, MR, SIM_NO_HANDLE), 5000);
}

static void a_cancelled_handle_is_free(void **state)
{
	struct sim_table *table = *state;
	struct sim_object *object;
	uint32_t handle;

	assert_int_equal(sim_object_reserve(table, &handle, &object), 0);
	sim_object_cancel(table, handle);
	assert_int_equal(sim_object_find(table, PD, handle, &object), -ENOENT);
	assert_int_equal(add(table, PD, SIM_NO_HANDLE), handle);
}

static void type_and_handle_must_agree(void **state)
{
	struct sim_table *table = *state;
	struct sim_object *object;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE);

	assert_int_equal(sim_object_find(table, PD, pd, &object), 0);
	assert_int_equal(sim_object_find(table, MR, pd, &object), -EINVAL);
	assert_int_equal(sim_object_find(table, PD, pd + 1, &object), -ENOENT);
	assert_int_equal(sim_object_find(table, PD, UINT64_MAX, &object), -ENOENT);
	assert_int_equal(sim_object_find(table, PD, (uint64_t)pd + (1ull << 32), &object), -ENOENT);
}

static void children_keep_their_parent_busy(void **state)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE), mr = add(table, MR, pd);

	assert_int_equal(users(table, pd), 1);
	add(table, MR, pd);
	sim_object_delete(table, mr);
	assert_int_equal(users(table, pd), 1);
}

static void another_mapping_sees_what_was_added(void **state)
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

static void other_files_are_not_tables(void **state)
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

static void what_a_program_writes_does_not_reach_the_table(void **state)
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

static void a_table_that_was_written_over_is_refused(void **state)
{
	struct sim_table *table = *state;
	struct sim_header *header = table->header;
	const uint64_t guard = header->guard;

	sim_table_unlock(table);
	header->guard = 0x6d656d6f7279;
	assert_int_equal(sim_table_lock(table), -EIO);
	header->guard = guard;
	header->magic[3]++;
	assert_int_equal(sim_table_lock(table), -EIO);
	header->magic[3]--;
	assert_int_equal(sim_table_lock(table), 0);
}

static void more_objects_than_the_file_has_are_not_looked_at(void **state)
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

static void a_list_that_was_written_over_has_an_end(void **state)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE), mr = add(table, MR, pd);
	struct sim_object *object;

	table->objects[pd].older = mr; /* which leads to the first again */
	table->header->damaged = true;
	sim_table_unlock(table);
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(sim_object_find(table, MR, mr, &object), 0);
	table->objects[pd].older = 12345678;
	table->header->damaged = true;
	sim_table_unlock(table);
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(sim_object_find(table, PD, pd, &object), 0);
}

/* The list has each object once, and leads back the same way. */
static void assert_listed(struct sim_table *table, uint32_t objects)
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

/* Count the objects by looking at each; compare with what is derived from them. */
static void assert_consistent(struct sim_table *table, uint32_t pd)
{
	uint32_t i, children = 0, taken;

	for (i = 0; i < table->header->capacity; i++) {
		taken = table->header->used[i / 64] >> i % 64 & 1;
		assert_int_equal(taken, table->objects[i].type != 0);
		children += table->objects[i].type == MR;
	}
	assert_int_equal(users(table, pd), children);
	assert_listed(table, children + 1);
}

/* Run work() in a child that dies with the table locked. */
static void killed_inside(struct sim_table *table, void (*work)(struct sim_table *table))
{
	pid_t pid;

	sim_table_unlock(table);
	pid = fork();
	if (!pid) {
		if (!sim_table_lock(table))
			work(table);
		kill(getpid(), SIGKILL);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(sim_table_lock(table), 0);
}

static void reserve_only(struct sim_table *table)
{
	struct sim_object *object;
	uint32_t handle;
	int i;

	for (i = 0; i < 3000; i++)
		if (!sim_object_reserve(table, &handle, &object))
			object->parent = 0;
}

static void a_reservation_does_not_outlive_its_maker(void **state)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE);

	add(table, MR, pd);
	killed_inside(table, reserve_only);
	assert_int_equal(users(table, pd), 1);
	assert_int_equal(add(table, MR, pd), 2);
}

/* As far as sim_object_delete() may come. */
static void half_a_deletion(struct sim_table *table)
{
	table->objects[1].type = 0;
}

static void more_of_a_deletion(struct sim_table *table)
{
	half_a_deletion(table);
	table->header->newest = table->objects[1].older; /* it is the newest */
}

/* As far as sim_object_commit() may come. */
static void half_a_commit(struct sim_table *table)
{
	struct sim_object *object;
	uint32_t handle;

	if (sim_object_reserve(table, &handle, &object))
		return;
	object->older = table->header->newest;
	table->header->newest = handle;
}

/* As far as sim_object_renew() may come. */
static void half_a_renewal(struct sim_table *table)
{
	table->objects[3].older = table->objects[2].older;
}

static void what_was_half_done_is_repaired(void **state)
{
	static void (*const cases[])(struct sim_table * table) = {
		half_a_deletion,
		more_of_a_deletion,
		half_a_commit,
	};
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE);
	size_t i;

	add(table, MR, pd);
	add(table, MR, pd);
	add(table, MR, pd);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		killed_inside(table, cases[i]);
		assert_consistent(table, pd);
		if (cases[i] != half_a_commit)
			assert_int_equal(add(table, MR, pd), 1);
	}
	assert_int_equal(add(table, MR, pd), 4);
	assert_int_equal(table->header->newest, 4);
	assert_int_equal(table->objects[4].older, 1);
	killed_inside(table, half_a_renewal);
	assert_consistent(table, pd);
	assert_int_equal(table->header->newest, 2);
}

static void an_object_can_be_made_the_newest(void **state)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE);

	add(table, MR, pd);
	add(table, MR, pd);
	sim_object_renew(table, 1);
	assert_int_equal(table->header->newest, 1);
	assert_int_equal(table->objects[1].older, 2);
	assert_int_equal(table->objects[2].older, pd);
	assert_consistent(table, pd);
}

/* As far as sim_object_change() may come: to the mark, and into what follows. */
static void half_a_change(struct sim_table *table)
{
	table->header->change = (struct sim_object){ .parent = 1, .key = 7, .length = 11 };
	table->header->changing = 2;
	table->objects[0].users--;
	table->objects[2].length = 11;
}

static void before_a_change(struct sim_table *table)
{
	table->header->change = (struct sim_object){ .parent = 0, .key = 8 };
}

static void a_change_is_made_or_not(void **state)
{
	const struct sim_object contents = { .parent = 0, .key = 5, .length = 9, .type = 99 };
	struct sim_table *table = *state;
	struct sim_object *mr = NULL;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE), other = add(table, PD, SIM_NO_HANDLE);
	uint32_t handle = add(table, MR, other);

	sim_object_change(table, handle, &contents);
	assert_int_equal(sim_object_find(table, MR, handle, &mr), 0);
	assert_int_equal(mr->key, 5);
	assert_int_equal(mr->length, 9);
	assert_int_equal(users(table, pd), 1);
	assert_int_equal(users(table, other), 0);

	killed_inside(table, half_a_change);
	assert_int_equal(sim_object_find(table, MR, handle, &mr), 0);
	assert_int_equal(mr->key, 7);
	assert_int_equal(mr->length, 11);
	assert_int_equal(users(table, pd), 0);
	assert_int_equal(users(table, other), 1);
	assert_listed(table, 3);

	killed_inside(table, before_a_change);
	assert_int_equal(mr->key, 7);
	assert_int_equal(users(table, other), 1);
}

static void churn(struct sim_table *table)
{
	uint32_t pd = 0, mr[100];
	size_t i;

	sim_table_unlock(table);
	for (;;) {
		for (i = 0; i < ARRAY_SIZE(mr); i++) {
			if (sim_table_lock(table))
				return;
			mr[i] = add(table, MR, pd);
			sim_table_unlock(table);
		}
		for (i = 0; i < ARRAY_SIZE(mr); i++) {
			if (sim_table_lock(table))
				return;
			sim_object_delete(table, mr[i]);
			sim_table_unlock(table);
		}
	}
}

static void a_kill_at_any_moment_leaves_a_table_that_works(void **state)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE);
	pid_t pid;
	int i;

	for (i = 0; i < 200; i++) {
		sim_table_unlock(table);
		pid = fork();
		if (!pid) {
			if (!sim_table_lock(table))
				churn(table);
			_exit(1);
		}
		usleep((useconds_t)(i * 13 % 700));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(sim_table_lock(table), 0);
		assert_consistent(table, pd);
	}
}

#define TABLE_TEST(name) cmocka_unit_test_setup_teardown(name, open_table, close_table)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TABLE_TEST(the_lowest_free_handle_is_given_out),
		TABLE_TEST(a_cancelled_handle_is_free),
		TABLE_TEST(type_and_handle_must_agree),
		TABLE_TEST(children_keep_their_parent_busy),
		TABLE_TEST(another_mapping_sees_what_was_added),
		TABLE_TEST(other_files_are_not_tables),
		TABLE_TEST(what_a_program_writes_does_not_reach_the_table),
		TABLE_TEST(a_table_that_was_written_over_is_refused),
		TABLE_TEST(more_objects_than_the_file_has_are_not_looked_at),
		TABLE_TEST(a_list_that_was_written_over_has_an_end),
		TABLE_TEST(a_reservation_does_not_outlive_its_maker),
		TABLE_TEST(what_was_half_done_is_repaired),
		TABLE_TEST(an_object_can_be_made_the_newest),
		TABLE_TEST(a_change_is_made_or_not),
		TABLE_TEST(a_kill_at_any_moment_leaves_a_table_that_works),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
