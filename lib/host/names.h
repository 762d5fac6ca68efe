/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The names in a folder. */
#ifndef LIB_HOST_NAMES_H
#define LIB_HOST_NAMES_H

#include <stdbool.h>
#include <stddef.h>

struct mr_names {
	char **list;
	size_t count, room;
};

/** mr_name_is_shown() - whether a text can be the name of a file that is not hidden, and is one line */
bool mr_name_is_shown(const char *name);

/** mr_names_add() - Return: 0 or -ENOMEM. */
int mr_names_add(struct mr_names *names, const char *name);

/**
 * mr_names_read() - add the names of an open folder that are shown
 * @fd: closed; or -1, with errno
 *
 * Return: 0 or -errno.
 */
int mr_names_read(struct mr_names *names, int fd);

/** mr_names_sort() - put them into the order of strcmp(), each once */
void mr_names_sort(struct mr_names *names);

void mr_names_free(struct mr_names *names);

#endif
