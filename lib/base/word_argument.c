// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/character.h"
#include "lib/base/number.h"
#include "lib/base/word_argument.h"

/* A longer item is no number of 32 bits. */
#define NUMBER_MAX 16

int mr_fail_argument(const struct mr_word *word, const char *what, const char *text,
		     struct mr_error *err)
{
	return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "invalid %s '%s': it is written %s", what,
			    text, word->name);
}

int mr_word_with_argument(const struct mr_word *words, const char *what, const char *text,
			  const char **argument, struct mr_error *err)
{
	const size_t length = strcspn(text, ":");

	*argument = text[length] ? text + length + 1 : NULL;
	for (int i = 0; words[i].name; i++) {
		const char *name = words[i].name;
		bool optional, takes;

		if (strcspn(name, "[:") != length || strncmp(name, text, length) != 0)
			continue;
		optional = name[length] == '[';
		takes = optional || name[length] == ':';
		if (takes ? !(*argument ? **argument : optional) : *argument != NULL)
			return mr_fail_argument(&words[i], what, text, err);
		return i;
	}
	return mr_fail_word(err, what, text, strlen(text), words, sizeof(*words));
}

int mr_word_as_number(const struct mr_word *words, const char *what, const char *item,
		      size_t length, uint32_t *number, struct mr_error *err)
{
	uint64_t value;
	int rc;

	if (!length || !mr_is_digit(item[0]) || length >= NUMBER_MAX)
		return mr_fail_word(err, what, item, length, words, sizeof(*words));
	rc = mr_parse_u64_item(item, length, UINT32_MAX, &value, err);
	if (!rc)
		*number = (uint32_t)value;
	return rc;
}
