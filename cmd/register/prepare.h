/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a registering command gets ready before it registers: device or session, memory, dma-buf. */
#ifndef CMD_REGISTER_PREPARE_H
#define CMD_REGISTER_PREPARE_H

#include "cmd/register/job.h"

/**
 * register_prepare() - open the device or join the session, map the memory, and open the dma-buf
 *
 * Memory on the RDMA device, and a dma-buf of it, are left to register_allocate_dm().
 *
 * Return: 0 or -errno.
 */
int register_prepare(struct register_job *job, struct mr_error *err);

/**
 * register_allocate_dmah() - allocate a DMA handle, if the regions are to have one
 *
 * In a session the caller must have blocked signals, as for register_allocate_dm().
 *
 * Return: 0 or -errno.
 */
int register_allocate_dmah(struct register_job *job, struct mr_error *err);

/** register_free_unused_dmah() - free the DMA handle, unless a region that uses it stays */
void register_free_unused_dmah(struct register_job *job);

/**
 * register_allocate_dm() - allocate memory on the RDMA device, if the regions are to be on that
 *
 * In a session the caller must have blocked signals: the memory outlives this process, and after a signal no
 * entry of the session would name it.
 *
 * Return: 0 or -errno.
 */
int register_allocate_dm(struct register_job *job, struct mr_error *err);

/** register_free_unused_dm() - free memory on the RDMA device, unless a region on it stays */
void register_free_unused_dm(struct register_job *job);

#endif
