// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/region/tried.h"
#include "lib/base/base.h"
#include "lib/diagnose/trial/trial.h"

static const struct field try_fields[] = {
	FIELD(struct try_row, change, FIELD_STRING, FIELD_PROSE, "what was changed"),
	FIELD(struct try_row, answer, FIELD_STRING, FIELD_PUBLIC, "ok or an errno"),
	FIELD(struct try_row, elapsed_ns, FIELD_NUMBER, 0, "time the call took"),
	FIELD(struct try_row, reason, FIELD_STRING, FIELD_PROSE,
	      "why it was not made, or a remark"),
	FIELD_END,
};
REPORTED const struct record try_record = { "try", try_fields, NULL };

void tried_make(struct tried *tried, struct mr_refusal *refusal)
{
	mr_tries_make(refusal, refusal->try_ns, &tried->tries);
	mr_tries_text(&tried->tries, tried->text, sizeof(tried->text));
	refusal->tries = &tried->tries;
	for (size_t i = 0; i < tried->tries.count; i++) {
		const struct mr_try *try = &tried->tries.list[i];

		tried->rows[i] = (struct try_row){
			.change = try->id,
			.answer = !try->made    ? NULL
				  : try->errnum ? mr_errno_name(try->errnum)
						: "ok",
			.elapsed_ns = { try->elapsed_ns, try->made },
			.reason = try->reason[0] ? try->reason : NULL,
		};
	}
}

struct list tried_list(const struct tried *tried)
{
	return (struct list){ &try_record, tried ? tried->rows : NULL,
			      tried ? tried->tries.count : 0, sizeof(struct try_row) };
}
