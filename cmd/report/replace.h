/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Stand-ins put into texts. */
#ifndef CMD_REPORT_REPLACE_H
#define CMD_REPORT_REPLACE_H

#include "cmd/report/stand_ins.h"

/**
 * replace_own() - replace all that is known, and what has a pattern (cmd/report/patterns.h)
 * Return: free() it; NULL where nothing is to be replaced, or memory is short.
 */
char *replace_own(struct stand_ins *all, const char *text);

#endif
