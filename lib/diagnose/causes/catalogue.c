// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/causes/catalogue.h"
#include "lib/diagnose/causes/tables.h"

const struct mr_cause *const mr_causes[] = {
	mr_causes_of_opening,        mr_causes_of_nodes,
	mr_causes_of_devx,           mr_causes_of_preparing,
	mr_causes_of_libraries,      mr_causes_of_fork_protection,
	mr_causes_of_rereg,          mr_causes_of_uverbs,
	mr_causes_of_drivers,        mr_causes_of_device_memory,
	mr_causes_of_dma_handles,    mr_causes_of_odp,
	mr_causes_of_advice,         mr_causes_of_dmabufs,
	mr_causes_of_exporters,      mr_causes_of_umems,
	mr_causes_of_changes,        mr_causes_of_ranges,
	mr_causes_of_control_groups, mr_causes_of_memlock,
	mr_causes_of_limits,         mr_causes_of_mappings,
	mr_causes_of_gpu_memory,     mr_causes_of_huge_pages,
	mr_causes_of_firmware,       mr_causes_of_freeing,
	mr_causes_of_sandboxes,      NULL,
};

const struct mr_cause *mr_cause_next(const struct mr_cause *cause)
{
	const struct mr_cause *const *table = mr_causes;

	if (cause && cause[1].id)
		return cause + 1;
	/* A table ends with the row behind @cause: go on with the table after that one. */
	for (; cause && *table; table++) {
		const struct mr_cause *row = *table;

		while (row->id && row != cause)
			row++;
		if (row->id) {
			table++;
			break;
		}
	}
	while (*table && !(*table)->id)
		table++;
	return *table;
}

const struct mr_cause *mr_cause_find(const char *id, size_t length)
{
	const struct mr_cause *cause = mr_cause_next(NULL);

	while (cause && !mr_word_is(id, length, cause->id))
		cause = mr_cause_next(cause);
	return cause;
}
