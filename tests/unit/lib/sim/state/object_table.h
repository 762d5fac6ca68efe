/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* An object table for the tests of the simulator's state, and what holds for each table. */
#ifndef TESTS_UNIT_LIB_SIM_STATE_OBJECT_TABLE_H
#define TESTS_UNIT_LIB_SIM_STATE_OBJECT_TABLE_H

#include "lib/sim/state/lock.h"
#include "lib/sim/state/objects.h"
#include "tests/unit/unit.h"

#define PD 1
#define MR 7

static inline bool is_table(int fd)
{
	enum mr_sim_profile kind;

	assert_int_equal(sim_table_probe(fd, &kind), 0);
	return kind != MR_SIM_PROFILES;
}

/** open_table() - a new table, locked */
static inline int open_table(void **state)
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

static inline int close_table(void **state)
{
	struct sim_table *table = *state;

	sim_table_unlock(table);
	sim_table_unmap(table);
	close(table->fd);
	return 0;
}

/** add() - make an object; returns its handle */
static inline uint32_t add(struct sim_table *table, uint32_t type, uint32_t parent)
{
	struct sim_object *object;
	uint32_t handle;

	assert_int_equal(sim_object_reserve(table, &handle, &object), 0);
	assert_int_equal(object->type, 0);
	object->parent = parent;
	sim_object_commit(table, handle, type);
	return handle;
}

/** users() - how many objects name that one as parent */
static inline uint32_t users(struct sim_table *table, uint32_t handle)
{
	return table->objects[handle].users;
}

/** assert_listed() - the list by age holds each of @objects once, in both directions */
static inline void assert_listed(struct sim_table *table, uint32_t objects)
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

/** assert_consistent() - the bitmap, the list and the users of @pd agree with the objects, all MRs but @pd */
static inline void assert_consistent(struct sim_table *table, uint32_t pd)
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


#endif
