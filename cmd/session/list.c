// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "cmd/session/modes.h"
#include "cmd/session/row.h"
#include "lib/session/session.h"

static bool have_same_reason(const struct mr_found_session *a, const struct mr_found_session *b)
{
	return !a->joinable && !b->joinable && !strcmp(a->refusal.text, b->refusal.text);
}

/* Reports why sessions cannot be joined, once for all that have the same reason. */
static void note_refusals(const struct invocation *invocation, const struct mr_sessions *found)
{
	for (size_t i = 0; i < found->count; i++) {
		const struct mr_found_session *session = &found->list[i];
		size_t before = 0, after = 0;

		for (size_t other = 0; other < found->count; other++)
			if (have_same_reason(session, &found->list[other]))
				*(other < i ? &before : &after) += 1;
		if (session->joinable || before)
			continue;
		if (after > 1)
			report_note(invocation->command->name,
				    "pid:%d and %zu more cannot be joined: %s", (int)session->pid,
				    after - 1, session->refusal.text);
		else
			report_note(invocation->command->name, "pid:%d cannot be joined: %s",
				    (int)session->pid, session->refusal.text);
		if (session->refusal.hint[0])
			report_detail("%s", session->refusal.hint);
	}
}

static void print_list(struct answer *answer, const struct mr_sessions *found)
{
	const struct global_args *global = answer->invocation->global;
	struct mr_error err;

	if (found->incomplete) {
		mr_fail_text(&err, MR_ERROR_HOST, ETIMEDOUT,
			     "there are too many processes to look at in %d seconds: there may be "
			     "other sessions, regions and holders",
			     SESSION_TIMEOUT_SECONDS);
		answer_fail(answer, &err, 0, 0, MR_VIA_KERNEL);
	}
	answer_begin(answer);
	for (size_t i = 0; i < found->count; i++)
		session_print(answer, &found->list[i]);
	answer_end_rows(answer);
	if (global->style.json || global->style.no_headings || global->style.quiet ||
	    global->style.columns)
		return;
	note_refusals(answer->invocation, found);
	if (!found->count)
		report_note(answer->invocation->command->name, "no session that this user can see");
}

int session_list(const struct invocation *invocation, struct mr_error *err)
{
	struct mr_environment environment;
	struct mr_sessions found;
	struct answer answer;
	int rc;

	mr_environment_init(&environment);
	rc = session_answer_init(&answer, invocation, &environment, err);
	if (!rc)
		rc = mr_sessions_find(SESSION_TIMEOUT_NS, &found, err);
	if (!rc) {
		print_list(&answer, &found);
		rc = answer_end(&answer, 0, err);
		mr_sessions_release(&found);
	}
	if (!rc)
		rc = answer_status(&answer, 0, NULL);
	answer_release(&answer);
	return rc;
}
