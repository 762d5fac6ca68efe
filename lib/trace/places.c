// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/cleanup.h"
#include "lib/base/clean_text.h"
#include "lib/trace/places.h"

#define LIBRARY "libdw.so.1"

/* The functions of libdw that are used. */
#define FUNCTIONS(FUNCTION)                                                                        \
	FUNCTION(dwfl_begin)                                                                       \
	FUNCTION(dwfl_end)                                                                         \
	FUNCTION(dwfl_report_begin)                                                                \
	FUNCTION(dwfl_linux_proc_maps_report)                                                      \
	FUNCTION(dwfl_report_end)                                                                  \
	FUNCTION(dwfl_linux_proc_find_elf)                                                         \
	FUNCTION(dwfl_build_id_find_debuginfo)                                                     \
	FUNCTION(dwfl_addrmodule)                                                                  \
	FUNCTION(dwfl_module_addrinfo)                                                             \
	FUNCTION(dwfl_module_getsrc)                                                               \
	FUNCTION(dwfl_lineinfo)                                                                    \
	FUNCTION(dwfl_module_addrdie)                                                              \
	FUNCTION(dwarf_getscopes)                                                                  \
	FUNCTION(dwarf_tag)                                                                        \
	FUNCTION(dwarf_attr)                                                                       \
	FUNCTION(dwarf_formudata)                                                                  \
	FUNCTION(dwarf_getsrcfiles)                                                                \
	FUNCTION(dwarf_filesrc)

#define MEMBER(name) __typeof__(name) *name;
static struct {
	bool is_looked_up, is_complete;
	FUNCTIONS(MEMBER)
} dw;
#undef MEMBER

struct mr_places {
	Dwfl *dwfl;
	Dwfl_Callbacks callbacks;
};

/* The handle is not closed: the functions must stay loaded. */
static bool find_functions(void)
{
	void *library;

	if (dw.is_looked_up)
		return dw.is_complete;
	dw.is_looked_up = true;
	library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
	if (!library)
		return false;
#define FIND(name) dw.name = (__typeof__(name) *)dlsym(library, #name);
	FUNCTIONS(FIND)
#undef FIND
#define IS_THERE(name) &&dw.name
	dw.is_complete = true FUNCTIONS(IS_THERE);
#undef IS_THERE
	return dw.is_complete;
}

const char *mr_places_package(void)
{
	return find_functions() ? NULL : "libdw1";
}

static bool report_modules(struct mr_places *places, const struct mr_modules *modules)
{
	mr_auto_free char *text = NULL;
	size_t size = 0;
	FILE *stream = open_memstream(&text, &size);
	int rc = -1;

	if (!stream)
		return false;
	mr_modules_print(modules, stream);
	if (fclose(stream) || !size)
		return false;
	stream = fmemopen(text, size, "r");
	if (!stream)
		return false;
	dw.dwfl_report_begin(places->dwfl);
	rc = dw.dwfl_linux_proc_maps_report(places->dwfl, stream);
	dw.dwfl_report_end(places->dwfl, NULL, NULL);
	fclose(stream);
	return !rc;
}

/*
 * Debugging information is looked for by its build id alone: the standard search asks debuginfod servers, so that
 * a summary would wait for a network.
 */
struct mr_places *mr_places_new(const struct mr_modules *modules)
{
	struct mr_places *places = find_functions() ? calloc(1, sizeof(*places)) : NULL;

	if (!places)
		return NULL;
	places->callbacks = (Dwfl_Callbacks){ .find_elf = dw.dwfl_linux_proc_find_elf,
					      .find_debuginfo = dw.dwfl_build_id_find_debuginfo };
	places->dwfl = dw.dwfl_begin(&places->callbacks);
	if (places->dwfl && report_modules(places, modules))
		return places;
	mr_places_free(places);
	return NULL;
}

void mr_places_free(struct mr_places *places)
{
	if (places && places->dwfl)
		dw.dwfl_end(places->dwfl);
	free(places);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* "libfoo.so.1+0x121a", or the address where no file is mapped there. */
static char *file_and_offset(const struct mr_modules *modules, uint64_t caller)
{
	const struct mr_mapping *mapping = mr_modules_find(modules, caller);
	char *text;

	if (!mapping)
		return asprintf(&text, "0x%" PRIx64, caller) < 0 ? NULL : text;
	return asprintf(&text, "%s+0x%" PRIx64, last_part(mapping->path),
			caller - mr_modules_base(modules, mapping)) < 0
		       ? NULL
		       : text;
}

/* A line of a source file. */
struct source {
	const char *file; /* NULL: not known */
	int line;
};

static bool number_of(Dwarf_Die *die, unsigned int name, Dwarf_Word *number)
{
	Dwarf_Attribute attribute;

	return dw.dwarf_attr(die, name, &attribute) && !dw.dwarf_formudata(&attribute, number);
}

/*
 * Where the outermost inline function of an address is called.  ibv_reg_mr() is one itself: its own line is in a
 * header, which tells nobody who registered.
 */
static struct source find_inlining(Dwfl_Module *module, uint64_t addr)
{
	struct source source = { NULL, 0 };
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = dw.dwfl_module_addrdie(module, addr, &bias), *scopes = NULL;
	int count = unit ? dw.dwarf_getscopes(unit, addr - bias, &scopes) : 0;
	Dwarf_Files *files;
	size_t file_count;

	if (count <= 0 || dw.dwarf_getsrcfiles(unit, &files, &file_count))
		count = 0;
	for (int i = 0; i < count; i++) {
		Dwarf_Word file, line;

		if (dw.dwarf_tag(&scopes[i]) == DW_TAG_subprogram)
			break;
		if (dw.dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine &&
		    number_of(&scopes[i], DW_AT_call_file, &file) && file < file_count &&
		    number_of(&scopes[i], DW_AT_call_line, &line))
			source = (struct source){ dw.dwarf_filesrc(files, file, NULL, NULL),
						  (int)line };
	}
	free(scopes);
	return source;
}

static struct source find_source(Dwfl_Module *module, uint64_t addr)
{
	struct source source = find_inlining(module, addr);
	Dwfl_Line *line = source.file ? NULL : dw.dwfl_module_getsrc(module, addr);

	if (line)
		source.file = dw.dwfl_lineinfo(line, NULL, &source.line, NULL, NULL, NULL);
	return source;
}

char *mr_places_name(struct mr_places *places, const struct mr_modules *modules, uint64_t caller)
{
	/* The call itself is before the address that it returns to. */
	const uint64_t addr = caller ? caller - 1 : 0;
	const struct mr_mapping *mapping = mr_modules_find(modules, addr);
	Dwfl_Module *module = places && mapping ? dw.dwfl_addrmodule(places->dwfl, addr) : NULL;
	struct source source = { NULL, 0 };
	const char *function = NULL;
	GElf_Off offset = 0;
	GElf_Sym symbol;
	char *text;
	int rc;

	if (module) {
		function =
			dw.dwfl_module_addrinfo(module, addr, &offset, &symbol, NULL, NULL, NULL);
		source = find_source(module, addr);
	}
	if (!function)
		return file_and_offset(modules, caller);
	if (source.file)
		rc = asprintf(&text, "%s (%s:%d)", function, last_part(source.file), source.line);
	else
		rc = asprintf(&text, "%s+0x%" PRIx64 " (%s)", function, (uint64_t)offset + 1,
			      last_part(mapping->path));
	if (rc < 0)
		return NULL;
	mr_clean_text(text, (size_t)rc + 1);
	return text;
}
