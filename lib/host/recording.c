// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Reads and writes the folder of a recording. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

/* ---- the folder ---- */

int mr_path_clean(char *path)
{
	const char *from = path;
	char *to = path;

	if (*path != '/')
		return -EINVAL;
	for (size_t length; *from; from += length) {
		from += strspn(from, "/");
		length = strcspn(from, "/");
		if (length == 2 && !strncmp(from, "..", 2))
			return -EINVAL;
		if (!length || (length == 1 && *from == '.'))
			continue;
		*to++ = '/';
		memmove(to, from, length);
		to += length;
	}
	if (to == path)
		*to++ = '/';
	*to = '\0';
	return 0;
}

bool mr_name_is_shown(const char *name)
{
	return name[0] && name[0] != '.' && strlen(name) <= NAME_MAX && !strpbrk(name, "/\n");
}

static int is_shown(const struct dirent *entry)
{
	return mr_name_is_shown(entry->d_name);
}

int mr_names_read(int parent, const char *folder, char **names)
{
	struct dirent **entries = NULL;
	const int count = scandirat(parent, folder, &entries, is_shown, alphasort);
	int rc = count < 0 ? -errno : 0;
	size_t length = 0;
	FILE *stream = rc ? NULL : open_memstream(names, &length);

	for (int i = 0; i < count; i++) {
		if (stream)
			fprintf(stream, "%s%s", i ? "\n" : "", entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!rc && (!stream || fclose(stream)))
		rc = -ENOMEM;
	return rc;
}

/* It goes folder by folder: openat2() would be shorter, but old kernels and sandboxes lack it. */
int mr_recording_parent(int folder, const char *below, bool make, const char **last)
{
	mr_auto_fd int fd = fcntl(folder, F_DUPFD_CLOEXEC, 0);
	char name[NAME_MAX + 1];
	const char *slash;
	int next;

	*last = below;
	for (; fd >= 0 && (slash = strchr(below, '/')); below = slash + 1) {
		const size_t length = (size_t)(slash - below);

		if (length >= sizeof(name))
			return -ENAMETOOLONG;
		memcpy(name, below, length);
		name[length] = '\0';
		if (make && mkdirat(fd, name, 0755) && errno != EEXIST)
			return -errno;
		next = openat(fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		close(fd);
		fd = next;
	}
	*last = below;
	return fd < 0 ? -errno : mr_steal_fd(&fd);
}

ssize_t mr_recording_read_fd(int fd, char *text, size_t size)
{
	size_t used = 0;
	ssize_t got;

	do {
		got = read(fd, text + used, size - 1 - used);
		used += got > 0 ? (size_t)got : 0;
	} while ((got > 0 && used < size - 1) || (got < 0 && errno == EINTR));
	text[got < 0 ? 0 : used] = '\0';
	return got < 0 ? -errno : (ssize_t)used;
}

/* Some file systems report a full disk by close() only. */
int mr_recording_write(int folder, const char *below, const char *text, size_t length,
		       const char *end)
{
	const char *last;
	mr_auto_fd int parent = mr_recording_parent(folder, below, true, &last);
	mr_auto_fd int fd = -1;
	FILE *stream;
	int rc;

	if (parent < 0)
		return parent;
	fd = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	stream = fd < 0 ? NULL : fdopen(fd, "w");
	if (!stream)
		return errno == EEXIST ? 0 : -errno;
	mr_steal_fd(&fd);
	fwrite(text, 1, length, stream);
	fputs(end, stream);
	rc = ferror(stream) ? -errno : 0;
	if (fclose(stream) && !rc)
		rc = -errno;
	if (rc)
		unlinkat(parent, last, 0);
	return rc;
}

/* The most files, bytes of a file, and bytes of all files that are packed. */
#define FILES_MAX 4000
#define FILE_MAX  (UINT64_C(1) << 20)
#define BYTES_MAX (UINT64_C(16) << 20)

/* ---- packing ---- */

/* Counts one more file.  Return: whether it is within the limits. */
static bool take_room(struct mr_recording_tally *tally, uint64_t bytes)
{
	if (tally->files >= FILES_MAX || tally->bytes + bytes > BYTES_MAX)
		return false;
	tally->files++;
	tally->bytes += bytes;
	return true;
}

static int by_name(const FTSENT **a, const FTSENT **b)
{
	return strcmp((*a)->fts_name, (*b)->fts_name);
}

int mr_recording_pack(const char *folder,
		      int (*take)(void *data, const char *path, const char *text), void *data,
		      struct mr_recording_tally *tally, struct mr_error *err)
{
	char *text = malloc(FILE_MAX + 1);
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
		mr_auto_fd int fd = -1;
		ssize_t got = -1;

		if (entry->fts_info == FTS_D || entry->fts_info == FTS_DP)
			continue;
		errno = entry->fts_errno ?: ENOTDIR;
		if (!entry->fts_level)
			break;
		/* A FIFO would make opening wait. */
		if (entry->fts_info == FTS_F)
			fd = open(entry->fts_accpath,
				  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0)
			got = mr_recording_read_fd(fd, text, FILE_MAX + 1);
		if (got >= 0 && take_room(tally, (uint64_t)got)) {
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

/* Whether the name itself cannot be created, for example because a file has the name of its folder. */
static bool is_about_name(int error)
{
	return error == -ENOTDIR || error == -EISDIR || error == -ENAMETOOLONG ||
	       error == -EINVAL || error == -EILSEQ;
}

int mr_recording_unpack(int folder, const char *path, const char *text,
			struct mr_recording_tally *tally)
{
	const size_t length = strlen(text);
	char clean[PATH_MAX];
	int rc = -EINVAL;

	if (strlen(path) < sizeof(clean) && !mr_path_clean(strcpy(clean, path)) &&
	    !strcmp(clean, path) && path[1] && length <= FILE_MAX && take_room(tally, length))
		rc = mr_recording_write(folder, clean + 1, text, length, "");
	tally->left_out += is_about_name(rc);
	return is_about_name(rc) ? 0 : rc;
}

/* ---- a folder of this process ---- */

int mr_temporary_folder_make(struct mr_temporary_folder *folder, struct mr_error *err)
{
	const char *parent = getenv("TMPDIR"), *call = "mkdtemp";

	if (!parent || *parent != '/')
		parent = "/tmp";
	snprintf(folder->path, sizeof(folder->path), "%s/mrctl-host-XXXXXX", parent);
	folder->fd = -1;
	if (mkdtemp(folder->path)) {
		call = "open";
		folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	}
	if (folder->fd >= 0)
		return 0;
	folder->path[0] = '\0';
	return mr_fail(err, MR_ERROR_HOST, errno, call, "%s", parent);
}

void mr_temporary_folder_remove(struct mr_temporary_folder *folder)
{
	char *const roots[] = { folder->path, NULL };
	const FTSENT *entry;
	FTS *tree;

	if (!folder->path[0])
		return;
	tree = fts_open(roots, FTS_PHYSICAL | FTS_XDEV, NULL);
	while (tree && (entry = fts_read(tree)))
		if (entry->fts_info != FTS_D)
			remove(entry->fts_accpath);
	if (tree)
		fts_close(tree);
	close(folder->fd);
	folder->path[0] = '\0';
}
