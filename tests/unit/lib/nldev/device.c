// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The RDMA netlink about the system and its devices, with answers that each test makes up. */
#include "lib/nldev/nldev.h"
#include "tests/unit/lib/nldev/kernel.h"

static struct mr_error err;

/* Adds the attributes of the answer. */
static void (*put)(struct nlmsghdr *answer);

static void answer_by_put(struct kernel *k, const struct nlmsghdr *request)
{
	struct nlmsghdr *answer = kernel_answer(request);

	put(answer);
	kernel_send(k, answer, answer->nlmsg_len);
	if (is_dump(request))
		kernel_end_dump(k, request, 0);
}

static void begin_put(void (*by)(struct nlmsghdr *answer))
{
	put = by;
	kernel_begin(answer_by_put);
}

TEST(a_text_ends_in_its_place)
{
	struct {
		struct nlattr header;
		char text[8];
	} attribute = { { .nla_len = sizeof(struct nlattr) + 6 }, "abcdef" };
	struct {
		char text[4], behind;
	} place = { "", 'x' };

	mr_attribute_text(&attribute.header, place.text, sizeof(place.text));
	assert_string_equal(place.text, "abc");
	assert_int_equal(place.behind, 'x');
}

/* ---- the system ---- */

static void put_system_of_5_3(struct nlmsghdr *answer)
{
	mnl_attr_put_u8(answer, RDMA_NLDEV_SYS_ATTR_NETNS_MODE, 1);
}

static void put_system_of_5_13(struct nlmsghdr *answer)
{
	put_system_of_5_3(answer);
	mnl_attr_put_u8(answer, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK, 1);
}

TEST(the_attributes_of_the_system_are_read_as_far_as_the_kernel_has_them)
{
	bool copies;

	for (int newer = 0; newer < 2; newer++) {
		begin_put(newer ? put_system_of_5_13 : put_system_of_5_3);
		assert_int_equal(mr_nldev_copies_on_fork(&nl, &copies, &err), 0);
		assert_int_equal(copies, newer);
		kernel_close();
	}
}

/* ---- devices ---- */

/* Two devices, and one without a name, which is none. */
static void some_devices(struct kernel *k, const struct nlmsghdr *request)
{
	kernel_send_devices(k, request, (const char *const[]){ "mlx5_0", "rxe0", "", NULL }, 7);
}

TEST(devices_are_listed_with_their_indexes)
{
	struct mr_nldev_devices devices;

	kernel_begin(some_devices);
	assert_int_equal(mr_nldev_devices(&nl, &devices, &err), 0);
	assert_int_equal(devices.count, 2);
	assert_string_equal(devices.list[0].name, "mlx5_0");
	assert_int_equal(mr_nldev_device_by_name(&devices, "rxe0")->index, 7);
	assert_null(mr_nldev_device_by_name(&devices, "rxe1"));
	mr_nldev_devices_release(&devices);
	kernel_close();
}

/* The first dumps are marked as disturbed, or the kernel has no room for them. */
static unsigned int disturbances;
static int disturbance;

static void disturbed(struct kernel *k, const struct nlmsghdr *request)
{
	struct nlmsghdr *answer = kernel_answer(request);

	kernel_put_device(answer, kernel.asked, "mlx5_0");
	kernel_send(k, answer, answer->nlmsg_len);
	if (kernel.asked <= disturbances) {
		if (disturbance == EINTR)
			kernel_end_dump(k, request, NLM_F_DUMP_INTR);
		else
			kernel_refuse(k, request, disturbance);
	}
	kernel_end_dump(k, request,
			0); /* after a disturbance too late: no answer to the next question */
}

TEST(a_disturbed_dump_is_repeated_from_its_beginning_up_to_ten_times)
{
	static const struct {
		int disturbance;
		unsigned int times;
		int rc;
	} cases[] = {
		{ EINTR, 2, 0 },   { EINTR, 9, 0 },  { EINTR, 10, -EINTR },
		{ ENOBUFS, 9, 0 }, { EIO, 1, -EIO },
	};
	struct mr_nldev_devices devices;
	char name[32];

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		snprintf(name, sizeof(name), "%d, %u times", c->disturbance, c->times);
		disturbance = c->disturbance;
		disturbances = c->times;
		kernel_begin(disturbed);
		assert_equal_for(name, mr_nldev_devices(&nl, &devices, &err), c->rc);
		if (!c->rc) {
			assert_equal_for(name, devices.count, 1);
			assert_equal_for(name, devices.list[0].index, c->times + 1);
		} else {
			assert_contains(err.text, "RDMA_NLDEV_CMD_GET");
		}
		mr_nldev_devices_release(&devices);
		/* after an error, too, the next question gets its own answer */
		kernel.answer = some_devices;
		assert_equal_for(name, mr_nldev_devices(&nl, &devices, &err), 0);
		assert_equal_for(name, devices.count, 2);
		mr_nldev_devices_release(&devices);
		kernel_close();
	}
}

/* ---- summary ---- */

static void put_summary(struct nlmsghdr *answer)
{
	struct nlattr *table;

	mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_DEV_INDEX, 5);
	table = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_SUMMARY);
	kernel_put_count(answer, "mr", 42, 0);
	kernel_put_count(answer, "qp", 3, 131072);
	mnl_attr_nest_end(answer, table);
}

static void put_many_kinds(struct nlmsghdr *answer)
{
	struct nlattr *table = mnl_attr_nest_start(answer, RDMA_NLDEV_ATTR_RES_SUMMARY);

	for (int i = 0; i <= MR_NLDEV_KINDS; i++)
		kernel_put_count(answer, i ? "k" : "", (uint64_t)i,
				 0); /* one without a name counts not */
	kernel_put_count(answer, "last", 1, 0);
	mnl_attr_nest_end(answer, table);
}

TEST(the_summary_has_counts_and_maxima_of_as_many_kinds_as_there_is_room_for)
{
	struct mr_nldev_summary summary;

	begin_put(put_summary);
	assert_int_equal(mr_nldev_summary(&nl, 5, &summary, &err), 0);
	assert_int_equal(summary.count, 2);
	assert_int_equal(mr_nldev_summary_of(&summary, "mr").value, 42);
	assert_false(mr_nldev_summary_of(&summary, "ctx").known);
	assert_false(summary.kinds[0].max.known);
	assert_int_equal(summary.kinds[1].max.value, 131072);
	put = put_many_kinds;
	assert_int_equal(mr_nldev_summary(&nl, 5, &summary, &err), 0);
	assert_int_equal(summary.count, MR_NLDEV_KINDS);
	assert_int_equal(summary.kinds[0].count, 1);
	assert_false(mr_nldev_summary_of(&summary, "last").known);
	kernel_close();
}

/* An answer of which one byte is another, or whose end is missing: asked - 1 chooses which. */
static bool cut;

static void mutated(struct kernel *k, const struct nlmsghdr *request)
{
	struct nlmsghdr *answer = kernel_answer(request);
	char *body = mnl_nlmsg_get_payload(answer);
	size_t size, n = kernel.asked - 1;

	put_summary(answer);
	size = answer->nlmsg_len;
	if (cut)
		size = n % size;
	else
		body[n % (size - sizeof(*answer))] ^= (char)(1 << n / 61 % 8);
	kernel_send(k, answer, size);
}

TEST(no_byte_of_an_answer_is_trusted_and_one_that_is_cut_is_an_error)
{
	struct mr_nldev_summary summary;

	cut = false;
	kernel_begin(mutated);
	for (int i = 0; i < 2000; i++) {
		assert_int_equal(mr_nldev_summary(&nl, 5, &summary, &err), 0);
		assert_true(summary.count <= MR_NLDEV_KINDS);
		for (size_t j = 0; j < summary.count; j++)
			assert_true(strlen(summary.kinds[j].kind) < sizeof(summary.kinds[j].kind));
	}
	kernel_close();
	cut = true;
	for (unsigned int size = 1; size < 100; size++) {
		kernel_begin(mutated);
		kernel.asked = size;
		mr_error_clear(&err);
		assert_int_not_equal(mr_nldev_summary(&nl, 5, &summary, &err), 0);
		assert_true(mr_error_is_set(&err));
		kernel_close();
	}
}

/* ---- pools ---- */

static void put_pools_of_7_1(struct nlmsghdr *answer)
{
	struct nlattr *table;

	mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_DEV_INDEX, 0);
	table = mnl_attr_nest_start(answer, MR_NLDEV_ATTR_FRMR_POOLS);
	mnl_attr_put_u32(answer, RDMA_NLDEV_ATTR_PORT_INDEX, 0); /* no pool */
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
}

TEST(pools_are_listed_with_their_keys)
{
	struct mr_nldev_pools pools;

	begin_put(put_pools_of_7_1);
	assert_int_equal(mr_nldev_pools(&nl, 0, &pools, &err), 0);
	assert_int_equal(pools.count, 2);
	assert_int_equal(pools.list[1].blocks.value, 1024);
	assert_int_equal(pools.list[1].free.value, 11);
	assert_int_equal(pools.list[1].in_use.value, 21);
	assert_true(pools.list[0].ats.known);
	assert_false(pools.list[0].pinned.known);
	assert_false(pools.list[0].kernel_vendor.known);
	mr_nldev_pools_release(&pools);
	kernel_close();
}

/* ---- refusals ---- */

static int refusal; /* an errno, or how the answer is wrong: */
enum { NOT_AN_ERROR = 0, DUMP_FAILS = -1, TOO_LONG = -2 };

static void refuse(struct kernel *k, const struct nlmsghdr *request)
{
	static const char long_text[MR_NLDEV_RECEIVE + 1];

	if (refusal >= NOT_AN_ERROR)
		kernel_refuse(k, request, refusal);
	else if (refusal == TOO_LONG)
		kernel_send(k, long_text, sizeof(long_text));
	else
		kernel_fail_dump(k, request, ENODEV, 0);
}

TEST(a_refusal_has_the_command_the_errno_and_a_kind)
{
	enum ask { SYSTEM, DEVICES, SUMMARY, POOLS };
	static const struct {
		const char *name;
		enum ask ask;
		int refusal, rc, kind;
		const char *call;
	} cases[] = {
		{ "EPERM", SYSTEM, EPERM, -EPERM, MR_ERROR_REFUSED, "SYS_GET" },
		{ "EIO", SYSTEM, EIO, -EIO, MR_ERROR_HOST, "SYS_GET" },
		{ "EINVAL", SYSTEM, EINVAL, -EINVAL, MR_ERROR_HOST, "SYS_GET" },
		{ "no errno", SYSTEM, NOT_AN_ERROR, -EBADMSG, MR_ERROR_HOST, "SYS_GET" },
		{ "too long", SYSTEM, TOO_LONG, -EBADMSG, MR_ERROR_HOST, "SYS_GET" },
		{ "a dump ends early", DEVICES, DUMP_FAILS, -ENODEV, MR_ERROR_HOST, "GET" },
		{ "the device no longer exists", SUMMARY, EINVAL, -ENODEV, MR_ERROR_ABSENT, "RES_GET" },
		{ "no pools", POOLS, EINVAL, -EOPNOTSUPP, MR_ERROR_ABSENT, "FRMR_POOLS_GET" },
	};
	struct mr_nldev_summary summary;
	struct mr_nldev_devices devices;
	bool copies;
	struct mr_nldev_pools pools;
	int rc;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		refusal = c->refusal;
		kernel_begin(refuse);
		switch (c->ask) {
		case SYSTEM:
			rc = mr_nldev_copies_on_fork(&nl, &copies, &err);
			break;
		case DEVICES:
			rc = mr_nldev_devices(&nl, &devices, &err);
			mr_nldev_devices_release(&devices);
			break;
		case SUMMARY:
			rc = mr_nldev_summary(&nl, 5, &summary, &err);
			break;
		default:
			rc = mr_nldev_pools(&nl, 0, &pools, &err);
			mr_nldev_pools_release(&pools);
		}
		assert_equal_for(c->name, rc, c->rc);
		assert_equal_for(c->name, err.kind, c->kind);
		assert_contains(err.call, "RDMA_NLDEV_CMD_");
		assert_string_equal(err.call + strlen("RDMA_NLDEV_CMD_"), c->call);
		kernel_close();
	}
}

TEST(a_kernel_without_rdma_is_absent_with_a_hint)
{
	kernel.answer = NULL;
	assert_int_equal(mr_nldev_open(&nl, &err), -EPROTONOSUPPORT);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
	assert_contains(err.hint, "modprobe");
	mr_nldev_close(&nl);
}
