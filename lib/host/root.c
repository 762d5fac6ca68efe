// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argz.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

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

/* Reads the status of a record.  Return: its folder, or -errno. */
static int find_status(int folder, const char *path, const char *kind, bool failed,
		       char below[PATH_MAX], const char **last, struct stat *st)
{
	const int rc = name_record(below, path, kind, failed);
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

/* Return: the errno with which a call failed, negative; 0 where none was recorded. */
static int recorded_error(int folder, const char *kind, const char *path)
{
	char name[32];
	const ssize_t got = read_record(folder, path, kind, true, name, sizeof(name));
	int error;

	if (got < 0)
		return got == -ENOENT ? 0 : (int)got;
	error = mr_errno_parse(name, strcspn(name, "\n"));
	return error ? -error : -EIO;
}

/*
 * Reads the answer of a call, cut where it does not fit; of one that is no content without the newline at its end.
 * Return: bytes; or -errno: the one that was recorded, or -ENOENT where nothing was.
 */
static ssize_t recorded_answer(int folder, const char *kind, const char *path, char *text,
			       size_t size)
{
	ssize_t got = recorded_error(folder, kind, path);
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

/* Reads the names of a folder, from anywhere; those of the folder itself where none were recorded. */
static int recorded_names(int folder, const char *path, char **names)
{
	mr_auto_fd int parent = -1;
	char below[PATH_MAX];
	const char *last;
	struct stat st;
	ssize_t got;

	*names = malloc(LIST_MAX);
	got = *names ? recorded_answer(folder, "list", path, *names, LIST_MAX) : -ENOMEM;
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

/* A used line.  It is written at the end: another reader may use other lines of its file. */
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

static void note_error(struct mr_recorder *recorder, int error)
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
		rc = mr_recording_write(recorder->folder, below, text, length,
					is_content(kind, failed) ? "" : "\n");
	note_error(recorder, rc);
}

/*
 * Records what a call answered; the first answer stays.
 * @result: -errno where it failed; else the bytes of @text, 0: up to its NUL
 */
static void record(struct mr_recorder *recorder, const char *kind, const char *path, ssize_t result,
		   const char *text)
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
	/* A shortage of this process is not a fact about the host, so the recording is incomplete. */
	if (result == -ENOMEM || result == -EMFILE || result == -ENFILE) {
		note_error(recorder, (int)result);
		return;
	}
	parent = find_status(recorder->folder, path, kind, !failed, below, &last, &st);
	if (parent < 0)
		put(recorder, path, kind, failed, text, result > 0 ? (size_t)result : strlen(text));
}

/* ---- files by line ---- */

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	return strcmp(x->path, y->path) ?: (x->number > y->number) - (x->number < y->number)
	       ?: (x->order > y->order) - (x->order < y->order);
}

/* Records a line of a file.  Where the file is read again, lines are added in its order. */
static void record_line(struct mr_recorder *recorder, const char *path, uint64_t number,
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
	note_error(recorder, -ENOMEM);
	free(line.path);
	free(line.text);
}

static void record_end(struct mr_recorder *recorder, const char *path, int error)
{
	if (!error)
		record_line(recorder, path, END, "");
	for (size_t i = 0; error && recorder && i < recorder->count; i++)
		if (recorder->lines[i].number == END && !strcmp(recorder->lines[i].path, path))
			return;
	if (error)
		record(recorder, "read", path, error, NULL);
}

/* Writes the lines of each file, also those that were read before an error. */
static void write_lines(struct mr_recorder *recorder)
{
	const struct line *lines = recorder->lines;

	if (!lines)
		return;
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
			note_error(recorder, -ENOMEM);
	}
}

/* ---- the folder ---- */

/* Makes the folder of a recording; one that exists must be empty. */
static int create_recorder(const char *folder, struct mr_recorder **recorder, struct mr_error *err)
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
		return mr_fail_text(
			err, MR_ERROR_HOST, EEXIST,
			"%s is not empty: a recording requires a new or empty directory", folder);
	*recorder = calloc(1, sizeof(**recorder));
	if (!*recorder)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	(*recorder)->folder = mr_steal_fd(&fd);
	return 0;
}

/* Return: 0, or the first -errno: a fact is found whether it can be recorded or not. */
static int close_recorder(struct mr_recorder *recorder)
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

/* Bytes of a file that are recorded, independent of its first reader. */
#define FILE_MAX (UINT64_C(1) << 20)

/* Bytes of a file that is read by line.  The largest, /proc/kallsyms, has some 20 MB. */
#define LINES_MAX (UINT64_C(64) << 20)

/* Bytes of an answer that are recorded, independent of its first reader. */
#define ANSWER_MAX (UINT64_C(64) << 10)

/* ---- opening and closing ---- */

struct mr_host *mr_this_host(void)
{
	static struct mr_host here = MR_THIS_HOST;

	return &here;
}

int mr_host_open(struct mr_host *host, const char *root, const char *copy, struct mr_error *err)
{
	int rc = 0;

	*host = (struct mr_host)MR_THIS_HOST;
	if (root) {
		host->recording = open(root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (host->recording < 0)
			return mr_fail(err, MR_ERROR_HOST, errno, "open", "%s", root);
	}
	if (copy)
		rc = create_recorder(copy, &host->recorder, err);
	if (rc && host->recording >= 0) {
		close(host->recording);
		host->recording = -1;
	}
	return rc;
}

int mr_host_close(struct mr_host *host, struct mr_error *err)
{
	const int error = close_recorder(host->recorder);

	if (host->recording >= 0)
		close(host->recording);
	*host = (struct mr_host)MR_THIS_HOST;
	return error ? mr_fail(err, MR_ERROR_HOST, -error, "write", "the recording is incomplete")
		     : 0;
}

/* ---- paths ---- */

__attribute__((format(printf, 2, 0))) static int write_path(char path[PATH_MAX], const char *fmt,
							    va_list ap)
{
	const int length = vsnprintf(path, PATH_MAX, fmt, ap);

	return length < 0 || length >= PATH_MAX ? -ENAMETOOLONG : mr_path_clean(path);
}

/* Notes what the file is about: below /proc/self and /proc/PID a process. */
static void note_read(struct mr_host *host, const char *path)
{
	static const char *const mapped[] = { "maps",      "smaps",   "smaps_rollup",
					      "numa_maps", "pagemap", "map_files" };
	const char *file = path + strlen("/proc/");
	bool is_process = !strncmp(path, "/proc/", strlen("/proc/")) &&
			  (!strncmp(file, "self", 4) || (*file >= '0' && *file <= '9'));

	host->reads |= is_process ? MR_READ_PROCESS : MR_READ_HOST;
	file = is_process ? strchr(file, '/') : NULL;
	for (size_t i = 0; file && i < sizeof(mapped) / sizeof(*mapped); i++)
		if (!strncmp(file + 1, mapped[i], strlen(mapped[i])))
			host->reads |= MR_READ_MEMORY;
}

/* Notes what an answer is about: those of the kernel and of devices are named so. */
static void note_answer(struct mr_host *host, const char *name)
{
	static const char *const of_host[] = { "kernel/", "rdma/",     "cpu/",     "device/",
					       "uname",   "page-size", "simulated" };

	for (size_t i = 0; i < sizeof(of_host) / sizeof(*of_host); i++) {
		if (!strncmp(name, of_host[i], strlen(of_host[i]))) {
			host->reads |= MR_READ_HOST;
			return;
		}
	}
	host->reads |= strcmp(name, "mappings") ? MR_READ_PROCESS : MR_READ_MEMORY;
}

/* Sets @path to the path that a caller gave: 0 or -errno. */
#define FORMAT_PATH(path, fmt)                                                                     \
	({                                                                                         \
		va_list ap_;                                                                       \
		int rc_;                                                                           \
                                                                                                   \
		va_start(ap_, fmt);                                                                \
		rc_ = write_path(path, fmt, ap_);                                                  \
		va_end(ap_);                                                                       \
		if (!rc_)                                                                          \
			note_read(host, path);                                                     \
		rc_;                                                                               \
	})

/* ---- files ---- */

static int open_path(const struct mr_host *host, const char *path)
{
	return mr_host_is_live(host) ? mr_live_open(host, path)
				     : open_file(host->recording, path, "read", false);
}

/* Takes the answer of a call from this machine or a recording, and records it.  Return: its bytes, or -errno. */
static ssize_t answer_call(struct mr_host *host, const char *kind, const char *path,
			   mr_answer *answer, void *data, char *text, size_t size)
{
	const ssize_t rc = mr_host_is_live(host)
				   ? answer(host, data, text, size)
				   : recorded_answer(host->recording, kind, path, text, size);

	record(host->recorder, kind, path, rc, text);
	return rc;
}

static int answer_read(const struct mr_host *host, void *data, char *text, size_t size)
{
	mr_auto_fd int fd = mr_live_open(host, data);

	return fd < 0 ? fd : (int)mr_recording_read_fd(fd, text, size);
}

/* As much of a file is recorded as later readers may want. */
static ssize_t read_path(struct mr_host *host, char *text, size_t size, char *path)
{
	char *whole = host->recorder ? malloc(FILE_MAX) : NULL;
	ssize_t got;

	text[0] = '\0';
	if (size > FILE_MAX)
		size = FILE_MAX;
	if (!whole) {
		note_error(host->recorder, -ENOMEM);
		return answer_call(host, "read", path, answer_read, path, text, size);
	}
	got = answer_call(host, "read", path, answer_read, path, whole, FILE_MAX);
	if (got >= (ssize_t)size)
		got = (ssize_t)size - 1;
	memcpy(text, whole, got < 0 ? 0 : (size_t)got);
	text[got < 0 ? 0 : got] = '\0';
	free(whole);
	return got;
}

ssize_t mr_host_read(struct mr_host *host, char *text, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];
	const int rc = FORMAT_PATH(path, fmt);

	text[0] = '\0';
	return rc ? rc : read_path(host, text, size, path);
}

bool mr_host_line(struct mr_host *host, char *line, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX];

	line[0] = '\0';
	if (FORMAT_PATH(path, fmt) || read_path(host, line, size, path) < 0)
		return false;
	line[strcspn(line, "\n")] = '\0';
	return line[0];
}

bool mr_host_number(struct mr_host *host, uint64_t *value, const char *fmt, ...)
{
	char path[PATH_MAX], text[64];
	const char *digits = text;
	uint64_t number;
	bool is_hex;

	if (FORMAT_PATH(path, fmt) || read_path(host, text, sizeof(text), path) < 0)
		return false;
	digits += strspn(digits, " \t");
	if (*digits < '0' || *digits > '9')
		return false;
	is_hex = digits[0] == '0' && digits[1] == 'x';
	errno = 0;
	number = strtoull(digits, NULL, is_hex ? 16 : 10);
	if (errno)
		return false;
	*value = number;
	return true;
}

struct mr_opt_u64 mr_host_opt_number(struct mr_host *host, const char *fmt, ...)
{
	struct mr_opt_u64 number = { 0, false };
	char path[PATH_MAX];

	number.known = !FORMAT_PATH(path, fmt) && mr_host_number(host, &number.value, "%s", path);
	return number;
}

/* Reads a line, without its newline, as much of it as fits.  Return: false at the end. */
static bool read_line(FILE *file, char *line, size_t size, uint64_t *bytes)
{
	size_t length = 0;
	int c;

	while ((c = getc_unlocked(file)) != EOF && c != '\n' && ++*bytes < LINES_MAX)
		if (length < size - 1)
			line[length++] = (char)c;
	line[length] = '\0';
	++*bytes;
	return c != EOF || (length && !ferror(file));
}

/* Return: 0 or -errno. */
static int read_lines(struct mr_host *host, const char *path, FILE *file,
		      bool (*take)(const char *line, void *data), void *data)
{
	char line[4096];
	uint64_t bytes = 0;

	errno = 0;
	for (uint64_t n = 1; read_line(file, line, sizeof(line), &bytes); n++) {
		if (bytes >= LINES_MAX)
			return -EFBIG;
		if (take(line, data))
			record_line(host->recorder, path, n, line);
		errno = 0;
	}
	return ferror(file) ? -(errno ? errno : EIO) : 0;
}

/* A recording may have the lines that were read before an error, and that error. */
static int read_all_lines(struct mr_host *host, bool (*take)(const char *line, void *data),
			  void *data, const char *path)
{
	mr_auto_fd int fd = open_path(host, path);
	mr_auto_file FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
	int rc = fd < 0 ? fd : -ENOMEM, error = 0;

	if (file) {
		mr_steal_fd(&fd);
		rc = read_lines(host, path, file, take, data);
	}
	if (!mr_host_is_live(host))
		error = recorded_error(host->recording, "read", path);
	rc = error ? error : rc;
	record_end(host->recorder, path, rc);
	return rc;
}

int mr_host_lines(struct mr_host *host, bool (*take)(const char *line, void *data), void *data,
		  const char *fmt, ...)
{
	char path[PATH_MAX];

	return FORMAT_PATH(path, fmt) ?: read_all_lines(host, take, data, path);
}

struct figures {
	const struct mr_figure *rows;
	void *structure;
};

static bool take_figures(const char *line, void *data)
{
	const struct figures *figures = data;

	return mr_figures_take(line, figures->rows, figures->structure);
}

int mr_host_figures(struct mr_host *host, const struct mr_figure *rows, void *structure,
		    const char *fmt, ...)
{
	struct figures figures = { rows, structure };
	char path[PATH_MAX];

	return FORMAT_PATH(path, fmt) ?: read_all_lines(host, take_figures, &figures, path);
}

/* ---- folders, links, devices ---- */

static int list_names(struct mr_host *host, const char *path, char **names, size_t *size)
{
	char found[PATH_MAX], *text = NULL, *name, *rest;
	int rc, count = 0;

	if (mr_host_is_live(host))
		rc = mr_live_path(host, path, found) ?: mr_names_read(AT_FDCWD, found, &text);
	else
		rc = recorded_names(host->recording, path, &text);
	record(host->recorder, "list", path, rc, text);
	for (rest = text; !rc && (name = strsep(&rest, "\n"));)
		if (mr_name_is_shown(name)) {
			rc = -argz_add(names, size, name);
			count++;
		}
	free(text);
	return rc ? rc : count;
}

int mr_host_names(struct mr_host *host, char **names, size_t *size, const char *fmt, ...)
{
	char path[PATH_MAX];
	const int rc = FORMAT_PATH(path, fmt);

	*names = NULL;
	*size = 0;
	return rc ? rc : list_names(host, path, names, size);
}

int mr_host_list(struct mr_host *host, void (*take)(const char *name, void *data), void *data,
		 const char *fmt, ...)
{
	mr_auto_free char *names = NULL;
	size_t size = 0;
	char path[PATH_MAX];
	const int rc = FORMAT_PATH(path, fmt) ?: list_names(host, path, &names, &size);

	for (const char *name = NULL; take && (name = argz_next(names, size, name));)
		take(name, data);
	return rc;
}

bool mr_host_exists(struct mr_host *host, const char *fmt, ...)
{
	struct mr_host_status status;
	char path[PATH_MAX];

	return !FORMAT_PATH(path, fmt) && !mr_host_stat(host, &status, "%s", path);
}

static int answer_link(const struct mr_host *host, void *data, char *text, size_t size)
{
	char found[PATH_MAX];
	ssize_t got;
	const int rc = mr_live_path(host, data, found);

	if (rc)
		return rc;
	got = readlink(found, text, size);
	if (got < 0 || (size_t)got == size)
		return got < 0 ? -errno : -ENAMETOOLONG;
	text[got] = '\0';
	return 0;
}

bool mr_host_link(struct mr_host *host, char *target, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], whole[PATH_MAX];

	target[0] = '\0';
	if (FORMAT_PATH(path, fmt) ||
	    answer_call(host, "link", path, answer_link, path, whole, sizeof(whole)) < 0 ||
	    strlen(whole) >= size)
		return false;
	strcpy(target, whole);
	return true;
}

void mr_host_link_end(struct mr_host *host, char *end, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];

	end[0] = '\0';
	if (!FORMAT_PATH(path, fmt) && mr_host_link(host, target, sizeof(target), "%s", path) &&
	    strlen(basename(target)) < size)
		strcpy(end, basename(target));
}

static int answer_stat(const struct mr_host *host, void *data, char *text, size_t size)
{
	struct stat st;
	const int rc = mr_live_stat(host, data, &st);

	if (!rc)
		snprintf(text, size, "mode=%o uid=%u gid=%u device=%u:%u", st.st_mode, st.st_uid,
			 st.st_gid, major(st.st_rdev), minor(st.st_rdev));
	return rc;
}

int mr_host_stat(struct mr_host *host, struct mr_host_status *status, const char *fmt, ...)
{
	char path[PATH_MAX], text[128];
	ssize_t rc = FORMAT_PATH(path, fmt);

	if (!rc)
		rc = answer_call(host, "stat", path, answer_stat, path, text, sizeof(text));
	if (rc >= 0 &&
	    sscanf(text,
		   "mode=%" SCNo32 " uid=%" SCNu32 " gid=%" SCNu32 " device=%" SCNu32 ":%" SCNu32,
		   &status->mode, &status->uid, &status->gid, &status->major, &status->minor) != 5)
		rc = -EIO;
	if (rc < 0)
		*status = (struct mr_host_status){ 0 };
	return rc < 0 ? (int)rc : 0;
}

static int answer_open(const struct mr_host *host, void *data, char *text, size_t size)
{
	mr_auto_fd int fd = -1;

	if (host->process)
		return -ENODATA;
	fd = open(data, O_RDWR | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	snprintf(text, size, "ok");
	return fd < 0 ? -errno : 0;
}

int mr_host_open_device(struct mr_host *host, const char *fmt, ...)
{
	char path[PATH_MAX], text[8];
	ssize_t rc = FORMAT_PATH(path, fmt);

	if (!rc)
		rc = answer_call(host, "open", path, answer_open, path, text, sizeof(text));
	return rc < 0 ? (int)rc : 0;
}

/* ---- answers of calls ---- */

int mr_host_query(struct mr_host *host, mr_answer *answer, void *data, char *text, size_t size,
		  const char *fmt, ...)
{
	char name[PATH_MAX], path[PATH_MAX],
		whole[ANSWER_MAX]; /* there may be no memory to allocate */
	va_list ap;
	ssize_t rc;

	va_start(ap, fmt);
	rc = vsnprintf(name, sizeof(name), fmt, ap);
	va_end(ap);
	text[0] = '\0';
	if (rc < 0 || snprintf(path, sizeof(path), "/%s", name) >= (int)sizeof(path))
		return -ENAMETOOLONG;
	if (mr_path_clean(path))
		return -EINVAL;
	note_answer(host, path + 1);
	whole[0] = '\0';
	rc = answer_call(host, "answer", path, answer, data, whole, sizeof(whole));
	if (rc < 0)
		return (int)rc;
	snprintf(text, size, "%s", whole);
	return 0;
}
