// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into mrctl: call number FAIL_NUMBER of a function of libc fails.
 *   FAIL         the function; "allocate": any that allocates memory
 *   FAIL_IN      only calls of these objects count: "program", or parts of names of libraries, separated by blanks
 *                (program libcjson libsmartcols)
 *   FAIL_ON      where it is set, all later calls fail as well
 *   FAIL_ERRNO   the number of the errno; that of an allocation is ENOMEM
 *   FAIL_HIT     a file that is made when the call fails
 *   FAIL_SITE    only calls from this place count: an offset in its object
 *   FAIL_CALLS   without FAIL: a file to which the name of each call is added, with the place
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

extern char *program_invocation_short_name;
extern long syscall(long number, ...);

static struct range {
	uintptr_t start, end;
} ranges[8];
static size_t used;
static const char *failing, *calls, *place;
static long left;

static int is_counted(const char *name)
{
	const char *word = getenv("FAIL_IN");
	char part[32];

	for (word = word ? word : "program libcjson libsmartcols"; *word; word += strspn(word, " ")) {
		size_t length = strcspn(word, " ");

		memcpy(part, word, length < sizeof(part) ? length : 0);
		part[length < sizeof(part) ? length : 0] = '\0';
		if (strcmp(part, "program") ? strstr(name, part) != NULL : !name[0])
			return 1;
		word += length;
	}
	return 0;
}

/* Notes where an object whose calls count is in memory. */
static int add_range(struct dl_phdr_info *info, size_t size, void *data)
{
	uintptr_t end = 0;

	(void)size;
	(void)data;
	if (used == sizeof(ranges) / sizeof(*ranges) || !is_counted(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			end = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	ranges[used++] = (struct range){ info->dlpi_addr, info->dlpi_addr + end };
	return 0;
}

static void __attribute__((constructor)) init(void)
{
	if (strcmp(program_invocation_short_name, "mrctl") != 0)
		return;
	dl_iterate_phdr(add_range, NULL);
	failing = getenv("FAIL");
	if (failing && !*failing)
		failing = NULL;
	calls = failing ? NULL : getenv("FAIL_CALLS");
	place = getenv("FAIL_SITE");
	left = failing ? atol(getenv("FAIL_NUMBER")) : 0;
}

static void add_line(const char *path, const char *line)
{
	const int saved = errno;
	const long fd = syscall(SYS_openat, AT_FDCWD, path, O_CREAT | O_WRONLY | O_APPEND, 0600);
	char whole[80];

	syscall(SYS_write, fd, whole, snprintf(whole, sizeof(whole), "%s\n", line));
	syscall(SYS_close, fd);
	errno = saved;
}

static int fails(const char *name, void *caller)
{
	const uintptr_t from = (uintptr_t)caller;
	char site[64];
	size_t i = 0;

	while (i < used && (from < ranges[i].start || from >= ranges[i].end))
		i++;
	if (i == used)
		return 0;
	snprintf(site, sizeof(site), "%s %#zx", name, from - ranges[i].start);
	if (calls)
		add_line(calls, site);
	if (left <= 0 || strcmp(name, failing) || (place && strcmp(strchr(site, ' ') + 1, place)) || --left)
		return 0;
	if (getenv("FAIL_ON"))
		left = 1;
	if (getenv("FAIL_HIT"))
		add_line(getenv("FAIL_HIT"), name);
	errno = getenv("FAIL_ERRNO") ? atoi(getenv("FAIL_ERRNO")) : 0;
	return 1;
}

/* Up to six integers and pointers reach the next function as they came, whatever their types. */
typedef long any(long, long, long, long, long, long);

#define FAILS(name, failure)                                                                       \
	long fail_##name(long a, long b, long c, long d, long e, long f) __asm__(#name);           \
	long fail_##name(long a, long b, long c, long d, long e, long f)                           \
	{                                                                                          \
		static any *next;                                                                  \
		if (fails(#name, __builtin_return_address(0)))                                     \
			return failure;                                                            \
		if (!next)                                                                         \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                 \
		return next(a, b, c, d, e, f);                                                     \
	}

#define MINUS_ONE(name)                      FAILS(name, -1)
#define NO_POINTER(name)                     FAILS(name, 0)
#define ERRNO(name)                          FAILS(name, errno)
#define EACH(F, a, b, c, d, e, f, g, h, i, j) F(a) F(b) F(c) F(d) F(e) F(f) F(g) F(h) F(i) F(j)

EACH(MINUS_ONE, open, __open_2, openat, fstat, stat, lstat, fstatat, statx, statfs, fstatfs)
EACH(MINUS_ONE, read, pread, write, pwrite, ftruncate, fallocate, fsync, flock, fchmod, rename)
EACH(MINUS_ONE, unlink, unlinkat, mkdir, mkdirat, readlink, readlinkat, scandirat, access, faccessat, fcntl)
EACH(MINUS_ONE, memfd_create, mmap, getrandom, madvise, dup, dup2, dup3, getrlimit, prlimit, uname)
EACH(MINUS_ONE, socket, socketpair, setsockopt, getsockopt, bind, listen, accept4, send, sendmsg, recv)
EACH(MINUS_ONE, recvmsg, poll, ppoll, fork, waitpid, setsid, signalfd, sigprocmask, sigtimedwait, klogctl)
MINUS_ONE(execvp)
EACH(NO_POINTER, fopen, fdopen, opendir, fdopendir, readdir, realpath, mkdtemp, open_memstream, fmemopen, dlopen)
ERRNO(posix_spawn)
ERRNO(posix_spawnp)
ERRNO(posix_fallocate)
ERRNO(pthread_create)

/* dlsym(3) itself allocates: these go on to libc by other names. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);

static int starves(const char *name, void *caller)
{
	const int fail = fails(failing && !strcmp(failing, "allocate") ? failing : name, caller);

	if (fail)
		errno = ENOMEM;
	return fail;
}

#define STARVES(name) starves(name, __builtin_return_address(0))

void *malloc(size_t size)
{
	return STARVES("malloc") ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return STARVES("calloc") ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return STARVES("realloc") ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	return STARVES("reallocarray") ? NULL : __libc_realloc(old, count * size);
}

char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = STARVES("strdup") ? NULL : __libc_malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}
