// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls about memory regions, other than those on memory of the device. */
#include <rdma/ib_user_ioctl_cmds.h>

#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"
#include "tests/kernel/differential/state.h"

/* Attributes of UVERBS_METHOD_REG_MR, which the headers of rdma-core 44 do not have. */
#define METHOD_REG_MR 5
enum {
	REG_MR_HANDLE = 0,
	REG_MR_PD = 1,
	REG_MR_DMAH = 2,
	REG_MR_IOVA = 3,
	REG_MR_ADDR = 4,
	REG_MR_LENGTH = 5,
	REG_MR_ACCESS = 6,
	REG_MR_FD = 7,
	REG_MR_FD_OFFSET = 8,
	REG_MR_LKEY = 9,
	REG_MR_RKEY = 10
};
#define DATA_DIRECT_ATTR 0x1000

/* Huge lengths are only for pinned memory: on-demand paging allocates a table for the whole length, which exhausts the kernel. */
static void draw_range_for(struct range *range, uint32_t access)
{
	arena_draw(range, !is_on_demand(access));
}

void reg_mr_by_write(void)
{
	struct ib_uverbs_reg_mr cmd = { .access_flags = draw_access() };
	struct ib_uverbs_reg_mr_resp *resp = out_buffer(0);
	struct range range = { 0 };

	draw_range_for(&range, cmd.access_flags);
	cmd.start = range.addr;
	cmd.length = range.length;
	cmd.hca_va = range.iova;
	cmd.pd_handle = draw_handle(PD);
	line_add("reg_mr %s access=%#x pd=%u", range.text, cmd.access_flags, cmd.pd_handle);
	init_command(IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), sizeof(*resp));
	if (send_request())
		add_mr(resp->mr_handle, resp->lkey, resp->rkey, &range, cmd.access_flags);
}

void reg_mr_by_method(void)
{
	const uint32_t access = draw_access(), pd = draw_handle(PD);
	const bool by_fd = chance(20), with_dmah = chance(6);
	const uint32_t dmah = with_dmah ? draw_handle(DMAH) : 0;
	const char *name = "";
	struct range range = { 0 };
	int fd;

	if (by_fd)
		arena_draw_dmabuf(&range);
	else
		draw_range_for(&range, access);
	init(&state.request, UVERBS_OBJECT_MR, METHOD_REG_MR);
	attr(&state.request, REG_MR_HANDLE, 0, 0);
	attr(&state.request, REG_MR_PD, 0, pd);
	attr(&state.request, REG_MR_IOVA, 8, range.iova);
	attr(&state.request, REG_MR_LENGTH, 8, range.length);
	attr(&state.request, REG_MR_ACCESS, chance(50) ? 4 : 8, access);
	if (by_fd) {
		fd = arena_draw_fd(&name);
		attr(&state.request, REG_MR_FD, 0, (uint64_t)(int64_t)fd);
		attr(&state.request, REG_MR_FD_OFFSET, 8, range.addr);
	} else {
		attr(&state.request, REG_MR_ADDR, 8, range.addr);
	}
	pointer(&state.request, REG_MR_LKEY, 4, out_buffer(0));
	pointer(&state.request, REG_MR_RKEY, 4, out_buffer(1));
	line_add("reg_mr_method %s %s access=%#x pd=%u", name, range.text, access, pd);
	if (with_dmah) {
		attr(&state.request, REG_MR_DMAH, 0, dmah);
		line_add(" dmah=%u", dmah);
	}
	if (send_request())
		add_mr((uint32_t)attr_value(REG_MR_HANDLE), *(uint32_t *)out_buffer(0),
		       *(uint32_t *)out_buffer(1), &range, access);
}

void reg_dmabuf_mr_of(int fd, const char *name)
{
	const uint32_t access = draw_access(), pd = draw_handle(PD);
	const bool data_direct = chance(25);
	struct range range = { 0 };

	arena_draw_dmabuf(&range);
	init(&state.request, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	attr(&state.request, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	attr(&state.request, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, pd);
	attr(&state.request, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, range.addr);
	attr(&state.request, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, range.length);
	attr(&state.request, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, range.iova);
	attr(&state.request, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, (uint32_t)fd);
	attr(&state.request, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, access);
	pointer(&state.request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, out_buffer(0));
	pointer(&state.request, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, out_buffer(1));
	if (data_direct)
		attr(&state.request, DATA_DIRECT_ATTR, 4, 1);
	range.of_device = data_direct;
	line_add("reg_dmabuf_mr %s %s access=%#x pd=%u%s", name, range.text, access, pd,
		 data_direct ? " data-direct" : "");
	if (send_request())
		add_mr((uint32_t)attr_value(UVERBS_ATTR_REG_DMABUF_MR_HANDLE),
		       *(uint32_t *)out_buffer(0), *(uint32_t *)out_buffer(1), &range, access);
}

void reg_dmabuf_mr(void)
{
	const char *name;
	int fd = arena_draw_fd(&name);

	reg_dmabuf_mr_of(fd, name);
}

/* The kernel may have changed the MR even if it could not write the answer. */
static void rereg_answered(bool ok, const struct ib_uverbs_rereg_mr *cmd)
{
	const bool translates = cmd->flags & REREG_TRANS;
	const struct ib_uverbs_rereg_mr_resp *resp = out_buffer(0);
	const uint32_t i = find_mr(cmd->mr_handle);
	const char *word = NULL;
	struct range range = { 0 };
	struct mr mr = { 0 };

	if (i < OBJECTS_MAX && !query(state.fd, cmd->mr_handle, &mr)) {
		range.addr = translates ? cmd->start : mr.iova;
		range.length = mr.length;
		if (ok && cmd->flags & REREG_ACCESS)
			state.objects[MR].access[i] = cmd->access_flags;
		word = change_key(i, mr.lkey, key_blocks(&range, state.objects[MR].access[i]));
	}
	if (!ok)
		return;
	line_add(" lkey=%s", word && mr.lkey == resp->lkey ? word : describe_key(resp->lkey, 0));
	line_add(" rkey=%s", resp->rkey == resp->lkey ? "lkey" : describe_key(resp->rkey, 0));
}

void rereg_mr(void)
{
	static const uint32_t flags[] = { 0,
					  REREG_TRANS,
					  REREG_TRANS,
					  REREG_PD,
					  REREG_ACCESS,
					  REREG_ACCESS,
					  REREG_PD | REREG_ACCESS,
					  REREG_TRANS | REREG_PD,
					  REREG_TRANS | REREG_ACCESS,
					  REREG_TRANS | REREG_PD | REREG_ACCESS };
	const size_t room = sizeof(struct ib_uverbs_rereg_mr_resp);
	struct ib_uverbs_rereg_mr cmd = { .flags = PICK(flags) };
	struct objects *mrs = &state.objects[MR];
	struct range range = { 0 };
	uint32_t i;

	if (chance(4))
		cmd.flags |= 1u << draw(32);
	arena_draw(&range, false);
	cmd.mr_handle = draw_handle(MR);
	cmd.start = range.addr;
	cmd.length = range.length;
	cmd.hca_va = range.iova;
	cmd.pd_handle = draw_handle(PD);
	cmd.access_flags = draw_access();
	/*
	 * rxe of Linux 7.2 changes the PD before it refuses these flags, and then miscounts the
	 * users of the PD: it could not be deallocated any more.
	 */
	if (!state.is_mlx5 && cmd.flags & REREG_PD)
		cmd.access_flags &=
			~(uint32_t)(IB_UVERBS_ACCESS_ZERO_BASED | IB_UVERBS_ACCESS_HUGETLB);
	i = find_mr(cmd.mr_handle);
	line_add("rereg_mr mr=%u flags=%#x", cmd.mr_handle, cmd.flags);
	/* Linux 6.1 takes the memory for MRs on demand even where it is not to change */
	if (cmd.flags & REREG_TRANS || state.kernel < 612)
		line_add(" %s", range.text);
	if (cmd.flags & REREG_PD)
		line_add(" pd=%u", cmd.pd_handle);
	if (cmd.flags & REREG_ACCESS)
		line_add(" access=%#x", cmd.access_flags);
	init_command(IB_USER_VERBS_CMD_REREG_MR, &cmd, sizeof(cmd), room);
	rereg_answered(send_request(), &cmd);
	if (i == OBJECTS_MAX)
		return;
	if (state.is_mlx5 && cmd.flags & REREG_ACCESS && is_on_demand(cmd.access_flags))
		mrs->on_demand[i] = true;
}

void query_mr(void)
{
	const uint32_t handle = draw_handle(MR);
	const bool with_iova = chance(80);

	init(&state.request, UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	attr(&state.request, UVERBS_ATTR_QUERY_MR_HANDLE, 0, handle);
	pointer(&state.request, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, out_buffer(0));
	pointer(&state.request, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, out_buffer(1));
	pointer(&state.request, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, out_buffer(2));
	if (with_iova)
		pointer(&state.request, UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8, out_buffer(3));
	line_add("query_mr mr=%u", handle);
	if (send_request())
		line_add(" lkey=%s rkey=%s length=%#llx iova=%#llx",
			 describe_key(*(uint32_t *)out_buffer(0), mr_key(handle)),
			 *(uint32_t *)out_buffer(0) == *(uint32_t *)out_buffer(1)
				 ? "lkey"
				 : describe_key(*(uint32_t *)out_buffer(1), 0),
			 *(unsigned long long *)out_buffer(2),
			 *(unsigned long long *)out_buffer(3));
}

void dereg_mr(void)
{
	destroy_object(MR, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, IB_USER_VERBS_CMD_DEREG_MR);
}

/*
 * The index of an MR, or OBJECTS_MAX.  On rxe only on-demand MRs are drawn: rxe of Linux 7.2 treats an MR
 * with pinned pages as an on-demand one, and reads beyond its memory.
 */
static uint32_t draw_mr_to_advise(void)
{
	const struct objects *mrs = &state.objects[MR];
	const uint32_t mr = mrs->count && chance(90) ? draw(mrs->count) : OBJECTS_MAX;

	return state.is_mlx5 || mr == OBJECTS_MAX || mrs->on_demand[mr] ? mr : OBJECTS_MAX;
}

void advise_mr(void)
{
	const struct objects *mrs = &state.objects[MR];
	const uint32_t pd = draw_handle(PD), some = 1 + draw(2);
	const uint64_t advice = draw(chance(90) ? 3 : 5);
	const uint32_t flags = chance(70) ? 1 : draw(4);
	struct ib_uverbs_sge *list = in_buffer(0);
	const char *name = "a made-up key";
	struct range range = { 0 };
	uint32_t i, mr;

	line_add("advise_mr pd=%u advice=%u flags=%u", pd, (uint32_t)advice, flags);
	for (i = 0; i < some; i++) {
		arena_draw(&range, false);
		list[i].addr = range.iova;
		list[i].length = range.length > 1 << 20 ? 1 << 20 : (uint32_t)range.length;
		list[i].lkey = 0x7fffff00;
		mr = draw_mr_to_advise();
		if (mr < OBJECTS_MAX)
			list[i].lkey = mrs->key[mr];
		if (mr < OBJECTS_MAX && chance(70))
			list[i].addr = mrs->iova[mr] + (chance(50) ? 0 : draw(5) * 1000);
		line_add(" (%s", mr < OBJECTS_MAX ? "mr=" : name);
		if (mr < OBJECTS_MAX)
			line_add("%u", mrs->handle[mr]);
		line_add(" iova=%#llx length=%u)", (unsigned long long)list[i].addr,
			 list[i].length);
	}
	init(&state.request, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	attr(&state.request, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, pd);
	attr(&state.request, UVERBS_ATTR_ADVISE_MR_ADVICE, 8, advice);
	attr(&state.request, UVERBS_ATTR_ADVISE_MR_FLAGS, 4, flags);
	pointer(&state.request, UVERBS_ATTR_ADVISE_MR_SGE_LIST, some * sizeof(*list), list);
	send_request();
}
