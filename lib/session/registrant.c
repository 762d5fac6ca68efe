// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/registrant.h"
#include "lib/verbs/verbs.h"

bool mr_registrant_needed(const struct mr_entry *entry)
{
	return !mr_region_has_dmah(entry->call) && entry->registrant.pid;
}

static bool depends_on_its_process(const struct mr_entry *entry)
{
	return entry->access & MR_ACCESS_ON_DEMAND || entry->memory_of == MR_MEMORY_OF_GPU;
}

uint32_t mr_registrant_start(uint64_t ticks)
{
	uint32_t low = ticks & UINT32_MAX;

	return low || !ticks ? low : 1;
}

/* Once for all regions.  The start stays 0 where this process is in another PID namespace than the session. */
static void identify_self(struct mr_session *session)
{
	struct mr_registrant *self = &session->self;
	uint32_t namespace;
	uint64_t ticks;

	if (self->pid)
		return;
	self->pid = (uint32_t)getpid();
	namespace = mr_process_namespace();
	if (namespace && namespace == session->device.pid_namespace &&
	    mr_process_life(getpid(), &ticks) == MR_PROCESS_LIVES)
		self->start = mr_registrant_start(ticks);
}

void mr_registrant_note(struct mr_session *session, struct mr_entry *entry)
{
	if (mr_region_has_dmah(entry->call)) /* its hints stand in that place */
		return;
	entry->registrant = (struct mr_registrant){ 0 };
	if (mr_session_is_private(session) || !depends_on_its_process(entry))
		return;
	identify_self(session);
	entry->registrant = session->self;
}

enum mr_tristate mr_registrant_lives(struct mr_session *session, const struct mr_entry *entry)
{
	const struct mr_registrant *registrant = &entry->registrant;
	uint64_t ticks;

	identify_self(session);
	if (!registrant->start || !session->self.start || registrant->pid > INT32_MAX ||
	    !registrant->pid)
		return MR_UNKNOWN;
	switch (mr_process_life((pid_t)registrant->pid, &ticks)) {
	case MR_PROCESS_LIVES:
		return mr_registrant_start(ticks) == registrant->start ? MR_YES : MR_NO;
	case MR_PROCESS_ENDED:
		return MR_NO;
	default:
		return MR_UNKNOWN;
	}
}
