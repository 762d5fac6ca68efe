// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What the RDMA netlink says of the system and its devices, by answers that each test makes up. */
#include "lib/nldev/device.h"
#include "tests/unit/lib/nldev/kernel.h"

static struct kernel kernel;
static struct mr_nldev nl;
static struct mr_error err;

static void begin(void (*answer)(struct kernel *kernel, const struct nlmsghdr *request))
{
	kernel = (struct kernel){ .answer = answer };
	err = (struct mr_error){ .errnum = 0 };
	assert_int_equal(mr_nldev_open_by(&nl, kernel_connect, &kernel, &err), 0);
}

static void end(void)
{
	mr_nldev_close(&nl);
	kernel_end(&kernel);
}

/* ---- the system ---- */

static void system_of_6_7(struct kernel *k, const struct nlmsghdr *request)
{
	char room[256] __attribute__((aligned(8))) = { 0 };
	struct nlmsghdr *answer = kernel_put(room, request);

	assert_int_equal(kernel_command(request), RDMA_NLDEV_CMD_SYS_GET);
	mnl_attr_put_u8(answer, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
	mnl_attr_put_u8(answer, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
	mnl_attr_put_u8(answer, MR_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE, 0);
	kernel_send(k, answer, answer->nlmsg_len);
}

static void system_of_5_3(struct kernel *k, const struct nlmsghdr *request)
{
	char room[256] __attribute__((aligned(8))) = { 0 };
	struct nlmsghdr *answer = kernel_put(room, request);

	mnl_attr_put_u8(answer, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 0);
	kernel_send(k, answer, answer->nlmsg_len);
}

TEST(the_attributes_of_the_system_are_read)
{
	struct mr_nldev_system system;

	begin(system_of_6_7);
	assert_int_equal(mr_nldev_system(&nl, &system, &err), 0);
	assert_true(system.netns_shared.known && system.netns_shared.value == 1);
	assert_true(system.copy_on_fork.known && system.copy_on_fork.value == 1);
	assert_true(system.privileged_qkey.known && system.privileged_qkey.value == 0);
	end();
}

TEST(what_an_old_kernel_does_not_say_is_unknown)
{
	struct mr_nldev_system system;

	begin(system_of_5_3);
	assert_int_equal(mr_nldev_system(&nl, &system, &err), 0);
	assert_true(system.netns_shared.known && system.netns_shared.value == 0);
	assert_false(system.copy_on_fork.known);
	assert_false(system.privileged_qkey.known);
	end();
}

/* ---- devices ---- */

static void put_device(struct nlmsghdr *answer, uint32_t index, const char *name)
{
	mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_DEV_INDEX, index);
	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_DEV_NAME, name);
	mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_PORT_INDEX, 2);
	mnl_attr_put_u64(answer, RDMA_NLDEV_ATTR_NODE_GUID, 0x123456789abcdefULL);
	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_FW_VERSION, "16.35.3006");
	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_DEV_PROTOCOL, "roce");
}

static void two_devices(struct kernel *k, const struct nlmsghdr *request)
{
	char room[512] __attribute__((aligned(8))) = { 0 };

	for (uint32_t i = 0; i < 2; i++) {
		struct nlmsghdr *answer = kernel_put(room, request);

		put_device(answer, i * 7, i ? "rxe0" : "mlx5_0");
		kernel_send(k, answer, answer->nlmsg_len);
	}
	kernel_end_dump(k, request, 0);
}

TEST(devices_are_listed_with_their_indexes)
{
	struct mr_nldev_devices devices;

	begin(two_devices);
	assert_int_equal(mr_nldev_devices(&nl, &devices, &err), 0);
	assert_int_equal(devices.count, 2);
	assert_string_equal(devices.list[0].name, "mlx5_0");
	assert_string_equal(devices.list[0].firmware, "16.35.3006");
	assert_string_equal(devices.list[0].protocol, "roce");
	assert_int_equal(devices.list[0].node_guid.value, 0x123456789abcdefULL);
	assert_int_equal(devices.list[0].ports.value, 2);
	assert_false(devices.list[0].capabilities.known);
	assert_int_equal(mr_nldev_device_by_name(&devices, "rxe0")->index, 7);
	assert_null(mr_nldev_device_by_name(&devices, "rxe1"));
	mr_nldev_devices_release(&devices);
	end();
}

/* A dump that the kernel marks as disturbed, the first two times. */
static void disturbed(struct kernel *k, const struct nlmsghdr *request)
{
	char room[512] __attribute__((aligned(8))) = { 0 };
	struct nlmsghdr *answer = kernel_put(room, request);

	put_device(answer, k->asked, "mlx5_0");
	kernel_send(k, answer, answer->nlmsg_len);
	kernel_end_dump(k, request, k->asked < 3 ? NLM_F_DUMP_INTR : 0);
}

TEST(a_disturbed_dump_is_repeated_from_its_beginning)
{
	struct mr_nldev_devices devices;

	begin(disturbed);
	assert_int_equal(mr_nldev_devices(&nl, &devices, &err), 0);
	assert_int_equal(devices.count, 1);
	assert_int_equal(devices.list[0].index, 3);
	mr_nldev_devices_release(&devices);
	end();
}

static void always_disturbed(struct kernel *k, const struct nlmsghdr *request)
{
	kernel_end_dump(k, request, NLM_F_DUMP_INTR);
}

TEST(a_dump_that_is_always_disturbed_fails)
{
	struct mr_nldev_devices devices;

	begin(always_disturbed);
	assert_int_equal(mr_nldev_devices(&nl, &devices, &err), -EINTR);
	assert_contains(err.text, "RDMA_NLDEV_CMD_GET: EINTR");
	mr_nldev_devices_release(&devices);
	end();
}

/* ---- summary ---- */

static void put_count(struct nlmsghdr *answer, const char *kind, uint64_t count)
{
	struct nlattr *entry = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY);

	mnl_attr_put_strz(answer, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME, kind);
	mnl_attr_put_u64(answer, RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR, count);
	if (!strcmp(kind, "qp"))
		mnl_attr_put_u64(answer, MR_NLDEV_ATTR_RES_SUMMARY_ENTRY_MAX, 131072);
	mnl_attr_nest_end(answer, entry);
}

static size_t put_summary(void *room, const struct nlmsghdr *request)
{
	struct nlmsghdr *answer = kernel_put(room, request);
	struct nlattr *table;

	mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_DEV_INDEX, 5);
	table = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_SUMMARY);
	put_count(answer, "mr", 42);
	put_count(answer, "qp", 3);
	mnl_attr_nest_end(answer, table);
	return answer->nlmsg_len;
}

static void summary_of_device(struct kernel *k, const struct nlmsghdr *request)
{
	char room[512] __attribute__((aligned(8))) = { 0 };

	if (kernel_number(request, RDMA_NLDEV_ATTR_DEV_INDEX) != 5)
		kernel_refuse(k, request, EINVAL);
	else
		kernel_send(k, room, put_summary(room, request));
}

TEST(the_summary_has_counts_and_maxima)
{
	struct mr_nldev_summary summary;

	begin(summary_of_device);
	assert_int_equal(mr_nldev_summary(&nl, 5, &summary, &err), 0);
	assert_int_equal(summary.count, 2);
	assert_int_equal(mr_nldev_summary_of(&summary, "mr").value, 42);
	assert_false(mr_nldev_summary_of(&summary, "ctx").known);
	assert_false(summary.kinds[0].max.known);
	assert_int_equal(summary.kinds[1].max.value, 131072);
	end();
}

TEST(a_device_that_has_gone_is_absent)
{
	struct mr_nldev_summary summary;

	begin(summary_of_device);
	assert_int_equal(mr_nldev_summary(&nl, 6, &summary, &err), -ENODEV);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_int_equal(summary.count, 0);
	end();
}

/* An answer of which one byte is another, or whose end is missing: asked - 1 chooses which. */
static bool cut;

static void mutated(struct kernel *k, const struct nlmsghdr *request)
{
	char room[512] __attribute__((aligned(8))) = { 0 };
	size_t size = put_summary(room, request), n = k->asked - 1;

	if (cut)
		size = n % size;
	else
		room[sizeof(struct nlmsghdr) + n % (size - sizeof(struct nlmsghdr))] ^=
			(char)(1 << n / 61 % 8);
	kernel_send(k, room, size);
}

TEST(no_byte_of_an_answer_is_trusted)
{
	struct mr_nldev_summary summary;

	cut = false;
	begin(mutated);
	for (int i = 0; i < 2000; i++) {
		assert_int_equal(mr_nldev_summary(&nl, 5, &summary, &err), 0);
		assert_true(summary.count <= MR_NLDEV_KINDS);
		for (size_t j = 0; j < summary.count; j++)
			assert_true(strlen(summary.kinds[j].kind) < sizeof(summary.kinds[j].kind));
	}
	end();
}

TEST(an_answer_that_is_cut_is_an_error)
{
	struct mr_nldev_summary summary;

	cut = true;
	for (size_t size = 1; size < 100; size++) {
		begin(mutated);
		kernel.asked = (unsigned int)size;
		assert_int_not_equal(mr_nldev_summary(&nl, 5, &summary, &err), 0);
		assert_true(mr_error_is_set(&err));
		end();
	}
}

/* ---- pools ---- */

static void pools_of_7_1(struct kernel *k, const struct nlmsghdr *request)
{
	char room[1024] __attribute__((aligned(8))) = { 0 };
	struct nlmsghdr *answer = kernel_put(room, request);
	struct nlattr *table = mnl_attr_nest_start(answer, MR_NLDEV_ATTR_FRMR_POOLS);

	for (uint32_t i = 0; i < 2; i++) {
		struct nlattr *entry = mnl_attr_nest_start(answer, MR_NLDEV_ATTR_FRMR_POOL_ENTRY);
		struct nlattr *key = mnl_attr_nest_start(answer, MR_NLDEV_ATTR_FRMR_POOL_KEY);

		mnl_attr_put_u8(answer, MR_NLDEV_ATTR_FRMR_POOL_KEY_ATS, 0);
		mnl_attr_put_u64(answer, MR_NLDEV_ATTR_FRMR_POOL_KEY_BLOCKS, UINT64_C(512) << i);
		mnl_attr_nest_end(answer, key);
		mnl_attr_put_u32(answer, MR_NLDEV_ATTR_FRMR_POOL_QUEUE, 10 + i);
		mnl_attr_put_u64(answer, MR_NLDEV_ATTR_FRMR_POOL_IN_USE, 20 + i);
		mnl_attr_nest_end(answer, entry);
	}
	mnl_attr_nest_end(answer, table);
	kernel_send(k, answer, answer->nlmsg_len);
	kernel_end_dump(k, request, 0);
}

static void without_pools(struct kernel *k, const struct nlmsghdr *request)
{
	kernel_refuse(k, request, EINVAL);
}

TEST(pools_are_listed_with_their_keys)
{
	struct mr_nldev_pools pools;

	begin(pools_of_7_1);
	assert_int_equal(mr_nldev_pools(&nl, 0, &pools, &err), 0);
	assert_int_equal(pools.count, 2);
	assert_int_equal(pools.list[1].blocks.value, 1024);
	assert_int_equal(pools.list[1].free.value, 11);
	assert_int_equal(pools.list[1].in_use.value, 21);
	assert_true(pools.list[0].ats.known);
	assert_false(pools.list[0].pinned.known);
	assert_false(pools.list[0].kernel_vendor.known);
	mr_nldev_pools_release(&pools);
	end();
}

TEST(a_kernel_without_pools_says_so)
{
	struct mr_nldev_pools pools;

	begin(without_pools);
	assert_int_equal(mr_nldev_pools(&nl, 0, &pools, &err), -EOPNOTSUPP);
	mr_nldev_pools_release(&pools);
	end();
}

/* ---- refusals ---- */

static int no_such_protocol(void *data, uint32_t *port)
{
	(void)data;
	(void)port;
	return -EPROTONOSUPPORT;
}

TEST(a_kernel_without_rdma_is_absent_with_a_hint)
{
	assert_int_equal(mr_nldev_open_by(&nl, no_such_protocol, NULL, &err), -EPROTONOSUPPORT);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.hint, "modprobe");
	mr_nldev_close(&nl);
}

static void not_permitted(struct kernel *k, const struct nlmsghdr *request)
{
	kernel_refuse(k, request, EPERM);
}

TEST(a_refusal_names_the_command_and_the_errno)
{
	struct mr_nldev_system system;

	begin(not_permitted);
	assert_int_equal(mr_nldev_system(&nl, &system, &err), -EPERM);
	assert_int_equal(err.kind, MR_ERROR_REFUSED);
	assert_contains(err.text, "RDMA_NLDEV_CMD_SYS_GET: EPERM");
	end();
}
