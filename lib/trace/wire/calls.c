// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/trace/wire/calls.h"

#define ROW(constant, name, effect) { name, MR_TRACED_##effect },

const struct mr_traced_call_row mr_traced_calls[MR_TRACED_CALL_COUNT + 1] = {
	MR_TRACED_CALLS(ROW){ 0 },
};
