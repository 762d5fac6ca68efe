// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/fork.h"
#include "lib/host/other_process.h"

struct variable {
	const struct mr_host *host;
	const char *name;
};

/* Answers whether a variable is set, and not to "0"; its value is not recorded. */
static int is_set(void *data, char *text, size_t size)
{
	const struct variable *variable = data;
	const char *value = getenv(variable->name);
	char others[8];
	int rc;

	if (variable->host->process) {
		rc = mr_process_variable(variable->host->process, variable->name, others,
					 sizeof(others));
		if (rc < 0)
			return rc;
		value = rc ? others : NULL;
	}
	snprintf(text, size, "%s", !value ? "unset" : strcmp(value, "0") ? "set" : "0");
	return 0;
}

static bool ask_variable(struct mr_host *host, const char *name, bool zero_counts)
{
	struct variable variable = { host, name };
	char question[64], answer[8];

	snprintf(question, sizeof(question), "environment/%s", name);
	return !mr_host_ask(host, question, is_set, &variable, answer, sizeof(answer)) &&
	       (!strcmp(answer, "set") || (zero_counts && !strcmp(answer, "0")));
}

void mr_fork_read(struct mr_host *host, struct mr_fork *fork)
{
	const bool is_safe = ask_variable(host, "RDMAV_FORK_SAFE", false);

	fork->is_asked = ask_variable(host, "IBV_FORK_SAFE", false) || is_safe;
	fork->huge_pages = ask_variable(host, "RDMAV_HUGEPAGES_SAFE", true);
}
