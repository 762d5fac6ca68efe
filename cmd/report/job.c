// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/report/job.h"

int report_add(struct json_node *to, const char *key, struct json_node *value, struct mr_error *err)
{
	return json_tree_set(to, key, value) ? 0
					     : mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
}
