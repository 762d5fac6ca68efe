// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>

#include "lib/session/operand.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/file.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"

static const struct {
	const char *prefix;
	enum mr_table_index index;
	enum mr_region_kind kind; /* of handles */
} keys[] = {
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

/* What a word says, before anything is looked up. */
struct word {
	enum mr_operand_type type;
	enum mr_table_index index;
	enum mr_region_kind kind; /* of an OBJECT */
	uint64_t number;
	const char *name; /* of a region or PD */
};

static int parse_operand(const char *text, struct word *word, struct mr_error *err)
{
	*word = (struct word){ .type = MR_OPERAND_ENTRY };
	/* No name has a colon. */
	for (size_t i = 0; strchr(text, ':') && i < sizeof(keys) / sizeof(*keys); i++) {
		if (strncmp(text, keys[i].prefix, strlen(keys[i].prefix)) != 0)
			continue;
		word->index = keys[i].index;
		word->kind = keys[i].kind;
		word->type = keys[i].index == MR_BY_HANDLE ? MR_OPERAND_OBJECT : MR_OPERAND_ENTRY;
		if (!mr_parse_u64(text + strlen(keys[i].prefix), UINT32_MAX, &word->number, err))
			return 0;
		mr_wrap(err, "%s", text);
		return -EINVAL;
	}
	if (is_number(text)) {
		word->index = MR_BY_ID;
		return mr_parse_u64(text, UINT64_MAX, &word->number, err);
	}
	if (!strncmp(text, "pd:", 3))
		word->type = MR_OPERAND_PD;
	word->name = word->type == MR_OPERAND_PD ? text + 3 : text;
	return mr_parse_name(word->name, err);
}

int mr_operand_check(const char *text, struct mr_error *err)
{
	struct word word;

	return parse_operand(text, &word, err);
}

/* All kinds of objects share their handles; those of memory on the device are in no index. */
static bool is_meant(const struct mr_entry *entry, const struct word *word)
{
	return word->type == MR_OPERAND_ENTRY || mr_region_kind(entry->call) == word->kind;
}

int mr_operand_find(struct mr_session *session, const char *text, struct mr_operand *operand,
		    struct mr_error *err)
{
	struct word word;
	int rc = parse_operand(text, &word, err);

	operand->type = word.type;
	operand->slot = MR_NO_SLOT;
	operand->id = 0;
	operand->kind = word.kind;
	operand->handle = (uint32_t)word.number;
	operand->pd = word.name;
	if (rc || word.type == MR_OPERAND_PD)
		return rc;
	rc = mr_table_lock(&session->table, err);
	if (rc)
		return rc;
	operand->slot = word.name ? mr_table_find_name(&session->table, word.name)
				  : mr_table_find(&session->table, word.index, word.number);
	if (mr_table_get(&session->table, operand->slot, &operand->entry) &&
	    mr_entry_matches(&operand->entry, word.name ? MR_BY_NAME : word.index, word.number,
			     word.name) &&
	    is_meant(&operand->entry, &word)) {
		operand->type = MR_OPERAND_ENTRY;
		operand->id = operand->entry.id;
	} else if (operand->type == MR_OPERAND_ENTRY) {
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENOENT, "the %s has no region '%s'",
				  mr_table_noun(&session->table), text);
	}
	mr_table_unlock(&session->table);
	return rc;
}
