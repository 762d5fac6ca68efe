// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/host/names.h"

bool mr_name_is_shown(const char *name)
{
	return name[0] && name[0] != '.' && strlen(name) <= NAME_MAX && !strpbrk(name, "/\n");
}

int mr_names_add(struct mr_names *names, const char *name)
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
