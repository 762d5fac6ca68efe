// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl stat --system */
#include <errno.h>

#include "cmd/output/columns.h"
#include "cmd/region/answer.h"
#include "cmd/stat/args.h"

struct mr_row {
	const char *name;
};

static const struct field mr_fields[] = {
	FIELD(struct mr_row, name, FIELD_STRING, 0, "name"),
	FIELD_END,
};
static const struct record mr_record = { "mr", mr_fields, "mrs" };

static int run_system(const struct invocation *invocation, struct mr_error *err)
{
	(void)invocation;
	return mr_fail_text(err, MR_ERROR_HOST, ENOSYS, "not built yet");
}

const struct command_view stat_system = {
	STAT_VIEW(system),
	.record = &mr_record,
	.columns = COLUMNS(struct mr_row, name),
	.run = run_system,
};
