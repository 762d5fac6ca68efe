// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Limits on what may be pinned.  The kernel counts the pages that a registration pins in the address space of
 * the process, before it pins them, and refuses with ENOMEM where they are more than RLIMIT_MEMLOCK
 * (drivers/infiniband/core/umem.c ib_umem_get()).
 */
#include <errno.h>
#include <unistd.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/diagnose/memlock_remedy.h"
#include "lib/diagnose/size_text.h"
#include "lib/verbs/access.h"
#include "lib/verbs/region.h"

/* Whether the call pins memory of the process; @range: which. */
static bool pins(const struct mr_inquiry *inquiry, struct mr_range *range)
{
	const uint32_t on_demand = MR_ACCESS_ON_DEMAND;

	return mr_inquiry_range(inquiry, range) && !(mr_inquiry_access(inquiry) & on_demand);
}

/* Bytes of all pages that the range begins in. */
static uint64_t bytes_of_pages(const struct mr_range *range)
{
	uint64_t addr = range->addr, length = range->length;

	mr_extend_to_pages((uint64_t)sysconf(_SC_PAGESIZE), &addr, &length);
	return length;
}

static void explain_limit(struct mr_inquiry *inquiry, const struct mr_memlock *limit,
			  uint64_t needed, struct mr_suspicion *suspicion)
{
	struct mr_finding finding = { .verdict = MR_VERDICT_BAD };

	mr_memlock_explain(inquiry->host, limit, needed, &finding);
	if (finding.remedy[0])
		mr_suspect_remedy(suspicion, "%s", finding.remedy);
	if (finding.detail[0])
		mr_evidence_text(suspicion, "origin", "%s", finding.detail);
}

static void look_at_memlock(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_memlock *limit = mr_inquiry_memlock(inquiry);
	const struct mr_process_status *status = mr_inquiry_status(inquiry);
	const enum mr_tristate exempt = mr_memlock_is_lifted(inquiry->host);
	uint64_t asked, pinned, most;
	struct mr_range range;

	if (!pins(inquiry, &range) || !limit)
		return;
	asked = bytes_of_pages(&range);
	/* What the simulated HCA holds is not pinned, so the process's own figure does not have it. */
	pinned = status && status->pinned.known ? status->pinned.value : 0;
	if (inquiry->refusal->held > pinned)
		pinned = inquiry->refusal->held;
	mr_evidence_limit(suspicion, "limit", limit->soft);
	mr_evidence_number(suspicion, "pinned", pinned);
	mr_evidence_number(suspicion, "asked", asked);
	if (exempt == MR_YES) {
		mr_rule_out(suspicion, "CAP_IPC_LOCK lifts the limit");
		return;
	}
	most = limit->soft > pinned ? limit->soft - pinned : 0;
	if (asked <= most) {
		mr_rule_out(suspicion, "%s of %s may still be pinned", mr_size_text(most).text,
			    mr_size_text(limit->soft).text);
		return;
	}
	mr_suspect(suspicion, exempt == MR_NO ? MR_CERTAIN : MR_LIKELY,
		   "%s are pinned, this takes %s, and RLIMIT_MEMLOCK is %s",
		   mr_size_text(pinned).text, mr_size_text(asked).text,
		   mr_size_text(limit->soft).text);
	explain_limit(inquiry, limit, pinned + asked, suspicion);
}

const struct mr_cause mr_causes_of_limits[] = {
	{ .id = "MR-MEMLOCK",
	  .subject = "limit of locked memory",
	  .operations = MR_ON_PINNING,
	  .errnums = { ENOMEM },
	  .layer = MR_LAYER_MEMORY,
	  .frequency = MR_COMMON,
	  .look = look_at_memlock,
	  .what = "Registration pins memory, and the process may not pin as much "
		  "(RLIMIT_MEMLOCK, ulimit -l).  What it has pinned before counts too, each device "
		  "on its own.",
	  .recognise = "VmPin of /proc/PID/status and the new region together are more than \"Max "
		       "locked memory\" of /proc/PID/limits, and CAP_IPC_LOCK is not effective.",
	  .remedy = "raise the limit of locked memory (ulimit -l), where the process is started",
	  .sources = "drivers/infiniband/core/umem.c ib_umem_get(); getrlimit(2)" },
	{ .id = NULL },
};
