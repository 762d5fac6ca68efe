// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program of a folder of unit tests: runs the tests that its files have registered.
 *   unit           all files, one after the other
 *   unit NAME...   only these (lib/base/number); each line of --list is one
 *   unit --list    prints the names of the files
 * UNIT_TEST=PATTERN runs only the tests whose names match, as cmocka_set_test_filter() reads it.
 */
#include "tests/unit/unit.h"

static struct unit_test *tests;
static struct unit_fixture *fixtures;
static size_t count;

void unit_add_test(struct unit_test *test)
{
	test->next = tests;
	tests = test;
	count++;
}

void unit_add_fixture(struct unit_fixture *fixture)
{
	fixture->next = fixtures;
	fixtures = fixture;
}

/* Compares by file, then by line: constructors run in any order. */
static int compare(const void *a, const void *b)
{
	const struct unit_test *one = *(struct unit_test *const *)a;
	const struct unit_test *other = *(struct unit_test *const *)b;
	const int order = strcmp(one->file, other->file);

	return order ? order : (one->line > other->line) - (one->line < other->line);
}

/* Writes "lib/base/number" for "tests/unit/lib/base/number.c". */
static const char *name_of(const char *file, char *name, size_t size)
{
	snprintf(name, size, "%s", file + strlen("tests/unit/"));
	*strrchr(name, '.') = '\0';
	return name;
}

/* Runs @n tests, all of one file; returns how many failed. */
static int run_file(struct unit_test *const *first, size_t n, const char *name)
{
	struct CMUnitTest *group = calloc(n, sizeof(*group));
	CMFixtureFunction set_up = NULL, tear_down = NULL;
	int failed;

	assert_non_null(group);
	for (size_t i = 0; i < n; i++)
		group[i] = first[i]->test;
	for (const struct unit_fixture *fixture = fixtures; fixture; fixture = fixture->next) {
		if (strcmp(fixture->file, first[0]->file))
			continue;
		if (!fixture->each) {
			set_up = fixture->set_up;
			tear_down = fixture->tear_down;
		}
		for (size_t i = 0; i < n && fixture->each; i++) {
			group[i].setup_func = fixture->set_up;
			group[i].teardown_func = fixture->tear_down;
		}
	}
	failed = _cmocka_run_group_tests(name, group, n, set_up, tear_down);
	free(group);
	return failed;
}

static bool is_wanted(const char *name, int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		if (!strcmp(argv[i], name))
			return true;
	return argc == 1;
}

int main(int argc, char **argv)
{
	const bool list = argc == 2 && !strcmp(argv[1], "--list");
	struct unit_test **sorted = calloc(count, sizeof(struct unit_test *));
	int failed = 0, ran = 0;
	size_t n = 0, end;
	char name[256];

	assert_non_null(sorted);
	if (getenv("UNIT_TEST"))
		cmocka_set_test_filter(getenv("UNIT_TEST"));
	for (struct unit_test *test = tests; test; test = test->next)
		sorted[n++] = test;
	qsort(sorted, n, sizeof(struct unit_test *), compare);
	for (size_t i = 0; i < n; i = end) {
		for (end = i + 1; end < n && !strcmp(sorted[end]->file, sorted[i]->file); end++)
			;
		name_of(sorted[i]->file, name, sizeof(name));
		if (list) {
			puts(name);
		} else if (is_wanted(name, argc, argv)) {
			ran++;
			failed += run_file(sorted + i, end - i, name);
		}
	}
	free(sorted);
	if (!list && !ran)
		fprintf(stderr, "no such file of tests\n");
	return failed || (!list && !ran);
}
