// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "lib/diagnose/causes/causes.h"

/* A mapping as /proc/self/maps begins its line. */
struct rights_text {
	char text[8];
};

static struct rights_text rights_text(const struct mr_mapping *mapping)
{
	struct rights_text rights;

	snprintf(rights.text, sizeof(rights.text), "%c%c%c%c", mapping->readable ? 'r' : '-',
		 mapping->writable ? 'w' : '-', mapping->executable ? 'x' : '-',
		 mapping->shared ? 's' : 'p');
	return rights;
}

/*
 * Addresses of the kernel have bit 55 and all above it: arm64 may have tags above it in addresses of a process (Linux's
 * tagged-pointers).  On s390x processes and the kernel have an address space each.
 */
#ifdef __s390x__
#define IS_OF_KERNEL(addr) false
#else
#define IS_OF_KERNEL(addr) ((addr) >= UINT64_C(0xff80000000000000))
#endif

/* Says where the range is not mapped. */
static void suspect_hole(const struct mr_obstacle *obstacle, enum mr_certainty certainty,
			 struct mr_suspicion *suspicion)
{
	const struct mr_size_text hole = mr_size_text(obstacle->hole);
	const uint64_t addr = obstacle->addr;

	mr_evidence_number(suspicion, "unmapped", obstacle->hole);
	if (obstacle->kind == MR_OBSTACLE_HOLE) {
		mr_suspect(suspicion, certainty,
			   "the range has a hole: nothing is mapped in the %s at 0x%" PRIx64,
			   hole.text, addr);
	} else if (obstacle->kind == MR_OBSTACLE_END) {
		mr_suspect(suspicion, certainty,
			   "the mapping ends at 0x%" PRIx64 ", and the range continues for %s",
			   addr, hole.text);
	} else if (IS_OF_KERNEL(addr)) {
		mr_suspect(suspicion, certainty,
			   "0x%" PRIx64 " is an address of the kernel: no process has memory there",
			   addr);
		mr_suspect_remedy(suspicion,
				  "correct the address: mmap and malloc return no such address");
	} else {
		mr_suspect(suspicion, certainty,
			   "nothing is mapped at 0x%" PRIx64 ", nor in the %s from there on", addr,
			   hole.text);
	}
}

/* Describes the page, as a clause behind its address: "is a guard page". */
static void describe(const struct mr_obstacle *obstacle, bool writes, char *text, size_t size)
{
	const struct mr_mapped_file *file = &obstacle->file;
	const struct rights_text rights = rights_text(&obstacle->mapping);

	switch (obstacle->kind) {
	case MR_OBSTACLE_DEVICE:
		snprintf(text, size, "is memory of a device (%.64s), which has no pages to pin",
			 obstacle->mapping.path);
		return;
	case MR_OBSTACLE_DAX:
		snprintf(text, size, "maps a file with DAX on %s, which cannot stay pinned",
			 file->filesystem);
		return;
	case MR_OBSTACLE_SECRET:
		snprintf(text, size, "is secret memory (memfd_secret), which no device can access");
		return;
	case MR_OBSTACLE_FILE:
		snprintf(text, size,
			 "is a shared, writable mapping of a file on %s, and the access writes: "
			 "Linux 6.5 and later refuse that",
			 file->upper[0]        ? file->upper
			 : file->filesystem[0] ? file->filesystem
					       : "a device");
		return;
	case MR_OBSTACLE_READ_ONLY:
		snprintf(text, size, "is mapped read-only (%s), and %s", rights.text,
			 writes ? "the access writes" : "this kernel pins for writing in any case");
		return;
	case MR_OBSTACLE_NO_ACCESS:
		snprintf(text, size, "is mapped without read permission (%s, %s)", rights.text,
			 obstacle->mapping.writable ? "without PROT_READ" : "PROT_NONE");
		return;
	case MR_OBSTACLE_FILE_END:
		snprintf(text, size, "is beyond the end of the mapped file, which has %s",
			 MR_SIZE(file->size.value));
		return;
	default:
		snprintf(text, size, "is a guard page (MADV_GUARD_INSTALL)");
	}
}

static void add_mapping(const struct mr_obstacle *obstacle, struct mr_suspicion *suspicion)
{
	const struct mr_mapping *mapping = &obstacle->mapping;

	mr_evidence_text(suspicion, "mapping", "0x%" PRIx64 "-0x%" PRIx64 " %s", mapping->start,
			 mapping->end, rights_text(mapping).text);
	if (mapping->path[0])
		mr_evidence_text(suspicion, "file", "%.90s", mapping->path);
	if (obstacle->file.filesystem[0])
		mr_evidence_text(suspicion, "filesystem", "%s", obstacle->file.filesystem);
	if (obstacle->file.upper[0])
		mr_evidence_text(suspicion, "upper_layer", "%s", obstacle->file.upper);
}

static void suspect_mapping(struct mr_inquiry *inquiry, const struct mr_obstacle *obstacle,
			    enum mr_certainty certainty, struct mr_suspicion *suspicion)
{
	const struct mr_mapping *mapping = &obstacle->mapping;
	const struct mr_mapping *gpu = mr_obstacle_gpu(inquiry, obstacle);
	char text[192];

	if (obstacle->kind == MR_OBSTACLE_READ_ONLY)
		mr_evidence_hex(suspicion, "access", mr_inquiry_access(inquiry));
	if (obstacle->kind == MR_OBSTACLE_FILE_END) {
		mr_evidence_number(suspicion, "file_size", obstacle->file.size.value);
		mr_evidence_number(suspicion, "file_offset",
				   mapping->offset + (obstacle->addr - mapping->start));
	}
	describe(obstacle, mr_inquiry_access(inquiry) & MR_WRITING, text, sizeof(text));
	mr_suspect(suspicion, certainty, "0x%" PRIx64 " %s%s%s", obstacle->addr, text,
		   gpu ? ", in the way that CUDA reserves memory of a GPU: the process has mapped "
		       : "",
		   gpu ? gpu->path : "");
	if (gpu)
		mr_suspect_remedy(suspicion,
				  "export memory of a GPU as a dma-buf and register that "
				  "(cuMemGetHandleForAddressRange, ibv_reg_dmabuf_mr)");
}

/*
 * Whether the memory has the obstacle of the cause.  Without any obstacle, two causes are ruled out with the mappings
 * as the reason.
 */
static void look_at_obstacle(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const enum mr_obstacle_kind kind = suspicion->cause->obstacle;
	const struct mr_obstacle *obstacle = &inquiry->obstacle;
	const enum mr_certainty certainty = mr_certain_if(obstacle->is_decisive);

	if (obstacle->kind == MR_OBSTACLE_NONE && kind == MR_OBSTACLE_HOLE)
		mr_rule_out(suspicion, "the whole range is mapped, by %u mapping%s",
			    obstacle->mappings, obstacle->mappings == 1 ? "" : "s");
	if (obstacle->kind == MR_OBSTACLE_NONE && kind == MR_OBSTACLE_READ_ONLY &&
	    mr_inquiry_access(inquiry) & MR_WRITING)
		mr_rule_out(suspicion, "the whole range is mapped writable");
	/* MR-PEER-MEMORY and others are about those of GPUs. */
	if (obstacle->kind != kind ||
	    (kind == MR_OBSTACLE_DEVICE && mr_is_gpu_mapping(&obstacle->mapping)))
		return;
	mr_evidence_hex(suspicion, "address", obstacle->addr);
	if (obstacle->mappings)
		add_mapping(obstacle, suspicion);
	if (kind <= MR_OBSTACLE_END)
		suspect_hole(obstacle, certainty, suspicion);
	else
		suspect_mapping(inquiry, obstacle, certainty, suspicion);
}

/* ---- pages that cannot be faulted in ---- */

static void look_at_full(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = &inquiry->obstacle;
	const struct mr_mapped_file *file = &obstacle->full_file;

	if (!obstacle->has_full || !mr_obstacle_may_be_in(obstacle, &obstacle->full))
		return;
	mr_evidence_text(suspicion, "file", "%.90s", obstacle->full.path);
	mr_evidence_text(suspicion, "filesystem", "%s", file->filesystem);
	mr_evidence_number(suspicion, "file_size", file->size.value);
	mr_evidence_number(suspicion, "allocated", file->allocated.value);
	mr_evidence_number(suspicion, "free", file->free.value);
	mr_suspect(suspicion, MR_LIKELY,
		   "%.64s has %s, of which %s have pages, and its file system (%s) is full",
		   obstacle->full.path, MR_SIZE(file->size.value), MR_SIZE(file->allocated.value),
		   file->filesystem);
}

/* A search for a mapping with a property, among the first ones of a range. */
struct details_search {
	struct mr_host *host;
	bool by_key; /* for one with a protection key; else for one of userfaultfd */
	uint64_t end;
	unsigned int left; /* mappings that may be looked at still */
	bool is_found;
	struct mr_mapping mapping;
	struct mr_mapping_details details;
};

static bool find_wanted(const struct mr_mapping *mapping, void *data)
{
	struct details_search *search = data;

	if (mapping->start >= search->end || !search->left--)
		return false;
	search->is_found =
		!mr_mapping_details_read(search->host, mapping->start, &search->details) &&
		(search->by_key ? search->details.key != 0 : search->details.has_faults);
	search->mapping = *mapping;
	return !search->is_found;
}

/*
 * Whether a mapping of the range has a protection key or userfaultfd; where a page is absent, the mapping of that page.
 * The thread's own rights are in a register, which /proc does not show.
 */
static void look_at_details(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = &inquiry->obstacle;
	const struct mr_range *range = &inquiry->range;
	const bool has_stop = obstacle->has_stop;
	struct details_search search = {
		.host = inquiry->host,
		.by_key = !strcmp(suspicion->cause->id, "MR-PROTECTION-KEY"),
		.end = has_stop ? obstacle->stop_mapping.end : range->addr + range->length,
		.left = 8,
	};
	const struct mr_mapping *mapping = &search.mapping;

	if (!obstacle->kind || has_stop)
		mr_mappings_walk(inquiry->host, has_stop ? obstacle->stop.addr : range->addr,
				 find_wanted, &search);
	if (!search.is_found)
		return;
	mr_evidence_text(suspicion, "mapping", "0x%" PRIx64 "-0x%" PRIx64 " %s", mapping->start,
			 mapping->end, rights_text(mapping).text);
	if (search.by_key)
		mr_evidence_number(suspicion, "protection_key", search.details.key);
	if (search.by_key)
		mr_suspect(suspicion, MR_LIKELY,
			   "0x%" PRIx64 "-0x%" PRIx64 " has the protection key %u, which may deny "
			   "access to the thread that registers",
			   mapping->start, mapping->end, search.details.key);
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "userfaultfd handles the faults of 0x%" PRIx64 "-0x%" PRIx64
			   ", and may refuse those of the kernel",
			   mapping->start, mapping->end);
}

static void look_at_poison(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = &inquiry->obstacle;
	struct mr_meminfo info;

	if (!obstacle->has_stop || !obstacle->stop.is_swapped || obstacle->stop.is_guard)
		return;
	mr_meminfo_read(inquiry->host, &info);
	if (!info.corrupted.known || !info.corrupted.value)
		return;
	mr_evidence_hex(suspicion, "address", obstacle->stop.addr);
	mr_evidence_number(suspicion, "corrupted", info.corrupted.value);
	mr_suspect(suspicion, mr_likely_if(info.swap_total.known && !info.swap_total.value),
		   "the page at 0x%" PRIx64
		   " is in swap or bad, and %s of this machine's memory are bad",
		   obstacle->stop.addr, MR_SIZE(info.corrupted.value));
}

/* The first release whose ibv_fork_init(3) does nothing where the kernel copies pinned pages. */
#define ASKS_KERNEL_SINCE 51

/* Whether libibverbs protects the range of the call. */
static bool is_protected(struct mr_inquiry *inquiry, struct mr_fork *fork)
{
	const long release = strtol(inquiry->environment->rdma_core, NULL, 10);
	struct mr_range range;

	if (inquiry->refusal->via != MR_VIA_LIBRARY || !mr_inquiry_range(inquiry, &range) ||
	    !range.addr || !range.length || mr_inquiry_is_on_demand(inquiry))
		return false;
	mr_fork_read(inquiry->host, fork);
	if (inquiry->refusal->fork_safe != MR_UNKNOWN)
		return inquiry->refusal->fork_safe == MR_YES;
	return fork->is_requested && ((release > 0 && release < ASKS_KERNEL_SINCE) ||
				      mr_copies_on_fork(inquiry->host) != MR_YES);
}

/* A range that is protected already, as it is registered, is not protected again. */
static enum mr_certainty certainty_alone(const struct mr_inquiry *inquiry)
{
	return inquiry->refusal->held || inquiry->refusal->region_known ? MR_LIKELY : MR_CERTAIN;
}

static void look_at_range(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = &inquiry->obstacle;
	struct mr_fork fork;

	if (!is_protected(inquiry, &fork) || obstacle->kind < MR_OBSTACLE_UNMAPPED ||
	    obstacle->kind > MR_OBSTACLE_END)
		return;
	mr_evidence_hex(suspicion, "address", obstacle->addr);
	mr_evidence_number(suspicion, "unmapped", obstacle->hole);
	mr_suspect(suspicion, certainty_alone(inquiry),
		   "nothing is mapped in the %s at 0x%" PRIx64
		   ", and fork protection (RDMAV_FORK_SAFE) cannot call madvise(2) on it",
		   MR_SIZE(obstacle->hole), obstacle->addr);
}

/*
 * madvise(2) splits the mapping at both ends of the range, and each part counts.  It turns the ENOMEM of
 * split_vma() into EAGAIN.
 */
static void look_at_count(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const bool opens = inquiry->operation == MR_OP_OPEN;
	const bool maps = opens || inquiry->operation == MR_OP_PREPARE;
	struct mr_opt_u64 max, used;
	struct mr_fork fork;

	if (!maps && !is_protected(inquiry, &fork))
		return;
	if (opens)
		suspicion->layer = MR_LAYER_MEMORY;
	max = mr_host_opt_number(inquiry->host, "/proc/sys/vm/max_map_count");
	used = mr_mappings_used(inquiry->host);
	if (!max.known || !used.known)
		return;
	mr_evidence_number(suspicion, "mappings", used.value);
	mr_evidence_number(suspicion, "max_map_count", max.value);
	if (used.value + 2 < max.value)
		mr_rule_out(suspicion,
			    "the process has %" PRIu64 " mappings, and is limited to %" PRIu64,
			    used.value, max.value);
	else
		mr_suspect(suspicion, mr_likely_if(maps || inquiry->refusal->errnum == EAGAIN),
			   "the process has %" PRIu64 " mappings, vm.max_map_count is %" PRIu64
			   "%s",
			   used.value, max.value,
			   maps ? "" : ", and fork protection (RDMAV_FORK_SAFE) splits them");
	if (maps)
		mr_suspect_remedy(suspicion,
				  "raise vm.max_map_count (sysctl), or map fewer, larger areas");
}

/* Whether an end of the range is inside of a huge page, where the mapping cannot be split. */
static bool splits_huge_page(const struct mr_obstacle *obstacle, uint64_t addr)
{
	const struct mr_mapping *huge = &obstacle->huge;
	const uint64_t page = obstacle->huge_details.page_size;

	return addr > huge->start && addr < huge->end && page && addr % page;
}

static void look_at_huge_pages(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_obstacle *obstacle = &inquiry->obstacle;
	struct mr_range range = inquiry->range;
	struct mr_fork fork;

	if (!is_protected(inquiry, &fork) || fork.huge_pages || !obstacle->has_huge)
		return;
	mr_extend_to_pages(mr_page_size(inquiry->host), &range.addr, &range.length);
	mr_evidence_hex(suspicion, "address", range.addr);
	mr_evidence_number(suspicion, "length", range.length);
	mr_evidence_number(suspicion, "page_size", obstacle->huge_details.page_size);
	if (splits_huge_page(obstacle, range.addr) ||
	    splits_huge_page(obstacle, range.addr + range.length))
		mr_suspect(suspicion, certainty_alone(inquiry),
			   "the range ends inside a huge page of %s, which fork protection "
			   "(RDMAV_FORK_SAFE) would have to split",
			   MR_SIZE(obstacle->huge_details.page_size));
	else
		mr_rule_out(suspicion, "the range begins and ends with a huge page");
}

#include "lib/diagnose/causes/mappings.inc"
