/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_CALL_DESTROY_H
#define LIB_SIM_CALL_DESTROY_H

#include <stdint.h>

#include "lib/sim/state/table.h"

/** sim_destroy_object() - uobj_destroy() and the type's destroy_hw(): 0, or -EBUSY while it is needed */
int sim_destroy_object(struct sim_table *table, const struct sim_object *object);

/**
 * sim_destroy() - destroy an object by its handle
 * @type:   number of the uverbs object
 * @handle: any number from user space
 *
 * Return: 0, -ENOENT for a handle that is free, -EINVAL for an object of another type, -EBUSY while
 * another object needs it.
 */
int sim_destroy(struct sim_table *table, uint16_t type, uint64_t handle);

#endif
