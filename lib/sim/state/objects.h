/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_OBJECTS_H
#define LIB_SIM_STATE_OBJECTS_H

#include <errno.h>
#include <stddef.h>

#include "lib/sim/state/table.h"

/* The objects of a table.  All of these functions need it to be locked. */

/**
 * sim_object_find() - look an object up by its handle
 * @type:   number of the uverbs object
 * @handle: any number from user space
 * @object: set to the object, also if it has another type
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

/** sim_object_handle() - the handle of an object: its index in the table */
static inline uint32_t sim_object_handle(const struct sim_table *table,
					 const struct sim_object *object)
{
	return (uint32_t)(object - table->objects);
}

/** sim_object_newest() - the object made last, or NULL; sim_object_older() leads to all others */
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

/** sim_object_has_room() - whether the limit of objects allows one more */
bool sim_object_has_room(const struct sim_table *table);

/**
 * sim_object_reserve() - reserve the lowest free handle for a new object
 * @object: set to the object, empty; the next reservation may move it
 *
 * Follow with sim_object_commit() or sim_object_cancel() before unlocking: until then no object has the
 * handle, and a repair of the table frees it.
 *
 * Return: 0, -ENOMEM, or -EAGAIN: the limit is reached (rdmacg_try_charge()).
 */
int sim_object_reserve(struct sim_table *table, uint32_t *handle, struct sim_object **object);

/** sim_object_commit() - make a reserved object exist; from now on it keeps its @parent busy */
void sim_object_commit(struct sim_table *table, uint32_t handle, uint32_t type);

/** sim_object_cancel() - free a reserved handle */
void sim_object_cancel(struct sim_table *table, uint32_t handle);

/**
 * sim_object_change() - give an object other contents: all of them or, if the caller is killed, none
 * @contents: copied but for type, users and the links of the list
 */
void sim_object_change(struct sim_table *table, uint32_t handle, const struct sim_object *contents);

/** sim_object_renew() - make an object the newest of the list */
void sim_object_renew(struct sim_table *table, uint32_t handle);

/** sim_object_delete() - free an object and its handle */
void sim_object_delete(struct sim_table *table, uint32_t handle);

/**
 * sim_objects_repair() - restore what a process left that was killed with the table locked
 *
 * A change that sim_object_change() began is finished.  Then the list, the bitmaps and all counts of
 * users are derived from the types and the links to older objects.
 */
void sim_objects_repair(struct sim_table *table);

#endif
