// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The line of mlx5_core about a command that failed, the same for all kernels but for its end
 * (drivers/net/ethernet/mellanox/mlx5/core/cmd.c mlx5_cmd_check(), since Linux 5.17 mlx5_cmd_out_err()):
 *   CREATE_MKEY(0x200) op_mod(0x0) failed, status limits exceeded(0x8), syndrome (0x18af6), err(-12)
 */
#include <stdio.h>

#include "lib/diagnose/log/parts.h"

/* The number of "NAME(0x8)": the token at @at is the name. */
static bool number_in_brackets(const struct mr_token *at, struct mr_opt_u64 *number)
{
	/* The text ends with MR_TOKEN_END, so each of these is looked at only if the one before is there. */
	if (at[0].kind == MR_TOKEN_END || !mr_token_is_sign(&at[1], "(") ||
	    at[2].kind != MR_TOKEN_NUMBER)
		return false;
	*number = (struct mr_opt_u64){ at[2].value, true };
	return true;
}

static bool is_command(const struct mr_token *at)
{
	struct mr_opt_u64 opcode;

	return at->kind == MR_TOKEN_WORD && number_in_brackets(at, &opcode) &&
	       mr_token_is_sign(&at[3], ")") && mr_token_is(&at[4], "op_mod");
}

void mr_log_find_command(struct mr_log_line *line, const struct mr_tokens *tokens)
{
	const struct mr_token *at = tokens->list;

	while (at->kind != MR_TOKEN_END && !is_command(at))
		at++;
	if (at->kind == MR_TOKEN_END)
		return;
	snprintf(line->command, sizeof(line->command), "%.*s", (int)at->length, at->text);
	while (at->kind != MR_TOKEN_END && !mr_token_is(at, "status"))
		at++;
	for (; at->kind != MR_TOKEN_END && !line->syndrome.known; at++)
		if (mr_token_is(at, "syndrome"))
			number_in_brackets(at, &line->syndrome);
		else if (!line->status.known)
			number_in_brackets(at, &line->status);
}
