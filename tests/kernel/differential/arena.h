/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of many kinds, at the same addresses everywhere. */
#ifndef ARENA_H
#define ARENA_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE  4096ul
#define PAGES 16ul /* of each kind of memory, and of the dma-buf */

/** What to register. */
struct range {
	uint64_t addr, length, iova;
	char text[96];
};

/**
 * arena_make() - map it all
 * @files: a folder with the folders "ext4" and "xfs", of such file systems
 * @simulated: whether memfds stand for dma-bufs
 * @has_dmabuf: whether to make one
 *
 * Return: 0, or -1 and errno
 */
int arena_make(const char *files, bool simulated, bool has_dmabuf);

/**
 * arena_draw() - a part of the memory, or what is none
 * @huge: lengths that no memory has, too
 */
void arena_draw(struct range *range, bool huge);

/** arena_draw_dmabuf() - a part of a dma-buf (addr: offset), or what is none */
void arena_draw_dmabuf(struct range *range);

/** arena_draw_fd() - a descriptor: the dma-buf, or others; @name: what it is */
int arena_draw_fd(const char **name);

#endif
