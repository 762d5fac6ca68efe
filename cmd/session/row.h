/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Sessions as they are printed: by session --list, --end and --detach. */
#ifndef CMD_SESSION_ROW_H
#define CMD_SESSION_ROW_H

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/session/session.h"

/** A session as it is printed. */
struct session_row {
	const char *session;
	const char *device;
	const char *provider;
	struct opt_bool simulated;
	struct mr_opt_u64 regions;
	struct mr_opt_u64 bytes;
	const char *user;
	const char *held_by;
	bool joinable;
	const char *reason;
	const char *remedy;
	struct list holders;
	char session_text[24];
	char held_by_text[FIELD_TEXT_MAX];
};

/** SESSION_COLUMNS() - a list of columns, by the names of members of struct session_row */
#define SESSION_COLUMNS(...) COLUMNS(struct session_row, __VA_ARGS__)

extern const struct record session_record;

/** session_answer_init() - answer_init() for printing sessions rather than regions */
int session_answer_init(struct answer *answer, const struct invocation *invocation,
			const struct mr_environment *environment, struct mr_error *err);

/** session_print() - print a session as the next row of an answer */
void session_print(struct answer *answer, const struct mr_found_session *session);

#endif
