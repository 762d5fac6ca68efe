/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the cases of trace-refused share: the device, and how they get memory, register and show the errno. */
#ifndef TESTS_CLI_REFUSED_REFUSED_H
#define TESTS_CLI_REFUSED_REFUSED_H

#include <infiniband/verbs.h>
#include <stddef.h>

#define PAGE       ((size_t)4096)
#define LOCAL      IBV_ACCESS_LOCAL_WRITE
#define ZERO_BASED (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED)
#define ALL        (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/* A case; the last one of a list has no name. */
struct refused_case {
	const char *name;
	void (*run)(void);
};

#define CASE(function)                                                                             \
	{                                                                                          \
#function, function                                                                \
	}

extern const struct refused_case cases_of_memory[], cases_of_limits[], cases_of_requests[];

extern struct ibv_context *context;
extern struct ibv_pd *pd;
extern const char *name; /* of the case */

/* Ends the program: what a case needs has failed. */
void die(const char *what);

/* Return: what mmap(2) or shmat(2) has returned, where it has not failed. */
void *checked(void *at);

/* Pages that are mapped for this case alone. */
char *map(size_t pages, int prot);

/* Pages of a file, which has so many others. */
char *map_file(int fd, size_t has, size_t pages, int prot, int flags);

/* Prints the errno of the call that was made last. */
void show(int failed);

/* Registers memory, and shows the errno. */
void reg_as(const void *addr, size_t length, unsigned int access);
void reg(const void *addr, size_t length);

/* Return: a region that the case needs. */
struct ibv_mr *region(size_t pages, unsigned int access);

#endif
