// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into mrctl: maps memory of odd kinds, so that --memory none --addr ADDR can register it.
 * MAPPINGS is a list such as "0x200000000000:64K:secret,0x200000010000:4K:none", of
 *   anon, read, none   anonymous, with that access
 *   write              anonymous, that can only be written
 *   shared             anonymous, shared, read-only
 *   secret             memfd_secret(2)
 *   uffd               anonymous; userfaultfd(2) handles faults, those of the process's own code alone
 *   guard              anonymous, of guard pages (MADV_GUARD_INSTALL)
 *   poison             anonymous, of pages that are said to have failed (MADV_HWPOISON): of guests only
 *   huge               a huge page of 2 MiB that is not reserved
 *   ring, readring     the ring of a perf event, of a page more than a power of two; that can only be read
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/userfaultfd.h>
#include <signal.h>
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
	{ "guard", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS },
	{ "poison", PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE },
	{ "ring", PROT_READ | PROT_WRITE, MAP_SHARED },
	{ "readring", PROT_READ, MAP_SHARED },
	{ "huge", PROT_READ | PROT_WRITE,
	  MAP_PRIVATE | MAP_ANONYMOUS | MAP_HUGETLB | MAP_NORESERVE | 21 << 26 },
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

/* The descriptor stays open: the faults are handled as long as it is. */
static void handle_faults(void *map, size_t size)
{
	struct uffdio_api api = { .api = UFFD_API };
	struct uffdio_register reg = { .range = { (uintptr_t)map, size },
				       .mode = UFFDIO_REGISTER_MODE_MISSING };
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC | UFFD_USER_MODE_ONLY);

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &reg))
		give_up("userfaultfd");
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

static void map_one(uintptr_t addr, size_t size, const char *name)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		int fd = -1;
		void *map;

		if (strcmp(kinds[i].name, name) != 0)
			continue;
		if (!strcmp(name, "secret"))
			fd = make_secret(size);
		if (strstr(name, "ring"))
			fd = make_event();
		map = mmap((void *)addr, size, kinds[i].prot,
			   kinds[i].flags | MAP_FIXED_NOREPLACE, fd, 0);
		if (map == MAP_FAILED)
			give_up(name);
		if (fd >= 0)
			close(fd);
		if (!strcmp(name, "uffd"))
			handle_faults(map, size);
		if (!strcmp(name, "guard") && madvise(map, size, MADV_GUARD_INSTALL))
			give_up("MADV_GUARD_INSTALL");
		if (!strcmp(name, "poison"))
			fail_pages(map, size);
		return;
	}
	errno = EINVAL;
	give_up(name);
}

static void __attribute__((constructor)) init(void)
{
	const char *list = getenv("MAPPINGS");
	char name[16], unit;
	uintptr_t addr;
	size_t size;
	int length;

	for (; list && sscanf(list, "%lx:%zu%c:%15[a-z]%n", &addr, &size, &unit, name, &length) == 4;
	     list += length + (list[length] == ','))
		map_one(addr, size << (unit == 'M' ? 20 : 10), name);
}
