/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Recordings of hosts that tests make up, in a folder that is removed at the end. */
#ifndef TESTS_UNIT_RECORDED_HOST_H
#define TESTS_UNIT_RECORDED_HOST_H

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <sys/stat.h>

#include "lib/host/reading.h"
#include "tests/unit/unit.h"

/** A made-up host: the folder of its recording, and the recording opened. */
struct recorded_host {
	char folder[64];
	struct mr_host host;
};

static inline void recorded_host_begin(struct recorded_host *recorded)
{
	struct mr_error err;

	strcpy(recorded->folder, "/tmp/mrctl-unit-host.XXXXXX");
	assert_non_null(mkdtemp(recorded->folder));
	assert_int_equal(mr_host_open(&recorded->host, recorded->folder, NULL, &err), 0);
}

static inline int recorded_host_remove(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void recorded_host_end(struct recorded_host *recorded)
{
	struct mr_error err;

	assert_int_equal(mr_host_close(&recorded->host, &err), 0);
	assert_int_equal(nftw(recorded->folder, recorded_host_remove, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* Opens a file of the recording; @path begins with "/", and the folders that lead to it are made. */
static inline FILE *recorded_host_open(const struct recorded_host *recorded, const char *path, const char *mode)
{
	char whole[PATH_MAX];
	FILE *file;

	snprintf(whole, sizeof(whole), "%s%s", recorded->folder, path);
	for (char *slash = strchr(whole + strlen(recorded->folder) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(whole, 0755);
		*slash = '/';
	}
	file = fopen(whole, mode);
	if (!file)
		fail_msg("%s: %s", path, strerror(errno));
	return file;
}

/** recorded_host_put() - write a file; @path begins with "/" */
static inline void recorded_host_put(const struct recorded_host *recorded, const char *path, const char *text)
{
	FILE *file = recorded_host_open(recorded, path, "w");

	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/** recorded_host_load() - add what tests/hosts/NAME.host has (its README tells of the format) */
static inline void recorded_host_load(const struct recorded_host *recorded, const char *name)
{
	char path[PATH_MAX], line[512], other[256] = "";
	FILE *file, *block = NULL;

	snprintf(path, sizeof(path), "tests/hosts/%s.host", name);
	file = fopen(path, "r");
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		const bool is_path = sscanf(line, "%*[-=] /%254s", other + 1) == 1;

		if (sscanf(line, "# from: %255s", other) == 1)
			recorded_host_load(recorded, other);
		if (!is_path && block)
			fputs(line, block);
		if (is_path && block) {
			fclose(block);
			block = NULL;
		}
		other[0] = '/';
		if (is_path && line[0] == '=')
			block = recorded_host_open(recorded, other, "w");
		snprintf(path, sizeof(path), "%s%s", recorded->folder, other);
		if (is_path && line[0] == '-')
			remove(path);
	}
	if (block)
		fclose(block);
	fclose(file);
}

/**
 * recorded_host_change() - change files, as a row of a table says
 * @lines: "/PATH TEXT" writes a line into a file, "/PATH" makes an empty one, and lines in a row with the same PATH are
 *         lines of one file.  "-/PATH" removes a file.  "# WORDS" removes all: a new host begins; "@NAME" begins with
 *         that of tests/hosts.
 *         Answers of calls are files, too: "/calls/dev/infiniband/uverbs0.open.error EACCES" (lib/host/reading.h).
 */
static inline void recorded_host_change(struct recorded_host *recorded, const char *lines)
{
	char *copy = strdup(lines), *rest = copy, whole[PATH_MAX];
	const char *previous = "";
	FILE *file;

	for (char *line; (line = strsep(&rest, "\n"));) {
		char *text = strchr(line, ' ');

		if (line[0] == '#' || line[0] == '@') {
			recorded_host_end(recorded);
			recorded_host_begin(recorded);
			if (line[0] == '@')
				recorded_host_load(recorded, line + 1);
		} else if (line[0] == '-') {
			snprintf(whole, sizeof(whole), "%s%s", recorded->folder, line + 1);
			if (remove(whole))
				fail_msg("%s: %s", line, strerror(errno));
		} else if (line[0]) {
			if (text)
				*text++ = '\0';
			file = recorded_host_open(recorded, line, strcmp(line, previous) ? "w" : "a");
			if (text)
				fprintf(file, "%s\n", text);
			assert_int_equal(fclose(file), 0);
			previous = line;
		}
	}
	free(copy);
}

#endif
