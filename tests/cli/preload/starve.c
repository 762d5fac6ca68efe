// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into mrctl: allocation number STARVE fails, counting those that the program itself, cJSON
 * and libsmartcols ask for, or only those of the library STARVE_IN.  The file STARVE_HIT is made when
 * that happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static struct range {
	uintptr_t start, end;
} ranges[8];
static size_t used;
static long left;

static int is_counted(const char *name)
{
	const char *library = getenv("STARVE_IN");

	if (library)
		return strstr(name, library) != NULL;
	return !name[0] || strstr(name, "libcjson") || strstr(name, "libsmartcols");
}

/* Notes where an object whose allocations count is in memory. */
static int add_range(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t end = 0;

	(void)size;
	(void)data;
	if (used == 8 || !is_counted(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			end = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	ranges[used++] = (struct range){ info->dlpi_addr, info->dlpi_addr + end };
	return 0;
}

static void __attribute__((constructor)) init(void)
{
	const char *number = getenv("STARVE");

	dl_iterate_phdr(add_range, NULL);
	left = number ? atol(number) : 0;
}

static int starves(void *caller)
{
	uintptr_t from = (uintptr_t)caller;
	size_t i = 0;

	while (i < used && (from < ranges[i].start || from >= ranges[i].end))
		i++;
	if (i == used || left <= 0 || --left)
		return 0;
	close(open(getenv("STARVE_HIT"), O_CREAT | O_WRONLY, 0600));
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return starves(__builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return starves(__builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return starves(__builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	return starves(__builtin_return_address(0)) ? NULL : __libc_realloc(old, count * size);
}

char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = starves(__builtin_return_address(0)) ? NULL : __libc_malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}
