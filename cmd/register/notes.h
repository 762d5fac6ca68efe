/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Notes of a registering command on standard error, beside the regions and the refusals. */
#ifndef CMD_REGISTER_NOTES_H
#define CMD_REGISTER_NOTES_H

#include "cmd/register/job.h"

/** register_note_flags_without_effect() - name each access flag that has no effect on one of the regions */
void register_note_flags_without_effect(struct register_job *job);

/**
 * register_note_needs_process() - warn that regions of the session are inert once this process has ended
 * @hold: the process stays, so there is nothing to warn about
 */
void register_note_needs_process(const struct register_job *job, bool hold);

/** register_note_kernel_bug() - warn, once in a batch, that the kernel corrupts data in regions like these */
void register_note_kernel_bug(const struct register_job *job);

/** register_note_interrupted() - say what became of the regions that were registered before a signal came */
void register_note_interrupted(const struct register_job *job);

/** register_note_hold() - say that the regions stay registered, until when, and by which process */
void register_note_hold(const struct register_job *job);

/** register_hint_unprinted() - add to @err what became of the regions that could not be printed */
void register_hint_unprinted(const struct register_job *job, struct mr_error *err);

#endif
