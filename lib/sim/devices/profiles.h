/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_DEVICES_PROFILES_H
#define LIB_SIM_DEVICES_PROFILES_H

#include "lib/sim/call/profile.h"

/** sim_profile_of() - the profile of a kind of device, or NULL for MR_SIM_PROFILES */
const struct sim_profile *sim_profile_of(enum mr_sim_profile kind);

#endif
