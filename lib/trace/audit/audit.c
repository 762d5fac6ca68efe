// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The audit library of a traced program (rtld-audit(7)), by LD_AUDIT: it puts the agent's wrappers in the place of
 * the functions that are seen.  It lives in a namespace of its own, needs no library, and keeps nothing of the
 * program's: the wrappers are in the agent, which is in the program's namespace by LD_PRELOAD.
 *
 * What it relies on in the GNU C Library, 2.35 and newer (older ones do not call la_symbind64() for objects that are
 * bound at once, as libibverbs is in most distributions):
 * - la_objopen() is called for an object once its dynamic section is relocated, before anything is bound to it or
 *   relocated (elf/dl-load.c, _dl_process_..., elf/dl-audit.c, _dl_audit_objopen()).
 * - Lookups read the symbol table by the dynamic section's entry each time (elf/dl-lookup.c, do_lookup_x();
 *   elf/dl-sym.c).
 * - la_symbind64() is called for each PLT entry, bound lazily (elf/dl-runtime.c, _dl_fixup()) or at once
 *   (elf/do-rel.h), if the flags of both objects ask for it.
 * - Without la_pltenter and la_pltexit calls through the PLT cost what they cost without an audit library
 *   (elf/dl-reloc.c: consider_profiling).
 */
#include "lib/trace/audit/replace.h"
#include "lib/trace/wire/handover.h"

#define EXPORT __attribute__((visibility("default")))

/* What an object is: in its cookie. */
enum kind {
	KIND_OTHER,
	KIND_VERBS, /* libibverbs or a provider */
};

static struct object agent;
static const uintptr_t *agent_cookie; /* NULL: it is not loaded */

static const char *const verbs_functions[] = { "ibv_", "mlx5dv_", NULL };
static const char *const libc_functions[] = { "exec", "fexecve", "posix_spawn", NULL };

static bool is_agent(const char *path)
{
	const char *name = path;

	for (; *path; path++)
		if (*path == '/')
			name = path + 1;
	name = text_begins(name, MR_TRACE_AGENT);
	return name && !*name;
}

/* Builds of Python wheels name a library that they bundle libibverbs-HASH.so.1. */
static bool is_library(const struct object *object, const char *library)
{
	const char *rest = text_begins(object->soname, library);

	return rest && (*rest == '.' || *rest == '-');
}

unsigned int EXPORT la_version(unsigned int version)
{
	return version;
}

unsigned int EXPORT la_objopen(struct link_map *map, Lmid_t namespace, uintptr_t *cookie)
{
	struct object object;

	*cookie = KIND_OTHER;
	if (namespace != LM_ID_BASE)
		return 0;
	if (object_read(map, &object)) {
		if (is_agent(map->l_name)) {
			agent = object;
			agent_cookie = cookie;
			return 0;
		}
		if (is_library(&object, "libibverbs") ||
		    object_needs_version(&object, "IBVERBS_PRIVATE_"))
			*cookie = KIND_VERBS;
		if (agent_cookie && *cookie == KIND_VERBS)
			replace_symbols(&agent, &object, verbs_functions, cookie);
		else if (agent_cookie && is_library(&object, "libc"))
			replace_symbols(&agent, &object, libc_functions, cookie);
	}
	return *cookie == KIND_VERBS ? LA_FLG_BINDFROM | LA_FLG_BINDTO : LA_FLG_BINDTO;
}

unsigned int EXPORT la_objclose(uintptr_t *cookie)
{
	if (agent_cookie == cookie)
		agent_cookie = NULL;
	else if (agent_cookie)
		replace_forget(&agent, cookie);
	return 0;
}

uintptr_t EXPORT la_symbind64(Elf64_Sym *symbol, unsigned int index, uintptr_t *from, uintptr_t *to,
			      unsigned int *flags, const char *name)
{
	(void)index;
	(void)to;
	if (*flags & LA_SYMB_DLSYM)
		return symbol->st_value;
	*flags |= LA_SYMB_NOPLTENTER | LA_SYMB_NOPLTEXIT;
	if (*from != KIND_VERBS || !agent_cookie)
		return symbol->st_value;
	return replace_binding(&agent, name, symbol->st_value);
}
