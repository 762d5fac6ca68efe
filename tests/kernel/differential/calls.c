// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * differential FILES DEVICE SEED CALLS [KERNEL]: random calls of the uverbs ABI, one line for each:
 *   EPISODE.CALL NAME ARGUMENTS -> ERRNO, or ok and what came back
 *
 * The same arguments give the same list on every machine with the same device, simulated or not.
 * FILES is a folder with the folders "ext4" and "xfs", of such file systems (on the simulator: of any on a
 * disk).
 * KERNEL ("6.12"; default: this one) chooses calls that it has.  After a difference the lists cannot agree
 * any more, since calls follow from the objects that there are: each episode has a new context.
 */
#include <dirent.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "arena.h"
#include "draw.h"
#include "mutate.h"

#define EPISODE 40
#define MOST    24 /* objects of a type that live at once */

/* not in the headers of rdma-core 44 */
#define METHOD_REG_MR 5
enum {
	REG_MR_HANDLE = 0,
	REG_MR_PD = 1,
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
#define OBJECT_DMABUF    18
#define DMABUF_FD        0
#define DMABUF_OFFSET    1

/* Where pages of the device are for mmap(): MLX5_IB_MMAP_DEVICE_MEM */
#define MMAP_DM 8u

#define NO_FD   INT32_MIN

enum type { PD, MR, UMEM, DM, TYPES };

/** The objects of a type. */
struct objects {
	uint32_t handle[MOST], key[MOST]; /**< DM: its page */
	uint64_t iova[MOST];
	bool on_demand[MOST]; /**< MR: it is; of mlx5 also: may be since a change that failed */
	uint32_t stale[MOST]; /**< handles that were, and may be others' by now */
	uint32_t count, stale_count;
};

static struct {
	int fd;
	bool is_mlx5;
	unsigned int kernel; /**< 612 for 6.12 */
	struct objects objects[TYPES];
	char line[1024];
	size_t length;
	struct request request;
} run;

/* ---- the line ------------------------------------------------------------------------------ */

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	run.length += (size_t)vsnprintf(run.line + run.length, sizeof(run.line) - run.length,
					format, args);
	va_end(args);
	if (run.length >= sizeof(run.line))
		run.length = sizeof(run.line) - 1;
}

/* Sends the request, one in eight changed first.  Returns whether it was accepted. */
static bool sent(void)
{
	char what[128];
	int error;

	if (run.request.hdr.num_attrs && chance(12)) {
		mutate(&run.request, what, sizeof(what));
		say(" [%s]", what);
	}
	error = send_mutated(&run.request, run.fd);
	say(" -> %s", error ? strerrorname_np(error) : "ok");
	return !error;
}

/* ---- objects ------------------------------------------------------------------------------- */

static void add(enum type type, uint32_t handle, uint32_t key, const struct range *range,
		uint32_t access)
{
	struct objects *objects = &run.objects[type];

	if (objects->count == MOST)
		return;
	objects->handle[objects->count] = handle;
	objects->iova[objects->count] = range ? range->iova : 0;
	objects->on_demand[objects->count] = access & IB_UVERBS_ACCESS_ON_DEMAND;
	objects->key[objects->count++] = key;
}

static void forget(enum type type, uint32_t handle)
{
	struct objects *objects = &run.objects[type];
	uint32_t i;

	objects->stale[objects->stale_count++ % MOST] = handle;
	for (i = 0; i < objects->count; i++) {
		if (objects->handle[i] != handle)
			continue;
		objects->count--;
		objects->handle[i] = objects->handle[objects->count];
		objects->key[i] = objects->key[objects->count];
		objects->iova[i] = objects->iova[objects->count];
		objects->on_demand[i] = objects->on_demand[objects->count];
		return;
	}
}

static bool is_full(enum type type)
{
	return run.objects[type].count == MOST;
}

/* The place of an MR, or MOST. */
static uint32_t find_mr(uint32_t handle)
{
	const struct objects *mrs = &run.objects[MR];
	uint32_t i;

	for (i = 0; i < mrs->count; i++)
		if (mrs->handle[i] == handle)
			return i;
	return MOST;
}

/* The key that an MR has, or 0. */
static uint32_t key_of(uint32_t handle)
{
	const uint32_t i = find_mr(handle);

	return i < MOST ? run.objects[MR].key[i] : 0;
}

/* Mostly an object of the type that there is. */
static uint32_t draw_handle(enum type type)
{
	static const uint32_t others[] = { 100, 0x10000, 0x7fffffff, 0x80000000, UINT32_MAX };
	const struct objects *objects = &run.objects[type];
	const uint32_t kind = draw(100);
	uint32_t stale = objects->stale_count < MOST ? objects->stale_count : MOST;

	if (kind >= 90)
		objects = &run.objects[draw(TYPES)];
	if (kind < 3)
		return PICK(others);
	if (kind < 10 && stale)
		return objects->stale[draw(stale)];
	return objects->count ? objects->handle[draw(objects->count)] : 0;
}

static const char *compare_key(uint32_t key, uint32_t before)
{
	const struct objects *mrs = &run.objects[MR];
	uint32_t i;

	if (!key)
		return "0";
	if (key == before)
		return "same";
	for (i = 0; i < mrs->count; i++)
		if (mrs->key[i] == key)
			return "another's";
	return "new";
}

/* ---- calls --------------------------------------------------------------------------------- */

static uint32_t draw_access(void)
{
	static const uint32_t some[] = { 0, 1, 1,   1,    3,    4,    5,       5,
					 7, 9, 0xf, 0x1f, 0x41, 0x47, 0x100001 };

	if (chance(70))
		return PICK(some);
	if (chance(70)) /* any of those that there are, mostly legal together */
		return (uint32_t)(draw_bits() & draw_bits() & 0x1003ff) | chance(80);
	return (uint32_t)(draw_bits() & draw_bits() & 0x3f) | 1u << draw(32);
}

static bool on_demand(uint32_t access)
{
	return access & IB_UVERBS_ACCESS_ON_DEMAND;
}

static void *in(unsigned int i)
{
	return buffers.in[i];
}

static void *out(unsigned int i)
{
	return buffers.out[i];
}

static void init_command(uint64_t command, const void *request, size_t in_size, size_t out_size)
{
	memcpy(in(0), request, in_size);
	init_write(&run.request, command, in(0), in_size, out(0), out_size);
}

static void say_new_mr(uint32_t handle, uint32_t lkey, uint32_t rkey, const struct range *range,
		       uint32_t access)
{
	say(" handle=%u lkey=%s rkey=%s", handle, compare_key(lkey, 0),
	    rkey == lkey ? "lkey" : compare_key(rkey, 0));
	add(MR, handle, lkey, range, access);
}

/* No lengths that exhaust a kernel: on-demand paging asks for a table as long as they are. */
static void draw_memory(struct range *range, uint32_t access)
{
	arena_draw(range, !on_demand(access));
}

static void write_reg_mr(void)
{
	struct ib_uverbs_reg_mr cmd = { .access_flags = draw_access() };
	struct ib_uverbs_reg_mr_resp *resp = out(0);
	struct range range;

	draw_memory(&range, cmd.access_flags);
	cmd.start = range.addr;
	cmd.length = range.length;
	cmd.hca_va = range.iova;
	cmd.pd_handle = draw_handle(PD);
	say("reg_mr %s access=%#x pd=%u", range.text, cmd.access_flags, cmd.pd_handle);
	init_command(IB_USER_VERBS_CMD_REG_MR, &cmd, sizeof(cmd), sizeof(*resp));
	if (sent())
		say_new_mr(resp->mr_handle, resp->lkey, resp->rkey, &range, cmd.access_flags);
}

/* The attribute of an id, wherever it is. */
static uint64_t value_of(uint16_t id)
{
	size_t i;

	for (i = 0; i < run.request.hdr.num_attrs; i++)
		if (run.request.attrs[i].attr_id == id)
			return run.request.attrs[i].data;
	return UINT64_MAX;
}

static void method_reg_mr(void)
{
	const uint32_t access = draw_access(), pd = draw_handle(PD);
	const bool by_fd = chance(20);
	const char *name = "";
	struct range range;
	int fd;

	if (by_fd)
		arena_draw_dmabuf(&range);
	else
		draw_memory(&range, access);
	init(&run.request, UVERBS_OBJECT_MR, METHOD_REG_MR);
	attr(&run.request, REG_MR_HANDLE, 0, 0);
	attr(&run.request, REG_MR_PD, 0, pd);
	attr(&run.request, REG_MR_IOVA, 8, range.iova);
	attr(&run.request, REG_MR_LENGTH, 8, range.length);
	attr(&run.request, REG_MR_ACCESS, chance(50) ? 4 : 8, access);
	if (by_fd) {
		fd = arena_draw_fd(&name);
		attr(&run.request, REG_MR_FD, 0, (uint64_t)(int64_t)fd);
		attr(&run.request, REG_MR_FD_OFFSET, 8, range.addr);
	} else {
		attr(&run.request, REG_MR_ADDR, 8, range.addr);
	}
	pointer(&run.request, REG_MR_LKEY, 4, out(0));
	pointer(&run.request, REG_MR_RKEY, 4, out(1));
	say("reg_mr_method %s %s access=%#x pd=%u", name, range.text, access, pd);
	if (sent())
		say_new_mr((uint32_t)value_of(REG_MR_HANDLE), *(uint32_t *)out(0),
			   *(uint32_t *)out(1), &range, access);
}

static void reg_dmabuf_of(int fd, const char *name)
{
	const uint32_t access = draw_access(), pd = draw_handle(PD);
	const bool data_direct = chance(5);
	struct range range;

	arena_draw_dmabuf(&range);
	init(&run.request, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	attr(&run.request, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	attr(&run.request, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, pd);
	attr(&run.request, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, range.addr);
	attr(&run.request, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, range.length);
	attr(&run.request, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, range.iova);
	attr(&run.request, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, (uint32_t)fd);
	attr(&run.request, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, 4, access);
	pointer(&run.request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, out(0));
	pointer(&run.request, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, out(1));
	if (data_direct)
		attr(&run.request, DATA_DIRECT_ATTR, 4, 1);
	say("reg_dmabuf_mr %s %s access=%#x pd=%u%s", name, range.text, access, pd,
	    data_direct ? " data-direct" : "");
	if (sent())
		say_new_mr((uint32_t)value_of(UVERBS_ATTR_REG_DMABUF_MR_HANDLE),
			   *(uint32_t *)out(0), *(uint32_t *)out(1), &range, access);
}

static void reg_dmabuf_mr(void)
{
	const char *name;
	int fd = arena_draw_fd(&name);

	reg_dmabuf_of(fd, name);
}

static void rereg_mr(void)
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
	struct ib_uverbs_rereg_mr_resp *resp = out(0);
	struct ib_uverbs_rereg_mr cmd = { .flags = PICK(flags) };
	struct objects *mrs = &run.objects[MR];
	struct range range;
	struct mr mr;
	uint32_t i, key;

	if (chance(4))
		cmd.flags |= 1u << draw(32);
	arena_draw(&range, false);
	cmd.mr_handle = draw_handle(MR);
	cmd.start = range.addr;
	cmd.length = range.length;
	cmd.hca_va = range.iova;
	cmd.pd_handle = draw_handle(PD);
	cmd.access_flags = draw_access();
	/* rxe of Linux 7.2 refuses these after it has changed the PD, and miscounts its users */
	if (!run.is_mlx5 && cmd.flags & REREG_PD)
		cmd.access_flags &=
			~(uint32_t)(IB_UVERBS_ACCESS_ZERO_BASED | IB_UVERBS_ACCESS_HUGETLB);
	i = find_mr(cmd.mr_handle);
	key = key_of(cmd.mr_handle);
	/* mlx5 of Linux 6.1 unpins what it never pinned then, and miscounts locked memory */
	if (run.is_mlx5 && run.kernel < 602 && i < MOST && mrs->on_demand[i] &&
	    !(cmd.flags & REREG_TRANS))
		cmd.flags &= ~REREG_ACCESS;
	say("rereg_mr mr=%u flags=%#x", cmd.mr_handle, cmd.flags);
	if (cmd.flags & REREG_TRANS)
		say(" %s", range.text);
	if (cmd.flags & REREG_PD)
		say(" pd=%u", cmd.pd_handle);
	if (cmd.flags & REREG_ACCESS)
		say(" access=%#x", cmd.access_flags);
	init_command(IB_USER_VERBS_CMD_REREG_MR, &cmd, sizeof(cmd), sizeof(*resp));
	if (sent())
		say(" lkey=%s rkey=%s", compare_key(resp->lkey, key),
		    resp->rkey == resp->lkey ? "lkey" : compare_key(resp->rkey, key));
	if (i == MOST)
		return;
	/* it may have been done even if the answer could not be written */
	if (!query(run.fd, cmd.mr_handle, &mr))
		mrs->key[i] = mr.lkey;
	if (run.is_mlx5 && cmd.flags & REREG_ACCESS && on_demand(cmd.access_flags))
		mrs->on_demand[i] = true;
}

static void query_mr(void)
{
	const uint32_t handle = draw_handle(MR);
	const bool with_iova = chance(80);

	init(&run.request, UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR);
	attr(&run.request, UVERBS_ATTR_QUERY_MR_HANDLE, 0, handle);
	pointer(&run.request, UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, out(0));
	pointer(&run.request, UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, out(1));
	pointer(&run.request, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, out(2));
	if (with_iova)
		pointer(&run.request, UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8, out(3));
	say("query_mr mr=%u", handle);
	if (sent())
		say(" lkey=%s rkey=%s length=%#llx iova=%#llx",
		    compare_key(*(uint32_t *)out(0), key_of(handle)),
		    *(uint32_t *)out(0) == *(uint32_t *)out(1)
			    ? "lkey"
			    : compare_key(*(uint32_t *)out(1), 0),
		    *(unsigned long long *)out(2), *(unsigned long long *)out(3));
}

static void list_handles(void)
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
	const uint32_t *list = out(0), *total = out(1);
	uint32_t i;

	init(&run.request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES);
	attr(&run.request, UVERBS_ATTR_INFO_OBJECT_ID, 8, type);
	pointer(&run.request, UVERBS_ATTR_INFO_HANDLES_LIST, room * sizeof(*list), list);
	pointer(&run.request, UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, total);
	say("info_handles type=%#x room=%u", type, room);
	if (!sent())
		return;
	say(" total=%u:", *total);
	for (i = 0; i < *total && i < room; i++)
		say(" %u", list[i]);
}

static void write_alloc_pd(void)
{
	const struct ib_uverbs_alloc_pd cmd = { 0 };
	struct ib_uverbs_alloc_pd_resp *resp = out(0);

	say("alloc_pd");
	init_command(IB_USER_VERBS_CMD_ALLOC_PD, &cmd, sizeof(cmd), sizeof(*resp));
	if (run.is_mlx5)
		pointer(&run.request, UVERBS_ATTR_UHW_OUT, 4, out(1));
	if (!sent())
		return;
	say(" handle=%u", resp->pd_handle);
	add(PD, resp->pd_handle, 0, NULL, 0);
}

/* By the method, or by the older command where there is one. */
static void destroy_object(enum type type, uint16_t object, uint16_t method, uint64_t command)
{
	static const char *const names[] = { "dealloc_pd", "dereg_mr", "umem_dereg", "free_dm" };
	const uint32_t handle = draw_handle(type);

	if (command && chance(30)) {
		say("%s_write handle=%u", names[type], handle);
		init_command(command, &handle, sizeof(handle), 0);
	} else {
		say("%s handle=%u", names[type], handle);
		init(&run.request, object, method);
		/* the id of a destroying method's handle is 0 or the driver's first */
		attr(&run.request, type == UMEM ? MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE : 0, 0,
		     chance(97)   ? handle
		     : chance(50) ? UINT64_MAX
				  : 1ull << 32 | handle);
	}
	if (sent())
		forget(type, handle);
}

static void dealloc_pd_any(void)
{
	destroy_object(PD, UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY,
		       IB_USER_VERBS_CMD_DEALLOC_PD);
}

static void dereg_mr_any(void)
{
	destroy_object(MR, UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, IB_USER_VERBS_CMD_DEREG_MR);
}

static void umem_dereg(void)
{
	destroy_object(UMEM, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, 0);
}

static void free_dm(void)
{
	destroy_object(DM, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, 0);
}

static void umem_reg_of(int fd, const char *name)
{
	static const uint64_t bitmaps[] = { UINT64_MAX, 0x1000, 0x2000,  0x201000,  0x200000,
					    0,          0x800,  0x11800, 1ull << 63 };
	const uint32_t access = draw_access();
	const bool by_fd = fd != NO_FD, sized = chance(60);
	const uint64_t bitmap = PICK(bitmaps);
	struct range range;
	uint64_t handle;

	if (by_fd)
		arena_draw_dmabuf(&range);
	else
		arena_draw(&range, false);
	init(&run.request, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	attr(&run.request, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0, 0);
	attr(&run.request, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 8, range.addr);
	attr(&run.request, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 8, range.length);
	attr(&run.request, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, 4, access);
	pointer(&run.request, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4, out(0));
	if (sized)
		attr(&run.request, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, 8, bitmap);
	if (by_fd)
		attr(&run.request, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0, (uint64_t)(int64_t)fd);
	say("umem_reg %s %s access=%#x", name, range.text, access);
	if (sized)
		say(" sizes=%#llx", (unsigned long long)bitmap);
	if (!sent())
		return;
	handle = value_of(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE);
	say(" handle=%llu", (unsigned long long)handle);
	add(UMEM, (uint32_t)handle, 0, NULL, 0);
}

static void umem_reg(void)
{
	const char *name = "";
	int fd = chance(25) ? arena_draw_fd(&name) : NO_FD;

	umem_reg_of(fd, name);
}

/* ---- memory on the device ---- */

static void alloc_dm(void)
{
	static const uint64_t usual[] = { 1,        64,       100,       PAGE,      PAGE + 1,
					  3 * PAGE, 8 * PAGE, 16 * PAGE, 20 * PAGE, 32 * PAGE };
	static const uint64_t others[] = {
		0,          32 * PAGE + 1,    64 * PAGE,        64 * PAGE + 1,   1ull << 32,
		1ull << 44, (1ull << 44) + 1, UINT64_MAX - 100, UINT64_MAX - 63, UINT64_MAX - 62,
		UINT64_MAX
	};
	static const uint32_t alignments[] = { 1, 5, 6, 7, 11, 12, 13, 14, 0x80000000, UINT32_MAX };
	static const uint64_t kinds[] = { 0, 0, 1, 2, 3, 4, 1ull << 32, UINT64_MAX };
	const uint64_t length = chance(80) ? PICK(usual) : PICK(others), kind = PICK(kinds);
	const uint32_t alignment = chance(60) ? 0 : PICK(alignments);
	const bool has_kind = chance(15);
	uint16_t page;

	init(&run.request, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	attr(&run.request, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	attr(&run.request, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, length);
	attr(&run.request, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, alignment);
	pointer(&run.request, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, out(0));
	pointer(&run.request, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2, out(1));
	if (has_kind)
		attr(&run.request, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 8, kind);
	say("alloc_dm length=%#llx alignment=%u", (unsigned long long)length, alignment);
	if (has_kind)
		say(" type=%#llx", (unsigned long long)kind);
	if (!sent())
		return;
	page = *(uint16_t *)out(1);
	say(" handle=%u page=%u offset=%llu", (uint32_t)value_of(UVERBS_ATTR_ALLOC_DM_HANDLE), page,
	    *(unsigned long long *)out(0));
	add(DM, (uint32_t)value_of(UVERBS_ATTR_ALLOC_DM_HANDLE), page, NULL, 0);
}

static void query_dm(void)
{
	const uint32_t handle = draw_handle(DM);

	init(&run.request, UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY);
	attr(&run.request, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, 0, handle);
	pointer(&run.request, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, 8, out(0));
	pointer(&run.request, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, 2, out(1));
	pointer(&run.request, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, 8, out(2));
	say("query_dm dm=%u", handle);
	if (sent())
		say(" page=%u offset=%llu length=%#llx", *(uint16_t *)out(1),
		    *(unsigned long long *)out(0), *(unsigned long long *)out(2));
}

static void reg_dm_mr(void)
{
	static const uint32_t usual[] = { 0, 0x20, 0x21, 0x21, 0x25, 0x27, 0x2f };
	static const uint64_t offsets[] = { 1, 64, 100, PAGE, 3 * PAGE, 16 * PAGE, UINT64_MAX };
	static const uint64_t lengths[] = { 1,         36,        64,        100,
					    PAGE - 64, PAGE,      PAGE + 1,  2 * PAGE,
					    3 * PAGE,  16 * PAGE, 32 * PAGE, UINT64_MAX };
	const uint32_t access = chance(60) ? PICK(usual) : draw_access() | PICK(usual);
	const uint32_t pd = draw_handle(PD), dm = draw_handle(DM);
	const struct range range = {
		.addr = chance(60) ? 0 : PICK(offsets),
		.length = chance(4) ? 0 : PICK(lengths),
	};

	init(&run.request, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	attr(&run.request, UVERBS_ATTR_REG_DM_MR_HANDLE, 0, 0);
	attr(&run.request, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, 0, pd);
	attr(&run.request, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, 0, dm);
	attr(&run.request, UVERBS_ATTR_REG_DM_MR_OFFSET, 8, range.addr);
	attr(&run.request, UVERBS_ATTR_REG_DM_MR_LENGTH, 8, range.length);
	attr(&run.request, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, chance(50) ? 4 : 8, access);
	pointer(&run.request, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4, out(0));
	pointer(&run.request, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4, out(1));
	say("reg_dm_mr dm=%u offset=%#llx length=%#llx access=%#x pd=%u", dm,
	    (unsigned long long)range.addr, (unsigned long long)range.length, access, pd);
	if (sent())
		say_new_mr((uint32_t)value_of(UVERBS_ATTR_REG_DM_MR_HANDLE), *(uint32_t *)out(0),
			   *(uint32_t *)out(1), &range, access);
}

/*
 * A dma-buf of memory on the device, and something on it.  It is closed at once: as long as it is
 * there the device's pages are, and how long that is the simulated HCA cannot know.
 */
static void export_dm(void)
{
	static const uint64_t others[] = { 0,      MMAP_DM << 8 | 63, 0x10800,
					   9 << 8, 0x70000,           UINT64_MAX };
	const struct objects *dms = &run.objects[DM];
	const uint32_t dm = dms->count ? draw(dms->count) : MOST;
	const uint64_t page = dm < MOST && chance(80) ? MMAP_DM << 8 | dms->key[dm] : PICK(others);
	const uint64_t offset = page * PAGE + (chance(20) ? 100 : 0);
	uint32_t handle;
	int fd, error;

	init(&run.request, OBJECT_DMABUF, 0);
	attr(&run.request, DMABUF_FD, 0, 0);
	attr(&run.request, DMABUF_OFFSET, 8, offset);
	say("export_dm offset=%#llx", (unsigned long long)offset);
	if (!sent())
		return;
	fd = (int)value_of(DMABUF_FD);
	say(" size=%lld ", (long long)lseek(fd, 0, SEEK_END));
	if (dm < MOST && chance(20)) { /* of memory that is gone */
		handle = dms->handle[dm];
		error = destroy(run.fd, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE,
				UVERBS_ATTR_FREE_DM_HANDLE, handle);
		say("free_dm handle=%u: %s ", handle, error ? strerrorname_np(error) : "ok");
		if (!error)
			forget(DM, handle);
	}
	memset(&buffers, 0, sizeof(buffers));
	if (chance(20))
		umem_reg_of(fd, "its");
	else
		reg_dmabuf_of(fd, "its");
	close(fd);
}

/* rxe of Linux 7.2 takes regions with pinned pages for others, and reads what is behind them. */
static uint32_t draw_advised(void)
{
	const struct objects *mrs = &run.objects[MR];
	const uint32_t mr = mrs->count && chance(90) ? draw(mrs->count) : MOST;

	return run.is_mlx5 || mr == MOST || mrs->on_demand[mr] ? mr : MOST;
}

static void advise_mr(void)
{
	const struct objects *mrs = &run.objects[MR];
	const uint32_t pd = draw_handle(PD), some = 1 + draw(2);
	const uint64_t advice = draw(chance(90) ? 3 : 5);
	const uint32_t flags = chance(70) ? 1 : draw(4);
	struct ib_uverbs_sge *list = in(0);
	const char *name = "a made-up key";
	struct range range;
	uint32_t i, mr;

	say("advise_mr pd=%u advice=%u flags=%u", pd, (uint32_t)advice, flags);
	for (i = 0; i < some; i++) {
		arena_draw(&range, false);
		list[i].addr = range.iova;
		list[i].length = range.length > 1 << 20 ? 1 << 20 : (uint32_t)range.length;
		list[i].lkey = 0x7fffff00;
		mr = draw_advised();
		if (mr < MOST)
			list[i].lkey = mrs->key[mr];
		if (mr < MOST && chance(70))
			list[i].addr = mrs->iova[mr] + (chance(50) ? 0 : draw(5) * 1000);
		say(" (%s", mr < MOST ? "mr=" : name);
		if (mr < MOST)
			say("%u", mrs->handle[mr]);
		say(" iova=%#llx length=%u)", (unsigned long long)list[i].addr, list[i].length);
	}
	init(&run.request, UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR);
	attr(&run.request, UVERBS_ATTR_ADVISE_MR_PD_HANDLE, 0, pd);
	attr(&run.request, UVERBS_ATTR_ADVISE_MR_ADVICE, 8, advice);
	attr(&run.request, UVERBS_ATTR_ADVISE_MR_FLAGS, 4, flags);
	pointer(&run.request, UVERBS_ATTR_ADVISE_MR_SGE_LIST, some * sizeof(*list), list);
	sent();
}

static void import(void)
{
	const uint32_t pd = draw_handle(PD);

	if (chance(50)) {
		say("query_context");
		init(&run.request, UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT);
		pointer(&run.request, UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4, out(0));
		pointer(&run.request, UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8, out(1));
		if (run.is_mlx5)
			pointer(&run.request, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX,
				sizeof(struct mlx5_ib_alloc_ucontext_resp), out(2));
		sent();
		return;
	}
	say("query_pd pd=%u", pd);
	init(&run.request, UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY);
	attr(&run.request, MLX5_IB_ATTR_QUERY_PD_HANDLE, 0, pd);
	pointer(&run.request, MLX5_IB_ATTR_QUERY_PD_RESP_PDN, 4, out(0));
	sent();
}

/* Methods and commands that there are or not, without what they need. */
static void bare_call(void)
{
	static const uint16_t drivers[] = { 0, 0, 0x1000, 0x2000 };
	uint16_t object, method;
	uint64_t command;

	if (chance(50)) {
		object = (uint16_t)(PICK(drivers) + draw(0x14));
		method = (uint16_t)(PICK(drivers) + draw(10));
		say("method %#x/%#x", object, method);
		init(&run.request, object, method);
	} else {
		command = draw(64) | (chance(30) ? IB_USER_VERBS_CMD_FLAG_EXTENDED : 0) |
			  (chance(10) ? 1ull << (8 + draw(40)) : 0);
		say("write %#llx", (unsigned long long)command);
		init_write(&run.request, command, NULL, 0, NULL, 0);
	}
	sent();
}

static const struct {
	void (*call)(void);
	uint32_t weight;
	enum type makes; /* TYPES: none */
	bool mlx5_only;
	unsigned int since;
} calls[] = {
	{ write_reg_mr, 24, MR, false, 0 },     { method_reg_mr, 12, MR, false, 700 },
	{ reg_dmabuf_mr, 6, MR, true, 0 },      { rereg_mr, 18, TYPES, false, 0 },
	{ dereg_mr_any, 14, TYPES, false, 0 },  { query_mr, 9, TYPES, false, 0 },
	{ list_handles, 4, TYPES, false, 0 },   { write_alloc_pd, 4, PD, false, 0 },
	{ dealloc_pd_any, 4, TYPES, false, 0 }, { umem_reg, 8, UMEM, true, 0 },
	{ umem_dereg, 4, TYPES, true, 0 },      { advise_mr, 6, TYPES, false, 0 },
	{ import, 3, TYPES, false, 0 },         { bare_call, 4, TYPES, false, 0 },
	{ alloc_dm, 9, DM, true, 0 },           { query_dm, 2, TYPES, true, 0 },
	{ reg_dm_mr, 7, MR, true, 0 },          { free_dm, 4, TYPES, true, 0 },
	{ export_dm, 4, MR, true, 0 },
};

/* On some kernels IOVAs that wrap, and no bytes at an odd address, are a warning of mlx5. */
static void announce_warnings(void)
{
	static const char text[] = "mrctl-test: expect hw/mlx5/mr.c\n";
	int fd = open("/dev/kmsg", O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, sizeof(text) - 1) < 0)
		perror("differential: /dev/kmsg");
	close(fd);
}

static void draw_call(void)
{
	uint32_t at;
	size_t i;

	for (;;) {
		at = draw(146); /* the sum of the weights */
		for (i = 0; at >= calls[i].weight; i++)
			at -= calls[i].weight;
		if ((!calls[i].mlx5_only || run.is_mlx5) && run.kernel >= calls[i].since &&
		    (calls[i].makes == TYPES || !is_full(calls[i].makes)))
			break;
	}
	calls[i].call();
}

/* ---- the device ---------------------------------------------------------------------------- */

static bool is_device(const char *folder, const char *entry, const char *device)
{
	char path[600], name[64] = "";
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s/ibdev", folder, entry);
	file = fopen(path, "r");
	if (!file)
		return false;
	if (!fgets(name, sizeof(name), file))
		name[0] = '\0';
	fclose(file);
	name[strcspn(name, "\n")] = '\0';
	return !strcmp(name, device);
}

/* The device's node, by sysfs, as libibverbs finds it. */
static bool find_node(const char *device, char *node, size_t size)
{
	const char *sysfs = getenv("SYSFS_PATH");
	struct dirent *entry;
	char folder[256];
	bool found = false;
	DIR *dir;

	snprintf(folder, sizeof(folder), "%s/class/infiniband_verbs", sysfs ? sysfs : "/sys");
	dir = opendir(folder);
	while (dir && !found && (entry = readdir(dir))) {
		found = is_device(folder, entry->d_name, device);
		if (found)
			snprintf(node, size, "/dev/infiniband/%s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

/* Whether limits are for this process, too. */
static void set_privileged(bool privileged)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	if (syscall(SYS_capget, &header, data))
		return;
	data[0].effective &= ~(1u << CAP_IPC_LOCK);
	if (privileged)
		data[0].effective |= data[0].permitted & 1u << CAP_IPC_LOCK;
	syscall(SYS_capset, &header, data);
}

/* What RLIMIT_MEMLOCK is for an episode: 0 pages, few, enough; without a limit there is no limit. */
static void draw_limit(void)
{
	static const uint32_t pages[] = { 0, 8, 40 };
	const bool limited = chance(25);
	struct rlimit limit;

	getrlimit(RLIMIT_MEMLOCK, &limit);
	limit.rlim_cur = limit.rlim_max;
	if (limited)
		limit.rlim_cur = PICK(pages) * PAGE;
	setrlimit(RLIMIT_MEMLOCK, &limit);
	set_privileged(!limited);
	if (limited)
		say("limit=%llu", (unsigned long long)limit.rlim_cur);
	else
		say("no limit");
}

static int begin_episode(const char *node)
{
	uint32_t pd = 0;
	int rc;

	memset(run.objects, 0, sizeof(run.objects));
	draw_limit();
	run.fd = open(node, O_RDWR | O_CLOEXEC);
	if (run.fd < 0)
		return errno;
	rc = get_context(run.fd);
	if (!rc)
		rc = alloc_pd(run.fd, &pd);
	add(PD, pd, 0, NULL, 0);
	say(" pd=%u", pd);
	return rc;
}

static int play(const char *node, uint64_t seed, unsigned long count)
{
	unsigned long i;
	int error;

	for (i = 0; i < count; i++) {
		memset(&buffers, 0, sizeof(buffers));
		run.length = 0;
		if (i % EPISODE == 0) {
			draw_seed(seed, UINT32_MAX + i);
			say("%lu begin ", i / EPISODE);
			error = begin_episode(node);
			if (error) {
				fprintf(stderr, "differential: %s: %s\n", node,
					strerrorname_np(error));
				return 1;
			}
			puts(run.line);
			run.length = 0;
			memset(&buffers, 0, sizeof(buffers));
		}
		draw_seed(seed, i);
		say("%lu.%lu ", i / EPISODE, i % EPISODE);
		draw_call();
		puts(run.line);
		if (i % EPISODE == EPISODE - 1 || i == count - 1) {
			close(run.fd);
			fflush(stdout);
		}
	}
	return fflush(stdout) ? 1 : 0;
}

int main(int argc, char **argv)
{
	unsigned int major, minor;
	struct utsname system;
	const char *release;
	char node[300];

	uname(&system);
	release = argc == 6 ? argv[5] : system.release;
	if (argc < 5 || argc > 6 || sscanf(release, "%u.%u", &major, &minor) != 2) {
		fprintf(stderr, "usage: differential FILES DEVICE SEED CALLS [KERNEL]\n");
		return 2;
	}
	run.kernel = major * 100 + minor;
	run.is_mlx5 = !strncmp(argv[2], "mlx5", 4);
	driver = run.is_mlx5 ? RDMA_DRIVER_MLX5 : RDMA_DRIVER_RXE;
	if (!find_node(argv[2], node, sizeof(node))) {
		fprintf(stderr, "differential: no device \"%s\"\n", argv[2]);
		return 2;
	}
	if (arena_make(argv[1], getenv("MRCTL_SIM"), run.is_mlx5 && run.kernel >= 610)) {
		perror("differential: memory");
		return 2;
	}
	if (!getenv("MRCTL_SIM"))
		announce_warnings();
	printf("# calls %s %s %s %u.%u\n", argv[2], argv[3], argv[4], major, minor);
	return play(node, strtoull(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
}
