// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/host/reading.h"
#include "lib/trace/others.h"
#include "lib/trace/wire/wire.h"

/* The longest that a process which has no environment yet is waited for, and between two looks at it. */
#define EXEC_MS 1000
#define LOOK_MS 2

struct search {
	const char *channel;
	pid_t found;
	bool is_open; /* a process is in the midst of execve(2) */
};

static void look_at(const char *name, void *data)
{
	struct search *search = data;
	const size_t length = strlen(search->channel);
	const pid_t pid = (pid_t)strtol(name, NULL, 10); /* 0: no process */
	char value[256];
	int rc;

	if (search->found || pid <= 0)
		return;
	rc = mr_process_variable(pid, MR_TRACE_VARIABLE, value, sizeof(value));
	search->is_open |= rc == -EAGAIN;
	if (rc == 1 && !strncmp(value, search->channel, length) && value[length] == ':')
		search->found = pid;
}

pid_t mr_trace_find_other(const char *channel)
{
	struct mr_host host = MR_THIS_HOST;
	struct search search;
	int ms = 0;

	do {
		if (ms)
			usleep(LOOK_MS * 1000);
		search = (struct search){ .channel = channel };
		mr_host_list(&host, look_at, &search, "/proc");
		ms += LOOK_MS;
	} while (!search.found && search.is_open && ms < EXEC_MS);
	return search.found;
}
