/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_STAT_PROBE_ROW_H
#define CMD_STAT_PROBE_ROW_H

#include "cmd/output/output.h"

/** A trial, as it is printed. */
struct trial_row {
	const char *id;
	const char *group;
	const char *subject;
	const char *answer;
	const char *errnum;
	const char *call;
	const char *layer;
	const char *kernel_call;
	struct mr_opt_u64 access;
	struct mr_opt_u64 elapsed_ns;
	const char *capability;
	struct opt_bool agrees;
	char reason[256];
};

#endif
