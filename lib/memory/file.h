/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Files that memory is mapped from. */
#ifndef LIB_MEMORY_FILE_H
#define LIB_MEMORY_FILE_H

#include <stdint.h>

#include "lib/base/base.h"
#include "lib/memory/unfinished.h"

/** mr_file_page_size() - bytes of a file's pages: those of huge pages on hugetlbfs, else the base size */
uint64_t mr_file_page_size(int fd);

/**
 * mr_file_open() - open a file or a device that can be mapped
 * @flags: O_RDONLY or O_RDWR
 *
 * Return: a descriptor, or -errno with MR_ERROR_HOST: -ENODEV for a FIFO, a socket or a directory.
 */
int mr_file_open(const char *path, int flags, struct mr_error *err);

/**
 * mr_file_open_or_create() - open a file for reading and writing, and create it where it is missing
 * @length:  bytes of a file that is created, rounded up to whole pages; one that exists stays as it is
 * @created: set where the file was created, also on failure
 *
 * Return: as mr_file_open().
 */
int mr_file_open_or_create(const char *path, uint64_t length, struct mr_unfinished *created,
			   struct mr_error *err);

/**
 * mr_file_open_memfd() - make a memfd
 * @length: bytes
 * @flags:  of memfd_create(2), beside MFD_CLOEXEC
 *
 * Return: a descriptor, or -errno with MR_ERROR_HOST.
 */
int mr_file_open_memfd(uint64_t length, unsigned int flags, struct mr_error *err);

#endif
