// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/cleanup.h"
#include "lib/host/live.h"

/* The parts of sysfs that libibverbs looks for below $SYSFS_PATH. */
static const char *const moved[] = { "/sys/class/infiniband", "/sys/class/infiniband_verbs",
				     "/sys/module/ib_core" };

/* Writes the path where a file really is.  Return: 0 or -ENAMETOOLONG. */
static int find_path(const char *path, char found[PATH_MAX])
{
	const char *sysfs = getenv("SYSFS_PATH");
	const char *below = path;

	for (size_t i = 0; sysfs && i < sizeof(moved) / sizeof(*moved); i++) {
		const size_t part = strlen(moved[i]);

		if (!strncmp(path, moved[i], part) && (path[part] == '/' || !path[part]))
			below = path + strlen("/sys");
	}
	return snprintf(found, PATH_MAX, "%s%s", below == path ? "" : sysfs, below) < PATH_MAX
		       ? 0
		       : -ENAMETOOLONG;
}

/* Opening must not wait, where something else is mounted over the file, or $SYSFS_PATH has a FIFO. */
int mr_live_open(const char *path)
{
	char found[PATH_MAX];
	mr_auto_fd int fd = -1;
	struct stat st;

	if (find_path(path, found))
		return -ENAMETOOLONG;
	fd = open(found, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	return mr_steal_fd(&fd);
}

int mr_live_list(const char *path, struct mr_names *names)
{
	char found[PATH_MAX];

	if (find_path(path, found))
		return -ENAMETOOLONG;
	return mr_names_read(names, open(found, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

int mr_live_link(const char *path, char target[PATH_MAX])
{
	char found[PATH_MAX];
	ssize_t got;

	target[0] = '\0';
	if (find_path(path, found))
		return -ENAMETOOLONG;
	got = readlink(found, target, PATH_MAX);
	if (got < 0 || got == PATH_MAX) {
		target[0] = '\0';
		return got < 0 ? -errno : -ENAMETOOLONG;
	}
	target[got] = '\0';
	return 0;
}

int mr_live_stat(const char *path, struct stat *st)
{
	char found[PATH_MAX];

	if (find_path(path, found))
		return -ENAMETOOLONG;
	return stat(found, st) ? -errno : 0;
}

int mr_live_open_device(const char *path)
{
	mr_auto_fd int fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	return fd < 0 ? -errno : 0;
}
