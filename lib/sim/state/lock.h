/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_LOCK_H
#define LIB_SIM_STATE_LOCK_H

#include "lib/sim/state/table.h"

/**
 * sim_table_lock() - lock the table; everything in objects.h needs it
 *
 * If the last holder was killed, the table is repaired.  Objects that others have added are mapped.
 *
 * Return: 0, -ENOMEM, -EIO if the table was overwritten, -ETIMEDOUT if another process holds the lock
 * for half a minute.
 */
int sim_table_lock(struct sim_table *table);
void sim_table_unlock(struct sim_table *table);

#endif
