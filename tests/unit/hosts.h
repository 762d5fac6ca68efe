/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The hosts of tests/hosts (its README tells of the format), for tests that are run in the folder of the repository. */
#ifndef TESTS_UNIT_HOSTS_H
#define TESTS_UNIT_HOSTS_H

#include <stdlib.h>

#include "tests/unit/recorded_host.h"

/* Puts the file of the block that ends here. */
static inline void host_put_block(const struct recorded_host *recorded, const char *path,
				  char *text)
{
	if (path[0])
		recorded_host_put(recorded, path, text);
	text[0] = '\0';
}

/** host_load() - add to a recording what the host tests/hosts/NAME.host has; its own lines replace those of "from" */
static inline void host_load(const struct recorded_host *recorded, const char *name)
{
	char file_name[128], line[512], path[256] = "", gone[PATH_MAX], from[64];
	char *text = calloc(1, 1 << 20);
	FILE *file;

	snprintf(file_name, sizeof(file_name), "tests/hosts/%s.host", name);
	file = fopen(file_name, "r");
	assert_non_null(file);
	assert_non_null(text);
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "# from: %63s", from) == 1)
			host_load(recorded, from);
		if (!strncmp(line, "=== /", 5) || !strncmp(line, "--- /", 5)) {
			host_put_block(recorded, path, text);
			path[0] = '\0';
		}
		if (sscanf(line, "--- %255s", path) == 1) {
			snprintf(gone, sizeof(gone), "%s%s", recorded->folder, path);
			remove(gone);
			path[0] = '\0';
		} else if (sscanf(line, "=== %255s", path) != 1 && path[0]) {
			strcat(text, line);
		}
	}
	host_put_block(recorded, path, text);
	fclose(file);
	free(text);
}

#endif
