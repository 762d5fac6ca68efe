/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_LIBC_H
#define LIB_SIM_BASE_LIBC_H

#include <sys/stat.h>
#include <sys/types.h>

/** Functions of libc in whose place the program gets those of preload/interpose.c. */
struct sim_libc {
	int (*open)(const char *path, int flags, ...);
	int (*openat)(int dir, const char *path, int flags, ...);
	int (*close)(int fd);
	int (*fcntl)(int fd, int command, ...);
	int (*fstat)(int fd, struct stat *st);
	int (*stat)(const char *path, struct stat *st);
	void *(*mmap)(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
	int (*ioctl)(int fd, unsigned long request, ...);
	int (*socket)(int domain, int type, int protocol);
};

/** sim_libc() - libc's own functions; safe before any constructor has run */
const struct sim_libc *sim_libc(void);

#endif
