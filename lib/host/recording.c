// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

/* ---- names ---- */

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

/* Bytes of a list of names that are read. */
#define LIST_MAX (UINT64_C(1) << 20)

/* ---- finding ---- */

/* Whether a record is the content of a file, which stands at the path of the file itself. */
static bool is_content(const char *kind, bool failed)
{
	return !failed && !strcmp(kind, "read");
}

/* Writes the path of a record, below the folder.  Return: 0 or -ENAMETOOLONG. */
static int name_record(char below[PATH_MAX], const char *path, const char *kind, bool failed)
{
	const int length = is_content(kind, failed)
				   ? snprintf(below, PATH_MAX, "%s", path[1] ? path + 1 : ".")
				   : snprintf(below, PATH_MAX, "calls%s.%s%s", path, kind,
					      failed ? ".error" : "");

	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* It goes folder by folder: openat2() would be shorter, but old kernels and sandboxes lack it. */
static int open_parent(int folder, const char *below, bool make, const char **last)
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

/* Reads the status of a record.  Return: its folder, or -errno. */
static int find_status(int folder, const char *path, const char *kind, bool failed,
		       char below[PATH_MAX], const char **last, struct stat *st)
{
	const int rc = name_record(below, path, kind, failed);
	mr_auto_fd int parent = -1;

	*last = below;
	parent = rc ? rc : open_parent(folder, below, false, last);
	if (parent >= 0 && fstatat(parent, *last, st, AT_SYMLINK_NOFOLLOW))
		return -errno;
	return mr_steal_fd(&parent);
}

/* A FIFO would make opening wait, and a device may do anything when it is opened. */
static int open_file(int folder, const char *path, const char *kind, bool failed)
{
	char below[PATH_MAX];
	const char *last;
	struct stat st;
	mr_auto_fd int parent = find_status(folder, path, kind, failed, below, &last, &st);
	int fd;

	if (parent < 0)
		return parent;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	fd = openat(parent, last, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

/* ---- reading ---- */

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

int mr_recording_open(int folder, const char *path)
{
	return open_file(folder, path, "read", false);
}

/* Return: bytes, or -errno; -ENOENT where nothing was recorded. */
static ssize_t read_record(int folder, const char *path, const char *kind, bool failed, char *text,
			   size_t size)
{
	mr_auto_fd int fd = open_file(folder, path, kind, failed);

	text[0] = '\0';
	if (fd < 0)
		return fd == -ENOTDIR && !is_content(kind, failed) ? -ENOENT : fd;
	return mr_recording_read_fd(fd, text, size);
}

int mr_recording_error(int folder, const char *kind, const char *path)
{
	char name[32];
	const ssize_t got = read_record(folder, path, kind, true, name, sizeof(name));
	int error;

	if (got < 0)
		return got == -ENOENT ? 0 : (int)got;
	error = mr_errno_parse(name, strcspn(name, "\n"));
	return error ? -error : -EIO;
}

ssize_t mr_recording_get(int folder, const char *kind, const char *path, char *text, size_t size)
{
	ssize_t got = mr_recording_error(folder, kind, path);
	mr_auto_fd int parent = -1;
	char below[PATH_MAX];
	const char *last;
	struct stat st;

	text[0] = '\0';
	if (got)
		return got;
	got = read_record(folder, path, kind, false, text, size);
	if (got > 0 && text[got - 1] == '\n' && !is_content(kind, false))
		text[--got] = '\0';
	if (got != -ENOENT || strcmp(kind, "stat") != 0)
		return got;
	/* A recording written by hand needs no answer for a file that it has at its own path. */
	parent = find_status(folder, path, "read", false, below, &last, &st);
	if (parent < 0)
		return parent;
	snprintf(text, size, "mode=%o uid=0 gid=0 device=0:0", st.st_mode);
	return S_ISLNK(st.st_mode) ? -ELOOP : 0;
}

int mr_recording_list(int folder, const char *path, char **names)
{
	mr_auto_fd int parent = -1;
	char below[PATH_MAX];
	const char *last;
	struct stat st;
	ssize_t got;

	*names = malloc(LIST_MAX);
	got = *names ? mr_recording_get(folder, "list", path, *names, LIST_MAX) : -ENOMEM;
	if (got != -ENOENT)
		return got < 0 ? (int)got : 0;
	parent = find_status(folder, path, "read", false, below, &last, &st);
	if (parent < 0)
		return parent;
	free(*names);
	*names = NULL;
	return S_ISDIR(st.st_mode) ? mr_names_read(parent, last, names) : -ENOTDIR;
}

/* ---- writing ---- */

/* Some file systems report a full disk by close() only. */
static int write_file(int folder, const char *below, const char *text, size_t length,
		      const char *end)
{
	const char *last;
	mr_auto_fd int parent = open_parent(folder, below, true, &last);
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

/* A line that was of use.  It is written at the end: another reader may use other lines of its file. */
struct line {
	char *path;
	uint64_t number; /* END: the file was read to its end once */
	size_t order;    /* of reading: the first one stays */
	char *text;
};

#define END UINT64_MAX

struct mr_recorder {
	int folder;
	int error; /* the first -errno; 0: none */
	struct line *lines;
	size_t count;
};

void mr_recorder_note(struct mr_recorder *recorder, int error)
{
	if (recorder && !recorder->error)
		recorder->error = error;
}

static void put(struct mr_recorder *recorder, const char *path, const char *kind, bool failed,
		const char *text, size_t length)
{
	char below[PATH_MAX];
	int rc = name_record(below, path, kind, failed);

	if (!rc)
		rc = write_file(recorder->folder, below, text, length,
				is_content(kind, failed) ? "" : "\n");
	mr_recorder_note(recorder, rc);
}

void mr_recorder_put(struct mr_recorder *recorder, const char *kind, const char *path,
		     ssize_t result, const char *text)
{
	const bool failed = result < 0;
	mr_auto_fd int parent = -1;
	char below[PATH_MAX];
	const char *last;
	struct stat st;

	if (!recorder || result == -ENOENT)
		return;
	if (failed)
		text = mr_errno_name((int)-result) ?: "EIO";
	/* A shortage of this process is no fact about the host: then the recording is incomplete. */
	if (result == -ENOMEM || result == -EMFILE || result == -ENFILE)
		mr_recorder_note(recorder, (int)result);
	else if ((parent = find_status(recorder->folder, path, kind, !failed, below, &last, &st)) <
		 0)
		put(recorder, path, kind, failed, text, result > 0 ? (size_t)result : strlen(text));
}

/* ---- files by line ---- */

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->path, y->path) ?: (x->number > y->number) - (x->number < y->number)
	       ?: (x->order > y->order) - (x->order < y->order);
}

void mr_recorder_line(struct mr_recorder *recorder, const char *path, uint64_t number,
		      const char *text)
{
	struct line *lines, line;

	if (!recorder)
		return;
	lines = reallocarray(recorder->lines, recorder->count + 1, sizeof(*lines));
	line = (struct line){ strdup(path), number, recorder->count, strdup(text) };
	if (lines)
		recorder->lines = lines;
	if (lines && line.path && line.text) {
		lines[recorder->count++] = line;
		return;
	}
	mr_recorder_note(recorder, -ENOMEM);
	free(line.path);
	free(line.text);
}

void mr_recorder_lines_end(struct mr_recorder *recorder, const char *path, int error)
{
	if (!error)
		mr_recorder_line(recorder, path, END, "");
	for (size_t i = 0; error && recorder && i < recorder->count; i++)
		if (recorder->lines[i].number == END && !strcmp(recorder->lines[i].path, path))
			return;
	if (error)
		mr_recorder_put(recorder, "read", path, error, NULL);
}

/* Writes the lines of each file, also those that were read before an error. */
static void write_lines(struct mr_recorder *recorder)
{
	const struct line *lines = recorder->lines;

	if (lines)
		qsort(recorder->lines, recorder->count, sizeof(*lines), compare_lines);
	for (size_t first = 0, i = 0; i < recorder->count; first = i) {
		mr_auto_free char *text = NULL;
		size_t length = 0;
		FILE *stream = open_memstream(&text, &length);

		for (; i < recorder->count && !strcmp(lines[i].path, lines[first].path); i++)
			if (stream && lines[i].number != END &&
			    (i == first || lines[i].number != lines[i - 1].number))
				fprintf(stream, "%s\n", lines[i].text);
		if (stream && !fclose(stream))
			put(recorder, lines[first].path, "read", false, text, length);
		else
			mr_recorder_note(recorder, -ENOMEM);
	}
}

/* ---- the folder ---- */

int mr_recorder_create(const char *folder, struct mr_recorder **recorder, struct mr_error *err)
{
	mr_auto_free char *names = NULL;
	mr_auto_fd int fd = -1;
	int rc;

	*recorder = NULL;
	if (mkdir(folder, 0755) && errno != EEXIST)
		return mr_fail(err, MR_ERROR_HOST, errno, "mkdir", "%s", folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", folder);
	rc = mr_names_read(fd, ".", &names);
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, -rc, "readdir", "%s", folder);
	if (names[0])
		return mr_fail_text(err, MR_ERROR_HOST, EEXIST,
				    "%s is not empty: a recording needs a folder of its own",
				    folder);
	*recorder = calloc(1, sizeof(**recorder));
	if (!*recorder)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	(*recorder)->folder = mr_steal_fd(&fd);
	return 0;
}

int mr_recorder_close(struct mr_recorder *recorder)
{
	int error;

	if (!recorder)
		return 0;
	write_lines(recorder);
	for (size_t i = 0; i < recorder->count; i++) {
		free(recorder->lines[i].path);
		free(recorder->lines[i].text);
	}
	free(recorder->lines);
	error = recorder->error;
	close(recorder->folder);
	free(recorder);
	return error;
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
	char clean[PATH_MAX];
	int rc = -EINVAL;

	if (strlen(path) < sizeof(clean) && !mr_path_clean(strcpy(clean, path)) &&
	    !strcmp(clean, path) && path[1] && length <= FILE_MAX && take_room(tally, length))
		rc = write_file(folder, clean + 1, text, length, "");
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
