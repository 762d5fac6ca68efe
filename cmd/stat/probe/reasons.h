/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_STAT_PROBE_REASONS_H
#define CMD_STAT_PROBE_REASONS_H

#include "cmd/stat/probe/row.h"

/**
 * print_reasons() - print below their table what the letters in ids stand for, and the reasons of answers, each
 * behind the id of its trial
 */
void print_reasons(const struct trial_row *rows, size_t trials);

#endif
