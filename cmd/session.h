/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_SESSION_H
#define CMD_SESSION_H

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/verbs/device.h"

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

#endif
