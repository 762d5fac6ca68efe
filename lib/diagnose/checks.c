// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of checks: a new one has its function in the file of its group, and its row here. */
#include "lib/diagnose/checks.h"

const struct mr_check mr_checks[] = {
	{ .id = NULL },
};
