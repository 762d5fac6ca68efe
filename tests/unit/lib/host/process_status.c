// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/host/process_status.h"

#include <errno.h>

#include "tests/unit/recorded_host.h"

static struct recorded_host recorded;
static struct mr_process_status status;

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

static void read_status(const char *text)
{
	recorded_host_put(&recorded, "/proc/self/status", text);
	assert_int_equal(mr_process_status_read(&recorded.host, "self", &status), 0);
}

TEST(status_is_read_by_line)
{
	read_status("Name:\tsome name that is long\nTgid:\t11\nPPid:\t12\nUid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\n"
		    "Groups:\t9 10 \nVmLck:\t1 kB\nVmPin:\t2 kB\nCapPrm:\t0000000000004000\n"
		    "CapEff:\t0000000000000002\nCapBnd:\tffffffffffffffff\nSeccomp:\t2\n");
	assert_string_equal(status.name, "some name that ");
	assert_int_equal(status.process.value, 11);
	assert_int_equal(status.parent.value, 12);
	assert_int_equal(status.uid.value, 2);
	assert_int_equal(status.gid.value, 6);
	assert_int_equal(status.group_count, 2);
	assert_int_equal(status.groups[1], 10);
	assert_int_equal(status.locked.value, 1024);
	assert_int_equal(status.pinned.value, 2048);
	assert_int_equal(status.permitted.value, MR_CAP_IPC_LOCK);
	assert_int_equal(status.effective.value, MR_CAP_DAC_OVERRIDE);
	assert_int_equal(status.bounding.value, UINT64_MAX);
	assert_int_equal(status.seccomp.value, 2);
	assert_false(status.no_new_privs.known);
}

TEST(status_that_is_no_number_is_not_known)
{
	read_status("PPid:\t-1\nUid:\t7\nVmPin:\t18014398509481984 kB\nVmLck:\tx\nCapEff:\t\n"
		    "CapPrm:\t10000000000000000\nPPid");
	assert_false(status.parent.known);
	assert_false(status.uid.known);
	assert_false(status.pinned.known);
	assert_false(status.locked.known);
	assert_false(status.effective.known);
	assert_false(status.permitted.known);
	assert_int_equal(mr_process_status_read(&recorded.host, "4711", &status), -ENOENT);
}

struct permission {
	uint32_t mode, uid, gid;
	bool may;
};

TEST(permission_is_that_of_the_first_class_that_fits)
{
	static const struct permission permissions[] = {
		{ 0600, 2, 0, true },   { 0066, 2, 6, false },  { 0060, 0, 6, true },
		{ 0606, 0, 6, false },  { 0060, 0, 10, true },  { 0606, 0, 11, true },
		{ 0664, 0, 11, false }, { 0622, 0, 11, false },
	};

	read_status("Uid:\t1\t2\t3\t4\nGid:\t5\t6\t7\t8\nGroups:\t9 10\nCapEff:\t0\n");
	for (size_t i = 0; i < ARRAY_SIZE(permissions); i++) {
		const struct mr_host_status file = { .mode = permissions[i].mode,
						     .uid = permissions[i].uid,
						     .gid = permissions[i].gid };

		assert_int_equal(mr_process_may_write(&status, &file), permissions[i].may);
	}
	read_status("Uid:\t1\t2\t3\t4\nCapEff:\t2\n");
	assert_true(mr_process_may_write(&status, &(struct mr_host_status){ .mode = 0 }));
}

EACH_TEST(set_up, tear_down)
