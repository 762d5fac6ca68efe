// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program of a folder of unit tests: runs the tests that its files have registered.
 *   unit           all files, one after the other
 *   unit NAME...   only these (lib/base/number); each line of --list is one
 *   unit --list    prints the names of the files
 * UNIT_TEST=PATTERN runs only the tests whose names match (glob(7)).  A test fails, too, where a descriptor is open
 * after it that was not before it, or the reverse.
 */
#include <fnmatch.h>

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

/* The tests of the file that runs, in their order; the number of those that began; and what was open before the last */
static struct CMUnitTest *own;
static size_t begun;
static int open_before;

static int begin(void **state)
{
	const CMFixtureFunction set_up = own[begun++].setup_func;

	open_before = count_descriptors();
	return set_up ? set_up(state) : 0;
}

static int end(void **state)
{
	const CMFixtureFunction tear_down = own[begun - 1].teardown_func;
	const int rc = tear_down ? tear_down(state) : 0, more = count_descriptors() - open_before;

	if (!rc && more)
		print_error("%d descriptors more than before the test\n", more);
	return rc || more ? -1 : 0;
}

/* Runs those of @n tests, all of one file, that are wanted; returns how many failed. */
static int run_file(struct unit_test *const *first, size_t all, const char *name)
{
	struct CMUnitTest *group = calloc(all, sizeof(*group));
	CMFixtureFunction set_up = NULL, tear_down = NULL;
	const char *pattern = getenv("UNIT_TEST");
	size_t n = 0;
	int failed;

	own = calloc(all, sizeof(*own));
	assert_non_null(group);
	assert_non_null(own);
	for (size_t i = 0; i < all; i++)
		if (!pattern || !fnmatch(pattern, first[i]->test.name, 0))
			own[n++] = first[i]->test;
	for (const struct unit_fixture *fixture = fixtures; fixture; fixture = fixture->next) {
		if (strcmp(fixture->file, first[0]->file))
			continue;
		if (!fixture->each) {
			set_up = fixture->set_up;
			tear_down = fixture->tear_down;
		}
		for (size_t i = 0; i < n && fixture->each; i++) {
			own[i].setup_func = fixture->set_up;
			own[i].teardown_func = fixture->tear_down;
		}
	}
	for (size_t i = 0; i < n; i++)
		group[i] = (struct CMUnitTest){ own[i].name, own[i].test_func, begin, end, own[i].initial_state };
	begun = 0;
	failed = _cmocka_run_group_tests(name, group, n, set_up, tear_down);
	free(group);
	free(own);
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
