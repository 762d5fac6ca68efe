// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/private_file.h"
#include "lib/base/base.h"

/* Links that the kernel itself has made for descriptors of this process: a shell's >(...) is one. */
static const char *const own_links[] = { "/dev/fd/", "/dev/stdout", "/dev/stderr",
					 "/proc/self/fd/" };

int private_file_link_flag(const char *path)
{
	for (size_t i = 0; i < sizeof(own_links) / sizeof(*own_links); i++)
		if (!strncmp(path, own_links[i], strlen(own_links[i])))
			return 0;
	return O_NOFOLLOW;
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
				    "%s belongs to another user, who could read it", path);
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
	FILE *file;

	if (private_file_check(path, force, err))
		return NULL;
	fd = open(path,
		  O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | (link_flag ? link_flag : O_APPEND),
		  0600);
	if (fd < 0) {
		mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", path);
		if (err->errnum == ELOOP)
			mr_hint(err, "it is a symbolic link, which is not followed");
		return NULL;
	}
	/* What the shell has opened for this process is not emptied. */
	if (link_flag && make_private(fd, path, err))
		return NULL;
	file = fdopen(fd, "w");
	if (!file) {
		mr_fail(err, MR_ERROR_HOST, errno, "fdopen", "%s", path);
		return NULL;
	}
	mr_steal_fd(&fd);
	return file;
}

int private_file_close(FILE *file, const char *path, struct mr_error *err)
{
	const int failed = ferror(file);

	errno = 0;
	if (!fclose(file) && !failed)
		return 0;
	return mr_fail(err, MR_ERROR_HOST, errno ? errno : EIO, "write", "%s", path);
}
