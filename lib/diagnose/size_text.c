// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/size_text.h"

struct mr_size_text mr_size_text(uint64_t bytes)
{
	static const char *const units[] = { "bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	struct mr_size_text size;
	unsigned int unit = 0;
	uint64_t tenths;

	while (unit + 1 < sizeof(units) / sizeof(*units) && bytes >> 10 * (unit + 1))
		unit++;
	tenths = unit ? ((bytes >> 10 * (unit - 1)) % 1024) * 10 / 1024 : 0;
	if (tenths)
		snprintf(size.text, sizeof(size.text), "%" PRIu64 ".%" PRIu64 " %s",
			 bytes >> 10 * unit, tenths, units[unit]);
	else
		snprintf(size.text, sizeof(size.text), "%" PRIu64 " %s", bytes >> 10 * unit,
			 units[unit]);
	return size;
}

void mr_name_add(struct mr_name_text *names, const char *name)
{
	const size_t room = sizeof(names->text) - sizeof(" and 4294967295 more");
	const char *separator = names->shown ? ", " : "";

	names->count++;
	if (!names->hidden && names->shown + strlen(separator) + strlen(name) < room) {
		names->shown +=
			(size_t)sprintf(names->text + names->shown, "%s%s", separator, name);
		return;
	}
	names->hidden++;
	sprintf(names->text + names->shown, "%s%u more", names->shown ? " and " : "",
		names->hidden);
}
