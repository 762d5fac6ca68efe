/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How many mappings a process may have, and has. */
#ifndef LIB_HOST_MAPPINGS_H
#define LIB_HOST_MAPPINGS_H

#include "lib/base/base.h"
#include "lib/host/root.h"

/** mr_mappings_max() - vm.max_map_count; not known where it cannot be read */
struct mr_opt_u64 mr_mappings_max(struct mr_host *host);

/**
 * mr_mappings_used() - how many mappings the process has
 *
 * They are counted, and neither their addresses nor their files are recorded.
 */
struct mr_opt_u64 mr_mappings_used(struct mr_host *host);

#endif
