// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/base.h"
#include "lib/diagnose/causes/pinning.h"
#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "lib/trace/range.h"
#include "lib/verbs/verbs.h"

/* Of a range in more mappings than these, the others are not compared with the first. */
#define MAPPINGS_MAX 256

/* A range of many kinds of memory that is larger, in bytes, is not made alike. */
#define ALIKE_MAX (UINT64_C(64) << 20)

/* Where transparent huge pages begin: what --memory thp aligns its mapping to. */
#define THP_SIZE           (UINT64_C(2) << 20)

#define REMARK(range, ...) snprintf((range)->remark, sizeof((range)->remark), __VA_ARGS__)

static void stand_in(struct mr_traced_range *range, enum mr_memory_type type, const char *word)
{
	range->type = type;
	snprintf(range->memory, sizeof(range->memory), "%s", word);
}

static bool has_prefix(const char *text, const char *prefix)
{
	return !strncmp(text, prefix, strlen(prefix));
}

/* ---- files ---- */

/* The kernel escapes newlines in the path; a path with other signs that no terminal shows is left out, too. */
static bool is_usable(const char *path)
{
	if (*path != '/' || strlen(path) >= sizeof(((struct mr_mapping *)0)->path) - 1)
		return false;
	while (*path && *path != '\\' && mr_utf8_shown(path))
		path += mr_utf8_shown(path);
	return !*path;
}

/* Whether the file can be mapped by the path that the process had mapped it from. */
static bool has_usable_path(const struct mr_traced_range *range)
{
	return is_usable(range->mapping.path) && range->file.has_path;
}

static void remark_path(struct mr_traced_range *range)
{
	REMARK(range,
	       is_usable(range->mapping.path)
		       ? "the file is not where it was mapped from: %.100s"
		       : "no line of a batch can have the path of the file: %.100s",
	       range->mapping.path);
}

/* A file is mapped from its beginning, so that the range is where it is in the file. */
static void stand_by_path(struct mr_host *host, enum mr_memory_type type, const char *word,
			  struct mr_traced_range *range)
{
	const struct mr_mapping *mapping = &range->mapping;
	const uint64_t addr = range->addr > mapping->start ? range->addr : mapping->start;
	char seen[PATH_MAX];

	if (!has_usable_path(range)) {
		stand_in(range, mapping->shared ? MR_MEMORY_MEMFD : MR_MEMORY_ANON,
			 mapping->shared ? "memfd" : "anon");
		range->is_exact = false;
		remark_path(range);
		return;
	}
	range->type = type;
	snprintf(range->memory, sizeof(range->memory), "%s:%s", word, mapping->path);
	range->offset = mapping->offset + (addr - mapping->start);
	if (host->process && (mr_seen_by(mr_host_viewer(host), mapping->path, seen) ||
			      strcmp(seen, mapping->path) != 0)) {
		range->is_exact = false;
		REMARK(range, "the path is one of a process with mounts of its own");
	}
}

/* ---- one mapping ---- */

static bool is_anonymous(const struct mr_mapping *mapping)
{
	return !mapping->inode &&
	       (!mapping->path[0] || has_prefix(mapping->path, "[heap]") ||
		has_prefix(mapping->path, "[stack") || has_prefix(mapping->path, "[anon"));
}

/* Memory that is a file to the kernel, and has no path that a program could open. */
static bool is_memory_file(const struct mr_mapping *mapping)
{
	return has_prefix(mapping->path, "/memfd:") || has_prefix(mapping->path, "/SYSV") ||
	       has_prefix(mapping->path, "/dev/zero") || has_prefix(mapping->path, "[anon_shmem");
}

static void stand_for_huge_pages(struct mr_traced_range *range, uint64_t page)
{
	const char *unit = page % (UINT64_C(1) << 30) == 0   ? "G"
			   : page % (UINT64_C(1) << 20) == 0 ? "M"
							     : "K";
	const unsigned int shift = *unit == 'G' ? 30 : *unit == 'M' ? 20 : 10;

	range->type = MR_MEMORY_HUGETLB;
	snprintf(range->memory, sizeof(range->memory), "hugetlb:%" PRIu64 "%s", page >> shift,
		 unit);
	range->page_size = page;
	range->offset = range->addr % page;
}

/* Memory in which nothing is known to be in the way. */
static void stand_for_mapping(struct mr_host *host, struct mr_traced_range *range)
{
	const struct mr_mapping *mapping = &range->mapping;
	struct mr_mapping_details details;
	const bool has_details = !mr_mapping_details_read(host, mapping->start, &details);

	if (has_details && details.page_size)
		range->page_size = details.page_size;
	if (has_details && details.is_hugetlb && details.page_size)
		stand_for_huge_pages(range, details.page_size);
	else if (is_anonymous(mapping) && has_details && details.is_thp_asked) {
		stand_in(range, MR_MEMORY_THP, "thp");
		range->offset = range->addr % THP_SIZE;
	} else if (is_anonymous(mapping)) {
		stand_in(range, MR_MEMORY_ANON, "anon");
	} else if (is_memory_file(mapping)) {
		stand_in(range, MR_MEMORY_MEMFD, "memfd");
	} else if (range->file.is_found && range->file.type == S_IFCHR) {
		stand_by_path(host, MR_MEMORY_DEVICE, "device", range);
	} else if (mapping->path[0] == '/') {
		stand_by_path(host, mapping->shared ? MR_MEMORY_FILE : MR_MEMORY_FILE_PRIVATE,
			      mapping->shared ? "file" : "file-private", range);
	} else {
		stand_in(range, MR_MEMORY_ANON, "anon");
		range->is_exact = false;
		REMARK(range, "the mapping is a special one: %.100s", mapping->path);
	}
}

/* ---- what keeps the range from being pinned ---- */

/* An address with nothing there has the same answer. */
static void stand_for_unpinnable(struct mr_traced_range *range, const char *what)
{
	stand_in(range, MR_MEMORY_UNMAPPED, "unmapped");
	range->is_exact = false;
	REMARK(range, "the range is %s, which no kind of memory stands for", what);
}

/* Whether most of a long range is not mapped, or is in mappings of other kinds. */
static bool is_far_too_long(const struct mr_traced_range *range)
{
	const uint64_t mapped =
		range->obstacle_addr > range->addr ? range->obstacle_addr - range->addr : 0;

	if (range->length <= ALIKE_MAX)
		return false;
	switch (range->obstacle) {
	case MR_OBSTACLE_HOLE:
	case MR_OBSTACLE_END:
		return mapped < range->length - range->page_size;
	case MR_OBSTACLE_DEVICE:
	case MR_OBSTACLE_FILE:
	case MR_OBSTACLE_FILE_END:
		return range->mappings > 1;
	default:
		return false;
	}
}

/* As much memory as a wrong length claims need not fit into the machine that is to be refused in the same way. */
static void stand_for_far_too_long(struct mr_traced_range *range)
{
	stand_in(range, MR_MEMORY_UNMAPPED, "unmapped");
	range->is_exact = false;
	REMARK(range, "the range begins with memory, but is too long to be mapped");
}

static void stand_for_obstacle(struct mr_host *host, struct mr_traced_range *range)
{
	if (is_far_too_long(range)) {
		stand_for_far_too_long(range);
		return;
	}
	switch (range->obstacle) {
	case MR_OBSTACLE_NONE:
		stand_for_mapping(host, range);
		return;
	case MR_OBSTACLE_UNMAPPED:
		stand_in(range, MR_MEMORY_UNMAPPED, "unmapped");
		return;
	case MR_OBSTACLE_HOLE:
	case MR_OBSTACLE_END:
		stand_in(range, MR_MEMORY_HOLE, "hole");
		return;
	case MR_OBSTACLE_READ_ONLY:
		stand_in(range, MR_MEMORY_READONLY, "readonly");
		return;
	case MR_OBSTACLE_NO_ACCESS:
		stand_for_unpinnable(range, "mapped so that it may not be read");
		return;
	case MR_OBSTACLE_SECRET:
		stand_for_unpinnable(range, "of memfd_secret(2)");
		return;
	case MR_OBSTACLE_GUARD:
		stand_for_unpinnable(range, "a guard page of madvise(2)");
		return;
	case MR_OBSTACLE_DEVICE:
		if (has_usable_path(range))
			stand_by_path(host, MR_MEMORY_DEVICE, "device", range);
		else
			stand_for_unpinnable(range, "memory of a device");
		return;
	case MR_OBSTACLE_FILE_END:
		if (!has_usable_path(range)) {
			stand_for_unpinnable(range, "behind the end of a file without a path");
			return;
		}
		/* fallthrough */
	case MR_OBSTACLE_DAX:
	case MR_OBSTACLE_FILE:
		if (!has_usable_path(
			    range)) { /* its file system decides, which memory of no other kind has */
			range->is_exact = false;
			remark_path(range);
			return;
		}
		stand_by_path(host, range->mapping.shared ? MR_MEMORY_FILE : MR_MEMORY_FILE_PRIVATE,
			      range->mapping.shared ? "file" : "file-private", range);
		return;
	}
}

/* ---- the range ---- */

/* The mappings of a range, compared with its first one. */
struct walk {
	struct mr_traced_range *range;
	uint64_t next; /* first address behind the mappings so far */
	uint64_t end;
	bool is_mixed;
};

/* Only the first hole counts, and only one that is in the range. */
static void note_hole(struct walk *walk)
{
	if (walk->next >= walk->end)
		return;
	walk->range->obstacle = MR_OBSTACLE_HOLE;
	walk->range->obstacle_addr = walk->next;
}

static bool visit(const struct mr_mapping *mapping, void *data)
{
	struct walk *walk = data;
	struct mr_traced_range *range = walk->range;
	const struct mr_mapping *first = &range->mapping;

	if (mapping->start > walk->next && range->mappings && !range->obstacle)
		note_hole(walk);
	if (mapping->start >= walk->end || range->mappings == MAPPINGS_MAX)
		return false;
	walk->next = mapping->end;
	if (!range->mappings++) {
		range->mapping = *mapping;
		range->has_mapping = true;
	}
	walk->is_mixed |= mapping->inode != first->inode || mapping->shared != first->shared ||
			  mapping->writable != first->writable ||
			  strcmp(mapping->path, first->path) != 0;
	return mapping->end < walk->end;
}

static int look_at_mappings(struct mr_host *host, struct mr_traced_range *range)
{
	struct walk walk = { .range = range };
	int rc;

	/* an empty range is where it points to */
	if (__builtin_add_overflow(range->addr, range->length ?: 1, &walk.end))
		walk.end = UINT64_MAX;
	rc = mr_mappings_walk(host, range->addr, visit, &walk);
	if (rc)
		return rc;
	if (range->has_mapping && range->mapping.start > range->addr) {
		range->obstacle = MR_OBSTACLE_HOLE;
		range->obstacle_addr = range->addr;
	} else if (range->has_mapping && !range->obstacle && range->mappings < MAPPINGS_MAX) {
		note_hole(&walk);
	}
	if (!range->has_mapping)
		range->obstacle = MR_OBSTACLE_UNMAPPED;
	if (walk.is_mixed) {
		range->is_exact = false;
		REMARK(range, "the range is in %u mappings, which are not alike", range->mappings);
	}
	return 0;
}

/* The obstacle is that of pinning; of other calls it is not looked for. */
static void take_obstacle(const struct mr_obstacle *obstacle, struct mr_host *host,
			  struct mr_traced_range *range)
{
	if (obstacle && obstacle->kind) {
		range->obstacle = obstacle->kind;
		range->obstacle_addr = obstacle->addr;
		range->has_mapping = obstacle->mappings;
		range->mapping = obstacle->mapping;
		range->file = obstacle->file;
	} else if (range->has_mapping) {
		mr_mapped_file_read(host, &range->mapping, &range->file);
	}
}

int mr_traced_range_read(const struct mr_refusal *refusal, struct mr_host *host,
			 struct mr_traced_range *range)
{
	struct mr_inquiry inquiry = {
		.refusal = refusal,
		.operation = mr_operation_of(refusal),
		.host = host,
	};
	const uint64_t page = mr_page_size(host);
	struct mr_range asked;
	int rc;

	*range = (struct mr_traced_range){ .is_exact = true };
	if (refusal->advised) /* of a region whose IOVA is its address, as nearly all have */
		asked = (struct mr_range){ refusal->advised->addr, refusal->advised->length };
	else if (!mr_inquiry_range(&inquiry, &asked))
		return -ENODATA;
	range->addr = asked.addr;
	range->length = asked.length;
	range->offset = asked.addr % page;
	range->page_size = page;
	if (!asked.addr && asked.length == UINT64_MAX) {
		stand_in(range, MR_MEMORY_NONE, "none");
		return 0;
	}
	rc = look_at_mappings(host, range);
	if (rc) {
		range->is_exact = false;
		range->page_size = 0;
		REMARK(range, "the mappings of the process cannot be read: %s", mr_errno_text(-rc));
		return rc;
	}
	take_obstacle(mr_obstacle_find(&inquiry), host, range);
	stand_for_obstacle(host, range);
	return 0;
}
