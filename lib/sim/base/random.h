/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_RANDOM_H
#define LIB_SIM_BASE_RANDOM_H

#include <stdint.h>

/** sim_random() - a number that no other table or process has, and never 0 */
uint64_t sim_random(void);

#endif
