// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>

#include "cmd/dereg/unlisted.h"
#include "cmd/region/refusal.h"
#include "cmd/region/row.h"
#include "lib/base/base.h"
#include "lib/session/session.h"

static const struct field unlisted_fields[] = {
	FIELD(struct unlisted, deregistered, FIELD_NUMBER, 0, ""),
	FIELD(struct unlisted, left, FIELD_NUMBER, 0, ""),
	FIELD_END,
};
REPORTED static const struct record unlisted_record = { "unlisted", unlisted_fields, NULL };

struct sweep {
	struct session_job *job;
	struct unlisted *unlisted;
};

static void print_deregistered(void *data, enum mr_region_kind kind,
			       const struct mr_uverbs_mr *object, struct mr_error *err)
{
	const struct sweep *sweep = data;
	struct answer *answer = &sweep->job->answer;
	struct region_row row;

	if (err) {
		mr_wrap(err, "%s:%" PRIu32, mr_region_kind_name(kind), object->handle);
		answer->refusal = refusal_of_object(sweep->job->session, kind, object->handle);
		answer_fail(answer, err, 0, 0, MR_VIA_KERNEL);
		sweep->unlisted->left.value++;
		return;
	}
	sweep->unlisted->deregistered.value++;
	row = region_row_of_object(kind, object, "deregistered");
	row.via = mr_via_name(MR_VIA_KERNEL);
	if (answer_has_rows(answer))
		answer_row(answer, &row);
}

void dereg_unlisted(struct session_job *job, struct unlisted *unlisted)
{
	struct sweep sweep = { job, unlisted };
	struct mr_unlisted_left left = { 0 };
	struct mr_error err;
	int rc;

	if (mr_interrupted()) /* dereg_all() has reported it, or the signal ends mrctl after its answer */
		return;
	rc = mr_session_deregister_unlisted(job->session, print_deregistered, &sweep, &left, &err);
	unlisted->left.value += left.busy + left.interrupted;
	unlisted->left.known = !rc;
	unlisted->busy = left.busy;
	/* EIO: the device was removed, and all that was registered on it. */
	if (rc && rc != -EIO)
		answer_fail(&job->answer, &err, 0, 0, MR_VIA_KERNEL);
	if (!left.interrupted)
		return;
	mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted: %" PRIu64 " unlisted region%s left",
		     left.interrupted, left.interrupted == 1 ? " is" : "s are");
	answer_fail(&job->answer, &err, 0, 0, MR_VIA_KERNEL);
}

void dereg_unlisted_count(struct session_job *job, const struct unlisted *unlisted)
{
	if (job->answer.out.style->json)
		output_object(&job->answer.out, "unlisted", &unlisted_record, unlisted);
}

void dereg_unlisted_note(const struct session_job *job, const struct unlisted *unlisted)
{
	const char *command = job->answer.invocation->command->name;
	uint64_t count = unlisted->deregistered.value;

	if (job->answer.invocation->global->style.quiet)
		return;
	if (count)
		report_note(command, "%" PRIu64 " unlisted region%s deregistered as well", count,
			    count == 1 ? " was" : "s were");
	if (!unlisted->busy)
		return;
	count = unlisted->left.value;
	report_note(command,
		    "%" PRIu64 " unlisted region%s left: another command is registering, and may "
		    "be about to note %s",
		    count, count == 1 ? " is" : "s are", count == 1 ? "it" : "them");
	report_detail("when that command has ended, mrctl dereg --all deregisters what is left");
}
