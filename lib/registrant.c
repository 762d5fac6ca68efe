// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>
#include <unistd.h>

#include "access.h"
#include "process.h"
#include "registrant.h"

bool mr_registrant_needed(const struct mr_entry *entry)
{
	return entry->access & MR_ACCESS_ON_DEMAND ||
	       !strncmp(entry->memory, "cuda:", strlen("cuda:"));
}

static void know_self(struct mr_registrant *self)
{
	if (self->start)
		return;
	self->pid = (uint32_t)getpid();
	self->namespace = mr_process_namespace();
	if (!self->namespace || mr_process_life(getpid(), &self->start) != MR_PROCESS_LIVES)
		self->start = 0;
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
	uint64_t start;

	know_self(&session->self);
	if (!registrant->start || !session->self.start || registrant->pid > INT32_MAX ||
	    !registrant->pid || registrant->namespace != session->self.namespace)
		return MR_UVERBS_UNKNOWN;
	switch (mr_process_life((pid_t)registrant->pid, &start)) {
	case MR_PROCESS_LIVES:
		return start == registrant->start ? MR_UVERBS_YES : MR_UVERBS_NO;
	case MR_PROCESS_ENDED:
		return MR_UVERBS_NO;
	default:
		return MR_UVERBS_UNKNOWN;
	}
}
