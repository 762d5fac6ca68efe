// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/sim/base/base.h"

static struct sim_libc libc;
static bool found;

/* Two threads may run this at once: both store the same addresses. */
static void find_all(void)
{
#define FIND(name) libc.name = (__typeof__(libc.name))dlsym(RTLD_NEXT, #name)
	FIND(open), FIND(openat), FIND(close), FIND(fcntl), FIND(fstat), FIND(stat), FIND(lstat);
	FIND(fstatat), FIND(statx), FIND(access), FIND(euidaccess), FIND(faccessat);
	FIND(readlink), FIND(readlinkat), FIND(realpath), FIND(__realpath_chk);
	FIND(getxattr), FIND(lgetxattr), FIND(listxattr), FIND(llistxattr);
	FIND(mmap), FIND(ioctl), FIND(socket), FIND(write);
	__atomic_store_n(&found, true, __ATOMIC_RELEASE);
}

const struct sim_libc *sim_libc(void)
{
	if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE))
		find_all();
	return &libc;
}

uint64_t sim_random(void)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number) || !number)
		number = (uint64_t)getpid();
	return number;
}

/* Whether this process, or one that it was forked from, has mapped a file with write-back MAP_SHARED. */
static bool shared_file;

/*
 * Whether files of a file system may be pinned for writing.  Files of ramfs may not: a write to a page calls
 * filemap_page_mkwrite(), as with a disk.
 */
static bool is_in_memory(const struct statfs *fs)
{
	return fs->f_type == TMPFS_MAGIC || fs->f_type == HUGETLBFS_MAGIC;
}

void sim_maps_note(int fd, int flags)
{
	const int type = flags & MAP_TYPE;
	struct statfs fs;

	if ((type == MAP_SHARED || type == MAP_SHARED_VALIDATE) &&
	    !__atomic_load_n(&shared_file, __ATOMIC_RELAXED) &&
	    (fstatfs(fd, &fs) || !is_in_memory(&fs)))
		__atomic_store_n(&shared_file, true, __ATOMIC_RELAXED);
}

bool sim_maps_has_shared_file(void)
{
	return __atomic_load_n(&shared_file, __ATOMIC_RELAXED);
}

bool sim_mapping_writes_back(const struct mr_mapping *mapping)
{
	struct statfs fs;

	if (!mapping->shared || !mapping->inode)
		return false;
	/* A deleted file has no path to ask.  File systems in memory have major number 0. */
	if (statfs(mapping->path, &fs))
		return mapping->major != 0;
	/* The files of an overlay that can be written are in its upper layer. */
	return fs.f_type == OVERLAYFS_SUPER_MAGIC ? !mr_overlay_has_tmpfs(mapping->path)
						  : !is_in_memory(&fs);
}

bool sim_mapping_is_secret(const struct mr_mapping *mapping)
{
	return mapping->shared && mapping->major == 0 &&
	       !strcmp(mapping->path, "/secretmem (deleted)");
}

bool sim_mapping_is_ring(const struct mr_mapping *mapping)
{
	return !strcmp(mapping->path, "anon_inode:[perf_event]");
}

/* Where the mapping of a line ends: most lines are before the range, and sscanf(3) of all of them is slow. */
static uint64_t read_end(const char *line)
{
	const char *dash = strchr(line, '-');

	return dash ? strtoull(dash + 1, NULL, 16) : 0;
}

int sim_maps_walk(uint64_t start, uint64_t end,
		  int (*visit)(const struct mr_mapping *mapping, void *argument), void *argument)
{
	struct mr_mapping mapping;
	char *line = NULL;
	size_t size = 0;
	FILE *maps;
	int rc = 0;

	maps = fopen("/proc/self/maps", "re");
	if (!maps)
		return -EIO;
	while (!rc && getline(&line, &size, maps) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (read_end(line) <= start || !mr_mapping_parse(line, &mapping))
			continue;
		if (mapping.start >= end)
			break;
		if (mapping.start < start) {
			mapping.offset += start - mapping.start;
			mapping.start = start;
		}
		mapping.end = mapping.end > end ? end : mapping.end;
		rc = visit(&mapping, argument);
	}
	if (!rc && ferror(maps))
		rc = -EIO;
	free(line);
	fclose(maps);
	return rc;
}

/* ---- what the environment asks for ---- */

static enum mr_sim_kernel kernel;

void sim_refuse_variable(const char *name, struct mr_error *err)
{
	for (char *c = err->text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	dprintf(STDERR_FILENO, "libmrctl-sim: %s: %s\n", name, err->text);
	_exit(2);
}

/*
 * An unknown name ends the program before main().  If the default kernel stood in for it, the user
 * would take the answers of one kernel for those of another.
 */
static void read_kernel(void) __attribute__((constructor));
static void read_kernel(void)
{
	const char *text = getenv(MR_SIM_KERNEL_VARIABLE);
	struct mr_error err;

	if (text && mr_sim_kernel_parse(text, &kernel, &err))
		sim_refuse_variable(MR_SIM_KERNEL_VARIABLE, &err);
}

enum mr_sim_kernel sim_wanted_kernel(void)
{
	return kernel;
}

enum mr_sim_profile sim_wanted_kind(void)
{
	const char *name = getenv(MR_SIM_VARIABLE);
	int kind = 0;

	while (kind < MR_SIM_PROFILES && !(name && !strcmp(mr_sim_profiles[kind].name, name)))
		kind++;
	return (enum mr_sim_profile)kind;
}

uint32_t sim_wanted_limit(void)
{
	const char *text = getenv(MR_SIM_MAX_OBJECTS_VARIABLE);
	struct mr_error err;
	unsigned long limit;
	char *end;

	if (!text)
		return UINT32_MAX;
	errno = 0;
	limit = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && limit <= UINT32_MAX)
		return (uint32_t)limit;
	mr_fail_usage(&err, "not a number of objects: \"%s\"", text);
	sim_refuse_variable(MR_SIM_MAX_OBJECTS_VARIABLE, &err);
}
