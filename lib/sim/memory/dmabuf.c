// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dma-bufs that are registered: umem_dmabuf.c.
 *
 * A real dma-buf is recognized by its fdinfo.  The simulator's own dma-bufs are memfds, called stand-ins,
 * whose names begin with SIM_DMABUF_NAME.  Every process that gets such a descriptor can read its name.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/sim/base/libc.h"
#include "lib/sim/memory/dmabuf.h"

/* A dma-buf of the device's pages; its first bytes are a struct sim_export. */
#define OF_DEVICE SIM_DMABUF_NAME "-device"

bool sim_is_stand_in(int fd, const char *name)
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

/* Pages of a heap and of the device are taken as contiguous, those of a udmabuf as scattered. */
static bool describe_stand_in(int fd, uint64_t *size, struct sim_dmabuf *dmabuf)
{
	const bool is_of_device = sim_is_stand_in(fd, OF_DEVICE);
	struct stat st;

	if (!sim_is_stand_in(fd, SIM_DMABUF_NAME) || sim_libc()->fstat(fd, &st))
		return false;
	*size = (uint64_t)st.st_size;
	dmabuf->scattered = !is_of_device && !sim_is_stand_in(fd, SIM_DMABUF_OF_HEAP);
	return !is_of_device ||
	       pread(fd, &dmabuf->export, sizeof(dmabuf->export), 0) == sizeof(dmabuf->export);
}

/* dma_buf_show_fdinfo() */
static bool describe_real(int fd, uint64_t *size, struct sim_dmabuf *dmabuf)
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
	int flags;

	*dmabuf = (struct sim_dmabuf){ 0 };
	if (__builtin_add_overflow(offset, length, &end))
		return -EINVAL;
	flags = sim_libc()->fcntl(fd, F_GETFL);
	if (flags < 0 || flags & O_PATH) /* fget() */
		return -EBADF;
	if (!describe_stand_in(fd, &size, dmabuf) && !describe_real(fd, &size, dmabuf))
		return -EINVAL;
	return length && end <= size ? 0 : -EINVAL;
}

int sim_stand_in_make(const char *name, uint64_t size, bool cloexec)
{
	int fd = mr_memfd_create(name, cloexec ? MFD_CLOEXEC : 0), rc;

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

	fd = sim_stand_in_make(OF_DEVICE, size, true);
	if (fd < 0)
		return fd;
	if (pwrite(fd, export, sizeof(*export), 0) == sizeof(*export))
		return fd;
	rc = -errno;
	sim_libc()->close(fd);
	return rc;
}
