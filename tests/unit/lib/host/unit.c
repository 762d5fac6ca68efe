// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What a process runs for, by its control group. */
#include "lib/host/unit.h"

#include <errno.h>

#include "tests/unit/recorded_host.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

struct example {
	const char *path, *name, *container;
};

TEST(groups_are_named_as_people_name_them)
{
	static const struct example examples[] = {
		{ "/system.slice/slurmd.service", "slurmd.service", "" },
		{ "/user.slice/user-0.slice/session-3.scope", "session-3.scope", "" },
		{ "/user.slice/user@0.service/app.slice/a.scope", "a.scope", "" },
		{ "/system.slice/docker-" ID ".scope", "docker-0123456789ab", ID },
		{ "/docker/" ID, "container-0123456789ab", ID },
		{ "/kubepods/pod1/cri-containerd-" ID ".scope", "cri-containerd-0123456789ab", ID },
		/* a service in a container is the container's */
		{ "/docker/" ID "/system.slice/a.service", "container-0123456789ab", ID },
		{ "/system.slice/slurmstepd.scope/job_42/step_0/user", "slurm-job-42", "" },
		{ "/x/job_/y", "/x/job_/y", "" },
		{ "/x/job_4a", "/x/job_4a", "" },
		{ "/.service", "/.service", "" },
		{ "/", "/", "" },
		{ "", "", "" },
		/* no id: too short, no hexadecimal, no mark before it */
		{ "/docker/" ID "0", "/docker/" ID "0", "" },
		{ "/g" ID, "/g" ID, "" },
		{ "/docker-0123.scope", "docker-0123.scope", "" },
		/* hostile */
		{ "/a\x1b[31m\n.service", "a?[31m?.service", "" },
		{ "/../../x", "/../../x", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(examples); i++) {
		struct mr_unit unit;

		mr_unit_of_group(examples[i].path, &unit);
		if (strcmp(unit.name, examples[i].name) != 0 ||
		    strcmp(unit.container, examples[i].container) != 0)
			fail_msg("'%s' is '%s' in '%s'", examples[i].path, unit.name,
				 unit.container);
	}
}

TEST(long_groups_are_cut)
{
	char path[5000];
	struct mr_unit unit;

	memset(path, 'a', sizeof(path));
	path[0] = '/';
	strcpy(path + sizeof(path) - 9, ".service");
	mr_unit_of_group(path, &unit);
	assert_int_equal(strlen(unit.name), sizeof(unit.name) - 1);
	strcpy(path + sizeof(path) - 9, "aaaaaaaa");
	mr_unit_of_group(path, &unit);
	assert_int_equal(strlen(unit.name), sizeof(unit.name) - 1);
}

struct file {
	const char *text, *name;
};

TEST(of_several_hierarchies_that_with_a_name_counts)
{
	static const struct file files[] = {
		{ "0::/system.slice/a.service\n", "a.service" },
		{ "5:memory:/\n1:name=systemd:/system.slice/a.service\n0::/\n", "a.service" },
		{ "5:memory:/m\n0::/\n", "/m" },
		{ "5:memory:/m\n0::/a.service\n", "a.service" },
		{ "0::/\n", "/" },
		{ "garbage\n::\n\n0:\n", "" },
		{ "", "" },
	};
	struct recorded_host recorded;
	struct mr_unit unit;

	recorded_host_begin(&recorded);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		recorded_host_put(&recorded, "/proc/7/cgroup", files[i].text);
		assert_int_equal(mr_unit_read(&recorded.host, "7", &unit), 0);
		if (strcmp(unit.name, files[i].name) != 0)
			fail_msg("'%s': '%s'", files[i].text, unit.name);
	}
	assert_int_equal(mr_unit_read(&recorded.host, "8", &unit), -ENOENT);
	assert_string_equal(unit.name, "");
	recorded_host_end(&recorded);
}
