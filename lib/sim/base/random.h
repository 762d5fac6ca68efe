/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_RANDOM_H
#define LIB_SIM_BASE_RANDOM_H

#include <stdint.h>

/** sim_random() - a random number, never 0, to tell tables, objects and address spaces apart */
uint64_t sim_random(void);

#endif
