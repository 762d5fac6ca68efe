// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Puts the wrappers of the agent in the place of the functions that a program calls.
 *
 * The agent is the first preloaded library: wherever a reference by name is bound, in the program or in a library that
 * is loaded later, ld.so finds the wrapper first.  A program that looks up a function in the library itself, as NCCL
 * does by dlopen(3) and dlvsym(3), gets the wrapper from dlsym() and dlvsym() below.
 *
 * The price of this one way, which needs no change of any other object in memory:
 * - calls of a library that is opened with RTLD_DEEPBIND, or in a namespace of its own by dlmopen(3), are not seen;
 * - a weak reference to a function that the installed libibverbs lacks is not NULL; the call fails with EOPNOTSUPP;
 * - of two copies of libibverbs in one process all calls that ld.so binds go to the one that was loaded first.
 */
#include <dlfcn.h>
#include <link.h>
#include <string.h>

#include "lib/trace/agent/agent.h"

/* Ends of the section of struct agent_wrapper; the linker defines both. */
extern struct agent_wrapper __start_agent_wrappers[] __attribute__((visibility("hidden")));
extern struct agent_wrapper __stop_agent_wrappers[] __attribute__((visibility("hidden")));
/* The dynamic section of the agent */
extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

enum {
	HIDDEN_VERSION =
		0x8000 /* bit of DT_VERSYM: only a reference to just this version is bound to it */
};

/* As strcmp(3), which AddressSanitizer's library has not looked up yet when it calls dlsym(). */
static bool is_same(const char *one, const char *other)
{
	while (*one && *one == *other)
		one++, other++;
	return *one == *other;
}

/* A search in the objects behind the agent, in their order. */
struct search {
	const char *name;
	bool is_behind;
	void *found;
};

/*
 * Finds the function that a reference without a version is bound to; NULL: the object defines none.
 * @entry: the dynamic section, whose addresses ld.so has relocated where it may be written
 */
static const ElfW(Sym) * find_symbol(ElfW(Addr) base, const ElfW(Dyn) * entry, const char *name)
{
	const uint32_t *table =
		NULL; /* DT_GNU_HASH: 4 words, the Bloom filter, the buckets, the chains */
	const uint32_t *buckets, *chains;
	const ElfW(Half) *versions = NULL;
	const ElfW(Sym) *symbols = NULL;
	const char *strings = NULL;
	uint32_t hash = 5381, chained = 0;

	for (; entry->d_tag != DT_NULL; entry++) {
		const ElfW(Addr) value = entry->d_un.d_ptr;
		const void *at = (const void *)(value < base ? base + value : value);

		if (entry->d_tag == DT_SYMTAB)
			symbols = at;
		else if (entry->d_tag == DT_STRTAB)
			strings = at;
		else if (entry->d_tag == DT_GNU_HASH)
			table = at;
		else if (entry->d_tag == DT_VERSYM)
			versions = at;
	}
	if (!symbols || !strings || !table || !table[0])
		return NULL;
	buckets = table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(uint32_t));
	chains = buckets + table[0];
	for (const char *at = name; *at; at++)
		hash = hash * 33 + (unsigned char)*at;
	for (uint32_t i = buckets[hash % table[0]]; i && !(chained & 1); i++) {
		chained = chains[i - table[1]];
		if ((chained | 1) == (hash | 1) && symbols[i].st_shndx != SHN_UNDEF &&
		    ELF64_ST_TYPE(symbols[i].st_info) == STT_FUNC &&
		    !(versions && versions[i] & HIDDEN_VERSION) &&
		    is_same(strings + symbols[i].st_name, name))
			return &symbols[i];
	}
	return NULL;
}

/* Return: whether the object that is searched defines it */
static bool search_object(struct search *search, ElfW(Addr) base, const ElfW(Dyn) * dynamic)
{
	const ElfW(Sym) * symbol;

	if (dynamic == _DYNAMIC)
		search->is_behind = true;
	else if (search->is_behind && dynamic &&
		 (symbol = find_symbol(base, dynamic, search->name))) {
		search->found = (void *)(base + symbol->st_value);
		return true;
	}
	return false;
}

static int search_loaded(struct dl_phdr_info *info, size_t size, void *data)
{
	const ElfW(Dyn) *dynamic = NULL;

	(void)size;
	for (ElfW(Half) i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
			dynamic = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	return search_object(data, info->dlpi_addr, dynamic);
}

/*
 * libc's dl_iterate_phdr(3), which waits for libraries that other threads load or unload.  The interceptor of
 * ThreadSanitizer's library is before it, and looks up functions by dlsym() before it works itself; there are no threads
 * then.
 */
static void iterate(struct search *search)
{
	static _Atomic(void *) real;
	struct search last = { .name = "dl_iterate_phdr" };

	if (!real) {
		for (struct link_map *map = _r_debug.r_map; map; map = map->l_next)
			search_object(&last, map->l_addr, map->l_ld);
		real = last.found;
	}
	((__typeof__(&dl_iterate_phdr))real)(search_loaded, search);
}

/* Finds the function that a wrapper replaces, also in a library that was opened with RTLD_LOCAL; NULL: none. */
static void *find_real(struct agent_wrapper *wrapper)
{
	struct search search = { .name = wrapper->name };
	void *real = atomic_load_explicit(&wrapper->real, memory_order_relaxed);

	if (real)
		return real;
	iterate(&search);
	atomic_store_explicit(&wrapper->real, search.found, memory_order_relaxed);
	return search.found;
}

static void *absent(void)
{
	errno = EOPNOTSUPP;
	return NULL;
}

void *binding_real(struct agent_wrapper *wrapper)
{
	return find_real(wrapper) ?: (void *)absent;
}

void binding_begin(void)
{
	for (struct agent_wrapper *at = __start_agent_wrappers; at < __stop_agent_wrappers; at++)
		find_real(at);
}

static struct agent_wrapper *find_wrapper(const char *name)
{
	for (struct agent_wrapper *at = __start_agent_wrappers; at < __stop_agent_wrappers; at++)
		if (is_same(at->name, name))
			return at;
	return NULL;
}

/*
 * dlsym(3) identifies its caller by the return address: RTLD_NEXT and RTLD_DEFAULT depend on that.  So the lookups that the agent
 * leaves alone are tail calls, for which the Makefile compiles this file with -O2.
 */
static bool is_left_alone(void *handle, struct agent_wrapper *wrapper)
{
	return !wrapper || ((handle == RTLD_NEXT || handle == RTLD_DEFAULT) && find_real(wrapper));
}

TRACED(void *, dlsym, (void *handle, const char *name));

/* Returns the wrapper where its function was found, and nothing where the agent alone has that name. */
static void *replace(struct agent_wrapper *wrapper, void *found)
{
	void *real = find_real(wrapper);

	if (found && found == real)
		return wrapper->wrapper;
	if (found != wrapper->wrapper || real)
		return found;
	REAL(dlsym)(RTLD_NEXT, wrapper->name); /* fails, for dlerror(3) */
	return NULL;
}

EXPORT void *WRAPPER(dlsym)(void *handle, const char *name)
{
	struct agent_wrapper *wrapper = find_wrapper(name);

	if (is_left_alone(handle, wrapper))
		return REAL(dlsym)(handle, name);
	return replace(wrapper, REAL(dlsym)(handle, name));
}

TRACED(void *, dlvsym, (void *handle, const char *name, const char *version))
{
	struct agent_wrapper *wrapper = find_wrapper(name);

	if (is_left_alone(handle, wrapper))
		return REAL(dlvsym)(handle, name, version);
	return replace(wrapper, REAL(dlvsym)(handle, name, version));
}

/*
 * mrctl takes the calls so far while the library is mapped, so that it knows their places, and learns afterwards that the
 * addresses may belong to another one.  The library of a wrapper's function may be gone, too.
 */
TRACED(int, dlclose, (void *handle))
{
	int rc;

	channel_closing();
	rc = REAL(dlclose)(handle);
	for (struct agent_wrapper *at = __start_agent_wrappers; at < __stop_agent_wrappers; at++)
		if (!strncmp(at->name, "ibv_", 4) || !strncmp(at->name, "mlx5dv_", 7))
			atomic_store_explicit(&at->real, NULL, memory_order_relaxed);
	channel_closing();
	return rc;
}
