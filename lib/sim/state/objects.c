// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The objects of a table, their handles, and the list of them by age.
 *
 * All types of objects share one space of handles, and a new object gets the lowest free handle, as from
 * the kernel's xarray (rdma_core.c alloc_begin_idr_uobject()).  A tree of bitmaps with four levels, each
 * word of which covers 64 of the level below, finds it in four steps.
 */
#include <string.h>

#include "lib/sim/state/objects.h"

/* A bit of one level is set when the word below it is full. */
static void take_handle(struct sim_header *header, uint32_t handle)
{
	uint64_t *levels[] = { header->used, header->full1, header->full2, &header->full3 };
	size_t level;

	header->taken++;
	for (level = 0; level < 4; level++, handle /= 64) {
		levels[level][handle / 64] |= 1ull << handle % 64;
		if (~levels[level][handle / 64])
			return;
	}
}

static void release_handle(struct sim_header *header, uint32_t handle)
{
	uint64_t *levels[] = { header->used, header->full1, header->full2, &header->full3 };
	size_t level;

	header->taken--;
	for (level = 0; level < 4; level++, handle /= 64)
		levels[level][handle / 64] &= ~(1ull << handle % 64);
}

/*
 * A process can be killed between any two stores.  The table can be repaired only if the stores until
 * then are those that come first in the source: the compiler may not move a store across this.
 */
static void keep_order(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Where the list names the object before @newer; with SIM_NO_HANDLE, where it names its newest. */
static uint32_t *older_link(struct sim_table *table, uint32_t newer)
{
	return newer == SIM_NO_HANDLE ? &table->header->newest : &table->objects[newer].older;
}

static void set_newer(struct sim_table *table, uint32_t older, uint32_t newer)
{
	if (older != SIM_NO_HANDLE)
		table->objects[older].newer = newer;
}

/* The store into the header adds the object: before that, a kill leaves the list as it was. */
static void add_to_list(struct sim_table *table, uint32_t handle)
{
	struct sim_object *object = &table->objects[handle];

	object->older = table->header->newest;
	object->newer = SIM_NO_HANDLE;
	keep_order();
	table->header->newest = handle;
	keep_order();
	set_newer(table, object->older, handle);
}

static void remove_from_list(struct sim_table *table, uint32_t handle)
{
	const struct sim_object *object = &table->objects[handle];

	*older_link(table, object->newer) = object->older;
	keep_order();
	set_newer(table, object->older, object->newer);
}

static uint32_t first_zero(uint64_t word)
{
	return (uint32_t)__builtin_ctzll(~word);
}

bool sim_object_has_room(const struct sim_table *table)
{
	return table->header->taken < table->header->max_objects;
}

int sim_object_reserve(struct sim_table *table, uint32_t *handle, struct sim_object **object)
{
	struct sim_header *header = table->header;
	uint32_t lowest;
	int rc;

	if (!~header->full3)
		return -ENOMEM;
	if (!sim_object_has_room(table))
		return -EAGAIN;
	lowest = first_zero(header->full3);
	lowest = lowest * 64 + first_zero(header->full2[lowest]);
	lowest = lowest * 64 + first_zero(header->full1[lowest]);
	lowest = lowest * 64 + first_zero(header->used[lowest]);
	if (lowest >= header->capacity) {
		rc = sim_table_grow(table);
		if (rc)
			return rc;
	}
	take_handle(header, lowest);
	*handle = lowest;
	*object = &table->objects[lowest];
	**object = (struct sim_object){ .parent = SIM_NO_HANDLE };
	return 0;
}

void sim_object_commit(struct sim_table *table, uint32_t handle, uint32_t type)
{
	struct sim_object *object = &table->objects[handle];

	if (object->parent != SIM_NO_HANDLE)
		table->objects[object->parent].users++;
	add_to_list(table, handle);
	keep_order();
	object->type = (uint16_t)type;
}

void sim_object_cancel(struct sim_table *table, uint32_t handle)
{
	release_handle(table->header, handle);
}

/* If a process is killed in here, the next one that locks the table runs it again. */
static void finish_change(struct sim_table *table)
{
	const struct sim_object *change = &table->header->change;
	struct sim_object *object = &table->objects[table->header->changing];

	object->flags = change->flags;
	object->parent = change->parent;
	object->key = change->key;
	object->addr = change->addr;
	object->length = change->length;
	object->iova = change->iova;
	object->mm = change->mm;
	object->key_pages = change->key_pages;
	object->pinned = change->pinned;
	object->access = change->access;
	keep_order();
	table->header->changing = SIM_NO_HANDLE;
}

void sim_object_change(struct sim_table *table, uint32_t handle, const struct sim_object *contents)
{
	struct sim_object *objects = table->objects;

	table->header->change = *contents;
	keep_order();
	table->header->changing = handle;
	keep_order();
	if (objects[handle].parent != SIM_NO_HANDLE)
		objects[objects[handle].parent].users--;
	if (contents->parent != SIM_NO_HANDLE)
		objects[contents->parent].users++;
	finish_change(table);
}

void sim_object_renew(struct sim_table *table, uint32_t handle)
{
	remove_from_list(table, handle);
	keep_order();
	add_to_list(table, handle);
}

void sim_object_delete(struct sim_table *table, uint32_t handle)
{
	struct sim_object *object = &table->objects[handle];

	object->type = 0;
	keep_order();
	remove_from_list(table, handle);
	if (object->parent != SIM_NO_HANDLE)
		table->objects[object->parent].users--;
	release_handle(table->header, handle);
}

/*
 * Remove objects without a type from the list: they were being made or deleted.  Add those with a type
 * that it lacks, as the newest: they were being renewed.  In between, an object whose @newer is its own
 * handle was not met in the list.
 */
static void repair_list(struct sim_table *table)
{
	uint32_t newer = SIM_NO_HANDLE, handle;

	for (handle = 0; handle < table->header->capacity; handle++)
		table->objects[handle].newer = handle;
	while ((handle = *older_link(table, newer)) < table->header->capacity) {
		if (table->objects[handle].newer != handle)
			break;
		if (table->objects[handle].type) {
			table->objects[handle].newer = newer;
			newer = handle;
		} else {
			*older_link(table, newer) = table->objects[handle].older;
		}
	}
	/* so it is already, unless the list was overwritten and leads in a circle or out of the table */
	*older_link(table, newer) = SIM_NO_HANDLE;
	for (handle = 0; handle < table->header->capacity; handle++)
		if (table->objects[handle].type && table->objects[handle].newer == handle)
			add_to_list(table, handle);
}

void sim_objects_repair(struct sim_table *table)
{
	struct sim_header *header = table->header;
	struct sim_object *object;
	uint32_t i;

	/* A program that writes over the table may have left any number in it. */
	if (header->changing < header->capacity)
		finish_change(table);
	header->changing = SIM_NO_HANDLE;
	repair_list(table);

	memset(header->used, 0, header->capacity / 8);
	memset(header->full1, 0, sizeof(header->full1));
	memset(header->full2, 0, sizeof(header->full2));
	header->full3 = 0;
	header->taken = 0;
	header->freed_count = 0;
	for (i = 0; i < header->capacity; i++)
		table->objects[i].users = 0;
	for (i = 0; i < header->capacity; i++) {
		object = &table->objects[i];
		if (!object->type)
			continue;
		take_handle(header, i);
		if (object->parent < header->capacity)
			table->objects[object->parent].users++;
	}
}
