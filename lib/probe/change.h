/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attempts that change a region.  Each is the attempt of a struct mr_trial. */
#ifndef LIB_PROBE_CHANGE_H
#define LIB_PROBE_CHANGE_H

#include "lib/probe/attempt.h"

void mr_try_rereg(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);

#endif
