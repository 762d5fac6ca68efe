// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The kinds of devices that can be simulated. */
#include <stddef.h>

#include "lib/sim/devices/mlx5.h"
#include "lib/sim/devices/profiles.h"
#include "lib/sim/devices/rxe.h"

static const struct sim_profile *const profiles[MR_SIM_PROFILES + 1] = {
	[MR_SIM_MLX5] = &sim_mlx5_profile,
	[MR_SIM_RXE] = &sim_rxe_profile,
	[MR_SIM_PROFILES] = NULL,
};

const struct sim_profile *sim_profile_of(enum mr_sim_profile kind)
{
	return profiles[kind];
}
