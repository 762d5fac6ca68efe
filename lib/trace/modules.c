// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "lib/host/reading.h"
#include "lib/trace/modules.h"

static bool keep(const struct mr_mapping *mapping, void *data)
{
	struct mr_modules *modules = data;

	if (mapping->path[0] != '/' && strcmp(mapping->path, "[vdso]") != 0)
		return true;
	if (modules->count == modules->capacity) {
		const size_t capacity = modules->capacity ? 2 * modules->capacity : 64;
		struct mr_mapping *more =
			capacity > MR_MODULE_MAPPINGS
				? NULL
				: reallocarray(modules->mappings, capacity, sizeof(*more));

		if (!more)
			return false;
		modules->mappings = more;
		modules->capacity = capacity;
	}
	modules->mappings[modules->count++] = *mapping;
	return true;
}

static bool is_elsewhere(pid_t pid)
{
	static const char any[] = "/usr";
	char found[PATH_MAX];

	return mr_seen_by((struct mr_viewer){ .process = pid }, any, found) ||
	       strcmp(found, any) != 0;
}

void mr_modules_read(struct mr_modules *modules, pid_t pid)
{
	struct mr_host host = MR_THIS_HOST;
	struct mr_modules read = { .reads = modules->reads + 1 };

	host.process = pid;
	mr_mappings_walk(&host, 0, keep, &read);
	if (!read.count) {
		free(read.mappings);
		modules->reads++;
		return;
	}
	free(modules->mappings);
	read.is_elsewhere = is_elsewhere(pid);
	*modules = read;
}

static int compare(const void *key, const void *element)
{
	const uint64_t addr = *(const uint64_t *)key;
	const struct mr_mapping *mapping = element;

	return addr < mapping->start ? -1 : addr >= mapping->end;
}

const struct mr_mapping *mr_modules_find(const struct mr_modules *modules, uint64_t addr)
{
	return modules->count ? bsearch(&addr, modules->mappings, modules->count,
					sizeof(*modules->mappings), compare)
			      : NULL;
}

uint64_t mr_modules_base(const struct mr_modules *modules, const struct mr_mapping *mapping)
{
	const struct mr_mapping *first = mapping;

	while (first > modules->mappings && !strcmp(first[-1].path, mapping->path))
		first--;
	return first->start - first->offset;
}

/* Whether the file of a mapping is the one that is found at its path here. */
static bool is_here(const struct mr_mapping *mapping)
{
	struct stat st;

	return !stat(mapping->path, &st) && st.st_ino == mapping->inode &&
	       st.st_dev == makedev(mapping->major, mapping->minor);
}

void mr_modules_print(const struct mr_modules *modules, FILE *stream)
{
	for (size_t i = 0; i < modules->count; i++) {
		const struct mr_mapping *m = &modules->mappings[i];

		if (modules->is_elsewhere && !is_here(m))
			continue;
		fprintf(stream,
			"%" PRIx64 "-%" PRIx64 " %c%c%c%c %08" PRIx64 " %02x:%02x %" PRIu64 " %s\n",
			m->start, m->end, m->readable ? 'r' : '-', m->writable ? 'w' : '-',
			m->executable ? 'x' : '-', m->shared ? 's' : 'p', m->offset, m->major,
			m->minor, m->inode, m->path);
	}
}

void mr_modules_release(struct mr_modules *modules)
{
	free(modules->mappings);
	*modules = (struct mr_modules){ 0 };
}
