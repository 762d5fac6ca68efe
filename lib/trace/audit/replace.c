// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/trace/audit/replace.h"
#include "lib/trace/wire/handover.h"

#define WRAPPER MR_TRACE_QUOTE(MR_TRACE_WRAPPER)
#define REAL    MR_TRACE_QUOTE(MR_TRACE_REAL)
#define LIBRARY MR_TRACE_QUOTE(MR_TRACE_LIBRARY)

enum {
	AGENT_SYMBOLS = 512,
	NAME_BYTES = 256, /* of names that are added to a string table */
};

/* Whose copy is in a room of the agent: the cookie of an object, or NULL. */
static const uintptr_t *tenants[MR_TRACE_ROOMS];

/* Whose function a wrapper of the agent stands for, by the wrapper's symbol. */
static const uintptr_t *owners[AGENT_SYMBOLS];

static unsigned char *take_rooms(const struct object *agent, size_t bytes, const uintptr_t *cookie)
{
	size_t wanted = (bytes + MR_TRACE_ROOM_BYTES - 1) / MR_TRACE_ROOM_BYTES, found = 0;
	uint32_t index = object_find(agent, "", MR_TRACE_QUOTE(MR_TRACE_ROOMS_NAME));
	struct mr_trace_rooms *rooms = (void *)object_address(agent, index);

	if (!index)
		return NULL;
	for (size_t i = 0; i < MR_TRACE_ROOMS; i++) {
		found = tenants[i] ? 0 : found + 1;
		if (found < wanted)
			continue;
		for (size_t taken = 0; taken < wanted; taken++)
			tenants[i - taken] = cookie;
		return rooms->bytes[i + 1 - wanted];
	}
	return NULL;
}

/* memcpy(), which the compiler would make a call of libc's of, were it not for volatile. */
static void copy(unsigned char *to, const void *from, size_t bytes)
{
	const volatile unsigned char *source = from;

	for (size_t i = 0; i < bytes; i++)
		to[i] = source[i];
}

/*
 * Give the object a copy of its symbol table.  The string table moves, too, and stays behind the symbols: programs
 * that look at other objects take the distance for the size of the symbol table, which nothing tells.
 */
static bool make_copy(struct replacement *r)
{
	struct object *object = &r->object;
	size_t symbols = object_symbol_count(object) * sizeof(ElfW(Sym));
	size_t strings = object->strsz->d_un.d_val;
	unsigned char *room;

	if (r->copied || r->failed)
		return r->copied;
	room = take_rooms(r->agent, symbols + strings + NAME_BYTES, r->cookie);
	r->failed = !room;
	if (!room)
		return false;
	copy(room, object->symbols, symbols);
	copy(room + symbols, object->strings, strings);
	object->symbols = (const void *)room;
	object->strings = (const char *)room + symbols;
	object->symtab->d_un.d_ptr = (uintptr_t)room;
	object->strtab->d_un.d_ptr = (uintptr_t)room + symbols;
	object->strsz->d_un.d_val = strings + NAME_BYTES;
	r->strings_used = strings;
	r->copied = true;
	return true;
}

/* A symbol of the copy. */
static ElfW(Sym) * symbol_of(const struct replacement *r, uint32_t index)
{
	return (ElfW(Sym) *)r->object.symtab->d_un.d_ptr + index;
}

static bool is_wanted(const char *name, const char *const *which)
{
	for (; *which; which++)
		if (text_begins(name, *which))
			return true;
	return false;
}

void replace_functions(struct replacement *r, const char *const *which)
{
	const struct object *agent = r->agent, *object = &r->object;
	uint32_t count = object_symbol_count(agent);

	for (uint32_t i = 1; i < count && i < AGENT_SYMBOLS; i++) {
		const char *name = text_begins(object_name(agent, i), WRAPPER);
		uint32_t found, real;

		if (!name || !is_wanted(name, which) || owners[i])
			continue;
		found = object_find(object, "", name);
		real = object_find(agent, REAL, name);
		if (!found || !real || ELF64_ST_TYPE(object->symbols[found].st_info) != STT_FUNC ||
		    !make_copy(r))
			continue;
		*(uintptr_t *)object_address(agent, real) = object_address(object, found);
		symbol_of(r, found)->st_value = object_address(agent, i) - object->base;
		owners[i] = r->cookie;
	}
}

/*
 * The symbol of the reference gets the name of the wrapper, which the agent alone defines.  The agent's own reference
 * is then bound to what the object would have called.
 */
void replace_references(struct replacement *r)
{
	const struct object *agent = r->agent;
	uint32_t count = object_symbol_count(agent);

	for (uint32_t i = 1; i < count; i++) {
		const char *wrapper = object_name(agent, i), *name = text_begins(wrapper, LIBRARY);
		uint32_t found = name ? object_find_undefined(&r->object, name) : 0;
		size_t length = 0;

		while (wrapper[length++])
			;
		if (!found || !make_copy(r) ||
		    r->strings_used + length > r->object.strsz->d_un.d_val)
			continue;
		copy((unsigned char *)r->object.strtab->d_un.d_ptr + r->strings_used, wrapper,
		     length);
		symbol_of(r, found)->st_name = (uint32_t)r->strings_used;
		r->strings_used += length;
	}
}

void replace_forget(const struct object *agent, const uintptr_t *cookie)
{
	uint32_t count = object_symbol_count(agent);

	for (uint32_t i = 1; i < count && i < AGENT_SYMBOLS; i++)
		if (owners[i] == cookie)
			owners[i] = NULL;
	for (size_t i = 0; i < MR_TRACE_ROOMS; i++)
		if (tenants[i] == cookie)
			tenants[i] = NULL;
}
