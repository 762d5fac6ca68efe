// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

/* Returns whether a text can be the name of a file that is not hidden, and is one line. */
static bool mr_name_is_shown(const char *name)
{
	return name[0] && name[0] != '.' && strlen(name) <= NAME_MAX && !strpbrk(name, "/\n");
}

/* Return: 0 or -ENOMEM. */
static int mr_names_add(struct mr_names *names, const char *name)
{
	if (names->count == names->room) {
		const size_t room = names->room ? 2 * names->room : 16;
		char **list = realloc(names->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		names->list = list;
		names->room = room;
	}
	names->list[names->count] = strdup(name);
	if (!names->list[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

int mr_names_read(struct mr_names *names, int fd)
{
	DIR *folder = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *entry;
	int rc;

	if (!folder) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	do {
		errno = 0;
		entry = readdir(folder);
		rc = entry ? 0 : -errno;
		if (entry && mr_name_is_shown(entry->d_name))
			rc = mr_names_add(names, entry->d_name);
	} while (entry && !rc);
	closedir(folder);
	return rc;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

void mr_names_sort(struct mr_names *names)
{
	size_t kept = 0;

	if (!names->count)
		return;
	qsort(names->list, names->count, sizeof(*names->list), compare);
	for (size_t i = 1; i < names->count; i++)
		if (strcmp(names->list[i], names->list[kept]) != 0)
			names->list[++kept] = names->list[i];
		else
			free(names->list[i]);
	names->count = kept + 1;
}

void mr_names_free(struct mr_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->list[i]);
	free(names->list);
	*names = (struct mr_names){ .count = 0 };
}

/* Bytes of a list of names that are read: as many as a folder with a million short ones has. */
#define LIST_MAX (UINT64_C(16) << 20)

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

static int find_status(int folder, const char *below, struct stat *st)
{
	const char *last;
	mr_auto_fd int parent = mr_recording_parent(folder, below, false, &last);

	if (parent < 0)
		return parent;
	return fstatat(parent, last, st, AT_SYMLINK_NOFOLLOW) ? -errno : 0;
}

/* A FIFO would make opening wait, and a device may do anything when it is opened. */
static int open_file(int folder, const char *below)
{
	const char *last;
	mr_auto_fd int parent = mr_recording_parent(folder, below, false, &last);
	struct stat st;
	int fd;

	if (parent < 0)
		return parent;
	if (fstatat(parent, last, &st, AT_SYMLINK_NOFOLLOW))
		return -errno;
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
	char below[PATH_MAX];
	const int rc = mr_recording_name(below, path, NULL, false);

	return rc ? rc : open_file(folder, below);
}

/* Return: bytes, or -errno; -ENOENT where nothing was recorded. */
static ssize_t read_call(int folder, const char *path, const char *kind, bool failed, char *text,
			 size_t size)
{
	char below[PATH_MAX];
	const int rc = mr_recording_name(below, path, kind, failed);
	mr_auto_fd int fd = rc ? rc : open_file(folder, below);

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

/* ---- folders ---- */

static int split_names(char *text, struct mr_names *names)
{
	char *rest = text, *name;
	int rc = 0;

	while (!rc && (name = strsep(&rest, "\n")))
		if (mr_name_is_shown(name))
			rc = mr_names_add(names, name);
	return rc;
}

/* Return: 0; or -errno, -ENOENT where nothing was recorded. */
static int read_names(int folder, const char *path, struct mr_names *names)
{
	char *text = malloc(LIST_MAX);
	ssize_t got;
	int rc;

	if (!text)
		return -ENOMEM;
	got = mr_recording_get(folder, "list", path, text, LIST_MAX);
	rc = got < 0 ? (int)got : split_names(text, names);
	free(text);
	return rc;
}

int mr_recording_list(int folder, const char *path, struct mr_names *names)
{
	char below[PATH_MAX];
	const char *last;
	mr_auto_fd int parent = -1;
	int rc = read_names(folder, path, names);

	if (rc != -ENOENT)
		return rc;
	rc = mr_recording_name(below, path, NULL, false);
	if (rc)
		return rc;
	parent = mr_recording_parent(folder, below, false, &last);
	if (parent < 0)
		return parent;
	return mr_names_read(names,
			     openat(parent, last, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

int mr_recording_mode(int folder, const char *path, uint32_t *mode)
{
	char below[PATH_MAX];
	struct stat st;
	int rc = mr_recording_name(below, path, NULL, false);

	if (!rc)
		rc = find_status(folder, below, &st);
	if (!rc && S_ISLNK(st.st_mode))
		rc = -ELOOP;
	if (!rc)
		*mode = st.st_mode;
	return rc;
}

/* ---- writing ---- */

static int write_whole(int fd, const char *text, size_t length)
{
	while (length) {
		const ssize_t done = write(fd, text, length);

		if (done < 0 && errno != EINTR)
			return -errno;
		text += done > 0 ? done : 0;
		length -= done > 0 ? (size_t)done : 0;
	}
	return 0;
}

/* Some file systems report a full disk by close() only. */
int mr_recording_write(int folder, const char *below, const char *text, size_t length,
		       const char *end)
{
	const char *last;
	mr_auto_fd int parent = mr_recording_parent(folder, below, true, &last);
	int fd, rc;

	if (parent < 0)
		return parent;
	fd = openat(parent, last, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return errno == EEXIST ? 0 : -errno;
	rc = write_whole(fd, text, length);
	if (!rc)
		rc = write_whole(fd, end, strlen(end));
	if (close(fd) && !rc)
		rc = -errno;
	if (rc)
		unlinkat(parent, last, 0);
	return rc;
}

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

static int add_line(struct lines *file, uint64_t number, const char *text)
{
	size_t at = file->count;
	char *copy;

	while (at && file->list[at - 1].number > number)
		at--;
	if (at && file->list[at - 1].number == number)
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
