// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>

#include "cmd/report/replace.h"
#include "tests/unit/unit.h"

static void becomes(struct stand_ins *all, const char *text, const char *expected)
{
	char *found = replace_own(all, text);

	assert_string_equal(found ? found : text, expected);
	free(found);
}

TEST(a_name_has_a_stand_in_where_it_is_a_whole_word)
{
	struct stand_ins all = { .out_of_memory = false };

	stand_ins_add(&all, "host", "node7", 5);
	becomes(&all, "node7 node7.site node71 xnode7 (NODE7) node7-ib0",
		"host-1 host-1 node71 xnode7 (host-1) host-1-ib0");
	stand_ins_release(&all);
}

TEST(what_looks_private_has_a_stand_in)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "192.0.2.1 192.0.2.2 192.0.2.1", "ip-1 ip-2 ip-1" },
		{ "192.0.2.1-192.0.2.9:80", "ip-1-ip-2:80" },
		{ "23.10-0.5.5.0 5.8-1.1.2.1 16.35.4030", "23.10-0.5.5.0 5.8-1.1.2.1 16.35.4030" },
		{ "fe80::1:2 [2001:db8::1]:80", "ip-1 [ip-2]:80" },
		{ "0::/user.slice 12:30:45 ::1", "0::/user.slice 12:30:45 ::1" },
		{ "0a0b:0c0d:0e0f:1011 0A0B:0C0D:0E0F:1011", "guid-1 guid-1" },
		{ "GUID 0x0a0b0c0d0e0f1011", "GUID guid-1" },
		{ "50:6b:4b:c3:1a:2c 50-6B-4B-C3-1A-2D", "mac-1 mac-2" },
		{ "pod123e4567-e89b-12d3-a456-426614174000", "podid-1" },
		{ "Serial Number: MT1234X5, S/N MT1234X5",
		  "Serial Number: serial-1, S/N serial-1" },
		{ "file:/home/a/b c=/Users/d", "file:/home/user-1/path-1 c=/Users/user-2" },
		{ "see https://bob:x@h/?token=y, ucx+tcp://h:1 file:x a://",
		  "see url-1 url-2 file:x url-3" },
		{ "PASSWORD=x&y token: z, \"secret\": \"a b\" Bearer c tokens=4 token",
		  "PASSWORD=secret-1&y token: secret-2, \"secret\": \"secret-3\" Bearer secret-4 tokens=4 token" },
		{ "a.b+c@site.example user@1000.service x@y", "mail-1 user@1000.service x@y" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stand_ins all = { .out_of_memory = false };

		becomes(&all, cases[i].text, cases[i].expected);
		stand_ins_release(&all);
	}
}

/* Paths that nobody has named: in quotes or brackets up to their end, else up to that of the clause. */
TEST(paths_that_nobody_has_named_have_one_up_to_their_end)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "cannot use '/home/a b/Acme, Corp: x/y': open",
		  "cannot use '/home/user-1/path-1': open" },
		{ "exe=\"/home/a b/(Acme)/\\\"x y\" pid=3", "exe=\"/home/user-1/path-1\" pid=3" },
		{ "ran: x '/home/o'\\''brien y/z a' -b", "ran: x '/home/user-1/path-1' -b" },
		{ "at (/"
		  "root/Acme (copy)/x y.c:12), twice",
		  "at (path-1), twice" },
		{ "open /home/a/My Documents/Acme Corp/x: ENOENT",
		  "open /home/user-1/path-1: ENOENT" },
		{ "/home/a/Acme, Inc: x/y z/q is not /usr/lib/z",
		  "/home/user-1/path-1 /usr/lib/z" },
		{ "/home/o'brien/Acme x is full\n/home/b/y",
		  "/home/user-1/path-1\n/home/user-2/path-2" },
		{ "/home/a/Acme\tCorp/\xc3\xa9 x", "/home/user-1/path-1" },
		{ "/home/a/b\\040c -v /home/a/b%20c",
		  "/home/user-1/path-1 -v /home/user-1/path-1" },
		{ "file:///home/a/b, file://localhost/home/a/b, /nfs/home/a/b",
		  "file:///home/user-1/path-1, file://localhost/home/user-1/path-1, /nfs/home/user-1/path-1" },
		{ "~alice/Acme x/y and ~/z", "/home/user-1/path-1" },
		{ "/home/alice is full, alice ~alice /Users/alice",
		  "/home/user-1 is full, user-1 /home/user-1 /Users/user-1" },
		{ "x~1 ~5 /homes/x /home/", "x~1 ~5 /homes/x /home/" },
		{ "/srv/bob /srv/bob/Acme x /srv/bobby", "path-1 path-2 /srv/bobby" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stand_ins all = { .home = "/srv/bob" };

		becomes(&all, cases[i].text, cases[i].expected);
		stand_ins_release(&all);
	}
}

/* A path of the report is known by its whole name, in whatever notation, and so are those below it. */
TEST(known_paths_have_one_in_whatever_notation)
{
	struct stand_ins all = { .out_of_memory = false };

	stand_ins_add_in_texts(&all, "path", "/data/Acme Corp/x", 17);
	becomes(&all, "/data/Acme Corp/x has 3, /data/Acme\\040Corp/x. file:///data/Acme%20Corp/x",
		"path-1 has 3, path-1. file://path-1");
	becomes(&all, "/data/Acme\\ Corp/x /data/Acme\\x20Corp/x: /data/Acme Corp/x/Job 7/y: z",
		"path-1 path-1: path-2: z");
	all.is_file = true;
	becomes(&all, "/data/Acme Corp/x", "/data/Acme Corp/x");
	becomes(&all, "30 /home/a/b\\040c /d rw", "30 /home/user-1/path-3 /d rw");
	stand_ins_release(&all);
}

/* One number has one stand-in, in whatever notation it comes; and zeros are nobody's. */
TEST(a_number_has_one_stand_in_in_whatever_notation)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{ "0002:c903:00a1:b2c3 0x0002c90300a1b2c3 0002c90300A1B2C3 00:02:c9:03:00:a1:b2:c3 "
		  "00-02-c9-03-00-a1-b2-c3",
		  "guid-1 guid-1 guid-1 guid-1 guid-1" },
		{ "aa:bb:cc:dd:ee:0f AA-BB-CC-DD-EE-0F aabb.ccdd.ee0f aabbccddee0f enxaabbccddee0f",
		  "mac-1 mac-1 mac-1 mac-1 enxmac-1" },
		{ "rocexaabbccddee0f: ibxaabbcc0300ddee0f", "rocexmac-1: ibxguid-1" },
		{ "::ffff:192.0.2.7 192.0.2.7 0000:0000:0000:0000:0000:ffff:c000:0207 ::ffff:c000:207",
		  "ip-1 ip-1 ip-1 ip-1" },
		{ "fe80::2:c903:a1:b2c3 FE80:0000:0000:0000:0002:c903:00a1:b2c3 "
		  "fe800000000000000002c90300a1b2c3",
		  "ip-1 ip-1 ip-1" },
		{ "123e4567-e89b-12d3-a456-426614174000 123E4567e89b12d3a456426614174000",
		  "id-1 id-1" },
		{ "0000:0000:0000:0000 0000000000000000 0x0 0.0.0.0",
		  "0000:0000:0000:0000 0000000000000000 0x0 0.0.0.0" },
		{ "0000:0000:0000:0001 0000000000000001 2023.1004.1234",
		  "guid-1 0000000000000001 2023.1004.1234" },
		{ "node7.site.example node7 NODE8.site.example node8 ",
		  "host-1 host-1 host-2 host-2 " },
		{ "node7.site.example. node7.log xsite.example", "host-1. host-1 xsite.example" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		struct stand_ins all = { .out_of_memory = false };

		stand_ins_add(&all, "host", "node7", 5);
		becomes(&all, cases[i].text, cases[i].expected);
		stand_ins_release(&all);
	}
}
