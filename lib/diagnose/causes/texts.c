// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/diagnose/causes/causes.h"

/* Made of texts.txt by texts.awk */
static const struct mr_cause_text texts[] = {
#include "lib/diagnose/causes/texts.inc"
};

const struct mr_cause_text *mr_cause_text(const struct mr_cause *cause)
{
	static const struct mr_cause_text none = { "", "", "", "", "", "" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (!strcmp(texts[i].id, cause->id))
			return &texts[i];
	return &none;
}
