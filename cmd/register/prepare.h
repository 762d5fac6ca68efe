/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a registering command gets ready before it registers: device or session, memory, dma-buf. */
#ifndef CMD_REGISTER_PREPARE_H
#define CMD_REGISTER_PREPARE_H

#include "cmd/register/job.h"

/** register_prepare() - get all ready but memory on the device.  Return: 0 or -errno. */
int register_prepare(struct register_job *job, struct mr_error *err);

/**
 * register_allocate_dm() - allocate memory on the device, where the regions are to be on that
 *
 * Signals are to be blocked before: in a session it would stay after a signal, and nobody would know of it.
 *
 * Return: 0 or -errno.
 */
int register_allocate_dm(struct register_job *job, struct mr_error *err);

/** register_free_unused_dm() - free memory on the device again, unless a region on it stays */
void register_free_unused_dm(struct register_job *job);

#endif
