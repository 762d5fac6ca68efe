// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The file of a table: parts of it are allocated and mapped. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/state/state.h"

int sim_reopen(int fd, int flags)
{
	char path[64];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = sim_libc()->open(path, flags | O_CLOEXEC);
	if (own >= 0)
		return own;
	/* /proc is missing; the program would take ENOENT for a missing device */
	return errno == ENOENT ? -EIO : -errno;
}

void *sim_table_mmap(int fd, void *addr, size_t length, int prot, int flags, off_t start)
{
	int own = sim_reopen(fd, O_RDWR), saved;
	void *address;

	if (own < 0) {
		errno = -own;
		return MAP_FAILED;
	}
	address = sim_libc()->mmap(addr, length, prot, flags, own, start);
	saved = errno;
	sim_libc()->close(own);
	errno = saved;
	return address;
}

int sim_table_map_part(int fd, size_t start, size_t length, void **address)
{
	*address =
		sim_table_mmap(fd, NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, (off_t)start);
	return *address == MAP_FAILED ? -errno : 0;
}

int sim_table_allocate(int fd, off_t start, size_t length)
{
	int own = sim_reopen(fd, O_RDWR), rc;

	if (own < 0)
		return own;
	rc = fallocate(own, 0, start, (off_t)length) ? -ENOMEM : 0;
	sim_libc()->close(own);
	return rc;
}
