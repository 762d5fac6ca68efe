// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* DMA handles of the simulated device, by raw requests. */
#include "tests/unit/lib/sim/device.h"

/* not in the headers of rdma-core 44 */
#define OBJECT_DMAH   17
#define METHOD_REG_MR 5
enum { ALLOC, FREE };
enum { OF_HANDLE, OF_CPU, OF_MEMORY, OF_HINT };

/* Removes what @without says from a request that would succeed. */
static void init_alloc(struct request *request, unsigned int without)
{
	init(request, OBJECT_DMAH, ALLOC);
	attr(request, OF_HANDLE, 0, 0);
	if (!(without & 1u << OF_CPU))
		attr(request, OF_CPU, 4, 0);
	if (!(without & 1u << OF_MEMORY))
		attr(request, OF_MEMORY, 0, 0);
	if (!(without & 1u << OF_HINT))
		attr(request, OF_HINT, 1, 1);
}

static uint32_t alloc(const struct device *device)
{
	struct request request;

	init_alloc(&request, 1u << OF_CPU | 1u << OF_MEMORY);
	assert_int_equal(send_to(&request, device->fd), 0);
	return (uint32_t)request.attrs[0].data;
}

static int free_dmah(const struct device *device, uint32_t handle)
{
	return destroy(device->fd, OBJECT_DMAH, FREE, 0, handle);
}

static int reg_with(const struct device *device, uint32_t dmah, char *addr, uint32_t access,
		    uint32_t *handle)
{
	struct request request;
	uint32_t keys[2];
	int rc;

	init(&request, UVERBS_OBJECT_MR, METHOD_REG_MR);
	attr(&request, 0, 0, 0);
	attr(&request, 1, 0, device->pd);
	attr(&request, 2, 0, dmah);
	attr(&request, 3, 8, (uintptr_t)addr);
	attr(&request, 4, 8, (uintptr_t)addr);
	attr(&request, 5, 8, PAGE);
	attr(&request, 6, 4, access);
	pointer(&request, 9, 4, &keys[0]);
	pointer(&request, 10, 4, &keys[1]);
	rc = send_to(&request, device->fd);
	*handle = (uint32_t)request.attrs[0].data;
	return rc;
}

TEST(hints_are_checked)
{
	struct device *device = *state;
	struct request request;

	init_alloc(&request, 0);
	assert_int_equal(send_to(&request, device->fd), 0);
	init_alloc(&request, 1u << OF_HINT);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	init_alloc(&request, 1u << OF_CPU);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	init_alloc(&request, 1u << OF_MEMORY);
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	init_alloc(&request, 0);
	request.attrs[1].data = 100000;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	init_alloc(&request, 0);
	request.attrs[2].attr_data.enum_data.elem_id = 1;
	assert_int_equal(send_to(&request, device->fd), 0);
	request.attrs[2].attr_data.enum_data.elem_id = 2;
	assert_int_equal(send_to(&request, device->fd), EOPNOTSUPP);
	init_alloc(&request, 0);
	request.attrs[2].attr_data.enum_data.reserved = 1;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	init_alloc(&request, 0);
	request.attrs[3].data = 4;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
}

TEST(a_handle_is_busy_while_a_region_uses_it)
{
	struct device *device = *state;
	char *page = map(PAGE, PROT_READ | PROT_WRITE);
	uint32_t dmah = alloc(device), other = alloc(device), mr;

	assert_int_equal(reg_with(device, dmah, page, IB_UVERBS_ACCESS_LOCAL_WRITE, &mr), 0);
	assert_int_equal(free_dmah(device, dmah), EBUSY);
	assert_int_equal(free_dmah(device, other), 0);
	assert_int_equal(dereg(device->fd, mr), 0);
	assert_int_equal(free_dmah(device, dmah), 0);
	assert_int_equal(free_dmah(device, dmah), ENOENT);
	assert_int_equal(reg_with(device, dmah, page, IB_UVERBS_ACCESS_LOCAL_WRITE, &mr), ENOENT);
	munmap(page, PAGE);
}

TEST(a_handle_goes_with_no_on_demand_paging_and_no_change)
{
	struct device *device = *state;
	char *page = map(PAGE, PROT_READ | PROT_WRITE);
	uint32_t dmah = alloc(device), mr;
	struct ib_uverbs_rereg_mr_resp resp;
	struct ib_uverbs_rereg_mr change = { .flags = 4, .access_flags = 0 };

	assert_int_equal(reg_with(device, dmah, page, IB_UVERBS_ACCESS_ON_DEMAND, &mr), EOPNOTSUPP);
	assert_int_equal(reg_with(device, dmah, page, IB_UVERBS_ACCESS_LOCAL_WRITE, &mr), 0);
	change.mr_handle = mr;
	assert_int_equal(rereg(device->fd, &change, &resp), EOPNOTSUPP);
	assert_int_equal(dereg(device->fd, mr), 0);
	assert_int_equal(free_dmah(device, dmah), 0);
	munmap(page, PAGE);
}

TEST(without_tph_there_are_no_handles)
{
	struct device *device = *state;
	char *page = map(PAGE, PROT_READ | PROT_WRITE);
	uint32_t dmah = alloc(device), count = 1, list[1], mr;
	struct request request;

	assert_int_equal(info_handles(device->fd, OBJECT_DMAH, list, &count), 0);
	unsetenv("MRCTL_SIM_TPH");
	init_alloc(&request, 0);
	assert_int_equal(send_to(&request, device->fd), EPROTONOSUPPORT);
	assert_int_equal(free_dmah(device, dmah), EPROTONOSUPPORT);
	assert_int_equal(info_handles(device->fd, OBJECT_DMAH, list, &count), ENOENT);
	assert_int_equal(reg_with(device, dmah, page, 0, &mr), EINVAL);
	munmap(page, PAGE);
}

static int open_with_tph(void **state)
{
	setenv("MRCTL_SIM_TPH", "1", 1);
	return open_device(state);
}

EACH_TEST(open_with_tph, close_device)
