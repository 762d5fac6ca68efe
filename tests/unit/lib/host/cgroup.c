// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/host/cgroup.h"

#include <errno.h>

#include "tests/unit/recorded_host.h"

static struct recorded_host recorded;
static struct mr_cgroup group;

static int set_up(void **state)
{
	(void)state;
	recorded_host_begin(&recorded);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	recorded_host_end(&recorded);
	return 0;
}

static void put(const char *path, const char *text)
{
	recorded_host_put(&recorded, path, text);
}

/* A line of /proc/self/cgroup, one of mountinfo, and what is found by them. */
struct place {
	const char *member, *mount;
	int error;
	const char *found_mount, *found_path;
	bool is_below;
};

#define MOUNTED(root, mount, type, options)                                                        \
	"31 23 0:28 " root " " mount " rw shared:1 master:2 - " type " none rw," options "\n"

static const struct place places[] = {
	{ "0::/a/b", MOUNTED("/", "/cg", "cgroup2", "nsdelegate"), 0, "/cg", "/a/b", false },
	{ "0::/", MOUNTED("/", "/cg", "cgroup2", "x"), 0, "/cg", "", false },
	{ "0::/a/b", MOUNTED("/a", "/cg", "cgroup2", "x"), 0, "/cg", "/b", true },
	{ "0::/a", MOUNTED("/a", "/cg", "cgroup2", "x"), 0, "/cg", "", true },
	{ "0::/ab", MOUNTED("/a", "/cg", "cgroup2", "x"), -EXDEV, NULL, NULL, false },
	{ "0::/", MOUNTED("/../..", "/cg", "cgroup2", "x"), -EXDEV, NULL, NULL, false },
	{ "0::/../x", MOUNTED("/", "/cg", "cgroup2", "x"), -EXDEV, NULL, NULL, false },
	{ "0::/a:b", MOUNTED("/", "/c\\040g\\134", "cgroup2", "x"), 0, "/c g\\", "/a:b", false },
	{ "3:cpu,memory:/a", MOUNTED("/", "/m", "cgroup", "cpu,memory"), 0, "/m", "/a", false },
	{ "3:memory:/a", MOUNTED("/", "/m", "cgroup", "cpu"), -ENOENT, NULL, NULL, false },
	{ "3:memory:/a", MOUNTED("/", "/m", "cgroup2", "memory"), -ENOENT, NULL, NULL, false },
	{ "3:memory_x,xmemory:/a", MOUNTED("/", "/m", "cgroup", "memory"), -ENOENT, NULL, NULL,
	  false },
	{ "0::/a", "", -ENOENT, NULL, NULL, false },
	{ "0::/a", "31 23 - \n - \ncgroup2\n", -ENOENT, NULL, NULL, false },
	{ "memory", MOUNTED("/", "/m", "cgroup", "memory"), -ENOENT, NULL, NULL, false },
	{ "::", MOUNTED("/", "/m", "cgroup2", "memory"), -ENOENT, NULL, NULL, false },
};

TEST(group_is_found_below_its_mount)
{
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		const struct place *place = &places[i];

		put("/proc/self/cgroup", place->member);
		put("/proc/self/mountinfo", place->mount);
		assert_equal_for(place->member, mr_cgroup_find(&recorded.host, "memory", &group),
				 place->error);
		if (place->error)
			continue;
		assert_string_equal(group.mount, place->found_mount);
		assert_string_equal(group.path, place->found_path);
		assert_equal_for(place->member, group.is_below, place->is_below);
	}
}

TEST(group_of_a_namespace_has_groups_above_that_cannot_be_seen)
{
	put("/proc/self/cgroup", "0::/a\n");
	put("/proc/self/mountinfo", MOUNTED("/", "/cg", "cgroup2", "x"));
	recorded_host_call(&recorded, "link", "/proc/self/ns/cgroup", "cgroup:[4026532900]");
	assert_int_equal(mr_cgroup_find(&recorded.host, "memory", &group), 0);
	assert_true(group.is_below);
	assert_true(mr_cgroup_up(&group));
	assert_string_equal(group.path, "");
	assert_false(mr_cgroup_up(&group));
}

TEST(group_of_a_missing_proc_is_not_denied)
{
	assert_int_equal(mr_cgroup_find(&recorded.host, "memory", &group), -ENODATA);
	put("/proc/self/status", "Name:\tmrctl\n");
	assert_int_equal(mr_cgroup_find(&recorded.host, "memory", &group), -ENOENT);
	recorded_host_call(&recorded, "read.error", "/proc/self/cgroup", "EACCES");
	assert_int_equal(mr_cgroup_find(&recorded.host, "memory", &group), -EACCES);
}

struct figure {
	const char *text;
	struct mr_opt_u64 value;
};

TEST(figure_is_a_number_or_max)
{
	static const struct figure figures[] = {
		{ "max\n", { UINT64_MAX, true } },
		{ "0\n", { 0, true } },
		{ "4096\n", { 4096, true } },
		{ "9223372036854771712\n", { UINT64_MAX, true } },
		{ "18446744073709551616\n", { 0, false } },
		{ "-1\n", { 0, false } },
		{ "12 kB\n", { 0, false } },
		{ "maximum\n", { 0, false } },
		{ "", { 0, false } },
	};

	group = (struct mr_cgroup){ .mount = "/cg", .path = "/a", .version = 2 };
	for (size_t i = 0; i < ARRAY_SIZE(figures); i++) {
		struct mr_opt_u64 value;

		put("/cg/a/memory.max", figures[i].text);
		value = mr_cgroup_read(&recorded.host, &group, "memory.max");
		assert_equal_for(figures[i].text, value.known, figures[i].value.known);
		assert_equal_for(figures[i].text, value.value, figures[i].value.value);
	}
}

struct unit {
	const char *groups, *unit;
};

TEST(unit_is_the_innermost_service)
{
	static const struct unit units[] = {
		{ "0::/system.slice/ssh.service\n", "ssh.service" },
		{ "0::/user.slice/user@1000.service/app.slice/x.service/sub\n", "x.service" },
		{ "4:memory:/other.service\n1:name=systemd:/a.slice/b.service\n", "b.service" },
		{ "0::/user.slice/session-1.scope\n", "" },
		{ "0::/.service/\n", "" },
		{ "0::/a.services\n", "" },
		{ "nothing", "" },
	};
	char unit[64];

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		put("/proc/7/cgroup", units[i].groups);
		mr_cgroup_unit(&recorded.host, "7", unit, sizeof(unit));
		assert_string_equal(unit, units[i].unit);
	}
}

EACH_TEST(set_up, tear_down)
