// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls about protection domains and the context, the destruction of any object, calls without attributes. */
#include <rdma/ib_user_ioctl_cmds.h>

#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"
#include "tests/kernel/differential/state.h"

void list_handles(void)
{
	static const uint32_t types[] = { UVERBS_OBJECT_PD,
					  UVERBS_OBJECT_MR,
					  UVERBS_OBJECT_MR,
					  MLX5_IB_OBJECT_DEVX_UMEM,
					  UVERBS_OBJECT_DM,
					  UVERBS_OBJECT_CQ,
					  UVERBS_OBJECT_FLOW,
					  UVERBS_OBJECT_COUNTERS,
					  0,
					  0xfff,
					  0xffff,
					  0x10001 };
	static const uint16_t rooms[] = { 0, 1, 4, 100, 100, 100 };
	const uint32_t type = PICK(types);
	const uint16_t room = PICK(rooms);
	const uint32_t *list = out_buffer(0), *total = out_buffer(1);
	uint32_t i;

	init(&state.request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	attr(&state.request, UVERBS_ATTR_INFO_OBJECT_ID, 8, type);
	pointer(&state.request, UVERBS_ATTR_INFO_HANDLES_LIST, room * sizeof(*list), list);
	pointer(&state.request, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, total);
	line_add("info_handles type=%#x room=%u", type, room);
	if (!send_request())
		return;
	line_add(" total=%u:", *total);
	for (i = 0; i < *total && i < room; i++)
		line_add(" %u", list[i]);
}

void alloc_pd_by_write(void)
{
	const struct ib_uverbs_alloc_pd cmd = { 0 };
	struct ib_uverbs_alloc_pd_resp *resp = out_buffer(0);

	line_add("alloc_pd");
	init_command(IB_USER_VERBS_CMD_ALLOC_PD, &cmd, sizeof(cmd), sizeof(*resp));
	if (state.is_mlx5)
		pointer(&state.request, UVERBS_ATTR_UHW_OUT, 4, out_buffer(1));
	if (!send_request())
		return;
	line_add(" handle=%u", resp->pd_handle);
	add_object(PD, resp->pd_handle, 0, NULL, 0);
}

void destroy_pd(void)
{
	destroy_object(PD, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
		       IB_USER_VERBS_CMD_DEALLOC_PD);
}

/* Requests of libibverbs for the import of a context or a protection domain. */
void query_for_import(void)
{
	const uint32_t pd = draw_handle(PD);

	if (chance(50)) {
		line_add("query_context");
		init(&state.request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
		pointer(&state.request, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4,
			out_buffer(0));
		pointer(&state.request, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8, out_buffer(1));
		if (state.is_mlx5)
			pointer(&state.request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX,
				sizeof(struct mlx5_ib_alloc_ucontext_resp), out_buffer(2));
		send_request();
		return;
	}
	line_add("query_pd pd=%u", pd);
	init(&state.request, UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY);
	attr(&state.request, MLX5_IB_ATTR_QUERY_PD_HANDLE, 0, pd);
	pointer(&state.request, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, 4, out_buffer(0));
	send_request();
}

void destroy_object(enum type type, uint16_t object, uint16_t method, uint64_t command)
{
	static const char *const names[] = { "dealloc_pd", "dereg_mr", "umem_dereg", "free_dm",
					     "free_dmah" };
	const uint32_t handle = draw_handle(type);

	if (command && chance(30)) {
		line_add("%s_write handle=%u", names[type], handle);
		init_command(command, &handle, sizeof(handle), 0);
	} else {
		line_add("%s handle=%u", names[type], handle);
		init(&state.request, object, method);
		/* the attribute of the handle is the first of the method: 0, or the first of the driver */
		attr(&state.request, type == UMEM ? MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE : 0, 0,
		     chance(97)   ? handle
		     : chance(50) ? UINT64_MAX
				  : 1ull << 32 | handle);
	}
	if (send_request())
		forget_object(type, handle);
}

/* A method or command that may not exist, without the attributes that it needs. */
void bare_call(void)
{
	static const uint16_t drivers[] = { 0, 0, 0x1000, 0x2000 };
	uint16_t object, method;
	uint64_t command;

	if (chance(50)) {
		object = (uint16_t)(PICK(drivers) + draw(0x14));
		method = (uint16_t)(PICK(drivers) + draw(10));
		line_add("method %#x/%#x", object, method);
		init(&state.request, object, method);
	} else {
		command = draw(64) | (chance(30) ? IB_USER_VERBS_CMD_FLAG_EXTENDED : 0) |
			  (chance(10) ? 1ull << (8 + draw(40)) : 0);
		line_add("write %#llx", (unsigned long long)command);
		init_write(&state.request, command, NULL, 0, NULL, 0);
	}
	send_request();
}
