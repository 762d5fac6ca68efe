// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/cleanup.h"
#include "lib/base/memfd.h"
#include "lib/host/shortage.h"
#include "lib/memory/mapping.h"

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

#define HUGE_2M (UINT64_C(2) << 20)

const struct mr_word mr_memory_kinds[] = {
	[MR_MEMORY_ANON] = MR_WORD("anon", "anonymous pages (default)"),
	[MR_MEMORY_THP] =
		MR_WORD("thp", "anonymous, aligned to 2M, transparent huge pages asked for"),
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
	[MR_MEMORY_DM] = MR_WORD("dm[:SIZE]", "on the RDMA device (ibv_alloc_dm): reg only"),
	[MR_MEMORY_NULL_MR] = MR_WORD("null-mr", "none: the null MR (ibv_alloc_null_mr): reg only"),
	{ .name = NULL },
};

/* The part of a kind's help name that is typed as it stands. */
static size_t fixed_length(const char *name)
{
	return strcspn(name, "[:");
}

static int parse_huge_size(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	if (mr_parse_size(text, &kind->huge_size, err))
		return -EINVAL;
	/* mmap takes the logarithm, and 0 for the default: a page of one byte cannot be said. */
	if (kind->huge_size < 2 || kind->huge_size & (kind->huge_size - 1))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "invalid huge page size '%s': give a power of two above 1",
				    text);
	return 0;
}

static int parse_dm_size(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	kind->dm_size.known = true;
	return mr_parse_size(text, &kind->dm_size.value, err);
}

int mr_memory_kind_parse(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	size_t length = strcspn(text, ":");
	const char *argument = text[length] ? text + length + 1 : NULL;

	for (unsigned int i = 0; mr_memory_kinds[i].name; i++) {
		const char *name = mr_memory_kinds[i].name;
		bool optional, takes;

		if (fixed_length(name) != length || strncmp(name, text, length) != 0)
			continue;
		optional = name[length] == '[';
		takes = optional || name[length] == ':';
		if (takes ? !(argument ? *argument : optional) : argument != NULL)
			return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
					    "invalid memory '%s': it is written %s", text, name);
		*kind = (struct mr_memory_kind){ .type = (enum mr_memory_type)i, .text = text };
		if (kind->type == MR_MEMORY_HUGETLB)
			return argument ? parse_huge_size(argument, kind, err) : 0;
		if (kind->type == MR_MEMORY_DM)
			return argument ? parse_dm_size(argument, kind, err) : 0;
		kind->path = argument;
		return 0;
	}
	return mr_fail_word(err, "memory", text, strlen(text), mr_memory_kinds,
			    sizeof(*mr_memory_kinds));
}

static int open_memfd(uint64_t length, struct mr_error *err)
{
	mr_auto_fd int fd = mr_memfd_create("mrctl", MFD_CLOEXEC);

	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	if (ftruncate(fd, (off_t)length))
		return mr_fail(err, MR_ERROR_HOST, errno, "ftruncate",
			       "cannot make a memfd of %" PRIu64 " bytes", length);
	return mr_steal_fd(&fd);
}

/* Bytes of the pages of a file system: the huge page size on hugetlbfs, else the base size. */
static uint64_t file_page_size(int fd, uint64_t base)
{
	static const long hugetlbfs_magic = 0x958458f6; /* linux/magic.h */
	struct statfs fs;

	if (fstatfs(fd, &fs) || (long)fs.f_type != hugetlbfs_magic)
		return base;
	return (uint64_t)fs.f_bsize;
}

/* What mmap() answers ENODEV to, by name; NULL: it may be mapped. */
static const char *unmappable(mode_t mode)
{
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISDIR(mode) ? "a directory" : NULL;
}

/* A FIFO would wait for its other end without O_NONBLOCK, which files and their mappings ignore. */
static int open_now(const char *path, int flags)
{
	return open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* Takes @opened, or the errno of that. */
static int check_file(int opened, const char *path, struct mr_error *err)
{
	mr_auto_fd int fd = opened;
	const char *what;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return mr_fail(err, MR_ERROR_HOST, errno, fd < 0 ? "open" : "fstat",
			       "cannot use '%s'", path);
	what = unmappable(st.st_mode);
	if (what)
		return mr_fail_text(err, MR_ERROR_HOST, ENODEV,
				    "cannot map '%s': it is %s, not a file or a device", path,
				    what);
	return mr_steal_fd(&fd);
}

/* A missing file is made as long as is needed.  One that exists is mapped as it is. */
static int open_shared_file(const char *path, uint64_t length, struct mr_unfinished *made,
			    struct mr_error *err)
{
	mr_auto_fd int fd = open_now(path, O_RDWR);
	int rc;

	if (fd >= 0 || errno != ENOENT)
		return check_file(mr_steal_fd(&fd), path, err);
	fd = mr_unfinished_create(made, path);
	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot make '%s'", path);
	length = mr_round_up(length, file_page_size(fd, (uint64_t)getpagesize()));
	rc = posix_fallocate(fd, 0, (off_t)length);
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, rc, "posix_fallocate",
			       "cannot make '%s' of %" PRIu64 " bytes", path, length);
	return mr_steal_fd(&fd);
}

/* How a kind is mapped. */
struct mapping {
	int prot;
	int flags;
	int fd;
	uint64_t page_size;
	uint64_t align;            /* of the mapping's start, where mmap alone would not do */
	struct mr_unfinished made; /* file that was made for it, until the mapping stands */
};

static void release_mapping(struct mapping *m)
{
	mr_unfinished_remove(&m->made);
	if (m->fd >= 0)
		close(m->fd);
}

/* The kernel's default huge page size in bytes, 0 where there are none. */
static uint64_t default_huge_size(void)
{
	mr_auto_file FILE *f = fopen("/proc/meminfo", "re");
	char line[128];
	uint64_t kib;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "Hugepagesize: %" SCNu64 " kB", &kib) == 1)
			return kib << 10;
	return 0;
}

static int describe_hugetlb(const struct mr_memory_kind *kind, struct mapping *m,
			    struct mr_error *err)
{
	m->page_size = kind->huge_size ? kind->huge_size : default_huge_size();
	if (!m->page_size)
		return mr_fail_text(err, MR_ERROR_HOST, EOPNOTSUPP,
				    "this kernel has no huge pages (/proc/meminfo: Hugepagesize)");
	m->flags |= MAP_HUGETLB;
	if (kind->huge_size)
		m->flags |= (int)((unsigned int)__builtin_ctzll(kind->huge_size) << MAP_HUGE_SHIFT);
	return 0;
}

/* @length: bytes that a file made for it must have */
static int describe(const struct mr_memory_request *request, uint64_t length, struct mapping *m,
		    struct mr_error *err)
{
	const struct mr_memory_kind *kind = &request->kind;
	uint64_t page = (uint64_t)getpagesize();

	*m = (struct mapping){ .prot = PROT_READ | PROT_WRITE,
			       .flags = MAP_PRIVATE | MAP_ANONYMOUS,
			       .fd = -1,
			       .page_size = page };
	switch (kind->type) {
	case MR_MEMORY_READONLY:
		m->prot = PROT_READ;
		break;
	case MR_MEMORY_THP:
		m->align = HUGE_2M;
		break;
	case MR_MEMORY_HUGETLB:
		return describe_hugetlb(kind, m, err);
	case MR_MEMORY_MEMFD:
		m->fd = open_memfd(length, err);
		m->flags = MAP_SHARED;
		break;
	case MR_MEMORY_FILE:
		m->fd = open_shared_file(kind->path, length, &m->made, err);
		m->flags = MAP_SHARED;
		break;
	case MR_MEMORY_FILE_PRIVATE:
		m->fd = check_file(open_now(kind->path, O_RDONLY), kind->path, err);
		m->flags = MAP_PRIVATE;
		break;
	case MR_MEMORY_DEVICE:
		m->fd = check_file(open_now(kind->path, O_RDWR), kind->path, err);
		m->flags = MAP_SHARED;
		break;
	default:
		break;
	}
	if (!(m->flags & MAP_ANONYMOUS)) {
		if (m->fd < 0)
			return m->fd;
		m->page_size = file_page_size(m->fd, page);
	}
	return 0;
}

/* mm/mmap.c is_data_mapping() */
static bool is_data(enum mr_memory_type type)
{
	switch (type) {
	case MR_MEMORY_ANON:
	case MR_MEMORY_THP:
	case MR_MEMORY_HUGETLB:
	case MR_MEMORY_FILE_PRIVATE:
	case MR_MEMORY_HOLE:
		return true;
	default:
		return false;
	}
}

static void hint_shortage(const struct mr_memory_kind *kind, uint64_t length, struct mr_error *err)
{
	struct mr_shortage shortage = { .length = length, .is_private = is_data(kind->type) };

	if (kind->type == MR_MEMORY_HUGETLB)
		shortage.huge_size = kind->huge_size ? kind->huge_size : default_huge_size();
	mr_shortage_hint(&shortage, "", err);
}

static int fail_mmap(const struct mr_memory_request *request, uint64_t length, int errnum,
		     struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, errnum, "mmap", "cannot map %" PRIu64 " bytes of %s", length,
		request->kind.text);
	if (request->addr.known && errnum == EEXIST)
		mr_hint(err, "something is mapped at 0x%" PRIx64 " already; choose another --addr",
			request->addr.value);
	else if (request->addr.known && errnum == EINVAL)
		mr_hint(err,
			"--addr must be a multiple of the page size; --offset starts inside a page");
	else if (errnum == ENOMEM)
		hint_shortage(&request->kind, length, err);
	return -errnum;
}

/* How far mr_memory_map() goes away from where the kernel maps what is asked for next. */
#define SECLUSION (UINT64_C(64) << 30)

/*
 * Where nothing is shall be nothing until the memory is given back: not the next mapping of
 * malloc() or a library either, which the kernel puts into the highest gap.  A place for mmap() to
 * prefer, below the last one; it may take another.
 */
static void *secluded_place(uint64_t length, uint64_t page)
{
	static uint64_t last;
	uint64_t place;
	void *map;

	if (!last) {
		map = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (map == MAP_FAILED)
			return NULL;
		munmap(map, page);
		last = (uintptr_t)map - ((uintptr_t)map > SECLUSION ? SECLUSION : 0);
	}
	if (length + 2 * page < length || last < length + 2 * page)
		return NULL;
	place = (last - length - page) & ~(page - 1);
	last = place;
	return (void *)(uintptr_t)place; // NOLINT(performance-no-int-to-ptr)
}

/* mmap, and cut an alignment out of a larger mapping where one is wanted. */
static int map_pages(const struct mr_memory_request *request, const struct mapping *m,
		     uint64_t length, struct mr_memory *memory, struct mr_error *err)
{
	int flags = m->flags | (request->addr.known ? MAP_FIXED_NOREPLACE : 0);
	uint64_t slack = request->addr.known ? 0 : m->align;
	void *place = (void *)(uintptr_t)request->addr.value; // NOLINT(performance-no-int-to-ptr)
	void *map;

	if (length + slack < length)
		return fail_mmap(request, length, ENOMEM, err);
	if (request->kind.type == MR_MEMORY_HOLE && !request->addr.known)
		place = secluded_place(length, m->page_size);
	map = mmap(place, length + slack, m->prot, flags, m->fd, 0);
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

/* An address where nothing is: mapped to find a free place, and unmapped again. */
static int find_unmapped(const struct mr_memory_request *request, uint64_t length,
			 struct mr_memory *memory, struct mr_error *err)
{
	static const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	uint64_t page = memory->page_size;
	void *map;

	if (request->addr.known) {
		map = mmap((void *)(uintptr_t)(request->addr.value & ~(page - 1)), length,
			   PROT_NONE, // NOLINT(performance-no-int-to-ptr)
			   flags | MAP_FIXED_NOREPLACE, -1, 0);
		if (map == MAP_FAILED && errno == EEXIST)
			return fail_mmap(request, length, EEXIST, err);
		memory->start = request->addr.value + request->offset;
	} else {
		map = mmap(secluded_place(length, page), length, PROT_NONE, flags, -1, 0);
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
	/* As many as the kernel takes (mm/mempolicy.c get_nodes): a page of bits. */
	unsigned long mask[4096 / sizeof(unsigned long)] = { 0 };
	const unsigned long bits = 8 * sizeof(unsigned long);

	if (node >= 8 * sizeof(mask))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "no NUMA node %" PRIu64, node);
	mask[node / bits] = 1ul << node % bits;
	if (syscall(SYS_mbind, memory->map, memory->map_length, MPOL_BIND, mask, 8 * sizeof(mask),
		    MPOL_MF_STRICT))
		return mr_fail(err, MR_ERROR_HOST, errno, "mbind",
			       "cannot take memory from NUMA node %" PRIu64, node);
	return 0;
}

/* Steps that come after the mapping stands. */
static int prepare(const struct mr_memory_request *request, const struct mapping *m,
		   struct mr_memory *memory, struct mr_error *err)
{
	int rc;

	if (request->kind.type == MR_MEMORY_THP &&
	    madvise(memory->map, memory->map_length, MADV_HUGEPAGE))
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
	if (request->kind.type == MR_MEMORY_HOLE) {
		uint64_t page = memory->page_size;

		memory->map_length -= page;
		munmap((char *)memory->map + memory->map_length, page);
		if (!memory->map_length)
			memory->map = NULL;
	}
	return 0;
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
	/* Ranges that wrap are for the stack to refuse: only what is to be mapped has to fit. */
	if (__builtin_add_overflow(request->offset, request->length, &wanted) ||
	    wanted > SIZE_MAX - HUGE_2M)
		wanted = SIZE_MAX - HUGE_2M;
	if (request->kind.type == MR_MEMORY_UNMAPPED)
		return find_unmapped(request, mr_round_up(wanted ? wanted : 1, memory->page_size),
				     memory, err);
	rc = describe(request, mr_round_up(wanted ? wanted : 1, memory->page_size), &m, err);
	if (rc)
		return rc;
	memory->page_size = m.page_size;
	length = mr_round_up(wanted ? wanted : 1, m.page_size);
	rc = length ? map_pages(request, &m, length, memory, err)
		    : fail_mmap(request, wanted, ENOMEM, err);
	if (rc)
		return rc;
	rc = prepare(request, &m, memory, err);
	if (rc) {
		mr_memory_unmap(memory);
		return rc;
	}
	memory->made = m.made;
	m.made.path = NULL;
	return 0;
}

void mr_memory_keep_file(struct mr_memory *memory)
{
	mr_unfinished_keep(&memory->made);
}

void mr_memory_unmap(struct mr_memory *memory)
{
	if (memory->map)
		munmap(memory->map, memory->map_length);
	memory->map = NULL;
	mr_unfinished_remove(&memory->made);
}
