// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Words in colours, which a file does not get. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/output/colour.h"
#include "tests/unit/unit.h"

/* Standard output while it is a file. */
static FILE *file;
static int saved;

static int redirect(void **state)
{
	(void)state;
	file = tmpfile();
	fflush(stdout);
	saved = dup(STDOUT_FILENO);
	return !file || saved < 0 || dup2(fileno(file), STDOUT_FILENO) < 0;
}

static int restore(void **state)
{
	int rc = dup2(saved, STDOUT_FILENO);

	(void)state;
	close(saved);
	fclose(file);
	return rc < 0;
}

TEST(a_file_gets_words_without_colours)
{
	char out[64] = "";

	output_coloured(COLOUR_BAD, "BAD", 6);
	output_coloured(COLOUR_GOOD, "ok", 1);
	output_coloured(COLOUR_PLAIN, "n/a", 1);
	fflush(stdout);
	rewind(file);
	assert_int_equal(fread(out, 1, sizeof(out) - 1, file), strlen("BAD   okn/a"));
	assert_string_equal(out, "BAD   okn/a");
	assert_null(colour_escape(COLOUR_BAD));
	assert_null(colour_escape(COLOUR_PLAIN));
}

EACH_TEST(redirect, restore)
