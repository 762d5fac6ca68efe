/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a registering command has before it registers: device or session, memory, dma-buf. */
#ifndef CMD_REGISTER_PREPARE_H
#define CMD_REGISTER_PREPARE_H

#include "cmd/register/answer.h"

/** register_prepare() - all but memory on the device.  Return: 0 or -errno. */
int register_prepare(struct register_job *job, struct mr_error *err);

/**
 * register_allocate_dm() - memory on the device, where the regions are to be on that
 *
 * In a session it stays when it is forgotten, so signals are to be blocked before.
 *
 * Return: 0 or -errno.
 */
int register_allocate_dm(struct register_job *job, struct mr_error *err);

/** register_settle_dm() - free that again, unless a region on it stays */
void register_settle_dm(struct register_job *job);

#endif
