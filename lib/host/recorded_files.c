// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

/* The most files, bytes of a file, and bytes of all files that are packed. */
#define MR_RECORDING_FILES_MAX 4000
#define MR_RECORDING_FILE_MAX  (UINT64_C(1) << 20)
#define MR_RECORDING_BYTES_MAX (UINT64_C(16) << 20)

/* Folders in folders that are looked into. */
#define DEPTH_MAX 32

/* ---- packing ---- */

/* Whether one more file is within the limits. */
static bool has_room(const struct mr_recording_tally *tally, uint64_t bytes)
{
	return tally->files < MR_RECORDING_FILES_MAX &&
	       tally->bytes + bytes <= MR_RECORDING_BYTES_MAX;
}

static void count(struct mr_recording_tally *tally, uint64_t bytes)
{
	tally->files++;
	tally->bytes += bytes;
}

/* A FIFO would make opening wait, so only files are opened. */
static void pack_file(const FTSENT *entry, char *text, ssize_t *got)
{
	mr_auto_fd int fd = -1;

	*got = -1;
	if (entry->fts_info == FTS_F)
		fd = open(entry->fts_accpath,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd >= 0)
		*got = mr_recording_read_fd(fd, text, MR_RECORDING_FILE_MAX + 1);
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int mr_recording_pack(const char *folder,
		      int (*take)(void *data, const char *path, const char *text), void *data,
		      struct mr_recording_tally *tally, struct mr_error *err)
{
	char *text = malloc(MR_RECORDING_FILE_MAX + 1);
	char *const roots[] = { (char *)folder, NULL };
	size_t root = strlen(folder);
	const char *call = "open";
	FTSENT *entry;
	FTS *tree;
	int rc = 0;

	if (!text)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	while (root && folder[root - 1] == '/')
		root--;
	tree = fts_open(roots, FTS_PHYSICAL | FTS_COMFOLLOW, by_name);
	while (tree && !rc && (errno = 0, entry = fts_read(tree))) {
		const bool is_folder = entry->fts_info == FTS_D;
		ssize_t got;

		if (entry->fts_info == FTS_DP || (is_folder && entry->fts_level <= DEPTH_MAX))
			continue;
		errno = entry->fts_errno ?: ENOTDIR;
		if (!entry->fts_level)
			break;
		if (is_folder)
			fts_set(tree, entry, FTS_SKIP);
		pack_file(entry, text, &got);
		if (got >= 0 && has_room(tally, (uint64_t)got)) {
			count(tally, (uint64_t)got);
			call = "read";
			rc = take(data, entry->fts_path + root, text);
		} else {
			tally->left_out++;
		}
	}
	if (!rc && (!tree || errno))
		rc = -errno;
	if (tree)
		fts_close(tree);
	free(text);
	return rc ? mr_fail(err, MR_ERROR_HOST, -rc, call, "%s", folder) : 0;
}

/* ---- unpacking ---- */

/* Whether each folder and the file have a name, none of them leads upwards, and none is too deep. */
static bool is_safe(const char *path)
{
	unsigned int depth = 0;
	size_t length;

	if (*path != '/' || strlen(path) >= PATH_MAX)
		return false;
	for (; *path; path += length) {
		path++;
		length = strcspn(path, "/");
		if (!length || length > NAME_MAX || depth++ > DEPTH_MAX ||
		    (length == 1 && *path == '.') || (length == 2 && !strncmp(path, "..", 2)))
			return false;
	}
	return true;
}

/* Whether the name itself is what cannot be made: a file stands where it needs a folder, say. */
static bool is_about_name(int error)
{
	return error == -ENOTDIR || error == -EISDIR || error == -ENAMETOOLONG ||
	       error == -EINVAL || error == -EILSEQ;
}

int mr_recording_unpack(int folder, const char *path, const char *text,
			struct mr_recording_tally *tally)
{
	const size_t length = strlen(text);
	int rc = -EINVAL;

	if (is_safe(path) && length <= MR_RECORDING_FILE_MAX && has_room(tally, length))
		rc = mr_recording_write(folder, path + 1, text, length, "");
	if (!rc)
		count(tally, length);
	else if (is_about_name(rc))
		tally->left_out++;
	return is_about_name(rc) ? 0 : rc;
}

#define PREFIX "mrctl-host-"
#define RANDOM "XXXXXX"

enum { ATTEMPTS = 16 };

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

static void remove_tree(const char *path)
{
	char *const roots[] = { (char *)path, NULL };
	FTS *tree = fts_open(roots, FTS_PHYSICAL | FTS_XDEV, NULL);
	const FTSENT *entry;

	while (tree && (entry = fts_read(tree)))
		if (entry->fts_info != FTS_D)
			remove(entry->fts_accpath);
	if (tree)
		fts_close(tree);
}

void mr_temporary_folder_remove(struct mr_temporary_folder *folder)
{
	if (!folder->path[0])
		return;
	remove_tree(folder->path);
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
static void remove_abandoned(const char *path, int parent)
{
	struct dirent **entries = NULL;
	const int found =
		is_safe_parent(parent) ? scandirat(parent, ".", &entries, is_like_own, NULL) : 0;

	for (int i = 0; i < found; i++) {
		mr_auto_fd int folder = open_folder(parent, entries[i]->d_name);

		if (folder >= 0 && is_own(folder) && !flock(folder, LOCK_EX | LOCK_NB)) {
			char abandoned[PATH_MAX];

			snprintf(abandoned, sizeof(abandoned), "%s/%s", path, entries[i]->d_name);
			remove_tree(abandoned);
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
		remove_abandoned(path, parent);
	for (unsigned int i = 0; i < ATTEMPTS && rc == -EAGAIN; i++)
		rc = make_locked(folder, path, &call);
	if (!rc)
		return 0;
	folder->path[0] = '\0';
	return mr_fail(err, MR_ERROR_HOST, -rc, call, "%s", path);
}
