// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "cmd/report/stand_ins.h"
#include "tests/unit/unit.h"

static void becomes(struct stand_ins *all, const char *text, const char *expected)
{
	char *found = stand_ins_apply(all, text);

	assert_string_equal(found ? found : text, expected);
	free(found);
}

static void test_names(void **state)
{
	struct stand_ins all = { .count = 0 };

	(void)state;
	stand_ins_add(&all, "host", "node7", 5);
	stand_ins_add(&all, "host", "node7.site", 10);
	becomes(&all, "node7 node7.site node71 xnode7 (node7)",
		"host-1 host-2 node71 xnode7 (host-1)");
	becomes(&all, "NODE7", "NODE7");
	stand_ins_release(&all);
}

static void test_patterns(void **state)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "192.0.2.1 192.0.2.2 192.0.2.1", "ip-1 ip-2 ip-1" },
		{ "192.0.2.1-192.0.2.9:80", "ip-1-ip-2:80" },
		{ "23.10-0.5.5.0 5.8-1.1.2.1 16.35.4030", "23.10-0.5.5.0 5.8-1.1.2.1 16.35.4030" },
		{ "fe80::1:2 [2001:db8::1]:80", "ip-1 [ip-2]:80" },
		{ "0::/user.slice 12:30:45 ::1", "0::/user.slice 12:30:45 ::1" },
		{ "0000:3b:00.0 fd:01 7f00-7fff r--p", "0000:3b:00.0 fd:01 7f00-7fff r--p" },
		{ "0a0b:0c0d:0e0f:1011 0A0B:0C0D:0E0F:1011", "guid-1 guid-1" },
		{ "GUID 0x0a0b0c0d0e0f1011", "GUID guid-1" },
		{ "CapEff: 000001ffffffffff", "CapEff: 000001ffffffffff" },
		{ "50:6b:4b:c3:1a:2c 50-6b-4b-c3-1a-2c", "mac-1 mac-2" },
		{ "pod123e4567-e89b-12d3-a456-426614174000", "podid-1" },
		{ "Serial Number: MT1234X5, S/N MT1234X5",
		  "Serial Number: serial-1, S/N serial-1" },
		{ "file:/home/a/b c=/Users/d", "file:path-1 c=path-2" },
		{ "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct stand_ins all = { .count = 0 };

		becomes(&all, cases[i].text, cases[i].expected);
		stand_ins_release(&all);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_names),
					    cmocka_unit_test(test_patterns) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
