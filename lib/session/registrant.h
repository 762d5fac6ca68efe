/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The process that registered a region.  With on-demand paging the kernel finds pages by the address space
 * of that process, and memory of a GPU ends with it.  Once it has ended such a region reaches nothing.
 */
#ifndef LIB_SESSION_REGISTRANT_H
#define LIB_SESSION_REGISTRANT_H

#include "lib/base/base.h"
#include "lib/session/types.h"

/**
 * mr_registrant_needed() - whether the entry's region reaches nothing without the process that registered it
 *
 * The access flags of the entry do not tell that.  Where they alone were changed, pages that were pinned stay
 * pinned (mlx5_ib_rereg_user_mr() and rxe_rereg_user_mr() keep the umem).
 */
bool mr_registrant_needed(const struct mr_entry *entry);

/**
 * mr_registrant_start() - the start of a process as an entry keeps it
 * @ticks: of mr_process_life()
 *
 * Return: the low 32 bits, or 1 where these are 0.  They come again after 497 days.
 */
uint32_t mr_registrant_start(uint64_t ticks);

/**
 * mr_registrant_note() - note in @entry that this process has registered the region, or given it new memory
 *
 * Nothing is noted of a region that does not need its process.  The start is 0 where this process is in another
 * PID namespace than that in which the session was opened.
 */
void mr_registrant_note(struct mr_session *session, struct mr_entry *entry);

/**
 * mr_registrant_lives() - whether the process that registered the entry's region still exists
 *
 * Return: MR_UNKNOWN where it cannot be seen: it or this process is of another PID namespace than that
 * in which the session was opened, or it is hidden (hidepid, proc(5)).
 */
enum mr_tristate mr_registrant_lives(struct mr_session *session, const struct mr_entry *entry);

#endif
