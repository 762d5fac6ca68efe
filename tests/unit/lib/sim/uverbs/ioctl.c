// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The simulator's kernel ABI, asked by raw ioctls: what libibverbs would never send, too.
 * Runs under "mrctl sim --".  The same answers come from the kernel's mlx5 driver.
 */
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <infiniband/verbs.h>
#include <linux/netlink.h>

#include "tests/unit/lib/sim/device.h"

/* ---- the descriptor ------------------------------------------------------------------------ */

static void the_node_is_the_device_of_sysfs(void **state)
{
	struct device *device = *state;
	struct stat by_path, by_fd;
	char dev[32], expected[32];

	read_sysfs("infiniband_verbs/uverbs250/dev", expected, sizeof(expected));
	assert_int_equal(stat(NODE, &by_path), 0);
	assert_int_equal(fstat(device->fd, &by_fd), 0);
	assert_true(S_ISCHR(by_path.st_mode));
	assert_true(S_ISCHR(by_fd.st_mode));
	assert_int_equal(by_fd.st_rdev, by_path.st_rdev);
	snprintf(dev, sizeof(dev), "%u:%u", major(by_fd.st_rdev), minor(by_fd.st_rdev));
	assert_string_equal(dev, expected);
}

static void sysfs_and_the_ioctls_say_the_same(void **state)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[0]);
	struct ibv_device_attr attributes;
	struct ibv_port_attr port;
	union ibv_gid gid;
	char text[64], guid[20], low[20];
	uint16_t pkey;
	int i;

	(void)state;
	assert_non_null(context);
	assert_int_equal(ibv_query_device(context, &attributes), 0);
	read_sysfs("infiniband/mlx5_0/fw_ver", text, sizeof(text));
	assert_string_equal(text, attributes.fw_ver);
	read_sysfs("infiniband/mlx5_0/node_guid", text, sizeof(text));
	guid_text(attributes.node_guid, guid);
	assert_string_equal(text, guid);
	read_sysfs("infiniband/mlx5_0/device/device", text, sizeof(text));
	assert_int_equal(strtoul(text, NULL, 16), attributes.vendor_part_id);
	read_sysfs("infiniband/mlx5_0/node_desc", text, sizeof(text));
	assert_contains(text, "mrctl simulated HCA");

	assert_int_equal(ibv_query_port(context, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
	read_sysfs("infiniband/mlx5_0/ports/1/cap_mask", text, sizeof(text));
	assert_int_equal(strtoul(text, NULL, 16), port.port_cap_flags);
	read_sysfs("infiniband/mlx5_0/ports/1/lid", text, sizeof(text));
	assert_int_equal(strtoul(text, NULL, 16), port.lid);
	for (i = 0; i < port.pkey_tbl_len; i++)
		assert_int_equal(ibv_query_pkey(context, 1, i, &pkey), 0);
	read_sysfs("infiniband/mlx5_0/ports/1/gids/0", text, sizeof(text));
	assert_int_equal(ibv_query_gid(context, 1, 0, &gid), 0);
	guid_text(gid.global.subnet_prefix, guid);
	guid_text(gid.global.interface_id, low);
	assert_memory_equal(text, guid, 19);
	assert_string_equal(text + 20, low);
	assert_int_equal(ibv_query_port(context, 2, &port), EINVAL);
	assert_int_equal(ibv_close_device(context), 0);
	ibv_free_device_list(list);
}

static void each_open_is_a_context_of_its_own(void **state)
{
	struct device *device = *state;
	int again = open_context(), same = dup(device->fd), fresh;
	uint32_t mr;
	char path[64];

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(dereg(again, mr), ENOENT);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", device->fd);
	fresh = open(path, O_RDWR);
	assert_true(fresh >= 0);
	assert_int_equal(dereg(fresh, mr), ENOENT);
	assert_int_equal(get_context(fresh), 0);
	assert_int_equal(dereg(same, mr), 0);
	close(again);
	close(same);
	close(fresh);
}

static void a_reused_descriptor_number_is_a_new_context(void **state)
{
	struct device *device = *state;
	int other = open_context(), first = dup(device->fd), null;
	uint32_t mr;

	assert_int_equal(reg(first, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(dup2(other, first), first);
	assert_int_equal(dereg(first, mr), ENOENT);
	null = open("/dev/null", O_RDWR);
	assert_int_equal(dup2(null, first), first);
	assert_int_equal(dereg(first, mr), ENOTTY);
	close(null);
	close(first);
	close(other);
}

static void descriptors_close_on_exec_when_asked(void **state)
{
	int kept = open(NODE, O_RDWR), closed = open_node();

	(void)state;
	assert_int_equal(fcntl(kept, F_GETFD), 0);
	assert_int_equal(fcntl(closed, F_GETFD), FD_CLOEXEC);
	close(kept);
	close(closed);
}

static void netlink_is_refused_so_that_sysfs_is_read(void **state)
{
	(void)state;
	assert_int_equal(socket(AF_NETLINK, SOCK_RAW, NETLINK_RDMA), -1);
	assert_int_equal(errno, EPROTONOSUPPORT);
}

/* ---- the ioctl ----------------------------------------------------------------------------- */

static void the_header_is_checked(void **state)
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

static void methods_are_known_modelled_or_not(void **state)
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

static void attributes_are_checked(void **state)
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

static void handles_are_checked(void **state)
{
	struct device *device = *state;
	uint32_t handle;
	struct mr mr;

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &handle), 0);
	assert_int_equal(query(device->fd, device->pd, &mr), EINVAL);
	assert_int_equal(query(device->fd, 4711, &mr), ENOENT);
	assert_int_equal(query(device->fd, handle + (1ull << 32), &mr), ENOENT);
	assert_int_equal(query(device->fd, UINT64_MAX, &mr), EINVAL); /* negative */
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

static void write_commands_are_checked(void **state)
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

static void a_context_comes_first_and_once(void **state)
{
	int fd = open_node();
	uint32_t pd;

	(void)state;
	assert_int_equal(alloc_pd(fd, &pd), EINVAL);
	assert_int_equal(get_context(fd), 0);
	assert_int_equal(get_context(fd), EINVAL);
	assert_int_equal(alloc_pd(fd, &pd), 0);
	assert_int_equal(pd, 0); /* nothing else is there */
	close(fd);
}

/* ---- registration -------------------------------------------------------------------------- */

static void query_mr_tells_what_was_registered(void **state)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp resp;
	struct request request;
	struct mr mr = { 0 };

	assert_int_equal(reg_at(device->fd, device->pd, device->memory + 100, 5000, IOVA + 100,
				LOCAL, &resp),
			 0);
	assert_int_equal(query(device->fd, resp.mr_handle, &mr), 0);
	assert_int_equal(mr.lkey, resp.lkey);
	assert_int_equal(mr.rkey, resp.rkey);
	assert_int_equal(mr.length, 5000);
	assert_int_equal(mr.iova, IOVA + 100);

	init_query(&request, resp.mr_handle, &mr);
	request.hdr.num_attrs = 4; /* the IOVA is optional */
	mr.iova = 1;
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(mr.iova, 1);
}

static void handles_and_keys_are_reused_at_once(void **state)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp first, second, third;

	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &first);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &second);
	assert_int_equal(first.mr_handle, device->pd + 1);
	assert_int_equal(second.mr_handle, device->pd + 2);
	assert_int_equal(first.lkey, first.rkey);
	assert_int_not_equal(first.lkey, second.lkey);
	assert_int_equal(dereg(device->fd, first.mr_handle), 0);
	assert_int_equal(alloc_pd(device->fd, &third.mr_handle), 0); /* types share the numbers */
	assert_int_equal(third.mr_handle, first.mr_handle);
	assert_int_equal(dealloc_pd(device->fd, third.mr_handle), 0);
	reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &third);
	assert_int_equal(third.mr_handle, first.mr_handle);
	assert_int_equal(third.lkey, first.lkey);
	assert_int_equal(dereg(device->fd, third.mr_handle), 0);
	reg_at(device->fd, device->pd, device->memory, 4 * PAGE, 0, LOCAL, &third);
	assert_int_not_equal(third.lkey, first.lkey); /* a key belongs to a size */
}

static void access_flags_are_checked(void **state)
{
	static const struct {
		uint32_t access;
		int error;
	} cases[] = {
		{ 0, 0 },
		{ IB_UVERBS_ACCESS_REMOTE_READ, 0 },
		{ IB_UVERBS_ACCESS_REMOTE_WRITE, EINVAL },
		{ IB_UVERBS_ACCESS_REMOTE_ATOMIC, EINVAL },
		{ LOCAL | IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC, 0 },
		{ IB_UVERBS_ACCESS_MW_BIND, 0 },
		{ LOCAL | IB_UVERBS_ACCESS_ZERO_BASED, 0 },
		{ LOCAL | IB_UVERBS_ACCESS_HUGETLB, 0 },
		{ LOCAL | 1 << 8, EOPNOTSUPP }, /* flush-global */
		{ LOCAL | 1 << 9, EOPNOTSUPP }, /* flush-persistent */
		{ LOCAL | 1 << 10, EINVAL },
		{ LOCAL | 1 << 19, EINVAL },
		{ LOCAL | IB_UVERBS_ACCESS_RELAXED_ORDERING, 0 },
		{ LOCAL | 1 << 29, 0 }, /* optional: accepted unknown */
		{ LOCAL | 1u << 30, EINVAL },
		{ LOCAL | 1u << 31, EINVAL },
	};
	struct device *device = *state;
	char name[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(name, sizeof(name), "0x%x", cases[i].access);
		assert_equal_for(
			name,
			reg(device->fd, device->pd, device->memory, PAGE, cases[i].access, NULL),
			cases[i].error);
	}
}

static void memory_is_checked(void **state)
{
	struct device *device = *state;
	char *readonly = map(PAGE, PROT_READ), *hole = map(4 * PAGE, PROT_READ | PROT_WRITE);
	char *none = map(PAGE, PROT_NONE);
	const struct {
		const char *name;
		void *addr;
		uint64_t length;
		uint32_t access;
		int error;
	} cases[] = {
		{ "zero length", device->memory, 0, LOCAL, EINVAL },
		{ "zero length in a page", device->memory + 17, 0, LOCAL, EINVAL },
		{ "zero length, unmapped", (void *)0x10001, 0, LOCAL, EFAULT },
		{ "one byte", device->memory + 17, 1, LOCAL, 0 },
		{ "wraps", (void *)-PAGE, 2 * PAGE, LOCAL, EINVAL },
		{ "ends at the top", (void *)-PAGE, PAGE, LOCAL, EINVAL },
		{ "the kernel's", (void *)-(4 * PAGE), PAGE, LOCAL, EFAULT },
		{ "unmapped", (void *)0x10000, PAGE, LOCAL, EFAULT },
		{ "a hole", hole, 4 * PAGE, LOCAL, EFAULT },
		{ "up to the hole", hole, 2 * PAGE, LOCAL, 0 },
		{ "read-only, to write", readonly, PAGE, LOCAL, EFAULT },
		{ "read-only, to bind", readonly, PAGE, IB_UVERBS_ACCESS_MW_BIND, EFAULT },
		{ "read-only, to read", readonly, PAGE, IB_UVERBS_ACCESS_REMOTE_READ, 0 },
		{ "inaccessible", none, PAGE, 0, EFAULT },
	};
	size_t i;

	munmap(hole + 2 * PAGE, PAGE);
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_equal_for(cases[i].name,
				 reg(device->fd, device->pd, cases[i].addr, cases[i].length,
				     cases[i].access, NULL),
				 cases[i].error);
}

static void iova_is_checked(void **state)
{
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp resp;
	const struct {
		uint64_t length, iova;
		int error;
	} cases[] = {
		{ PAGE, 0, 0 },
		{ PAGE, IOVA + 1, EINVAL },
		{ 2 * PAGE, 0 - 2 * PAGE, 0 },
		{ 2 * PAGE, 0 - PAGE, EINVAL },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(reg_at(device->fd, device->pd, device->memory, cases[i].length,
					cases[i].iova, LOCAL, &resp),
				 cases[i].error);
}

static void on_demand_memory_need_not_be_there(void **state)
{
	const uint32_t access = LOCAL | IB_UVERBS_ACCESS_ON_DEMAND;
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp resp;
	struct mr mr;

	assert_int_equal(reg(device->fd, device->pd, (void *)0x10000, PAGE, access, NULL), 0);
	assert_int_equal(reg(device->fd, device->pd, device->memory, 0, access, NULL), EINVAL);
	assert_int_equal(reg(device->fd, device->pd, (void *)-PAGE, 2 * PAGE, access, NULL),
			 EOVERFLOW);
	assert_int_equal(reg_at(device->fd, device->pd, NULL, UINT64_MAX, 0, access, &resp), 0);
	assert_int_equal(query(device->fd, resp.mr_handle, &mr), 0);
	assert_int_equal(mr.length, UINT64_MAX);
	assert_int_equal(mr.iova, 0);
	assert_int_equal(reg_at(device->fd, device->pd, NULL, UINT64_MAX, PAGE, access, &resp),
			 EINVAL);
	assert_int_equal(reg_at(device->fd, device->pd, NULL, UINT64_MAX, 0,
				access | IB_UVERBS_ACCESS_HUGETLB, &resp),
			 EINVAL);
	assert_int_equal(reg(device->fd, device->pd, NULL, 0, access, NULL), EOVERFLOW);
	assert_int_equal(reg(device->fd, device->pd, device->memory + 5, 0, access, NULL), 0);
}

static void on_demand_memory_must_not_be_there_in_small_pages(void **state)
{
	const uint32_t access = LOCAL | IB_UVERBS_ACCESS_ON_DEMAND | IB_UVERBS_ACCESS_HUGETLB;
	const uint64_t huge = 2ul << 20;
	struct device *device = *state;
	char *memory = map(2 * huge, PROT_READ | PROT_WRITE), *start;
	uint32_t mr;

	start = (char *)(((uintptr_t)memory + huge - 1) & ~(huge - 1));
	madvise(memory, 2 * huge, MADV_NOHUGEPAGE);
	start[PAGE] = 1; /* only the page counts where a huge one would begin */
	assert_int_equal(reg(device->fd, device->pd, start + PAGE, PAGE, access, &mr), 0);
	start[0] = 1;
	assert_int_equal(reg(device->fd, device->pd, start + PAGE, PAGE, access, NULL), EINVAL);
	munmap(memory, 2 * huge);
}

/* ---- locked memory ------------------------------------------------------------------------- */

/* Become a user without capabilities who may lock so many pages. */
static int may_lock(rlim_t pages)
{
	const struct rlimit limit = { pages * PAGE, pages * PAGE };

	if (setrlimit(RLIMIT_MEMLOCK, &limit))
		return -1;
	return getuid() ? 0 : setresuid(65534, 65534, 65534);
}

static int count_pages(struct device *device)
{
	int second = open_context();
	uint32_t mr, pd, other;

	EXPECT(!may_lock(10));
	EXPECT(!alloc_pd(second, &pd));
	EXPECT(reg(device->fd, device->pd, device->memory, 11 * PAGE, LOCAL, NULL) == ENOMEM);
	EXPECT(!reg(device->fd, device->pd, device->memory, 6 * PAGE, LOCAL, &mr));
	/* twice the same page counts twice, and contexts count together */
	EXPECT(!reg(second, pd, device->memory + PAGE / 2, PAGE, LOCAL, &other));
	EXPECT(reg(second, pd, device->memory, 3 * PAGE, LOCAL, NULL) == ENOMEM);
	EXPECT(!reg(second, pd, device->memory, 2 * PAGE, LOCAL, NULL));
	EXPECT(reg(device->fd, device->pd, device->memory, 1, LOCAL, NULL) == ENOMEM);
	EXPECT(!dereg(second, other));
	EXPECT(!reg(second, pd, device->memory, 2 * PAGE, LOCAL, NULL));
	/* failures and on-demand memory do not count */
	EXPECT(!dereg(device->fd, mr));
	EXPECT(reg(device->fd, device->pd, (void *)0x10000, PAGE, LOCAL, NULL) == EFAULT);
	EXPECT(!reg(device->fd, device->pd, device->memory, 20 * PAGE,
		    LOCAL | IB_UVERBS_ACCESS_ON_DEMAND, NULL));
	/* nor does what went with a closed context; a duplicate does not count twice */
	close(second);
	EXPECT(dup(device->fd) >= 0);
	EXPECT(!reg(device->fd, device->pd, device->memory, 5 * PAGE, LOCAL, NULL));
	EXPECT(!reg(device->fd, device->pd, device->memory, 5 * PAGE, LOCAL, NULL));
	EXPECT(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL) == ENOMEM);
	return 0;
}

static void pages_are_counted_against_the_limit(void **state)
{
	in_child(count_pages, *state);
}

static int lock_nothing(struct device *device)
{
	EXPECT(!may_lock(0));
	EXPECT(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL) == EPERM);
	EXPECT(reg(device->fd, device->pd, device->memory, 0, LOCAL, NULL) == EPERM);
	EXPECT(reg(device->fd, device->pd, (void *)-PAGE, 2 * PAGE, LOCAL, NULL) == EINVAL);
	return 0;
}

static void who_may_lock_nothing_is_told_so(void **state)
{
	in_child(lock_nothing, *state);
}

static int count_for_the_one_who_pinned(struct device *device)
{
	uint32_t mr;
	int status;
	pid_t pid;

	EXPECT(!may_lock(10));
	EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, &mr));
	pid = fork();
	if (!pid) { /* a new address space, which unpins its parent's pages */
		EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, NULL));
		EXPECT(reg(device->fd, device->pd, device->memory, 1, LOCAL, NULL) == ENOMEM);
		EXPECT(!dereg(device->fd, mr));
		EXPECT(reg(device->fd, device->pd, device->memory, 1, LOCAL, NULL) == ENOMEM);
		return 0;
	}
	EXPECT(waitpid(pid, &status, 0) == pid);
	EXPECT(!WEXITSTATUS(status));
	EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, NULL));
	return 0;
}

static void the_account_is_that_of_the_address_space(void **state)
{
	in_child(count_for_the_one_who_pinned, *state);
}

/* ---- life ---------------------------------------------------------------------------------- */

static int register_and_die(struct device *device)
{
	EXPECT(!reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL));
	return 0;
}

static void objects_outlive_the_process_that_made_them(void **state)
{
	struct device *device = *state;
	struct mr mr;

	in_child(register_and_die, device);
	assert_int_equal(query(device->fd, device->pd + 1, &mr), 0);
	assert_int_equal(mr.length, PAGE);
	assert_int_equal(dealloc_pd(device->fd, device->pd), EBUSY);
	assert_int_equal(dereg(device->fd, device->pd + 1), 0);
}

/* Once this is another user, the folders on the way to the simulator may be closed to it. */
static int preload_by_descriptor(void)
{
	char *list = strdup(getenv("LD_PRELOAD")), path[64];
	int fd;

	EXPECT(list);
	fd = open(strtok(list, ": "), O_RDONLY);
	free(list);
	EXPECT(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	EXPECT(!setenv("LD_PRELOAD", path, 1));
	return 0;
}

static int exec_query(struct device *device)
{
	char fd[16], handle[16];

	snprintf(fd, sizeof(fd), "%d", device->fd);
	snprintf(handle, sizeof(handle), "%u", device->pd + 1);
	EXPECT(!fcntl(device->fd, F_SETFD, 0));
	EXPECT(!preload_by_descriptor());
	EXPECT(!may_lock(10));
	EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, NULL));
	execl("/proc/self/exe", "sim_abi", fd, handle, NULL);
	return __LINE__ % 255 + 1;
}

/* What the program is after exec: it has the objects, but not the account. */
static int after_exec(int fd, uint32_t handle)
{
	struct mr mr;

	EXPECT(!query(fd, handle, &mr));
	EXPECT(mr.length == 10 * PAGE);
	EXPECT(!reg(fd, handle - 1, map(10 * PAGE, PROT_READ | PROT_WRITE), 10 * PAGE, LOCAL,
		    NULL));
	return dereg(fd, handle);
}

static void objects_survive_exec_and_the_account_does_not(void **state)
{
	if (getenv("WRAP")) /* valgrind does not exec what it runs */
		skip();
	in_child(exec_query, *state);
}

static int receive_and_register(int socket)
{
	int fd = receive_fd(socket);

	EXPECT(!dereg(fd, 1));
	EXPECT(!reg(fd, 0, map(PAGE, PROT_READ | PROT_WRITE), PAGE, LOCAL, NULL));
	return 0;
}

static void a_descriptor_can_be_sent_to_another_process(void **state)
{
	struct device sender;
	int ends[2];
	struct mr mr;
	pid_t pid;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	pid = fork(); /* before the context is there */
	if (!pid)
		_exit(receive_and_register(ends[0]));

	sender.fd = open_context();
	assert_int_equal(alloc_pd(sender.fd, &sender.pd), 0);
	assert_int_equal(reg(sender.fd, 0, map(PAGE, PROT_READ | PROT_WRITE), PAGE, LOCAL, NULL),
			 0);
	assert_true(send_fd(ends[1], sender.fd));
	assert_child_succeeds(pid);
	assert_int_equal(query(sender.fd, 1, &mr), 0);
	close(sender.fd);
	close(ends[0]);
	close(ends[1]);
}

static void *register_often(void *argument)
{
	struct device *device = argument;
	uint32_t mr, pd;
	uintptr_t i;
	int own;

	for (i = 0; i < 2000; i++) {
		if (reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr) ||
		    dereg(device->fd, mr))
			return (void *)(i + 1);
		if (i % 10)
			continue;
		own = open_context();
		if (alloc_pd(own, &pd) || reg(own, pd, device->memory, 2 * PAGE, LOCAL, NULL) ||
		    close(own))
			return (void *)(i + 1);
	}
	return NULL;
}

static int register_in_threads(struct device *device)
{
	pthread_t threads[4];
	void *failed;
	size_t i;

	EXPECT(!may_lock(12));
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		EXPECT(!pthread_create(&threads[i], NULL, register_often, device));
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		EXPECT(!pthread_join(threads[i], &failed));
		EXPECT(!failed);
	}
	EXPECT(!reg(device->fd, device->pd, device->memory, 12 * PAGE, LOCAL, NULL));
	EXPECT(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL) == ENOMEM);
	return 0;
}

static void threads_can_register_at_once(void **state)
{
	in_child(register_in_threads, *state);
}

static void a_kill_leaves_a_context_that_works(void **state)
{
	struct device *device = *state;
	uint32_t mr;
	pid_t pid;
	int i;

	for (i = 0; i < 100; i++) {
		pid = fork();
		while (!pid)
			if (reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr) ||
			    dereg(device->fd, mr))
				_exit(1);
		usleep((useconds_t)(i * 17 % 900));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		/* it had one region, or none */
		if (dereg(device->fd, device->pd + 1))
			assert_int_equal(errno, ENOENT);
		assert_int_equal(dealloc_pd(device->fd, device->pd), 0);
		assert_int_equal(alloc_pd(device->fd, &device->pd), 0);
	}
}

static void uars_can_be_mapped(void **state)
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

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		DEVICE_TEST(the_node_is_the_device_of_sysfs),
		cmocka_unit_test(sysfs_and_the_ioctls_say_the_same),
		DEVICE_TEST(each_open_is_a_context_of_its_own),
		DEVICE_TEST(a_reused_descriptor_number_is_a_new_context),
		cmocka_unit_test(descriptors_close_on_exec_when_asked),
		cmocka_unit_test(netlink_is_refused_so_that_sysfs_is_read),
		DEVICE_TEST(the_header_is_checked),
		DEVICE_TEST(methods_are_known_modelled_or_not),
		DEVICE_TEST(attributes_are_checked),
		DEVICE_TEST(handles_are_checked),
		DEVICE_TEST(write_commands_are_checked),
		cmocka_unit_test(a_context_comes_first_and_once),
		DEVICE_TEST(query_mr_tells_what_was_registered),
		DEVICE_TEST(handles_and_keys_are_reused_at_once),
		DEVICE_TEST(access_flags_are_checked),
		DEVICE_TEST(memory_is_checked),
		DEVICE_TEST(iova_is_checked),
		DEVICE_TEST(on_demand_memory_need_not_be_there),
		DEVICE_TEST(on_demand_memory_must_not_be_there_in_small_pages),
		DEVICE_TEST(pages_are_counted_against_the_limit),
		DEVICE_TEST(who_may_lock_nothing_is_told_so),
		DEVICE_TEST(the_account_is_that_of_the_address_space),
		DEVICE_TEST(objects_outlive_the_process_that_made_them),
		DEVICE_TEST(objects_survive_exec_and_the_account_does_not),
		cmocka_unit_test(a_descriptor_can_be_sent_to_another_process),
		DEVICE_TEST(threads_can_register_at_once),
		DEVICE_TEST(a_kill_leaves_a_context_that_works),
		DEVICE_TEST(uars_can_be_mapped),
	};

	if (argc == 3)
		return after_exec(atoi(argv[1]), (uint32_t)atoi(argv[2]));
	return cmocka_run_group_tests(tests, NULL, NULL);
}
