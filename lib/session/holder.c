// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include <unistd.h>

#include "lib/session/holder.h"

const char *mr_holder_role_name(enum mr_holder_role role)
{
	static const char *const names[] = {
		[MR_HOLDER_DETACHED] = "detached",
		[MR_HOLDER_PROGRAM] = "program",
		[MR_HOLDER_COMMAND] = "command",
	};

	return names[role];
}

bool mr_holder_is_detached(const struct mr_process *process)
{
	static const char words[] = "mrctl\0session\0--hold";
	char started_with[sizeof(words) + 1];

	return mr_process_read(process, "cmdline", started_with, sizeof(started_with)) ==
		       (ssize_t)sizeof(words) &&
	       !memcmp(started_with, words, sizeof(words)) && getsid(process->pid) == process->pid;
}
