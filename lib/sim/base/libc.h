/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_LIBC_H
#define LIB_SIM_BASE_LIBC_H

#include <sys/stat.h>
#include <sys/types.h>

struct statx;

/** Functions of libc in whose place the program gets those of preload/interpose.c. */
struct sim_libc {
	int (*open)(const char *path, int flags, ...);
	int (*openat)(int dir, const char *path, int flags, ...);
	int (*close)(int fd);
	int (*fcntl)(int fd, int command, ...);
	int (*fstat)(int fd, struct stat *st);
	int (*stat)(const char *path, struct stat *st);
	int (*lstat)(const char *path, struct stat *st);
	int (*fstatat)(int dir, const char *path, struct stat *st, int flags);
	int (*statx)(int dir, const char *path, int flags, unsigned int mask, struct statx *st);
	int (*access)(const char *path, int mode);
	int (*euidaccess)(const char *path, int mode);
	int (*faccessat)(int dir, const char *path, int mode, int flags);
	ssize_t (*readlink)(const char *path, char *text, size_t size);
	ssize_t (*readlinkat)(int dir, const char *path, char *text, size_t size);
	void *(*mmap)(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
	int (*ioctl)(int fd, unsigned long request, ...);
	int (*socket)(int domain, int type, int protocol);
};

/** sim_libc() - libc's own functions; safe before any constructor has run */
const struct sim_libc *sim_libc(void);

#endif
