// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The simulated mlx5 device: calls that only it has.  tests/cli/sim.bats has its sysfs. */
#include "tests/unit/lib/sim/device.h"

TEST(contexts_are_checked)
{
	enum { ALL = sizeof(struct mlx5_ib_alloc_ucontext_req_v2), NEW = MLX5_LIB_CAP_DYN_UAR };
	enum { FIRST = sizeof(struct mlx5_ib_alloc_ucontext_req) };
	static const struct {
		const char *name;
		struct mlx5_ib_alloc_ucontext_req_v2 in;
		size_t size;
		int error;
	} cases[] = {
		{ "plain", { .lib_caps = NEW }, ALL, 0 },
		{ "a flag", { .lib_caps = NEW, .flags = 2 }, ALL, EOPNOTSUPP },
		{ "a mask", { .lib_caps = NEW, .comp_mask = 1 }, ALL, EOPNOTSUPP },
		{ "reserved0", { .lib_caps = NEW, .reserved0 = 1 }, ALL, EOPNOTSUPP },
		{ "reserved1", { .lib_caps = NEW, .reserved1 = 1 }, ALL, EOPNOTSUPP },
		{ "reserved2", { .lib_caps = NEW, .reserved2 = 1 }, ALL, EOPNOTSUPP },
		{ "static UARs", { .lib_caps = MLX5_LIB_CAP_4K_UAR }, ALL, EOPNOTSUPP },
		{ "the first version", { .total_num_bfregs = 16 }, FIRST, EOPNOTSUPP },
		{ "too short", { .lib_caps = NEW }, 12, EINVAL },
	};
	struct mlx5_ib_alloc_ucontext_resp out;
	int fresh;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		fresh = open_node();
		assert_equal_for(c->name, send_context(fresh, &c->in, c->size, &out), c->error);
		if (!c->error)
			assert_int_equal(out.cqe_version, 0);
		close(fresh);
	}
}

TEST(the_answer_about_the_device_has_a_least_size)
{
	const size_t least = offsetof(struct mlx5_ib_query_device_resp, tso_caps);
	const struct ib_uverbs_ex_query_device in = { 0 };
	struct ib_uverbs_ex_query_device_resp core;
	struct mlx5_ib_query_device_resp out;
	struct request request;

	init_write(&request, IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		   &in, sizeof(in), &core, sizeof(core));
	pointer(&request, UVERBS_ATTR_UHW_OUT, least - 1, &out);
	assert_int_equal(send_to(&request, fd), EINVAL);
	for (size_t size = least; size <= sizeof(out); size += sizeof(out) - least) {
		request.attrs[3].len = (uint16_t)size;
		assert_int_equal(send_to(&request, fd), 0);
		assert_int_equal(out.response_length, size);
	}
}

/* libibverbs reads GIDs from sysfs instead. */
TEST(gids_are_told_in_whole_entries)
{
	static const struct {
		uint64_t flags, size, room;
		int error;
	} cases[] = {
		{ 0, 32, 64, 0 },     { 0, 32, 48, EINVAL }, { 0, 32, 0, EINVAL },
		{ 0, 0, 64, EINVAL }, { 0, 64, 64, 0 },      { 1, 32, 64, EINVAL },
	};
	struct ib_uverbs_gid_entry entries[2] = { { .port_num = 0 } };
	struct request request;
	uint64_t count = 0;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE);
		attr(&request, UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE, 8, c->size);
		attr(&request, UVERBS_ATTR_QUERY_GID_TABLE_FLAGS, 4, c->flags);
		pointer(&request, UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, c->room, entries);
		pointer(&request, UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8, &count);
		assert_equal_for("case", send_to(&request, fd), c->error);
	}
	assert_int_equal(count, 1);
	assert_int_equal(entries[0].port_num, 1);
}

/* Sends a firmware command; returns an errno. */
static int send_command(int context, uint8_t opcode)
{
	const uint8_t in[16] = { opcode };
	uint8_t out[48];
	struct request request;

	init(&request, MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER);
	pointer(&request, MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, sizeof(in), in);
	pointer(&request, MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, sizeof(out), out);
	return send_to(&request, context);
}

TEST(the_capabilities_are_the_only_firmware_command)
{
	const struct mlx5_ib_alloc_ucontext_req_v2 in = { .lib_caps = MLX5_LIB_CAP_DYN_UAR };
	struct mlx5_ib_alloc_ucontext_resp out;
	int fresh = open_node();

	assert_int_equal(send_command(fd, 1), 0); /* 0x100: QUERY_HCA_CAP */
	assert_int_equal(send_command(fd, 2), EOPNOTSUPP);
	assert_int_equal(send_command(fresh, 1), EINVAL);
	assert_int_equal(send_context(fresh, &in, sizeof(in), &out), 0);
	assert_int_equal(send_command(fresh, 1), EINVAL); /* a context without DEVX */
	close(fresh);
}

TEST(the_path_of_a_data_direct_device_needs_room)
{
	struct request request;
	char path[64] = "";

	init(&request, UVERBS_OBJECT_DEVICE, 0x1001); /* ...GET_DATA_DIRECT_SYSFS_PATH */
	pointer(&request, 0x1000, 5, path);
	assert_int_equal(send_to(&request, fd), ENODEV);
	setenv("MRCTL_SIM_DATA_DIRECT", "1", 1);
	assert_int_equal(send_to(&request, fd), ENOSPC);
	assert_string_equal(path, "");
	request.attrs[0].len = sizeof(path);
	assert_int_equal(send_to(&request, fd), 0);
	assert_memory_equal(path, "/devices/", 9);
	unsetenv("MRCTL_SIM_DATA_DIRECT");
}

static char *map_uar(size_t length, int flags, uint64_t offset)
{
	return mmap(NULL, length, PROT_WRITE, flags, fd, (off_t)offset);
}

TEST(uars_can_be_mapped)
{
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
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(request.attrs[0].data, pd + 1);
	uar = map_uar(length, MAP_SHARED, offset);
	assert_ptr_not_equal(uar, MAP_FAILED);
	uar[0] = 1;
	assert_ptr_equal(map_uar(2 * length, MAP_SHARED, offset), MAP_FAILED);
	assert_ptr_equal(map_uar(length, MAP_PRIVATE, offset), MAP_FAILED);
	assert_int_equal(destroy(fd, MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY,
				 MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, pd + 1),
			 0);
	assert_ptr_equal(map_uar(length, MAP_SHARED, offset), MAP_FAILED);
	assert_int_equal(errno, EINVAL);
	assert_ptr_equal(mmap(NULL, PAGE, PROT_READ, MAP_SHARED, fd, 0), MAP_FAILED);

	request.attrs[1].data = MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF;
	assert_int_equal(send_to(&request, fd), 0);
	request.attrs[1].data = 7;
	assert_int_equal(send_to(&request, fd), EOPNOTSUPP);
}

EACH_TEST(open_device, close_device)
