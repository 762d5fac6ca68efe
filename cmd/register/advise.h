/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What registering commands advise about their regions: --advise. */
#ifndef CMD_REGISTER_ADVISE_H
#define CMD_REGISTER_ADVISE_H

#include "cmd/register/answer.h"

/** advise_init() - get ready, before the memory is mapped: kinds with a gap want that to be last */
int advise_init(struct register_job *job, struct mr_error *err);

/** advise_all() - give the advice, where there is one, about each region; a refusal is told */
void advise_all(struct register_job *job);

/** advise_release() - free what that took */
void advise_release(struct register_job *job);

#endif
