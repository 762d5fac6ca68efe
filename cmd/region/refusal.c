// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/region/refusal.h"

struct mr_refusal refusal_of_object(const struct mr_session *session, enum mr_region_kind kind,
				    uint32_t handle)
{
	return (struct mr_refusal){
		.uverbs = &session->uverbs,
		.handle_known = handle != MR_NO_HANDLE,
		.handle_kind = kind,
		.handle = handle,
	};
}

struct mr_refusal refusal_of_entry(const struct mr_session *session, const struct mr_entry *entry)
{
	struct mr_refusal refusal =
		refusal_of_object(session, mr_region_kind(entry->call), entry->handle);

	refusal.region_known = !entry->unsure; /* of an unlisted one nothing is sure */
	refusal.region_call = entry->call;
	refusal.region_access = entry->access;
	refusal.pinned_access =
		(struct mr_opt_u64){ entry->pinned_access,
				     !entry->unsure && entry->call != MR_REG_MR_RELAXED &&
					     !mr_call_row(entry->call)->data_direct &&
					     entry->memory_of != MR_MEMORY_OF_RDMA_DEVICE };
	refusal.region_addr = entry->addr;
	refusal.region_length = entry->length;
	refusal.region_iova = entry->iova;
	return refusal;
}
