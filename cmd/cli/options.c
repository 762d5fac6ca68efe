// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/options.h"
#include "lib/base/choice.h"

/* Values of getopt_long for options without a letter, and for all by their place in the table. */
#define FIRST_VALUE 256

/* An option together with the struct that it fills. */
struct slot {
	const struct option_spec *option;
	void *member;
	const char *given;    /* on this command line, the last time; or NULL */
	char *joined;         /* what the member points to where lists were put together, or NULL */
	struct slot *earlier; /* the one that was given before it */
};

/* The option tables in the form of getopt. */
struct options {
	struct slot *slots;
	struct option *longs;
	char *letters;
	size_t count;
	struct slot *given; /* the one that was given last */
	bool stop_early;
	char unknown[32]; /* see options_unknown() */
};

void options_free(struct options *tables)
{
	if (!tables)
		return;
	for (size_t i = 0; tables->slots && i < tables->count; i++)
		free(tables->slots[i].joined);
	free(tables->slots);
	free(tables->longs);
	free(tables->letters);
	free(tables);
}

static bool allocate_tables(struct options *tables, const struct option_binding *bindings)
{
	for (const struct option_binding *b = bindings; b->group; b++)
		for (const struct option_spec *o = b->group->options; o->name; o++)
			tables->count++;
	tables->slots = calloc(tables->count + 1, sizeof(*tables->slots));
	tables->longs = calloc(tables->count + 1, sizeof(*tables->longs));
	tables->letters = calloc(tables->count + 1, 3); /* a letter, ":", and what goes before */
	return tables->slots && tables->longs && tables->letters;
}

/* '+' ends at the first operand, ':' tells a missing value from an unknown option. */
static void fill_tables(struct options *tables, const struct option_binding *bindings,
			bool stop_early)
{
	char *letters = stpcpy(tables->letters, stop_early ? "+:" : ":");
	size_t n = 0;

	for (const struct option_binding *b = bindings; b->group; b++) {
		for (const struct option_spec *o = b->group->options; o->name; o++, n++) {
			tables->slots[n] = (struct slot){
				.option = o,
				.member = (char *)b->target + b->group->base + o->offset,
			};
			tables->longs[n] = (struct option){
				.name = o->name,
				.has_arg = o->argument ? required_argument : no_argument,
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
static struct slot *find_slot(const struct options *tables, int found)
{
	if (found >= FIRST_VALUE)
		return &tables->slots[found - FIRST_VALUE];
	for (size_t i = 0; i < tables->count; i++)
		if (tables->slots[i].option && tables->slots[i].option->letter == found)
			return &tables->slots[i];
	return NULL;
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

static int fail_unknown(struct options *tables, int found, char **argv, struct mr_error *err)
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

/* What the option was given before, be it in front of the command; NULL for nothing. */
static const char *given_before(const struct slot *slot)
{
	if (slot->given || !slot->option->type->is_text)
		return slot->given;
	return *(const char *const *)slot->member;
}

/* Lists add up, but for "none", which is the whole of one; what is no list has one value. */
static int check_again(const struct slot *slot, const char *before, const char *value,
		       struct mr_error *err)
{
	bool was_none = mr_word_is(before, strlen(before), "none");

	if (!slot->option->type->adds_up)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "given twice, '%s' and '%s'",
				    before, value);
	if (was_none != mr_word_is(value, strlen(value), "none"))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "'%s' contradicts '%s'", value,
				    before);
	return 0;
}

/* Of a list that is kept as text both become one text. */
static int join(struct slot *slot, const char *before, const char *value, struct mr_error *err)
{
	char *joined;

	if (asprintf(&joined, "%s,%s", before, value) < 0)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "asprintf", NULL);
	free(slot->joined);
	slot->joined = joined;
	*(const char **)slot->member = joined;
	return 0;
}

static int take(struct options *tables, struct slot *slot, const char *value, struct mr_error *err)
{
	const struct option_type *type = slot->option->type;
	const char *before = slot->option->argument ? given_before(slot) : NULL;
	int rc = before ? check_again(slot, before, value, err) : 0;

	if (!rc)
		rc = before && type->is_text ? join(slot, *(const char **)slot->member, value, err)
					     : type->read(value, slot->member, err);
	if (!slot->given) {
		slot->earlier = tables->given;
		tables->given = slot;
	}
	slot->given = value ? value : "";
	if (rc)
		mr_wrap(err, "--%s", slot->option->name);
	return rc;
}

static int parse(struct options *tables, int argc, char **argv, struct mr_error *err)
{
	int found;

	opterr = 0;
	optind = 0; /* glibc: start anew */
	while ((found = getopt_long(argc, argv, tables->letters, tables->longs, NULL)) != -1) {
		struct slot *slot = found == ':' ? NULL : find_slot(tables, found);
		int rc;

		if (!slot || !slot->option)
			return fail_unknown(tables, found, argv, err);
		rc = found >= FIRST_VALUE ? check_written_out(slot->option, argv, err) : 0;
		if (!rc)
			rc = take(tables, slot, optarg, err);
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

/* The option that a word names in full, or NULL. */
static struct slot *find_name(const struct options *tables, const char *word)
{
	if (word[0] != '-' || word[1] != '-')
		return NULL;
	for (size_t i = 0; i < tables->count; i++)
		if (option_names(word + 2, tables->longs[i].name))
			return &tables->slots[i];
	return NULL;
}

/*
 * Takes operands, "--name" and "--name value" up to the first other word: there is little else in a
 * batch, and getopt_long takes longer than all else about a line.  Operands are moved to *@operand.
 * Return: that other word's place in @argv, or -errno.
 */
static int read_plain(struct options *tables, char **argv, char ***operand, struct mr_error *err)
{
	int n, rc = 0;

	for (n = 1; argv[n] && !rc; n++) {
		struct slot *slot;
		bool apart;

		if (argv[n][0] != '-') {
			*(*operand)++ = argv[n];
			continue;
		}
		slot = find_name(tables, argv[n]);
		apart = slot && slot->option->argument;
		if (!slot || (apart && !argv[n + 1]))
			return n;
		n += apart;
		rc = take(tables, slot, argv[n], err);
	}
	return rc ? rc : n;
}

int options_read(struct options *tables, int argc, char **argv, char ***operands,
		 struct mr_error *err)
{
	char **operand = argv + 1;
	int n, rc = 0;

	tables->unknown[0] = '\0';
	for (; tables->given; tables->given = tables->given->earlier)
		tables->given->given = NULL;
	if (tables->stop_early) {
		rc = parse(tables, argc, argv, err);
		*operands = argv + optind;
		return rc;
	}
	*operands = operand;
	n = read_plain(tables, argv, &operand, err);
	if (n < 0)
		return n;
	if (n < argc) {
		char **rest = argv + n - 1; /* getopt_long skips the first */

		rc = parse(tables, argc - n + 1, rest, err);
		for (rest += optind; !rc && *rest; rest++)
			*operand++ = *rest;
	}
	*operand = NULL;
	return rc;
}

static bool is_given(const struct options *tables, const char *name)
{
	for (const struct slot *slot = tables->given; slot; slot = slot->earlier)
		if (option_names(name, slot->option->name))
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
