// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/recording.h"
#include "lib/host/recording_files.h"

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
