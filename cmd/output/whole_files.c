// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/output.h"
#include "lib/base/base.h"

/* Links that the kernel itself has made for descriptors of this process: a shell's >(...) is one. */
static const char *const own_links[] = { "/dev/fd/", "/dev/stdout", "/dev/stderr",
					 "/proc/self/fd/" };

/* O_NOFOLLOW; 0 for a link to a descriptor of this process. */
static int private_file_link_flag(const char *path)
{
	for (size_t i = 0; i < sizeof(own_links) / sizeof(*own_links); i++)
		if (!strncmp(path, own_links[i], strlen(own_links[i])))
			return 0;
	return O_NOFOLLOW;
}

static int fail_open(const char *path, int errnum, struct mr_error *err)
{
	mr_fail(err, MR_ERROR_HOST, errnum, "open", "%s", path);
	if (errnum == ELOOP)
		mr_hint(err, "it is a symbolic link, and mrctl does not follow it");
	return -errnum;
}

/* Makes a stream of a descriptor that is to be written.  Return: NULL with MR_ERROR_HOST. */
static FILE *open_stream(int *fd, const char *path, struct mr_error *err)
{
	FILE *stream = fdopen(*fd, "w");

	if (stream)
		mr_steal_fd(fd);
	else
		mr_fail(err, MR_ERROR_HOST, errno, "fdopen", "%s", path);
	return stream;
}

static int make_private(int fd, const char *path, struct mr_error *err)
{
	struct stat st;

	if (fstat(fd, &st))
		return mr_fail(err, MR_ERROR_HOST, errno, "fstat", "%s", path);
	if (!S_ISREG(st.st_mode))
		return 0;
	if (st.st_uid != geteuid())
		return mr_fail_text(err, MR_ERROR_USAGE, EPERM,
				    "%s belongs to another user, who could then read the output",
				    path);
	if (fchmod(fd, 0600))
		return mr_fail(err, MR_ERROR_HOST, errno, "fchmod", "%s", path);
	if (ftruncate(fd, 0))
		return mr_fail(err, MR_ERROR_HOST, errno, "ftruncate", "%s", path);
	return 0;
}

int private_file_check(const char *path, bool force, struct mr_error *err)
{
	struct stat st;

	if (force || lstat(path, &st) || !S_ISREG(st.st_mode))
		return 0;
	mr_fail_text(err, MR_ERROR_USAGE, EEXIST, "%s: the file exists", path);
	mr_hint(err, "choose a new name, or overwrite it: --force");
	return -EEXIST;
}

FILE *private_file_open(const char *path, bool force, struct mr_error *err)
{
	const int link_flag = private_file_link_flag(path);
	mr_auto_fd int fd = -1;

	if (private_file_check(path, force, err))
		return NULL;
	fd = open(path,
		  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (link_flag ? link_flag : O_APPEND),
		  0600);
	if (fd < 0) {
		fail_open(path, errno, err);
		return NULL;
	}
	/* A file that the shell opened for this process must not be emptied. */
	if (link_flag && make_private(fd, path, err))
		return NULL;
	return open_stream(&fd, path, err);
}

int private_file_close(FILE *file, const char *path, struct mr_error *err)
{
	const int failed = ferror(file);

	errno = 0;
	if (!fclose(file) && !failed)
		return 0;
	return mr_fail(err, MR_ERROR_HOST, errno ? errno : EIO, "write", "%s", path);
}

/* Names that are tried: others are left from programs that were killed. */
#define NAMES 100

static int open_temporary(struct replaced_file *file, const char *path)
{
	for (int i = 0; i < NAMES; i++) {
		const int length = snprintf(file->temporary, sizeof(file->temporary), "%s.%ld-%d",
					    path, (long)getpid(), i);
		int fd;

		if ((size_t)length >= sizeof(file->temporary)) {
			errno = ENAMETOOLONG;
			return -1;
		}
		/* Not by mkstemp(3), whose files only their owner may read, whatever the umask. */
		fd = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (fd >= 0 || errno != EEXIST)
			return fd;
	}
	return -1;
}

int replaced_file_open(struct replaced_file *file, const char *path, struct mr_error *err)
{
	mr_auto_fd int fd = -1;
	struct stat st;

	file->path = path;
	file->temporary[0] = '\0';
	/* A file must not replace a device, a pipe or a link. */
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY |
					private_file_link_flag(path));
	else
		fd = open_temporary(file, path);
	if (fd < 0)
		return fail_open(path, errno, err);
	file->stream = open_stream(&fd, path, err);
	if (file->stream)
		return 0;
	if (file->temporary[0])
		unlink(file->temporary);
	return -err->errnum;
}

int replaced_file_close(struct replaced_file *file, struct mr_error *err)
{
	const bool has_failed = ferror(file->stream);
	int rc = 0;

	errno = 0;
	if (fflush(file->stream) || has_failed)
		rc = mr_fail(err, MR_ERROR_HOST, mr_call_errno(), "write", "%s", file->path);
	/* Not before its bytes are on the disk may the file be in the place of another. */
	else if (file->temporary[0] && fsync(fileno(file->stream)))
		rc = mr_fail(err, MR_ERROR_HOST, errno, "fsync", "%s", file->path);
	else if (file->temporary[0] && rename(file->temporary, file->path))
		rc = mr_fail(err, MR_ERROR_HOST, errno, "rename", "%s", file->path);
	if (!rc)
		file->temporary[0] = '\0';
	replaced_file_drop(file);
	return rc;
}

void replaced_file_drop(struct replaced_file *file)
{
	if (file->stream && file->temporary[0])
		unlink(file->temporary);
	if (file->stream)
		fclose(file->stream);
}

/* Bytes of the largest file that is read, and of the first room for it. */
#define FILE_MAX   (64 << 20)
#define FILE_BEGIN (64 << 10)

const char *file_name(const char *path)
{
	return strcmp(path, "-") != 0 ? path : "standard input";
}

static int read_all(int fd, const char *path, char **text, size_t *used, struct mr_error *err)
{
	const bool is_input = !strcmp(path, "-");
	size_t room = 0;
	ssize_t got;
	char *larger;

	do {
		if (*used == room && room >= FILE_MAX)
			return mr_fail_text(err, MR_ERROR_HOST, EFBIG, "%s: too large",
					    file_name(path));
		if (*used == room) {
			room = room ? 2 * room : FILE_BEGIN;
			larger = realloc(*text, room + 1);
			if (!larger)
				return mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", NULL);
			*text = larger;
		}
		if (is_input && !mr_signals_wait_readable(fd))
			return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
		got = read(fd, *text + *used, room - *used);
		if (got < 0)
			return mr_fail(err, MR_ERROR_HOST, errno, "read", "%s", file_name(path));
		*used += (size_t)got;
	} while (got);
	(*text)[*used] = '\0';
	return 0;
}

char *file_read(const char *path, size_t *length, struct mr_error *err)
{
	const bool is_input = !strcmp(path, "-");
	mr_auto_fd int fd = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				     : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	char *text = NULL;
	struct stat st;

	*length = 0;
	if (fd < 0) {
		mr_fail(err, MR_ERROR_HOST, errno, is_input ? "fcntl" : "open", "%s",
			file_name(path));
	} else if (!is_input && fstat(fd, &st)) {
		mr_fail(err, MR_ERROR_HOST, errno, "fstat", "%s", path);
	} else if (!is_input && !S_ISREG(st.st_mode)) {
		mr_fail_text(err, MR_ERROR_HOST, EINVAL, "%s: not a regular file", path);
		mr_hint(err, "use '-' to read standard input, which may be a pipe");
	} else if (!read_all(fd, path, &text, length, err)) {
		return text;
	}
	free(text);
	return NULL;
}
