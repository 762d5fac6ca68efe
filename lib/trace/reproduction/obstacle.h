/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a batch cannot reproduce. */
#ifndef LIB_TRACE_REPRODUCTION_OBSTACLE_H
#define LIB_TRACE_REPRODUCTION_OBSTACLE_H

#include "lib/trace/reproduction/reproduced.h"

/** mr_reproduction_obstacle() - why no line can be refused in the same way; NULL: one can */
const char *mr_reproduction_obstacle(const struct mr_reproduced *it);

#endif
