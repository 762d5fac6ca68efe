// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/live.h"

/* The parts of sysfs that libibverbs looks for below $SYSFS_PATH. */
static const char *const moved[] = { "/sys/class/infiniband", "/sys/class/infiniband_verbs",
				     "/sys/module/ib_core" };

/* The folder that $SYSFS_PATH of the process names.  Return: whether it is set, as far as is known. */
static bool find_sysfs(struct mr_viewer viewer, char sysfs[PATH_MAX])
{
	const char *own = getenv("SYSFS_PATH");

	if (viewer.process)
		return mr_process_variable(viewer.process, "SYSFS_PATH", sysfs, PATH_MAX) > 0;
	snprintf(sysfs, PATH_MAX, "%s", own ? own : "");
	return own;
}

/* Writes the path where libibverbs of the process looks for a file.  Return: 0 or -ENAMETOOLONG. */
static int find_moved(struct mr_viewer viewer, const char *path, char found[PATH_MAX])
{
	const char *below = NULL;
	char sysfs[PATH_MAX];

	for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		const size_t part = strlen(moved[i]);

		if (!strncmp(path, moved[i], part) && (path[part] == '/' || !path[part]))
			below = path + strlen("/sys");
	}
	if (!below || !find_sysfs(viewer, sysfs)) {
		sysfs[0] = '\0';
		below = path;
	}
	return snprintf(found, PATH_MAX, "%s%s", sysfs, below) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

int mr_live_path(struct mr_viewer viewer, const char *path, char found[PATH_MAX])
{
	char seen[PATH_MAX];
	const int rc = find_moved(viewer, path, viewer.process ? seen : found);

	return rc || !viewer.process ? rc : mr_seen_by(viewer, seen, found);
}

/* Opening must not wait, where something else is mounted over the file, or $SYSFS_PATH has a FIFO. */
int mr_live_open(struct mr_viewer viewer, const char *path)
{
	char found[PATH_MAX];
	mr_auto_fd int fd = -1;
	struct stat st;
	int rc;

	rc = mr_live_path(viewer, path, found);
	if (rc)
		return rc;
	fd = open(found, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	return mr_steal_fd(&fd);
}

int mr_live_list(struct mr_viewer viewer, const char *path, struct mr_names *names)
{
	char found[PATH_MAX];
	int rc;

	rc = mr_live_path(viewer, path, found);
	if (rc)
		return rc;
	return mr_names_read(names, open(found, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

int mr_live_link(struct mr_viewer viewer, const char *path, char target[PATH_MAX])
{
	char found[PATH_MAX];
	ssize_t got;
	int rc;

	target[0] = '\0';
	rc = mr_live_path(viewer, path, found);
	if (rc)
		return rc;
	got = readlink(found, target, PATH_MAX);
	if (got < 0 || got == PATH_MAX) {
		target[0] = '\0';
		return got < 0 ? -errno : -ENAMETOOLONG;
	}
	target[got] = '\0';
	return 0;
}

int mr_live_stat(struct mr_viewer viewer, const char *path, struct stat *st)
{
	char found[PATH_MAX];
	int rc;

	rc = mr_live_path(viewer, path, found);
	if (rc)
		return rc;
	return stat(found, st) ? -errno : 0;
}

int mr_live_open_device(struct mr_viewer viewer, const char *path)
{
	mr_auto_fd int fd = -1;

	if (viewer.process)
		return -ENODATA;
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	return fd < 0 ? -errno : 0;
}
