// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/region/region.h"
#include "cmd/session/row.h"
#include "lib/base/base.h"
#include "lib/session/session.h"

struct holder_row {
	struct mr_opt_u64 pid;
	const char *command;
	const char *user;
	const char *role;
	char user_text[64];
};

static const struct field holder_fields[] = {
	FIELD(struct holder_row, pid, FIELD_NUMBER, 0, "process"),
	FIELD(struct holder_row, command, FIELD_STRING, 0, "its name"),
	FIELD(struct holder_row, user, FIELD_STRING, 0, "its user"),
	FIELD(struct holder_row, role, FIELD_STRING, 0, "how it holds the session"),
	FIELD_END,
};
static const struct record holder_record = { "holder", holder_fields, NULL };

static const struct field session_fields[] = {
	FIELD(struct session_row, session, FIELD_STRING, 0, "what --session takes: pid:N"),
	FIELD(struct session_row, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct session_row, provider, FIELD_STRING, FIELD_DETAIL, "its user-space driver"),
	FIELD(struct session_row, simulated, FIELD_OPT_BOOL, 0, "whether the device is simulated"),
	FIELD(struct session_row, regions, FIELD_NUMBER, 0, "regions in its table"),
	FIELD(struct session_row, bytes, FIELD_NUMBER, 0, "bytes in them"),
	FIELD(struct session_row, user, FIELD_STRING, 0, "user of the process to join by"),
	FIELD(struct session_row, held_by, FIELD_STRING, 0, "processes that hold it"),
	FIELD(struct session_row, joinable, FIELD_BOOL, 0, "whether this mrctl can join it"),
	FIELD(struct session_row, reason, FIELD_STRING, 0, "why not"),
	FIELD(struct session_row, remedy, FIELD_STRING, FIELD_DETAIL, "what to do about that"),
	FIELD(struct session_row, holders, FIELD_LIST, 0, "processes that hold it, one by one"),
	FIELD_END,
};
const struct record session_record = { "session", session_fields, "sessions" };

int session_answer_init(struct answer *answer, const struct invocation *invocation,
			const struct mr_environment *environment, struct mr_error *err)
{
	int rc = answer_init(answer, invocation, NULL, environment, 0, err);

	answer->in_session = context_session(invocation) != NULL;
	return rc;
}

static void name_user(uid_t uid, char *text, size_t size)
{
	const struct passwd *user = getpwuid(uid);

	if (user)
		snprintf(text, size, "%s", user->pw_name);
	else
		snprintf(text, size, "%u", (unsigned int)uid);
}

static void fill_holders(struct session_row *row, const struct mr_found_session *session,
			 struct holder_row *holders)
{
	size_t used = 0;

	for (size_t i = 0; i < session->holder_count; i++) {
		const struct mr_holder *from = &session->holders[i];

		holders[i] = (struct holder_row){ .pid = known((uint64_t)from->pid),
						  .command = from->command,
						  .user = holders[i].user_text,
						  .role = mr_holder_role_name(from->role) };
		name_user(from->uid, holders[i].user_text, sizeof(holders[i].user_text));
		if (from->pid == session->pid)
			row->user = holders[i].user_text;
		if (used < sizeof(row->held_by_text))
			used += (size_t)snprintf(row->held_by_text + used,
						 sizeof(row->held_by_text) - used, "%s%s(%d)",
						 used ? "," : "", from->command, (int)from->pid);
	}
	row->held_by = row->held_by_text;
	row->holders =
		(struct list){ &holder_record, holders, session->holder_count, sizeof(*holders) };
}

static const char *or_unknown(const char *text)
{
	return *text ? text : NULL;
}

void session_print(struct answer *answer, const struct mr_found_session *session)
{
	mr_auto_free struct holder_row *holders =
		calloc(session->holder_count + 1, sizeof(*holders));
	struct session_row row = {
		.device = or_unknown(session->device.name),
		.provider = or_unknown(session->device.provider),
		.simulated = { session->device.simulated == 1, session->known },
		.regions = { session->regions, session->known },
		.bytes = { session->bytes, session->known },
		.joinable = session->joinable,
		.reason = session->joinable ? NULL : session->refusal.text,
		.remedy = session->joinable ? NULL : or_unknown(session->refusal.hint),
	};

	if (!holders) {
		answer->out.error = -ENOMEM;
		return;
	}
	snprintf(row.session_text, sizeof(row.session_text), "pid:%d", (int)session->pid);
	row.session = row.session_text;
	fill_holders(&row, session, holders);
	answer_row(answer, &row);
}
