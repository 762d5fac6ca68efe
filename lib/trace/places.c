// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/trace/trace.h"

/* Keeps the files that a process has mapped to run them, for the time after its end. */
static bool keep(const struct mr_mapping *mapping, void *data)
{
	struct mr_modules *modules = data;
	struct mr_mapping *more;

	if (mapping->path[0] != '/' && strcmp(mapping->path, "[vdso]") != 0)
		return true;
	more = reallocarray(modules->mappings, modules->count + 1, sizeof(*more));
	if (!more)
		return false;
	modules->mappings = more;
	more[modules->count++] = *mapping;
	return true;
}

static int compare(const void *key, const void *element)
{
	const uint64_t addr = *(const uint64_t *)key;
	const struct mr_mapping *mapping = element;

	return addr < mapping->start ? -1 : addr >= mapping->end;
}

/* Returns the mapping that has an address, or NULL. */
static const struct mr_mapping *find_mapping(const struct mr_modules *modules, uint64_t addr)
{
	return modules->count ? bsearch(&addr, modules->mappings, modules->count,
					sizeof(*modules->mappings), compare)
			      : NULL;
}

/* Whether the file of a mapping is the one that is found at its path here. */
static bool is_here(const struct mr_mapping *mapping)
{
	struct stat st;

	return !stat(mapping->path, &st) && st.st_ino == mapping->inode &&
	       st.st_dev == makedev(mapping->major, mapping->minor);
}

static void release_modules(struct mr_modules *modules)
{
	free(modules->mappings);
	*modules = (struct mr_modules){ 0 };
}

#define LIBRARY     "libdw.so.1"
#define CXX_LIBRARY "libstdc++.so.6"

enum {
	INLINED_MAX = 32, /* inline functions within each other that are kept */
	DEPTH_MAX = 256,  /* of scopes: the file may be a wrong one */
};

/* Where rdma-core has its headers. */
static const char *const header_folders[] = { "/infiniband/", "/rdma/" };

/* The functions of libdw that are used. */
#define FUNCTIONS(FUNCTION)                                                                        \
	FUNCTION(dwfl_begin)                                                                       \
	FUNCTION(dwfl_end)                                                                         \
	FUNCTION(dwfl_report_begin)                                                                \
	FUNCTION(dwfl_linux_proc_report)                                                           \
	FUNCTION(dwfl_report_end)                                                                  \
	FUNCTION(dwfl_linux_proc_find_elf)                                                         \
	FUNCTION(dwfl_build_id_find_debuginfo)                                                     \
	FUNCTION(dwfl_addrmodule)                                                                  \
	FUNCTION(dwfl_module_addrinfo)                                                             \
	FUNCTION(dwfl_module_addrdie)                                                              \
	FUNCTION(dwfl_module_nextcu)                                                               \
	FUNCTION(dwarf_haspc)                                                                      \
	FUNCTION(dwarf_child)                                                                      \
	FUNCTION(dwarf_siblingof)                                                                  \
	FUNCTION(dwarf_getsrc_die)                                                                 \
	FUNCTION(dwarf_linesrc)                                                                    \
	FUNCTION(dwarf_lineno)                                                                     \
	FUNCTION(dwarf_diename)                                                                    \
	FUNCTION(dwarf_tag)                                                                        \
	FUNCTION(dwarf_attr)                                                                       \
	FUNCTION(dwarf_formudata)                                                                  \
	FUNCTION(dwarf_getsrcfiles)                                                                \
	FUNCTION(dwarf_filesrc)

#define MEMBER(name) __typeof__(name) *name;
/*
 * Debugging information is looked for by its build id alone: the standard search asks debuginfod servers, so that
 * a summary would wait for a network.
 */
static struct {
	bool is_looked_up, is_complete;
	Dwfl_Callbacks callbacks;
	FUNCTIONS(MEMBER)
} dw;
#undef MEMBER

/* The handle is not closed: the functions must stay loaded. */
static bool find_functions(void)
{
	void *library = dw.is_looked_up ? NULL : dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	dw.is_looked_up = true;
#define FIND(name) &&(dw.name = (__typeof__(name) *)dlsym(library, #name))
	if (library)
		dw.is_complete = true FUNCTIONS(FIND);
#undef FIND
	if (library)
		dw.callbacks =
			(Dwfl_Callbacks){ .find_elf = dw.dwfl_linux_proc_find_elf,
					  .find_debuginfo = dw.dwfl_build_id_find_debuginfo };
	return dw.is_complete;
}

const char *mr_places_package(void)
{
	return find_functions() ? NULL : "libdw1";
}

static void end_dwfl(struct mr_traced_process *process)
{
	if (process->dwfl)
		dw.dwfl_end(process->dwfl);
	process->dwfl = NULL;
}

/* Lets libdw read the mappings of a process.  It opens their files when an address is named. */
static void report_modules(struct mr_traced_process *process)
{
	end_dwfl(process);
	process->dwfl = find_functions() ? dw.dwfl_begin(&dw.callbacks) : NULL;
	if (!process->dwfl)
		return;
	dw.dwfl_report_begin(process->dwfl);
	dw.dwfl_linux_proc_report(process->dwfl, process->pid);
	dw.dwfl_report_end(process->dwfl, NULL, NULL);
}

/* Returns the module that names an address, or NULL.  libdw opens the file at the path here, which may be another one. */
static Dwfl_Module *find_module(const struct mr_traced_process *process,
				const struct mr_mapping *mapping, uint64_t addr)
{
	if (!mapping || !process->dwfl ||
	    (process->modules.is_in_other_namespace && !is_here(mapping)))
		return NULL;
	return dw.dwfl_addrmodule(process->dwfl, addr);
}

static const char *last_part(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns "libfoo.so.1+0x121a", or the address where no file is mapped there. */
static char *file_and_offset(const struct mr_modules *modules, uint64_t caller)
{
	const struct mr_mapping *mapping = find_mapping(modules, caller), *first = mapping;
	char *text;
	int rc;

	while (first && first > modules->mappings && !strcmp(first[-1].path, mapping->path))
		first--;
	if (mapping)
		rc = asprintf(&text, "%s+0x%" PRIx64, last_part(mapping->path),
			      caller - (first->start - first->offset));
	else
		rc = asprintf(&text, "0x%" PRIx64, caller);
	return rc < 0 ? NULL : text;
}

/* A line of a source file. */
struct source {
	const char *file;     /* NULL: not known */
	const char *function; /* that was made part of another one; NULL: none was */
	int line;
};

static bool read_number(Dwarf_Die *die, unsigned int name, Dwarf_Word *number)
{
	Dwarf_Attribute attribute;

	return dw.dwarf_attr(die, name, &attribute) && !dw.dwarf_formudata(&attribute, number);
}

/* The unit that an address is in.  The index by which it is found has only what gcc compiles, not what clang does. */
static Dwarf_Die *find_unit(Dwfl_Module *module, uint64_t addr, Dwarf_Addr *bias)
{
	Dwarf_Die *unit = dw.dwfl_module_addrdie(module, addr, bias);

	if (unit)
		return unit;
	while ((unit = dw.dwfl_module_nextcu(module, unit, bias)))
		if (dw.dwarf_haspc(unit, addr - *bias) > 0)
			return unit;
	return NULL;
}

/* Whether a scope may hold code of an address: a namespace or class has none itself, but its functions have. */
static bool may_hold(Dwarf_Die *die, Dwarf_Addr pc)
{
	const int tag = dw.dwarf_tag(die);

	return tag == DW_TAG_namespace || tag == DW_TAG_class_type ||
	       tag == DW_TAG_structure_type || dw.dwarf_haspc(die, pc) > 0;
}

/* The inline functions of an address, the outermost first. */
struct inlining {
	Dwarf_Addr pc;
	Dwarf_Die scopes[INLINED_MAX];
	size_t count;
};

/*
 * dwarf_getscopes() goes from an inline function to where that was defined, not to where it is called, and fails where
 * that is in another unit (link-time optimization).  Return: whether the code of the address is in @parent.
 */
static bool find_inlining(Dwarf_Die *parent, unsigned int depth, struct inlining *inlining)
{
	Dwarf_Die die;
	int rc = depth < DEPTH_MAX ? dw.dwarf_child(parent, &die) : 1;

	for (; !rc; rc = dw.dwarf_siblingof(&die, &die)) {
		const int tag = dw.dwarf_tag(&die);

		if (!may_hold(&die, inlining->pc))
			continue;
		if (tag == DW_TAG_inlined_subroutine && inlining->count < INLINED_MAX)
			inlining->scopes[inlining->count++] = die;
		if (find_inlining(&die, depth + 1, inlining) ||
		    dw.dwarf_haspc(&die, inlining->pc) > 0)
			return true;
	}
	return false;
}

/* Whether a file is a header of rdma-core: ibv_reg_mr() is an inline function, whose line does not show the caller. */
static bool is_of_library(const char *file)
{
	const char *name = last_part(file), *dot = strrchr(name, '.');

	if (!dot || strcmp(dot, ".h") != 0)
		return false;
	for (size_t i = 0; i < sizeof(header_folders) / sizeof(*header_folders); i++) {
		const size_t length = strlen(header_folders[i]);

		if ((size_t)(name - file) >= length &&
		    !strncmp(name - length, header_folders[i], length))
			return true;
	}
	return false;
}

static bool read_call(Dwarf_Files *files, size_t file_count, Dwarf_Die *scope,
		      struct source *source)
{
	Dwarf_Word file, line;

	if (!read_number(scope, DW_AT_call_file, &file) || file >= file_count ||
	    !read_number(scope, DW_AT_call_line, &line))
		return false;
	source->file = dw.dwarf_filesrc(files, file, NULL, NULL);
	source->line = (int)line;
	return source->file;
}

/* The innermost line that is not in a header of rdma-core: of the code itself, or of a call that became part of it. */
static struct source find_source(Dwfl_Module *module, uint64_t addr)
{
	Dwarf_Addr bias = 0;
	Dwarf_Die *unit = find_unit(module, addr, &bias);
	struct inlining inlining = { .pc = addr - bias };
	struct source source = { .file = NULL }, outer;
	Dwarf_Line *line = unit ? dw.dwarf_getsrc_die(unit, inlining.pc) : NULL;
	Dwarf_Files *files = NULL;
	size_t file_count = 0, i;

	if (!unit)
		return source;
	find_inlining(unit, 0, &inlining);
	dw.dwarf_getsrcfiles(unit, &files, &file_count);
	if (line && !dw.dwarf_lineno(line, &source.line))
		source.file = dw.dwarf_linesrc(line, NULL, NULL);
	outer = source;
	for (i = inlining.count; i && outer.file && is_of_library(outer.file); i--)
		if (!read_call(files, file_count, &inlining.scopes[i - 1], &outer))
			break;
	if (!outer.file || is_of_library(outer.file))
		return source;
	outer.function = i ? dw.dwarf_diename(&inlining.scopes[i - 1]) : NULL;
	return outer;
}

/* The name of a C++ function as in its source, by the library that its program has as well.  NULL: it is no such name */
static char *demangle(const char *name)
{
	static char *(*demangle_name)(const char *, char *, size_t *, int *);
	static bool is_looked_up;
	void *library;
	int status;

	if (strncmp(name, "_Z", 2) != 0)
		return NULL;
	library = is_looked_up ? NULL : dlopen(CXX_LIBRARY, RTLD_NOW | RTLD_LOCAL);
	is_looked_up = true;
	if (library)
		demangle_name = (__typeof__(demangle_name))dlsym(library, "__cxa_demangle");
	return demangle_name ? demangle_name(name, NULL, NULL, &status) : NULL;
}

/*
 * Returns the name of the place that a call was made from: "function (file.c:12)", "function+0x1a (libfoo.so.1)",
 * "libfoo.so.1+0x121a", or the address, to be freed; NULL where memory is short.
 */
static char *name_place(struct mr_traced_process *process, uint64_t caller)
{
	const struct mr_modules *modules = &process->modules;
	/* The call itself is before the address that it returns to. */
	const uint64_t addr = caller ? caller - 1 : 0;
	const struct mr_mapping *mapping = find_mapping(modules, addr);
	Dwfl_Module *module = find_module(process, mapping, addr);
	struct source source = { .file = NULL };
	mr_auto_free char *plain = NULL;
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
	plain = demangle(function);
	if (plain)
		function = plain;
	if (source.file)
		rc = asprintf(&text, "%s (%s:%d)", source.function ? source.function : function,
			      last_part(source.file), source.line);
	else
		rc = asprintf(&text, "%s+0x%" PRIx64 " (%s)", function, (uint64_t)offset + 1,
			      last_part(mapping->path));
	if (rc < 0)
		return NULL;
	mr_clean_text(text, (size_t)rc + 1);
	return text;
}

const char *mr_process_place(struct mr_traced_process *process, struct mr_site *site)
{
	if (process->is_attached)
		return NULL;
	if (!site->place)
		site->place =
			site->caller ? name_place(process, site->caller) : strdup("other places");
	return site->place ? site->place : "?";
}

bool mr_process_is_header(struct mr_traced_process *process, struct mr_site *site)
{
	const uint64_t addr = site->caller - 1;
	struct source source = { .file = NULL };
	Dwfl_Module *module;

	if (site->is_header == MR_UNKNOWN) {
		module = find_module(process, find_mapping(&process->modules, addr), addr);
		if (module)
			source = find_source(module, addr);
		site->is_header = source.file && is_of_library(source.file) ? MR_YES : MR_NO;
	}
	return site->is_header == MR_YES;
}

char **mr_process_callers(struct mr_traced_process *process, const uint64_t *addrs, uint32_t count)
{
	char **names = count ? calloc(count + 1, sizeof(*names)) : NULL;

	for (uint32_t i = 0; names && i < count; i++) {
		struct mr_site *site =
			mr_ledger_site(&process->ledger, addrs[i], MR_TRACED_CALL_COUNT, 0);

		names[i] = strdup(site ? mr_process_place(process, site) : "?");
	}
	return names;
}

void mr_process_name_sites(struct mr_traced_process *process)
{
	size_t count;
	mr_auto_free struct mr_site **sites = mr_ledger_sites(&process->ledger, &count);

	for (size_t i = 0; i < count; i++) {
		struct mr_site *site = sites[i];

		if (!site->count || site->callers)
			continue;
		mr_process_place(process, site);
		site->callers = mr_process_callers(process, site->frames, site->frame_count);
	}
}

void mr_process_see(struct mr_traced_process *process, uint64_t addr)
{
	struct mr_modules *modules = &process->modules, now = { 0 };
	struct mr_host host = MR_THIS_HOST;
	static const char any[] = "/usr";
	char found[PATH_MAX];

	if (!process->pid || process->has_ended ||
	    (!modules->is_stale && find_mapping(modules, addr)))
		return;
	host.process = process->pid;
	mr_mappings_walk(&host, 0, keep, &now);
	if (!now.count) /* the old ones stay */
		return;
	release_modules(modules);
	now.is_in_other_namespace = mr_seen_by(&host, any, found) || strcmp(found, any) != 0;
	*modules = now;
	report_modules(process);
}

void mr_process_stop(struct mr_traced_process *process)
{
	end_dwfl(process);
	release_modules(&process->modules);
	mr_ring_release(&process->ring);
	if (process->pidfd >= 0)
		close(process->pidfd);
	process->pidfd = -1;
}

void mr_process_release(struct mr_traced_process *process)
{
	mr_process_stop(process);
	mr_ledger_release(&process->ledger);
	free(process);
}
