// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Methods that only the simulated mlx5 device has. */
#include "tests/unit/lib/sim/device.h"

TEST(uars_can_be_mapped)
{
	struct device *device = *state;
	struct request request;
	uint64_t offset = 0;
	uint32_t length = 0, page;
	char *uar;

	init(&request, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC);
	attr(&request, MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, 0, 0);
	attr(&request, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE, 8, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC);
	pointer(&request, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, 8, &offset);
	pointer(&request, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4, &length);
	pointer(&request, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, 4, &page);
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(request.attrs[0].data, device->pd + 1);
	uar = mmap(NULL, length, PROT_WRITE, MAP_SHARED, device->fd, (off_t)offset);
	assert_ptr_not_equal(uar, MAP_FAILED);
	uar[0] = 1;
	munmap(uar, length);
	assert_int_equal(destroy(device->fd, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY,
				 MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, device->pd + 1),
			 0);
	assert_ptr_equal(mmap(NULL, length, PROT_WRITE, MAP_SHARED, device->fd, (off_t)offset),
			 MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, device->fd, 0), MAP_FAILED);

	request.attrs[1].data = 7;
	assert_int_equal(send_to(&request, device->fd), EOPNOTSUPP);
}

EACH_TEST(open_device, close_device)
