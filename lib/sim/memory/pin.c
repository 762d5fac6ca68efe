// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/state/state.h"

#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ  22
#define MADV_POPULATE_WRITE 23
#endif

/* rdma/ib_verbs.h ib_access_writable(): a memory window that is bound later may grant writing */
#define WRITING_ACCESS                                                                             \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_ATOMIC | IB_UVERBS_ACCESS_MW_BIND)

/* Set @end to the end of a range, rounded up to pages; -EINVAL if that is beyond the last address. */
static int page_end(uint64_t addr, uint64_t length, uint64_t page_size, uint64_t *end)
{
	uint64_t last;

	if (__builtin_add_overflow(addr, length, &last) ||
	    __builtin_add_overflow(last, page_size - 1, end))
		return -EINVAL;
	*end = sim_round_down(*end, page_size);
	return 0;
}

/* struct pm_scan_arg, struct page_region, PAGEMAP_SCAN: linux/fs.h since Linux 6.7 */
struct scan {
	uint64_t size, flags, start, end, walk_end, vec, vec_len, max_pages;
	uint64_t category_inverted, category_mask, category_anyof_mask, return_mask;
};

struct scanned {
	uint64_t start, end, categories;
};

#define SCAN            _IOWR('f', 16, struct scan)
#define SCAN_IS_PRESENT (1u << 3)
#define SCAN_IS_HUGE    (1u << 6)

static int open_pagemap(void)
{
	return sim_libc()->open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
}

/*
 * Whether a range has a page that is not huge.  @categories are SCAN_IS_... that the page must have
 * besides.  Returns 1, 0, or -1 if the kernel has no PAGEMAP_SCAN.
 */
static int has_small_page(int pagemap, uint64_t start, uint64_t end, uint64_t categories)
{
	struct scanned small;
	struct scan scan = {
		.size = sizeof(scan),
		.start = start,
		.end = end,
		.vec = (uintptr_t)&small,
		.vec_len = 1,
		.max_pages = 1,
		.category_inverted = SCAN_IS_HUGE,
		.category_mask = SCAN_IS_HUGE | categories,
		.return_mask = SCAN_IS_HUGE,
	};

	return sim_libc()->ioctl(pagemap, SCAN, &scan);
}

bool sim_umem_is_huge(uint64_t addr, uint64_t length)
{
	const uint64_t page_size = sim_page_size();
	int pagemap = open_pagemap(), found;

	if (pagemap < 0)
		return false;
	found = has_small_page(pagemap, sim_round_down(addr, page_size),
			       sim_round_up(addr + length, page_size), 0);
	sim_libc()->close(pagemap);
	return !found;
}

/* hmm.c hmm_vma_walk_test(): memory of a device, or that cannot be read, counts as not present */
static int find_read(const struct mr_mapping *mapping, void *kernel)
{
	return mapping->readable &&
	       !(sim_mapping_is_ring(mapping) &&
		 sim_has_change(*(const enum mr_sim_kernel *)kernel, SIM_MAPPED_RINGS));
}

/*
 * umem_odp.c ib_umem_odp_map_dma_and_lock(), which mlx5 calls without faulting pages in: memory
 * that is to have huge pages must not have a small one where a huge one begins.
 */
static int check_huge_odp(enum mr_sim_kernel kernel, uint64_t start, uint64_t end)
{
	const uint64_t page_size = sim_page_size();
	int pagemap = open_pagemap();
	bool found = false;

	for (; pagemap >= 0 && start < end && !found; start += SIM_HUGE_PAGE)
		found = has_small_page(pagemap, start, start + page_size, SCAN_IS_PRESENT) > 0 &&
			sim_maps_walk(start, start + page_size, find_read, &kernel) > 0;
	if (pagemap >= 0)
		sim_libc()->close(pagemap);
	return found ? -EINVAL : 0;
}

static bool has_hole(uint64_t start, uint64_t size)
{
	const uint64_t page_size = sim_page_size();
	unsigned char residency[4096];
	uint64_t part;

	for (; size; start += part, size -= part) {
		part = size < sizeof(residency) * page_size ? size : sizeof(residency) * page_size;
		if (mincore((void *)(uintptr_t)start, part, residency))
			return true;
	}
	return false;
}

/*
 * Fault pages in with madvise(2).  It fails where pin_user_pages() does, but with other errnos: ENOMEM
 * for a hole as well as for want of memory, EINVAL for a mapping of a device or without the access.
 */
static int fault_in(uint64_t start, uint64_t size, bool writable)
{
	void *address = (void *)(uintptr_t)start;
	int rc;

	do
		rc = madvise(address, size, writable ? MADV_POPULATE_WRITE : MADV_POPULATE_READ);
	while (rc && errno == EINTR);
	if (!rc)
		return 0;
	return errno == ENOMEM && !has_hole(start, size) ? -ENOMEM : -EFAULT;
}

/*
 * Whether a part of the ring of a perf event can be faulted in, on kernels that do so: perf_mmap_fault(),
 * perf_mmap_pfn_mkwrite().  Only the first page, with the control data, can be written.
 */
static int fault_in_ring(const struct mr_mapping *ring, bool writable)
{
	return !writable || (!ring->offset && ring->end - ring->start == sim_page_size()) ? 0
											  : -EFAULT;
}

/* Touch each page of a mapping by an access of the kernel, for memory that cannot be pinned. */
static int access_pages(const struct mr_mapping *mapping, bool writable)
{
	static const struct timespec now;
	const uint32_t add_zero = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 0);
	uint32_t unused = 0;
	uint64_t page;
	long rc = 0;

	for (page = mapping->start; page < mapping->end; page += sim_page_size()) {
		rc = writable ? syscall(SYS_futex, &unused, FUTEX_WAKE_OP_PRIVATE, 0, 0, page,
					add_zero)
			      : syscall(SYS_futex, page, FUTEX_WAIT_PRIVATE, 0, &now, NULL, 0);
		if (rc < 0 && errno == EFAULT)
			return -EFAULT;
	}
	return 0;
}

/* Where faulting in a range, or pinning it, has got to. */
struct progress {
	enum mr_sim_kernel kernel;
	uint64_t at; /* all before is done */
	bool writable;
};

/* Calls a function for each mapping of a range.  Return: what it returned; -EFAULT: a part is not mapped. */
static int visit_all(uint64_t end, int (*visit)(const struct mr_mapping *mapping, void *progress),
		     struct progress *progress)
{
	const int rc = sim_maps_walk(progress->at, end, visit, progress);

	return !rc && progress->at < end ? -EFAULT : rc;
}

/*
 * hmm.c hmm_vma_walk_test(), hmm_vma_fault(): memory of a device is refused first, then the lack of
 * permissions, then the page that cannot be faulted in.
 */
static int touch_mapping(const struct mr_mapping *mapping, void *argument)
{
	const bool is_secret = sim_mapping_is_secret(mapping);
	const bool is_ring = sim_mapping_is_ring(mapping);
	const uint64_t page_size = sim_page_size();
	struct progress *touch = argument;

	if (mapping->start > touch->at || !mapping->readable)
		return -EFAULT;
	touch->at = mapping->end;
	if (is_ring ? sim_has_change(touch->kernel, SIM_MAPPED_RINGS)
		    : !is_secret && fault_in(mapping->start, page_size, false))
		return -EFAULT;
	if (touch->writable && !mapping->writable)
		return -EPERM;
	if (is_ring)
		return fault_in_ring(mapping, touch->writable);
	if (is_secret)
		return access_pages(mapping, touch->writable);
	return fault_in(mapping->start, mapping->end - mapping->start, touch->writable);
}

int sim_umem_touch(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, bool writable)
{
	const uint64_t page_size = sim_page_size();
	uint64_t start = sim_round_down(addr, page_size), end;
	struct progress touch = { .kernel = kernel, .at = start, .writable = writable };
	int rc;

	if (page_end(addr, length, page_size, &end))
		return -EFAULT;
	if (end <= start)
		return 0;
	/* memory that can be written but not read is refused, too */
	rc = fault_in(start, end - start, false);
	if (!rc && writable)
		rc = fault_in(start, end - start, true);
	if (rc != -EFAULT)
		return rc;
	return visit_all(end, touch_mapping, &touch);
}

bool sim_access_writable(uint32_t access)
{
	return access & WRITING_ACCESS;
}

/* Sets @argument, a uint64_t, to the start of the first mapping from which pages are written back to a file. */
static int find_write_back(const struct mr_mapping *mapping, void *argument)
{
	if (!mapping->writable || !sim_mapping_writes_back(mapping))
		return 0;
	*(uint64_t *)argument = mapping->start;
	return -EFAULT;
}

/* Whether all pages of a range are mapped: bit 63 of their words in pagemap. */
static bool are_present(uint64_t start, uint64_t end)
{
	const uint64_t page_size = sim_page_size();
	int pagemap = open_pagemap();
	uint64_t entry = 0;

	if (pagemap < 0)
		return false;
	for (; start < end; start += page_size)
		if (pread(pagemap, &entry, sizeof(entry),
			  (off_t)(start / page_size * sizeof(entry))) != sizeof(entry) ||
		    !(entry >> 63))
			break;
	sim_libc()->close(pagemap);
	return start >= end;
}

static int pin_mapping(const struct mr_mapping *mapping, void *argument)
{
	struct progress *pinning = argument;

	if (mapping->start > pinning->at)
		return -EFAULT;
	pinning->at = mapping->end;
	if (sim_mapping_is_ring(mapping))
		return sim_has_change(pinning->kernel, SIM_MAPPED_RINGS) ||
				       !(pinning->writable ? mapping->writable
							   : mapping->readable) ||
				       (pinning->writable &&
					sim_has_change(pinning->kernel, SIM_SHARED_FILES))
			       ? -EFAULT
			       : fault_in_ring(mapping, pinning->writable);
	/* gup_fast() takes pages that are mapped, and knows no permission to read */
	if (!pinning->writable && mapping->writable && !mapping->readable)
		return are_present(mapping->start, mapping->end) ? 0 : -EFAULT;
	return fault_in(mapping->start, mapping->end - mapping->start, pinning->writable);
}

/*
 * mm/gup.c check_vma_flags() with FOLL_WRITE and FOLL_FORCE: a page of a private mapping is copied, even
 * if the mapping is not writable
 */
static int force_pin(const struct mr_mapping *mapping, void *argument)
{
	const uint64_t size = mapping->end - mapping->start;
	struct progress *pinning = argument;
	struct stat st;

	if (mapping->start > pinning->at)
		return -EFAULT;
	pinning->at = mapping->end;
	if (mapping->writable)
		return sim_mapping_is_ring(mapping) ? fault_in_ring(mapping, true)
						    : fault_in(mapping->start, size, true);
	if (mapping->shared)
		return -EFAULT;
	if (mapping->readable)
		return fault_in(mapping->start, size, false);
	return mapping->inode && (sim_libc()->stat(mapping->path, &st) || !S_ISREG(st.st_mode))
		       ? -EFAULT
		       : 0;
}

/* pin_user_pages() with FOLL_LONGTERM */
static int pin_pages(enum mr_sim_kernel kernel, uint64_t start, uint64_t end, bool writable)
{
	struct progress pinning = { .kernel = kernel, .at = start, .writable = writable };
	uint64_t refused_at = end;
	int rc = 0;

	if (!writable && !sim_has_change(kernel, SIM_READ_PINS))
		return visit_all(end, force_pin, &pinning);
	/* check_vma_flags() refuses such a mapping before its pages are touched, which would change the file's mtime */
	if (writable && sim_maps_has_shared_file() && sim_has_change(kernel, SIM_SHARED_FILES)) {
		rc = sim_maps_walk(start, end, find_write_back, &refused_at);
		if (rc && rc != -EFAULT)
			return rc;
	}
	/*
	 * Where madvise(2) cannot fault pages in, each mapping is looked at: it refuses some that can be pinned,
	 * and the machine's own kernel may refuse others than the simulated one.
	 */
	rc = refused_at > start ? fault_in(start, refused_at - start, writable) : 0;
	if (rc == -EFAULT)
		rc = visit_all(refused_at, pin_mapping, &pinning);
	return !rc && refused_at < end ? -EFAULT : rc;
}

int sim_umem_pin(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t access,
		 uint32_t *pages)
{
	uint64_t page_size = sim_page_size();
	uint64_t start = sim_round_down(addr, page_size), end, count;
	struct rlimit limit = { RLIM_INFINITY, RLIM_INFINITY };
	int rc = page_end(addr, length, page_size, &end);

	if (rc)
		return rc;
	getrlimit(RLIMIT_MEMLOCK, &limit);
	if (!limit.rlim_cur && !sim_is_capable(CAP_IPC_LOCK)) /* can_do_mlock() */
		return -EPERM;
	count = (end - start) / page_size;
	if (!count || count > UINT32_MAX)
		return -EINVAL;
	rc = sim_account_charge(count, limit.rlim_cur);
	if (rc)
		return rc;
	rc = pin_pages(kernel, start, end, sim_access_writable(access));
	if (rc)
		sim_account_cancel(count);
	*pages = (uint32_t)count;
	return rc;
}

int sim_umem_check_odp(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t access)
{
	const bool huge = access & IB_UVERBS_ACCESS_HUGETLB;
	const uint64_t page_size = huge ? SIM_HUGE_PAGE : sim_page_size();
	const uint64_t start = sim_round_down(addr, page_size);
	uint64_t end;

	if (page_end(addr, length, page_size, &end) || end < page_size)
		return -EOVERFLOW;
	/* hmm_dma_map_alloc() refuses a range without pages */
	if (end <= start)
		return -EINVAL;
	/* it allocates 8 bytes for each page by kvcalloc(), which gives no more than INT_MAX */
	if ((end - start) / sim_page_size() > INT_MAX / sizeof(uint64_t))
		return -ENOMEM;
	return huge ? check_huge_odp(kernel, start, end) : 0;
}
