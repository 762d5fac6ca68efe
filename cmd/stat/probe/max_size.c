// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl stat --probe --max-size */
#include "cmd/stat/probe/max_size.h"

/* What was found, as it is printed. */
struct max_size_row {
	struct mr_opt_u64 largest;
	struct mr_opt_u64 refused;
	const char *limit;
	const char *call;
	const char *errnum;
	struct mr_opt_u64 cap;
	const char *cap_by;
	struct mr_opt_u64 tries;
	struct mr_opt_u64 elapsed_ns;
};

static const struct field max_size_fields[] = {
	FIELD(struct max_size_row, largest, FIELD_NUMBER, 0, ""),
	FIELD(struct max_size_row, refused, FIELD_NUMBER, 0, ""),
	FIELD(struct max_size_row, limit, FIELD_STRING, 0, ""),
	FIELD(struct max_size_row, call, FIELD_STRING, 0, ""),
	FIELD_AS("errno", struct max_size_row, errnum, FIELD_STRING, 0, ""),
	FIELD(struct max_size_row, cap, FIELD_NUMBER, 0, ""),
	FIELD(struct max_size_row, cap_by, FIELD_STRING, 0, ""),
	FIELD(struct max_size_row, tries, FIELD_NUMBER, 0, ""),
	FIELD(struct max_size_row, elapsed_ns, FIELD_NUMBER, 0, ""),
	FIELD_END,
};
static const struct record max_size_record = { "max_size", max_size_fields, NULL };

static void show_step(uint64_t bytes, void *data)
{
	progress_wait(data, "registering", bytes);
}

int probe_max_size(struct answer *answer, struct mr_probe *probe, struct mr_opt_u64 cap,
		   struct mr_max_size *found, struct mr_error *err)
{
	int rc = mr_max_size_find(probe, cap, show_step, &answer->progress, found, err);

	progress_clear(&answer->progress);
	return rc;
}

void probe_max_size_print(struct answer *answer, const struct mr_max_size *found)
{
	struct max_size_row row = { .limit = NULL };

	if (found)
		row = (struct max_size_row){
			.largest = found->size,
			.refused = found->refused,
			.limit = found->err.errnum ? found->limit : "cap",
			.call = found->err.call,
			.errnum = found->err.errnum ? mr_errno_name(found->err.errnum) : NULL,
			.cap = known(found->cap),
			.cap_by = found->cap_by ?: "--cap",
			.tries = known(found->tries),
			.elapsed_ns = known(found->elapsed_ns),
		};

	output_object(&answer->out, "max_size", &max_size_record, &row);
}
