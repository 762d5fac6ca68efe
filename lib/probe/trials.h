/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What is tried to learn what a device can do, as a table.  A trial has an id that is never renamed: scripts
 * name it.
 */
#ifndef LIB_PROBE_TRIALS_H
#define LIB_PROBE_TRIALS_H

#include <stdbool.h>

#include "lib/probe/trial.h"

/** All trials, by group; ends with one that has no id. */
extern const struct mr_trial mr_trials[];

/** mr_trial_has_access() - whether a trial is about a region that is registered with its access flags */
bool mr_trial_has_access(const struct mr_trial *trial);

#endif
