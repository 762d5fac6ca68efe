/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attempts that register memory of this process, or nothing at all.  Each is the attempt of a struct mr_trial. */
#ifndef LIB_PROBE_MEMORY_H
#define LIB_PROBE_MEMORY_H

#include "lib/probe/attempt.h"

void mr_try_memory(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_flush_persistent(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_relaxed(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_zero_based(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_ignored(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_implicit(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_null(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_advice(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_umem_pages(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);

#endif
