// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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

struct pack {
	int (*take)(void *data, const char *path, const char *text);
	void *data;
	struct mr_recording_tally *tally;
	char *text;       /* MR_RECORDING_FILE_MAX + 1 bytes */
	const char *call; /* the last one that failed */
};

static int is_entry(const struct dirent *entry)
{
	return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

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

static int pack_file(struct pack *pack, int parent, const char *name, const char *path)
{
	mr_auto_fd int fd =
		openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	const ssize_t got =
		fd < 0 ? -1 : mr_recording_read_fd(fd, pack->text, MR_RECORDING_FILE_MAX + 1);

	if (got < 0 || !has_room(pack->tally, (uint64_t)got)) {
		pack->tally->left_out++;
		return 0;
	}
	count(pack->tally, (uint64_t)got);
	return pack->take(pack->data, path, pack->text);
}

static int pack_folder(struct pack *pack, int folder, const char *path, unsigned int depth);

/* Packs what stands below a name.  A FIFO would make opening wait, so only files and folders are opened. */
static int pack_entry(struct pack *pack, int parent, const char *name, const char *path,
		      unsigned int depth)
{
	mr_auto_fd int fd = -1;
	struct stat st;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == 0) {
		if (S_ISREG(st.st_mode))
			return pack_file(pack, parent, name, path);
		if (S_ISDIR(st.st_mode) && depth < DEPTH_MAX)
			fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (fd >= 0)
		return pack_folder(pack, fd, path, depth + 1);
	pack->tally->left_out++;
	return 0;
}

static int pack_folder(struct pack *pack, int folder, const char *path, unsigned int depth)
{
	struct dirent **entries = NULL;
	const int found = scandirat(folder, ".", &entries, is_entry, by_name);
	int rc = 0;

	if (found < 0) {
		pack->call = "scandirat";
		return -errno;
	}
	for (int i = 0; i < found; i++) {
		char below[PATH_MAX];
		const int length =
			snprintf(below, sizeof(below), "%s/%s", path, entries[i]->d_name);

		if (length >= (int)sizeof(below))
			pack->tally->left_out++;
		else if (!rc)
			rc = pack_entry(pack, folder, entries[i]->d_name, below, depth);
		free(entries[i]);
	}
	free(entries);
	return rc;
}

int mr_recording_pack(const char *folder,
		      int (*take)(void *data, const char *path, const char *text), void *data,
		      struct mr_recording_tally *tally, struct mr_error *err)
{
	mr_auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct pack pack = { take, data, tally, NULL, "read" };
	int rc;

	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", folder);
	pack.text = malloc(MR_RECORDING_FILE_MAX + 1);
	if (!pack.text)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	rc = pack_folder(&pack, fd, "", 0);
	free(pack.text);
	return rc ? mr_fail(err, MR_ERROR_HOST, -rc, pack.call, "%s", folder) : 0;
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

enum {
	ATTEMPTS = 16,
	FOLDERS_MAX = 64, /* folders in folders that are removed */
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

static int is_folder_entry(const struct dirent *entry)
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
	const int found = scandirat(folder, ".", &entries, is_folder_entry, NULL);

	for (int i = 0; i < found; i++) {
		const char *name = entries[i]->d_name;

		if (unlinkat(folder, name, 0) && errno == EISDIR && depth < FOLDERS_MAX) {
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
