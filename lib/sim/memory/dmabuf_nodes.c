// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The device nodes that make dma-bufs, /dev/udmabuf and /dev/dma_heap/system: udmabuf.c, dma-heap.c,
 * heaps/system_heap.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <string.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "lib/sim/base/environment.h"
#include "lib/sim/base/libc.h"
#include "lib/sim/base/pages.h"
#include "lib/sim/memory/dmabuf.h"
#include "lib/sim/memory/dmabuf_nodes.h"

/* udmabuf.c check_memfd_seals(); the kernel refuses a range behind the end when it pins the pages */
static int check_memfd(const struct udmabuf_create *create)
{
	int seals = sim_libc()->fcntl((int)create->memfd, F_GET_SEALS);
	uint64_t end;
	struct stat st;

	if (seals < 0 || sim_libc()->fstat((int)create->memfd, &st))
		return -EBADFD;
	if (!(seals & F_SEAL_SHRINK) || seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
		return -EINVAL;
	return __builtin_add_overflow(create->offset, create->size, &end) ||
			       end > (uint64_t)st.st_size
		       ? -EINVAL
		       : 0;
}

/* The kernel shares the pages of the memfd.  A copy is good enough here: no device accesses it. */
static int copy_pages(int to, const struct udmabuf_create *create)
{
	off_t offset = (off_t)create->offset;
	uint64_t left = create->size;
	ssize_t done;

	for (; left; left -= (uint64_t)done) {
		done = sendfile(to, (int)create->memfd, &offset, left);
		if (done < 0)
			return -errno;
		if (!done)
			return -EIO;
	}
	return 0;
}

/* udmabuf_create() */
static int create_udmabuf(void *arg)
{
	const uint64_t limit = UINT64_C(64) << 20; /* the module's size_limit_mb */
	const struct udmabuf_create *create = arg;
	int fd, rc;

	if (create->flags & ~(uint32_t)UDMABUF_FLAGS_CLOEXEC || !create->size ||
	    create->size > limit || sim_page_offset(create->offset) ||
	    sim_page_offset(create->size))
		return -EINVAL;
	rc = check_memfd(create);
	if (rc)
		return rc;
	fd = sim_stand_in_make(SIM_DMABUF_NAME, create->size,
			       create->flags & UDMABUF_FLAGS_CLOEXEC);
	if (fd < 0)
		return fd;
	rc = copy_pages(fd, create);
	if (!rc)
		return fd;
	sim_libc()->close(fd);
	return rc;
}

/* dma_heap_ioctl_allocate(); the kernel would kill processes if it ran out of memory here */
static int allocate_from_heap(void *arg)
{
	const uint64_t page = sim_page_size();
	struct dma_heap_allocation_data *allocation = arg;
	uint64_t size = sim_round_up(allocation->len, page);
	int fd;

	if (allocation->fd || allocation->heap_flags ||
	    allocation->fd_flags & ~(uint32_t)DMA_HEAP_VALID_FD_FLAGS || !size)
		return -EINVAL;
	if (size / page > (uint64_t)sysconf(_SC_PHYS_PAGES))
		return -ENOMEM;
	fd = sim_stand_in_make(SIM_DMABUF_OF_HEAP, size, allocation->fd_flags & O_CLOEXEC);
	if (fd < 0)
		return fd;
	allocation->fd = (uint32_t)fd;
	return 0;
}

static const struct node {
	const char *path;
	const char *name; /* of the memfd that stands for the open node */
	unsigned long request;
	int (*handle)(void *arg);
} nodes[] = {
	{ "/dev/udmabuf", "mrctl-udmabuf", UDMABUF_CREATE, create_udmabuf },
	{ "/dev/dma_heap/system", "mrctl-heap", DMA_HEAP_IOCTL_ALLOC, allocate_from_heap },
};
#define NODES (sizeof(nodes) / sizeof(nodes[0]))

bool sim_dmabuf_node_open(const char *path, int flags, int *fd)
{
	size_t i;

	/* glibc declares that open() never gets NULL; this keeps the compiler from removing the test */
	__asm__("" : "+r"(path));
	if (!path || strncmp(path, "/dev/", 5) != 0)
		return false;
	for (i = 0; i < NODES; i++) {
		if (strcmp(path, nodes[i].path) != 0 || sim_wanted_kind() == MR_SIM_PROFILES)
			continue;
		*fd = sim_stand_in_make(nodes[i].name, 0, flags & O_CLOEXEC);
		return true;
	}
	return false;
}

bool sim_dmabuf_node_ioctl(int fd, unsigned long request, void *arg, int *answer)
{
	size_t i;

	for (i = 0; i < NODES; i++) {
		if (request != nodes[i].request || !sim_is_stand_in(fd, nodes[i].name))
			continue;
		*answer = arg ? nodes[i].handle(arg) : -EFAULT;
		return true;
	}
	return false;
}
