// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Facts of the running kernel and of this process that are filtered before they are recorded. */
#include "lib/host/kernel.h"

#include <sys/mman.h>

#include "lib/host/fork.h"
#include "lib/host/mappings.h"
#include "tests/unit/recorded_host.h"

static char folder[] = "/tmp/mrctl-unit-kernel.XXXXXX";

static int set_up(void **state)
{
	(void)state;
	strcpy(folder + sizeof(folder) - 7, "XXXXXX");
	return !mkdtemp(folder);
}

static int tear_down(void **state)
{
	(void)state;
	return nftw(folder, recorded_host_remove, 8, FTW_DEPTH | FTW_PHYS);
}

static bool is_recorded(const char *path)
{
	char whole[256];

	snprintf(whole, sizeof(whole), "%s%s", folder, path);
	return !access(whole, F_OK);
}

TEST(mappings_are_counted_and_not_recorded)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct mr_host host;
	struct mr_error err;
	uint64_t before;
	char *map;

	assert_int_equal(mr_host_open(&host, NULL, folder, &err), 0);
	before = mr_mappings_used(&host).value;
	assert_true(before > 3);
	map = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(map != MAP_FAILED);
	assert_int_equal(mprotect(map + page, page, PROT_READ), 0); /* at least two more */
	assert_true(mr_mappings_used(mr_this_host()).value >= before + 2);
	munmap(map, 3 * page);
	assert_int_equal(mr_host_close(&host, &err), 0);
	assert_true(is_recorded("/calls/mappings.answer"));
	assert_false(is_recorded("/proc"));
}

TEST(only_known_words_of_the_command_line_are_recorded)
{
	struct mr_host host;
	struct mr_error err;
	char words[256];

	assert_int_equal(mr_host_open(&host, NULL, folder, &err), 0);
	assert_int_equal(mr_kernel_words(&host, words, sizeof(words)), 0);
	assert_int_equal(mr_host_close(&host, &err), 0);
	assert_false(is_recorded("/proc"));
	assert_null(strstr(words, "root="));
	assert_null(strstr(words, "console="));
}

TEST(symbols_are_searched_without_their_addresses)
{
	struct mr_host host;
	struct mr_error err;

	assert_int_equal(mr_host_open(&host, NULL, folder, &err), 0);
	assert_int_not_equal(mr_kernel_has_symbol(&host, "mrctl_has_no_such_symbol"), MR_YES);
	assert_int_equal(mr_host_close(&host, &err), 0);
	assert_false(is_recorded("/proc"));
}

TEST(a_variable_that_is_0_asks_for_no_protection)
{
	struct mr_fork fork;

	unsetenv("RDMAV_FORK_SAFE");
	unsetenv("RDMAV_HUGEPAGES_SAFE");
	setenv("IBV_FORK_SAFE", "0", 1);
	mr_fork_read(mr_this_host(), &fork);
	assert_false(fork.is_asked);
	setenv("IBV_FORK_SAFE", "1", 1);
	mr_fork_read(mr_this_host(), &fork);
	assert_true(fork.is_asked);
	assert_false(fork.huge_pages);
	/* of this one libibverbs does not look at the value */
	setenv("RDMAV_HUGEPAGES_SAFE", "0", 1);
	mr_fork_read(mr_this_host(), &fork);
	assert_true(fork.huge_pages);
}

EACH_TEST(set_up, tear_down)
