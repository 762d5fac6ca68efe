// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The audit library of a traced program (rtld-audit(7)), by LD_AUDIT: it puts the agent's wrappers in the place of
 * the functions that are seen.  It lives in a namespace of its own, needs no library, and keeps nothing of the
 * program's: the wrappers are in the agent, which is in the program's namespace by LD_PRELOAD.
 *
 * What it relies on in the GNU C Library:
 * - la_objopen() is called for an object once the addresses in its dynamic section are relocated, and before
 *   anything is bound to it or relocated in it (elf/dl-load.c, end of _dl_map_object_from_fd(); elf/rtld.c for the
 *   program itself).  The cookie's address is the object's own until la_objclose().
 * - Lookups read the symbol table and the string table by the entries of the dynamic section, each time
 *   (elf/dl-lookup.c, do_lookup_x(); elf/dl-sym.c; elf/do-rel.h).
 * - A symbol without a version answers a reference with any version (elf/dl-lookup.c, check_match()).
 *
 * It has no la_symbind64(): glibc 2.36 calls malloc() for it before libc is initialised, and then the
 * program's heap does not grow by brk(2) any more (elf/dl-reloc.c: l_reloc_result; malloc/arena.c:
 * __libc_initial).
 */
#include "lib/trace/audit/replace.h"
#include "lib/trace/wire/handover.h"

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
