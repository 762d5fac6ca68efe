// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>

#include "lib/simulator/pinned.h"

struct mr_opt_u64 mr_simulator_pinned(void)
{
	uint64_t (*pinned)(void);

	/* a cast would be one from an object to a function, which ISO C lacks */
	*(void **)&pinned = dlsym(RTLD_DEFAULT, "mrctl_sim_pinned");
	return pinned ? (struct mr_opt_u64){ pinned(), true } : (struct mr_opt_u64){ 0 };
}
