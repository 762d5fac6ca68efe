// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Checks of an ioctl and of a write command that precede the handler: raw requests, such as libibverbs would
 * never send.  The kernel gives the same answers.
 */
#include "tests/unit/lib/sim/device.h"

static struct mr found;

/* Checks the answer to a QUERY_MR that would succeed, but for a change of it. */
#define assert_changed(change, error)                                                              \
	do {                                                                                       \
		init_query(&request, mr.mr_handle, &found);                                        \
		change;                                                                            \
		assert_equal_for(#change, send_to(&request, fd), error);                           \
	} while (0)

TEST(headers_and_attributes_are_checked)
{
	struct request request;
	struct ib_uverbs_attr *attrs = request.attrs;

	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_changed(request.hdr.reserved1 = 1, EPROTONOSUPPORT);
	assert_changed(request.hdr.reserved2 = 1, EPROTONOSUPPORT);
	assert_changed(request.hdr.driver_id = RDMA_DRIVER_MLX4, EINVAL);
	assert_changed(attr(&request, 77, 8, 0), EPROTONOSUPPORT);
	assert_changed(attr(&request, 77, 8, 0)->flags = 0, 0);
	assert_changed(pointer(&request, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, &found.lkey), EINVAL);
	assert_changed(attrs[1].len = 3, EINVAL);
	assert_changed(attrs[1].len = 5, EINVAL);
	assert_changed(attrs[1].attr_data.reserved = 1, EINVAL);
	assert_changed(attrs[0].len = 4, EINVAL); /* a handle */
	assert_changed(attrs[1].data = 0, EFAULT);
	/* without the mandatory length */
	assert_changed(attrs[3] = attrs[4]; request.hdr.num_attrs = 4, EINVAL);
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

static int send_write(uint64_t command, const void *in, size_t in_size)
{
	struct request request;

	init_write(&request, command, in, in_size, NULL, 0);
	return send_to(&request, fd);
}

TEST(write_commands_are_checked)
{
	const uint64_t query_ex =
		IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED;
	const struct ib_uverbs_dereg_mr small = { 0 };
	struct ib_uverbs_alloc_pd_resp domain;
	struct {
		uint8_t known[sizeof(struct ib_uverbs_alloc_pd)];
		uint64_t more;
	} in = { .more = 1 };
	struct request request;
	uint32_t pdn;

	assert_int_equal(send_write(IB_USER_VERBS_CMD_REG_MR, &small, sizeof(small)), ENOSPC);
	assert_int_equal(send_write(IB_USER_VERBS_CMD_CREATE_QP, &small, sizeof(small)),
			 EOPNOTSUPP); /* not modelled */
	assert_int_equal(send_write(0x100, &small, sizeof(small)), EINVAL);
	assert_int_equal(send_write(1ull << 32, &small, sizeof(small)), EINVAL);
	assert_int_equal(send_write(IB_USER_VERBS_CMD_QUERY_DEVICE, NULL, 0), ENOSPC);
	assert_int_equal(send_write(query_ex, NULL, 0), 0);
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
