/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a registering command tells a person beside the regions and the refusals. */
#ifndef CMD_REGISTER_NOTES_H
#define CMD_REGISTER_NOTES_H

#include "cmd/register/job.h"

/** register_note_flags_without_effect() - name access flags that have none on one of the regions */
void register_note_flags_without_effect(struct register_job *job);

/**
 * register_note_needs_process() - say where regions stay in the session, but are inert without this
 * process
 * @hold: the process stays
 */
void register_note_needs_process(const struct register_job *job, bool hold);

/** register_note_interrupted() - say where the regions are that were registered until a signal came */
void register_note_interrupted(const struct register_job *job);

/** register_note_hold() - say that the regions are held, until when, and by which process */
void register_note_hold(const struct register_job *job);

/** register_hint_unprinted() - add to @err what became of the regions that could not be printed */
void register_hint_unprinted(const struct register_job *job, struct mr_error *err);

#endif
