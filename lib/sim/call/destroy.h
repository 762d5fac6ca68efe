/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_CALL_DESTROY_H
#define LIB_SIM_CALL_DESTROY_H

#include <stdint.h>

#include "lib/sim/state/table.h"

/** sim_destroy_object() - uobj_destroy() and the destroy_hw() of the type: 0, or -EBUSY while another needs it */
int sim_destroy_object(struct sim_table *table, const struct sim_object *object);

/**
 * sim_destroy() - destroy an object by a handle from user space
 *
 * Return: 0, -ENOENT, -EINVAL for another type, -EBUSY when another object needs it.
 */
int sim_destroy(struct sim_table *table, uint16_t type, uint64_t handle);

#endif
