// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl stat --device */
#include <errno.h>

#include "cmd/output/columns.h"
#include "cmd/region/answer.h"
#include "cmd/stat/args.h"

struct device_row {
	const char *name;
};

static const struct field device_fields[] = {
	FIELD(struct device_row, name, FIELD_STRING, 0, "name"),
	FIELD_END,
};
static const struct record device_record = { "device", device_fields, "devices" };

static int run_device(const struct invocation *invocation, struct mr_error *err)
{
	(void)invocation;
	return mr_fail_text(err, MR_ERROR_HOST, ENOSYS, "not built yet");
}

const struct command_view stat_device = {
	STAT_VIEW(device),
	.record = &device_record,
	.columns = COLUMNS(struct device_row, name),
	.run = run_device,
};
