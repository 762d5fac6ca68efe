/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Deregistering what an operand names: a region, an object that no entry names, or a protection domain. */
#ifndef CMD_DEREG_OPERAND_H
#define CMD_DEREG_OPERAND_H

#include "cmd/region/in_session.h"

/**
 * dereg_operand() - deregister what @word names, and print it or why it failed
 * @index: which operand it is, from 1
 */
void dereg_operand(struct session_job *job, const char *word, uint64_t index);

#endif
