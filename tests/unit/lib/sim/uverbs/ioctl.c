// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What is checked of an ioctl and of a write command before a handler is called: raw requests, such as
 * libibverbs would never send.  The kernel gives the same answers.
 */
#include "tests/unit/lib/sim/device.h"

TEST_WITH(the_header_is_checked, open_device, close_device)
{
	struct device *device = *state;
	struct request request;
	uint32_t handle;
	struct mr mr;

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &handle), 0);
	init_query(&request, handle, &mr);
	assert_int_equal(send_to(&request, device->fd), 0);
	request.hdr.length--;
	assert_int_equal(send_as(&request, device->fd), EINVAL);
	request.hdr.reserved1 = 1;
	assert_int_equal(send_to(&request, device->fd), EPROTONOSUPPORT);
	request.hdr.reserved1 = 0;
	request.hdr.reserved2 = 1;
	assert_int_equal(send_to(&request, device->fd), EPROTONOSUPPORT);
	request.hdr.reserved2 = 0;
	request.hdr.driver_id = RDMA_DRIVER_MLX4;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	assert_int_equal(ioctl(device->fd, RDMA_VERBS_IOCTL, NULL), -1);
	assert_int_equal(errno, EFAULT);
	assert_int_equal(ioctl(device->fd, _IO(0x1b, 2), NULL), -1);
	assert_int_equal(errno, ENOTTY);
}

TEST_WITH(methods_are_known_modelled_or_not, open_device, close_device)
{
	static const struct {
		uint16_t object, method;
		int error;
	} cases[] = {
		{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, EOPNOTSUPP },
		{ UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, EOPNOTSUPP },
		{ MLX5_IB_OBJECT_DEVX_OBJ, MLX5_IB_METHOD_DEVX_OBJ_CREATE, EOPNOTSUPP },
		{ UVERBS_OBJECT_MR, 14, EPROTONOSUPPORT },
		{ UVERBS_OBJECT_MR, MLX5_IB_METHOD_DEVX_OTHER, EPROTONOSUPPORT },
		{ MLX5_IB_OBJECT_DEVX_OBJ, 0x2000, EPROTONOSUPPORT },
		{ 0xfff, 0, EPROTONOSUPPORT },
		{ UVERBS_OBJECT_MR, UINT16_MAX, EPROTONOSUPPORT },
	};
	struct device *device = *state;
	struct request request;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		init(&request, cases[i].object, cases[i].method);
		assert_int_equal(send_to(&request, device->fd), cases[i].error);
	}
}

TEST_WITH(attributes_are_checked, open_device, close_device)
{
	struct device *device = *state;
	struct request request;
	uint32_t handle;
	struct mr mr;

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &handle), 0);

	init_query(&request, handle, &mr);
	attr(&request, 77, 8, 0);
	assert_int_equal(send_to(&request, device->fd), EPROTONOSUPPORT);
	request.attrs[5].flags = 0;
	assert_int_equal(send_to(&request, device->fd), 0);

	init_query(&request, handle, &mr);
	pointer(&request, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, &mr.lkey); /* twice */
	assert_int_equal(send_to(&request, device->fd), EINVAL);

	init_query(&request, handle, &mr);
	request.attrs[1].len = 3;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	request.attrs[1].len = 5;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	request.attrs[1].len = 4;
	request.attrs[1].attr_data.reserved = 1;
	assert_int_equal(send_to(&request, device->fd), EINVAL);

	init_query(&request, handle, &mr);
	request.attrs[0].len = 4; /* a handle has no length */
	assert_int_equal(send_to(&request, device->fd), EINVAL);

	init_query(&request, handle, &mr);
	request.attrs[1].data = 0;
	assert_int_equal(send_to(&request, device->fd), EFAULT);

	init_query(&request, handle, &mr);
	request.attrs[3] = request.attrs[4]; /* without the mandatory length */
	request.hdr.num_attrs = 4;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
}

TEST_WITH(handles_are_checked, open_device, close_device)
{
	struct device *device = *state;
	uint32_t handle;
	struct mr mr;

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &handle), 0);
	assert_int_equal(query(device->fd, device->pd, &mr), EINVAL);
	assert_int_equal(query(device->fd, 4711, &mr), ENOENT);
	assert_int_equal(query(device->fd, handle + (1ull << 32), &mr), ENOENT);
	assert_int_equal(query(device->fd, UINT64_MAX, &mr), EINVAL); /* negative as 64 bits */
	assert_int_equal(dealloc_pd(device->fd, handle), EINVAL);
	assert_int_equal(dereg(device->fd, device->pd), EINVAL);
	assert_int_equal(reg(device->fd, handle, device->memory, PAGE, LOCAL, NULL), EINVAL);
	assert_int_equal(reg(device->fd, 4711, device->memory, PAGE, LOCAL, NULL), ENOENT);
	assert_int_equal(dealloc_pd(device->fd, device->pd), EBUSY);
	assert_int_equal(dereg(device->fd, handle), 0);
	assert_int_equal(dereg(device->fd, handle), ENOENT);
	assert_int_equal(dealloc_pd(device->fd, device->pd), 0);
	assert_int_equal(dealloc_pd(device->fd, device->pd), ENOENT);
}

TEST_WITH(write_commands_are_checked, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_dereg_mr small = { 0 };
	struct ib_uverbs_alloc_pd_resp pd;
	struct {
		uint8_t known[sizeof(struct ib_uverbs_alloc_pd)];
		uint64_t more;
	} in = { .more = 1 };
	struct request request;
	uint32_t pdn;

	init_write(&request, IB_USER_VERBS_CMD_REG_MR, &small, sizeof(small), NULL, 0);
	assert_int_equal(send_to(&request, device->fd), ENOSPC);
	init_write(&request, IB_USER_VERBS_CMD_CREATE_QP, &small, sizeof(small), NULL, 0);
	assert_int_equal(send_to(&request, device->fd), EOPNOTSUPP);
	init_write(&request, 0x100, &small, sizeof(small), NULL, 0);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	init_write(&request, 1ull << 32, &small, sizeof(small), NULL, 0);
	assert_int_equal(send_to(&request, device->fd), EINVAL);

	init_write(&request, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &pd, sizeof(pd));
	pointer(&request, UVERBS_ATTR_UHW_OUT, sizeof(pdn), &pdn);
	assert_int_equal(send_to(&request, device->fd), EOPNOTSUPP);
	in.more = 0;
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_true(request.attrs[3].flags & UVERBS_ATTR_F_VALID_OUTPUT);
	request.hdr.num_attrs = 3; /* no room for the driver's answer */
	assert_int_equal(send_to(&request, device->fd), 0);
	init_write(&request, IB_USER_VERBS_CMD_QUERY_DEVICE, NULL, 0, NULL, 0);
	assert_int_equal(send_to(&request, device->fd), ENOSPC);
	init_write(&request, IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		   NULL, 0, NULL, 0);
	assert_int_equal(send_to(&request, device->fd), 0);
}

TEST(a_context_comes_first_and_once)
{
	int fd = open_node();
	uint32_t pd;

	(void)state;
	assert_int_equal(alloc_pd(fd, &pd), EINVAL);
	assert_int_equal(get_context(fd), 0);
	assert_int_equal(get_context(fd), EINVAL);
	assert_int_equal(alloc_pd(fd, &pd), 0);
	assert_int_equal(pd, 0); /* no other object exists */
	close(fd);
}
