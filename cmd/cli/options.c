// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <getopt.h>
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

/* The former value of the option, on this command line or, of a global one, before the command; or NULL. */
static const char *given_before(const struct option_value *value)
{
	if (value->given || !value->option->type->is_text)
		return value->given;
	return *(const char *const *)value->member;
}

/* Lists add up, but "none" is a whole list, to which nothing can be added.  Other types take one value. */
static int check_repeated(const struct option_value *value, const char *before, const char *text,
			  struct mr_error *err)
{
	bool was_none = mr_word_is(before, strlen(before), "none");

	if (!value->option->type->adds_up)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "given twice, '%s' and '%s'",
				    before, text);
	if (was_none != mr_word_is(text, strlen(text), "none"))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "'%s' contradicts '%s'", text,
				    before);
	return 0;
}

/* Joins two lists that are kept as text. */
static int join_lists(struct option_value *value, const char *before, const char *text,
		      struct mr_error *err)
{
	char *joined;

	if (asprintf(&joined, "%s,%s", before, text) < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	free(value->joined);
	value->joined = joined;
	*(const char **)value->member = joined;
	return 0;
}

/*
 * Fills the member from @text. @text adds to former values where the option's type adds up, and is an error
 * where it does not. Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
static int option_value_set(struct option_value *value, struct option_value **last,
			    const char *text, struct mr_error *err)
{
	const struct option_type *type = value->option->type;
	const char *before = value->option->argument ? given_before(value) : NULL;
	int rc = before ? check_repeated(value, before, text, err) : 0;

	if (!rc)
		rc = before && type->is_text
			     ? join_lists(value, *(const char **)value->member, text, err)
			     : type->read(text, value->member, err);
	if (!value->given) {
		value->earlier = *last;
		*last = value;
	}
	value->given = text ? text : "";
	if (rc)
		mr_wrap(err, "--%s", value->option->name);
	return rc;
}

/* getopt_long() returns this for the first long option of the tables, and counts on from there. */
#define FIRST_VALUE 256

/* The option tables, in the form that getopt_long() takes. */
struct options {
	struct option_value *values;
	struct option *longs;
	char *letters;
	size_t count;
	struct option_value *given; /* the option that was given last */
	bool stop_early;
	char unknown[32]; /* see options_unknown() */
};

void options_free(struct options *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; tables->values && i < tables->count; i++)
		free(tables->values[i].joined);
	free(tables->values);
	free(tables->longs);
	free(tables->letters);
	free(tables);
}

static bool allocate_tables(struct options *tables, const struct option_binding *bindings)
{
	for (const struct option_binding *b = bindings; b->group; b++)
		for (const struct option_spec *o = b->group->options; o->name; o++)
			tables->count++;
	tables->values = calloc(tables->count + 1, sizeof(*tables->values));
	tables->longs = calloc(tables->count + 1, sizeof(*tables->longs));
	/* A letter and ":" for each option, and the prefix of fill_tables(). */
	tables->letters = calloc(tables->count + 1, 3);
	return tables->values && tables->longs && tables->letters;
}

/*
 * For getopt_long(), '+' means to stop at the first operand, and ':' to answer a missing value otherwise than
 * an unknown option.
 */
static void fill_tables(struct options *tables, const struct option_binding *bindings,
			bool stop_early)
{
	char *letters = stpcpy(tables->letters, stop_early ? "+:" : ":");
	size_t n = 0;

	for (const struct option_binding *b = bindings; b->group; b++) {
		for (const struct option_spec *o = b->group->options; o->name; o++, n++) {
			tables->values[n] = (struct option_value){
				.option = o,
				.member = (char *)b->target + b->group->base + o->offset,
			};
			tables->longs[n] = (struct option){
				.name = o->name,
				.has_arg = o->type->is_value ? optional_argument
					   : o->argument     ? required_argument
							     : no_argument,
				.val = FIRST_VALUE + (int)n,
			};
			if (!o->letter)
				continue;
			*letters++ = o->letter;
			if (o->argument)
				*letters++ = ':';
		}
	}
	*letters = '\0';
}

/* The option that getopt_long found; NULL for none. */
static struct option_value *find_value(const struct options *tables, int found)
{
	if (found >= FIRST_VALUE)
		return &tables->values[found - FIRST_VALUE];
	for (size_t i = 0; i < tables->count; i++)
		if (tables->values[i].option && tables->values[i].option->letter == found)
			return &tables->values[i];
	return NULL;
}

/* Whether the value of an option is the word behind it; it is "" where there is none. */
static bool takes_next(const struct option_spec *option, const char *next)
{
	bool (*is_value)(const char *word) = option->type->is_value;

	return option->argument && (!is_value || (next && is_value(next)));
}

/* getopt_long takes any unambiguous beginning of a name; scripts must not come to rely on it. */
static int check_written_out(const struct option_spec *option, char **argv, struct mr_error *err)
{
	const char *name = option->name;
	bool apart = option->argument && optarg == argv[optind - 1];
	const char *word = argv[optind - (apart ? 2 : 1)] + 2;

	if (strcspn(word, "=") == strlen(name))
		return 0;
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
			    "unknown option '--%.*s' (there is --%s; names are not abbreviated)",
			    (int)strcspn(word, "="), word, name);
}

/* Fails with what getopt_long() found to be wrong. */
static int fail_bad_option(struct options *tables, int found, char **argv, struct mr_error *err)
{
	const char *word = argv[optind - 1];
	bool is_letter = optopt && optopt < FIRST_VALUE;

	if (found == ':' && is_letter)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "option '-%c' needs a value",
				    optopt);
	if (found == ':')
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "option '%s' needs a value", word);
	if (optopt && !is_letter)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "option '%.*s' takes no value",
				    (int)strcspn(word, "="), word);
	if (is_letter) {
		snprintf(tables->unknown, sizeof(tables->unknown), "-%c", optopt);
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unknown option '-%c'", optopt);
	}
	snprintf(tables->unknown, sizeof(tables->unknown), "%.*s", (int)strcspn(word, "="), word);
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unknown option '%.*s'",
			    (int)strcspn(word, "="), word);
}

const char *options_unknown(const struct options *tables)
{
	return tables->unknown[0] ? tables->unknown : NULL;
}

/* Whether a word with the value of a letter in it is a whole name behind one dash: -size, in place of -s ize. */
static bool lacks_dash(const struct options *tables, const char *word)
{
	if (!optarg || optarg <= word || optarg > word + strlen(word) || word[1] == '-')
		return false;
	for (size_t i = 0; i < tables->count; i++)
		if (!strcmp(word + 1, tables->longs[i].name))
			return true;
	return false;
}

static int read_by_getopt(struct options *tables, int argc, char **argv, struct mr_error *err)
{
	int found;

	opterr = 0;
	optind = 0; /* glibc: start anew */
	while ((found = getopt_long(argc, argv, tables->letters, tables->longs, NULL)) != -1) {
		struct option_value *value = found == ':' ? NULL : find_value(tables, found);
		int rc;

		if (!value || !value->option)
			return fail_bad_option(tables, found, argv, err);
		if (found < FIRST_VALUE && lacks_dash(tables, argv[optind - 1])) {
			mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unknown option '%s'",
				     argv[optind - 1]);
			mr_hint(err, "did you mean '-%s'?", argv[optind - 1]);
			return -EINVAL;
		}
		if (value->option->type->is_value && !optarg)
			optarg = takes_next(value->option, argv[optind]) ? argv[optind++]
									 : (char[]){ "" };
		rc = found >= FIRST_VALUE ? check_written_out(value->option, argv, err) : 0;
		if (!rc)
			rc = option_value_set(value, &tables->given, optarg, err);
		if (rc)
			return rc;
	}
	return 0;
}

struct options *options_new(const struct option_binding *bindings, bool stop_early,
			    struct mr_error *err)
{
	struct options *tables = calloc(1, sizeof(*tables));

	if (!tables || !allocate_tables(tables, bindings)) {
		options_free(tables);
		mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
		return NULL;
	}
	fill_tables(tables, bindings, stop_early);
	tables->stop_early = stop_early;
	return tables;
}

/* The option whose whole name the word is, or NULL. */
static struct option_value *find_name(const struct options *tables, const char *word)
{
	if (word[0] != '-' || word[1] != '-')
		return NULL;
	for (size_t i = 0; i < tables->count; i++)
		if (option_names(word + 2, tables->longs[i].name))
			return &tables->values[i];
	return NULL;
}

/*
 * Reads operands, "--name" and "--name value" up to the first word of another form.  Lines of a batch hold
 * little else, and getopt_long() would take most of their time.  Operands are moved to *@operand.
 * Return: the index in @argv of that first word, or of the NULL at the end; or -errno.
 */
static int read_plain(struct options *tables, char **argv, char ***operand, struct mr_error *err)
{
	int n, rc = 0;

	for (n = 1; argv[n] && !rc; n++) {
		struct option_value *value;
		bool apart;

		if (argv[n][0] != '-') {
			*(*operand)++ = argv[n];
			continue;
		}
		value = find_name(tables, argv[n]);
		apart = value && takes_next(value->option, argv[n + 1]);
		if (!value || (apart && !argv[n + 1]))
			return n;
		n += apart;
		rc = option_value_set(value, &tables->given,
				      apart || !value->option->argument ? argv[n] : "", err);
	}
	return rc ? rc : n;
}

int options_read(struct options *tables, int argc, char **argv, char ***operands,
		 struct mr_error *err)
{
	char **operand = argv + 1;
	int n, rc = 0;

	/* Forgets the command line before this one. */
	tables->unknown[0] = '\0';
	for (; tables->given; tables->given = tables->given->earlier)
		tables->given->given = NULL;
	if (tables->stop_early) {
		rc = read_by_getopt(tables, argc, argv, err);
		*operands = argv + optind;
		return rc;
	}
	*operands = operand;
	n = read_plain(tables, argv, &operand, err);
	if (n < 0)
		return n;
	if (n < argc) {
		char **rest = argv + n - 1; /* getopt_long skips the first */

		rc = read_by_getopt(tables, argc - n + 1, rest, err);
		for (rest += optind; !rc && *rest; rest++)
			*operand++ = *rest;
	}
	*operand = NULL;
	return rc;
}

static bool is_given(const struct options *tables, const char *name)
{
	for (const struct option_value *value = tables->given; value; value = value->earlier)
		if (option_names(name, value->option->name))
			return true;
	return false;
}

int options_check(const struct options *tables, const struct option_rule *rules,
		  struct mr_error *err)
{
	for (; rules && rules->option; rules++)
		if (is_given(tables, rules->option) &&
		    is_given(tables, rules->other) == (rules->relation == OPTION_EXCLUDES))
			return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--%s %s --%s",
					    rules->option,
					    rules->relation == OPTION_NEEDS ? "needs" : "excludes",
					    rules->other);
	return 0;
}

const char *options_first_given(const struct given_option *options)
{
	while (options->name && !options->given)
		options++;
	return options->name;
}
