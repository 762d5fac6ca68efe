// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "lib/base/base.h"

/* An option together with the member that it fills. */
struct option_value {
	const struct option_spec *option;
	void *member;
	const char *given;            /* the last value on this command line; or NULL */
	char *joined;                 /* lists put together, to which the member points; or NULL */
	struct option_value *earlier; /* the option given before this one on the command line */
};

int option_read(const struct option_type *type, const char *text, void *member,
		struct mr_error *err)
{
	int index;

	if (type->read)
		return type->read(text, member, err);
	index = mr_word_find(type->words, text, strlen(text));
	if (index < 0)
		return mr_fail_word(err, type->what, text, strlen(text), type->words,
				    sizeof(*type->words));
	*(unsigned int *)member = (unsigned int)index;
	return 0;
}

/*
 * Fills the member from @text. @text adds to former values where the option's type adds up, and is an error
 * where it does not. Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
static int set_value(struct option_value *value, const char *text, struct mr_error *err)
{
	const struct option_type *type = value->option->type;
	/* The former value, on this command line or, of a global option, before the command. */
	const char *before =
		value->given || !type->is_text ? value->given : *(const char **)value->member;
	char *joined;

	if (!before || !value->option->argument)
		return option_read(type, text, value->member, err);
	if (!type->adds_up)
		return mr_fail_usage(err, "given twice, '%s' and '%s'", before, text);
	/* Lists add up, but "none" is a whole list, to which nothing can be added. */
	if (mr_word_is(before, strlen(before), "none") != mr_word_is(text, strlen(text), "none"))
		return mr_fail_usage(err, "'%s' contradicts '%s'", text, before);
	if (!type->is_text)
		return option_read(type, text, value->member, err);
	if (asprintf(&joined, "%s,%s", *(const char **)value->member, text) < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	free(value->joined);
	value->joined = joined;
	*(const char **)value->member = joined;
	return 0;
}

/* Bytes of a word up to a "=" in it. */
static int name_length(const char *word)
{
	return (int)strcspn(word, "=");
}

/* The option of that name, or NULL. */
static struct option_value *find_name(const struct parser *parser, const char *word)
{
	const size_t length = (size_t)name_length(word);

	for (size_t i = 0; i < parser->count; i++) {
		const char *name = parser->values[i].option->name;

		if (!strncmp(word, name, length) && !name[length])
			return &parser->values[i];
	}
	return NULL;
}

static int fail_unknown(struct parser *parser, const char *option, int length, struct mr_error *err)
{
	snprintf(parser->unknown, sizeof(parser->unknown), "%.*s", length, option);
	return mr_fail_usage(err, "unknown option '%.*s'", length, option);
}

/* Fails for an unknown name.  Abbreviations are refused: scripts must not come to rely on them. */
static int fail_name(struct parser *parser, const char *word, struct mr_error *err)
{
	const int length = name_length(word);
	const char *whole = NULL;
	size_t count = 0;

	for (size_t i = 0; i < parser->count; i++)
		if (!strncmp(parser->values[i].option->name, word + 2, (size_t)length - 2)) {
			whole = parser->values[i].option->name;
			count++;
		}
	if (count != 1)
		return fail_unknown(parser, word, length, err);
	return mr_fail_usage(err, "unknown option '%.*s' (names are not abbreviated; --%s exists)",
			     length, word, whole);
}

/*
 * Reads the value of an option, and sets it.
 * @option: as it is written, of @length bytes
 * @inside: the value in the same word, or NULL
 * @at:     the next word; moved on where that is the value
 */
static int read_value(struct parser *parser, struct option_value *value, const char *option,
		      int length, const char *inside, char ***at, struct mr_error *err)
{
	const struct option_type *type = value->option->type;
	const char *text = inside;
	int rc;

	if (!value->option->argument && inside)
		return mr_fail_usage(err, "option '%.*s' does not accept a value", length, option);
	if (!value->option->argument)
		text = "";
	else if (!inside && type->is_value)
		text = **at && type->is_value(**at) ? *(*at)++ : "";
	else if (!inside && **at)
		text = *(*at)++;
	if (!text)
		return mr_fail_usage(err, "option '%.*s' requires a value", length, option);
	rc = set_value(value, text, err);
	if (!value->given) {
		value->earlier = parser->given;
		parser->given = value;
	}
	value->given = text;
	if (rc)
		mr_wrap(err, "--%s", value->option->name);
	return rc;
}

/* Reads letters.  The last one may have a value, in the word or behind it. */
static int read_letters(struct parser *parser, const char *word, char ***at, struct mr_error *err)
{
	int rc = 0;

	for (const char *c = word + 1; *c && !rc; c++) {
		const char option[] = { '-', *c, '\0' };
		struct option_value *value = NULL;
		const char *inside;

		for (size_t i = 0; i < parser->count && !value; i++)
			if (parser->values[i].option->letter == *c)
				value = &parser->values[i];
		inside = value && value->option->argument && c[1] ? c + 1 : NULL;
		if (!value)
			return fail_unknown(parser, option, 2, err);
		/* A whole name behind one dash: -size, in place of -s ize. */
		if (find_name(parser, word + 1)) {
			mr_fail_usage(err, "unknown option '%s'", word);
			mr_hint(err, "did you mean '-%s'?", word);
			return -EINVAL;
		}
		rc = read_value(parser, value, option, 2, inside, at, err);
		if (inside)
			break;
	}
	return rc;
}

int parser_init(struct parser *parser, const struct command *command, struct global_args *global,
		struct mr_error *err)
{
	const struct option_group *groups[16] = { NULL };
	const struct option_spec *o;
	size_t group_count = 0, count = 0;

	for (const struct option_group *const *g = command ? command->groups : groups; *g; g++)
		groups[group_count++] = *g;
	groups[group_count++] = &global_group;
	for (size_t g = 0; g < group_count; g++)
		for (o = groups[g]->options; o->name; o++)
			count++;
	*parser = (struct parser){ .command = command,
				   .args = calloc(1, command ? command->args_size + 1 : 1),
				   .values = calloc(count, sizeof(*parser->values)) };
	if (!parser->args || !parser->values)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (size_t g = 0; g < group_count; g++) {
		void *target = groups[g] == &global_group ? global : parser->args;

		for (o = groups[g]->options; o->name; o++)
			parser->values[parser->count++] =
				(struct option_value){ .option = o,
						       .member = (char *)target + o->offset };
	}
	return 0;
}

/* The option that is written as "--iova", in any case, or "-i"; NULL: none */
static const struct option_spec *find_option(const struct option_group *const *groups,
					     const char *option)
{
	const bool is_name = option[1] == '-';

	for (; *groups; groups++)
		for (const struct option_spec *o = (*groups)->options; o->name; o++)
			if (is_name ? mr_word_is(option + 2, strlen(option + 2), o->name)
				    : o->letter && o->letter == option[1])
				return o;
	return NULL;
}

static void guess_option(struct mr_guess *guess, const struct option_group *const *groups)
{
	for (; *groups; groups++)
		for (const struct option_spec *o = (*groups)->options; o->name; o++)
			mr_guess_try(guess, o->name);
}

/* The option that the command has for a word, without dashes, of other tools; NULL: none. */
static const struct option_spec *find_other_word(const struct option_group *const *groups,
						 const char *word)
{
	static const char *const words[][2] = {
		{ "length", "--size" },  { "len", "--size" },         { "bytes", "--size" },
		{ "flags", "--access" }, { "odp", "--access" },       { "number", "--count" },
		{ "file", "--memory" },  { "ls", "--list" },          { "show", "--list" },
		{ "status", "--list" },  { "stop", "--end" },         { "end", "--end" },
		{ "close", "--end" },    { "kill", "--end" },         { "exit", "--end" },
		{ "start", "--detach" }, { "pages", "--page-sizes" },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i][0]))
			return find_option(groups, words[i][1]);
	return NULL;
}

/* The option of which the word is a value: a kind of memory, a source of dma-bufs, an access flag, or a size. */
static const struct option_spec *find_taker(const struct option_group *const *groups,
					    const char *word)
{
	const struct option_spec *size = find_option(groups, "--size");
	union {
		struct mr_opt_u64 size;
		struct mr_memory_kind memory;
		struct mr_dmabuf_source source;
		struct access_option access;
	} value = { .size.known = false };
	struct mr_error ignored;

	if (size && !option_read(size->type, word, &value, &ignored))
		return size;
	for (; *groups; groups++)
		for (const struct option_spec *o = (*groups)->options; o->name; o++)
			if ((o->type == &option_type_memory || o->type == &option_type_dmabuf ||
			     o->type == &option_type_access) &&
			    !option_read(o->type, word, &value, &ignored))
				return o;
	return NULL;
}

/* Hints which commands have the option, or which one of @command is near it; @command NULL: it stood before the command. */
static void suggest_option(const struct command *const *commands, const struct command *command,
			   const char *option, struct mr_error *err)
{
	static const struct option_group *const global[] = { &global_group, NULL };
	static const struct option_group *const none[] = { NULL };
	const struct option_group *const *own = command ? command->groups : none;
	struct mr_guess guess = { .word = option + 2,
				  .length = strlen(option) > 2 ? strlen(option) - 2 : 0 };
	const char *word = option[1] == '-' ? option + 2 : "";
	const struct option_spec *same_word =
		find_option(own, option) ?: find_other_word(own, word);
	const struct option_spec *taker = *word ? find_taker(own, word) : NULL;
	char owners[128] = "";
	unsigned int count = 0;

	for (const struct command *const *c = commands; *c; c++)
		if (find_option((*c)->groups, option) && ++count)
			mr_text_add(owners, sizeof(owners), ", ", "%s", (*c)->name);
	guess_option(&guess, own);
	guess_option(&guess, global);
	if (same_word) /* in another spelling, such as --IOVA */
		mr_hint(err, "did you mean '--%s'?", same_word->name);
	else if (command && !strcmp(option, "--format"))
		mr_hint(err, "use --json (-j) for JSON; %s have --format", owners);
	else if (count && command)
		mr_hint(err, "%s %s it", owners, count == 1 ? "has" : "have");
	else if (count)
		mr_hint(err, "put the options of %s after the command", owners);
	else if (taker)
		mr_hint(err, "did you mean '--%s %s'?", taker->name, word);
	else if (guess.best)
		mr_hint(err, "did you mean '--%s'?", guess.best);
	else if (command && isdigit((unsigned char)option[1]))
		mr_hint(err, "put -- before an argument that begins with -");
}

void suggest_program(const struct command *const *commands, const struct command *command,
		     char *const *program, struct mr_error *err)
{
	const struct option_spec *found;
	char option[32];

	snprintf(option, sizeof(option), "--%s", *program);
	found = find_option(command->groups, option) ?: find_other_word(command->groups, *program);
	if (*command_find(commands, *program))
		mr_hint(err, "did you mean 'mrctl %s -- mrctl %s'?", command->name, *program);
	else if (found)
		mr_hint(err, "did you mean 'mrctl %s --%s'?", command->name, found->name);
}

/* getopt_long() would take most of the time of a batch's line. */
int parser_read(struct parser *parser, const struct command *const *commands, char **argv,
		char ***operands, struct mr_error *err)
{
	const bool stop_early = !parser->command || parser->command->runs_program;
	char **at = argv + 1, **operand;
	size_t count = 0;
	int rc = 0;

	while (argv[count])
		count++;
	operand = reallocarray(parser->operands, count + 1, sizeof(*operand));
	if (!operand)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "reallocarray", NULL);
	parser->operands = operand;
	if (parser->command)
		memset(parser->args, 0, parser->command->args_size);
	parser->unknown[0] = '\0';
	for (; parser->given; parser->given = parser->given->earlier)
		parser->given->given = NULL;
	while (*at && !rc) {
		struct option_value *value;
		const char *inside;
		char *word = *at++;

		if (word[0] != '-' || !word[1]) {
			if (stop_early) {
				at--;
				break;
			}
			*operand++ = word;
		} else if (word[1] != '-') {
			rc = read_letters(parser, word, &at, err);
		} else if (word[2]) {
			value = find_name(parser, word + 2);
			inside = strchr(word, '=');
			rc = value ? read_value(parser, value, word, name_length(word),
						inside ? inside + 1 : NULL, &at, err)
				   : fail_name(parser, word, err);
		} else {
			break;
		}
	}
	if (parser->unknown[0])
		suggest_option(commands, parser->command, parser->unknown, err);
	while (!stop_early && !rc && *at)
		*operand++ = *at++;
	*operand = NULL;
	*operands = stop_early ? at : parser->operands;
	return rc;
}

static bool is_given(const struct parser *parser, const char *name, size_t length)
{
	for (const struct option_value *value = parser->given; value; value = value->earlier)
		if (mr_word_is(name, length, value->option->name))
			return true;
	return false;
}

/* The option that takes the word where one without a value was given: --hold-for, of "--hold 5". */
static const struct option_spec *find_longer(const struct parser *parser, const char *word)
{
	struct mr_opt_u64 seconds;
	struct mr_error ignored;

	for (const struct option_value *value = parser->given; value; value = value->earlier)
		for (size_t i = 0; i < parser->count; i++) {
			const struct option_spec *longer = parser->values[i].option;
			const size_t length = strlen(value->option->name);

			if (longer->type == &option_type_seconds &&
			    !strncmp(longer->name, value->option->name, length) &&
			    longer->name[length] == '-' &&
			    !option_read(longer->type, word, &seconds, &ignored))
				return longer;
		}
	return NULL;
}

int parser_check(const struct parser *parser, char *const *operands, struct mr_error *err)
{
	const struct command *command = parser->command;
	const struct option_spec *taker;

	for (const struct option_rule *rule = command->rules; rule && rule->option; rule++) {
		const bool excludes = rule->relation == OPTION_EXCLUDES;
		const char *rest = rule->other, *other;
		size_t length;

		if (!is_given(parser, rule->option, strlen(rule->option)))
			continue;
		while ((other = mr_list_item(&rest, ",", &length)))
			if (is_given(parser, other, length) == excludes)
				return mr_fail_usage(err, "--%s %s --%.*s", rule->option,
						     excludes ? "excludes" : "requires",
						     (int)length, other);
	}
	if (command->operands || !operands[0])
		return 0;
	mr_fail_usage(err, "unexpected argument '%s'", operands[0]);
	taker = find_longer(parser, operands[0]) ?: find_taker(command->groups, operands[0]);
	if (taker)
		mr_hint(err, "did you mean '--%s %s'?", taker->name, operands[0]);
	else if (!strcmp(operands[0], "help"))
		mr_hint(err, "did you mean 'mrctl help %s'?", command->name);
	return -EINVAL;
}

const char *parser_given_in(const struct parser *parser, const void *args, size_t size)
{
	const struct option_value *value = parser->given;

	while (value && (uintptr_t)value->member - (uintptr_t)args >= size)
		value = value->earlier;
	return value ? value->option->name : NULL;
}

void parser_release(struct parser *parser)
{
	for (size_t i = 0; i < parser->count; i++)
		free(parser->values[i].joined);
	free(parser->values);
	free(parser->operands);
	free(parser->args);
	*parser = (struct parser){ .command = NULL };
}
