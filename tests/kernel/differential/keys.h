/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which freed key or id comes back.  The numbers themselves differ from machine to machine. */
#ifndef TESTS_KERNEL_DIFFERENTIAL_KEYS_H
#define TESTS_KERNEL_DIFFERENTIAL_KEYS_H

#include <stdint.h>

#include "tests/kernel/differential/arena.h"

#define FREED_MAX 64 /* more than an episode can free */

/** The keys that were freed in an episode and have not come back, the last one last. */
struct freed_keys {
	uint32_t key[FREED_MAX];
	uint64_t blocks[FREED_MAX];
	uint32_t count;
	uint64_t open[FREED_MAX]; /**< numbers of blocks of which it cannot be known any more */
	uint32_t open_count;
};

#define BLOCKS_OF_DEVICE                                                                           \
	0 /* the driver does not keep the key of such a region: the device chooses it */

/** key_blocks() - the number of blocks, as the driver rounds it, for which a region needs a key; or BLOCKS_OF_DEVICE */
uint64_t key_blocks(const struct range *range, uint32_t access);

/** key_free() - note that a key was freed; @blocks: for which the driver chose it */
void key_free(uint32_t key, uint64_t blocks);

/**
 * key_take() - note that a region of @blocks got a key, and say in a word which one
 *
 * mlx5 keeps freed keys by their number of blocks, and uses the last one first.  Since Linux 7.2 it takes one with
 * more blocks if it has less than the double.  So it depends on all regions of the device, ever, whether regions
 * with similar numbers share their keys.
 *
 * Return:
 * - "last": the last one freed with as many blocks, as it must be;
 * - "older": another one that was freed, as it must not be;
 * - "new": no key of this episode;
 * - "any": nobody can know, after a region with a similar number of blocks was the last one freed.  Neither can
 *   they for similar numbers in the rest of the episode.
 */
const char *key_take(uint32_t key, uint64_t blocks);

/** id_take() - whether the id of a umem was one in this episode before: "again" or "new" */
const char *id_take(uint32_t id);

#endif
