// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/report/arguments.h"
#include "cmd/report/common_words.h"
#include "cmd/report/names.h"
#include "cmd/report/paths.h"
#include "cmd/report/replace.h"
#include "lib/base/cleanup.h"

/* Values this long, of more than small letters, are looked for in other texts as well. */
#define DISTINCTIVE_MIN 6

bool arguments_are_of_mrctl(const char *program)
{
	const char *slash = strrchr(program, '/');

	return !strcmp(slash ? slash + 1 : program, "mrctl");
}

/* "7", "64K", "0x1f", "10ms" */
static bool is_number(const char *word)
{
	const size_t digits = strspn(word, "0123456789.");

	if (!strncasecmp(word, "0x", 2))
		return word[2 + strspn(word + 2, "0123456789abcdefABCDEF")] == '\0' &&
		       strlen(word) <= 10;
	return digits && digits <= 10 && strlen(word + digits) <= 3 && !strchr(word, ':');
}

/* Whether it is a stand-in, as in a report that was redacted before: "argument-1" */
static bool is_stand_in(const char *word)
{
	static const char *const kinds[] = { "argument-", "device-", "group-", "guid-", "host-",
					     "id-",       "ip-",     "mac-",   "path-", "program-",
					     "region-",   "secret-", "url-",   "user-" };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		const size_t length = strlen(kinds[i]);

		if (!strncmp(word, kinds[i], length) && isdigit((unsigned char)word[length]))
			return !word[length + strspn(word + length, "0123456789")];
	}
	return false;
}

/* Where the value of an argument begins: behind "--option=", and behind "-o". */
static const char *find_value(const char *word)
{
	const char *equals = strchr(word, '=');

	if (strncmp(word, "--", 2) != 0)
		return *word == '-' && word[1] ? word + 2 : word;
	return equals ? equals + 1 : word + strlen(word);
}

static bool is_kept(const char *value)
{
	return strlen(value) < 2 || is_number(value) || is_stand_in(value) ||
	       names_is_by_rule(value) || path_is_of_system(value);
}

static bool is_distinctive(const char *value)
{
	size_t small = strspn(value, "abcdefghijklmnopqrstuvwxyz");

	return strlen(value) >= DISTINCTIVE_MIN && value[small] && value[0] != '-';
}

/* ---- what is found in other texts as well ---- */

static void add_name(struct stand_ins *all, const char *kind, const char *name)
{
	if (!is_common_word(name, strlen(name)))
		stand_ins_add_in_texts(all, kind, name, strlen(name));
}

/* The names of regions, PDs and sessions that mrctl was given. */
static const char *const name_options[] = { "--name", "--pd", "--session" };

static void add_option(struct stand_ins *all, const struct json_node *word)
{
	const char *text = json_tree_string(word), *next = json_tree_string(json_tree_next(word));

	for (size_t i = 0; i < sizeof(name_options) / sizeof(*name_options); i++) {
		const size_t length = strlen(name_options[i]);

		if (strncmp(text, name_options[i], length) != 0)
			continue;
		if (text[length] == '=')
			add_name(all, "region", text + length + 1);
		else if (!text[length] && next)
			add_name(all, "region", next);
	}
}

static void add_value(struct stand_ins *all, const char *word)
{
	const char *value = find_value(word);

	if (is_distinctive(value) && !is_kept(value) && !path_of_word(value))
		stand_ins_learn(all, "argument", value, strlen(value));
}

/* Where in a command line its words have come to. */
struct place {
	bool is_program;  /* the next word is the name of a program */
	bool is_of_mrctl; /* the words are mrctl's */
};

/* Whether the next word is an argument of a program that is not mrctl. */
static bool is_argument(struct place *place, const char *word)
{
	if (place->is_program) {
		*place = (struct place){ .is_of_mrctl = arguments_are_of_mrctl(word) };
		return false;
	}
	place->is_program = place->is_of_mrctl && !strcmp(word, "--");
	return !place->is_of_mrctl;
}

void arguments_collect(const struct json_node *words, struct stand_ins *all)
{
	struct place place = { .is_program = true };
	const struct json_node *word = json_tree_first(words);

	for (; word; word = json_tree_next(word)) {
		if (!json_tree_string(word))
			continue;
		if (is_argument(&place, json_tree_string(word)))
			add_value(all, json_tree_string(word));
		else
			add_option(all, word);
	}
}

/* ---- replacing ---- */

/* What stands in place of a value: where texts have none for it, one for the whole.  Return: NULL: it stays. */
static char *replace_value(struct stand_ins *all, const char *value)
{
	const char *text;

	if (is_kept(value) || path_of_word(value) == value)
		return replace_own(all, value);
	text = stand_ins_of(all, "argument", value, strlen(value));
	return strdup(text ? text : "argument");
}

/* Puts what replaces a value in its place, and frees it. */
static void redact_word(struct json_node *node, const char *value, char *replaced,
			struct stand_ins *all)
{
	const char *word = json_tree_string(node);
	mr_auto_free char *text = NULL;

	if (replaced && !all->is_learning &&
	    (asprintf(&text, "%.*s%s", (int)(value - word), word, replaced) < 0 ||
	     !json_tree_set_string(node, text)))
		all->out_of_memory = true;
	free(replaced);
}

void arguments_redact(struct json_node *words, struct stand_ins *all)
{
	struct place place = { .is_program = true };

	for (words = json_tree_first(words); words; words = json_tree_next(words)) {
		const char *word = json_tree_string(words);
		const bool is_value = word && is_argument(&place, word);
		const char *value = is_value ? find_value(word) : word;

		if (word)
			redact_word(words, value,
				    is_value ? replace_value(all, value) : replace_own(all, word),
				    all);
	}
}
