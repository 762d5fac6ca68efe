/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Functions that the cases of trace-refused share: open the device, get memory, register and show the errno. */
#ifndef TESTS_CLI_REFUSED_REFUSED_H
#define TESTS_CLI_REFUSED_REFUSED_H

#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#define PAGE       ((size_t)4096)
#define LOCAL      IBV_ACCESS_LOCAL_WRITE
#define ZERO_BASED (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED)
#define ALL        (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)
#define WRITABLE   (PROT_READ | PROT_WRITE)

struct refused_case {
	const char *name;
	void (*run)(void);
	struct refused_case *next;
};

/* Defines a case, and adds it to the list. */
#define CASE(function)                                                                             \
	static void function(void);                                                                \
	__attribute__((constructor)) static void add_##function(void)                              \
	{                                                                                          \
		static struct refused_case added = { #function, function, NULL };                  \
		add_case(&added);                                                                  \
	}                                                                                          \
	static void function(void)

/* Defines a case that is one call. */
#define CALL(function, call)                                                                       \
	CASE(function)                                                                             \
	{                                                                                          \
		call;                                                                              \
	}

void add_case(struct refused_case *added);

extern struct ibv_context *context;
extern struct ibv_pd *pd;
extern const char *name; /* of the case */

/* Ends the program: what a case needs has failed. */
void die(const char *what);

/* Returns what mmap(2) or shmat(2) has returned, where it has not failed. */
void *checked(void *at);

/* Maps pages for this case alone, or those of a file, which has so many others. */
char *map(size_t pages, int prot);
char *map_file(int fd, size_t has, size_t pages, int prot, int flags);

/* Prints the errno of a call. */
void show(int failed);
#define SHOW(failed) (errno = 0, show(failed))

/* Registers memory, and shows the errno. */
void reg_as(const void *addr, size_t length, unsigned int access);
void reg(const void *addr, size_t length);

/* Returns a region that the case needs. */
struct ibv_mr *region(size_t pages, unsigned int access);

#endif
