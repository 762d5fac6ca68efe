// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/whole_file.h"
#include "lib/base/base.h"

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
	*room = is_input ? PIPE_BEGIN : (size_t)st.st_size;
	return mr_steal_fd(&fd);
}

/* Text that was read so far. */
struct content {
	char *text;
	size_t used, room; /* without the NUL behind them */
};

/* Makes room for more. */
static int grow(struct content *content, const char *path, struct mr_error *err)
{
	char *larger;

	if (content->room >= FILE_MAX)
		return mr_fail_text(err, MR_ERROR_HOST, EFBIG, "%s: too large", file_name(path));
	larger = realloc(content->text, 2 * content->room + 1);
	if (!larger)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "realloc", NULL);
	content->text = larger;
	content->room *= 2;
	return 0;
}

static int read_all(int fd, bool is_input, struct content *content, const char *path,
		    struct mr_error *err)
{
	ssize_t got;
	int rc = 0;

	do {
		if (is_input && !mr_signals_wait_readable(fd))
			return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
		got = read(fd, content->text + content->used, content->room - content->used);
		if (got < 0)
			return mr_fail(err, MR_ERROR_HOST, errno, "read", "%s", file_name(path));
		content->used += (size_t)got;
		if (is_input && content->used == content->room)
			rc = grow(content, path, err);
	} while (got && !rc);
	return rc;
}

char *file_read(const char *path, size_t *length, struct mr_error *err)
{
	const bool is_input = !strcmp(path, "-");
	struct content content = { .used = 0 };
	mr_auto_fd int fd = open_whole(path, is_input, &content.room, err);

	if (fd < 0)
		return NULL;
	content.text = malloc(content.room + 1);
	if (!content.text) {
		mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
		return NULL;
	}
	if (read_all(fd, is_input, &content, path, err)) {
		free(content.text);
		return NULL;
	}
	content.text[content.used] = '\0';
	*length = content.used;
	return content.text;
}
