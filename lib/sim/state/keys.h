/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_KEYS_H
#define LIB_SIM_STATE_KEYS_H

#include "lib/sim/state/table.h"

/*
 * The memory keys of a table: 24 bits of index and 8 bits of variant.  All of these functions need the table to
 * be locked.
 */

/** The variant of keys that the device itself gives out: one that was freed is not used again at once. */
#define SIM_KEY_OF_DEVICE 0x80

/**
 * sim_key_index() - the next index that no key has: indexes are used in turn
 * @first: the lowest index, not 0
 */
uint32_t sim_key_index(struct sim_table *table, uint32_t first);

/** sim_key_reuse() - take the key of a variant that was freed last, among the SIM_FREED_KEYS last ones; or 0 */
uint32_t sim_key_reuse(struct sim_table *table, uint8_t variant);

/** sim_key_free() - keep a key, which no object has any more, for sim_key_reuse(); not those of SIM_KEY_OF_DEVICE */
void sim_key_free(struct sim_table *table, uint32_t key);

#endif
