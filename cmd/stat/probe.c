// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl stat --probe */
#include <errno.h>

#include "cmd/output/columns.h"
#include "cmd/region/answer.h"
#include "cmd/stat/args.h"

struct trial_row {
	const char *name;
};

static const struct field trial_fields[] = {
	FIELD(struct trial_row, name, FIELD_STRING, 0, "name"),
	FIELD_END,
};
static const struct record trial_record = { "trial", trial_fields, "trials" };

static int run_probe(const struct invocation *invocation, struct mr_error *err)
{
	(void)invocation;
	return mr_fail_text(err, MR_ERROR_HOST, ENOSYS, "not built yet");
}

const struct command_view stat_probe = {
	STAT_VIEW(probe),
	.record = &trial_record,
	.columns = COLUMNS(struct trial_row, name),
	.run = run_probe,
};
