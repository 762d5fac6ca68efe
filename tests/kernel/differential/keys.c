// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "tests/kernel/differential/keys.h"
#include "tests/kernel/differential/state.h"

#define LEAST      4ull
#define HUGE_BLOCK 0x200000ull
#define NONE       UINT32_MAX

/* Whether regions of these numbers of blocks may get each other's keys. */
static bool are_similar(uint64_t a, uint64_t b)
{
	return (a < b ? b : a) < 2 * (a < b ? a : b);
}

/* Up to Linux 6 there are keys for 4, 8, 16, … blocks. */
static uint64_t round_blocks(uint64_t blocks)
{
	uint64_t rounded = LEAST;

	if (blocks == BLOCKS_OF_DEVICE || state.kernel >= 700)
		return blocks;
	while (rounded < blocks && rounded < 1ull << 63)
		rounded *= 2;
	return rounded;
}

uint64_t key_blocks(const struct range *range, uint32_t access)
{
	const uint64_t size =
		is_on_demand(access) && access & IB_UVERBS_ACCESS_HUGETLB ? HUGE_BLOCK : PAGE;

	if (range->of_device)
		return BLOCKS_OF_DEVICE;
	return round_blocks((range->addr + range->length - 1) / size - range->addr / size + 1);
}

/* The last key freed that a region of @blocks might get, or NONE. */
static uint32_t find_last(uint64_t blocks)
{
	const struct freed_keys *freed = &state.freed;
	uint32_t i;

	for (i = freed->count; i--;)
		if (are_similar(freed->blocks[i], blocks))
			return i;
	return NONE;
}

/* On rxe only the index counts: the low bits are random. */
static uint32_t find_key(uint32_t key)
{
	const uint32_t mask = state.is_mlx5 ? UINT32_MAX : UINT32_MAX << 8;
	const struct freed_keys *freed = &state.freed;
	uint32_t i;

	for (i = 0; i < freed->count; i++)
		if (!((freed->key[i] ^ key) & mask))
			return i;
	return NONE;
}

static void remove_key(uint32_t at)
{
	struct freed_keys *freed = &state.freed;

	freed->count--;
	memmove(&freed->key[at], &freed->key[at + 1], (freed->count - at) * sizeof(freed->key[0]));
	memmove(&freed->blocks[at], &freed->blocks[at + 1],
		(freed->count - at) * sizeof(freed->blocks[0]));
}

void key_free(uint32_t key, uint64_t blocks)
{
	struct freed_keys *freed = &state.freed;

	if (blocks == BLOCKS_OF_DEVICE || freed->count == FREED_MAX)
		return;
	freed->key[freed->count] = key;
	freed->blocks[freed->count++] = blocks;
}

static bool is_open(uint64_t blocks)
{
	const struct freed_keys *freed = &state.freed;
	uint32_t i;

	for (i = 0; i < freed->open_count; i++)
		if (are_similar(freed->open[i], blocks))
			return true;
	return false;
}

static void add_open(uint64_t blocks)
{
	struct freed_keys *freed = &state.freed;
	uint32_t i;

	for (i = 0; i < freed->open_count; i++)
		if (freed->open[i] == blocks)
			return;
	if (freed->open_count < FREED_MAX)
		freed->open[freed->open_count++] = blocks;
}

/*
 * From now on nobody can know which key a region of @blocks gets, nor of a similar number.  Neither for the numbers
 * of the freed keys that it may have got: whether they are still there is not known.
 */
static void leave_open(uint64_t blocks)
{
	const struct freed_keys *freed = &state.freed;
	uint32_t i;

	for (i = 0; i < freed->count; i++)
		if (are_similar(freed->blocks[i], blocks))
			add_open(freed->blocks[i]);
	add_open(blocks);
}

static bool can_be_known(uint64_t blocks, uint32_t last)
{
	if (!is_open(blocks) && (last == NONE || state.freed.blocks[last] == blocks))
		return true;
	leave_open(blocks);
	return false;
}

const char *key_take(uint32_t key, uint64_t blocks)
{
	const bool is_pooled = state.is_mlx5 && blocks != BLOCKS_OF_DEVICE;
	const uint32_t found = find_key(key), last = is_pooled ? find_last(blocks) : NONE;
	const bool known = !is_pooled || can_be_known(blocks, last);

	if (found != NONE)
		remove_key(found);
	if (!known)
		return "any";
	return found == NONE ? "new" : found == last ? "last" : "older";
}

const char *id_take(uint32_t id)
{
	uint32_t i;

	for (i = 0; i < state.id_count; i++)
		if (state.ids[i] == id)
			return "again";
	if (state.id_count < FREED_MAX)
		state.ids[state.id_count++] = id;
	return "new";
}
