// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/recording.h"

/* Bytes of a list of names that are read: as many as a folder with a million short ones has. */
#define LIST_MAX (UINT64_C(16) << 20)

/* ---- finding ---- */

int mr_recording_name(char below[PATH_MAX], const char *path, const char *kind, bool failed)
{
	const int length =
		kind ? snprintf(below, PATH_MAX, "calls%s.%s%s", path, kind, failed ? ".error" : "")
		     : snprintf(below, PATH_MAX, "%s", path[1] ? path + 1 : ".");

	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* It goes folder by folder: openat2() would be shorter, but old kernels and sandboxes lack it. */
int mr_recording_parent(int folder, const char *below, bool make, const char **last)
{
	mr_auto_fd int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	char name[NAME_MAX + 1];
	const char *slash;
	int next;

	*last = below;
	for (; fd >= 0 && (slash = strchr(below, '/')); below = slash + 1) {
		const size_t length = (size_t)(slash - below);

		if (length >= sizeof(name))
			return -ENAMETOOLONG;
		memcpy(name, below, length);
		name[length] = '\0';
		if (make && mkdirat(fd, name, 0755) && errno != EEXIST)
			return -errno;
		next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close(fd);
		fd = next;
	}
	*last = below;
	return fd < 0 ? -errno : mr_steal_fd(&fd);
}

static int find_status(int folder, const char *below, struct stat *st)
{
	const char *last;
	mr_auto_fd int parent = mr_recording_parent(folder, below, false, &last);

	if (parent < 0)
		return parent;
	return fstatat(parent, last, st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
}

/* A FIFO would make opening wait, and a device may do anything when it is opened. */
static int open_file(int folder, const char *below)
{
	const char *last;
	mr_auto_fd int parent = mr_recording_parent(folder, below, false, &last);
	struct stat st;
	int fd;

	if (parent < 0)
		return parent;
	if (fstatat(parent, last, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	fd = openat(parent, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* ---- reading ---- */

ssize_t mr_recording_read_fd(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t got;

	do {
		got = read(fd, text + used, size - 1 - used);
		used += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && used < size - 1) || (got < 0 && errno == EINTR));
	text[got < 0 ? 0 : used] = '\0';
	return got < 0 ? -errno : (ssize_t)used;
}

int mr_recording_open(int folder, const char *path)
{
	char below[PATH_MAX];
	const int rc = mr_recording_name(below, path, NULL, false);

	return rc ? rc : open_file(folder, below);
}

/* Return: bytes, or -errno; -ENOENT where nothing was recorded. */
static ssize_t read_call(int folder, const char *path, const char *kind, bool failed, char *text,
			 size_t size)
{
	char below[PATH_MAX];
	const int rc = mr_recording_name(below, path, kind, failed);
	mr_auto_fd int fd = rc ? rc : open_file(folder, below);

	text[0] = '\0';
	if (fd < 0)
		return fd == -ENOTDIR ? -ENOENT : fd;
	return mr_recording_read_fd(fd, text, size);
}

int mr_recording_error(int folder, const char *kind, const char *path)
{
	char name[32];
	const ssize_t got = read_call(folder, path, kind, true, name, sizeof(name));
	int error;

	if (got < 0)
		return got == -ENOENT ? 0 : (int)got;
	error = mr_errno_parse(name, strcspn(name, "\n"));
	return error ? -error : -EIO;
}

ssize_t mr_recording_get(int folder, const char *kind, const char *path, char *text, size_t size)
{
	const int error = mr_recording_error(folder, kind, path);
	ssize_t got;

	text[0] = '\0';
	if (error)
		return error;
	got = read_call(folder, path, kind, false, text, size);
	if (got > 0 && text[got - 1] == '\n')
		text[--got] = '\0';
	return got;
}

/* ---- folders ---- */

static int split_names(char *text, struct mr_names *names)
{
	char *rest = text, *name;
	int rc = 0;

	while (!rc && (name = strsep(&rest, "\n")))
		if (mr_name_is_shown(name))
			rc = mr_names_add(names, name);
	return rc;
}

/* Return: 0; or -errno, -ENOENT where nothing was recorded. */
static int read_names(int folder, const char *path, struct mr_names *names)
{
	char *text = malloc(LIST_MAX);
	ssize_t got;
	int rc;

	if (!text)
		return -ENOMEM;
	got = mr_recording_get(folder, "list", path, text, LIST_MAX);
	rc = got < 0 ? (int)got : split_names(text, names);
	free(text);
	return rc;
}

int mr_recording_list(int folder, const char *path, struct mr_names *names)
{
	char below[PATH_MAX];
	const char *last;
	mr_auto_fd int parent = -1;
	int rc = read_names(folder, path, names);

	if (rc != -ENOENT)
		return rc;
	rc = mr_recording_name(below, path, NULL, false);
	if (rc)
		return rc;
	parent = mr_recording_parent(folder, below, false, &last);
	if (parent < 0)
		return parent;
	return mr_names_read(names,
			     openat(parent, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int mr_recording_mode(int folder, const char *path, uint32_t *mode)
{
	char below[PATH_MAX];
	struct stat st;
	int rc = mr_recording_name(below, path, NULL, false);

	if (!rc)
		rc = find_status(folder, below, &st);
	if (!rc && S_ISLNK(st.st_mode))
		rc = -ELOOP;
	if (!rc)
		*mode = st.st_mode;
	return rc;
}

/* ---- writing ---- */

static int write_whole(int fd, const char *text, size_t length)
{
	while (length) {
		const ssize_t done = write(fd, text, length);

		if (done < 0 && errno != EINTR)
			return -errno;
		text += done > 0 ? done : 0;
		length -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

/* Some file systems report a full disk by close() only. */
int mr_recording_write(int folder, const char *below, const char *text, size_t length,
		       const char *end)
{
	const char *last;
	mr_auto_fd int parent = mr_recording_parent(folder, below, true, &last);
	int fd, rc;

	if (parent < 0)
		return parent;
	fd = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	rc = write_whole(fd, text, length);
	if (!rc)
		rc = write_whole(fd, end, strlen(end));
	if (close(fd) && !rc)
		rc = -errno;
	if (rc)
		unlinkat(parent, last, 0);
	return rc;
}
