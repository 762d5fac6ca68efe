/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Learning by trial what a device can do.  Each trial registers a little memory, or makes another object,
 * on a context of its own, and takes it back at once.  Where the process is killed the kernel takes it back.
 */
#ifndef LIB_PROBE_PROBE_H
#define LIB_PROBE_PROBE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/probe/context.h"
#include "lib/probe/trial.h"

/** What a trial answered. */
struct mr_trial_answer {
	enum mr_tristate answer;
	int errnum;              /**< of the call; 0: it succeeded, or was not made */
	const char *call;        /**< "ibv_reg_mr"; NULL: none was made */
	const char *layer;       /**< that refused: "uverbs"; NULL: not proven */
	const char *kernel_call; /**< what the kernel was asked in its place; NULL: not proven */
	bool made;               /**< the call was made, and took elapsed_ns */
	uint64_t elapsed_ns;
	enum mr_tristate capability; /**< what the device says */
	enum mr_tristate agrees;     /**< whether that agrees with the answer */
	char reason[256];            /**< why the answer is unknown, or what it means; or empty */
};

/**
 * mr_probe_open() - open a device and map memory
 * @name:        as of mr_device_open()
 * @environment: set as mr_device_open() does; must outlive @probe
 *
 * Return: 0, or -errno as mr_device_open() and mr_memory_map().  mr_probe_close() it.
 */
int mr_probe_open(struct mr_probe *probe, const char *name, struct mr_environment *environment,
		  struct mr_error *err);

/** mr_probe_close() - unmap the memory and close the device */
void mr_probe_close(struct mr_probe *probe);

/** mr_probe_try() - make a trial; sets @answer */
void mr_probe_try(struct mr_probe *probe, const struct mr_trial *trial,
		  struct mr_trial_answer *answer);

#endif
