// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/address_space.h"
#include "lib/host/live.h"

/* Bytes of resident memory whose pages the kernel counts for smaps in some 2 ms. */
#define RESIDENT_MAX (UINT64_C(128) << 20)

/* ---- lines ---- */

/* Reads a file of the process line by line, up to the line that is not wanted any more. */
static int read_lines(const struct mr_host *host, const char *path,
		      bool (*take)(const char *line, void *data), void *data)
{
	mr_auto_fd int fd = mr_live_open(mr_host_viewer(host), path);
	mr_auto_file FILE *file = NULL;
	char line[4096 + 128];

	if (fd < 0)
		return fd;
	file = fdopen(fd, "r");
	if (!file)
		return -ENOMEM;
	mr_steal_fd(&fd);
	errno = 0;
	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (!take(line, data))
			return 0;
	}
	return ferror(file) ? -(errno ? errno : EIO) : 0;
}

static bool parse_mapping(const char *line, struct mr_mapping *mapping)
{
	char rights[5];
	int path = 0;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		   &mapping->start, &mapping->end, rights, &mapping->offset, &mapping->major,
		   &mapping->minor, &mapping->inode, &path) < 7 ||
	    strlen(rights) < 4 || mapping->start >= mapping->end)
		return false;
	mapping->readable = rights[0] == 'r';
	mapping->writable = rights[1] == 'w';
	mapping->executable = rights[2] == 'x';
	mapping->shared = rights[3] == 's';
	snprintf(mapping->path, sizeof(mapping->path), "%s", path ? line + path : "");
	return true;
}

/* ---- mappings ---- */

struct walk {
	uint64_t start;
	bool (*visit)(const struct mr_mapping *mapping, void *data);
	void *data;
	bool has_begun, is_done;
	bool is_garbled; /* a line is that of no mapping, so what is mapped is not known */
};

/* Return: whether the next line is wanted. */
static bool walk_line(const char *line, void *data)
{
	struct walk *walk = data;
	struct mr_mapping mapping;

	if (walk->is_done)
		return false;
	if (!parse_mapping(line, &mapping)) {
		walk->is_garbled = true;
		return false;
	}
	walk->has_begun = true;
	if (mapping.end > walk->start)
		walk->is_done = !walk->visit(&mapping, walk->data);
	return !walk->is_done;
}

/* What reading lines has come to: each process has mappings. */
static int result_of(const struct walk *walk, int rc)
{
	if (rc)
		return rc;
	return walk->is_garbled || !walk->has_begun ? -EBADMSG : 0;
}

/* linux/fs.h since Linux 6.11: struct procmap_query, PROCMAP_QUERY, PROCMAP_QUERY_... */
struct query {
	uint64_t size, flags, addr;
	uint64_t vma_start, vma_end, vma_flags, vma_page_size, vma_offset, inode;
	uint32_t dev_major, dev_minor, name_size, build_id_size;
	uint64_t name_addr, build_id_addr;
};

#define QUERY            _IOWR('f', 17, struct query)
#define QUERY_READABLE   0x01u
#define QUERY_WRITABLE   0x02u
#define QUERY_EXECUTABLE 0x04u
#define QUERY_SHARED     0x08u
#define QUERY_OR_NEXT    0x10u

/* Asks for the mapping at an address, or the next one.  Return: 0 or -errno: -ENOENT at the end. */
static int query_mapping(int maps, uint64_t addr, struct mr_mapping *mapping)
{
	char path[4096] = "";
	struct query query = {
		.size = sizeof(query),
		.flags = QUERY_OR_NEXT,
		.addr = addr,
		.name_size = sizeof(path),
		.name_addr = (uintptr_t)path,
	};

	if (ioctl(maps, QUERY, &query))
		return -errno;
	*mapping = (struct mr_mapping){
		.start = query.vma_start,
		.end = query.vma_end,
		.offset = query.vma_offset,
		.inode = query.inode,
		.major = query.dev_major,
		.minor = query.dev_minor,
		.readable = query.vma_flags & QUERY_READABLE,
		.writable = query.vma_flags & QUERY_WRITABLE,
		.executable = query.vma_flags & QUERY_EXECUTABLE,
		.shared = query.vma_flags & QUERY_SHARED,
	};
	snprintf(mapping->path, sizeof(mapping->path), "%.*s", (int)sizeof(mapping->path) - 1,
		 path);
	return 0;
}

/* Return: 0 or -errno; before the walk has begun, that can mean that the kernel has no such query. */
static int walk_by_query(const struct mr_host *host, struct walk *walk)
{
	mr_auto_fd int maps = mr_live_open(mr_host_viewer(host), "/proc/self/maps");
	struct mr_mapping mapping = { .end = 0 };
	uint64_t addr = walk->start;
	int rc;

	if (maps < 0)
		return maps;
	do {
		rc = query_mapping(maps, addr, &mapping);
		if (rc)
			return rc == -ENOENT ? 0 : rc;
		walk->has_begun = true;
		addr = mapping.end;
	} while (walk->visit(&mapping, walk->data));
	return 0;
}

static bool walk_recorded_line(const char *line, void *data)
{
	struct walk *walk = data;

	if (!walk->is_garbled)
		walk_line(line, walk);
	return true;
}

int mr_mappings_walk(struct mr_host *host, uint64_t start,
		     bool (*visit)(const struct mr_mapping *mapping, void *data), void *data)
{
	struct walk walk = { .start = start, .visit = visit, .data = data };
	int rc;

	if (!mr_host_is_live(host))
		return result_of(&walk,
				 mr_host_lines(host, "/proc/self/maps", walk_recorded_line, &walk));
	host->reads |= MR_READ_MEMORY;
	rc = walk_by_query(host, &walk);
	return rc && !walk.has_begun
		       ? result_of(&walk, read_lines(host, "/proc/self/maps", walk_line, &walk))
		       : rc;
}

/* ---- details ---- */

struct details_search {
	uint64_t start;
	bool is_found, is_done;
	struct mr_mapping_details *details;
};

static void take_flags(const char *flags, struct mr_mapping_details *details)
{
	static const struct {
		char name[3];
		size_t member;
	} rows[] = {
#define ROW(name, member) { name, offsetof(struct mr_mapping_details, member) }
		ROW("io", is_io),         ROW("pf", is_pfn),       ROW("ht", is_hugetlb),
		ROW("nr", is_unreserved), ROW("hg", is_thp_asked), ROW("um", has_faults),
		ROW("uw", has_faults),    ROW("ui", has_faults),
#undef ROW
	};

	for (flags += strspn(flags, " "); *flags; flags += strspn(flags, " ")) {
		const size_t length = strcspn(flags, " ");

		for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
			if (length == 2 && !strncmp(flags, rows[i].name, 2))
				*(bool *)((char *)details + rows[i].member) = true;
		flags += length;
	}
}

/* Adds the kB of a line with one of these names. */
static void take_size(const char *line, const char *name, uint64_t *bytes)
{
	const size_t length = strlen(name);
	uint64_t kib;

	if (!strncmp(line, name, length) && sscanf(line + length, ": %" SCNu64 " kB", &kib) == 1 &&
	    kib <= UINT64_MAX >> 10)
		*bytes += kib << 10;
}

/* Return: whether the next line is wanted. */
static bool take_details(const char *line, void *data)
{
	struct details_search *search = data;
	struct mr_mapping mapping;

	if (search->is_done)
		return false;
	if (!search->is_found) {
		search->is_found = parse_mapping(line, &mapping) && mapping.start == search->start;
		return true;
	}
	take_size(line, "KernelPageSize", &search->details->page_size);
	take_size(line, "Private_Hugetlb", &search->details->huge);
	take_size(line, "Shared_Hugetlb", &search->details->huge);
	search->is_done = !strncmp(line, "VmFlags:", 8);
	if (search->is_done)
		take_flags(line + 8, search->details);
	return !search->is_done;
}

static bool take_recorded_details(const char *line, void *data)
{
	take_details(line, data);
	return true;
}

/* The second figure of statm: pages that are resident. */
static bool is_small(const struct mr_host *host)
{
	struct mr_host here = mr_host_unrecorded(host);
	uint64_t resident;
	char text[128];

	return mr_host_read(&here, text, sizeof(text), "/proc/self/statm") > 0 &&
	       sscanf(text, "%*u %" SCNu64, &resident) == 1 &&
	       resident <= RESIDENT_MAX / (uint64_t)sysconf(_SC_PAGESIZE);
}

int mr_mapping_details_read(struct mr_host *host, uint64_t start,
			    struct mr_mapping_details *details)
{
	struct details_search search = { .start = start, .details = details };
	int rc;

	*details = (struct mr_mapping_details){ 0 };
	host->reads |= MR_READ_MEMORY;
	if (!mr_host_is_live(host))
		rc = mr_host_lines(host, "/proc/self/smaps", take_recorded_details, &search);
	else if (is_small(host))
		rc = read_lines(host, "/proc/self/smaps", take_details, &search);
	else
		rc = -EFBIG;
	return rc ? rc : search.is_done ? 0 : -ENOENT;
}

/* ---- pages ---- */

#define PAGE_PRESENT      (UINT64_C(1) << 63)
#define PAGE_SWAPPED      (UINT64_C(1) << 62)
#define PAGE_IS_OF_FILE   (UINT64_C(1) << 61)
#define PAGE_IS_GUARD     (UINT64_C(1) << 58)
#define PAGE_IS_PROTECTED (UINT64_C(1) << 57) /* by userfaultfd(2) */
#define PAGE_IS_EXCLUSIVE (UINT64_C(1) << 56) /* mapped once */

int mr_absent_page_find(struct mr_host *host, uint64_t start, uint64_t end, enum mr_page_use use,
			struct mr_absent_page *page)
{
	static const struct {
		uint64_t set, clear;
	} wanted[] = {
		[MR_PAGE_READ] = { PAGE_PRESENT, 0 },
		[MR_PAGE_WRITE] = { PAGE_PRESENT, PAGE_IS_PROTECTED },
		[MR_PAGE_OWN] = { PAGE_PRESENT | PAGE_IS_EXCLUSIVE,
				  PAGE_IS_PROTECTED | PAGE_IS_OF_FILE },
	};
	const uint64_t size = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t entries[1024];
	mr_auto_fd int fd = -1;

	if (!mr_host_is_live(host))
		return -ENODATA;
	host->reads |= MR_READ_MEMORY;
	fd = mr_live_open(mr_host_viewer(host), "/proc/self/pagemap");
	if (fd < 0)
		return fd;
	while (start < end) {
		const uint64_t left = (end - start + size - 1) / size;
		const size_t count = left < 1024 ? (size_t)left : 1024;
		const ssize_t got = pread(fd, entries, count * sizeof(*entries),
					  (off_t)(start / size * sizeof(*entries)));

		if (got < (ssize_t)sizeof(*entries))
			return got < 0 ? -errno : -EIO;
		for (size_t i = 0; i < (size_t)got / sizeof(*entries); i++, start += size) {
			if ((entries[i] & (wanted[use].set | wanted[use].clear)) == wanted[use].set)
				continue;
			*page = (struct mr_absent_page){ .addr = start,
							 .is_swapped = entries[i] & PAGE_SWAPPED,
							 .is_guard = entries[i] & PAGE_IS_GUARD };
			return 1;
		}
	}
	return 0;
}
