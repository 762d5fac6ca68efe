// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/copy_on_fork.h"
#include "lib/nldev/nldev.h"

static int ask_kernel(void *data, char *text, size_t size)
{
	struct mr_nldev_system system = { 0 };
	struct mr_nldev nl = { 0 };
	struct mr_error ignored;
	int rc = mr_nldev_open(&nl, &ignored);

	(void)data;
	if (!rc) {
		rc = mr_nldev_system(&nl, &system, &ignored);
		mr_nldev_close(&nl);
	}
	if (rc)
		return rc;
	snprintf(text, size, "%s",
		 system.copy_on_fork.known && system.copy_on_fork.value ? "yes" : "no");
	return 0;
}

enum mr_tristate mr_copies_on_fork(struct mr_host *host)
{
	char answer[8];

	if (mr_host_ask(host, "rdma/copy-on-fork", ask_kernel, NULL, answer, sizeof(answer)))
		return MR_UNKNOWN;
	return !strcmp(answer, "yes") ? MR_YES : !strcmp(answer, "no") ? MR_NO : MR_UNKNOWN;
}
