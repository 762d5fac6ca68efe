// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>

#include "cmd/region/region.h"
#include "cmd/session/modes.h"
#include "cmd/session/row.h"
#include "lib/base/base.h"
#include "lib/session/session.h"

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
	rc = mr_sessions_find(SESSION_TIMEOUT_NS, found, err);
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
	rc = session_answer_init(&answer, invocation, &environment, err);
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
		rc = mr_session_end(session, SESSION_TIMEOUT_NS, &why);
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
