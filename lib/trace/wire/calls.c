// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>

#include "lib/trace/wire/wire.h"

#define ROW(constant, name, effect) { name, MR_TRACED_##effect },

const struct mr_traced_call_row mr_traced_calls[MR_TRACED_CALL_COUNT + 1] = {
	MR_TRACED_CALLS(ROW){ 0 },
};

enum {
	CQE_BYTES = 64,      /* of an entry of a CQ, at least */
	SEND_BYTES = 64,     /* of a request to send, at least: MLX5_SEND_WQE_BB */
	SEGMENT_BYTES = 16,  /* of a piece of memory to receive into */
	SRQ_ENTRY_BYTES = 32 /* of an entry of an SRQ, at least */
};

uint64_t mr_trace_cq_bytes(uint32_t cqe)
{
	uint64_t entries = 1;

	while (entries < (uint64_t)cqe + 1)
		entries <<= 1;
	return entries * CQE_BYTES;
}

uint64_t mr_trace_qp_bytes(uint32_t type, uint32_t max_send_wr, uint32_t max_recv_wr,
			   uint32_t max_recv_sge, bool has_srq)
{
	const uint64_t pieces = max_recv_sge ?: 1;

	if (type != IBV_QPT_RC && type != IBV_QPT_UC && type != IBV_QPT_UD)
		return 0;
	return (uint64_t)max_send_wr * SEND_BYTES +
	       (has_srq ? 0 : max_recv_wr * pieces * SEGMENT_BYTES);
}

uint64_t mr_trace_srq_bytes(uint32_t max_wr)
{
	return (uint64_t)max_wr * SRQ_ENTRY_BYTES;
}
