// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/option_value.h"
#include "lib/base/base.h"

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

int option_value_set(struct option_value *value, struct option_value **last, const char *text,
		     struct mr_error *err)
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
