/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_MAPS_H
#define LIB_SIM_BASE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/** A mapping of this process, or a part of it. */
struct sim_mapping {
	uint64_t start, end; /**< addresses; @end is the first behind it */
	uint64_t offset;     /**< of @start in the file: bytes */
	uint64_t inode;      /**< 0: it maps no file */
	unsigned int major;  /**< of the device that the file is on */
	bool readable, writable, shared;
	const char *path; /**< of the file; "": none */
};

/**
 * sim_maps_note() - remember whether the program shares a file with write-back
 * @fd:    that it is about to map
 * @flags: of mmap(2)
 */
void sim_maps_note(int fd, int flags);

/** sim_maps_has_shared_file() - whether sim_maps_note() has met a file with write-back mapped MAP_SHARED */
bool sim_maps_has_shared_file(void);

/** sim_mapping_writes_back() - vma_needs_dirty_tracking(): whether writes to a mapping go to a file */
bool sim_mapping_writes_back(const struct sim_mapping *mapping);

/** sim_mapping_is_secret() - whether a mapping is of memfd_secret(2): mm/secretmem.c */
bool sim_mapping_is_secret(const struct sim_mapping *mapping);

/** sim_mapping_is_ring() - whether a mapping is the ring of a perf event: kernel/events/core.c perf_mmap() */
bool sim_mapping_is_ring(const struct sim_mapping *mapping);

/**
 * sim_maps_walk() - call a function for each mapping in a range, by ascending address
 * @start: first address of the range
 * @end:   first address behind it; mappings are cut to the range
 * @visit: ends the walk where it returns anything but 0
 *
 * Return: what the last @visit returned; 0 without mappings; -EIO where they cannot be read.
 */
int sim_maps_walk(uint64_t start, uint64_t end,
		  int (*visit)(const struct sim_mapping *mapping, void *argument), void *argument);

#endif
