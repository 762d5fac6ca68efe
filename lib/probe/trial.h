/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a trial is. */
#ifndef LIB_PROBE_TRIAL_H
#define LIB_PROBE_TRIAL_H

#include <stdint.h>

#include "lib/memory/memory.h"
#include "lib/probe/capability.h"
#include "lib/verbs/verbs.h"

struct mr_attempt;
struct mr_probe;

struct mr_trial {
	const char *id;      /**< "access.remote-read" */
	const char *group;   /**< neighbours have the same: "access" */
	const char *subject; /**< what is tried, a few words */
	/** Makes the call once, and takes everything back. */
	void (*attempt)(struct mr_probe *probe, const struct mr_trial *trial,
			struct mr_attempt *attempt);
	enum mr_region_call call; /**< that registers */
	enum mr_via via;
	uint32_t access; /**< access flags of the region */
	enum mr_memory_type
		memory;     /**< it is registered on; with its pages where huge_size is set */
	uint64_t huge_size; /**< bytes of a huge page; 0: the default size */
	enum mr_dmabuf_type dmabuf; /**< of calls on a dma-buf */
	uint32_t detail;            /**< the advice, the changes of a rereg, the type of a window */
	int yes_errno;              /**< a refusal that means yes; 0: none does */
	enum mr_capability capability; /**< of the device, which is to agree with the answer */
};

#endif
