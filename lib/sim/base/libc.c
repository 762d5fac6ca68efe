// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libc's own functions.  Inside this library a plain call of open() or mmap() reaches the
 * interposed one, so whatever works on simulated descriptors goes through here.
 */
#include <dlfcn.h>
#include <stdbool.h>

#include "lib/sim/base/libc.h"

static struct sim_libc libc;
static bool resolved;

static void *next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Two threads may do this at once: they write the same. */
static void resolve(void)
{
	libc.open = (__typeof__(libc.open))next("open");
	libc.openat = (__typeof__(libc.openat))next("openat");
	libc.close = (__typeof__(libc.close))next("close");
	libc.fcntl = (__typeof__(libc.fcntl))next("fcntl");
	libc.fstat = (__typeof__(libc.fstat))next("fstat");
	libc.stat = (__typeof__(libc.stat))next("stat");
	libc.mmap = (__typeof__(libc.mmap))next("mmap");
	libc.ioctl = (__typeof__(libc.ioctl))next("ioctl");
	libc.socket = (__typeof__(libc.socket))next("socket");
	__atomic_store_n(&resolved, true, __ATOMIC_RELEASE);
}

const struct sim_libc *sim_libc(void)
{
	if (!__atomic_load_n(&resolved, __ATOMIC_ACQUIRE))
		resolve();
	return &libc;
}
