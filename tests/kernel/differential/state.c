// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>

#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"
#include "tests/kernel/differential/state.h"

struct state state;

/* ---- the line of output -------------------------------------------------------------------- */

void line_add(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	state.length += (size_t)vsnprintf(state.line + state.length,
					  sizeof(state.line) - state.length, format, args);
	va_end(args);
	if (state.length >= sizeof(state.line))
		state.length = sizeof(state.line) - 1;
}

bool send_request(void)
{
	char what[128];
	int error;

	if (state.request.hdr.num_attrs && chance(12)) {
		mutate(&state.request, what, sizeof(what));
		line_add(" [%s]", what);
	}
	error = send_mutated(&state.request, state.fd);
	line_add(" -> %s", error ? strerrorname_np(error) : "ok");
	return !error;
}

/* ---- objects ------------------------------------------------------------------------------- */

void add_object(enum type type, uint32_t handle, uint32_t key, const struct range *range,
		uint32_t access)
{
	struct objects *objects = &state.objects[type];

	if (objects->count == OBJECTS_MAX)
		return;
	objects->handle[objects->count] = handle;
	objects->iova[objects->count] = range ? range->iova : 0;
	objects->access[objects->count] = access;
	objects->key_blocks[objects->count] = range ? key_blocks(range, access) : BLOCKS_OF_DEVICE;
	objects->on_demand[objects->count] = access & IB_UVERBS_ACCESS_ON_DEMAND;
	objects->key[objects->count++] = key;
}

void forget_object(enum type type, uint32_t handle)
{
	struct objects *objects = &state.objects[type];
	uint32_t i;

	objects->stale[objects->stale_count++ % OBJECTS_MAX] = handle;
	for (i = 0; i < objects->count; i++) {
		if (objects->handle[i] != handle)
			continue;
		if (type == MR)
			key_free(objects->key[i], objects->key_blocks[i]);
		objects->count--;
		objects->handle[i] = objects->handle[objects->count];
		objects->key[i] = objects->key[objects->count];
		objects->iova[i] = objects->iova[objects->count];
		objects->access[i] = objects->access[objects->count];
		objects->key_blocks[i] = objects->key_blocks[objects->count];
		objects->on_demand[i] = objects->on_demand[objects->count];
		return;
	}
}

bool is_full(enum type type)
{
	return state.objects[type].count == OBJECTS_MAX;
}

uint32_t find_mr(uint32_t handle)
{
	const struct objects *mrs = &state.objects[MR];
	uint32_t i;

	for (i = 0; i < mrs->count; i++)
		if (mrs->handle[i] == handle)
			return i;
	return OBJECTS_MAX;
}

uint32_t mr_key(uint32_t handle)
{
	const uint32_t i = find_mr(handle);

	return i < OBJECTS_MAX ? state.objects[MR].key[i] : 0;
}

uint32_t draw_handle(enum type type)
{
	static const uint32_t others[] = { 100, 0x10000, 0x7fffffff, 0x80000000, UINT32_MAX };
	const struct objects *objects = &state.objects[type];
	const uint32_t kind = draw(100);
	uint32_t stale = objects->stale_count < OBJECTS_MAX ? objects->stale_count : OBJECTS_MAX;

	if (kind >= 90)
		objects = &state.objects[draw(TYPES)];
	if (kind < 3)
		return PICK(others);
	if (kind < 10 && stale)
		return objects->stale[draw(stale)];
	return objects->count ? objects->handle[draw(objects->count)] : 0;
}

/* The index of the MR that has a key, or OBJECTS_MAX. */
static uint32_t find_key(uint32_t key)
{
	const struct objects *mrs = &state.objects[MR];
	uint32_t i;

	for (i = 0; i < mrs->count; i++)
		if (mrs->key[i] == key)
			return i;
	return OBJECTS_MAX;
}

const char *describe_key(uint32_t key, uint32_t before)
{
	if (!key)
		return "0";
	if (key == before)
		return "same";
	return find_key(key) < OBJECTS_MAX ? "another's" : "new";
}

/* A driver never gives out such a key. */
static bool is_strange(uint32_t key)
{
	return !key || find_key(key) < OBJECTS_MAX;
}

const char *change_key(uint32_t i, uint32_t key, uint64_t blocks)
{
	struct objects *mrs = &state.objects[MR];
	const uint32_t before = mrs->key[i];
	const char *word;

	if (key == before || is_strange(key))
		return describe_key(key, before);
	word = key_take(key, blocks);
	key_free(before, mrs->key_blocks[i]);
	mrs->key[i] = key;
	mrs->key_blocks[i] = blocks;
	return word;
}

void add_mr(uint32_t handle, uint32_t lkey, uint32_t rkey, const struct range *range,
	    uint32_t access)
{
	line_add(" handle=%u lkey=%s", handle,
		 is_strange(lkey) ? describe_key(lkey, 0)
				  : key_take(lkey, key_blocks(range, access)));
	line_add(" rkey=%s", rkey == lkey ? "lkey" : describe_key(rkey, 0));
	add_object(MR, handle, lkey, range, access);
}

/* ---- requests ------------------------------------------------------------------------------ */

void *in_buffer(unsigned int i)
{
	return buffers.in[i];
}

void *out_buffer(unsigned int i)
{
	return buffers.out[i];
}

void init_command(uint64_t command, const void *request, size_t in_size, size_t out_size)
{
	memcpy(in_buffer(0), request, in_size);
	init_write(&state.request, command, in_buffer(0), in_size, out_buffer(0), out_size);
}

uint64_t attr_value(uint16_t id)
{
	size_t i;

	for (i = 0; i < state.request.hdr.num_attrs; i++)
		if (state.request.attrs[i].attr_id == id)
			return state.request.attrs[i].data;
	return UINT64_MAX;
}

uint32_t draw_access(void)
{
	static const uint32_t some[] = { 0, 1, 1,   1,    3,    4,    5,    5,
					 7, 9, 0xf, 0x1f, 0x41, 0x41, 0x47, 0x100001 };
	uint64_t access;

	if (chance(70))
		return PICK(some);
	/* compilers choose the order of the operands of an operator: one draw in each statement */
	if (chance(70)) { /* any of the defined flags, mostly legal together */
		access = draw_bits();
		access &= draw_bits();
		return (uint32_t)(access & 0x1003ff) | chance(80);
	}
	access = draw_bits();
	access &= draw_bits();
	return (uint32_t)(access & 0x3f) | 1u << draw(32);
}

bool is_on_demand(uint32_t access)
{
	return access & IB_UVERBS_ACCESS_ON_DEMAND;
}
