// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Errors before mrctl stat is run: a monitoring system would take their exit statuses for those of a check. */
#include <string.h>

#include "cmd/stat/args.h"
#include "cmd/stat/host/result.h"

/* What a word gives to --exit: the rest of it, or the next one; NULL: it is another word. */
static const char *value_of_exit(const char *word, const char *next)
{
	static const char name[] = "--exit";

	if (strncmp(word, name, sizeof(name) - 1) != 0)
		return NULL;
	word += sizeof(name) - 1;
	return *word == '=' ? word + 1 : *word ? NULL : next;
}

/* The options may be wrong, so they are not read: --exit is looked for.  What it names is plain if it is wrong. */
static enum exit_style find_style(char *const *argv)
{
	enum exit_style style = EXIT_STYLE_PLAIN;
	struct mr_error ignored = { 0 };

	for (; *argv && strcmp(*argv, "--") != 0; argv++) {
		const char *value = value_of_exit(*argv, argv[1]);

		if (value && !option_type_exit_style.read(value, &style, &ignored))
			break;
	}
	return style;
}

int stat_fail(char *const *argv, struct mr_error *err)
{
	return status_fail(find_style(argv), err);
}
