// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/memory/memory.h"

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

/*
 * Creates a file, with mode 0600. SIGINT, SIGTERM and SIGHUP remove it, too, where they are not blocked and
 * end the process.  That works for one file at a time: the last one that was created. Return: its
 * descriptor, open for reading and writing; or -1 with errno.
 */
static int mr_unfinished_create(struct mr_unfinished *file, const char *path)
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

int mr_file_open_memfd(uint64_t length, unsigned int flags, struct mr_error *err)
{
	mr_auto_fd int fd = mr_memfd_create("mrctl", MFD_CLOEXEC | flags);

	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	if (ftruncate(fd, (off_t)length))
		return mr_fail(err, MR_ERROR_HOST, errno, "ftruncate",
			       "cannot make a memfd of %" PRIu64 " bytes", length);
	return mr_steal_fd(&fd);
}

uint64_t mr_file_page_size(int fd)
{
	static const long hugetlbfs_magic = 0x958458f6; /* linux/magic.h */
	struct statfs fs;

	if (fstatfs(fd, &fs) || (long)fs.f_type != hugetlbfs_magic)
		return (uint64_t)getpagesize();
	return (uint64_t)fs.f_bsize;
}

/* The kind of a file that mmap() refuses with ENODEV; NULL where it may be mapped. */
static const char *unmappable(mode_t mode)
{
	if (S_ISFIFO(mode))
		return "a FIFO";
	if (S_ISSOCK(mode))
		return "a socket";
	return S_ISDIR(mode) ? "a directory" : NULL;
}

/* Without O_NONBLOCK opening a FIFO would wait for its other end.  Files, and mappings of them, ignore it. */
static int open_nonblocking(const char *path, int flags)
{
	return open(path, flags | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
}

/* @opened: a descriptor, which is returned, or closed on failure; or -1 with errno */
static int check_file(int opened, const char *path, struct mr_error *err)
{
	mr_auto_fd int fd = opened;
	const char *what;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return mr_fail(err, MR_ERROR_HOST, errno, fd < 0 ? "open" : "fstat",
			       "cannot use '%s'", path);
	what = unmappable(st.st_mode);
	if (what)
		return mr_fail_text(err, MR_ERROR_HOST, ENODEV,
				    "cannot map '%s': it is %s, not a file or a device", path,
				    what);
	return mr_steal_fd(&fd);
}

int mr_file_open(const char *path, int flags, struct mr_error *err)
{
	return check_file(open_nonblocking(path, flags), path, err);
}

int mr_file_open_or_create(const char *path, uint64_t length, struct mr_unfinished *created,
			   struct mr_error *err)
{
	mr_auto_fd int fd = open_nonblocking(path, O_RDWR);
	int rc;

	if (fd >= 0 || errno != ENOENT)
		return check_file(mr_steal_fd(&fd), path, err);
	fd = mr_unfinished_create(created, path);
	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot make '%s'", path);
	length = mr_round_up(length, mr_file_page_size(fd));
	rc = posix_fallocate(fd, 0, (off_t)length);
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, rc, "posix_fallocate",
			       "cannot make '%s' of %" PRIu64 " bytes", path, length);
	return mr_steal_fd(&fd);
}
