// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "lib/base/cleanup.h"
#include "lib/base/memfd.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

int mr_memfd_create(const char *name, unsigned int flags)
{
	int fd = memfd_create(name, flags | MFD_NOEXEC_SEAL);

	return fd < 0 && errno == EINVAL ? memfd_create(name, flags) : fd;
}

bool mr_overlay_has_tmpfs(const char *path)
{
	mr_auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct fiemap extents = { .fm_length = 1 };
	unsigned int flags;

	return fd >= 0 && !ioctl(fd, FS_IOC_GETFLAGS, &flags) &&
	       ioctl(fd, FS_IOC_FIEMAP, &extents) && errno == EOPNOTSUPP;
}
