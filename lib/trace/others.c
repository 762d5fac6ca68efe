// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "lib/host/other_process.h"
#include "lib/host/root.h"
#include "lib/trace/others.h"
#include "lib/trace/wire/wire.h"

struct search {
	const char *channel;
	pid_t found;
};

static void look_at(const char *name, void *data)
{
	struct search *search = data;
	const size_t length = strlen(search->channel);
	const pid_t pid = (pid_t)strtol(name, NULL, 10); /* 0: no process */
	char value[256];

	if (!search->found && pid > 0 &&
	    mr_process_variable(pid, MR_TRACE_VARIABLE, value, sizeof(value)) == 1 &&
	    !strncmp(value, search->channel, length) && value[length] == ':')
		search->found = pid;
}

pid_t mr_trace_find_other(const char *channel)
{
	struct mr_host host = MR_THIS_HOST;
	struct search search = { channel, 0 };

	mr_host_list(&host, look_at, &search, "/proc");
	return search.found;
}
