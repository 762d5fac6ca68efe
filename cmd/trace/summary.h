/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What mrctl trace tells at the end. */
#ifndef CMD_TRACE_SUMMARY_H
#define CMD_TRACE_SUMMARY_H

#include <stdio.h>

#include "cmd/cli/cli.h"
#include "cmd/trace/result.h"

/**
 * summary_print() - print the summary
 * @file: where it goes, which stays open; NULL: standard error
 *
 * Return: 0, or -errno.
 */
int summary_print(const struct invocation *invocation, struct trace_result *result, FILE *file,
		  struct mr_error *err);

#endif
