// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/recorder.h"
#include "lib/host/recording.h"

struct line {
	uint64_t number;
	char *text;
};

/* The lines of a file that were of use.  It is written at the end: another reader may use other lines. */
struct lines {
	char *path;
	struct line *list; /* by number */
	size_t count, room;
	bool complete; /* the file was read to its end once */
	struct lines *next;
};

struct mr_recorder {
	int folder;
	int error; /* the first -errno; 0: none */
	struct lines *files;
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
	mr_auto_fd int parent = -1;

	if (mr_recording_name(below, path, kind, failed))
		return false;
	parent = mr_recording_parent(recorder->folder, below, false, &last);
	return parent >= 0 && !faccessat(parent, last, F_OK, AT_SYMLINK_NOFOLLOW);
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

void mr_recorder_names(struct mr_recorder *recorder, const char *path, const struct mr_names *names)
{
	mr_auto_free char *text = NULL;
	size_t length = 0;
	FILE *stream;

	if (!recorder)
		return;
	stream = open_memstream(&text, &length);
	for (size_t i = 0; stream && i < names->count; i++) {
		if (i)
			fputc('\n', stream);
		fwrite(names->list[i], 1, strlen(names->list[i]), stream);
	}
	if (!stream || fclose(stream))
		mr_recorder_note(recorder, -ENOMEM);
	else
		mr_recorder_answer(recorder, "list", path, text);
}

/* What this process lacks is no fact about the host: then the recording is incomplete. */
static bool is_own_shortage(int error)
{
	return error == -ENOMEM || error == -EMFILE || error == -ENFILE;
}

void mr_recorder_error(struct mr_recorder *recorder, const char *kind, const char *path, int error)
{
	const char *success = strcmp(kind, "read") != 0 ? kind : NULL;
	const char *name = mr_errno_name(-error);

	if (!recorder || error == -ENOENT)
		return;
	name = name ? name : "EIO";
	if (is_own_shortage(error))
		mr_recorder_note(recorder, error);
	else if (!exists(recorder, path, success, false))
		put(recorder, path, kind, true, name, strlen(name));
}

/* ---- files by line ---- */

/* The file of that path, which is added where it is new; NULL where memory is short. */
static struct lines *find_file(struct mr_recorder *recorder, const char *path)
{
	struct lines *file = recorder->files;

	while (file && strcmp(file->path, path) != 0)
		file = file->next;
	if (file)
		return file;
	file = calloc(1, sizeof(*file));
	if (!file)
		return NULL;
	file->path = strdup(path);
	if (!file->path) {
		free(file);
		return NULL;
	}
	file->next = recorder->files;
	recorder->files = file;
	return file;
}

/* Where the line of that number stands, or would. */
static size_t find_line(const struct lines *file, uint64_t number)
{
	size_t low = 0, high = file->count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (file->list[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int add_line(struct lines *file, uint64_t number, const char *text)
{
	const size_t at = find_line(file, number);
	char *copy;

	if (at < file->count && file->list[at].number == number)
		return 0;
	if (file->count == file->room) {
		const size_t room = file->room ? 2 * file->room : 16;
		struct line *list = realloc(file->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		file->list = list;
		file->room = room;
	}
	copy = strdup(text);
	if (!copy)
		return -ENOMEM;
	memmove(&file->list[at + 1], &file->list[at], (file->count - at) * sizeof(*file->list));
	file->list[at].number = number;
	file->list[at].text = copy;
	file->count++;
	return 0;
}

void mr_recorder_line(struct mr_recorder *recorder, const char *path, uint64_t number,
		      const char *line)
{
	struct lines *file = recorder ? find_file(recorder, path) : NULL;

	if (recorder)
		mr_recorder_note(recorder, file ? add_line(file, number, line) : -ENOMEM);
}

void mr_recorder_lines_end(struct mr_recorder *recorder, const char *path, int error)
{
	struct lines *file = recorder && error != -ENOENT ? find_file(recorder, path) : NULL;

	if (!recorder || error == -ENOENT)
		return;
	if (!file)
		mr_recorder_note(recorder, -ENOMEM);
	else if (!error)
		file->complete = true;
	else if (!file->complete)
		mr_recorder_error(recorder, "read", path, error);
}

/* Writes the lines of a file, also those that were read before an error. */
static int write_lines(struct mr_recorder *recorder, const struct lines *file)
{
	mr_auto_free char *text = NULL;
	size_t length = 0;
	FILE *stream;

	if (!file->count && !file->complete)
		return 0;
	stream = open_memstream(&text, &length);
	if (!stream)
		return -ENOMEM;
	for (size_t i = 0; i < file->count; i++) {
		fwrite(file->list[i].text, 1, strlen(file->list[i].text), stream);
		fputc('\n', stream);
	}
	if (fclose(stream))
		return -ENOMEM;
	put(recorder, file->path, NULL, false, text, length);
	return 0;
}

static void free_lines(struct lines *file)
{
	for (size_t i = 0; i < file->count; i++)
		free(file->list[i].text);
	free(file->list);
	free(file->path);
	free(file);
}

/* ---- the folder ---- */

static int check_empty(const char *folder, int fd, struct mr_error *err)
{
	struct mr_names names = { .count = 0 };
	const int rc = mr_names_read(&names, fcntl(fd, F_DUPFD_CLOEXEC, 0));
	const bool is_empty = !names.count;

	mr_names_free(&names);
	if (rc)
		return mr_fail(err, MR_ERROR_HOST, -rc, "readdir", "%s", folder);
	return is_empty ? 0
			: mr_fail_text(err, MR_ERROR_HOST, EEXIST,
				       "%s is not empty: a recording needs a folder of its own",
				       folder);
}

int mr_recorder_create(const char *folder, struct mr_recorder **recorder, struct mr_error *err)
{
	mr_auto_fd int fd = -1;
	int rc;

	*recorder = NULL;
	if (mkdir(folder, 0755) && errno != EEXIST)
		return mr_fail(err, MR_ERROR_HOST, errno, "mkdir", "%s", folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", folder);
	rc = check_empty(folder, fd, err);
	if (rc)
		return rc;
	*recorder = calloc(1, sizeof(**recorder));
	if (!*recorder)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	(*recorder)->folder = mr_steal_fd(&fd);
	return 0;
}

int mr_recorder_close(struct mr_recorder *recorder)
{
	struct lines *file;
	int error;

	if (!recorder)
		return 0;
	while ((file = recorder->files)) {
		recorder->files = file->next;
		mr_recorder_note(recorder, write_lines(recorder, file));
		free_lines(file);
	}
	error = recorder->error;
	close(recorder->folder);
	free(recorder);
	return error;
}
