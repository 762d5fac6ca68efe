// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/kernel/differential/arena.h"
#include "tests/kernel/differential/draw.h"

#define BASE      0x200000000000ull /* an address where no system maps anything by itself */
#define GAP       0x100000ull       /* from one kind to the next; nothing is mapped in between */
#define IOVA      0x7000000000ull
#define HUGE_PAGE 0x200000ul

enum kind {
	ANON,
	READ_ONLY,
	NONE,
	NOTHING,
	HOLE,
	PARTLY_READ_ONLY,
	SHARED,
	SHARED_READ_ONLY,
	PRIVATE,
	PRIVATE_READ_ONLY,
	SHORT_FILE,
	EXT4_SHARED,
	EXT4_SHARED_READ_ONLY,
	EXT4_PRIVATE,
	XFS_SHARED,
	XFS_PRIVATE,
	RAMFS_SHARED,
	RAMFS_SHARED_READ_ONLY,
	OVERLAY_SHARED,
	OVERLAY_PRIVATE,
	WRITE_ONLY,
	SHARED_WRITE_ONLY,
	SECRET,
	SECRET_READ_ONLY,
	RING,
	RING_READ_ONLY,
	HUGE,
	KINDS
};

static const char *const names[KINDS] = {
	[ANON] = "anon",
	[READ_ONLY] = "read-only",
	[NONE] = "prot-none",
	[NOTHING] = "nothing",
	[HOLE] = "hole",
	[PARTLY_READ_ONLY] = "partly-read-only",
	[SHARED] = "shared",
	[SHARED_READ_ONLY] = "shared-read-only",
	[PRIVATE] = "private",
	[PRIVATE_READ_ONLY] = "private-read-only",
	[SHORT_FILE] = "short-file",
	[EXT4_SHARED] = "ext4-shared",
	[EXT4_SHARED_READ_ONLY] = "ext4-shared-read-only",
	[EXT4_PRIVATE] = "ext4-private",
	[XFS_SHARED] = "xfs-shared",
	[XFS_PRIVATE] = "xfs-private",
	[RAMFS_SHARED] = "ramfs-shared",
	[RAMFS_SHARED_READ_ONLY] = "ramfs-shared-read-only",
	[OVERLAY_SHARED] = "overlay-shared",
	[OVERLAY_PRIVATE] = "overlay-private",
	[WRITE_ONLY] = "write-only",
	[SHARED_WRITE_ONLY] = "shared-write-only",
	[SECRET] = "secret",
	[SECRET_READ_ONLY] = "secret-read-only",
	[RING] = "perf-ring",
	[RING_READ_ONLY] = "perf-ring-read-only",
	[HUGE] = "huge-beyond-limit",
};

static int dmabuf = -1, plain = -1;
static bool is_second; /* this is the second process of an episode */

static void *address_of(enum kind kind)
{
	return (void *)(uintptr_t)(BASE + kind * GAP);
}

/*
 * Touches pages in an order in which neighbours do not get neighbouring frames.  A driver merges
 * contiguous frames into larger pages, and without this order it would be chance which are contiguous.
 */
static void touch(volatile char *memory, unsigned long pages)
{
	unsigned long i, at;

	for (i = 0; i < pages; i++) { /* @pages is a power of two */
		at = i * 5 % pages;
		memory[at * PAGE] = (char)(1 + at);
	}
}

static int map(enum kind kind, int prot, int flags, int fd)
{
	return mmap(address_of(kind), PAGES * PAGE, prot, flags | MAP_FIXED_NOREPLACE, fd, 0) ==
			       address_of(kind)
		       ? 0
		       : -1;
}

static int map_anon(enum kind kind)
{
	if (map(kind, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1))
		return -1;
	touch(address_of(kind), PAGES);
	return 0;
}

/* Makes the file @pages long, maps PAGES of it and closes it.  Pages beyond its end are a SIGBUS. */
static int map_fd(enum kind kind, int flags, int fd, unsigned long pages)
{
	int rc;

	if (fd < 0)
		return -1;
	rc = ftruncate(fd, (off_t)(pages * PAGE));
	if (!rc)
		rc = map(kind, PROT_READ | PROT_WRITE, flags, fd);
	close(fd);
	/* no read-ahead, which would fill neighbouring frames */
	if (!rc)
		rc = madvise(address_of(kind), PAGES * PAGE, MADV_RANDOM);
	if (!rc)
		touch(address_of(kind), pages);
	return rc;
}

/* Maps a file on tmpfs. */
static int map_file(enum kind kind, int flags, unsigned long pages)
{
	return map_fd(kind, flags, memfd_create(names[kind], MFD_CLOEXEC), pages);
}

/* Maps a file of a file system that is mounted in @files.  The simulator opens it, also as another user. */
static int map_file_of(enum kind kind, int flags, const char *files, const char *type)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s/%s%s", files, type, is_second ? "second/" : "",
		 names[kind]);
	return map_fd(kind, flags, open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644), PAGES);
}

/* Maps memory that the kernel itself does not map: memfd_secret(2), before Linux 6.5 only by a boot option. */
static int map_secret(enum kind kind)
{
	const int fd = (int)syscall(SYS_memfd_secret, O_CLOEXEC);
	int rc;

	if (fd < 0 || ftruncate(fd, (off_t)(PAGES * PAGE)))
		return -1;
	rc = map(kind, PROT_READ | PROT_WRITE, MAP_SHARED, fd);
	close(fd);
	if (!rc)
		touch(address_of(kind), PAGES);
	return rc;
}

/* Maps the ring of a perf event: a page of control and half the pages of data. */
static int map_ring(enum kind kind, int prot)
{
	struct perf_event_attr event = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(event),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *at;

	if (fd < 0)
		return -1;
	at = mmap(address_of(kind), (1 + PAGES / 2) * PAGE, prot, MAP_SHARED | MAP_FIXED_NOREPLACE,
		  fd, 0);
	close(fd);
	return at == address_of(kind) ? 0 : -1;
}

/*
 * Maps a huge page that must not be touched: the limit of the process's hugetlb cgroup is 0.  For the simulator it is one
 * that the machine does not have; where it has free ones, memory without access is refused in the same way.
 */
static int map_huge(enum kind kind, bool simulated)
{
	static const char path[] = "/sys/kernel/mm/hugepages/hugepages-2048kB/free_hugepages";
	FILE *file = simulated ? fopen(path, "r") : NULL;
	unsigned int pages = 0;

	if (file) {
		if (fscanf(file, "%u", &pages) != 1)
			pages = 1;
		fclose(file);
	}
	if (pages)
		return map(kind, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1);
	return map(kind, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_HUGETLB | MAP_HUGE_2MB, -1);
}

/* Makes a dma-buf of the pages of a memfd: by /dev/udmabuf, or the memfd itself for the simulator. */
static int make_dmabuf(bool simulated)
{
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = PAGES * PAGE };
	int device, fd = -1;
	void *memory;

	create.memfd = (uint32_t)memfd_create("mrctl-dmabuf", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if ((int)create.memfd < 0 || ftruncate((int)create.memfd, PAGES * PAGE) ||
	    fcntl((int)create.memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return -1;
	memory = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, (int)create.memfd, 0);
	if (memory == MAP_FAILED)
		return -1;
	touch(memory, PAGES);
	munmap(memory, PAGES * PAGE);
	if (simulated)
		return (int)create.memfd;
	device = open("/dev/udmabuf", O_RDWR | O_CLOEXEC);
	if (device >= 0) {
		fd = ioctl(device, UDMABUF_CREATE, &create);
		close(device);
	}
	close((int)create.memfd);
	return fd;
}

int arena_make(const char *files, bool simulated, bool has_dmabuf)
{
	static const struct {
		enum kind kind;
		int prot;
	} rights[] = {
		{ READ_ONLY, PROT_READ },
		{ SHARED_READ_ONLY, PROT_READ },
		{ PRIVATE_READ_ONLY, PROT_READ },
		{ EXT4_SHARED_READ_ONLY, PROT_READ },
		{ RAMFS_SHARED_READ_ONLY, PROT_READ },
		{ SECRET_READ_ONLY, PROT_READ },
		{ WRITE_ONLY, PROT_WRITE },
		{ SHARED_WRITE_ONLY, PROT_WRITE },
	};
	const size_t length = PAGES * PAGE;
	enum kind kind;
	size_t i;

	if (map_anon(ANON) || map_anon(READ_ONLY) || map_anon(HOLE) || map_anon(PARTLY_READ_ONLY) ||
	    map(NONE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1) ||
	    map_file(SHARED, MAP_SHARED, PAGES) || map_file(SHARED_READ_ONLY, MAP_SHARED, PAGES) ||
	    map_file(PRIVATE, MAP_PRIVATE, PAGES) ||
	    map_file(PRIVATE_READ_ONLY, MAP_PRIVATE, PAGES) ||
	    map_file(SHORT_FILE, MAP_SHARED, PAGES / 2) ||
	    map_file_of(EXT4_SHARED, MAP_SHARED, files, "ext4") ||
	    map_file_of(EXT4_SHARED_READ_ONLY, MAP_SHARED, files, "ext4") ||
	    map_file_of(EXT4_PRIVATE, MAP_PRIVATE, files, "ext4") ||
	    map_file_of(XFS_SHARED, MAP_SHARED, files, "xfs") ||
	    map_file_of(XFS_PRIVATE, MAP_PRIVATE, files, "xfs") ||
	    map_file_of(RAMFS_SHARED, MAP_SHARED, files, "ramfs") ||
	    map_file_of(RAMFS_SHARED_READ_ONLY, MAP_SHARED, files, "ramfs") ||
	    map_file_of(OVERLAY_SHARED, MAP_SHARED, files, "overlay") ||
	    map_file_of(OVERLAY_PRIVATE, MAP_PRIVATE, files, "overlay") || map_anon(WRITE_ONLY) ||
	    map_file(SHARED_WRITE_ONLY, MAP_SHARED, PAGES) || map_secret(SECRET) ||
	    map_secret(SECRET_READ_ONLY) || map_ring(RING, PROT_READ | PROT_WRITE) ||
	    map_ring(RING_READ_ONLY, PROT_READ) || map_huge(HUGE, simulated))
		return -1;
	for (i = 0; i < COUNT(rights); i++)
		if (mprotect(address_of(rights[i].kind), length, rights[i].prot))
			return -1;
	if (mprotect((char *)address_of(PARTLY_READ_ONLY) + length / 2, PAGE, PROT_READ) ||
	    munmap((char *)address_of(HOLE) + length / 2, PAGE))
		return -1;
	for (kind = 0; kind < KINDS; kind++)
		madvise(address_of(kind), kind == HUGE ? HUGE_PAGE : length,
			MADV_DONTFORK); /* a second process has its own */
	plain = memfd_create("plain", MFD_CLOEXEC);
	if (plain < 0 || ftruncate(plain, (off_t)length))
		return -1;
	if (!has_dmabuf)
		return 0;
	dmabuf = make_dmabuf(simulated);
	return dmabuf < 0 ? -1 : 0;
}

void arena_privilege(bool privileged)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return;
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (privileged)
		data[0].effective |= data[0].permitted & 1u << CAP_IPC_LOCK;
	syscall(SYS_capset, &header, data);
}

int arena_make_second(const char *files, bool simulated, bool has_dmabuf)
{
	struct rlimit limit, none;
	int rc;

	/* some of the memory counts as locked */
	is_second = true;
	arena_privilege(true);
	getrlimit(RLIMIT_MEMLOCK, &limit);
	none = (struct rlimit){ limit.rlim_max, limit.rlim_max };
	setrlimit(RLIMIT_MEMLOCK, &none);
	rc = arena_make(files, simulated, has_dmabuf);
	setrlimit(RLIMIT_MEMLOCK, &limit);
	arena_privilege(limit.rlim_cur == limit.rlim_max);
	return rc;
}

/* ---- drawing ------------------------------------------------------------------------------- */

static uint64_t draw_offset(void)
{
	static const uint32_t odd[] = { 1, 16, 100, 2048, 4095 };

	const uint64_t pages = chance(50) ? 0 : draw(PAGES) * PAGE;

	return pages + (chance(30) ? PICK(odd) : 0);
}

static uint64_t draw_length(void)
{
	static const uint64_t some[] = {
		1,        8,        100,   4095,     4096,     4097,         2 * PAGE,
		3 * PAGE, 4 * PAGE, 20000, 8 * PAGE, 9 * PAGE, PAGES * PAGE, 2 * PAGES * PAGE
	};

	return chance(4) ? 0 : PICK(some);
}

/* Most have the page offset of the address, which the kernel demands. */
static uint64_t draw_iova(uint64_t addr, uint64_t length)
{
	const uint64_t offset = addr % PAGE;

	switch (draw(20)) {
	case 0:
		return IOVA + offset + 16;
	case 1:
		return addr + PAGE / 2;
	case 2:
		return offset;
	case 3:
		return 0xffffffff00000000 + offset;
	case 4:
		if (length > PAGE)
			return 0 - PAGE + offset;
		return IOVA + offset;
	case 5:
	case 6:
	case 7:
	case 8:
		return IOVA + offset;
	default:
		return addr;
	}
}

static void draw_anywhere(struct range *range, const char **name)
{
	static const struct {
		const char *name;
		uint64_t addr;
	} places[] = {
		{ "null", 0 },
		{ "low", 0x10000 },
		{ "non-canonical", 0x800000000000 },
		{ "kernel", 0xffff888000000000 },
		{ "last-page", 0xfffffffffffff000 },
	};
	const size_t i = draw(COUNT(places));

	range->addr = places[i].addr + (chance(20) ? 100 : 0);
	*name = places[i].name;
}

void arena_draw(struct range *range, bool huge)
{
	static const uint64_t lengths[] = { 1ull << 40, 1ull << 44, 1ull << 63 };
	enum kind kind = chance(40) ? ANON : draw(KINDS);
	const char *name = names[kind];

	range->addr = BASE + kind * GAP + draw_offset();
	range->length = draw_length();
	if (chance(6))
		draw_anywhere(range, &name);
	if (huge && chance(3))
		range->length = PICK(lengths);
	/*
	 * 0 - addr is the shortest length that wraps around.  For address 0 that would be 0, so it is
	 * UINT64_MAX: implicit on-demand paging of the whole address space.
	 */
	if (chance(3))
		range->length = range->addr && chance(50) ? 0 - range->addr : UINT64_MAX;
	range->iova = draw_iova(range->addr, range->length);
	snprintf(range->text, sizeof(range->text), "%s addr=%#llx length=%#llx iova=%#llx", name,
		 (unsigned long long)range->addr, (unsigned long long)range->length,
		 (unsigned long long)range->iova);
}

void arena_draw_dmabuf(struct range *range)
{
	static const uint64_t offsets[] = {
		PAGE, 100, 8 * PAGE, PAGE + 100, (PAGES - 1) * PAGE, PAGES * PAGE, 0 - PAGE
	};
	static const uint64_t lengths[] = { 1,        4096,         5000,
					    8 * PAGE, PAGES * PAGE, PAGES * PAGE + 1,
					    0 - PAGE, UINT64_MAX };

	range->addr = chance(50) ? 0 : PICK(offsets);
	range->length = chance(4) ? 0 : chance(30) ? PAGE : PICK(lengths);
	range->iova = chance(10) ? IOVA + 16 : IOVA + range->addr % PAGE;
	snprintf(range->text, sizeof(range->text), "offset=%#llx length=%#llx iova=%#llx",
		 (unsigned long long)range->addr, (unsigned long long)range->length,
		 (unsigned long long)range->iova);
}

int arena_draw_fd(const char **name)
{
	if (dmabuf >= 0 && chance(85)) {
		*name = "dma-buf";
		return dmabuf;
	}
	switch (draw(3)) {
	case 0:
		*name = "memfd";
		return plain;
	case 1:
		*name = "closed";
		return 999;
	default:
		*name = "-1";
		return -1;
	}
}
