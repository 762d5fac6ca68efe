// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/cleanup.h"
#include "lib/host/recording.h"

/* ---- paths ---- */

/* Writes the path below the folder.  Return: false where it does not fit, or leads upwards. */
static bool write_path(const char *kind, const char *path, char *below, size_t size)
{
	int length = kind ? snprintf(below, size, "calls/%s%s", kind, path)
			  : snprintf(below, size, "%s", path + strspn(path, "/"));

	if (length < 0 || (size_t)length >= size)
		return false;
	for (const char *part = below; part; part = strchr(part, '/')) {
		part += *part == '/';
		if (!strncmp(part, "..", 2) && (part[2] == '/' || !part[2]))
			return false;
	}
	return true;
}

/* Kernels before 5.6, and old sandboxes, have no openat2(). */
static int open_below(int folder, const char *path, int flags)
{
	struct open_how how = { .flags = (unsigned int)(flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY),
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	int fd = (int)syscall(SYS_openat2, folder, path, &how, sizeof(how));

	if (fd < 0 && (errno == ENOSYS || errno == EPERM))
		fd = openat(folder, path, (int)how.flags | O_NOFOLLOW);
	return fd < 0 ? -errno : fd;
}

int mr_recording_open(int folder, const char *kind, const char *path, int flags)
{
	char below[PATH_MAX];

	if (!write_path(kind, path, below, sizeof(below)))
		return -ENOENT;
	return open_below(folder, below[0] ? below : ".", flags);
}

/* ---- reading ---- */

ssize_t mr_recording_read(int fd, char *text, size_t size)
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

ssize_t mr_recording_get(int folder, const char *kind, const char *path, char *text, size_t size)
{
	mr_auto_fd int fd = mr_recording_open(folder, kind, path, O_RDONLY);
	ssize_t got = fd;

	text[0] = '\0';
	if (fd >= 0)
		got = mr_recording_read(fd, text, size);
	if (got > 0 && text[got - 1] == '\n')
		text[--got] = '\0';
	return got;
}

int mr_recording_get_errno(int folder, const char *kind, const char *path)
{
	char name[32];
	int error = 0;

	if (mr_recording_get(folder, kind, path, name, sizeof(name)) > 0)
		error = mr_errno_parse(name, strlen(name));
	return error ? -error : -ENOENT;
}

int mr_recording_list(int folder, const char *path, void (*take)(const char *name, void *data),
		      void *data)
{
	mr_auto_fd int fd = mr_recording_open(folder, "list", path, O_RDONLY);
	mr_auto_file FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	char name[NAME_MAX + 2];
	int count = 0;

	if (!file)
		return fd < 0 ? fd : -errno;
	mr_steal_fd(&fd);
	while (fgets(name, sizeof(name), file)) {
		name[strcspn(name, "\n")] = '\0';
		if (!name[0] || name[0] == '.' || strchr(name, '/'))
			continue;
		take(name, data);
		count++;
	}
	return count;
}

int mr_recording_stat(int folder, const char *path, uint32_t *mode)
{
	mr_auto_fd int fd = mr_recording_open(folder, NULL, path, O_PATH);
	struct stat st;

	if (fd < 0)
		return mr_recording_get_errno(folder, "error", path);
	if (fstat(fd, &st))
		return -errno;
	*mode = st.st_mode;
	return 0;
}

/* ---- writing ---- */

int mr_recording_create(const char *folder, int *fd, struct mr_error *err)
{
	if (mkdir(folder, 0755) && errno != EEXIST)
		return mr_fail(err, MR_ERROR_HOST, errno, "mkdir", "%s", folder);
	*fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", folder);
	if (!rmdir(folder)) { /* it is empty: make it again */
		close(*fd);
		*fd = mkdir(folder, 0755) ? -1 : open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		return *fd < 0 ? mr_fail(err, MR_ERROR_HOST, errno, "mkdir", "%s", folder) : 0;
	}
	close(*fd);
	*fd = -1;
	return mr_fail_text(err, MR_ERROR_HOST, EEXIST,
			    "%s is not empty: a recording needs a folder of its own", folder);
}

static int make_folders(int folder, char *path)
{
	for (char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdirat(folder, path, 0755) && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

int mr_recording_put(int folder, const char *kind, const char *path, const char *text,
		     size_t length)
{
	char below[PATH_MAX];
	mr_auto_fd int fd = -1;
	int rc;

	if (!write_path(kind, path, below, sizeof(below)))
		return 0; /* no recording can have it */
	rc = make_folders(folder, below);
	if (rc)
		return rc;
	fd = openat(folder, below, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	while (length) {
		ssize_t done = write(fd, text, length);

		if (done < 0 && errno != EINTR)
			return -errno;
		text += done > 0 ? done : 0;
		length -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

int mr_recording_put_errno(int folder, const char *kind, const char *path, int error)
{
	const char *name = error ? mr_errno_name(-error) : "ok";

	return name ? mr_recording_put(folder, kind, path, name, strlen(name)) : 0;
}

int mr_recording_append(char **text, size_t *used, const char *line)
{
	const size_t length = strlen(line);
	char *grown = realloc(*text, *used + length + 2);

	if (!grown)
		return -ENOMEM;
	memcpy(grown + *used, line, length);
	grown[*used + length] = '\n';
	*text = grown;
	*used += length + 1;
	return 0;
}
