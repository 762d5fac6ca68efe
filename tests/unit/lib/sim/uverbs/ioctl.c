// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Checks of an ioctl and of a write command that precede the handler: raw requests, such as libibverbs would
 * never send.  The kernel gives the same answers.
 */
#include "tests/unit/lib/sim/device.h"

/* A QUERY_MR that would succeed, and what a case changes of it. */
struct change {
	const char *name;
	void (*make)(struct request *request);
	int error;
};

static struct mr found;

#define CHANGE(name, statement)                                                                    \
	static void name(struct request *request)                                                  \
	{                                                                                          \
		statement;                                                                         \
	}

CHANGE(nothing, (void)request)
CHANGE(reserved1, request->hdr.reserved1 = 1)
CHANGE(reserved2, request->hdr.reserved2 = 1)
CHANGE(other_driver, request->hdr.driver_id = RDMA_DRIVER_MLX4)
CHANGE(unknown_attribute, attr(request, 77, 8, 0))
CHANGE(optional_unknown_attribute, attr(request, 77, 8, 0)->flags = 0)
CHANGE(attribute_twice, pointer(request, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, &found.lkey))
CHANGE(too_short, request->attrs[1].len = 3)
CHANGE(too_long, request->attrs[1].len = 5)
CHANGE(reserved_of_attribute, request->attrs[1].attr_data.reserved = 1)
CHANGE(handle_with_length, request->attrs[0].len = 4)
CHANGE(no_place, request->attrs[1].data = 0)
CHANGE(without_length, request->attrs[3] = request->attrs[4]; request->hdr.num_attrs = 4)

TEST(headers_and_attributes_are_checked)
{
	static const struct change changes[] = {
		{ "nothing", nothing, 0 },
		{ "reserved1", reserved1, EPROTONOSUPPORT },
		{ "reserved2", reserved2, EPROTONOSUPPORT },
		{ "other driver", other_driver, EINVAL },
		{ "unknown attribute", unknown_attribute, EPROTONOSUPPORT },
		{ "optional unknown attribute", optional_unknown_attribute, 0 },
		{ "attribute twice", attribute_twice, EINVAL },
		{ "too short", too_short, EINVAL },
		{ "too long", too_long, EINVAL },
		{ "reserved of an attribute", reserved_of_attribute, EINVAL },
		{ "a handle with a length", handle_with_length, EINVAL },
		{ "no place for an answer", no_place, EFAULT },
		{ "without the mandatory length", without_length, EINVAL },
	};
	struct request request;

	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(changes); i++) {
		init_query(&request, mr.mr_handle, &found);
		changes[i].make(&request);
		assert_equal_for(changes[i].name, send_to(&request, fd), changes[i].error);
	}
	init_query(&request, mr.mr_handle, &found);
	assert_int_equal(send_to(&request, fd), 0);
	request.hdr.length--;
	assert_int_equal(send_as(&request, fd), EINVAL);
	request.hdr.length += 2;
	assert_int_equal(send_as(&request, fd), EINVAL);
	assert_int_equal(ioctl(fd, RDMA_VERBS_IOCTL, NULL), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(ioctl(fd, _IO(0x1b, 2), NULL), -1);
	assert_int_equal(errno, ENOTTY);
}

TEST(handles_have_32_bits)
{
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(query(fd, mr.mr_handle + (1ull << 32), &found), ENOENT);
	assert_int_equal(query(fd, UINT64_MAX, &found), EINVAL); /* negative as 64 bits */
	assert_int_equal(query(fd, pd, &found), EINVAL);
	assert_int_equal(dealloc_pd(pd), EBUSY);
	assert_int_equal(dereg(mr.mr_handle), 0);
	assert_int_equal(dereg(mr.mr_handle), ENOENT);
	assert_int_equal(reg_in(fd, 4711, memory, PAGE, 0, LOCAL), ENOENT);
}

TEST(write_commands_are_checked)
{
	static const struct ib_uverbs_dereg_mr small = { 0 };
	static const struct {
		const char *name;
		uint64_t command;
		const void *in;
		size_t in_size;
		int error;
	} cases[] = {
		{ "too short", IB_USER_VERBS_CMD_REG_MR, &small, sizeof(small), ENOSPC },
		{ "not modelled", IB_USER_VERBS_CMD_CREATE_QP, &small, sizeof(small), EOPNOTSUPP },
		{ "unknown", 0x100, &small, sizeof(small), EINVAL },
		{ "64 bits", 1ull << 32, &small, sizeof(small), EINVAL },
		{ "nothing", IB_USER_VERBS_CMD_QUERY_DEVICE, NULL, 0, ENOSPC },
		{ "nothing, extended",
		  IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED, NULL, 0, 0 },
	};
	struct ib_uverbs_alloc_pd_resp domain;
	struct {
		uint8_t known[sizeof(struct ib_uverbs_alloc_pd)];
		uint64_t more;
	} in = { .more = 1 };
	struct request request;
	uint32_t pdn;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		init_write(&request, c->command, c->in, c->in_size, NULL, 0);
		assert_equal_for(c->name, send_to(&request, fd), c->error);
	}
	init_write(&request, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &domain, sizeof(domain));
	pointer(&request, UVERBS_ATTR_UHW_OUT, sizeof(pdn), &pdn);
	assert_int_equal(send_to(&request, fd), EOPNOTSUPP);
	in.more = 0;
	assert_int_equal(send_to(&request, fd), 0);
	assert_true(request.attrs[3].flags & UVERBS_ATTR_F_VALID_OUTPUT);
	request.hdr.num_attrs = 3; /* no room for the driver's answer */
	assert_int_equal(send_to(&request, fd), 0);
}

TEST(a_context_comes_first_and_once)
{
	int fresh = open_node();
	uint32_t domain;

	assert_int_equal(alloc_pd(fresh, &domain), EINVAL);
	assert_int_equal(get_context(fresh), 0);
	assert_int_equal(get_context(fresh), EINVAL);
	assert_int_equal(alloc_pd(fresh, &domain), 0);
	assert_int_equal(domain, 0); /* no other object exists */
	close(fresh);
}

EACH_TEST(open_device, close_device)
