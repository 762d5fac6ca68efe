/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Who refused, as --why prove has proven it: in messages and the document. */
#ifndef CMD_REGION_PROOF_H
#define CMD_REGION_PROOF_H

#include "cmd/cli/command.h"
#include "cmd/output/output.h"
#include "lib/diagnose/causes/causes.h"
#include "lib/diagnose/proof/proof.h"

extern const struct record proof_record;

struct link_row {
	const char *function;
	const char *layer;
	const char *errno_name;
};

struct firmware_row {
	const char *command;
	const char *status;
	struct mr_opt_u64 syndrome;
	const char *errno_name;
};

/** A proof, as the document has it. */
struct proof_row {
	const char *refused_by;
	bool user_space;
	struct list functions;
	struct list firmware;
	const char *note;
	struct link_row links[MR_CHAIN_MAX];
	struct firmware_row answer;
};

/**
 * proof_mark() - with --why prove: a call comes next that may be refused
 * @device: that it is made on, or NULL
 */
void proof_mark(const struct invocation *invocation, const char *device);

/** proof_end() - stop watching calls until proof_mark(): the command only waits now */
void proof_end(const struct invocation *invocation);

/**
 * proof_read() - what is proven about a refusal
 * @proven: room for it
 *
 * Return: @proven; NULL without --why prove.
 */
const struct mr_proven *proof_read(const struct invocation *invocation,
				   const struct mr_refusal *refusal, struct mr_proven *proven);

/** proof_fill() - fill a row; it points into itself and into @proven */
void proof_fill(struct proof_row *row, const struct mr_proven *proven);

/** proof_report() - print it below the message of the refusal */
void proof_report(const struct mr_proven *proven);

#endif
