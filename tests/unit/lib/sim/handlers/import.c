// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What a process needs that was given the descriptor of a context: listing and importing of its
 * objects.
 */
#include <signal.h>

#include <infiniband/verbs.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "tests/unit/lib/sim/device.h"

#define UAR      MLX5_IB_OBJECT_UAR
#define LIST_MAX (UINT16_MAX / sizeof(uint32_t))

/* ---- INFO_HANDLES -------------------------------------------------------------------------- */

static void assert_handles(int fd, uint16_t type, const uint32_t *expected, uint32_t count)
{
	uint32_t list[8], room = ARRAY_SIZE(list);

	assert_int_equal(info_handles(fd, type, list, &room), 0);
	assert_int_equal(room, count);
	assert_memory_equal(list, expected, count * sizeof(*list));
}

TEST_WITH(handles_are_listed_newest_first, open_device, close_device)
{
	struct device *device = *state;
	uint32_t mr[4];
	size_t i;

	assert_handles(device->fd, UVERBS_OBJECT_PD, &device->pd, 1);
	assert_handles(device->fd, UVERBS_OBJECT_MR, NULL, 0);
	for (i = 0; i < 3; i++)
		assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr[i]),
				 0);
	assert_int_equal(dereg(device->fd, mr[1]), 0);
	assert_handles(device->fd, UVERBS_OBJECT_MR, (uint32_t[]){ mr[2], mr[0] }, 2);
	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr[3]), 0);
	assert_int_equal(mr[3], mr[1]); /* so that handles and age are in different order */
	assert_handles(device->fd, UVERBS_OBJECT_MR, (uint32_t[]){ mr[3], mr[2], mr[0] }, 3);
	assert_int_equal(dereg(device->fd, mr[3]), 0);
	assert_int_equal(dereg(device->fd, mr[0]), 0);
	assert_handles(device->fd, UVERBS_OBJECT_MR, &mr[2], 1);
}

TEST_WITH(only_as_many_as_there_is_room_for, open_device, close_device)
{
	struct device *device = *state;
	uint32_t mr[3], list[3] = { 77, 77, 77 }, count = 2;
	size_t i;

	for (i = 0; i < 3; i++)
		assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr[i]),
				 0);
	assert_int_equal(info_handles(device->fd, UVERBS_OBJECT_MR, list, &count), 0);
	assert_int_equal(count, 2); /* not the number of all objects */
	assert_int_equal(list[0], mr[2]);
	assert_int_equal(list[1], mr[1]);
	assert_int_equal(list[2], 77);
}

TEST_WITH(types_of_objects_are_known_or_not, open_device, close_device)
{
	static const struct {
		uint64_t type;
		int error;
	} cases[] = {
		{ UVERBS_OBJECT_DEVICE, 0 },
		{ UVERBS_OBJECT_QP, 0 },
		{ UVERBS_OBJECT_COUNTERS, 0 },
		{ MLX5_IB_OBJECT_DEVX_UMEM, 0 },
		{ UAR, 0 },
		{ MLX5_IB_OBJECT_FLOW_MATCHER, 0 },
		{ MLX5_IB_OBJECT_STEERING_ANCHOR, ENOENT },
		{ 0xfff, ENOENT },
		{ 0x10ff, ENOENT },
		{ UINT16_MAX, ENOMSG }, /* UVERBS_IDR_ANY_OBJECT */
		{ UINT16_MAX + 1 + UVERBS_OBJECT_PD, EINVAL },
		{ UVERBS_OBJECT_ASYNC_EVENT, EOPNOTSUPP },
	};
	struct device *device = *state;
	uint32_t list[1], count;
	char name[16];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		snprintf(name, sizeof(name), "0x%llx", (unsigned long long)cases[i].type);
		count = 1;
		assert_equal_for(name, info_handles(device->fd, cases[i].type, list, &count),
				 cases[i].error);
		assert_equal_for(name, count, cases[i].error != 0);
	}
}

TEST_WITH(the_list_is_checked, open_device, close_device)
{
	struct device *device = *state;
	uint32_t list[2] = { 77, 77 }, count = 77;
	struct request request;
	size_t i;

	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	attr(&request, UVERBS_ATTR_INFO_OBJECT_ID, 8, UVERBS_OBJECT_PD);
	pointer(&request, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, &count);
	assert_int_equal(send_to(&request, device->fd), EINVAL); /* without a list */
	pointer(&request, UVERBS_ATTR_INFO_HANDLES_LIST, 4, list);
	assert_int_equal(send_to(&request, device->fd), 0);
	for (i = 0; i < 8; i++) {
		request.attrs[2].len = (uint16_t)i;
		assert_equal_for("length", send_to(&request, device->fd), i == 4 ? 0 : EINVAL);
	}
	request.attrs[2].data = 0;
	request.attrs[2].len = 4;
	assert_int_equal(send_to(&request, device->fd), EFAULT);
	request.attrs[0].data = UVERBS_OBJECT_MR; /* there are none: nothing is written */
	assert_int_equal(send_to(&request, device->fd), 0);
	request.attrs[0].len = 4;
	assert_int_equal(send_to(&request, device->fd), EINVAL);

	/* the number of handles is optional, but without it the call fails after it has written the list */
	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	attr(&request, UVERBS_ATTR_INFO_OBJECT_ID, 8, UVERBS_OBJECT_PD);
	pointer(&request, UVERBS_ATTR_INFO_HANDLES_LIST, sizeof(list), list);
	list[0] = 77;
	assert_int_equal(send_to(&request, device->fd), ENOENT);
	assert_int_equal(list[0], device->pd);
	assert_int_equal(list[1], 77);
}

TEST(a_file_without_context_has_no_handles)
{
	uint32_t list[1], count = 1;
	int fd = open_node();

	(void)state;
	assert_int_equal(info_handles(fd, UVERBS_OBJECT_PD, list, &count), 0);
	assert_int_equal(count, 0);
	close(fd);
}

TEST_WITH(the_length_of_the_list_has_16_bits, open_device, close_device)
{
	struct device *device = *state;
	static uint32_t list[20000];
	uint32_t count, newest = 0, i;

	/* on-demand regions do not count against RLIMIT_MEMLOCK */
	for (i = 0; i < LIST_MAX + 1; i++)
		assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE,
				     LOCAL | IB_UVERBS_ACCESS_ON_DEMAND, &newest),
				 0);
	count = LIST_MAX;
	assert_int_equal(info_handles(device->fd, UVERBS_OBJECT_MR, list, &count), 0);
	assert_int_equal(count, LIST_MAX);
	assert_int_equal(list[0], newest);
	assert_int_equal(list[LIST_MAX - 1], newest - LIST_MAX + 1);
	count = 20000;
	assert_int_equal(info_handles(device->fd, UVERBS_OBJECT_MR, list, &count), 0);
	assert_int_equal(count, (20000 * 4 - 65536) / 4);
	count = 16384;
	assert_int_equal(info_handles(device->fd, UVERBS_OBJECT_MR, list, &count), EINVAL);
}

/* ---- QUERY_CONTEXT, PD_QUERY --------------------------------------------------------------- */

static int query_context(int fd, struct mlx5_ib_alloc_ucontext_resp *out, size_t size)
{
	struct request request;

	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	if (out)
		pointer(&request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, size, out);
	return send_to(&request, fd);
}

TEST_WITH(a_context_can_be_queried, open_device, close_device)
{
	const size_t least =
		offsetof(struct mlx5_ib_alloc_ucontext_resp, dump_fill_mkey) + sizeof(uint32_t);
	struct device *device = *state;
	struct mlx5_ib_alloc_ucontext_resp out[2];
	struct request request;
	uint64_t support = 0;
	uint32_t vectors = 0;
	int fresh = open_node();

	assert_int_equal(query_context(fresh, out, sizeof(*out)), EINVAL);
	close(fresh);
	assert_int_equal(query_context(device->fd, NULL, 0), EINVAL);
	assert_int_equal(query_context(device->fd, out, least - 1), EINVAL);
	memset(out, 0xff, sizeof(out));
	assert_int_equal(query_context(device->fd, out, least), 0);
	assert_int_equal(out->response_length, least);
	memset(out, 0xff, sizeof(out));
	assert_int_equal(query_context(device->fd, out, sizeof(out)), 0);
	assert_int_equal(out->response_length, sizeof(*out));
	assert_int_equal(out->cqe_version, 1);
	assert_int_equal(out->num_ports, 1);
	assert_int_equal(out->tot_bfregs, 0); /* else the library cannot import */
	assert_int_equal(out[1].qp_tab_size, 0);

	init(&request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
	pointer(&request, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4, &vectors);
	pointer(&request, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8, &support);
	pointer(&request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, sizeof(*out), out);
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(vectors, 8);
	assert_int_equal(support, IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS);
	request.attrs[0].len = 8;
	assert_int_equal(send_to(&request, device->fd), EINVAL);
}

static int query_pd(int fd, uint64_t handle, uint32_t *pdn, size_t size)
{
	struct request request;

	init(&request, UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY);
	attr(&request, MLX5_IB_ATTR_QUERY_PD_HANDLE, 0, handle);
	if (size)
		pointer(&request, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, size, pdn);
	return send_to(&request, fd);
}

TEST_WITH(a_pd_has_the_number_that_it_was_allocated_with, open_device, close_device)
{
	struct device *device = *state;
	const struct ib_uverbs_alloc_pd in = { 0 };
	struct ib_uverbs_alloc_pd_resp out;
	uint32_t pdn = 0, queried = 1, mr;
	struct request request;

	init_write(&request, IB_USER_VERBS_CMD_ALLOC_PD, &in, sizeof(in), &out, sizeof(out));
	pointer(&request, UVERBS_ATTR_UHW_OUT, sizeof(pdn), &pdn);
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(query_pd(device->fd, out.pd_handle, &queried, 4), 0);
	assert_int_equal(queried, pdn);
	assert_int_equal(query_pd(device->fd, device->pd, &queried, 4), 0);
	assert_int_not_equal(queried, pdn);
	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(query_pd(device->fd, mr, &queried, 4), EINVAL);
	assert_int_equal(query_pd(device->fd, 4711, &queried, 4), ENOENT);
	assert_int_equal(query_pd(device->fd, device->pd, &queried, 8), EINVAL);
	assert_int_equal(query_pd(device->fd, device->pd, NULL, 0), EINVAL);
}

/* ---- libibverbs ---------------------------------------------------------------------------- */

static uint32_t count_of(int fd, uint16_t type)
{
	uint32_t list[8], count = ARRAY_SIZE(list);

	return info_handles(fd, type, list, &count) ? UINT32_MAX : count;
}

/* What the importer has to know of the objects. */
struct shared {
	uint32_t pd, mr, lkey;
};

static int work_on_imported(struct ibv_context *context, const struct shared *shared)
{
	char *memory = malloc(2 * PAGE);
	struct ibv_pd *pd = ibv_import_pd(context, shared->pd);
	struct ibv_mr *imported, *own;

	EXPECT(pd);
	EXPECT(!ibv_import_pd(context, shared->mr) && errno == EINVAL);
	own = ibv_reg_mr(pd, memory, 2 * PAGE, IBV_ACCESS_LOCAL_WRITE);
	EXPECT(own);
	EXPECT(!ibv_import_mr(pd, 4711) && errno == ENOENT);
	imported = ibv_import_mr(pd, shared->mr);
	EXPECT(imported);
	EXPECT(imported->lkey == shared->lkey && imported->rkey == shared->lkey);
	EXPECT(imported->length == PAGE && !imported->addr);
	ibv_unimport_mr(imported);
	imported = ibv_import_mr(pd, shared->mr); /* ibv_unimport_mr() did not destroy it */
	EXPECT(imported);
	EXPECT(!ibv_dereg_mr(imported));
	EXPECT(!ibv_import_mr(pd, shared->mr) && errno == ENOENT);
	EXPECT(!ibv_dereg_mr(own));
	ibv_unimport_pd(pd);
	free(memory);
	return 0;
}

static int import_and_work(int socket)
{
	int fd = receive_fd(socket), line;
	struct ibv_context *context;
	struct shared shared;
	uint32_t uars, pds;

	EXPECT(fd >= 0 && read(socket, &shared, sizeof(shared)) == sizeof(shared));
	uars = count_of(fd, UAR);
	pds = count_of(fd, UVERBS_OBJECT_PD);
	context = ibv_import_device(dup(fd));
	EXPECT(context);
	EXPECT(count_of(fd, UAR) == uars + 1);
	line = work_on_imported(context, &shared);
	if (line)
		return line;
	EXPECT(!ibv_close_device(context));
	EXPECT(count_of(fd, UAR) == uars);
	EXPECT(count_of(fd, UVERBS_OBJECT_PD) == pds);
	EXPECT(!count_of(fd, UVERBS_OBJECT_MR));
	return 0;
}

static int import_and_die(int socket)
{
	struct shared shared;
	int fd = receive_fd(socket);

	EXPECT(read(socket, &shared, sizeof(shared)) == sizeof(shared));
	EXPECT(ibv_import_device(fd));
	kill(getpid(), SIGKILL);
	return 0;
}

/* Start work() in a child with a socket from which it gets the context of the device. */
static pid_t start_importer(int (*work)(int socket), struct device *device)
{
	struct ib_uverbs_reg_mr_resp mr;
	struct shared shared;
	int ends[2];
	pid_t pid;

	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends), 0);
	pid = fork();
	if (!pid) {
		close(device->fd); /* the child shall have only the descriptor of the message */
		_exit(work(ends[0]));
	}
	assert_int_equal(reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &mr), 0);
	shared = (struct shared){ device->pd, mr.mr_handle, mr.lkey };
	assert_true(send_fd(ends[1], device->fd));
	assert_int_equal(write(ends[1], &shared, sizeof(shared)), sizeof(shared));
	close(ends[0]);
	close(ends[1]);
	return pid;
}

TEST_WITH(another_process_imports_and_leaves_nothing_behind, open_device, close_device)
{
	struct device *device = *state;

	assert_child_succeeds(start_importer(import_and_work, device));
	assert_int_equal(count_of(device->fd, UAR), 0);
	assert_int_equal(count_of(device->fd, UVERBS_OBJECT_MR), 0);
	assert_int_equal(dealloc_pd(device->fd, device->pd), 0);
}

TEST_WITH(a_killed_importer_leaves_its_uar, open_device, close_device)
{
	struct device *device = *state;
	pid_t pid = start_importer(import_and_die, device);
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(count_of(device->fd, UAR), 1);
	assert_int_equal(count_of(device->fd, UVERBS_OBJECT_MR), 1);
}

TEST_WITH(a_device_can_be_imported_many_times, open_device, close_device)
{
	struct device *device = *state;
	struct ibv_context *contexts[3];
	size_t i;

	for (i = 0; i < ARRAY_SIZE(contexts); i++) {
		contexts[i] = ibv_import_device(dup(device->fd));
		assert_non_null(contexts[i]);
		assert_int_equal(count_of(device->fd, UAR), i + 1);
	}
	for (i = 0; i < ARRAY_SIZE(contexts); i++)
		assert_int_equal(ibv_close_device(contexts[i]), 0);
	assert_int_equal(count_of(device->fd, UAR), 0);
}
