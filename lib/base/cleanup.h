/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Early return without leaks: a variable that is declared with mr_auto_* is closed or freed where its
 * scope ends.  It must be initialised.
 */
#ifndef LIB_BASE_CLEANUP_H
#define LIB_BASE_CLEANUP_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define mr_auto_fd   __attribute__((cleanup(mr_cleanup_fd)))
#define mr_auto_file __attribute__((cleanup(mr_cleanup_file)))
#define mr_auto_free __attribute__((cleanup(mr_cleanup_free)))

static inline void mr_cleanup_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void mr_cleanup_file(FILE **file)
{
	if (*file)
		fclose(*file);
}

static inline void mr_cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

/** mr_steal_fd() - take a descriptor out of its mr_auto_fd variable, which then does not close it */
static inline int mr_steal_fd(int *fd)
{
	int taken = *fd;

	*fd = -1;
	return taken;
}

#endif
