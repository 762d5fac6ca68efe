// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/host/fork.h"

/* Answers whether a variable is set, and not to "0"; its value is not recorded. */
static int is_set(void *data, char *text, size_t size)
{
	const char *value = getenv(data);

	snprintf(text, size, "%s", !value ? "unset" : strcmp(value, "0") ? "set" : "0");
	return 0;
}

static bool ask_variable(struct mr_host *host, const char *name, bool zero_counts)
{
	char question[64], variable[32], answer[8];

	snprintf(variable, sizeof(variable), "%s", name);
	snprintf(question, sizeof(question), "environment/%s", name);
	return !mr_host_ask(host, question, is_set, variable, answer, sizeof(answer)) &&
	       (!strcmp(answer, "set") || (zero_counts && !strcmp(answer, "0")));
}

void mr_fork_read(struct mr_host *host, struct mr_fork *fork)
{
	const bool is_safe = ask_variable(host, "RDMAV_FORK_SAFE", false);

	fork->is_asked = ask_variable(host, "IBV_FORK_SAFE", false) || is_safe;
	fork->huge_pages = ask_variable(host, "RDMAV_HUGEPAGES_SAFE", true);
}
