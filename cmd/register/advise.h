/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Advice that a registering command gives about its regions: --advise. */
#ifndef CMD_REGISTER_ADVISE_H
#define CMD_REGISTER_ADVISE_H

#include "cmd/register/job.h"

/**
 * advise_init() - allocate what advice needs
 *
 * Must be called before the memory is mapped: what is allocated later might be put into the gap that
 * --memory hole leaves.
 *
 * Return: 0, or -ENOMEM.
 */
int advise_init(struct register_job *job, struct mr_error *err);

/** advise_all() - with --advise, give the advice about each region, and report refusals */
void advise_all(struct register_job *job);

/** advise_release() - free what advise_init() and advise_all() allocated */
void advise_release(struct register_job *job);

#endif
