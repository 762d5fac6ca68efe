/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_LOCK_H
#define LIB_SIM_STATE_LOCK_H

#include "lib/sim/state/table.h"

/**
 * sim_table_lock() - enter the table; everything in objects.h needs it
 *
 * Repairs what a process left that was killed inside, and maps what others have added.
 *
 * Return: 0, -ENOMEM, -EIO where somebody wrote over the table, -ETIMEDOUT where another holds the
 * lock for too long.
 */
int sim_table_lock(struct sim_table *table);
void sim_table_unlock(struct sim_table *table);

#endif
