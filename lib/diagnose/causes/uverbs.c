// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules that ib_uverbs and ib_core check for all drivers, before they call one. */
#include <errno.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/verbs/access.h"

#define NEEDS_LOCAL_WRITE (MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC)

/* include/rdma/ib_verbs.h ib_check_mr_access(): what others may write, the device may write as well. */
static void look_at_local_write(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t access = mr_inquiry_access(inquiry);

	if (!(access & NEEDS_LOCAL_WRITE))
		return;
	mr_evidence_hex(suspicion, "access", access);
	if (access & MR_ACCESS_LOCAL_WRITE) {
		mr_rule_out(suspicion, "local-write was asked for");
		return;
	}
	mr_suspect(suspicion, MR_CERTAIN, "access has %s, but not local-write, which it needs",
		   access & MR_ACCESS_REMOTE_WRITE ? "remote-write" : "remote-atomic");
}

const struct mr_cause mr_causes_of_uverbs[] = {
	{ .id = "MR-ACCESS-LOCAL-WRITE",
	  .subject = "remote access that writes, without local-write",
	  .operations = MR_ON(REG) | MR_ON_DMABUFS | MR_ON(UMEM) | MR_ON(REG_DM) | MR_ON(REREG),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_COMMON,
	  .look = look_at_local_write,
	  .what = "A region that others may write (remote-write, remote-atomic) needs local-write, "
		  "too.",
	  .recognise = "The access flags of the call.",
	  .remedy = "add local-write to the access",
	  .sources = "ibv_reg_mr(3); include/rdma/ib_verbs.h ib_check_mr_access()" },
	{ .id = NULL },
};
