// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/trace/audit/audit.h"
#include "lib/trace/wire/wire.h"

#define MR_TRACE_QUOTE_(x) #x
/* MR_TRACE_QUOTE() - the text of a prefix */
#define MR_TRACE_QUOTE(x) MR_TRACE_QUOTE_(x)

/* object_address() - where a symbol is */
static inline uintptr_t object_address(const struct object *object, uint32_t index)
{
	return object->base + object->symbols[index].st_value;
}

/* object_name() - a symbol's name */
static inline const char *object_name(const struct object *object, uint32_t index)
{
	return object->strings + object->symbols[index].st_name;
}

/* DT_GNU_HASH: this, then the Bloom filter, then the buckets, then the chains. */
struct gnu_hash {
	uint32_t buckets;
	uint32_t first; /* index of the first symbol that is hashed */
	uint32_t bloom_words;
	uint32_t bloom_shift;
};

enum {
	HIDDEN_VERSION = 0x8000, /* bit of DT_VERSYM: only references to just this version get it */
};

/* Returns whether @text begins with @prefix; the place after it, or NULL. */
static const char *text_begins(const char *text, const char *prefix)
{
	while (*prefix)
		if (*text++ != *prefix++)
			return NULL;
	return text;
}

static bool text_is(const char *text, const char *prefix, const char *name)
{
	text = text_begins(text, prefix);
	text = text ? text_begins(text, name) : NULL;
	return text && !*text;
}

static uint32_t hash_of(uint32_t hash, const char *text)
{
	for (; *text; text++)
		hash = hash * 33 + (unsigned char)*text;
	return hash;
}

static const uint32_t *buckets_of(const struct object *object)
{
	const struct gnu_hash *table = (const void *)object->hash;

	return object->hash + 4 + table->bloom_words * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
}

/*
 * Reads the dynamic section of an object that was just mapped. Return: whether it has symbols with a GNU
 * hash table, and addresses that the loader has relocated, as glibc does before la_objopen() (elf/get-
 * dynamic-info.h).
 */
static bool object_read(const struct link_map *map, struct object *object)
{
	const ElfW(Dyn) *soname = NULL;

	*object = (struct object){ .base = map->l_addr, .soname = "" };
	for (ElfW(Dyn) *entry = map->l_ld; entry && entry->d_tag != DT_NULL; entry++) {
		if (entry->d_tag == DT_SYMTAB)
			object->symtab = entry;
		else if (entry->d_tag == DT_STRTAB)
			object->strtab = entry;
		else if (entry->d_tag == DT_STRSZ)
			object->strsz = entry;
		else if (entry->d_tag == DT_GNU_HASH)
			object->hash = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_VERSYM)
			object->version = (const void *)entry->d_un.d_ptr;
		else if (entry->d_tag == DT_VERNEED)
			object->needs = (const void *)(map->l_addr + entry->d_un.d_ptr);
		else if (entry->d_tag == DT_VERNEEDNUM)
			object->need_count = entry->d_un.d_val;
		else if (entry->d_tag == DT_SONAME)
			soname = entry;
	}
	/* An address below the base was not relocated: the dynamic section is read-only, as in the vDSO. */
	if (!object->symtab || !object->strtab || !object->strsz || !object->hash || !map->l_addr ||
	    object->symtab->d_un.d_ptr < map->l_addr)
		return false;
	object->symbols = (const void *)object->symtab->d_un.d_ptr;
	object->strings = (const void *)object->strtab->d_un.d_ptr;
	if (soname)
		object->soname = object->strings + soname->d_un.d_val;
	return true;
}

/* Returns whether it needs a symbol version whose name begins with @prefix. */
static bool object_needs_version(const struct object *object, const char *prefix)
{
	const char *need = (const char *)object->needs;

	for (size_t i = 0; need && i < object->need_count; i++) {
		const ElfW(Verneed) *library = (const void *)need;
		const char *aux = need + library->vn_aux;

		for (uint32_t n = 0; n < library->vn_cnt; n++) {
			const ElfW(Vernaux) *version = (const void *)aux;

			if (text_begins(object->strings + version->vna_name, prefix))
				return true;
			aux += version->vna_next;
		}
		need += library->vn_next;
	}
	return false;
}

/*
 * Returns the symbol that a reference to @prefix and @name without a version is bound to. Return: its
 * index; 0: none is defined.
 */
static uint32_t object_find(const struct object *object, const char *prefix, const char *name)
{
	const struct gnu_hash *table = (const void *)object->hash;
	const uint32_t *buckets = buckets_of(object), *chains = buckets + table->buckets;
	uint32_t hash = hash_of(hash_of(5381, prefix), name);
	uint32_t index = table->buckets ? buckets[hash % table->buckets] : 0;

	for (; index; index++) {
		const ElfW(Sym) *symbol = &object->symbols[index];
		uint32_t chained = chains[index - table->first];

		if ((chained | 1) == (hash | 1) && symbol->st_shndx != SHN_UNDEF &&
		    !(object->version && object->version[index] & HIDDEN_VERSION) &&
		    text_is(object_name(object, index), prefix, name))
			return index;
		if (chained & 1)
			break;
	}
	return 0;
}

/* Symbols that are not defined stand before those that are hashed. */
static uint32_t object_find_undefined(const struct object *object, const char *name)
{
	const struct gnu_hash *table = (const void *)object->hash;

	for (uint32_t i = 1; i < table->first; i++)
		if (object->symbols[i].st_shndx == SHN_UNDEF &&
		    text_is(object_name(object, i), "", name))
			return i;
	return 0;
}

/* Returns how many symbols it has, with those that are not defined. */
static uint32_t object_symbol_count(const struct object *object)
{
	const struct gnu_hash *table = (const void *)object->hash;
	const uint32_t *buckets = buckets_of(object), *chains = buckets + table->buckets;
	uint32_t last = 0;

	for (uint32_t i = 0; i < table->buckets; i++)
		last = buckets[i] > last ? buckets[i] : last;
	if (last < table->first)
		return table->first;
	while (!(chains[last - table->first] & 1))
		last++;
	return last + 1;
}

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

/*
 * Gives functions that an object defines the addresses of the agent's wrappers. A wrapper serves one object
 * at a time: a second copy of a library in the same process keeps its functions.
 */
static void replace_functions(struct replacement *r, const char *const *which)
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
static void replace_references(struct replacement *r)
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

/* Returns an object is about to be unloaded: its wrappers are free for the next copy. */
static void replace_forget(const struct object *agent, const uintptr_t *cookie)
{
	uint32_t count = object_symbol_count(agent);

	for (uint32_t i = 1; i < count && i < AGENT_SYMBOLS; i++)
		if (owners[i] == cookie)
			owners[i] = NULL;
	for (size_t i = 0; i < MR_TRACE_ROOMS; i++)
		if (tenants[i] == cookie)
			tenants[i] = NULL;
}

#define EXPORT __attribute__((visibility("default")))

static struct object agent;
static const uintptr_t *agent_cookie; /* NULL: it is not loaded */
static const uintptr_t *main_cookie;  /* of the program itself */
static bool is_ending;

static const char *const verbs_functions[] = { "ibv_", "mlx5dv_", NULL };
static const char *const libc_functions[] = { "exec",  "fexecve", "posix_spawn",
					      "prctl", "syscall", NULL };

static bool is_agent(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	name = text_begins(name, MR_TRACE_AGENT);
	return name && !*name;
}

/* Python wheels have a library that they bundle as libibverbs-HASH.so.1. */
static bool is_library(const struct object *object, const char *library)
{
	const char *rest = text_begins(object->soname, library);

	return rest && (*rest == '.' || *rest == '-');
}

EXPORT unsigned int la_version(unsigned int version)
{
	return version;
}

EXPORT unsigned int la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
	struct replacement replacement = { .agent = &agent, .cookie = cookie };
	struct object *object = &replacement.object;

	if (namespace != LM_ID_BASE)
		return 0;
	if (!main_cookie)
		main_cookie = cookie;
	if (!object_read(map, object))
		return 0;
	if (is_agent(map->l_name)) {
		agent = *object;
		agent_cookie = cookie;
	} else if (agent_cookie && is_library(object, "libc")) {
		replace_functions(&replacement, libc_functions);
	} else if (agent_cookie && (is_library(object, "libibverbs") ||
				    object_needs_version(object, "IBVERBS_PRIVATE_"))) {
		replace_functions(&replacement, verbs_functions);
		replace_references(&replacement);
	}
	return 0;
}

/* The cookie is still what it was at first: the address of the link map (elf/dl-object.c, _dl_new_object()). */
static void announce_closing(const uintptr_t *cookie)
{
	const struct link_map *map = (const void *)*cookie;
	const uint32_t index = object_find(&agent, "", MR_TRACE_QUOTE(MR_TRACE_CLOSING_NAME));

	if (index)
		((void (*)(uintptr_t))object_address(&agent, index))((uintptr_t)map->l_ld);
}

/* At the end of the program it is called, too, for the program first, and nothing is unmapped (elf/dl-fini.c). */
EXPORT unsigned int la_objclose(uintptr_t *cookie)
{
	is_ending |= cookie == main_cookie;
	if (agent_cookie == cookie)
		agent_cookie = NULL;
	else if (agent_cookie && !is_ending)
		announce_closing(cookie);
	if (agent_cookie)
		replace_forget(&agent, cookie);
	return 0;
}
