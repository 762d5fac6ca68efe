// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes dma-bufs for tests, and reads what is in them.
 * Usage: dmabuf-tool make SOURCE SIZE FD CMD...   run CMD with a dma-buf as descriptor FD, whose
 *                                                 pages begin with the words 0, 1, 2, ...
 *        dmabuf-tool word FD OFFSET               print the word at OFFSET of the dma-buf FD
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/memory/memory.h"

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static int run_with_dmabuf(const char *source, const char *size, const char *number, char **command)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mr_dmabuf_request request = { .size = strtoull(size, NULL, 0) };
	struct mr_dmabuf dmabuf;
	struct mr_error err;
	uint32_t *words;

	if (mr_dmabuf_source_parse(source, &request.source, &err) ||
	    mr_dmabuf_open(&request, &dmabuf, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	words = mmap(NULL, request.size, PROT_READ | PROT_WRITE, MAP_SHARED, dmabuf.fd, 0);
	if (words == MAP_FAILED)
		return fail("mmap");
	for (size_t i = 0; i < request.size / page; i++)
		words[i * page / sizeof(*words)] = (uint32_t)i;
	munmap(words, request.size);
	if (dup2(dmabuf.fd, atoi(number)) < 0)
		return fail("dup2");
	execvp(command[0], command);
	return fail(command[0]);
}

static int print_word(const char *number, const char *offset)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE), at = strtoull(offset, NULL, 0);
	char *map =
		mmap(NULL, page, PROT_READ, MAP_SHARED, atoi(number), (off_t)(at & ~(page - 1)));
	uint32_t value;

	if (map == MAP_FAILED)
		return fail("mmap");
	memcpy(&value, map + (at & (page - 1)), sizeof(value));
	printf("0x%x\n", value);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 5 && !strcmp(argv[1], "make"))
		return run_with_dmabuf(argv[2], argv[3], argv[4], argv + 5);
	if (argc == 4 && !strcmp(argv[1], "word"))
		return print_word(argv[2], argv[3]);
	return 2;
}
