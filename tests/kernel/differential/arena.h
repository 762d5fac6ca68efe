/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of many kinds to register, at the same addresses on every machine. */
#ifndef TESTS_KERNEL_DIFFERENTIAL_ARENA_H
#define TESTS_KERNEL_DIFFERENTIAL_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#define PAGE  4096ul
#define PAGES 16ul /* of each kind of memory, and of the dma-buf */

/** A range of memory to register. */
struct range {
	uint64_t addr, length, iova; /**< bytes; of a dma-buf @addr is the offset */
	bool of_device;              /**< the driver does not keep keys of such regions */
	char text[96];               /**< as the line of output shows it */
};

/**
 * arena_make() - map memory of all kinds
 * @files: a folder with the folders "ext4", "xfs", "ramfs" and "overlay", which are of such file systems
 * @simulated: whether to use a memfd as the dma-buf, as the simulator does
 * @has_dmabuf: whether to make a dma-buf
 *
 * Return: 0, or -1 and errno
 */
int arena_make(const char *files, bool simulated, bool has_dmabuf);

/** arena_privilege() - give this process CAP_IPC_LOCK, with which RLIMIT_MEMLOCK does not hold for it, or drop it */
void arena_privilege(bool privileged);

/** arena_make_second() - the same for the second process of an episode, at the same addresses */
int arena_make_second(const char *files, bool simulated, bool has_dmabuf);

/**
 * arena_draw() - draw a range: mostly a part of the memory, else one that is not mapped
 * @huge: whether lengths that no memory has may be drawn
 */
void arena_draw(struct range *range, bool huge);

/** arena_draw_dmabuf() - draw a range of a dma-buf, inside of it or not */
void arena_draw_dmabuf(struct range *range);

/** arena_draw_fd() - draw a descriptor: mostly the dma-buf; @name: gets what it is, for the line */
int arena_draw_fd(const char **name);

#endif
