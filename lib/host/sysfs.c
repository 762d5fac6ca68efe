// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/cleanup.h"
#include "lib/host/sysfs.h"

bool mr_sysfs_path(char *path, size_t size, const char *fmt, ...)
{
	const char *root = getenv("SYSFS_PATH");
	int used = snprintf(path, size, "%s/", root ? root : "/sys"), rest;
	va_list ap;

	if (used < 0 || (size_t)used >= size)
		return false;
	va_start(ap, fmt);
	rest = vsnprintf(path + used, size - (size_t)used, fmt, ap);
	va_end(ap);
	return rest >= 0 && (size_t)rest < size - (size_t)used;
}

bool mr_read_line(const char *path, char *line, size_t size)
{
	mr_auto_file FILE *f = fopen(path, "re");

	if (!f || !fgets(line, (int)size, f))
		return false;
	line[strcspn(line, "\n")] = '\0';
	return true;
}
