// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/output/whole_file.h"
#include "lib/base/cleanup.h"

/* Bytes of the largest file that is read. */
#define FILE_MAX (64 << 20)

char *file_read(const char *path, size_t *length, struct mr_error *err)
{
	mr_auto_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	size_t used = 0;
	ssize_t got = 1;
	char *text;

	if (fd < 0 || fstat(fd, &st)) {
		mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX) {
		mr_fail_text(err, MR_ERROR_HOST, S_ISREG(st.st_mode) ? EFBIG : EINVAL, "%s: %s",
			     path, S_ISREG(st.st_mode) ? "too large" : "not a regular file");
		return NULL;
	}
	text = malloc((size_t)st.st_size + 1);
	if (!text) {
		mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
		return NULL;
	}
	while (got > 0 && used < (size_t)st.st_size) {
		got = read(fd, text + used, (size_t)st.st_size - used);
		used += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		mr_fail(err, MR_ERROR_HOST, errno, "read", "%s", path);
		free(text);
		return NULL;
	}
	text[used] = '\0';
	*length = used;
	return text;
}
