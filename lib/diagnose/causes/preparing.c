// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>

#include "lib/diagnose/causes/causes.h"

/* ---- memory ---- */

void mr_suspect_shortage(const struct mr_inquiry *inquiry, enum mr_shortage_kind kind,
			 enum mr_certainty certainty, struct mr_suspicion *suspicion)
{
	/* These kinds do not call mmap(2), or for other memory. */
	static const uint32_t others = 1U << MR_MEMORY_NONE | 1U << MR_MEMORY_UNMAPPED |
				       1U << MR_MEMORY_DM | 1U << MR_MEMORY_NULL_MR |
				       1U << MR_MEMORY_CUDA;
	const struct mr_memory_request *mapping = inquiry->refusal->mapping;
	struct mr_shortage_reason reason;
	struct mr_shortage shortage;

	if (!mapping || others >> mapping->kind.type & 1 || !mr_inquiry_is_call(inquiry, "mmap"))
		return;
	mr_memory_shortage(mapping, &shortage);
	if (mr_shortage_find(&shortage, inquiry->host, &reason) != kind)
		return;
	mr_evidence_number(suspicion, "asked", shortage.length);
	mr_suspect(suspicion, certainty, "%s", reason.text);
	mr_suspect_remedy(suspicion, "%s", reason.remedy);
}

static void look_at_address_space(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	mr_suspect_shortage(inquiry, MR_SHORTAGE_RLIMIT, MR_CERTAIN, suspicion);
}

/* Not certain: the kernel counts commitments by processor, and reserves an amount for root. */
static void look_at_overcommit(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	mr_suspect_shortage(inquiry, MR_SHORTAGE_MEMORY, MR_CERTAIN, suspicion);
	mr_suspect_shortage(inquiry, MR_SHORTAGE_COMMIT, MR_LIKELY, suspicion);
}

/*
 * The first address behind those of a process.  With 57 bits of virtual address a process has more only if it
 * requests an address there (Documentation/arch/x86/x86_64/5level-paging.rst), which --addr does, so no figure is
 * certain.
 */
#ifdef __x86_64__
#define ADDRESSES_END ((UINT64_C(1) << 47) - 4096)
#else
#define ADDRESSES_END (UINT64_C(1) << 48)
#endif

/* security/min_addr.c: EPERM below vm.mmap_min_addr, without CAP_SYS_RAWIO; mm/mmap.c: ENOMEM beyond TASK_SIZE. */
static void look_at_bounds(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_memory_request *mapping = inquiry->refusal->mapping;
	const uint64_t addr = mapping->addr.value;
	uint64_t least;

	if (!mapping->addr.known)
		return;
	mr_evidence_hex(suspicion, "address", addr);
	if (inquiry->refusal->errnum == ENOMEM) {
		if (addr > ADDRESSES_END - mapping->length || mapping->length > ADDRESSES_END)
			mr_suspect(suspicion, MR_LIKELY,
				   "the addresses of a process end at 0x%" PRIx64
				   ", and the memory would end beyond",
				   ADDRESSES_END);
	} else if (mr_host_number(inquiry->host, &least, "/proc/sys/vm/mmap_min_addr")) {
		mr_evidence_hex(suspicion, "least", least);
		if (addr < least)
			mr_suspect(suspicion, MR_CERTAIN,
				   "0x%" PRIx64 " is below vm.mmap_min_addr (0x%" PRIx64
				   "), where only processes with CAP_SYS_RAWIO may map",
				   addr, least);
	}
}

/* mm/mempolicy.c: EINVAL for nodes that do not exist, have no memory, or may not be used by the process (cpuset) */
static void look_at_numa_node(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_memory_request *mapping = inquiry->refusal->mapping;
	char online[64];

	if (!mapping->node.known)
		return;
	mr_evidence_number(suspicion, "node", mapping->node.value);
	if (mr_host_read(inquiry->host, online, sizeof(online),
			 "/sys/devices/system/node/has_memory") <= 0)
		return;
	online[strcspn(online, "\n")] = '\0';
	mr_evidence_text(suspicion, "nodes", "%s", online);
	if (!mr_host_exists(inquiry->host, "/sys/devices/system/node/node%" PRIu64,
			    mapping->node.value))
		mr_suspect(suspicion, MR_CERTAIN,
			   "this machine has no NUMA node %" PRIu64 "; those with memory: %s",
			   mapping->node.value, online);
	else
		mr_suspect(suspicion, MR_LIKELY,
			   "NUMA node %" PRIu64
			   " has no memory (%s have), or a cpuset keeps this process from it",
			   mapping->node.value, online);
}

/* mm/mmap.c: EINVAL of MAP_HUGETLB with a size that is not in /sys/kernel/mm/hugepages */
static void look_at_huge_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint64_t size = inquiry->refusal->mapping->kind.huge_size;
	struct mr_huge_pools pools;

	if (!size || mr_huge_pools_read(inquiry->host, NULL, &pools))
		return;
	mr_evidence_number(suspicion, "page_size", size);
	if (mr_huge_pools_find(&pools, size))
		mr_rule_out(suspicion, "this kernel has huge pages of %s", MR_SIZE(size));
	else
		mr_suspect(suspicion, MR_CERTAIN, "this kernel has no huge pages of %s",
			   MR_SIZE(size));
}

/* ---- files ---- */

/* The errno of open(2) names the reason; which part of the path it is about, it does not. */
static void look_at_file(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const int errnum = inquiry->refusal->errnum;
	const char *path = inquiry->refusal->mapping->kind.path;

	mr_evidence_text(suspicion, "path", "%.100s", path);
	mr_suspect(
		suspicion, mr_certain_if(errnum == EISDIR || errnum == ETXTBSY),
		errnum == EISDIR ? "%.120s is a directory"
		: errnum == ETXTBSY
			? "%.120s is a running program or a swap file, and cannot be opened for "
			  "writing"
		: errnum == ENOENT || errnum == ENOTDIR
			? "%.120s or its parent directory does not exist"
		: errnum == EROFS
			? "%.120s is on a read-only file system"
			: "this user has no permission to open %.120s or to enter its directories",
		path);
	if (errnum == ETXTBSY)
		mr_suspect_remedy(suspicion, "use a copy of it, or --memory file-private:%.120s",
				  path);
}

static void look_at_file_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_shortage shortage;

	mr_memory_shortage(inquiry->refusal->mapping, &shortage);
	mr_evidence_number(suspicion, "asked", shortage.length);
	mr_suspect(suspicion, MR_LIKELY,
		   inquiry->refusal->errnum == EFBIG
			   ? "a file of %" PRIu64
			     " bytes is more than RLIMIT_FSIZE, or than the file system allows"
			   : "the file system has no room for a file of %" PRIu64 " bytes",
		   shortage.length);
}

/*
 * mm/mmap.c do_mmap(): ENODEV where the file has no mmap; some drivers and file systems answer it themselves.  Files of
 * /proc without it answer EIO (fs/proc/inode.c proc_reg_mmap()), but so may a disk.
 */
static void look_at_file_mapping(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *path = inquiry->refusal->mapping->kind.path;

	mr_evidence_text(suspicion, "path", "%.100s", path);
	if (inquiry->refusal->errnum == EINVAL) {
		if (inquiry->refusal->mapping->kind.type != MR_MEMORY_DEVICE)
			return;
		mr_suspect(suspicion, MR_LIKELY,
			   "the driver of %.120s does not map this part: check its size and offset",
			   path);
		mr_suspect_remedy(suspicion, "correct --size and --offset");
		return;
	}
	mr_suspect(suspicion, mr_certain_if(inquiry->refusal->errnum == ENODEV),
		   "%.120s belongs to a driver or file system that does not support mmap", path);
	if (inquiry->refusal->mapping->kind.type == MR_MEMORY_DEVICE)
		mr_suspect_remedy(suspicion, "use another kind of memory, or another device");
}

/* ---- dma-bufs ---- */

#define UDMABUF "/dev/udmabuf"
#define HEAPS   "/dev/dma_heap"

static bool makes(const struct mr_inquiry *inquiry, enum mr_dmabuf_type type, const char *call)
{
	const struct mr_dmabuf_request *dmabuf = inquiry->refusal->dmabuf;

	return dmabuf && dmabuf->source.type == type && mr_inquiry_is_call(inquiry, call);
}

/*
 * EACCES is certain where the permission of the node is against this user.  EPERM does not come of permissions, but of
 * rules for devices.
 */
static void suspect_node(struct mr_inquiry *inquiry, const char *path,
			 struct mr_suspicion *suspicion)
{
	const struct mr_process_status *status = mr_inquiry_status(inquiry);
	struct mr_host_status file;

	mr_evidence_text(suspicion, "node", "%.100s", path);
	if (inquiry->refusal->errnum == EPERM) {
		mr_suspect(suspicion, MR_LIKELY,
			   "device rules (of a container, or DeviceAllow=) refuse %.100s to this "
			   "process",
			   path);
		mr_suspect_remedy(
			suspicion,
			"allow the device: docker run --device=%.100s, or DeviceAllow= of "
			"the unit",
			path);
		return;
	}
	if (mr_host_stat(inquiry->host, &file, "%s", path) || !status || !status->uid.known) {
		mr_suspect(suspicion, MR_LIKELY, "this user has no permission to open %.100s",
			   path);
		return;
	}
	mr_evidence_text(suspicion, "mode", "%04" PRIo32, file.mode & 07777);
	mr_suspect(suspicion, mr_process_may_write(status, &file) ? MR_LIKELY : MR_CERTAIN,
		   "%.100s has mode %04" PRIo32 ", user %" PRIu32 " and group %" PRIu32
		   ", and this is user %" PRIu64,
		   path, file.mode & 07777, file.uid, file.gid, status->uid.value);
	mr_suspect_remedy(suspicion, "run it as root, or as a member of the group of %.100s", path);
}

static bool is_permission(const struct mr_inquiry *inquiry)
{
	return inquiry->refusal->errnum == EACCES || inquiry->refusal->errnum == EPERM;
}

static void look_at_udmabuf(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (!makes(inquiry, MR_DMABUF_UDMABUF, "open"))
		return;
	if (is_permission(inquiry)) {
		suspect_node(inquiry, UDMABUF, suspicion);
		return;
	}
	mr_evidence_text(suspicion, "node", "%s", UDMABUF);
	if (inquiry->refusal->errnum == ENOENT)
		mr_suspect(suspicion,
			   mr_host_exists(inquiry->host, "%s", UDMABUF) ? MR_POSSIBLE : MR_CERTAIN,
			   "no such device: " UDMABUF);
	else
		mr_suspect(suspicion, MR_LIKELY, UDMABUF " has no driver");
}

/* drivers/dma-buf/udmabuf.c udmabuf_create(): EINVAL beyond size_limit_mb, 64 if nobody has changed it */
static void look_at_udmabuf_size(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_dmabuf_request *dmabuf = inquiry->refusal->dmabuf;
	uint64_t limit = 64;
	bool is_known;

	if (!makes(inquiry, MR_DMABUF_UDMABUF, "ioctl(UDMABUF_CREATE)"))
		return;
	is_known = mr_host_number(inquiry->host, &limit,
				  "/sys/module/udmabuf/parameters/size_limit_mb");
	if (limit > UINT64_MAX >> 20)
		return;
	mr_evidence_number(suspicion, "limit", limit << 20);
	mr_evidence_number(suspicion, "asked", dmabuf->size);
	if (dmabuf->size > limit << 20)
		mr_suspect(suspicion, mr_certain_if(is_known),
			   "a udmabuf has at most %" PRIu64 " MiB", limit);
	else if (is_known)
		mr_rule_out(suspicion, "a udmabuf may have %" PRIu64 " MiB", limit);
}

#define HEAP_NAMES 128

/* Adds to a text of HEAP_NAMES bytes. */
static void add_heap(const char *name, void *data)
{
	mr_text_add(data, HEAP_NAMES, " ", "%s", name);
}

static void look_at_heap(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	char names[HEAP_NAMES] = "";
	char path[128];
	int count;

	if (!makes(inquiry, MR_DMABUF_HEAP, "open"))
		return;
	snprintf(path, sizeof(path), HEAPS "/%s", inquiry->refusal->dmabuf->source.name);
	if (is_permission(inquiry)) {
		suspect_node(inquiry, path, suspicion);
		return;
	}
	count = mr_host_list(inquiry->host, add_heap, names, HEAPS);
	mr_evidence_text(suspicion, "node", "%.100s", path);
	if (count > 0) {
		mr_suspect(suspicion, MR_LIKELY,
			   "this machine has the dma-heaps %s, and not %.100s", names,
			   inquiry->refusal->dmabuf->source.name);
		mr_suspect_remedy(suspicion, "name one of the dma-heaps %s", names);
	} else if (!count || count == -ENOENT) {
		mr_suspect(suspicion, MR_CERTAIN, "this machine has no dma-heaps");
	}
}

#include "lib/diagnose/causes/preparing.inc"
