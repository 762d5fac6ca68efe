// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The methods REG_DMABUF_MR and REG_MR: raw requests, and libibverbs. */
#include <infiniband/verbs.h>

#include "tests/unit/lib/sim/device.h"

#define DATA_DIRECT_ATTR 0x1000 /* MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS */
#define DATA_DIRECT_PATH 0x1000 /* MLX5_IB_ATTR_GET_DATA_DIRECT_SYSFS_PATH */

struct dmabuf_case {
	const char *name;
	int fd;
	uint64_t offset, length, iova;
	uint32_t access;
	int error;
};

static void init_dmabuf(struct request *request, uint32_t pd, const struct dmabuf_case *dmabuf,
			uint32_t keys[2])
{
	init(request, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, pd);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, dmabuf->offset);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, dmabuf->length);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, dmabuf->iova);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, (uint32_t)dmabuf->fd);
	attr(request, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, dmabuf->access);
	pointer(request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, &keys[0]);
	pointer(request, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, &keys[1]);
}

TEST_WITH(dma_bufs_are_checked, open_device, close_device)
{
	struct device *device = *state;
	int fd = make_dmabuf(16), null = open("/dev/zero", O_RDWR), memfd = memfd_create("x", 0);
	const struct dmabuf_case cases[] = {
		{ "whole", fd, 0, 16 * PAGE, IOVA, LOCAL, 0 },
		{ "part", fd, PAGE + 100, 5000, IOVA + 100, LOCAL, 0 },
		{ "IOVA 0", fd, 0, PAGE, 0, LOCAL, 0 },
		{ "IOVA's offset", fd, 0, PAGE, IOVA + 100, LOCAL, EINVAL },
		{ "offset", fd, 100, PAGE, IOVA, LOCAL, EINVAL },
		{ "past the end", fd, PAGE, 16 * PAGE, IOVA, LOCAL, EINVAL },
		{ "begins past the end", fd, 17 * PAGE, PAGE, IOVA, LOCAL, EINVAL },
		{ "wraps", fd, -PAGE, 2 * PAGE, IOVA, LOCAL, EINVAL },
		{ "length 0", fd, 0, 0, IOVA, LOCAL, EINVAL },
		{ "on demand", fd, 0, PAGE, IOVA, LOCAL | IB_UVERBS_ACCESS_ON_DEMAND, EINVAL },
		{ "to bind", fd, 0, PAGE, IOVA, LOCAL | IB_UVERBS_ACCESS_MW_BIND, EINVAL },
		{ "remote write", fd, 0, PAGE, IOVA, IB_UVERBS_ACCESS_REMOTE_WRITE, EINVAL },
		{ "not open", 999, 0, PAGE, IOVA, LOCAL, EBADF },
		{ "negative", -1, 0, PAGE, IOVA, LOCAL, EBADF },
		{ "no dma-buf", null, 0, PAGE, IOVA, LOCAL, EINVAL },
		{ "memfd", memfd, 0, 0, IOVA, LOCAL, EINVAL },
		{ "access first", 999, 0, PAGE, IOVA, IB_UVERBS_ACCESS_REMOTE_WRITE, EINVAL },
	};
	struct request request;
	uint32_t keys[2];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		init_dmabuf(&request, device->pd, &cases[i], keys);
		assert_equal_for(cases[i].name, send_to(&request, device->fd), cases[i].error);
	}
	init_dmabuf(&request, 4711, &cases[0], keys);
	assert_int_equal(send_to(&request, device->fd), ENOENT);
	close(fd);
	close(null);
	close(memfd);
}

TEST_WITH(dma_buf_regions_can_be_queried_and_changed, open_device, close_device)
{
	struct device *device = *state;
	const struct dmabuf_case whole = { "", make_dmabuf(16), 0, 16 * PAGE, IOVA, LOCAL, 0 };
	struct ib_uverbs_rereg_mr in = { 0 };
	struct ib_uverbs_rereg_mr_resp out;
	struct request request;
	uint32_t keys[2];
	struct mr mr;

	init_dmabuf(&request, device->pd, &whole, keys);
	assert_int_equal(send_to(&request, device->fd), 0);
	in.mr_handle = (uint32_t)request.attrs[0].data;
	assert_int_equal(query(device->fd, in.mr_handle, &mr), 0);
	assert_int_equal(mr.lkey, keys[0]);
	assert_int_equal(mr.rkey, keys[1]);
	assert_int_equal(mr.length, 16 * PAGE);
	assert_int_equal(mr.iova, IOVA);
	assert_int_equal(dealloc_pd(device->fd, device->pd), EBUSY);

	in.flags = REREG_ACCESS;
	in.access_flags = LOCAL | IB_UVERBS_ACCESS_REMOTE_READ;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_equal(out.lkey, keys[0]);
	in.access_flags = LOCAL | IB_UVERBS_ACCESS_MW_BIND;
	assert_int_equal(rereg(device->fd, &in, &out), EOPNOTSUPP);
	/* new memory makes it a region of ordinary memory */
	in.flags = REREG_TRANS;
	in.start = in.hca_va = (uintptr_t)device->memory;
	in.length = PAGE;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_not_equal(out.lkey, keys[0]);
	in.flags = REREG_ACCESS;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_equal(dereg(device->fd, in.mr_handle), 0);
	close(whole.fd);
}

TEST_WITH(there_is_no_data_direct_device, open_device, close_device)
{
	struct device *device = *state;
	struct dmabuf_case dmabuf = { "", make_dmabuf(2), 0, PAGE, IOVA, LOCAL, 0 };
	struct request request;
	char path[64];
	uint32_t keys[2];

	init_dmabuf(&request, device->pd, &dmabuf, keys);
	attr(&request, DATA_DIRECT_ATTR, 4, 1);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	request.attrs[9].data = 0;
	assert_int_equal(send_to(&request, device->fd), 0);
	request.attrs[9].data = 2;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	dmabuf.offset = dmabuf.iova = 100;
	init_dmabuf(&request, device->pd, &dmabuf, keys);
	attr(&request, DATA_DIRECT_ATTR, 4, 1);
	assert_int_equal(send_to(&request, device->fd), EOPNOTSUPP);
	close(dmabuf.fd);

	init(&request, UVERBS_OBJECT_DEVICE, 0x1001);
	pointer(&request, 0x1000, sizeof(path), path);
	assert_int_equal(send_to(&request, device->fd), ENODEV);
}

TEST_WITH(a_data_direct_device_takes_dma_bufs_and_has_a_path, open_device, close_device)
{
	struct device *device = *state;
	struct dmabuf_case dmabuf = { "", make_dmabuf(2), 0, 2 * PAGE, IOVA, LOCAL, 0 };
	struct ib_uverbs_rereg_mr in = {
		.flags = REREG_ACCESS,
		.access_flags = LOCAL | IB_UVERBS_ACCESS_REMOTE_READ,
	};
	struct ib_uverbs_rereg_mr_resp out;
	struct request request;
	char path[64] = "";
	uint32_t keys[2];

	setenv("MRCTL_SIM_DATA_DIRECT", "1", 1);
	init_dmabuf(&request, device->pd, &dmabuf, keys);
	attr(&request, DATA_DIRECT_ATTR, 4, 1);
	assert_int_equal(send_to(&request, device->fd), 0);
	in.mr_handle = (uint32_t)request.attrs[0].data;
	assert_int_equal(rereg(device->fd, &in, &out), EOPNOTSUPP);
	assert_int_equal(dereg(device->fd, in.mr_handle), 0);
	dmabuf.length = 3 * PAGE;
	init_dmabuf(&request, device->pd, &dmabuf, keys);
	attr(&request, DATA_DIRECT_ATTR, 4, 1);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	close(dmabuf.fd);

	init(&request, UVERBS_OBJECT_DEVICE, 0x1001);
	pointer(&request, DATA_DIRECT_PATH, 5, path);
	assert_int_equal(send_to(&request, device->fd), ENOSPC);
	assert_string_equal(path, "");
	init(&request, UVERBS_OBJECT_DEVICE, 0x1001);
	pointer(&request, DATA_DIRECT_PATH, sizeof(path), path);
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_memory_equal(path, "/devices/", 9);
	unsetenv("MRCTL_SIM_DATA_DIRECT");
}

#define METHOD_REG_MR 5
enum { HANDLE, PD, IOVA_ATTR = 3, ADDR, LENGTH, ACCESS, FD, FD_OFFSET, LKEY, RKEY };

static void init_reg(struct request *request, uint32_t pd, uint64_t length, uint64_t iova,
		     uint32_t access, uint32_t keys[2])
{
	init(request, UVERBS_OBJECT_MR, METHOD_REG_MR);
	attr(request, HANDLE, 0, 0);
	attr(request, PD, 0, pd);
	attr(request, IOVA_ATTR, 8, iova);
	attr(request, LENGTH, 8, length);
	attr(request, ACCESS, 4, access);
	pointer(request, LKEY, 4, &keys[0]);
	pointer(request, RKEY, 4, &keys[1]);
}

TEST_WITH(one_method_registers_memory_and_dma_bufs, open_device, close_device)
{
	struct device *device = *state;
	const uint32_t odp = LOCAL | IB_UVERBS_ACCESS_ON_DEMAND;
	int fd = make_dmabuf(4);
	struct request request;
	uint32_t keys[2] = { 0 };
	struct mr mr;

	init_reg(&request, device->pd, PAGE, IOVA, LOCAL, keys);
	assert_int_equal(send_to(&request, device->fd),
			 EINVAL); /* neither address nor descriptor */
	pointer(&request, ADDR, 8, device->memory);
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(query(device->fd, request.attrs[0].data, &mr), 0);
	assert_int_equal(mr.lkey, keys[0]);
	assert_int_equal(mr.rkey, keys[1]);
	assert_int_equal(mr.iova, IOVA);
	request.attrs[7].data++;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	request.attrs[7].data = 0x10000;
	assert_int_equal(send_to(&request, device->fd), EFAULT);
	request.attrs[4].data = odp;
	assert_int_equal(send_to(&request, device->fd), 0);
	attr(&request, FD_OFFSET, 8, 0);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	attr(&request, FD, 0, (uint64_t)fd);
	assert_int_equal(send_to(&request, device->fd), EINVAL);

	init_reg(&request, device->pd, PAGE, IOVA, LOCAL, keys);
	attr(&request, FD, 0, (uint64_t)fd);
	assert_int_equal(send_to(&request, device->fd),
			 EINVAL); /* a descriptor without an offset */
	attr(&request, FD_OFFSET, 8, PAGE);
	assert_int_equal(send_to(&request, device->fd), 0);
	request.attrs[4].data = odp;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	request.attrs[4].data = LOCAL;
	request.attrs[8].data = 4 * PAGE;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	request.attrs[8].data = 1;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	request.attrs[8].data = 0;
	request.attrs[7].data = 1ull << 32;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	request.attrs[7].data = 999;
	assert_int_equal(send_to(&request, device->fd), EBADF);
	close(fd);
}

TEST(libibverbs_registers_dma_bufs)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[0]);
	struct ibv_pd *pd = ibv_alloc_pd(context);
	int fd = make_dmabuf(4);
	struct ibv_mr *mr;

	(void)state;
	mr = ibv_reg_dmabuf_mr(pd, PAGE, 2 * PAGE, IOVA, fd, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_not_equal(mr->lkey, 0);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_null(ibv_reg_dmabuf_mr(pd, PAGE, 4 * PAGE, IOVA, fd, IBV_ACCESS_LOCAL_WRITE));
	assert_int_equal(errno, EINVAL);
	close(fd);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
	ibv_free_device_list(list);
}
