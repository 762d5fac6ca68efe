/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* A recorded host for each test of a file: EACH_TEST(set_up, tear_down). */
#ifndef TESTS_UNIT_ONE_HOST_H
#define TESTS_UNIT_ONE_HOST_H

#include "tests/unit/recorded_host.h"

/** The host; it holds nothing at first. */
static struct recorded_host recorded;

static inline int set_up(void **state)
{
	(void)state;
	unsetenv("SYSFS_PATH");
	recorded_host_begin(&recorded);
	return 0;
}

static inline int tear_down(void **state)
{
	(void)state;
	recorded_host_end(&recorded);
	return 0;
}

/** change() - change the host, as recorded_host_change() does */
static inline void change(const char *lines)
{
	recorded_host_change(&recorded, lines);
}

/** in_folder() - return the path of a file below the host's folder; it is valid until the next call but three */
static inline const char *in_folder(const char *name)
{
	static char paths[4][512];
	static unsigned int next;
	char *path = paths[next++ % 4];

	snprintf(path, sizeof(paths[0]), "%s/%s", recorded.folder, name);
	return path;
}

#endif
