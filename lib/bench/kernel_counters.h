/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the kernel counts of a device beside a measurement: commands to the firmware, and MRs that wait for reuse. */
#ifndef LIB_BENCH_KERNEL_COUNTERS_H
#define LIB_BENCH_KERNEL_COUNTERS_H

#include <stddef.h>

#include "lib/base/number.h"
#include "lib/host/mlx5_commands.h"
#include "lib/verbs/environment.h"

struct mr_kernel_counter {
	const char *
		name; /**< a command of the firmware; "frmr_free", "frmr_in_use": MRs of all pools */
	struct mr_opt_u64 value; /**< not known: the kernel has none, or tells root alone */
};

#define MR_KERNEL_COUNTERS (MR_MLX5_COMMANDS + 2)

/**
 * mr_kernel_counters_read() - read those of the device that is open
 * @counters: set; each has a name, in the same order each time
 *
 * A simulated device has none: the kernel may have another of the same name.
 */
void mr_kernel_counters_read(const struct mr_environment *environment,
			     struct mr_kernel_counter counters[MR_KERNEL_COUNTERS]);

#endif
