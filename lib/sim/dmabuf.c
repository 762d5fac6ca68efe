// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * dma-bufs: umem_dmabuf.c.  A real one is known by what the kernel says of
 * it in fdinfo.  Machines without a maker of dma-bufs have memfds of a certain name instead.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sim.h"

static bool is_stand_in(int fd, uint64_t *size)
{
	static const char name[] = "/memfd:" SIM_DMABUF_NAME;
	char path[64], target[sizeof(name)];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (readlink(path, target, sizeof(target)) < (ssize_t)strlen(name) ||
	    memcmp(target, name, strlen(name)) != 0 || sim_libc()->fstat(fd, &st))
		return false;
	*size = (uint64_t)st.st_size;
	return true;
}

/* dma_buf_show_fdinfo() */
static bool is_real(int fd, uint64_t *size, bool *scattered)
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
	*scattered = strstr(exporter, "udmabuf") != NULL;
	return true;
}

int sim_dmabuf_get(int fd, uint64_t offset, uint64_t length, bool *scattered)
{
	uint64_t end, size;

	if (__builtin_add_overflow(offset, length, &end))
		return -EINVAL;
	if (sim_libc()->fcntl(fd, F_GETFD) < 0)
		return -EBADF;
	*scattered = true;
	if (!is_stand_in(fd, &size) && !is_real(fd, &size, scattered))
		return -EINVAL;
	return length && end <= size ? 0 : -EINVAL;
}
