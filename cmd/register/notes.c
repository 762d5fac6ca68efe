// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/register/notes.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/verbs/verbs.h"

void register_note_flags_without_effect(struct register_job *job)
{
	char text[FIELD_TEXT_MAX];
	uint32_t without_effect = 0;

	if (job->answer.invocation->global->style.quiet)
		return;
	for (uint64_t i = 0; i < job->count; i++) {
		const struct mr_in_force_region asked = register_flags_query(job, &job->regions[i]);

		without_effect |=
			asked.access & ~(uint32_t)mr_in_force_bits(&job->in_force, &asked).value;
	}
	for (; without_effect; without_effect &= without_effect - 1) {
		uint32_t flag = without_effect & -without_effect;

		report_note(job->answer.invocation->command->name, "%s has no effect: %s",
			    access_text(flag, text), mr_in_force_reason(&job->in_force, flag));
	}
}

/* On-demand paging faults in pages of the process that registered; memory of a GPU goes with its process. */
void register_note_needs_process(const struct register_job *job, bool hold)
{
	bool cuda = register_plan_is_on_gpu(job->plan),
	     on_demand = job->plan->access & MR_ACCESS_ON_DEMAND;

	if (!job->registrar.in_session || mr_session_is_private(job->registrar.session))
		return;
	if ((cuda || on_demand) && job->count && !hold)
		report_note(job->answer.invocation->command->name,
			    "%s region is inert once this process has ended: use --hold",
			    cuda ? "a cuda" : "an on-demand");
}

void register_note_kernel_bug(const struct register_job *job)
{
	static bool told;
	const char *effect;

	if (told || !job->count || job->answer.invocation->global->style.quiet)
		return;
	effect = mr_kernel_bug(mr_this_host(), job->registrar.uverbs.driver_id, job->plan->access);
	told = effect;
	if (effect)
		report_note(job->answer.invocation->command->name, "%s", effect);
}

void register_note_interrupted(const struct register_job *job)
{
	bool ends;

	if (!job->interrupted || !job->count || job->answer.invocation->global->style.quiet)
		return;
	if (!job->registrar.in_session) {
		report_detail("they were deregistered again");
		return;
	}
	ends = mr_session_is_private(job->registrar.session);
	report_detail("%s, with the ids %" PRIu64 " to %" PRIu64 "%s",
		      ends ? "they stay until the batch ends" : "they stay in the session",
		      job->regions[0].id, job->regions[job->count - 1].id,
		      ends ? "" : ": mrctl stat shows them, mrctl dereg deregisters them");
}

void register_note_hold(const struct register_job *job)
{
	const struct mr_opt_u64 time = job->args->hold_for;
	char seconds[48] = "";

	if (job->answer.invocation->global->style.quiet || (time.known && !time.value))
		return;
	if (time.known)
		snprintf(seconds, sizeof(seconds), "for %g s, or ", (double)time.value / 1e9);
	report_note(job->answer.invocation->command->name,
		    "holding %" PRIu64 " region%s %suntil Ctrl-C%s%s; pid %d", job->count,
		    job->count == 1 ? "" : "s", seconds,
		    mr_signals_include_hangup() ? ", SIGTERM or SIGHUP" : " or SIGTERM",
		    job->registrar.in_session ? ", then left to the session (mrctl dereg)" : "",
		    (int)getpid());
}

void register_hint_unprinted(const struct register_job *job, struct mr_error *err)
{
	const bool one = job->count == 1;

	if (!job->count ||
	    (job->registrar.in_session && mr_session_is_private(job->registrar.session)))
		return;
	if (job->registrar.in_session)
		mr_hint(err,
			"%" PRIu64 " region%s registered all the same and stay%s in the "
			"session: mrctl stat shows %s",
			job->count, one ? " is" : "s are", one ? "s" : "", one ? "it" : "them");
	else
		mr_hint(err, "%" PRIu64 " region%s registered all the same, and deregistered again",
			job->count, one ? " was" : "s were");
}
