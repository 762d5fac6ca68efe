// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/cli/option_types.h"
#include "cmd/region/context.h"
#include "cmd/region/in_session.h"
#include "cmd/region/overdue.h"

int session_job_run(const struct invocation *invocation, const struct expect_option *expect,
		    int (*work)(struct session_job *job, struct mr_error *err), const void *data,
		    struct mr_error *err)
{
	struct session_job job;
	struct context_room room;
	uint64_t total = 0;
	struct mr_error why;
	int rc;

	job.session = context_open_session(invocation, &room.session, &why);
	if (!job.session && why.kind != MR_ERROR_USAGE)
		return answer_error(invocation, expect, &why, err);
	if (!job.session) {
		*err = why;
		return -err->errnum;
	}
	job.environment = context_environment(invocation, job.session, &room.environment);
	job.data = data;
	job.done = 0;
	while (invocation->operands[total])
		total++;
	rc = answer_init(&job.answer, invocation, expect, job.environment, total, err);
	if (!rc) {
		job.answer.in_session = true;
		rc = work(&job, err);
		overdue_report(invocation, job.session);
	}
	answer_release(&job.answer);
	context_leave_session(invocation, job.session);
	return rc;
}
