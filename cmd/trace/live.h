/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mrctl trace --live: each call as a line, while the program runs. */
#ifndef CMD_TRACE_LIVE_H
#define CMD_TRACE_LIVE_H

#include "cmd/trace/call_row.h"

/**
 * live_print() - print a call on standard error: "[pid 12] ibv_reg_mr(mlx5_0, ...) = lkey 0x1308 <12 us>"
 * @is_attached: begin with its time, and name the thread
 */
void live_print(const struct call_row *row, bool is_attached);

#endif
