// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The table of checks: a new one has its function in the file of its group, and its row here. */
#include "lib/diagnose/checks.h"

const struct mr_check mr_checks[] = {
	{ .id = NULL },
};

const struct mr_check *mr_check_find(const char *id, size_t length)
{
	const struct mr_check *check = mr_checks;

	while (check->id && !mr_word_is(id, length, check->id))
		check++;
	return check->id ? check : NULL;
}
