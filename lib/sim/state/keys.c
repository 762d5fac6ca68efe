// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "lib/sim/state/keys.h"
#include "lib/sim/state/objects.h"

#define INDEXES (1u << 24)

static bool has_index(const struct sim_object *object, uint32_t index)
{
	return (object->type == UVERBS_OBJECT_MR || object->type == UVERBS_OBJECT_MW) &&
	       object->key >> 8 == index;
}

static bool is_taken(const struct sim_table *table, uint32_t index)
{
	const struct sim_object *object;

	for (object = sim_object_newest(table); object; object = sim_object_older(table, object))
		if (has_index(object, index))
			return true;
	return false;
}

/* Where indexes begin anew, the freed keys are forgotten: a new one could be like one of them. */
static uint32_t next_index(struct sim_header *header, uint32_t first)
{
	if (header->key_index >= first && header->key_index < INDEXES - 1)
		return ++header->key_index;
	header->keys_went_round = header->key_index;
	header->freed_count = 0;
	return header->key_index = first;
}

uint32_t sim_key_index(struct sim_table *table, uint32_t first)
{
	uint32_t index, tries = INDEXES;

	do
		index = next_index(table->header, first);
	while (table->header->keys_went_round && is_taken(table, index) && --tries);
	return index;
}

/* The number in the table may have been written over. */
static uint32_t *freed_count(struct sim_header *header)
{
	if (header->freed_count > SIM_FREED_KEYS)
		header->freed_count = 0;
	return &header->freed_count;
}

uint32_t sim_key_reuse(struct sim_table *table, uint8_t variant)
{
	uint32_t *count = freed_count(table->header), *keys = table->header->freed_keys, i, key = 0;

	for (i = *count; i-- && !key;)
		if (keys[i] && (uint8_t)keys[i] == variant) {
			key = keys[i];
			keys[i] = 0;
		}
	while (*count && !keys[*count - 1])
		--*count;
	return key;
}

void sim_key_free(struct sim_table *table, uint32_t key)
{
	uint32_t *count = freed_count(table->header), *keys = table->header->freed_keys;

	if ((uint8_t)key == SIM_KEY_OF_DEVICE)
		return;
	if (*count == SIM_FREED_KEYS) { /* forget the older half */
		memmove(keys, keys + SIM_FREED_KEYS / 2, SIM_FREED_KEYS / 2 * sizeof(*keys));
		*count = SIM_FREED_KEYS / 2;
	}
	keys[(*count)++] = key;
}
