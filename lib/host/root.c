// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/cleanup.h"
#include "lib/host/recording.h"
#include "lib/host/root.h"

/* ---- opening and closing ---- */

int mr_host_open(struct mr_host *host, const char *root, const char *copy, struct mr_error *err)
{
	*host = (struct mr_host)MR_THIS_HOST;
	if (root) {
		host->recording = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (host->recording < 0)
			return mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", root);
	}
	if (copy) {
		int rc = mr_recording_create(copy, &host->copy, err);

		if (rc) {
			struct mr_error ignored;

			mr_host_close(host, &ignored);
			return rc;
		}
	}
	return 0;
}

int mr_host_close(struct mr_host *host, struct mr_error *err)
{
	int error = host->copy_error;

	if (host->recording >= 0)
		close(host->recording);
	if (host->copy >= 0)
		close(host->copy);
	*host = (struct mr_host)MR_THIS_HOST;
	return error ? mr_fail(err, MR_ERROR_HOST, -error, "write", "the recording is incomplete")
		     : 0;
}

/* ---- paths ---- */

/* The parts of sysfs that libibverbs looks for below $SYSFS_PATH. */
static const char *const moved[] = { "/sys/class/infiniband/", "/sys/class/infiniband_verbs/",
				     "/sys/module/ib_core/" };

/* Writes the path of a file of this machine.  Return: false where it does not fit. */
static bool find_path(const char *path, char *found, size_t size)
{
	const char *sysfs = getenv("SYSFS_PATH");
	int length = -1;

	for (size_t i = 0; sysfs && i < sizeof(moved) / sizeof(*moved); i++) {
		const size_t part = strlen(moved[i]) - 1;

		if (!strncmp(path, moved[i], part) && (path[part] == '/' || !path[part]))
			length = snprintf(found, size, "%s%s", sysfs, path + strlen("/sys"));
	}
	if (length < 0)
		length = snprintf(found, size, "%s", path);
	return length >= 0 && (size_t)length < size;
}

/* Sets @path to the absolute path that a caller gave. */
#define FORMAT_PATH(path, fmt)                                                                     \
	({                                                                                         \
		va_list ap_;                                                                       \
		int length_;                                                                       \
                                                                                                   \
		va_start(ap_, fmt);                                                                \
		length_ = vsnprintf(path, sizeof(path), fmt, ap_);                                 \
		va_end(ap_);                                                                       \
		length_ > 0 && (size_t)length_ < sizeof(path);                                     \
	})

static void note_copy(struct mr_host *host, int rc)
{
	if (rc && !host->copy_error)
		host->copy_error = rc;
}

/* Records that a file could not be read.  That there is none needs no record. */
static void copy_error(struct mr_host *host, const char *path, int error)
{
	if (host->copy >= 0 && error && error != -ENOENT && error != -ENOTDIR)
		note_copy(host, mr_recording_put_errno(host->copy, "error", path, error));
}

static void copy_text(struct mr_host *host, const char *kind, const char *path, const char *text,
		      size_t length)
{
	if (host->copy >= 0)
		note_copy(host, mr_recording_put(host->copy, kind, path, text, length));
}

/* ---- files ---- */

/*
 * Opens a file to read it.  A path may name a FIFO or a device, in a recording or where something else is
 * mounted over it: opening it must not wait, and it is not read.
 */
static int open_file(struct mr_host *host, const char *path)
{
	char found[PATH_MAX];
	struct stat st;
	int fd;

	if (!mr_host_is_live(host)) {
		fd = mr_recording_open(host->recording, NULL, path, O_RDONLY);
		if (fd == -ENOENT)
			fd = mr_recording_get_errno(host->recording, "error", path);
	} else {
		fd = !find_path(path, found, sizeof(found))
			     ? -ENAMETOOLONG
			     : open(found, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd == -1)
			fd = -errno;
	}
	if (fd >= 0 && (fstat(fd, &st) || !S_ISREG(st.st_mode))) {
		close(fd);
		fd = -EINVAL;
	}
	return fd;
}

static ssize_t read_path(struct mr_host *host, char *text, size_t size, const char *path)
{
	mr_auto_fd int fd = open_file(host, path);
	ssize_t got = fd;

	text[0] = '\0';
	if (fd >= 0)
		got = mr_recording_read(fd, text, size);
	if (got < 0)
		copy_error(host, path, (int)got);
	else
		copy_text(host, NULL, path, text, (size_t)got);
	return got;
}

ssize_t mr_host_read(struct mr_host *host, char *text, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];

	text[0] = '\0';
	return FORMAT_PATH(path, fmt) ? read_path(host, text, size, path) : -ENAMETOOLONG;
}

bool mr_host_line(struct mr_host *host, char *line, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];

	line[0] = '\0';
	if (!FORMAT_PATH(path, fmt) || read_path(host, line, size, path) < 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return line[0];
}

bool mr_host_number(struct mr_host *host, uint64_t *value, const char *fmt, ...)
{
	char path[PATH_MAX], text[64];
	const char *digits = text;
	char *end;

	if (!FORMAT_PATH(path, fmt) || read_path(host, text, sizeof(text), path) < 0)
		return false;
	digits += strspn(digits, " \t");
	if (*digits < '0' || *digits > '9')
		return false;
	errno = 0;
	*value = strtoull(digits, &end, digits[0] == '0' && digits[1] == 'x' ? 16 : 10);
	return !errno && end != digits;
}

int mr_host_lines(struct mr_host *host, const char *path,
		  bool (*take)(const char *line, void *data), void *data)
{
	mr_auto_fd int fd = open_file(host, path);
	mr_auto_file FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	mr_auto_free char *kept = NULL;
	size_t used = 0;
	char line[4096];
	bool begins = true;

	if (!file) {
		copy_error(host, path, fd < 0 ? fd : -errno);
		return fd < 0 ? fd : -ENOMEM;
	}
	mr_steal_fd(&fd);
	while (fgets(line, sizeof(line), file)) {
		const size_t length = strlen(line);
		const bool ends = length && line[length - 1] == '\n';
		const bool is_line = begins; /* not the rest of one that was too long */

		begins = ends;
		line[length - ends] = '\0';
		if (!is_line || !take(line, data) || host->copy < 0)
			continue;
		note_copy(host, mr_recording_append(&kept, &used, line));
	}
	if (ferror(file)) {
		copy_error(host, path, -EIO);
		return -EIO;
	}
	copy_text(host, NULL, path, kept ? kept : "", used);
	return 0;
}

/* ---- folders, links, devices ---- */

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_shown(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Reads the names of a folder that is open, sorted. */
static int list_folder(struct mr_host *host, const char *path, int fd,
		       void (*take)(const char *name, void *data), void *data)
{
	struct dirent **entries;
	mr_auto_free char *names = NULL;
	size_t used = 0;
	int count = scandirat(fd, ".", &entries, is_shown, compare_names);

	if (count < 0)
		return -errno;
	for (int i = 0; i < count; i++) {
		take(entries[i]->d_name, data);
		if (host->copy >= 0)
			note_copy(host, mr_recording_append(&names, &used, entries[i]->d_name));
		free(entries[i]);
	}
	free(entries);
	copy_text(host, "list", path, names ? names : "", used);
	return count;
}

int mr_host_list(struct mr_host *host, void (*take)(const char *name, void *data), void *data,
		 const char *fmt, ...)
{
	char path[PATH_MAX], found[PATH_MAX];
	mr_auto_fd int fd = -1;
	int rc;

	if (!FORMAT_PATH(path, fmt))
		return -ENAMETOOLONG;
	if (!mr_host_is_live(host)) {
		rc = mr_recording_list(host->recording, path, take, data);
		if (rc != -ENOENT)
			return rc;
		fd = mr_recording_open(host->recording, NULL, path, O_RDONLY | O_DIRECTORY);
		if (fd == -ENOENT)
			return mr_recording_get_errno(host->recording, "error", path);
		return fd < 0 ? fd : list_folder(host, path, fd, take, data);
	}
	if (!find_path(path, found, sizeof(found)))
		return -ENAMETOOLONG;
	fd = open(found, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	rc = fd < 0 ? -errno : list_folder(host, path, fd, take, data);
	if (rc < 0)
		copy_error(host, path, rc);
	return rc;
}

bool mr_host_exists(struct mr_host *host, const char *fmt, ...)
{
	struct mr_host_status status;
	char path[PATH_MAX];

	return FORMAT_PATH(path, fmt) && !mr_host_stat(host, &status, "%s", path);
}

bool mr_host_link(struct mr_host *host, char *target, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], found[PATH_MAX];
	ssize_t got;

	target[0] = '\0';
	if (!FORMAT_PATH(path, fmt))
		return false;
	if (!mr_host_is_live(host))
		return mr_recording_get(host->recording, "link", path, target, size) > 0;
	got = find_path(path, found, sizeof(found)) ? readlink(found, target, size) : -1;
	if (got < 0 || (size_t)got >= size) {
		target[0] = '\0';
		return false;
	}
	target[got] = '\0';
	copy_text(host, "link", path, target, (size_t)got);
	return true;
}

int mr_host_stat(struct mr_host *host, struct mr_host_status *status, const char *fmt, ...)
{
	char path[PATH_MAX], found[PATH_MAX], text[128];
	struct stat st;
	int rc;

	*status = (struct mr_host_status){ 0 };
	if (!FORMAT_PATH(path, fmt))
		return -ENAMETOOLONG;
	if (!mr_host_is_live(host)) {
		if (mr_recording_get(host->recording, "stat", path, text, sizeof(text)) > 0 &&
		    sscanf(text,
			   "mode=%" SCNo32 " uid=%" SCNu32 " gid=%" SCNu32 " device=%" SCNu32
			   ":%" SCNu32,
			   &status->mode, &status->uid, &status->gid, &status->major,
			   &status->minor) == 5)
			return 0;
		return mr_recording_stat(host->recording, path, &status->mode);
	}
	if (!find_path(path, found, sizeof(found)))
		return -ENAMETOOLONG;
	if (stat(found, &st)) {
		rc = -errno;
		copy_error(host, path, rc);
		return rc;
	}
	*status = (struct mr_host_status){ st.st_mode, st.st_uid, st.st_gid, major(st.st_rdev),
					   minor(st.st_rdev) };
	rc = snprintf(text, sizeof(text), "mode=%o uid=%u gid=%u device=%u:%u", st.st_mode,
		      st.st_uid, st.st_gid, status->major, status->minor);
	copy_text(host, "stat", path, text, (size_t)rc);
	return 0;
}

int mr_host_open_device(struct mr_host *host, const char *fmt, ...)
{
	char path[PATH_MAX], text[32];
	int fd, error;

	if (!FORMAT_PATH(path, fmt))
		return -ENAMETOOLONG;
	if (!mr_host_is_live(host)) {
		if (mr_recording_get(host->recording, "open", path, text, sizeof(text)) > 0 &&
		    !strcmp(text, "ok"))
			return 0;
		return mr_recording_get_errno(host->recording, "open", path);
	}
	fd = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	error = fd < 0 ? -errno : 0;
	if (fd >= 0)
		close(fd);
	if (host->copy >= 0)
		note_copy(host, mr_recording_put_errno(host->copy, "open", path, error));
	return error;
}

/* ---- answers of calls ---- */

int mr_host_ask(struct mr_host *host, const char *name,
		int (*answer)(void *data, char *text, size_t size), void *data, char *text,
		size_t size)
{
	char path[PATH_MAX];
	int rc;

	text[0] = '\0';
	if ((size_t)snprintf(path, sizeof(path), "/%s", name) >= sizeof(path))
		return -ENAMETOOLONG;
	if (!mr_host_is_live(host)) {
		rc = (int)mr_recording_get(host->recording, "ask", path, text, size);
		return rc >= 0 ? 0 : mr_recording_get_errno(host->recording, "error", path);
	}
	rc = answer(data, text, size);
	if (rc)
		copy_error(host, path, rc);
	else
		copy_text(host, "ask", path, text, strlen(text));
	return rc;
}
