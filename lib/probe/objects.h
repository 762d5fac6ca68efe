/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attempts that make other objects than regions, or take objects over into a second context.  Each is the attempt of a struct mr_trial. */
#ifndef LIB_PROBE_OBJECTS_H
#define LIB_PROBE_OBJECTS_H

#include "lib/probe/attempt.h"

void mr_try_window(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_dma_handle(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_dmah_register(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_ex(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_import_device(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_import_pd(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_import_mr(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_import_umem(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);

#endif
