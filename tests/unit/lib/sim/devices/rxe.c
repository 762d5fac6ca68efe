// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How the simulated rxe device differs from the mlx5 one.  This runs under "mrctl sim --profile rxe".
 * The kernel's rxe driver gives the same answers.
 */
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>

#define DRIVER_ID RDMA_DRIVER_RXE
#define NODE      "/dev/infiniband/uverbs251"
#include "tests/unit/lib/sim/device.h"

#define MLX5_NODE "/dev/infiniband/uverbs250"

TEST_WITH(the_node_is_the_device_of_sysfs, open_device, close_device)
{
	struct device *device = *state;
	char dev[32], expected[32];
	struct stat st;

	read_sysfs("infiniband_verbs/uverbs251/dev", expected, sizeof(expected));
	assert_int_equal(fstat(device->fd, &st), 0);
	assert_true(S_ISCHR(st.st_mode));
	snprintf(dev, sizeof(dev), "%u:%u", major(st.st_rdev), minor(st.st_rdev));
	assert_string_equal(dev, expected);
	assert_int_equal(stat(NODE, &st), 0);
	assert_int_equal(stat(MLX5_NODE, &st), -1);
}

TEST_WITH(a_descriptor_keeps_its_profile, open_device, close_device)
{
	struct device *device = *state;
	struct request request;
	struct stat st;
	uint32_t vectors;
	int other;

	assert_int_equal(setenv("MRCTL_SIM", "mlx5", 1), 0);
	other = open(MLX5_NODE, O_RDWR);
	assert_true(other >= 0);
	assert_int_equal(fstat(device->fd, &st), 0);
	assert_int_equal(minor(st.st_rdev), 443);
	assert_int_equal(setenv("MRCTL_SIM", "rxe", 1), 0);
	assert_int_equal(fstat(other, &st), 0);
	assert_int_equal(minor(st.st_rdev), 442);
	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT);
	pointer(&request, UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4, &vectors);
	assert_int_equal(send_to(&request, other), EINVAL); /* the driver id is rxe's */
	request.hdr.driver_id = RDMA_DRIVER_MLX5;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
	close(other);
}

TEST_WITH(advice_takes_addresses_of_the_memory, open_device, close_device)
{
	struct device *device = *state;
	const uint64_t start = (uintptr_t)device->memory + PAGE;
	const struct {
		const char *name;
		uint64_t advice, addr;
		uint32_t length;
		int error;
	} cases[] = {
		{ "all", READ, start, 2 * PAGE, 0 },
		{ "to the page's end", WRITE, start + 100, 2 * PAGE - 100, 0 },
		{ "nothing inside a page", READ, start + 1, 0, 0 },
		{ "nothing at a page", READ, start, 0, EINVAL },
		{ "nothing at a page, without fault", LOOK, start, 0, EINVAL },
		{ "before it", READ, start - 1, 1, EFAULT },
		{ "behind it", LOOK, start + 2 * PAGE, 1, EFAULT },
		{ "nothing behind it", LOOK, start + 2 * PAGE + 1, 0, EFAULT },
		{ "too long", READ, start, 2 * PAGE + 1, EFAULT },
		{ "the IOVA", READ, IOVA, 1, EFAULT },
		{ "wraps", READ, 0 - PAGE, 2 * PAGE, EINVAL },
	};
	struct ib_uverbs_reg_mr_resp mr, low;
	size_t i;

	assert_int_equal(
		reg_at(device->fd, device->pd, device->memory + PAGE, PAGE + 1, IOVA, ODP, &mr), 0);
	assert_int_equal(advise(device, mr.lkey, WRITE, 0, start, PAGE), 0);
	assert_int_equal(advise(device, mr.lkey, LOOK, FLUSH, start, PAGE), 0);
	assert_false(is_resident(device->memory + PAGE));
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		assert_equal_for(cases[i].name,
				 advise(device, mr.lkey, cases[i].advice, FLUSH, cases[i].addr,
					cases[i].length),
				 cases[i].error);
		assert_int_equal(
			advise(device, mr.lkey, cases[i].advice, 0, cases[i].addr, cases[i].length),
			0);
	}
	/* the driver compares the end without regard to the wrap: here it is behind the region, or before it */
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, 0 - PAGE, (uint32_t)PAGE), EINVAL);
	assert_int_equal(reg_at(device->fd, device->pd, NULL, PAGE, 0, ODP, &low), 0);
	assert_int_equal(advise(device, low.lkey, LOOK, FLUSH, 0 - PAGE, 2 * PAGE), EINVAL);
	assert_int_equal(advise(device, low.lkey, LOOK, FLUSH, 0 - PAGE, 3 * PAGE), EFAULT);
	assert_true(is_resident(device->memory + PAGE));
	munmap(device->memory + PAGE, PAGE);
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, start, PAGE), EFAULT);
	assert_int_equal(advise(device, mr.lkey, LOOK, FLUSH, start, PAGE), 0);
}

TEST_WITH(advice_is_for_regions_that_can_be_written, open_device, close_device)
{
	struct device *device = *state;
	const uint64_t start = (uintptr_t)device->memory;
	struct ib_uverbs_reg_mr_resp mr, readable, pinned, other;
	struct ib_uverbs_rereg_mr rereg_cmd = { .flags = REREG_ACCESS };
	struct ib_uverbs_rereg_mr_resp resp;
	uint32_t pd;

	assert_int_equal(alloc_pd(device->fd, &pd), 0);
	reg_at(device->fd, device->pd, device->memory, PAGE, IOVA, ODP, &mr);
	reg_at(device->fd, device->pd, device->memory, PAGE, IOVA, IB_UVERBS_ACCESS_ON_DEMAND,
	       &readable);
	reg_at(device->fd, device->pd, device->memory, PAGE, IOVA, LOCAL, &pinned);
	reg_at(device->fd, pd, device->memory, PAGE, IOVA, ODP, &other);
	assert_int_equal(advise(device, mr.lkey, WRITE, FLUSH, start, 1), 0);
	assert_int_equal(advise(device, mr.lkey + 1, READ, 0, start, 1), EINVAL);
	assert_int_equal(advise(device, 0, READ, FLUSH, start, 1), EINVAL);
	assert_int_equal(advise(device, readable.lkey, READ, FLUSH, start, 1), EINVAL);
	assert_int_equal(advise(device, other.lkey, READ, FLUSH, start, 1), EINVAL);
	assert_int_equal(advise(device, pinned.lkey, READ, FLUSH, start, 1), EFAULT);
	assert_int_equal(advise(device, mr.lkey, 3, FLUSH, start, 1), EOPNOTSUPP);
	assert_int_equal(advise(device, mr.lkey, READ, 2, start, 1), EINVAL);

	/* REREG_ACCESS decides about the access, and how the memory was pinned about writing */
	rereg_cmd.mr_handle = mr.mr_handle;
	rereg_cmd.access_flags = IB_UVERBS_ACCESS_REMOTE_READ;
	assert_int_equal(rereg(device->fd, &rereg_cmd, &resp), 0);
	assert_int_equal(advise(device, mr.lkey, READ, FLUSH, start, 1), EINVAL);
	rereg_cmd.access_flags = LOCAL;
	assert_int_equal(rereg(device->fd, &rereg_cmd, &resp), 0);
	assert_int_equal(advise(device, mr.lkey, WRITE, FLUSH, start, 1), 0);
}

TEST(librxe_opens_and_registers)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[0]);
	struct ibv_device_attr attributes;
	struct ibv_port_attr port;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	union ibv_gid gid;
	char text[64], guid[20];
	char *memory = map(2 * PAGE, PROT_READ | PROT_WRITE);

	(void)state;
	assert_non_null(context);
	assert_null(list[1]);
	assert_string_equal(ibv_get_device_name(list[0]), "rxe0");
	read_sysfs("infiniband/rxe0/node_desc", text, sizeof(text));
	assert_contains(text, "mrctl simulated HCA");
	assert_int_equal(ibv_query_device(context, &attributes), 0);
	read_sysfs("infiniband/rxe0/node_guid", text, sizeof(text));
	guid_text(attributes.node_guid, guid);
	assert_string_equal(text, guid);
	assert_int_equal(ibv_query_port(context, 1, &port), 0);
	assert_int_equal(port.link_layer, IBV_LINK_LAYER_ETHERNET);
	read_sysfs("infiniband/rxe0/ports/1/cap_mask", text, sizeof(text));
	assert_int_equal(strtoul(text, NULL, 16), port.port_cap_flags);
	assert_int_equal(ibv_query_gid(context, 1, 0, &gid), 0);
	read_sysfs("infiniband/rxe0/ports/1/gids/0", text, sizeof(text));
	guid_text(gid.global.interface_id, guid);
	assert_string_equal(text + 20, guid);

	pd = ibv_alloc_pd(context);
	assert_non_null(pd);
	assert_int_equal(
		pd->handle,
		0); /* unlike mlx5's library, that of rxe makes no object when it opens a device */
	mr = ibv_reg_mr_iova(pd, memory, 2 * PAGE, IOVA, IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_equal(mr->handle, 1);
	assert_int_equal(ibv_dealloc_pd(pd), EBUSY);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_null(ibv_import_device(dup(context->cmd_fd)));
	assert_int_equal(errno, EOPNOTSUPP);
	assert_int_equal(ibv_dealloc_pd(pd), 0);
	assert_int_equal(ibv_close_device(context), 0);
	ibv_free_device_list(list);
}

TEST_WITH(registrations_are_checked, open_device, close_device)
{
	struct device *device = *state;
	const struct {
		const char *name;
		const void *addr;
		uint64_t length, iova;
		uint32_t access;
		int error;
	} cases[] = {
		{ "plain", device->memory, PAGE, IOVA, LOCAL, 0 },
		{ "zero length", device->memory, 0, IOVA, LOCAL, EINVAL },
		{ "IOVA's offset", device->memory, PAGE, IOVA + 1, LOCAL, EINVAL },
		{ "IOVA that wraps", device->memory, 2 * PAGE, 0 - PAGE, LOCAL, 0 },
		{ "unmapped", (void *)0x10000, PAGE, IOVA, LOCAL, EFAULT },
		{ "remote write", device->memory, PAGE, IOVA, IB_UVERBS_ACCESS_REMOTE_WRITE,
		  EINVAL },
		{ "zero-based", device->memory, PAGE, IOVA, LOCAL | IB_UVERBS_ACCESS_ZERO_BASED,
		  EOPNOTSUPP },
		{ "hugetlb", device->memory, PAGE, IOVA, LOCAL | IB_UVERBS_ACCESS_HUGETLB,
		  EOPNOTSUPP },
		{ "flush-global", device->memory, PAGE, IOVA, LOCAL | 1 << 8, 0 },
		{ "flush-persistent", device->memory, PAGE, IOVA, LOCAL | 1 << 9, EINVAL },
		{ "unknown", device->memory, PAGE, IOVA, LOCAL | 1 << 10, EINVAL },
		{ "optional", device->memory, PAGE, IOVA, LOCAL | 1 << 29, 0 },
		{ "on demand", (void *)0x10000, PAGE, IOVA, LOCAL | IB_UVERBS_ACCESS_ON_DEMAND, 0 },
		{ "implicit", NULL, UINT64_MAX, 0, LOCAL | IB_UVERBS_ACCESS_ON_DEMAND, EINVAL },
	};
	struct ib_uverbs_reg_mr_resp mr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_equal_for(cases[i].name,
				 reg_at(device->fd, device->pd, cases[i].addr, cases[i].length,
					cases[i].iova, cases[i].access, &mr),
				 cases[i].error);
}

/* The driver does not store length and IOVA in the MR, and the method REG_MR does not either. */
TEST_WITH(the_method_notes_no_length_but_on_demand, open_device, close_device)
{
	static const uint32_t accesses[] = { LOCAL, LOCAL | IB_UVERBS_ACCESS_ON_DEMAND };
	enum { HANDLE, PD, IOVA_ATTR = 3, ADDR, LENGTH, ACCESS, LKEY = 9, RKEY };
	struct device *device = *state;
	struct request request;
	uint32_t keys[2];
	struct mr mr;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(accesses); i++) {
		init(&request, UVERBS_OBJECT_MR, 5);
		attr(&request, HANDLE, 0, 0);
		attr(&request, PD, 0, device->pd);
		attr(&request, IOVA_ATTR, 8, IOVA);
		attr(&request, ADDR, 8, (uintptr_t)device->memory);
		attr(&request, LENGTH, 8, PAGE);
		attr(&request, ACCESS, 4, accesses[i]);
		pointer(&request, LKEY, 4, &keys[0]);
		pointer(&request, RKEY, 4, &keys[1]);
		assert_int_equal(send_to(&request, device->fd), 0);
		assert_int_equal(query(device->fd, request.attrs[0].data, &mr), 0);
		assert_int_equal(mr.lkey, keys[0]);
		assert_int_equal(mr.length, i ? PAGE : 0);
		assert_int_equal(mr.iova, i ? IOVA : 0);
	}
}

TEST_WITH(a_region_can_be_changed_but_not_its_memory, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_rereg_mr in = { 0 };
	struct ib_uverbs_rereg_mr_resp out;
	struct ib_uverbs_reg_mr_resp mr;
	uint32_t pd;

	assert_int_equal(alloc_pd(device->fd, &pd), 0);
	assert_int_equal(reg_at(device->fd, device->pd, device->memory, PAGE, IOVA, LOCAL, &mr), 0);
	in.mr_handle = mr.mr_handle;
	in.flags = REREG_PD | REREG_ACCESS;
	in.pd_handle = pd;
	in.access_flags = LOCAL | IB_UVERBS_ACCESS_REMOTE_READ;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_equal(out.lkey, mr.lkey);
	assert_int_equal(out.rkey, mr.rkey);
	assert_int_equal(dealloc_pd(device->fd, device->pd), 0);
	assert_int_equal(dealloc_pd(device->fd, pd), EBUSY);
	in.flags = REREG_ACCESS;
	in.access_flags = LOCAL | IB_UVERBS_ACCESS_ZERO_BASED;
	assert_int_equal(rereg(device->fd, &in, &out), EOPNOTSUPP);
	in.flags = REREG_TRANS;
	in.start = in.hca_va = (uintptr_t)device->memory;
	in.length = PAGE;
	assert_int_equal(rereg(device->fd, &in, &out), EOPNOTSUPP);
	in.hca_va++;
	assert_int_equal(rereg(device->fd, &in, &out), EINVAL);
}

TEST_WITH(keys_are_an_index_and_a_byte, open_device, close_device)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp first, second, third;

	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &first);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &second);
	assert_int_equal(first.lkey, first.rkey);
	assert_int_not_equal(first.lkey >> 8, 0);
	assert_int_not_equal(first.lkey >> 8, second.lkey >> 8);
	assert_int_equal(dereg(device->fd, first.mr_handle), 0);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &third);
	assert_int_equal(third.mr_handle, first.mr_handle);
	assert_int_equal(third.lkey >> 8, (second.lkey >> 8) + 1);
}

TEST_WITH(what_mlx5_has_is_unknown, open_device, close_device)
{
	static const struct {
		uint16_t object, method;
		int error;
	} cases[] = {
		{ UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, EOPNOTSUPP },
		{ UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, EOPNOTSUPP },
		{ UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, EINVAL }, /* no attributes */
		{ UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, EPROTONOSUPPORT },
		{ UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, EPROTONOSUPPORT },
		{ MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, EPROTONOSUPPORT },
		{ MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, EPROTONOSUPPORT },
		{ MLX5_IB_OBJECT_VAR, MLX5_IB_METHOD_VAR_OBJ_ALLOC, EPROTONOSUPPORT },
	};
	struct device *device = *state;
	struct request request;
	uint32_t list[1], count;
	uint64_t data;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		init(&request, cases[i].object, cases[i].method);
		assert_int_equal(send_to(&request, device->fd), cases[i].error);
	}
	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	pointer(&request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, sizeof(data), &data);
	assert_int_equal(send_to(&request, device->fd), EPROTONOSUPPORT);

	for (i = UVERBS_OBJECT_DEVICE; i <= UVERBS_OBJECT_MW; i++) {
		count = 1;
		assert_int_equal(info_handles(device->fd, i, list, &count), 0);
		assert_int_equal(count, i == UVERBS_OBJECT_PD);
	}
	for (; i <= UVERBS_OBJECT_COUNTERS; i++) {
		count = 1;
		assert_int_equal(info_handles(device->fd, i, list, &count), ENOENT);
	}
	count = 1;
	assert_int_equal(info_handles(device->fd, MLX5_IB_OBJECT_UAR, list, &count), ENOENT);

	assert_ptr_equal(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, device->fd, 0), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
}
