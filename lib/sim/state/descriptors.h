/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_DESCRIPTORS_H
#define LIB_SIM_STATE_DESCRIPTORS_H

#include <stdint.h>
#include <sys/stat.h>

#include "lib/sim/state/table.h"

/** The table behind a simulated descriptor, mapped into this process. */
struct sim_file {
	struct sim_table table;
	uint32_t refs; /**< guarded by the process lock */
};

/**
 * sim_file_get() - find the table behind a descriptor; sim_file_put() it
 * @file: set to it, or to NULL if @fd is not simulated
 *
 * This costs one fstat() if the descriptor is known, and a few system calls more if it is not.
 *
 * Return: 0, or -errno if @fd cannot be examined or its table cannot be mapped.  The caller must then
 * fail, and not carry its call out on the memfd.
 */
int sim_file_get(int fd, struct sim_file **file);
void sim_file_put(struct sim_file *file);

/** sim_file_forget() - forget a descriptor that is about to be closed */
void sim_file_forget(int fd);

/** sim_file_probe() - as sim_table_probe(), but cheaper: @st is what libc's fstat() has stored for @fd */
int sim_file_probe(int fd, const struct stat *st, enum mr_sim_profile *kind);

#endif
