// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Who has registered MRs. */
#include "cmd/stat/stat.h"

#include "tests/unit/recorded_host.h"

/* MRs of two threads of process 10, of process 20, of one that has ended since, of none, and of the kernel. */
static struct mr_nldev_mr mrs[] = {
	{ .length = 1, .mrn = 1, .pid = 11 },
	{ .length = 2, .mrn = 2, .pid = 10 },
	{ .length = 4, .mrn = 3, .pid = 20 },
	{ .length = 8, .mrn = 4, .pid = 30 },
	{ .length = 16, .mrn = 5 },
	{ .length = 32, .mrn = 6, .kernel = "nvme_rdma" },
	{ .length = 64, .mrn = 7, .pid = 11, .odp = MR_NLDEV_ODP_EXPLICIT },
	{ .length = UINT64_MAX, .mrn = 8, .pid = 20, .odp = MR_NLDEV_ODP_IMPLICIT },
};

static struct recorded_host recorded;
static struct counted_device device = { .mrs = { .list = mrs, .count = ARRAY_SIZE(mrs) } };
static struct census census;

static const struct owner *owner_of(size_t n)
{
	const struct owner *owner = census_owner(&census, &device, &mrs[n]);

	assert_non_null(owner);
	return owner;
}

/* The MRs are listed at this tick. */
#define BEGUN 5000

static int set_up(void **state __attribute__((unused)))
{
	device.sums = (struct sums){ 0 };
	census = (struct census){
		.devices = &device, .device_count = 1, .begun = BEGUN, .sees_all_processes = true
	};
	assert_int_equal(owners_sum(&census), 0);
	recorded_host_begin(&recorded);
	return 0;
}

static int tear_down(void **state __attribute__((unused)))
{
	free(census.owners);
	recorded_host_end(&recorded);
	return 0;
}

TEST(each_mr_counts_for_its_owner)
{
	assert_int_equal(census.owner_count, 6);
	assert_int_equal(owner_of(0)->sums.regions, 2);
	assert_int_equal(owner_of(0)->sums.bytes, 65);
	assert_int_equal(owner_of(0)->sums.odp_bytes, 64);
	assert_ptr_equal(owner_of(0), owner_of(6));
	assert_int_equal(owner_of(2)->sums.regions, 2);
	assert_int_equal(owner_of(2)->sums.bytes, 4);
	assert_int_equal(owner_of(4)->kind, OWNER_GONE);
	assert_int_equal(owner_of(5)->kind, OWNER_KERNEL);
	assert_string_equal(owner_of(5)->kernel, "nvme_rdma");
	assert_int_equal(device.sums.regions, ARRAY_SIZE(mrs));
	assert_int_equal(device.sums.bytes, 127);
}

/* A process that was started at that tick; a name may hold anything. */
static void put_start(const char *path, unsigned int start)
{
	char text[256];

	snprintf(text, sizeof(text),
		 "10 (a) S 1 ) b) S 1 10 10 0 -1 4194560 99 0 0 0 3 7 0 0 20 0 1 0 %u 5980160 "
		 "1234 18446744073709551615 1 1 1 0\n",
		 start);
	recorded_host_put(&recorded, path, text);
}

TEST(threads_of_a_process_are_told_apart_and_known_as_such)
{
	recorded_host_put(&recorded, "/proc/10/status", "Name:\ta\nTgid:\t10\nVmPin:\t4 kB\n");
	recorded_host_put(&recorded, "/proc/11/status", "Name:\tb\nTgid:\t10\nVmPin:\t4 kB\n");
	recorded_host_put(&recorded, "/proc/20/status", "Name:\tc\x1b[m\nTgid:\t20\n");
	put_start("/proc/10/stat", 0);
	put_start("/proc/11/stat", 100);
	put_start("/proc/20/stat", BEGUN - 1);
	owners_read(&census, &recorded.host);
	assert_string_equal(owner_of(0)->process.name, "b");
	assert_true(owner_of(0)->is_further_thread);
	assert_string_equal(owner_of(1)->process.name, "a");
	assert_false(owner_of(1)->is_further_thread);
	assert_string_equal(owner_of(2)->process.name, "c?[m");
	assert_false(owner_of(2)->is_further_thread);
}

/* Another process may have got the number of one that ended, or it vanishes while it is read. */
TEST(of_a_process_that_may_be_another_one_nothing_is_known)
{
	static const unsigned int starts[] = { BEGUN - 1, BEGUN, 0 };

	for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
		const struct owner *owner = owner_of(1);

		recorded_host_put(&recorded, "/proc/10/status",
				  "Name:\ta\nTgid:\t10\nVmPin:\t4 kB\n");
		recorded_host_put(&recorded, "/proc/10/cgroup", "0::/system.slice/a.service\n");
		if (starts[i])
			put_start("/proc/10/stat", starts[i]);
		else
			recorded_host_put(&recorded, "/proc/10/stat", "10 (a) S 1 10 10 0 -1\n");
		owners_read(&census, &recorded.host);
		assert_string_equal(owner->process.name, i ? "" : "a");
		assert_string_equal(owner->unit.name, i ? "" : "a.service");
		assert_int_equal(owner->process.pinned.known, !i);
		assert_false(owner->is_further_thread);
		/* another one, which cannot be read at all */
		assert_string_equal(owner_of(2)->process.name, "");
		assert_false(owner_of(2)->process.pinned.known);
		tear_down(NULL);
		set_up(NULL);
	}
}

TEST(no_mrs_have_no_owners)
{
	struct counted_device empty = { .sums = { 0 } };
	struct census none = { .devices = &empty, .device_count = 1 };

	assert_int_equal(owners_sum(&none), 0);
	owners_read(&none, &recorded.host);
	assert_int_equal(none.owner_count, 0);
	free(none.owners);
}

TEST(an_mr_is_a_region_of_a_session_where_device_keys_and_length_are_the_same)
{
	static struct session_region regions[] = {
		{ .device = "mlx5_0", .session = "pid:1", .length = 8, .lkey = 1, .rkey = 2 },
		{ .device = "mlx5_1", .session = "pid:2", .length = 8, .lkey = 1, .rkey = 2 },
		{ .device = "mlx5_0", .session = "pid:3", .length = 8, .lkey = 3, .rkey = 2 },
	};
	static const struct {
		const char *device, *session;
		struct mr_nldev_mr mr;
	} rows[] = {
		{ "mlx5_0", "pid:1", { .has_keys = true, .length = 8, .lkey = 1, .rkey = 2 } },
		{ "mlx5_1", "pid:2", { .has_keys = true, .length = 8, .lkey = 1, .rkey = 2 } },
		{ "mlx5_0", "pid:3", { .has_keys = true, .length = 8, .lkey = 3, .rkey = 2 } },
		{ "mlx5_1", NULL, { .has_keys = true, .length = 8, .lkey = 3, .rkey = 2 } },
		{ "mlx5_0", NULL, { .has_keys = true, .length = 9, .lkey = 1, .rkey = 2 } },
		{ "mlx5_0", NULL, { .has_keys = true, .length = 8, .lkey = 1, .rkey = 3 } },
		{ "mlx5_0", NULL, { .length = 8, .lkey = 1, .rkey = 2 } },
	};
	const struct census some = { .regions = regions, .region_count = ARRAY_SIZE(regions) };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct counted_device named = { .sums = { 0 } };
		const char *session;

		strcpy(named.device.name, rows[i].device);
		session = census_session(&some, &named, &rows[i].mr);
		assert_string_equal(session ? session : "", rows[i].session ? rows[i].session : "");
	}
}

EACH_TEST(set_up, tear_down)
