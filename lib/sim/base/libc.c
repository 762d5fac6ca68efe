// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * libc's own functions.  A plain call of open() or mmap() in this library would reach the function of
 * that name in preload/, which would call this library again.
 */
#include <dlfcn.h>
#include <stdbool.h>

#include "lib/sim/base/libc.h"

static struct sim_libc libc;
static bool found;

static void *find_next(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* Two threads may run this at once: both store the same addresses. */
static void find_all(void)
{
	libc.open = (__typeof__(libc.open))find_next("open");
	libc.openat = (__typeof__(libc.openat))find_next("openat");
	libc.close = (__typeof__(libc.close))find_next("close");
	libc.fcntl = (__typeof__(libc.fcntl))find_next("fcntl");
	libc.fstat = (__typeof__(libc.fstat))find_next("fstat");
	libc.stat = (__typeof__(libc.stat))find_next("stat");
	libc.lstat = (__typeof__(libc.lstat))find_next("lstat");
	libc.fstatat = (__typeof__(libc.fstatat))find_next("fstatat");
	libc.statx = (__typeof__(libc.statx))find_next("statx");
	libc.access = (__typeof__(libc.access))find_next("access");
	libc.euidaccess = (__typeof__(libc.euidaccess))find_next("euidaccess");
	libc.faccessat = (__typeof__(libc.faccessat))find_next("faccessat");
	libc.readlink = (__typeof__(libc.readlink))find_next("readlink");
	libc.readlinkat = (__typeof__(libc.readlinkat))find_next("readlinkat");
	libc.mmap = (__typeof__(libc.mmap))find_next("mmap");
	libc.ioctl = (__typeof__(libc.ioctl))find_next("ioctl");
	libc.socket = (__typeof__(libc.socket))find_next("socket");
	__atomic_store_n(&found, true, __ATOMIC_RELEASE);
}

const struct sim_libc *sim_libc(void)
{
	if (!__atomic_load_n(&found, __ATOMIC_ACQUIRE))
		find_all();
	return &libc;
}
