// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The objects of a table: handles, the list by age, changes, and the repair after a kill. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/lib/sim/state/object_table.h"

TEST(the_lowest_free_handle_is_given_out)
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

TEST(a_cancelled_handle_is_free)
{
	struct sim_table *table = *state;
	struct sim_object *object;
	uint32_t handle;

	assert_int_equal(sim_object_reserve(table, &handle, &object), 0);
	sim_object_cancel(table, handle);
	assert_int_equal(sim_object_find(table, PD, handle, &object), -ENOENT);
	assert_int_equal(add(table, PD, SIM_NO_HANDLE), handle);
}

TEST(type_and_handle_must_agree)
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

TEST(children_keep_their_parent_busy)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE), mr = add(table, MR, pd);

	assert_int_equal(users(table, pd), 1);
	add(table, MR, pd);
	sim_object_delete(table, mr);
	assert_int_equal(users(table, pd), 1);
}

TEST(a_list_that_was_written_over_has_an_end)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE), mr = add(table, MR, pd);
	struct sim_object *object;

	table->objects[pd].older = mr; /* a circle */
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

TEST(numbers_that_were_written_over_reach_nothing_else)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE), mr = add(table, MR, pd);
	struct sim_object *object;

	table->header->changing = 0x7fffffff;
	table->objects[mr].parent = 0x7fffffff;
	table->header->damaged = true;
	sim_table_unlock(table);
	assert_int_equal(sim_table_lock(table), 0);
	assert_int_equal(sim_object_find(table, MR, mr, &object), 0);
	assert_int_equal(users(table, pd), 0);
}

/* Run work() in a child that is killed while it holds the lock. */
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

TEST(a_reservation_does_not_outlive_its_maker)
{
	struct sim_table *table = *state;
	uint32_t pd = add(table, PD, SIM_NO_HANDLE);

	add(table, MR, pd);
	killed_inside(table, reserve_only);
	assert_int_equal(users(table, pd), 1);
	assert_int_equal(add(table, MR, pd), 2);
}

/* The stores of sim_object_delete() until a kill. */
static void half_a_deletion(struct sim_table *table)
{
	table->objects[1].type = 0;
}

/* The same, killed one store later; object 1 is the newest. */
static void more_of_a_deletion(struct sim_table *table)
{
	half_a_deletion(table);
	table->header->newest = table->objects[1].older;
}

/* The stores of sim_object_commit() until a kill. */
static void half_a_commit(struct sim_table *table)
{
	struct sim_object *object;
	uint32_t handle;

	if (sim_object_reserve(table, &handle, &object))
		return;
	object->older = table->header->newest;
	table->header->newest = handle;
}

/* The stores of sim_object_renew() until a kill. */
static void half_a_renewal(struct sim_table *table)
{
	table->objects[3].older = table->objects[2].older;
}

TEST(what_was_half_done_is_repaired)
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

TEST(an_object_can_be_made_the_newest)
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

/* The stores of sim_object_change() until a kill: header->changing, and some of what follows it. */
static void half_a_change(struct sim_table *table)
{
	table->header->change = (struct sim_object){ .parent = 1, .key = 7, .length = 11 };
	table->header->changing = 2;
	table->objects[0].users--;
	table->objects[2].length = 11;
}

/* The same, killed before header->changing is stored: the change is not made. */
static void before_a_change(struct sim_table *table)
{
	table->header->change = (struct sim_object){ .parent = 0, .key = 8 };
}

TEST(a_change_is_made_or_not)
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

EACH_TEST(open_table, close_table)
