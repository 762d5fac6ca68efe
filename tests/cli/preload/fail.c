// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded behind the simulator: call number FAIL_NUMBER of the function FAIL_CALL that the simulator
 * itself makes fails with FAIL_ERRNO.  The file FAIL_HIT is made when that happens.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static uintptr_t start, end;
static const char *call;
static long left;

/* Notes where the simulator is in memory: a call from there is one of its own. */
static int find_simulator(struct dl_phdr_info *info, size_t size, void *data)
{
	(void)size;
	(void)data;
	if (!strstr(info->dlpi_name, "libmrctl-sim"))
		return 0;
	start = info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD)
			end = start + info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
	return 1;
}

static void __attribute__((constructor)) init(void)
{
	dl_iterate_phdr(find_simulator, NULL);
	call = getenv("FAIL_CALL");
	left = call ? atol(getenv("FAIL_NUMBER")) : 0;
}

static int fails(const char *name, void *caller)
{
	uintptr_t from = (uintptr_t)caller;

	if (left <= 0 || from < start || from >= end || strcmp(name, call) != 0 || --left)
		return 0;
	syscall(SYS_close, syscall(SYS_open, getenv("FAIL_HIT"), O_CREAT | O_WRONLY, 0600));
	errno = atoi(getenv("FAIL_ERRNO"));
	return 1;
}

#define FAILS(name) fails(name, __builtin_return_address(0))

int open(const char *path, int flags, ...)
{
	va_list args;
	mode_t mode;

	va_start(args, flags);
	mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
	va_end(args);
	return FAILS("open") ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int fstat(int fd, struct stat *st)
{
	return FAILS("fstat") ? -1 : (int)syscall(SYS_fstat, fd, st);
}

int fcntl(int fd, int command, ...)
{
	va_list args;
	void *arg;

	va_start(args, command);
	arg = va_arg(args, void *);
	va_end(args);
	return FAILS("fcntl") ? -1 : (int)syscall(SYS_fcntl, fd, command, arg);
}

void *mmap(void *addr, size_t length, int prot, int flags, int fd, off_t offset)
{
	return FAILS("mmap") ? MAP_FAILED
			     : (void *)syscall(SYS_mmap, addr, length, prot, flags, fd, offset);
}

ssize_t pread(int fd, void *data, size_t length, off_t offset)
{
	return FAILS("pread") ? -1 : syscall(SYS_pread64, fd, data, length, offset);
}

int fallocate(int fd, int mode, off_t offset, off_t length)
{
	return FAILS("fallocate") ? -1 : (int)syscall(SYS_fallocate, fd, mode, offset, length);
}

int dup3(int from, int to, int flags)
{
	return FAILS("dup3") ? -1 : (int)syscall(SYS_dup3, from, to, flags);
}
