/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_EXPLAIN_ORDER_H
#define CMD_EXPLAIN_ORDER_H

#include "lib/diagnose/causes/causes.h"

/**
 * next_owner() - the next cause that can own an errno: the most frequent ones first
 * @before:     the one before, or NULL
 * @operations: bits of what was refused; 0: anything
 * @errnum:     0: any
 *
 * Return: NULL behind the last one.
 */
const struct mr_cause *next_owner(const struct mr_cause *before, uint32_t operations, int errnum);

#endif
