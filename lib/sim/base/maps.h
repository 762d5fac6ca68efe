/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_MAPS_H
#define LIB_SIM_BASE_MAPS_H

#include <stdbool.h>
#include <stdint.h>

/** A part of a mapping of this process. */
struct sim_mapping {
	uint64_t start, end;
	uint64_t inode;
	unsigned int major; /**< of the device that the file is on */
	bool readable, writable, shared;
	const char *path; /**< or "" */
};

/** sim_maps_note() - @fd is mapped: remember that a file may be shared */
void sim_maps_note(int fd, int flags);

/** sim_maps_has_shared_file() - whether it may be that a file with write-back is shared */
bool sim_maps_has_shared_file(void);

/** sim_mapping_writes_back() - whether writing to it has to be tracked (vma_needs_dirty_tracking) */
bool sim_mapping_writes_back(const struct sim_mapping *mapping);

/**
 * sim_maps_walk() - look at the mappings in a range, in order, until one returns other than 0
 *
 * Return: what it returned, or 0; -EIO where the mappings cannot be read.
 */
int sim_maps_walk(uint64_t start, uint64_t end,
		  int (*look)(const struct sim_mapping *mapping, void *argument), void *argument);

#endif
