/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_OBJECTS_H
#define LIB_SIM_STATE_OBJECTS_H

#include <errno.h>
#include <stddef.h>

#include "lib/sim/state/table.h"

/* The objects of a table.  All of these functions need it to be locked. */

/**
 * sim_object_find() - look an object up
 * @handle: any number from user space
 *
 * Return: 0, -ENOENT for a handle that is free, -EINVAL for an object of another type.
 */
static inline int sim_object_find(const struct sim_table *table, uint32_t type, uint64_t handle,
				  struct sim_object **object)
{
	if (handle >= table->mapped || !table->objects[handle].type)
		return -ENOENT;
	*object = &table->objects[handle];
	return (*object)->type == type ? 0 : -EINVAL;
}

/** sim_object_handle() - the handle of an object, which is its place in the table */
static inline uint32_t sim_object_handle(const struct sim_table *table,
					 const struct sim_object *object)
{
	return (uint32_t)(object - table->objects);
}

/** sim_object_newest() - the object made last, or NULL; then sim_object_older() for all others */
static inline const struct sim_object *sim_object_newest(const struct sim_table *table)
{
	return table->header->newest == SIM_NO_HANDLE ? NULL
						      : &table->objects[table->header->newest];
}

/** sim_object_older() - the object made before this one, or NULL */
static inline const struct sim_object *sim_object_older(const struct sim_table *table,
							const struct sim_object *object)
{
	return object->older == SIM_NO_HANDLE ? NULL : &table->objects[object->older];
}

/**
 * sim_object_reserve() - take the lowest free handle
 * @object: its empty place, good until the next reservation or the unlocking
 *
 * Follow with sim_object_commit() or sim_object_cancel() before unlocking.
 *
 * Return: 0, or -ENOMEM.
 */
int sim_object_reserve(struct sim_table *table, uint32_t *handle, struct sim_object **object);

/** sim_object_commit() - the object exists, and from now on keeps its @parent busy */
void sim_object_commit(struct sim_table *table, uint32_t handle, uint32_t type);
void sim_object_cancel(struct sim_table *table, uint32_t handle);

/**
 * sim_object_change() - give an object other contents, all or (killed inside) nothing
 * @contents: all but type, users and place in the list
 */
void sim_object_change(struct sim_table *table, uint32_t handle, const struct sim_object *contents);

/** sim_object_renew() - list the object as if it had been made just now */
void sim_object_renew(struct sim_table *table, uint32_t handle);

/** sim_object_delete() - free an object and its handle */
void sim_object_delete(struct sim_table *table, uint32_t handle);

/**
 * sim_objects_repair() - build again what can be derived, after a process was killed inside
 *
 * What sim_object_change() began is finished first.
 */
void sim_objects_repair(struct sim_table *table);

#endif
