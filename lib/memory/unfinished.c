// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/memory/unfinished.h"

/* The one file that the signal handler removes: a handler gets no argument. */
static struct mr_unfinished watched;
static volatile sig_atomic_t watching;

/* The signal handler calls this, so it uses only functions that signal-safety(7) lists. */
static void remove_file(const struct mr_unfinished *file)
{
	struct stat st;

	if (!lstat(file->path, &st) && st.st_dev == file->device && st.st_ino == file->inode)
		unlink(file->path);
}

/* SA_RESETHAND has restored the default action, so raise() ends the process. */
static void on_signal(int number)
{
	if (watching)
		remove_file(&watched);
	raise(number);
}

/* A signal that is ignored, as by nohup(1), stays ignored. */
static void catch_signals(void)
{
	const struct sigaction action = { .sa_handler = on_signal,
					  .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };
	struct sigaction before;

	for (size_t i = 0; i < MR_ENDING_SIGNALS; i++)
		if (!sigaction(mr_ending_signals[i], NULL, &before) && before.sa_handler == SIG_DFL)
			sigaction(mr_ending_signals[i], &action, NULL);
}

static int create_watched(struct mr_unfinished *file, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_CREAT | O_EXCL, 0600);
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return fd;
	*file = (struct mr_unfinished){ .path = path, .device = st.st_dev, .inode = st.st_ino };
	watched = *file;
	watching = true;
	catch_signals();
	return fd;
}

int mr_unfinished_create(struct mr_unfinished *file, const char *path)
{
	sigset_t all, before;
	int fd, saved;

	*file = (struct mr_unfinished){ .path = NULL };
	sigfillset(&all);
	sigprocmask(SIG_BLOCK, &all, &before);
	fd = create_watched(file, path);
	saved = errno;
	sigprocmask(SIG_SETMASK, &before, NULL);
	errno = saved;
	return fd;
}

void mr_unfinished_keep(struct mr_unfinished *file)
{
	if (file->path)
		watching = false;
	file->path = NULL;
}

void mr_unfinished_remove(struct mr_unfinished *file)
{
	if (file->path)
		remove_file(file);
	mr_unfinished_keep(file);
}
