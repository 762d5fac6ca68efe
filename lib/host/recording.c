// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <search.h>
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

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

int mr_names_read(int parent, const char *folder, char **names)
{
	struct dirent **entries = NULL;
	const int count = scandirat(parent, folder, &entries, is_shown, by_name);
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

/* Returns where something stands, below the folder. Return: 0 or -ENAMETOOLONG. */
static int mr_recording_name(char below[PATH_MAX], const char *path, const char *kind, bool failed)
{
	const int length =
		kind ? snprintf(below, PATH_MAX, "calls%s.%s%s", path, kind, failed ? ".error" : "")
		     : snprintf(below, PATH_MAX, "%s", path[1] ? path + 1 : ".");

	return length < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* It goes folder by folder: openat2() would be shorter, but old kernels and sandboxes lack it. */
static int mr_recording_parent(int folder, const char *below, bool make, const char **last)
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

/* Reads the status of the record of a call, or without @kind of what stands at its path.  Return: its folder, or -errno. */
static int find_status(int folder, const char *path, const char *kind, bool failed,
		       char below[PATH_MAX], const char **last, struct stat *st)
{
	const int rc = mr_recording_name(below, path, kind, failed);
	mr_auto_fd int parent = -1;

	*last = below;
	parent = rc ? rc : mr_recording_parent(folder, below, false, last);
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
	return open_file(folder, path, NULL, false);
}

/* Return: bytes, or -errno; -ENOENT where nothing was recorded. */
static ssize_t read_call(int folder, const char *path, const char *kind, bool failed, char *text,
			 size_t size)
{
	mr_auto_fd int fd = open_file(folder, path, kind, failed);

	text[0] = '\0';
	if (fd < 0)
		return fd == -ENOTDIR ? -ENOENT : fd;
	return mr_recording_read_fd(fd, text, size);
}

int mr_recording_error(int folder, const char *kind, const char *path)
{
	char name[32];
	const ssize_t got = read_call(folder, path, kind, true, name, sizeof(name));
	int error;

	if (got < 0)
		return got == -ENOENT ? 0 : (int)got;
	error = mr_errno_parse(name, strcspn(name, "\n"));
	return error ? -error : -EIO;
}

ssize_t mr_recording_get(int folder, const char *kind, const char *path, char *text, size_t size)
{
	const int error = mr_recording_error(folder, kind, path);
	ssize_t got;

	text[0] = '\0';
	if (error)
		return error;
	got = read_call(folder, path, kind, false, text, size);
	if (got > 0 && text[got - 1] == '\n')
		text[--got] = '\0';
	return got;
}

int mr_recording_list(int folder, const char *path, char **names)
{
	char below[PATH_MAX];
	const char *last;
	mr_auto_fd int parent = -1;
	struct stat st;
	ssize_t got;

	*names = malloc(LIST_MAX);
	if (!*names)
		return -ENOMEM;
	got = mr_recording_get(folder, "list", path, *names, LIST_MAX);
	if (got != -ENOENT)
		return got < 0 ? (int)got : 0;
	parent = find_status(folder, path, NULL, false, below, &last, &st);
	if (parent < 0)
		return parent;
	free(*names);
	*names = NULL;
	return S_ISDIR(st.st_mode) ? mr_names_read(parent, last, names) : -ENOTDIR;
}

int mr_recording_mode(int folder, const char *path, uint32_t *mode)
{
	char below[PATH_MAX];
	const char *last;
	struct stat st;
	mr_auto_fd int parent = find_status(folder, path, NULL, false, below, &last, &st);

	if (parent < 0)
		return parent;
	*mode = st.st_mode;
	return S_ISLNK(st.st_mode) ? -ELOOP : 0;
}

/* ---- writing ---- */

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

/* A line that was of use.  It is written at the end: another reader may use other lines of its file. */
struct line {
	char *path;
	uint64_t number; /* END: the file was read to its end once */
	char *text;
};

#define END UINT64_MAX

struct mr_recorder {
	int folder;
	int error;   /* the first -errno; 0: none */
	void *lines; /* tsearch(3): by path and number */
};

void mr_recorder_note(struct mr_recorder *recorder, int error)
{
	if (recorder && !recorder->error)
		recorder->error = error;
}

/* ---- files of the recording ---- */

static bool exists(const struct mr_recorder *recorder, const char *path, const char *kind,
		   bool failed)
{
	char below[PATH_MAX];
	const char *last;
	struct stat st;
	mr_auto_fd int parent =
		find_status(recorder->folder, path, kind, failed, below, &last, &st);

	return parent >= 0;
}

static void put(struct mr_recorder *recorder, const char *path, const char *kind, bool failed,
		const char *text, size_t length)
{
	char below[PATH_MAX];
	int rc = mr_recording_name(below, path, kind, failed);

	if (!rc)
		rc = mr_recording_write(recorder->folder, below, text, length, kind ? "\n" : "");
	mr_recorder_note(recorder, rc);
}

/* ---- whole files, and answers ---- */

void mr_recorder_file(struct mr_recorder *recorder, const char *path, const char *text,
		      size_t length)
{
	if (recorder && !exists(recorder, path, "read", true))
		put(recorder, path, NULL, false, text, length);
}

void mr_recorder_answer(struct mr_recorder *recorder, const char *kind, const char *path,
			const char *text)
{
	if (recorder && !exists(recorder, path, kind, true))
		put(recorder, path, kind, false, text, strlen(text));
}

void mr_recorder_error(struct mr_recorder *recorder, const char *kind, const char *path, int error)
{
	const char *success = strcmp(kind, "read") != 0 ? kind : NULL;
	const char *name = mr_errno_name(-error);

	if (!recorder || error == -ENOENT)
		return;
	name = name ? name : "EIO";
	/* A shortage of this process is no fact about the host: then the recording is incomplete. */
	if (error == -ENOMEM || error == -EMFILE || error == -ENFILE)
		mr_recorder_note(recorder, error);
	else if (!exists(recorder, path, success, false))
		put(recorder, path, kind, true, name, strlen(name));
}

/* ---- files by line ---- */

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->path, y->path) ?: (x->number > y->number) - (x->number < y->number);
}

static void free_line(void *data)
{
	struct line *line = data;

	free(line->path);
	free(line->text);
	free(line);
}

static bool has_line(const struct mr_recorder *recorder, const char *path, uint64_t number)
{
	const struct line wanted = { .path = (char *)path, .number = number };

	return tfind(&wanted, &recorder->lines, compare_lines);
}

void mr_recorder_line(struct mr_recorder *recorder, const char *path, uint64_t number,
		      const char *text)
{
	struct line *line;

	if (!recorder || has_line(recorder, path, number))
		return;
	line = calloc(1, sizeof(*line));
	if (line)
		*line = (struct line){ strdup(path), number, strdup(text) };
	if (line && line->path && line->text && tsearch(line, &recorder->lines, compare_lines))
		return;
	mr_recorder_note(recorder, -ENOMEM);
	if (line)
		free_line(line);
}

void mr_recorder_lines_end(struct mr_recorder *recorder, const char *path, int error)
{
	if (!error)
		mr_recorder_line(recorder, path, END, "");
	else if (recorder && !has_line(recorder, path, END))
		mr_recorder_error(recorder, "read", path, error);
}

/* The file whose lines are written. */
struct lines {
	struct mr_recorder *recorder;
	const char *path;
	FILE *stream;
	char *text;
	size_t length;
};

static void end_lines(struct lines *lines)
{
	if (lines->path && lines->stream && !fclose(lines->stream))
		put(lines->recorder, lines->path, NULL, false, lines->text, lines->length);
	else if (lines->path)
		mr_recorder_note(lines->recorder, -ENOMEM);
	free(lines->text);
}

/* Writes the lines of each file, also those that were read before an error. */
static void write_line(const void *node, VISIT visit, void *data)
{
	const struct line *line = *(struct line *const *)node;
	struct lines *lines = data;

	if (visit != postorder && visit != leaf)
		return;
	if (!lines->path || strcmp(lines->path, line->path) != 0) {
		end_lines(lines);
		*lines = (struct lines){ .recorder = lines->recorder, .path = line->path };
		lines->stream = open_memstream(&lines->text, &lines->length);
	}
	if (lines->stream && line->number != END)
		fprintf(lines->stream, "%s\n", line->text);
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
	struct lines lines = { .recorder = recorder };
	int error;

	if (!recorder)
		return 0;
	twalk_r(recorder->lines, write_line, &lines);
	end_lines(&lines);
	tdestroy(recorder->lines, free_line);
	error = recorder->error;
	close(recorder->folder);
	free(recorder);
	return error;
}
