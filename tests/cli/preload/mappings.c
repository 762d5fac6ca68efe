// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into mrctl: maps memory of odd kinds, so that --memory none --addr ADDR can register it.
 * MAPPINGS is a list such as "0x200000000000:64K:secret,0x200000010000:4K:none", of
 *   anon, read, none   anonymous, with that access
 *   write              anonymous, that can only be written
 *   shared             anonymous, shared, read-only
 *   secret             memfd_secret(2)
 *   uffd, uffdwp       anonymous; userfaultfd(2) handles faults, those of the process's own code alone: of pages that
 *                      are missing; of writes
 *   key, keyw          anonymous; a memory protection key (pkeys(7)) denies access; denies writing
 *   guard              anonymous, of guard pages (MADV_GUARD_INSTALL)
 *   poison             anonymous, of pages that are said to have failed (MADV_HWPOISON): of guests only
 *   huge               a huge page of 2 MiB that is not reserved
 *   cow=PATH           the same, of a file on hugetlbfs: private, and read
 *   file=PATH, readfile=PATH  a file, shared; read-only
 *   end                a file without any pages, shared
 *   dmabuf             a dma-buf of /dev/dma_heap/system
 *   ring, readring     the ring of a perf event, of a page more than a power of two; that can only be read
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef SYS_memfd_secret
#define SYS_memfd_secret 447
#endif
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif
#ifndef UFFD_USER_MODE_ONLY
#define UFFD_USER_MODE_ONLY 1
#endif

static const struct kind {
	const char *name;
	int prot, flags;
} kinds[] = {
	{ "anon", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "read", PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "none", PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "write", PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "shared", PROT_READ, MAP_SHARED | MAP_ANONYMOUS },
	{ "secret", PROT_READ | PROT_WRITE, MAP_SHARED },
	{ "uffd", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "uffdwp", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE },
	{ "key", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "keyw", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "guard", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "poison", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE },
	{ "ring", PROT_READ | PROT_WRITE, MAP_SHARED },
	{ "readring", PROT_READ, MAP_SHARED },
	{ "huge", PROT_READ | PROT_WRITE,
	  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE | 21 << 26 },
	{ "cow", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_NORESERVE },
	{ "file", PROT_READ | PROT_WRITE, MAP_SHARED },
	{ "readfile", PROT_READ, MAP_SHARED },
	{ "end", PROT_READ | PROT_WRITE, MAP_SHARED },
	{ "dmabuf", PROT_READ | PROT_WRITE, MAP_SHARED },
};

static void give_up(const char *what)
{
	fprintf(stderr, "mappings: %s: %s\n", what, strerror(errno));
	_exit(99);
}

static int make_secret(size_t size)
{
	int fd = (int)syscall(SYS_memfd_secret, 0);

	if (fd < 0 || ftruncate(fd, (off_t)size))
		give_up("memfd_secret");
	return fd;
}

static int make_event(void)
{
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(event),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, 0);

	if (fd < 0)
		give_up("perf_event_open");
	return fd;
}

static int make_dmabuf(size_t size)
{
	struct dma_heap_allocation_data data = { .len = size, .fd_flags = O_RDWR | O_CLOEXEC };
	int heap = open("/dev/dma_heap/system", O_RDWR | O_CLOEXEC);

	if (heap < 0 || ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &data))
		give_up("/dev/dma_heap/system");
	close(heap);
	return (int)data.fd;
}

static int open_file(const char *name, const char *path, size_t size)
{
	int fd = -1;

	if (!strcmp(name, "secret"))
		return make_secret(size);
	if (!strcmp(name, "dmabuf"))
		return make_dmabuf(size);
	if (strstr(name, "ring"))
		return make_event();
	if (!strcmp(name, "end"))
		fd = memfd_create(name, MFD_CLOEXEC);
	else if (path[0])
		fd = open(path, O_RDWR | O_CLOEXEC);
	else
		return -1;
	if (fd < 0)
		give_up(path);
	return fd;
}

/* The descriptor stays open: the faults are handled as long as it is. */
static void handle_faults(void *map, size_t size, bool are_writes)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (uintptr_t)map, size },
				       .mode = are_writes ? UFFDIO_REGISTER_MODE_WP
							  : UFFDIO_REGISTER_MODE_MISSING };
	struct uffdio_writeprotect protect = { reg.range, UFFDIO_WRITEPROTECT_MODE_WP };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg) ||
	    (are_writes && ioctl(fd, UFFDIO_WRITEPROTECT, &protect)))
		give_up("userfaultfd");
}

static void deny(void *map, size_t size, unsigned int rights)
{
	static int keys[PKEY_DISABLE_WRITE + 1]; /* a process has 15 */
	const int key = keys[rights] = keys[rights] ? keys[rights] : pkey_alloc(0, rights);

	if (key < 0 || pkey_mprotect(map, size, PROT_READ | PROT_WRITE, key))
		give_up("pkey_alloc");
}

static void go_on(int signal)
{
	(void)signal;
}

/* The kernel tells of a page that has failed by SIGBUS, which is not to be ignored. */
static void fail_pages(void *map, size_t size)
{
	struct sigaction former, action = { .sa_handler = go_on };

	if (sigaction(SIGBUS, &action, &former) || madvise(map, size, MADV_HWPOISON) ||
	    sigaction(SIGBUS, &former, NULL))
		give_up("MADV_HWPOISON");
}

static void map_one(uintptr_t addr, size_t size, const char *name, const char *path)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		void *map;
		int fd;

		if (strcmp(kinds[i].name, name) != 0)
			continue;
		fd = open_file(name, path, size);
		map = mmap((void *)addr, size, kinds[i].prot,
			   kinds[i].flags | MAP_FIXED_NOREPLACE, fd, 0);
		if (map == MAP_FAILED)
			give_up(name);
		if (fd >= 0)
			close(fd);
		if (!strncmp(name, "uffd", 4))
			handle_faults(map, size, name[4]);
		if (!strncmp(name, "key", 3))
			deny(map, size, name[3] ? PKEY_DISABLE_WRITE : PKEY_DISABLE_ACCESS);
		if (!strcmp(name, "guard") && madvise(map, size, MADV_GUARD_INSTALL))
			give_up("MADV_GUARD_INSTALL");
		if (!strcmp(name, "poison"))
			fail_pages(map, size);
		if (!strcmp(name, "cow"))
			(void)*(volatile char *)map;
		return;
	}
	errno = EINVAL;
	give_up(name);
}

static void __attribute__((constructor)) init(void)
{
	const char *list = getenv("MAPPINGS");
	char name[16], path[256], unit;
	uintptr_t addr;
	size_t size;
	int length;

	for (; list && sscanf(list, "%lx:%zu%c:%15[a-z]%n", &addr, &size, &unit, name, &length) == 4;
	     list += length + (list[length] == ',')) {
		list += length;
		length = 0;
		path[0] = '\0';
		sscanf(list, "=%255[^,]%n", path, &length);
		map_one(addr, size << (unit == 'M' ? 20 : 10), name, path);
	}
}
