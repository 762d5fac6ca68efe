// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into mrctl: call number REFUSE_NUMBER of the libc function REFUSE that mrctl makes fails with
 * REFUSE_ERRNO.  Without REFUSE it adds the name of each such call to the file REFUSE_CALLS.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

extern char *program_invocation_short_name;
extern long syscall(long number, ...);

static uintptr_t start, end;
static const char *refused, *calls;
static long left;

/* Notes where the program is in memory: a call from there is one of its own.  It comes first. */
static int find_program(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	start = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			end = start + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	return 1;
}

static void __attribute__((constructor)) init(void)
{
	if (strcmp(program_invocation_short_name, "mrctl") != 0)
		return;
	dl_iterate_phdr(find_program, NULL);
	refused = getenv("REFUSE");
	if (refused && !*refused)
		refused = NULL;
	calls = getenv("REFUSE_CALLS");
	left = refused ? atol(getenv("REFUSE_NUMBER")) : 0;
}

static int fails(const char *name, void *caller)
{
	uintptr_t from = (uintptr_t)caller;
	int saved = errno;
	long fd;

	if (from < start || from >= end)
		return 0;
	if (calls && !refused) {
		fd = syscall(SYS_openat, AT_FDCWD, calls, O_CREAT | O_WRONLY | O_APPEND, 0600);
		syscall(SYS_write, fd, name, strlen(name));
		syscall(SYS_write, fd, "\n", 1);
		syscall(SYS_close, fd);
		errno = saved;
	}
	if (left <= 0 || strcmp(name, refused) != 0 || --left)
		return 0;
	errno = atoi(getenv("REFUSE_ERRNO"));
	return 1;
}

/* Up to six integers and pointers reach the next function as they came, whatever their types. */
typedef long any(long, long, long, long, long, long);

#define REFUSED(name, failure)                                                                     \
	long refuse_##name(long a, long b, long c, long d, long e, long f) __asm__(#name);         \
	long refuse_##name(long a, long b, long c, long d, long e, long f)                         \
	{                                                                                          \
		static any *next;                                                                  \
		if (fails(#name, __builtin_return_address(0)))                                     \
			return failure;                                                            \
		if (!next)                                                                         \
			*(void **)&next = dlsym(RTLD_NEXT, #name);                                 \
		return next(a, b, c, d, e, f);                                                     \
	}

#define MINUS_ONE(name)  REFUSED(name, -1)
#define NO_POINTER(name) REFUSED(name, 0)
#define ERRNO(name)      REFUSED(name, errno)

MINUS_ONE(open)
MINUS_ONE(__open_2)
MINUS_ONE(openat)
MINUS_ONE(fstat)
MINUS_ONE(stat)
MINUS_ONE(lstat)
MINUS_ONE(fstatat)
MINUS_ONE(statx)
MINUS_ONE(statfs)
MINUS_ONE(fstatfs)
MINUS_ONE(read)
MINUS_ONE(pread)
MINUS_ONE(write)
MINUS_ONE(pwrite)
MINUS_ONE(ftruncate)
MINUS_ONE(fsync)
MINUS_ONE(memfd_create)
MINUS_ONE(mmap)
MINUS_ONE(munmap)
MINUS_ONE(madvise)
MINUS_ONE(dup)
MINUS_ONE(dup2)
MINUS_ONE(fcntl)
MINUS_ONE(flock)
MINUS_ONE(fchmod)
MINUS_ONE(rename)
MINUS_ONE(unlink)
MINUS_ONE(unlinkat)
MINUS_ONE(mkdir)
MINUS_ONE(mkdirat)
MINUS_ONE(readlink)
MINUS_ONE(readlinkat)
MINUS_ONE(scandirat)
MINUS_ONE(access)
MINUS_ONE(faccessat)
MINUS_ONE(socket)
MINUS_ONE(socketpair)
MINUS_ONE(setsockopt)
MINUS_ONE(getsockopt)
MINUS_ONE(bind)
MINUS_ONE(listen)
MINUS_ONE(accept4)
MINUS_ONE(send)
MINUS_ONE(sendmsg)
MINUS_ONE(recv)
MINUS_ONE(recvmsg)
MINUS_ONE(poll)
MINUS_ONE(ppoll)
MINUS_ONE(fork)
MINUS_ONE(waitpid)
MINUS_ONE(setsid)
MINUS_ONE(signalfd)
MINUS_ONE(sigprocmask)
MINUS_ONE(sigtimedwait)
MINUS_ONE(getrlimit)
MINUS_ONE(prlimit)
MINUS_ONE(uname)
MINUS_ONE(klogctl)
MINUS_ONE(getrandom)
MINUS_ONE(execvp)
NO_POINTER(fopen)
NO_POINTER(fdopen)
NO_POINTER(opendir)
NO_POINTER(fdopendir)
NO_POINTER(readdir)
NO_POINTER(realpath)
NO_POINTER(mkdtemp)
NO_POINTER(open_memstream)
NO_POINTER(fmemopen)
NO_POINTER(dlopen)
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
	int fail = fails(name, caller);

	if (fail)
		errno = ENOMEM;
	return fail;
}

void *malloc(size_t size)
{
	return starves("malloc", __builtin_return_address(0)) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
	return starves("calloc", __builtin_return_address(0)) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
	return starves("realloc", __builtin_return_address(0)) ? NULL : __libc_realloc(old, size);
}

void *reallocarray(void *old, size_t count, size_t size)
{
	return starves("reallocarray", __builtin_return_address(0))
		       ? NULL
		       : __libc_realloc(old, count * size);
}

char *strdup(const char *text)
{
	size_t size = strlen(text) + 1;
	char *copy = starves("strdup", __builtin_return_address(0)) ? NULL : __libc_malloc(size);

	return copy ? memcpy(copy, text, size) : NULL;
}
