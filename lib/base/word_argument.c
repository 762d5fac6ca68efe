// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/word_argument.h"

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
