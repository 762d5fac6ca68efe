// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

#include "lib/base/cleanup.h"
#include "lib/host/shortage.h"

#define HUGE_POOL "/sys/kernel/mm/hugepages/hugepages-%" PRIu64 "kB"

/* ---- figures ---- */

static FILE *open_below(const char *root, const char *path)
{
	char whole[PATH_MAX];

	if (snprintf(whole, sizeof(whole), "%s%s", root, path) >= (int)sizeof(whole))
		return NULL;
	return fopen(whole, "re");
}

/* Reads the number in a file; false where there is none, such as in "max". */
static bool read_number(const char *root, uint64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
static bool read_number(const char *root, uint64_t *value, const char *fmt, ...)
{
	mr_auto_file FILE *f = NULL;
	char path[PATH_MAX];
	va_list ap;
	int length;

	va_start(ap, fmt);
	length = vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	if (length >= (int)sizeof(path))
		return false;
	f = open_below(root, path);
	return f && fscanf(f, "%" SCNu64, value) == 1;
}

/* Reads a line such as "VmSize:	    1234 kB", and returns it in bytes. */
static bool read_line(const char *root, const char *path, const char *name, uint64_t *bytes)
{
	mr_auto_file FILE *f = open_below(root, path);
	const size_t length = strlen(name);
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, length) && line[length] == ':' &&
		    sscanf(line + length + 1, "%" SCNu64 " kB", bytes) == 1) {
			*bytes <<= 10;
			return true;
		}
	return false;
}

/* Whether @used + @length > @limit; the sum itself may overflow. */
static bool exceeds(uint64_t used, uint64_t length, uint64_t limit)
{
	return used > limit || length > limit - used;
}

/* ---- huge pages ---- */

/* Return: false where the pool has enough pages, or its figures cannot be read. */
static bool hint_pool(const struct mr_shortage *s, const char *root, struct mr_error *err)
{
	const uint64_t kib = s->huge_size >> 10;
	const uint64_t wanted = s->length / s->huge_size + (s->length % s->huge_size != 0);
	uint64_t free, reserved, overcommit, surplus, left;

	if (!read_number(root, &free, HUGE_POOL "/free_hugepages", kib) ||
	    !read_number(root, &reserved, HUGE_POOL "/resv_hugepages", kib) ||
	    !read_number(root, &overcommit, HUGE_POOL "/nr_overcommit_hugepages", kib) ||
	    !read_number(root, &surplus, HUGE_POOL "/surplus_hugepages", kib))
		return false;
	left = free > reserved ? free - reserved : 0;
	left += overcommit > surplus ? overcommit - surplus : 0;
	if (wanted <= left)
		return false;
	mr_hint(err,
		"%" PRIu64 " huge pages of %" PRIu64 " KiB are wanted; %" PRIu64
		" are free, of which others have reserved %" PRIu64 ", and %" PRIu64
		" may be made on demand: raise " HUGE_POOL "/nr_hugepages",
		wanted, kib, free, reserved, overcommit > surplus ? overcommit - surplus : 0, kib);
	return true;
}

/* Where control groups have their limits of huge pages: version 2, and version 1. */
struct group_files {
	const char *controller; /* stands before the path in a line of /proc/self/cgroup */
	const char *mount;
	const char *max, *current;
};

static const struct group_files group_files[] = {
	{ "0::", "/sys/fs/cgroup", "rsvd.max", "rsvd.current" },
	{ ":hugetlb:", "/sys/fs/cgroup/hugetlb", "rsvd.limit_in_bytes", "rsvd.usage_in_bytes" },
};

/* Finds the control group of this process: "" for the root. */
static bool find_group(const char *root, const char *controller, char *path, size_t size)
{
	mr_auto_file FILE *f = open_below(root, "/proc/self/cgroup");
	const char *found;
	char line[PATH_MAX];

	while (f && fgets(line, sizeof(line), f)) {
		found = strstr(line, controller);
		if (!found || (*controller != ':' && found != line))
			continue;
		found += strlen(controller);
		snprintf(path, size, "%.*s", (int)strcspn(found, "\n"), found);
		if (!strcmp(path, "/"))
			path[0] = '\0';
		return true;
	}
	return false;
}

/* Writes a page size as the kernel has it in names of files: 64KB, 2MB, 1GB. */
static void name_size(uint64_t size, char *name, size_t length)
{
	const bool giga = !(size % (1u << 30)), mega = !(size % (1u << 20));

	snprintf(name, length, "%" PRIu64 "%s",
		 size >> (giga   ? 30
			  : mega ? 20
				 : 10),
		 giga   ? "GB"
		 : mega ? "MB"
			: "KB");
}

/* Names the control group, of this process or above that, that may not reserve as much. */
static bool hint_group(const struct mr_shortage *s, const struct group_files *files,
		       const char *root, struct mr_error *err)
{
	char path[512], size[32], *slash;
	uint64_t max, current;

	if (!find_group(root, files->controller, path, sizeof(path)))
		return false;
	name_size(s->huge_size, size, sizeof(size));
	for (;;) {
		if (read_number(root, &max, "%s%s/hugetlb.%s.%s", files->mount, path, size,
				files->max) &&
		    read_number(root, &current, "%s%s/hugetlb.%s.%s", files->mount, path, size,
				files->current) &&
		    exceeds(current, s->length, max))
			break;
		slash = strrchr(path, '/');
		if (!slash)
			return false;
		*slash = '\0';
	}
	mr_hint(err,
		"its control group may reserve %" PRIu64 " bytes in huge pages of %s, has %" PRIu64
		", and %" PRIu64 " more were asked for: raise %s%s/hugetlb.%s.%s",
		max, size, current, s->length, files->mount, path, size, files->max);
	return true;
}

static void hint_huge(const struct mr_shortage *s, const char *root, struct mr_error *err)
{
	if (hint_pool(s, root, err))
		return;
	for (size_t i = 0; i < sizeof(group_files) / sizeof(group_files[0]); i++)
		if (hint_group(s, &group_files[i], root, err))
			return;
}

/* ---- limits of the process and the machine ---- */

static bool hint_limit(const struct mr_shortage *s, const char *root, const char *used_name,
		       int resource, const char *name, struct mr_error *err)
{
	struct rlimit limit;
	uint64_t used;

	if (getrlimit((__rlimit_resource_t)resource, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	    !read_line(root, "/proc/self/status", used_name, &used) ||
	    !exceeds(used, s->length, limit.rlim_cur))
		return false;
	mr_hint(err,
		"%s is %" PRIu64 " bytes, and the process has %" PRIu64
		" already (%s in /proc/self/status): raise it (ulimit -%c)",
		name, (uint64_t)limit.rlim_cur, used, used_name, resource == RLIMIT_AS ? 'v' : 'd');
	return true;
}

static void hint_overcommit(const struct mr_shortage *s, const char *root, struct mr_error *err)
{
	uint64_t mode, limit, used, memory, swap;

	if (!s->is_private || !read_number(root, &mode, "/proc/sys/vm/overcommit_memory"))
		return;
	if (mode == 2 && read_line(root, "/proc/meminfo", "CommitLimit", &limit) &&
	    read_line(root, "/proc/meminfo", "Committed_AS", &used) &&
	    exceeds(used, s->length, limit))
		mr_hint(err,
			"vm.overcommit_memory is 2: this machine promises at most %" PRIu64
			" bytes (CommitLimit in /proc/meminfo), and has promised %" PRIu64,
			limit, used);
	if (mode == 0 && read_line(root, "/proc/meminfo", "MemTotal", &memory) &&
	    read_line(root, "/proc/meminfo", "SwapTotal", &swap) && s->length > memory + swap)
		mr_hint(err,
			"this machine has %" PRIu64 " bytes of memory and %" PRIu64
			" of swap, and with vm.overcommit_memory 0 no mapping is larger",
			memory, swap);
}

void mr_shortage_hint(const struct mr_shortage *shortage, const char *root, struct mr_error *err)
{
	if (hint_limit(shortage, root, "VmSize", RLIMIT_AS, "RLIMIT_AS", err) ||
	    (shortage->is_private &&
	     hint_limit(shortage, root, "VmData", RLIMIT_DATA, "RLIMIT_DATA", err)))
		return;
	if (shortage->huge_size)
		hint_huge(shortage, root, err);
	else
		hint_overcommit(shortage, root, err);
}
