// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/session/operand.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"

static const struct {
	const char *prefix;
	enum mr_table_index index;
	enum mr_region_kind kind; /* of MR_BY_HANDLE */
} prefixes[] = {
	{ "lkey:", MR_BY_LKEY, 0 },          { "rkey:", MR_BY_RKEY, 0 },
	{ "mr:", MR_BY_HANDLE, MR_KIND_MR }, { "umem:", MR_BY_HANDLE, MR_KIND_UMEM },
	{ "dm:", MR_BY_HANDLE, MR_KIND_DM },
};

static bool is_number(const char *text)
{
	const char *end = text;

	while (*end >= '0' && *end <= '9')
		end++;
	return end > text && !*end;
}

/* What an operand says, before anything is looked up. */
struct parsed_operand {
	enum mr_operand_type type;
	enum mr_table_index index;
	enum mr_region_kind kind; /* of MR_OPERAND_OBJECT */
	uint64_t number;
	const char *name; /* of a region or PD */
};

static int parse_operand(const char *text, struct parsed_operand *parsed, struct mr_error *err)
{
	*parsed = (struct parsed_operand){ .type = MR_OPERAND_ENTRY };
	/* No name has a colon. */
	for (size_t i = 0; strchr(text, ':') && i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		if (strncmp(text, prefixes[i].prefix, strlen(prefixes[i].prefix)) != 0)
			continue;
		parsed->index = prefixes[i].index;
		parsed->kind = prefixes[i].kind;
		parsed->type =
			prefixes[i].index == MR_BY_HANDLE ? MR_OPERAND_OBJECT : MR_OPERAND_ENTRY;
		if (!mr_parse_u64(text + strlen(prefixes[i].prefix), UINT32_MAX, &parsed->number,
				  err))
			return 0;
		mr_wrap(err, "%s", text);
		return -EINVAL;
	}
	if (is_number(text)) {
		parsed->index = MR_BY_ID;
		return mr_parse_u64(text, UINT64_MAX, &parsed->number, err);
	}
	if (!strncmp(text, "pd:", 3))
		parsed->type = MR_OPERAND_PD;
	parsed->name = parsed->type == MR_OPERAND_PD ? text + 3 : text;
	return mr_parse_name(parsed->name, err);
}

int mr_operand_check(const char *text, struct mr_error *err)
{
	struct parsed_operand parsed;

	return parse_operand(text, &parsed, err);
}

/*
 * Objects of all kinds share one space of handles, so the entry of a handle may be of another kind.  Handles of
 * memory on the device are in no index.
 */
static bool is_of_kind(const struct mr_entry *entry, const struct parsed_operand *parsed)
{
	return parsed->type == MR_OPERAND_ENTRY || mr_region_kind(entry->call) == parsed->kind;
}

/* reg --name NAME --count N has made NAME.1, NAME.2, ... */
static void hint_number(struct mr_session *session, const struct parsed_operand *parsed,
			struct mr_error *err)
{
	char first[MR_NAME_SIZE + 2];

	snprintf(first, sizeof(first), "%s.1", parsed->name ?: "");
	if (parsed->name && strlen(first) < MR_NAME_SIZE &&
	    mr_table_find_name(&session->table, first) != MR_NO_SLOT)
		mr_hint(err, "did you mean '%s'? It is one of several that --count has made",
			first);
}

int mr_operand_find(struct mr_session *session, const char *text, struct mr_operand *operand,
		    struct mr_error *err)
{
	struct parsed_operand parsed;
	int rc = parse_operand(text, &parsed, err);

	operand->type = parsed.type;
	operand->slot = MR_NO_SLOT;
	operand->id = 0;
	operand->kind = parsed.kind;
	operand->handle = (uint32_t)parsed.number;
	operand->pd = parsed.name;
	if (rc || parsed.type == MR_OPERAND_PD)
		return rc;
	rc = mr_table_lock(&session->table, err);
	if (rc)
		return rc;
	operand->slot = parsed.name ? mr_table_find_name(&session->table, parsed.name)
				    : mr_table_find(&session->table, parsed.index, parsed.number);
	if (mr_table_get(&session->table, operand->slot, &operand->entry) &&
	    mr_entry_matches(&operand->entry, parsed.name ? MR_BY_NAME : parsed.index,
			     parsed.number, parsed.name) &&
	    is_of_kind(&operand->entry, &parsed)) {
		operand->type = MR_OPERAND_ENTRY;
		operand->id = operand->entry.id;
	} else if (operand->type == MR_OPERAND_ENTRY) {
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "the %s has no region '%s'",
				  mr_table_noun(&session->table), text);
		hint_number(session, &parsed, err);
	}
	mr_table_unlock(&session->table);
	return rc;
}
