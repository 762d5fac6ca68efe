// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <argz.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

/* The parts of sysfs that libibverbs looks for below $SYSFS_PATH. */
static const char *const moved[] = { "/sys/class/infiniband", "/sys/class/infiniband_verbs",
				     "/sys/module/ib_core" };

int mr_live_path(const struct mr_host *host, const char *path, char found[PATH_MAX])
{
	const char *own = getenv("SYSFS_PATH");
	char sysfs[PATH_MAX], seen[PATH_MAX], *moved_path = host->process ? seen : found;
	bool is_moved = false;

	for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++) {
		const size_t part = strlen(moved[i]);

		is_moved |= !strncmp(path, moved[i], part) && (path[part] == '/' || !path[part]);
	}
	snprintf(sysfs, sizeof(sysfs), "%s", own ?: "");
	if (is_moved)
		is_moved = host->process ? mr_process_variable(host->process, "SYSFS_PATH", sysfs,
							       sizeof(sysfs)) > 0
					 : own != NULL;
	if (snprintf(moved_path, PATH_MAX, "%s%s", is_moved ? sysfs : "",
		     is_moved ? path + strlen("/sys") : path) >= PATH_MAX)
		return -ENAMETOOLONG;
	return host->process ? mr_seen_by(host, seen, found) : 0;
}

/* Opening must not wait, where something else is mounted over the file, or $SYSFS_PATH has a FIFO. */
int mr_live_open(const struct mr_host *host, const char *path)
{
	char found[PATH_MAX];
	mr_auto_fd int fd = -1;
	struct stat st;
	int rc;

	rc = mr_live_path(host, path, found);
	if (rc)
		return rc;
	fd = open(found, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	return mr_steal_fd(&fd);
}

int mr_live_stat(const struct mr_host *host, const char *path, struct stat *st)
{
	char found[PATH_MAX];
	int rc;

	rc = mr_live_path(host, path, found);
	if (rc)
		return rc;
	return stat(found, st) ? -errno : 0;
}

/* Bytes of a file that are recorded, whatever its first reader wants. */
#define FILE_MAX (UINT64_C(1) << 20)

/* Bytes of a file that is read by line.  The largest, /proc/kallsyms, has some 20 MB. */
#define LINES_MAX (UINT64_C(64) << 20)

/* Bytes of an answer that are recorded, whatever its first reader wants. */
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
		rc = mr_recorder_create(copy, &host->recorder, err);
	if (rc && host->recording >= 0) {
		close(host->recording);
		host->recording = -1;
	}
	return rc;
}

int mr_host_close(struct mr_host *host, struct mr_error *err)
{
	const int error = mr_recorder_close(host->recorder);

	if (host->recording >= 0)
		close(host->recording);
	*host = (struct mr_host)MR_THIS_HOST;
	return error ? mr_fail(err, MR_ERROR_HOST, -error, "write", "the recording is incomplete")
		     : 0;
}

/* ---- paths ---- */

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
				     : mr_recording_open(host->recording, path);
}

/* Takes the answer of a call from this machine or a recording, and records it.  Return: its bytes, or -errno. */
static ssize_t answer_call(struct mr_host *host, const char *kind, const char *path,
			   mr_answer *answer, void *data, char *text, size_t size)
{
	const ssize_t rc = mr_host_is_live(host)
				   ? answer(host, data, text, size)
				   : mr_recording_get(host->recording, kind, path, text, size);

	mr_recorder_put(host->recorder, kind, path, rc, text);
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
	mr_auto_free char *whole = host->recorder ? malloc(FILE_MAX) : NULL;
	ssize_t got;

	text[0] = '\0';
	if (size > FILE_MAX)
		size = FILE_MAX;
	if (!whole) {
		mr_recorder_note(host->recorder, -ENOMEM);
		return answer_call(host, "read", path, answer_read, path, text, size);
	}
	got = answer_call(host, "read", path, answer_read, path, whole, FILE_MAX);
	if (got >= (ssize_t)size)
		got = (ssize_t)size - 1;
	memcpy(text, whole, got < 0 ? 0 : (size_t)got);
	text[got < 0 ? 0 : got] = '\0';
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
			mr_recorder_line(host->recorder, path, n, line);
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
		error = mr_recording_error(host->recording, "read", path);
	rc = error ? error : rc;
	mr_recorder_lines_end(host->recorder, path, rc);
	return rc;
}

int mr_host_lines(struct mr_host *host, bool (*take)(const char *line, void *data), void *data,
		  const char *fmt, ...)
{
	char path[PATH_MAX];

	return FORMAT_PATH(path, fmt) ?: read_all_lines(host, take, data, path);
}

/* ---- lines of some kinds ---- */

/* Reads the next figure of a text, and moves @text behind it. */
static bool next_figure(const char **text, int base, uint64_t *value)
{
	static const char unlimited[] = "unlimited";
	const char *digits = *text + strspn(*text, " \t");
	char *end;

	if (!strncmp(digits, unlimited, strlen(unlimited))) {
		*value = UINT64_MAX;
		*text = digits + strlen(unlimited);
		return true;
	}
	if (!isxdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*value = strtoull(digits, &end, base);
	*text = end;
	return end != digits && !errno && (!*end || mr_is_blank(*end));
}

bool mr_figures_take(const char *line, const struct mr_figure *rows, void *structure)
{
	bool is_of_use = false;

	for (const struct mr_figure *row = rows; row->name; row++) {
		const char *text = line + strlen(row->name);
		bool is_read = true;
		uint64_t value = 0;

		if (strncmp(line, row->name, strlen(row->name)) != 0)
			continue;
		is_of_use = true;
		for (int i = 0; is_read && i <= row->index; i++)
			is_read = next_figure(&text, row->base ?: 10, &value);
		if (is_read && value <= UINT64_MAX >> row->shift &&
		    (!row->shift || !strcmp(text, " kB")))
			*(struct mr_opt_u64 *)((char *)structure + row->offset) =
				(struct mr_opt_u64){ value << row->shift, true };
	}
	return is_of_use;
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

/* Replaces \040 and the like, as proc_pid_mountinfo(5) writes blanks. */
static void unescape(char *text)
{
	char *to = text;
	unsigned int code;

	for (; *text; text++, to++) {
		*to = *text;
		if (*text == '\\' && sscanf(text + 1, "%3o", &code) == 1 &&
		    strspn(text + 1, "01234567") >= 3) {
			*to = (char)code;
			text += 3;
		}
	}
	*to = '\0';
}

bool mr_mount_parse(const char *line, struct mr_mount *mount)
{
	const char *rest = strstr(line, " - ");

	mount->options[0] = '\0';
	if (!rest ||
	    sscanf(line, "%*s %*s %u:%u %4095s %4095s", &mount->major, &mount->minor, mount->root,
		   mount->point) != 4 ||
	    sscanf(rest, " - %31s %*s %4095s", mount->type, mount->options) < 1)
		return false;
	unescape(mount->root);
	unescape(mount->point);
	mr_clean_text(mount->type, sizeof(mount->type));
	return true;
}

/* ---- folders, links, devices ---- */

static int list_names(struct mr_host *host, const char *path, char **names, size_t *size)
{
	mr_auto_free char *text = NULL;
	char found[PATH_MAX], *name, *rest;
	int rc, count = 0;

	if (mr_host_is_live(host))
		rc = mr_live_path(host, path, found) ?: mr_names_read(AT_FDCWD, found, &text);
	else
		rc = mr_recording_list(host->recording, path, &text);
	mr_recorder_put(host->recorder, "list", path, rc, text);
	for (rest = text; !rc && (name = strsep(&rest, "\n"));)
		if (mr_name_is_shown(name)) {
			rc = -argz_add(names, size, name);
			count++;
		}
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
	memcpy(target, whole, strlen(whole) + 1);
	return true;
}

void mr_host_link_end(struct mr_host *host, char *end, size_t size, const char *fmt, ...)
{
	char path[PATH_MAX], target[PATH_MAX];
	const char *last = target;

	end[0] = '\0';
	if (FORMAT_PATH(path, fmt) || !mr_host_link(host, target, sizeof(target), "%s", path))
		return;
	if (strrchr(target, '/'))
		last = strrchr(target, '/') + 1;
	if (strlen(last) < size)
		memcpy(end, last, strlen(last) + 1);
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
