// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/trace/audit/replace.h"
#include "lib/trace/wire/handover.h"

#define WRAPPER      MR_TRACE_QUOTE(MR_TRACE_WRAPPER)
#define WRAPPER_REAL MR_TRACE_QUOTE(MR_TRACE_WRAPPER_REAL)
#define LIBRARY      MR_TRACE_QUOTE(MR_TRACE_LIBRARY)
#define LIBRARY_REAL MR_TRACE_QUOTE(MR_TRACE_LIBRARY_REAL)

/* Whose copy is in a room of the agent: the cookie of an object, or NULL. */
static const uintptr_t *tenants[MR_TRACE_ROOMS];

/* Whose function a wrapper's variable has: indexed by the agent's symbol. */
enum { AGENT_SYMBOLS = 512 };
static const uintptr_t *owners[AGENT_SYMBOLS];

static void *take_rooms(const struct object *agent, size_t bytes, const uintptr_t *cookie)
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
 * The string table moves, too, and stays behind the symbols: programs that look at other objects take the distance
 * for the size of the symbol table, which the dynamic section does not tell.
 */
static ElfW(Sym) * copy_symbols(const struct object *agent, const struct object *object,
				const uintptr_t *cookie)
{
	size_t bytes = object_symbol_count(object) * sizeof(ElfW(Sym));
	unsigned char *room = take_rooms(agent, bytes + object->string_bytes, cookie);

	if (!room)
		return NULL;
	copy(room, object->symbols, bytes);
	copy(room + bytes, object->strings, object->string_bytes);
	object->symtab->d_un.d_ptr = (uintptr_t)room;
	object->strtab->d_un.d_ptr = (uintptr_t)room + bytes;
	return (void *)room;
}

static bool is_wanted(const char *name, const char *const *which)
{
	for (; *which; which++)
		if (text_begins(name, *which))
			return true;
	return false;
}

void replace_symbols(const struct object *agent, const struct object *object,
		     const char *const *which, const uintptr_t *cookie)
{
	uint32_t count = object_symbol_count(agent);
	ElfW(Sym) *copied = NULL;

	for (uint32_t i = 1; i < count && i < AGENT_SYMBOLS; i++) {
		const char *name = text_begins(agent->strings + agent->symbols[i].st_name, WRAPPER);
		uint32_t found, real;

		if (!name || !is_wanted(name, which) || owners[i])
			continue;
		found = object_find(object, "", name);
		real = object_find(agent, WRAPPER_REAL, name);
		if (!found || !real || ELF64_ST_TYPE(object->symbols[found].st_info) != STT_FUNC)
			continue;
		copied = copied ? copied : copy_symbols(agent, object, cookie);
		if (!copied)
			return;
		*(uintptr_t *)object_address(agent, real) = object_address(object, found);
		copied[found].st_value = object_address(agent, i) - object->base;
		owners[i] = cookie;
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

uintptr_t replace_binding(const struct object *agent, const char *name, uintptr_t address)
{
	uint32_t wrapper = object_find(agent, LIBRARY, name);
	uint32_t variable = wrapper ? object_find(agent, LIBRARY_REAL, name) : 0;
	uintptr_t *real, none = 0;

	if (!variable)
		return address;
	real = (void *)object_address(agent, variable);
	/* Objects that were loaded in different ways may find different functions: the first one's counts. */
	if (__atomic_compare_exchange_n(real, &none, address, false, __ATOMIC_RELEASE,
					__ATOMIC_ACQUIRE) ||
	    none == address)
		return object_address(agent, wrapper);
	return address;
}
