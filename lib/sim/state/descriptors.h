/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_STATE_DESCRIPTORS_H
#define LIB_SIM_STATE_DESCRIPTORS_H

#include <stdint.h>
#include <sys/stat.h>

#include "lib/sim/state/table.h"

/** A simulated descriptor of this process, mapped. */
struct sim_file {
	struct sim_table table;
	uint32_t refs; /**< guarded by the process lock */
};

/**
 * sim_file_get() - the table behind a descriptor; sim_file_put() it
 * @file: set to it, or NULL when @fd is not simulated
 *
 * One fstat() when the descriptor is known, a few system calls when it is new here.
 *
 * Return: 0, or -errno where that cannot be told, or the table not be reached: what was to be done with
 * @fd must fail, rather than be done to the file behind it.
 */
int sim_file_get(int fd, struct sim_file **file);
void sim_file_put(struct sim_file *file);

/** sim_file_forget() - @fd is about to be closed */
void sim_file_forget(int fd);

/** sim_file_probe() - as sim_table_probe(), of a descriptor whose real fstat() is @st */
int sim_file_probe(int fd, const struct stat *st, enum mr_sim_profile *kind);

#endif
