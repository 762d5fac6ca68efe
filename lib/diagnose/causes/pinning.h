/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What pinning meets in the range of a call. */
#ifndef LIB_DIAGNOSE_CAUSES_PINNING_H
#define LIB_DIAGNOSE_CAUSES_PINNING_H

#include "lib/diagnose/causes/inquiry.h"

/** mr_obstacle_writes() - whether a call pins its memory for writing: rdma/ib_verbs.h ib_access_writable() */
bool mr_obstacle_writes(const struct mr_inquiry *inquiry);

/** mr_is_gpu_mapping() - whether a mapping is of a node of a GPU or another accelerator */
bool mr_is_gpu_mapping(const struct mr_mapping *mapping);

/**
 * mr_obstacle_find() - look for it
 *
 * It is looked for once in an inquiry.
 *
 * Return: NULL where the call pins no memory of the process, or the mappings cannot be read.
 */
const struct mr_obstacle *mr_obstacle_find(struct mr_inquiry *inquiry);

/**
 * mr_obstacle_may_be_in() - whether a page of the mapping can be what was not pinned, though the mapping does not tell
 *
 * That is so where pinning ended in it, or where it is not known where that was and no mapping is an obstacle.
 */
bool mr_obstacle_may_be_in(const struct mr_obstacle *obstacle, const struct mr_mapping *mapping);

/** mr_is_pinned() - whether nothing is known that keeps the memory from being pinned, which drivers do first */
bool mr_is_pinned(struct mr_inquiry *inquiry);

#endif
