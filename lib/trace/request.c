// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>

#include "lib/trace/request.h"

static bool registers(const struct mr_trace_record *call)
{
	return mr_traced_call_row(call->call)->effect == MR_TRACED_REGISTERS &&
	       call->call != MR_TRACED_IBV_ALLOC_NULL_MR && call->call != MR_TRACED_IBV_IMPORT_MR;
}

bool mr_traced_has_length(const struct mr_trace_record *call)
{
	return mr_traced_has_addr(call) || call->call == MR_TRACED_IBV_ALLOC_DM;
}

bool mr_traced_has_addr(const struct mr_trace_record *call)
{
	switch (call->call) {
	case MR_TRACED_IBV_ADVISE_MR:
	case MR_TRACED_MADVISE:
		return true;
	case MR_TRACED_IBV_REREG_MR:
		return call->call_flags & IBV_REREG_MR_CHANGE_TRANSLATION;
	default:
		return registers(call);
	}
}

bool mr_traced_has_offset(const struct mr_trace_record *call)
{
	return mr_traced_has_addr(call) &&
	       (call->flags & MR_TRACE_HAS_FD || call->call == MR_TRACED_IBV_REG_DM_MR);
}

bool mr_traced_has_access(const struct mr_trace_record *call)
{
	if (call->call == MR_TRACED_IBV_REREG_MR)
		return call->call_flags & IBV_REREG_MR_CHANGE_ACCESS;
	return registers(call);
}
