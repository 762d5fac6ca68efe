/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Attempts that register dma-bufs, and memory on the device.  Each is the attempt of a struct mr_trial. */
#ifndef LIB_PROBE_DMABUF_H
#define LIB_PROBE_DMABUF_H

#include "lib/probe/attempt.h"

void mr_try_dmabuf(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_no_dmabuf(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_umem_memfd(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_dm_alloc(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_dm_register(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_dm_export(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);
void mr_try_dm_dmabuf(struct mr_probe *, const struct mr_trial *, struct mr_attempt *);

#endif
