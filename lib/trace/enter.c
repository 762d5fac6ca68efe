// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/trace/enter.h"
#include "lib/trace/wire/handover.h"
#include "lib/trace/wire/wire.h"

/* The real path of FOLDER/BELOW if the agent is in it, to be freed; else NULL. */
static char *find_below(const char *folder, const char *below)
{
	char path[PATH_MAX + 64];

	snprintf(path, sizeof(path), "%s/%s/" MR_TRACE_AGENT, folder, below);
	if (access(path, R_OK))
		return NULL;
	*strrchr(path, '/') = '\0';
	return realpath(path, NULL);
}

/* The folder of the agent, to be freed, or NULL; @folder is that of the running program. */
static char *find_agent(const char *folder)
{
	char *found = find_below(folder, "trace");

	if (!found)
		found = find_below(folder, "../lib/mrctl/trace");
	return found ? found : find_below(MRCTL_LIBDIR, "mrctl/trace");
}

/* Set a variable to @first, and @old behind that. */
static int set_before(const char *name, const char *first, const char *old, struct mr_error *err)
{
	mr_auto_free char *value = NULL;

	if (asprintf(&value, "%s%s%s", first, old && *old ? ":" : "", old ? old : "") < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	return setenv(name, value, 1) ? mr_fail(err, MR_ERROR_HOST, errno, "setenv", NULL) : 0;
}

/* Set a variable to @first, and what it has already behind that. */
static int prepend(const char *name, const char *first, struct mr_error *err)
{
	return set_before(name, first, getenv(name), err);
}

/* Whether an item of a list is the path of a library of that name, in any folder. */
static bool is_library(const char *item, size_t length, const char *library)
{
	const size_t size = strlen(library);

	return length > size && item[length - size - 1] == '/' &&
	       !strncmp(item + length - size, library, size);
}

/*
 * Take the items of a library out of a list.  Those of a trace around this one would put a second wrapper around each
 * function, by LD_AUDIT also where the file is the same (ld.so(8): each item has a namespace of its own).
 */
static void take_out(char *list, const char *separators, const char *library)
{
	char *to = list;
	const char *item = list + strspn(list, separators);

	while (*item) {
		const size_t length = strcspn(item, separators);
		const char *next = item + length + strspn(item + length, separators);

		if (!is_library(item, length, library)) {
			if (to > list)
				*to++ = ':';
			memmove(to, item, length);
			to += length;
		}
		item = next;
	}
	*to = '\0';
}

static int prepend_library(const char *name, const char *separators, const char *folder,
			   const char *library, struct mr_error *err)
{
	const char *value = getenv(name);
	mr_auto_free char *path = NULL, *old = NULL;

	if (asprintf(&path, "%s/%s", folder, library) < 0 ||
	    asprintf(&old, "%s", value ? value : "") < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	take_out(old, separators, library);
	return set_before(name, path, old, err);
}

static int set_socket(const char *socket, const char *token, struct mr_error *err)
{
	mr_auto_free char *value = NULL;

	if (asprintf(&value, "%s:%s", socket, token) < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	return setenv(MR_TRACE_VARIABLE, value, 1)
		       ? mr_fail(err, MR_ERROR_HOST, errno, "setenv", NULL)
		       : 0;
}

int mr_trace_enter(const char *socket, const char *token, struct mr_error *err)
{
	const char *tunables = getenv("GLIBC_TUNABLES");
	mr_auto_free char *folder = NULL;
	char self[PATH_MAX] = "";
	ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	int rc;

	if (length < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "readlink", "cannot find my own place");
	*strrchr(self, '/') = '\0';
	folder = find_agent(self);
	if (!folder)
		return mr_fail_text(err, MR_ERROR_HOST, ENOENT,
				    "what is loaded into traced programs (" MR_TRACE_AGENT
				    ") is not installed beside %s",
				    self);
	if (strpbrk(folder, " :")) /* ld.so(8): its lists have these between their items */
		return mr_fail_text(err, MR_ERROR_HOST, EINVAL,
				    MR_TRACE_AGENT " cannot be loaded from a path with a blank or "
						   "colon: %s",
				    folder);
	rc = prepend_library("LD_PRELOAD", " :", folder, MR_TRACE_AGENT, err);
	if (!rc)
		rc = prepend_library("LD_AUDIT", ":", folder, MR_TRACE_AUDIT, err);
	if (!rc)
		rc = prepend("ASAN_OPTIONS", MR_TRACE_ASAN_OPTION, err);
	if (!rc && !(tunables && strstr(tunables, MR_TRACE_TUNABLE_NAME "=")))
		rc = prepend("GLIBC_TUNABLES", MR_TRACE_TUNABLE, err);
	return rc ? rc : set_socket(socket, token, err);
}
