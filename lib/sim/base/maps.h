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

/** sim_maps_note() - the program maps @fd: remember it if that shares a file with write-back */
void sim_maps_note(int fd, int flags);

/** sim_maps_has_shared_file() - whether this process may have a file with write-back shared */
bool sim_maps_has_shared_file(void);

/** sim_mapping_writes_back() - whether the kernel must track writes to it (vma_needs_dirty_tracking()) */
bool sim_mapping_writes_back(const struct sim_mapping *mapping);

/**
 * sim_maps_walk() - visit the mappings in a range, in order, until one returns other than 0
 *
 * Return: what it returned, or 0; -EIO where the mappings cannot be read.
 */
int sim_maps_walk(uint64_t start, uint64_t end,
		  int (*visit)(const struct sim_mapping *mapping, void *argument), void *argument);

#endif
