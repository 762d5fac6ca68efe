// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "cmd/region/context.h"
#include "cmd/session/modes.h"
#include "cmd/session/row.h"
#include "lib/base/cleanup.h"
#include "lib/session/end.h"
#include "lib/session/find.h"
#include "lib/session/locate.h"
#include "lib/session/open.h"

/* How long to look for sessions, and how long to wait for the end of one. */
#define TIMEOUT_SECONDS 5
#define TIMEOUT_NS      ((uint64_t)TIMEOUT_SECONDS * 1000000000)

static int begin_answer(struct answer *answer, const struct invocation *invocation,
			const struct mr_environment *environment, struct mr_error *err)
{
	int rc = answer_init(answer, invocation, NULL, environment, 0, err);

	answer->in_session = context_session(invocation) != NULL;
	return rc;
}

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
			     TIMEOUT_SECONDS);
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
	rc = begin_answer(&answer, invocation, &environment, err);
	if (!rc)
		rc = mr_sessions_find(TIMEOUT_NS, &found, err);
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

/* Finds the session that is to be ended, and all that hold it. */
static int find_session(const char *where, struct mr_sessions *found,
			struct mr_found_session **session, struct mr_error *err)
{
	mr_auto_fd int borrowed = -1;
	struct mr_session opened;
	int fd, rc;

	if (!where) {
		context_fail_no_session(err);
		mr_hint(err, "say which one: mrctl session --end pid:N; mrctl session --list "
			     "shows them");
		return -ENOTCONN;
	}
	rc = mr_session_locate(where, &fd, &borrowed, err);
	if (!rc)
		rc = mr_session_peek(fd, &opened, err);
	if (rc)
		return rc;
	mr_session_close(&opened);
	rc = mr_sessions_find(TIMEOUT_NS, found, err);
	if (rc)
		return rc;
	*session = mr_sessions_by_fd(found, fd);
	if (*session && !found->incomplete)
		return 0;
	return mr_fail_text(err, MR_ERROR_HOST, EBUSY,
			    "it cannot be found out who else holds the session '%s'", where);
}

static int print_ended(const struct invocation *invocation, struct mr_found_session *session,
		       struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	struct mr_environment environment;
	struct answer answer;
	int rc;

	mr_environment_init(&environment);
	rc = begin_answer(&answer, invocation, &environment, err);
	session->joinable = false;
	mr_fail_text(&session->refusal, MR_ERROR_ABSENT, 0, "it has ended");
	if (!rc && (global->style.json || global->style.columns || global->style.no_headings)) {
		answer_begin(&answer);
		session_print(&answer, session);
		answer_end_rows(&answer);
		rc = answer_end(&answer, 0, err);
	} else if (!rc && !global->style.quiet) {
		report_note(invocation->command->name,
			    "the session of process %d has ended: %s, %" PRIu64 " region%s",
			    (int)session->pid, session->device.name, session->regions,
			    session->regions == 1 ? "" : "s");
	}
	answer_release(&answer);
	return rc;
}

int session_end(const struct invocation *invocation, struct mr_error *err)
{
	const char *where = invocation->operands[0];
	struct mr_found_session *session = NULL;
	struct mr_sessions found = { .count = 0 };
	struct mr_error why;
	int rc;

	if (!where)
		where = context_session(invocation);
	rc = find_session(where, &found, &session, &why);
	if (!rc)
		rc = mr_session_end(session, TIMEOUT_NS, &why);
	if (!rc) {
		rc = print_ended(invocation, session, err);
	} else if (why.kind == MR_ERROR_USAGE) {
		*err = why;
	} else {
		rc = answer_error(invocation, NULL, &why, err);
	}
	mr_sessions_release(&found);
	return rc;
}
