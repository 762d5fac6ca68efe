// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/whole_file.h"
#include "lib/base/cleanup.h"
#include "lib/base/signals.h"

/* Bytes of the largest file that is read. */
#define FILE_MAX   (64 << 20)
#define PIPE_BEGIN (64 << 10)

const char *file_name(const char *path)
{
	return strcmp(path, "-") != 0 ? path : "standard input";
}

/* Opens it, and sets @room to the bytes that are enough for a file, or begin a pipe.  Return: descriptor, or -errno. */
static int open_whole(const char *path, bool is_input, size_t *room, struct mr_error *err)
{
	mr_auto_fd int fd = is_input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
				     : open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return mr_fail(err, MR_ERROR_HOST, errno, is_input ? "fcntl" : "open", "%s",
			       file_name(path));
	if (!is_input && !S_ISREG(st.st_mode)) {
		mr_fail_text(err, MR_ERROR_HOST, EINVAL, "%s: not a regular file", path);
		mr_hint(err, "'-' is standard input, which may be a pipe");
		return -EINVAL;
	}
	if (st.st_size > FILE_MAX)
		return mr_fail_text(err, MR_ERROR_HOST, EFBIG, "%s: too large", file_name(path));
	*room = (S_ISREG(st.st_mode) ? (size_t)st.st_size : PIPE_BEGIN) + 1;
	return mr_steal_fd(&fd);
}

/* Makes room for more.  Return: false with @err. */
static bool grow(char **text, size_t *room, const char *path, struct mr_error *err)
{
	char *larger;

	if (*room > FILE_MAX) {
		mr_fail_text(err, MR_ERROR_HOST, EFBIG, "%s: too large", file_name(path));
		return false;
	}
	larger = realloc(*text, 2 * *room);
	if (!larger) {
		mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", NULL);
		return false;
	}
	*text = larger;
	*room *= 2;
	return true;
}

char *file_read(const char *path, size_t *length, struct mr_error *err)
{
	const bool is_input = !strcmp(path, "-");
	mr_auto_free char *text = NULL;
	size_t used = 0, room = 0;
	mr_auto_fd int fd = open_whole(path, is_input, &room, err);
	ssize_t got;
	char *whole;

	if (fd < 0)
		return NULL;
	text = malloc(room);
	if (!text) {
		mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
		return NULL;
	}
	do {
		if (is_input && !mr_signals_wait_readable(fd)) {
			mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
			return NULL;
		}
		got = read(fd, text + used, room - 1 - used);
		used += got > 0 ? (size_t)got : 0;
		if (is_input && used == room - 1 && !grow(&text, &room, path, err))
			return NULL;
	} while (got > 0);
	if (got < 0) {
		mr_fail(err, MR_ERROR_HOST, errno, "read", "%s", file_name(path));
		return NULL;
	}
	text[used] = '\0';
	*length = used;
	whole = text;
	text = NULL;
	return whole;
}
