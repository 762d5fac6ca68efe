// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include "cmd/output/stream.h"
#include "cmd/output/text.h"

/* Bytes that are written together.  A file or pipe suggests 4096, of which a list of all MRs has thousands. */
#define BUFFER_SIZE 65536

void output_init(void)
{
	static char buffer[BUFFER_SIZE];

	if (!output_is_terminal())
		setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
}

/* Of the file that standard output has become; NULL: it is the one that mrctl was started with. */
static const char *output_path;

int output_redirect(int fd, const char *path, struct mr_error *err)
{
	if (dup2(fd, STDOUT_FILENO) < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "dup2", NULL);
	output_path = path;
	return 0;
}

int output_flush(struct mr_error *err)
{
	int errnum;

	errno = 0;
	if (!fflush(stdout) && !ferror(stdout))
		return 0;
	/* The stream remembers that an earlier write failed, but not its errno. */
	errnum = errno ? errno : EIO;
	return output_path ? mr_fail(err, MR_ERROR_HOST, errnum, "write", "%s", output_path)
			   : mr_fail(err, MR_ERROR_HOST, errnum, "write",
				     "cannot print on standard output");
}

bool output_is_terminal(void)
{
	return isatty(STDOUT_FILENO);
}

void output_foreign(const char *text)
{
	text_print(text, stdout);
}

void output_text(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
}

void output_put(const char *text)
{
	fputs_unlocked(text, stdout);
}

void output_put_bytes(const char *bytes, size_t count)
{
	fwrite_unlocked(bytes, 1, count, stdout);
}
