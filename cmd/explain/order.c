// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/explain/order.h"

const struct mr_cause *next_owner(const struct mr_cause *before, uint32_t operations, int errnum)
{
	unsigned int frequency = before ? before->frequency : MR_COMMON;
	const struct mr_cause *cause = mr_cause_next(before);

	for (; frequency <= MR_RARE; frequency++) {
		for (; cause; cause = mr_cause_next(cause))
			if (cause->frequency == frequency &&
			    mr_cause_speaks_for(cause, operations, errnum))
				return cause;
		cause = mr_cause_next(NULL);
	}
	return NULL;
}
