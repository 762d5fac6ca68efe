// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/causes/tables.h"

const struct mr_cause mr_causes_of_firmware[] = {
	{ .id = NULL },
};
