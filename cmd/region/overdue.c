// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>

#include "cmd/output/output.h"
#include "cmd/region/overdue.h"
#include "lib/session/changes.h"

void overdue_report(const struct invocation *invocation, struct mr_session *session)
{
	struct mr_entry first;
	const char *name;
	uint32_t count;

	/*
	 * A batch reports once for all its lines.  In a session of its own it has nothing to report here: it
	 * deregisters what is left at its end, and a refusal of that is a failure of the batch.
	 */
	if (invocation->enclosing || mr_session_is_private(session))
		return;
	count = mr_relaxed_overdue(session, &first);
	if (!count)
		return;
	name = mr_errno_name((int)first.mark_errno);
	report_note(invocation->command->name,
		    "%u deferred region%s could not be invalidated: region %" PRIu64 ": %s (%s)",
		    count, count == 1 ? "" : "s", first.id, name ? name : "unknown errno",
		    mr_errno_text((int)first.mark_errno));
	report_detail("the keys still work: mrctl dereg --flush tries again");
}
