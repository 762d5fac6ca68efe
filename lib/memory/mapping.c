// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/mempolicy.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/memory/memory.h"

const struct mr_word mr_memory_kinds[MR_MEMORY_TYPES + 1] = {
	[MR_MEMORY_ANON] = MR_WORD("anon", "anonymous pages (default)"),
	[MR_MEMORY_THP] =
		MR_WORD("thp", "anonymous, aligned to 2M, transparent huge pages requested"),
	[MR_MEMORY_MEMFD] = MR_WORD("memfd", "a shared mapping of a memfd"),
	[MR_MEMORY_HUGETLB] = MR_WORD("hugetlb[:2M|:1G]", "huge pages from the system's pool"),
	[MR_MEMORY_FILE] =
		MR_WORD("file:PATH", "a shared mapping of a file, made if it is missing"),
	[MR_MEMORY_FILE_PRIVATE] = MR_WORD("file-private:PATH", "a private mapping of a file"),
	[MR_MEMORY_NONE] = MR_WORD("none", "no memory: address 0, for implicit on-demand paging"),
	[MR_MEMORY_READONLY] = MR_WORD("readonly", "anonymous, mapped without write permission"),
	[MR_MEMORY_UNMAPPED] = MR_WORD("unmapped", "an address with nothing there"),
	[MR_MEMORY_HOLE] = MR_WORD("hole", "anonymous, but the last page is missing"),
	[MR_MEMORY_DEVICE] = MR_WORD("device:PATH", "mmap of a device node"),
	[MR_MEMORY_CUDA] = MR_WORD("cuda:N", "of GPU N, by its address (peer memory)"),
	[MR_MEMORY_DM] = MR_WORD("dm[:SIZE]", "on the RDMA device (ibv_alloc_dm): reg only"),
	[MR_MEMORY_NULL_MR] = MR_WORD("null-mr", "none: the null MR (ibv_alloc_null_mr): reg only"),
	[MR_MEMORY_TYPES] = { .name = NULL },
};

static int parse_huge_size(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	if (mr_parse_size(text, &kind->huge_size, err))
		return -EINVAL;
	/* mmap() takes the logarithm of the size, where 0 means the default: it cannot mean one byte. */
	if (kind->huge_size < 2 || kind->huge_size & (kind->huge_size - 1))
		return mr_fail_usage(
			err, "invalid huge page size '%s': give a power of two above 1", text);
	return 0;
}

static int parse_dm_size(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	kind->dm_size.known = true;
	return mr_parse_size(text, &kind->dm_size.value, err);
}

static int parse_gpu(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	uint64_t number;
	const int rc = mr_parse_u64(text, INT_MAX, &number, err);

	if (!rc)
		kind->gpu = (int)number;
	return rc;
}

int mr_memory_kind_parse(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	const char *argument;
	int found = mr_word_with_argument(mr_memory_kinds, "memory", text, &argument, err);

	if (found < 0)
		return found;
	*kind = (struct mr_memory_kind){ .type = (enum mr_memory_type)found, .text = text };
	if (kind->type == MR_MEMORY_HUGETLB)
		return argument ? parse_huge_size(argument, kind, err) : 0;
	if (kind->type == MR_MEMORY_DM)
		return argument ? parse_dm_size(argument, kind, err) : 0;
	if (kind->type == MR_MEMORY_CUDA)
		return parse_gpu(argument, kind, err);
	kind->path = argument;
	return 0;
}

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

#define HUGE_2M (UINT64_C(2) << 20)

/* What is to be mapped. */
struct mapping {
	int prot;
	int flags;
	int fd;
	uint64_t page_size;
	uint64_t align; /* of the mapping's start, where it is larger than a page; else 0 */
	bool is_thp;    /* transparent huge pages are to be asked for */
	bool has_hole;  /* its last page is to be unmapped again */
	struct mr_unfinished created; /* file that was created for it, until it is mapped */
};

static void release_mapping(struct mapping *m)
{
	mr_unfinished_remove(&m->created);
	if (m->fd >= 0)
		close(m->fd);
}

/* ---- kinds ---- */

static int describe_hugetlb(const struct mr_memory_kind *kind, uint64_t length, struct mapping *m,
			    struct mr_error *err)
{
	(void)length;
	m->page_size = kind->huge_size ? kind->huge_size : mr_huge_page_default(mr_this_host());
	if (!m->page_size)
		return mr_fail_text(err, MR_ERROR_HOST, EOPNOTSUPP,
				    "this kernel has no huge pages (/proc/meminfo: Hugepagesize)");
	m->flags |= MAP_HUGETLB;
	if (kind->huge_size)
		m->flags |= (int)((unsigned int)__builtin_ctzll(kind->huge_size) << MAP_HUGE_SHIFT);
	return 0;
}

/* @fd: a descriptor, which the mapping takes over; or -errno */
static int describe_file(struct mapping *m, int fd, int flags)
{
	m->fd = fd;
	m->flags = flags;
	if (fd < 0)
		return fd;
	m->page_size = mr_file_page_size(fd);
	return 0;
}

static int describe_memfd(const struct mr_memory_kind *kind, uint64_t length, struct mapping *m,
			  struct mr_error *err)
{
	(void)kind;
	return describe_file(m, mr_file_open_memfd(length, 0, err), MAP_SHARED);
}

static int describe_shared_file(const struct mr_memory_kind *kind, uint64_t length,
				struct mapping *m, struct mr_error *err)
{
	return describe_file(m, mr_file_open_or_create(kind->path, length, &m->created, err),
			     MAP_SHARED);
}

static int describe_private_file(const struct mr_memory_kind *kind, uint64_t length,
				 struct mapping *m, struct mr_error *err)
{
	(void)length;
	return describe_file(m, mr_file_open(kind->path, O_RDONLY, err), MAP_PRIVATE);
}

static int describe_device(const struct mr_memory_kind *kind, uint64_t length, struct mapping *m,
			   struct mr_error *err)
{
	(void)length;
	return describe_file(m, mr_file_open(kind->path, O_RDWR, err), MAP_SHARED);
}

/* How each kind is mapped: privately, as anonymous pages, where its row does not say otherwise. */
static const struct kind_row {
	bool is_data;     /* RLIMIT_DATA and overcommit count it: mm/mmap.c is_data_mapping() */
	bool is_readonly; /* mapped without write permission */
	bool is_thp;      /* see struct mapping */
	bool has_hole;    /* see struct mapping */
	/* Sets the rest of @m, or is NULL.  @length: bytes that a file created for it must have. */
	int (*describe)(const struct mr_memory_kind *kind, uint64_t length, struct mapping *m,
			struct mr_error *err);
} kinds[MR_MEMORY_TYPES] = {
	[MR_MEMORY_ANON] = { .is_data = true },
	[MR_MEMORY_THP] = { .is_data = true, .is_thp = true },
	[MR_MEMORY_MEMFD] = { .describe = describe_memfd },
	[MR_MEMORY_HUGETLB] = { .is_data = true, .describe = describe_hugetlb },
	[MR_MEMORY_FILE] = { .describe = describe_shared_file },
	[MR_MEMORY_FILE_PRIVATE] = { .is_data = true, .describe = describe_private_file },
	[MR_MEMORY_READONLY] = { .is_readonly = true },
	[MR_MEMORY_HOLE] = { .is_data = true, .has_hole = true },
	[MR_MEMORY_DEVICE] = { .describe = describe_device },
};

static int describe_mapping(const struct mr_memory_request *request, uint64_t length,
			    struct mapping *m, struct mr_error *err)
{
	const struct mr_memory_kind *kind = &request->kind;
	const struct kind_row *row = &kinds[kind->type];

	*m = (struct mapping){ .prot = PROT_READ | (row->is_readonly ? 0 : PROT_WRITE),
			       .flags = MAP_PRIVATE | MAP_ANONYMOUS,
			       .fd = -1,
			       .page_size = (uint64_t)getpagesize(),
			       .align = row->is_thp ? HUGE_2M : 0,
			       .is_thp = row->is_thp,
			       .has_hole = row->has_hole };
	return row->describe ? row->describe(kind, length, m, err) : 0;
}

/* ---- mapping ---- */

static int fail_mmap(const struct mr_memory_request *request, uint64_t length, int errnum,
		     struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, errnum, "mmap", "cannot map %" PRIu64 " bytes of %s", length,
		request->kind.text);
	if (request->addr.known && errnum == EINVAL)
		mr_hint(err,
			"--addr must be a multiple of the page size; --offset starts inside a page");
	return -errnum;
}

/* Distance of a gap from the address where the kernel puts the next mapping. */
#define GAP_DISTANCE (UINT64_C(64) << 30)

/*
 * An address for memory with a gap, or NULL where there is none.  The gap must stay until the memory is
 * unmapped, but the kernel puts each new mapping (of malloc(), of a library) into the highest gap that is
 * large enough.  So the address is far below that, and below the last one that was chosen here.  For
 * mmap() it is a hint: it may map elsewhere.
 */
static void *address_for_gap(uint64_t length, uint64_t page)
{
	static uint64_t last;
	void *map;

	if (!last) {
		map = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			return NULL;
		munmap(map, page);
		last = (uintptr_t)map - ((uintptr_t)map > GAP_DISTANCE ? GAP_DISTANCE : 0);
	}
	if (length + 2 * page < length || last < length + 2 * page)
		return NULL;
	last = (last - length - page) & ~(page - 1);
	return mr_pointer(last);
}

/* Maps the pages.  For an alignment it maps as much more, and cuts the aligned part out. */
static int map_pages(const struct mr_memory_request *request, const struct mapping *m,
		     uint64_t length, struct mr_memory *memory, struct mr_error *err)
{
	int flags = m->flags | (request->addr.known ? MAP_FIXED_NOREPLACE : 0);
	uint64_t slack = request->addr.known ? 0 : m->align;
	void *address = mr_pointer(request->addr.value);
	void *map;

	if (length + slack < length)
		return fail_mmap(request, length, ENOMEM, err);
	if (m->has_hole && !request->addr.known)
		address = address_for_gap(length, m->page_size);
	map = mmap(address, length + slack, m->prot, flags, m->fd, 0);
	if (map == MAP_FAILED)
		return fail_mmap(request, length, errno, err);
	if (slack) {
		char *end = (char *)map + length + slack;
		uint64_t skip = mr_round_up((uintptr_t)map, m->align) - (uintptr_t)map;
		char *start = (char *)map + skip;

		if (skip)
			munmap(map, skip);
		if (start + length < end)
			munmap(start + length, (size_t)(end - start) - length);
		map = start;
	}
	memory->map = map;
	memory->map_length = length;
	memory->start = (uintptr_t)map + request->offset;
	return 0;
}

/* Finds an address where nothing is, by mapping memory and unmapping it again. */
static int find_unmapped(const struct mr_memory_request *request, uint64_t length,
			 struct mr_memory *memory, struct mr_error *err)
{
	static const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	uint64_t page = memory->page_size;
	void *map;

	if (request->addr.known) {
		map = mmap(mr_pointer(request->addr.value & ~(page - 1)), length, PROT_NONE,
			   flags | MAP_FIXED_NOREPLACE, -1, 0);
		if (map == MAP_FAILED && errno == EEXIST)
			return fail_mmap(request, length, EEXIST, err);
		memory->start = request->addr.value + request->offset;
	} else {
		map = mmap(address_for_gap(length, page), length, PROT_NONE, flags, -1, 0);
		if (map == MAP_FAILED) { /* longer than the address space: one page will do */
			length = page;
			map = mmap(NULL, length, PROT_NONE, flags, -1, 0);
		}
		if (map == MAP_FAILED)
			return fail_mmap(request, length, errno, err);
		memory->start = (uintptr_t)map + request->offset;
	}
	if (map != MAP_FAILED)
		munmap(map, length);
	return 0;
}

static int bind_to_node(const struct mr_memory *memory, uint64_t node, struct mr_error *err)
{
	/* The kernel takes a mask of one page at most (mm/mempolicy.c get_nodes()). */
	unsigned long mask[4096 / sizeof(unsigned long)] = { 0 };
	const unsigned long bits = 8 * sizeof(unsigned long);

	if (node >= 8 * sizeof(mask))
		return mr_fail_usage(err, "no NUMA node %" PRIu64, node);
	mask[node / bits] = 1ul << node % bits;
	if (syscall(SYS_mbind, memory->map, memory->map_length, MPOL_BIND, mask, 8 * sizeof(mask),
		    MPOL_MF_STRICT))
		return mr_fail(err, MR_ERROR_HOST, errno, "mbind",
			       "cannot take memory from NUMA node %" PRIu64, node);
	return 0;
}

/* Advises, binds and populates the pages of a mapping, and makes its hole. */
static int prepare_pages(const struct mr_memory_request *request, const struct mapping *m,
			 struct mr_memory *memory, struct mr_error *err)
{
	int rc;

	if (m->is_thp && madvise(memory->map, memory->map_length, MADV_HUGEPAGE))
		return mr_fail(err, MR_ERROR_HOST, errno, "madvise",
			       "cannot ask for transparent huge pages (MADV_HUGEPAGE)");
	if (request->node.known) {
		rc = bind_to_node(memory, request->node.value, err);
		if (rc)
			return rc;
	}
	if (request->populate) {
		int advice = m->prot & PROT_WRITE ? MADV_POPULATE_WRITE : MADV_POPULATE_READ;

		if (madvise(memory->map, memory->map_length, advice))
			return mr_fail(err, MR_ERROR_HOST, errno, "madvise",
				       "cannot fault in %" PRIu64 " bytes (--populate)",
				       memory->map_length);
	}
	if (m->has_hole) {
		uint64_t page = memory->page_size;

		memory->map_length -= page;
		munmap((char *)memory->map + memory->map_length, page);
		if (!memory->map_length)
			memory->map = NULL;
	}
	return 0;
}

/* Memory of a GPU has an address of this process, at which nothing can be read. */
static int allocate_on_gpu(const struct mr_memory_request *request, uint64_t length,
			   struct mr_memory *memory, struct mr_error *err)
{
	const int rc = mr_cuda_open(request->kind.gpu, length, false, &memory->cuda, NULL, err);

	if (!rc)
		memory->start = mr_cuda_address(memory->cuda) + request->offset;
	return rc;
}

int mr_memory_map(const struct mr_memory_request *request, struct mr_memory *memory,
		  struct mr_error *err)
{
	__attribute__((cleanup(release_mapping))) struct mapping m = { .fd = -1 };
	uint64_t wanted, length;
	int rc;

	*memory = (struct mr_memory){ .page_size = (uint64_t)getpagesize() };
	if (request->kind.type == MR_MEMORY_NONE) {
		memory->start = request->addr.value + request->offset;
		return 0;
	}
	/* A range that wraps is not refused here but by the RDMA stack: mmap() gets as much as fits. */
	if (__builtin_add_overflow(request->offset, request->length, &wanted) ||
	    wanted > SIZE_MAX - HUGE_2M)
		wanted = SIZE_MAX - HUGE_2M;
	if (request->kind.type == MR_MEMORY_UNMAPPED)
		return find_unmapped(request, mr_round_up(wanted ? wanted : 1, memory->page_size),
				     memory, err);
	if (request->kind.type == MR_MEMORY_CUDA)
		return allocate_on_gpu(request, wanted, memory, err);
	rc = describe_mapping(request, mr_round_up(wanted ? wanted : 1, memory->page_size), &m,
			      err);
	if (rc)
		return rc;
	memory->page_size = m.page_size;
	length = mr_round_up(wanted ? wanted : 1, m.page_size);
	rc = length ? map_pages(request, &m, length, memory, err)
		    : fail_mmap(request, wanted, ENOMEM, err);
	if (rc)
		return rc;
	rc = prepare_pages(request, &m, memory, err);
	if (rc) {
		mr_memory_unmap(memory);
		return rc;
	}
	memory->created = m.created;
	m.created.path = NULL;
	return 0;
}

/* Of a file the size of its pages is not known: they are taken for ordinary ones. */
void mr_memory_shortage(const struct mr_memory_request *request, struct mr_shortage *shortage)
{
	const struct mr_memory_kind *kind = &request->kind;
	uint64_t wanted;

	*shortage = (struct mr_shortage){ .is_private = kinds[kind->type].is_data };
	if (kind->type == MR_MEMORY_HUGETLB)
		shortage->huge_size =
			kind->huge_size ? kind->huge_size : mr_huge_page_default(mr_this_host());
	if (__builtin_add_overflow(request->offset, request->length, &wanted) ||
	    wanted > SIZE_MAX - HUGE_2M)
		wanted = SIZE_MAX - HUGE_2M;
	shortage->length =
		mr_round_up(wanted ? wanted : 1,
			    shortage->huge_size ? shortage->huge_size : (uint64_t)getpagesize());
}

void mr_memory_keep_file(struct mr_memory *memory)
{
	mr_unfinished_keep(&memory->created);
}

void mr_memory_unmap(struct mr_memory *memory)
{
	if (memory->map)
		munmap(memory->map, memory->map_length);
	memory->map = NULL;
	mr_cuda_close(memory->cuda);
	memory->cuda = NULL;
	mr_unfinished_remove(&memory->created);
}
