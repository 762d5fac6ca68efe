// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/temporary_folder.h"

#define PREFIX "mrctl-host-"
#define RANDOM "XXXXXX"

enum {
	ATTEMPTS = 16,
	DEPTH_MAX = 64, /* folders in folders that are removed */
};

static const char *parent_path(void)
{
	const char *path = getenv("TMPDIR");

	return path && *path == '/' ? path : "/tmp";
}

static int open_folder(int parent, const char *name)
{
	return openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* ---- removing ---- */

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static bool is_same_device(int a, int b)
{
	struct stat first, second;

	return !fstat(a, &first) && !fstat(b, &second) && first.st_dev == second.st_dev;
}

/* By descriptors, so that no link leads elsewhere. */
static void empty(int folder, unsigned int depth)
{
	struct dirent **entries = NULL;
	const int found = scandirat(folder, ".", &entries, is_entry, NULL);

	for (int i = 0; i < found; i++) {
		const char *name = entries[i]->d_name;

		if (unlinkat(folder, name, 0) && errno == EISDIR && depth < DEPTH_MAX) {
			mr_auto_fd int below = open_folder(folder, name);

			if (below >= 0 && is_same_device(folder, below))
				empty(below, depth + 1);
			unlinkat(folder, name, AT_REMOVEDIR);
		}
		free(entries[i]);
	}
	free(entries);
}

void mr_temporary_folder_remove(struct mr_temporary_folder *folder)
{
	if (!folder->path[0])
		return;
	empty(folder->fd, 0);
	rmdir(folder->path);
	close(folder->fd);
	folder->path[0] = '\0';
}

/* ---- what others have left ---- */

/* Where others may rename what is there, one of this name may be any folder of this user's. */
static bool is_safe_parent(int parent)
{
	struct stat st;

	return !fstat(parent, &st) && (!st.st_uid || st.st_uid == geteuid()) &&
	       (st.st_mode & S_ISVTX || !(st.st_mode & (S_IWGRP | S_IWOTH)));
}

static bool is_own(int folder)
{
	struct stat st;

	return !fstat(folder, &st) && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700;
}

static int is_like_own(const struct dirent *entry)
{
	return strlen(entry->d_name) == strlen(PREFIX RANDOM) &&
	       !strncmp(entry->d_name, PREFIX, strlen(PREFIX));
}

/* A file system that has no locks keeps all. */
static void remove_abandoned(int parent)
{
	struct dirent **entries = NULL;
	const int found =
		is_safe_parent(parent) ? scandirat(parent, ".", &entries, is_like_own, NULL) : 0;

	for (int i = 0; i < found; i++) {
		mr_auto_fd int folder = open_folder(parent, entries[i]->d_name);

		if (folder >= 0 && is_own(folder) && !flock(folder, LOCK_EX | LOCK_NB)) {
			empty(folder, 0);
			unlinkat(parent, entries[i]->d_name, AT_REMOVEDIR);
		}
		free(entries[i]);
	}
	free(entries);
}

/* ---- making ---- */

/* Another process may have taken the new folder for one that was left, as it was not locked at once. */
static bool is_still_there(const struct mr_temporary_folder *folder)
{
	struct stat opened, found;

	return !fstat(folder->fd, &opened) && !lstat(folder->path, &found) &&
	       opened.st_dev == found.st_dev && opened.st_ino == found.st_ino;
}

/* Sets @call to the one that failed.  Return: 0 or -errno; -EAGAIN: it is gone again. */
static int make_locked(struct mr_temporary_folder *folder, const char *parent, const char **call)
{
	mr_auto_fd int fd = -1;

	if (snprintf(folder->path, sizeof(folder->path), "%s/" PREFIX RANDOM, parent) >=
	    (int)sizeof(folder->path))
		return -ENAMETOOLONG;
	*call = "mkdtemp";
	if (!mkdtemp(folder->path))
		return -errno;
	*call = "openat";
	fd = open_folder(AT_FDCWD, folder->path);
	if (fd < 0) {
		const int error = errno;

		rmdir(folder->path);
		return error == ENOENT ? -EAGAIN : -error;
	}
	flock(fd, LOCK_EX); /* where it fails, it does so for who would remove the folder, too */
	folder->fd = fd;
	if (!is_still_there(folder))
		return -EAGAIN;
	mr_steal_fd(&fd);
	return 0;
}

int mr_temporary_folder_make(struct mr_temporary_folder *folder, struct mr_error *err)
{
	const char *path = parent_path(), *call = "mkdtemp";
	mr_auto_fd int parent = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int rc = -EAGAIN;

	if (parent >= 0)
		remove_abandoned(parent);
	for (unsigned int i = 0; i < ATTEMPTS && rc == -EAGAIN; i++)
		rc = make_locked(folder, path, &call);
	if (!rc)
		return 0;
	folder->path[0] = '\0';
	return mr_fail(err, MR_ERROR_HOST, -rc, call, "%s", path);
}
