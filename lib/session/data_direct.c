// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "lib/host/host.h"
#include "lib/session/data_direct.h"

/* Return: 0, or -errno: -ENODEV where there is no function.  @binding is 0 where it is not known. */
static int find_binding(const struct mr_session *session, uint32_t *binding)
{
	const size_t used = strlen("/sys");
	char path[256] = "/sys"; /* the kernel returns the path below it */
	struct mr_error ignored;
	int rc = mr_uverbs_data_direct_path(&session->uverbs, path + used, sizeof(path) - used - 1,
					    &ignored);

	*binding = rc ? 0 : mr_pci_binding(mr_this_host(), path);
	return rc;
}

void mr_session_note_binding(const struct mr_session *session, struct mr_entry *entry)
{
	if (mr_call_row(entry->call)->data_direct && entry->memory_of != MR_MEMORY_OF_RDMA_DEVICE)
		find_binding(session, &entry->binding);
}

enum mr_tristate mr_session_is_revoked(const struct mr_session *session,
				       const struct mr_entry *entry)
{
	uint32_t binding;
	int rc;

	if (!mr_call_row(entry->call)->data_direct || entry->memory_of == MR_MEMORY_OF_RDMA_DEVICE)
		return MR_NO;
	rc = find_binding(session, &binding);
	if (rc)
		return rc == -ENODEV ? MR_YES : MR_UNKNOWN;
	if (!entry->binding)
		return MR_NO;
	return !binding ? MR_UNKNOWN : binding != entry->binding ? MR_YES : MR_NO;
}
