// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/mempolicy.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
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
		MR_WORD("file:PATH", "a shared mapping of a file, which is created if missing"),
	[MR_MEMORY_FILE_PRIVATE] = MR_WORD("file-private:PATH", "a private mapping of a file"),
	[MR_MEMORY_NONE] = MR_WORD("none", "no memory: address 0, for implicit on-demand paging"),
	[MR_MEMORY_READONLY] = MR_WORD("readonly", "anonymous, mapped without write permission"),
	[MR_MEMORY_UNMAPPED] = MR_WORD("unmapped", "an address where nothing is mapped"),
	[MR_MEMORY_HOLE] = MR_WORD("hole", "anonymous, with the last page unmapped"),
	[MR_MEMORY_DEVICE] = MR_WORD("device:PATH", "mmap of a device node"),
	[MR_MEMORY_CUDA] = MR_WORD("cuda:N", "memory of GPU N, by its address (peer memory)"),
	[MR_MEMORY_DM] = MR_WORD("dm[:SIZE]", "memory on the RDMA device (ibv_alloc_dm): reg only"),
	[MR_MEMORY_NULL_MR] =
		MR_WORD("null-mr", "no memory: the null MR (ibv_alloc_null_mr): reg only"),
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

int mr_memory_kind_parse(const char *text, struct mr_memory_kind *kind, struct mr_error *err)
{
	const char *argument;
	int found = mr_word_with_argument(mr_memory_kinds, "memory", text, &argument, err);

	if (found < 0)
		return found;
	*kind = (struct mr_memory_kind){ .type = (enum mr_memory_type)found, .text = text };
	if (kind->type == MR_MEMORY_HUGETLB)
		return argument ? parse_huge_size(argument, kind, err) : 0;
	if (kind->type == MR_MEMORY_DM) {
		kind->dm_size.known = argument;
		return argument ? mr_parse_size(argument, &kind->dm_size.value, err) : 0;
	}
	if (kind->type == MR_MEMORY_CUDA)
		return mr_gpu_parse(argument, &kind->gpu, err);
	kind->path = argument;
	return 0;
}

/* ---- files ---- */

/* The one file that the signal handler removes: a handler gets no argument. */
static struct mr_unfinished watched;
static volatile sig_atomic_t watching;

/* The signal handler calls this, so it uses only functions that signal-safety(7) lists. */
static void remove_file(const struct mr_unfinished *file)
{
	struct stat st;

	if (!lstat(file->path, &st) && st.st_dev == file->device && st.st_ino == file->inode)
		unlink(file->path);
}

/* SA_RESETHAND has restored the default action, so raise() ends the process. */
static void on_signal(int number)
{
	if (watching)
		remove_file(&watched);
	raise(number);
}

/* A signal that is ignored, as by nohup(1), stays ignored. */
static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal,
					  .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };
	struct sigaction before;

	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++)
		if (!sigaction(mr_ending_signals[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(mr_ending_signals[i], &action, NULL);
}

/*
 * Creates a file, with mode 0600. SIGINT, SIGTERM and SIGHUP remove it, too, where they are not blocked and
 * end the process.  This works for one file at a time: the last one that was created. Return: its
 * descriptor, open for reading and writing; or -1 with errno.
 */
static int unfinished_create(struct mr_unfinished *file, const char *path)
{
	sigset_t all, before;
	struct stat st;
	int fd, saved;

	*file = (struct mr_unfinished){ .path = NULL };
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0600);
	saved = errno;
	if (fd >= 0 && !fstat(fd, &st)) {
		*file = (struct mr_unfinished){ path, st.st_dev, st.st_ino };
		watched = *file;
		watching = true;
		catch_signals();
	}
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return fd;
}

static void unfinished_keep(struct mr_unfinished *file)
{
	if (file->path)
		watching = false;
	file->path = NULL;
}

static void unfinished_remove(struct mr_unfinished *file)
{
	if (file->path)
		remove_file(file);
	unfinished_keep(file);
}

/* Bytes of a file's pages: those of huge pages on hugetlbfs, else the base size. */
static uint64_t file_page_size(int fd)
{
	static const long hugetlbfs_magic = 0x958458f6; /* linux/magic.h */
	struct statfs fs;

	if (fstatfs(fd, &fs) || (long)fs.f_type != hugetlbfs_magic)
		return (uint64_t)getpagesize();
	return (uint64_t)fs.f_bsize;
}

/*
 * Opens a file or a device that can be mapped.  Without O_NONBLOCK opening a FIFO would wait for its other end.  Files,
 * and mappings of them, ignore it.
 *
 * Return: a descriptor, or -errno: -ENODEV for a FIFO, a socket or a directory.
 */
static int open_file(const char *path, int flags, struct mr_error *err)
{
	mr_auto_fd int fd = open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *what;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return mr_fail(err, MR_ERROR_HOST, errno, fd < 0 ? "open" : "fstat",
			       "cannot use '%s'", path);
	/* mmap() would refuse these with ENODEV. */
	what = S_ISFIFO(st.st_mode)   ? "a FIFO"
	       : S_ISSOCK(st.st_mode) ? "a socket"
	       : S_ISDIR(st.st_mode)  ? "a directory"
				      : NULL;
	if (what)
		return mr_fail_text(err, MR_ERROR_HOST, ENODEV,
				    "cannot map '%s': it is %s, not a file or a device", path,
				    what);
	return mr_steal_fd(&fd);
}

/*
 * Opens a file for reading and writing, and creates it where it is missing.
 * @length:  bytes of a file that is created, rounded up to whole pages; one that exists stays as it is
 * @created: set where the file was created, also on failure
 *
 * Return: a descriptor or -errno.
 */
static int open_or_create(const char *path, uint64_t length, struct mr_unfinished *created,
			  struct mr_error *err)
{
	mr_auto_fd int fd = open_file(path, O_RDWR, err);
	int rc;

	if (fd != -ENOENT)
		return mr_steal_fd(&fd);
	mr_error_clear(err);
	fd = unfinished_create(created, path);
	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot make '%s'", path);
	length = mr_round_up(length, file_page_size(fd));
	rc = posix_fallocate(fd, 0, (off_t)length);
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, rc, "posix_fallocate",
			       "cannot make '%s' of %" PRIu64 " bytes", path, length);
	return mr_steal_fd(&fd);
}

/* ---- kinds ---- */

#ifndef MAP_HUGE_SHIFT
#define MAP_HUGE_SHIFT 26
#endif

#define HUGE_2M (UINT64_C(2) << 20)

/* The properties of each kind that are not the usual ones. */
static const struct kind_row {
	bool is_data;     /* RLIMIT_DATA and overcommit count it: mm/mmap.c is_data_mapping() */
	bool is_readonly; /* mapped without write permission */
	bool is_thp;   /* transparent huge pages are requested, and the start is aligned to one */
	bool has_hole; /* its last page is to be unmapped again */
} kinds[MR_MEMORY_TYPES] = {
	[MR_MEMORY_ANON] = { .is_data = true },
	[MR_MEMORY_THP] = { .is_data = true, .is_thp = true },
	[MR_MEMORY_HUGETLB] = { .is_data = true },
	[MR_MEMORY_FILE_PRIVATE] = { .is_data = true },
	[MR_MEMORY_READONLY] = { .is_readonly = true },
	[MR_MEMORY_HOLE] = { .is_data = true, .has_hole = true },
};

/* The mapping to make. */
struct mapping {
	int prot;
	int flags;
	int fd;
	uint64_t page_size;
	const struct kind_row *row;
	struct mr_unfinished created; /* file that was created for it, until it is mapped */
};

static void release_mapping(struct mapping *m)
{
	unfinished_remove(&m->created);
	if (m->fd >= 0)
		close(m->fd);
}

/* Describes how a kind is mapped: privately, as anonymous pages, where it is no other.  @length: of a new file */
static int describe_mapping(const struct mr_memory_request *request, uint64_t length,
			    struct mapping *m, struct mr_error *err)
{
	const struct mr_memory_kind *kind = &request->kind;
	const struct kind_row *row = &kinds[kind->type];

	*m = (struct mapping){ .prot = PROT_READ | (row->is_readonly ? 0 : PROT_WRITE),
			       .flags = MAP_PRIVATE | MAP_ANONYMOUS,
			       .fd = -1,
			       .page_size = (uint64_t)getpagesize(),
			       .row = row };
	switch (kind->type) {
	case MR_MEMORY_HUGETLB:
		m->page_size = kind->huge_size ?: mr_huge_page_default(mr_this_host());
		m->flags |= MAP_HUGETLB;
		if (kind->huge_size)
			m->flags |= (int)((unsigned int)__builtin_ctzll(kind->huge_size)
					  << MAP_HUGE_SHIFT);
		return m->page_size ? 0
				    : mr_fail_text(err, MR_ERROR_HOST, EOPNOTSUPP,
						   "this kernel has no huge pages (/proc/meminfo: "
						   "Hugepagesize)");
	case MR_MEMORY_MEMFD:
		m->fd = mr_file_open_memfd(length, 0, err);
		break;
	case MR_MEMORY_FILE:
		m->fd = open_or_create(kind->path, length, &m->created, err);
		break;
	case MR_MEMORY_FILE_PRIVATE:
		m->fd = open_file(kind->path, O_RDONLY, err);
		break;
	case MR_MEMORY_DEVICE:
		m->fd = open_file(kind->path, O_RDWR, err);
		break;
	default:
		return 0;
	}
	m->flags = kind->type == MR_MEMORY_FILE_PRIVATE ? MAP_PRIVATE : MAP_SHARED;
	if (m->fd < 0)
		return m->fd;
	m->page_size = file_page_size(m->fd);
	return 0;
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
	uint64_t slack = request->addr.known || !m->row->is_thp ? 0 : HUGE_2M;
	void *address = mr_pointer(request->addr.value);
	void *map;

	if (length + slack < length)
		return fail_mmap(request, length, ENOMEM, err);
	if (m->row->has_hole && !request->addr.known)
		address = address_for_gap(length, m->page_size);
	map = mmap(address, length + slack, m->prot, flags, m->fd, 0);
	if (map == MAP_FAILED)
		return fail_mmap(request, length, errno, err);
	if (slack) {
		char *end = (char *)map + length + slack;
		uint64_t skip = mr_round_up((uintptr_t)map, HUGE_2M) - (uintptr_t)map;
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

/* Finds an unmapped address, by mapping memory and unmapping it again. */
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
		if (map == MAP_FAILED) { /* longer than the address space: one page is enough */
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

	if (m->row->is_thp && madvise(memory->map, memory->map_length, MADV_HUGEPAGE))
		return mr_fail(err, MR_ERROR_HOST, errno, "madvise",
			       "cannot request transparent huge pages (MADV_HUGEPAGE)");
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
	if (m->row->has_hole) {
		uint64_t page = memory->page_size;

		memory->map_length -= page;
		munmap((char *)memory->map + memory->map_length, page);
		if (!memory->map_length)
			memory->map = NULL;
	}
	return 0;
}

/* Returns the bytes to map.  The RDMA stack refuses a range that wraps: mmap() gets as much as fits. */
static uint64_t wanted_bytes(const struct mr_memory_request *request)
{
	uint64_t wanted;

	if (__builtin_add_overflow(request->offset, request->length, &wanted) ||
	    wanted > SIZE_MAX - HUGE_2M)
		return SIZE_MAX - HUGE_2M;
	return wanted ? wanted : 1;
}

int mr_memory_map(const struct mr_memory_request *request, struct mr_memory *memory,
		  struct mr_error *err)
{
	__attribute__((cleanup(release_mapping))) struct mapping m = { .fd = -1 };
	const uint64_t wanted = wanted_bytes(request);
	uint64_t length;
	int rc;

	*memory = (struct mr_memory){ .page_size = (uint64_t)getpagesize() };
	if (request->kind.type == MR_MEMORY_NONE) {
		memory->start = request->addr.value + request->offset;
		return 0;
	}
	if (request->kind.type == MR_MEMORY_UNMAPPED)
		return find_unmapped(request, mr_round_up(wanted, memory->page_size), memory, err);
	if (request->kind.type == MR_MEMORY_CUDA) {
		/* The address is in this process, but cannot be read. */
		rc = mr_cuda_open(request->kind.gpu, wanted, false, &memory->cuda, NULL, err);
		if (!rc)
			memory->start = mr_cuda_address(memory->cuda) + request->offset;
		return rc;
	}
	rc = describe_mapping(request, mr_round_up(wanted, memory->page_size), &m, err);
	if (rc)
		return rc;
	memory->page_size = m.page_size;
	length = mr_round_up(wanted, m.page_size);
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

/* The page size of a file is unknown here: assume ordinary pages. */
void mr_memory_shortage(const struct mr_memory_request *request, struct mr_shortage *shortage)
{
	const struct mr_memory_kind *kind = &request->kind;

	*shortage = (struct mr_shortage){ .is_private = kinds[kind->type].is_data };
	if (kind->type == MR_MEMORY_HUGETLB)
		shortage->huge_size =
			kind->huge_size ? kind->huge_size : mr_huge_page_default(mr_this_host());
	shortage->length =
		mr_round_up(wanted_bytes(request),
			    shortage->huge_size ? shortage->huge_size : (uint64_t)getpagesize());
}

void mr_memory_keep_file(struct mr_memory *memory)
{
	unfinished_keep(&memory->created);
}

void mr_memory_unmap(struct mr_memory *memory)
{
	if (memory->map)
		munmap(memory->map, memory->map_length);
	memory->map = NULL;
	mr_cuda_close(memory->cuda);
	memory->cuda = NULL;
	unfinished_remove(&memory->created);
}
