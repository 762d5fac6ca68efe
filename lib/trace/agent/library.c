// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Functions of libc that stand in the place of libc's own for libibverbs and its providers, and for nobody else. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

#include "lib/trace/agent/call.h"
#include "lib/trace/agent/system.h"

#define IN_LIBRARY(name) CALL_PASTE_(MR_TRACE_LIBRARY, name)

EXPORT int IN_LIBRARY(ioctl)(int fd, unsigned long request, ...);
EXPORT ssize_t IN_LIBRARY(write)(int fd, const void *bytes, size_t count);
EXPORT int IN_LIBRARY(madvise)(void *address, size_t length, int advice);

static void count(bool failed)
{
	agent_kernel_seen = 1;
	agent_thread.kernel_calls++;
	if (failed)
		agent_thread.kernel_errnum = errno;
}

EXPORT int IN_LIBRARY(ioctl)(int fd, unsigned long request, ...)
{
	va_list args;
	void *arg;
	int rc;

	va_start(args, request);
	arg = va_arg(args, void *);
	va_end(args);
	rc = ioctl(fd, request, arg);
	count(rc < 0);
	return rc;
}

EXPORT ssize_t IN_LIBRARY(write)(int fd, const void *bytes, size_t bytes_count)
{
	ssize_t rc = write(fd, bytes, bytes_count);

	count(rc < 0);
	return rc;
}

/*
 * ibv_fork_init(), which libibverbs calls by itself where the environment asks for it, tries this advice and gives it
 * for each region from then on (libibverbs/memory.c).  Where the kernel copies pinned pages on fork(2) it does not.
 */
EXPORT int IN_LIBRARY(madvise)(void *address, size_t length, int advice)
{
	struct mr_trace_record record = { .begin_ns = system_now(),
					  .caller = CALLER,
					  .call = MR_TRACED_MADVISE,
					  .addr = (uintptr_t)address,
					  .length = length,
					  .call_flags = (uint32_t)advice,
					  .flags = MR_TRACE_IN_LIBRARY };

	record.result = madvise(address, length, advice);
	record.errnum = record.result ? errno : 0;
	record.elapsed_ns = system_now() - record.begin_ns;
	if (advice == MADV_DONTFORK && !record.result)
		agent_fork_safe = 1;
	call_put_within(&record);
	return record.result;
}
