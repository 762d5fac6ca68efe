// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dma-bufs: umem_dmabuf.c, and what makes them: udmabuf.c, dma-heap.c, heaps/system_heap.c.
 *
 * A real one is known by what the kernel says of it in fdinfo.  In their place memfds of a certain
 * name serve, and the nodes that make them are memfds of other names: so each of them is what it
 * is in whatever process it comes to.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "lib/base/memfd.h"
#include "lib/sim/base/environment.h"
#include "lib/sim/base/libc.h"
#include "lib/sim/base/pages.h"
#include "lib/sim/memory/dmabuf.h"

#define FROM_HEAP SIM_DMABUF_NAME "-heap"
#define OF_DEVICE SIM_DMABUF_NAME "-device" /* begins with what it is of */

/* Whether it is a memfd whose name begins so. */
static bool is_memfd(int fd, const char *name)
{
	char path[64], target[64], wanted[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	snprintf(wanted, sizeof(wanted), "/memfd:%s", name);
	return !strncmp(target, wanted, strlen(wanted));
}

/* A heap's pages are contiguous as far as can be said, and the device's; those of a udmabuf are not. */
static bool is_stand_in(int fd, uint64_t *size, struct sim_dmabuf *dmabuf)
{
	const bool is_of_device = is_memfd(fd, OF_DEVICE);
	struct stat st;

	if (!is_memfd(fd, SIM_DMABUF_NAME) || sim_libc()->fstat(fd, &st))
		return false;
	*size = (uint64_t)st.st_size;
	dmabuf->scattered = !is_of_device && !is_memfd(fd, FROM_HEAP);
	return !is_of_device ||
	       pread(fd, &dmabuf->export, sizeof(dmabuf->export), 0) == sizeof(dmabuf->export);
}

/* dma_buf_show_fdinfo() */
static bool is_real(int fd, uint64_t *size, struct sim_dmabuf *dmabuf)
{
	char path[64], text[1024];
	const char *exporter, *line;
	ssize_t length;
	int info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = sim_libc()->open(path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return false;
	length = read(info, text, sizeof(text) - 1);
	sim_libc()->close(info);
	text[length > 0 ? length : 0] = '\0';
	exporter = strstr(text, "\nexp_name:\t");
	line = strstr(text, "\nsize:\t");
	if (!exporter || !line)
		return false;
	*size = strtoull(line + strlen("\nsize:\t"), NULL, 10);
	dmabuf->scattered = strstr(exporter, "udmabuf") != NULL;
	return true;
}

int sim_dmabuf_get(int fd, uint64_t offset, uint64_t length, struct sim_dmabuf *dmabuf)
{
	uint64_t end, size;

	*dmabuf = (struct sim_dmabuf){ 0 };
	if (__builtin_add_overflow(offset, length, &end))
		return -EINVAL;
	if (sim_libc()->fcntl(fd, F_GETFD) < 0)
		return -EBADF;
	if (!is_stand_in(fd, &size, dmabuf) && !is_real(fd, &size, dmabuf))
		return -EINVAL;
	return length && end <= size ? 0 : -EINVAL;
}

/* ---- what makes them ------------------------------------------------------------------------ */

static int make_udmabuf(void *arg);
static int allocate_from_heap(void *arg);

static const struct maker {
	const char *path;
	const char *name; /* of the memfd that is its descriptor */
	unsigned long request;
	int (*handle)(void *arg);
} makers[] = {
	{ "/dev/udmabuf", "mrctl-udmabuf", UDMABUF_CREATE, make_udmabuf },
	{ "/dev/dma_heap/system", "mrctl-heap", DMA_HEAP_IOCTL_ALLOC, allocate_from_heap },
};
#define MAKERS (sizeof(makers) / sizeof(makers[0]))

static int make(const char *name, uint64_t size, bool on_exec_close)
{
	int fd = mr_memfd_create(name, on_exec_close ? MFD_CLOEXEC : 0), rc;

	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, (off_t)size))
		return fd;
	rc = errno == EFBIG || errno == EINVAL ? -ENOMEM : -errno;
	sim_libc()->close(fd);
	return rc;
}

int sim_dmabuf_export(const struct sim_export *export, uint64_t size)
{
	int fd, rc;

	fd = make(OF_DEVICE, size, true);
	if (fd < 0)
		return fd;
	if (pwrite(fd, export, sizeof(*export), 0) == sizeof(*export))
		return fd;
	rc = -errno;
	sim_libc()->close(fd);
	return rc;
}

/* udmabuf.c check_memfd_seals(), and its pinning of pages behind the end */
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

/* The kernel shares the pages.  Here they are copied: no device writes to them. */
static int copy(int to, const struct udmabuf_create *create)
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
static int make_udmabuf(void *arg)
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
	fd = make(SIM_DMABUF_NAME, create->size, create->flags & UDMABUF_FLAGS_CLOEXEC);
	if (fd < 0)
		return fd;
	rc = copy(fd, create);
	if (!rc)
		return fd;
	sim_libc()->close(fd);
	return rc;
}

/* dma_heap_ioctl_allocate(); the kernel would kill processes for more than the machine has */
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
	fd = make(FROM_HEAP, size, allocation->fd_flags & O_CLOEXEC);
	if (fd < 0)
		return fd;
	allocation->fd = (uint32_t)fd;
	return 0;
}

bool sim_dmabuf_open(const char *path, int flags, int *fd)
{
	size_t i;

	__asm__("" : "+r"(path)); /* open() is declared never to be given NULL */
	if (!path || strncmp(path, "/dev/", 5) != 0)
		return false;
	for (i = 0; i < MAKERS; i++) {
		if (strcmp(path, makers[i].path) != 0 || sim_wanted_kind() == MR_SIM_PROFILES)
			continue;
		*fd = make(makers[i].name, 0, flags & O_CLOEXEC);
		return true;
	}
	return false;
}

bool sim_dmabuf_ioctl(int fd, unsigned long request, void *arg, int *answer)
{
	size_t i;

	for (i = 0; i < MAKERS; i++) {
		if (request != makers[i].request || !is_memfd(fd, makers[i].name))
			continue;
		*answer = arg ? makers[i].handle(arg) : -EFAULT;
		return true;
	}
	return false;
}
