// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "access.h"
#include "cleanup.h"
#include "registrant.h"

bool mr_registrant_needed(const struct mr_entry *entry)
{
	return entry->access & MR_ACCESS_ON_DEMAND ||
	       !strncmp(entry->memory, "cuda:", strlen("cuda:"));
}

/*
 * When it was started, in ticks since the machine was (field 22 of proc_pid_stat(5)): a number is given
 * out again.  0 where that cannot be read, or it has ended and its parent has not looked yet.
 */
static uint64_t read_start(uint32_t pid, bool *ended)
{
	char path[64], line[1024];
	mr_auto_file FILE *f = NULL;
	uint64_t start = 0;
	const char *rest;
	char state = 0;

	snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
	f = fopen(path, "re");
	if (!f || !fgets(line, sizeof(line), f))
		return 0;
	rest = strrchr(line, ')'); /* its name may hold blanks and brackets */
	if (!rest || sscanf(rest + 1,
			    " %c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			    "%*s %*s %" SCNu64,
			    &state, &start) != 2)
		return 0;
	*ended = state == 'Z' || state == 'X';
	return start;
}

/* The folder must be of the numbers that this process has: in a container it may be another's. */
static void know_self(struct mr_registrant *self)
{
	char number[32] = "";
	bool ended = false;
	struct stat st;

	if (self->start)
		return;
	self->pid = (uint32_t)getpid();
	if (readlink("/proc/self", number, sizeof(number) - 1) <= 0 ||
	    strtoul(number, NULL, 10) != self->pid || stat("/proc/self/ns/pid", &st))
		return;
	self->namespace = (uint32_t)st.st_ino;
	self->start = read_start(self->pid, &ended);
}

void mr_registrant_note(struct mr_session *session, struct mr_entry *entry)
{
	entry->registrant = (struct mr_registrant){ 0 };
	if (!mr_registrant_needed(entry))
		return;
	know_self(&session->self);
	if (session->self.start)
		entry->registrant = session->self;
}

enum mr_uverbs_answer mr_registrant_lives(struct mr_session *session, const struct mr_entry *entry)
{
	const struct mr_registrant *registrant = &entry->registrant;
	bool ended = false;
	uint64_t start;

	know_self(&session->self);
	if (!registrant->start || !session->self.start || registrant->pid > INT32_MAX ||
	    !registrant->pid || registrant->namespace != session->self.namespace)
		return MR_UVERBS_UNKNOWN;
	if (kill((pid_t)registrant->pid, 0) && errno == ESRCH)
		return MR_UVERBS_NO;
	start = read_start(registrant->pid, &ended);
	if (!start)
		return MR_UVERBS_UNKNOWN;
	return start == registrant->start && !ended ? MR_UVERBS_YES : MR_UVERBS_NO;
}
