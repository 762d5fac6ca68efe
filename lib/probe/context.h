/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What trials work with: the open device, and memory. */
#ifndef LIB_PROBE_CONTEXT_H
#define LIB_PROBE_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/memory/memory.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

/** A device that is tried. */
struct mr_probe {
	struct mr_device device;
	struct mr_uverbs uverbs;
	struct mr_registrar library; /**< by libibverbs */
	struct mr_registrar kernel;  /**< by ioctls */
	const struct mr_environment *environment;
	struct mr_attributes attributes;
	bool has_attributes;
	struct mr_in_force in_force;
	struct mr_memory memory; /**< MR_PROBE_PAGES anonymous pages */
	uint64_t page;           /**< bytes of one */
	/** The context has no descriptor during the call of an attempt: see mr_attempt_begin(). */
	bool blind;
};

/** Pages of the memory that most trials register some of. */
#define MR_PROBE_PAGES 4

#endif
