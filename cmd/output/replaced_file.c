// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/private_file.h"
#include "cmd/output/replaced_file.h"
#include "lib/base/base.h"

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

/* Whether the path is of something that a file must not replace: a device, a pipe, a link. */
static bool is_special(const char *path)
{
	struct stat st;

	return !lstat(path, &st) && !S_ISREG(st.st_mode);
}

int replaced_file_open(struct replaced_file *file, const char *path, struct mr_error *err)
{
	mr_auto_fd int fd = -1;

	file->path = path;
	file->temporary[0] = '\0';
	if (is_special(path))
		fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY |
					private_file_link_flag(path));
	else
		fd = open_temporary(file, path);
	if (fd < 0) {
		mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", path);
		if (err->errnum == ELOOP)
			mr_hint(err, "it is a symbolic link, which is not followed");
		return -err->errnum;
	}
	file->stream = fdopen(fd, "w");
	if (!file->stream) {
		mr_fail(err, MR_ERROR_HOST, errno, "fdopen", "%s", path);
		if (file->temporary[0])
			unlink(file->temporary);
		return -err->errnum;
	}
	mr_steal_fd(&fd);
	return 0;
}

/* Not before its bytes are on the disk may the file be in the place of another. */
static int write_out(struct replaced_file *file, struct mr_error *err)
{
	const bool has_failed = ferror(file->stream);

	errno = 0;
	if (fflush(file->stream) || has_failed ||
	    (file->temporary[0] && fsync(fileno(file->stream))))
		return mr_fail(err, MR_ERROR_HOST, mr_call_errno(), "write", "%s", file->path);
	return 0;
}

int replaced_file_close(struct replaced_file *file, struct mr_error *err)
{
	int rc = write_out(file, err);

	errno = 0;
	if (fclose(file->stream) && !rc)
		rc = mr_fail(err, MR_ERROR_HOST, mr_call_errno(), "write", "%s", file->path);
	if (!file->temporary[0])
		return rc;
	if (!rc && rename(file->temporary, file->path))
		rc = mr_fail(err, MR_ERROR_HOST, errno, "rename", "%s", file->path);
	if (rc)
		unlink(file->temporary);
	return rc;
}
