/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Advice that a registering command gives about its regions: --advise. */
#ifndef CMD_REGISTER_ADVISE_H
#define CMD_REGISTER_ADVISE_H

#include "cmd/register/job.h"

/**
 * advise_init() - allocate what advice needs
 *
 * To be called before the memory is mapped: nothing may be mapped into the gaps of some of its kinds.
 */
int advise_init(struct register_job *job, struct mr_error *err);

/** advise_all() - give the advice, where there is one, about each region, and report refusals */
void advise_all(struct register_job *job);

/** advise_release() - free what advice took */
void advise_release(struct register_job *job);

#endif
