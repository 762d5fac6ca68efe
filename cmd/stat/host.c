// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl stat --host */
#include <errno.h>

#include "cmd/output/columns.h"
#include "cmd/region/answer.h"
#include "cmd/stat/args.h"

struct check_row {
	const char *name;
};

static const struct field check_fields[] = {
	FIELD(struct check_row, name, FIELD_STRING, 0, "name"),
	FIELD_END,
};
static const struct record check_record = { "check", check_fields, "checks" };

static int run_host(const struct invocation *invocation, struct mr_error *err)
{
	(void)invocation;
	return mr_fail_text(err, MR_ERROR_HOST, ENOSYS, "not built yet");
}

const struct command_view stat_host = {
	STAT_VIEW(host),
	.record = &check_record,
	.columns = COLUMNS(struct check_row, name),
	.run = run_host,
};
