// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls about memory on the device (DM), and the regions and dma-bufs of it. */
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"
#include "tests/kernel/differential/state.h"

/* Object 18 of the uverbs ABI and its attributes, which the headers of rdma-core 44 do not have. */
#define OBJECT_DMABUF 18
#define DMABUF_FD     0
#define DMABUF_OFFSET 1

/* The command in an offset of mmap() that means memory on the device: MLX5_IB_MMAP_DEVICE_MEM */
#define MMAP_DM 8u

void alloc_dm(void)
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

	init(&state.request, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	attr(&state.request, UVERBS_ATTR_ALLOC_DM_HANDLE, 0, 0);
	attr(&state.request, UVERBS_ATTR_ALLOC_DM_LENGTH, 8, length);
	attr(&state.request, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, alignment);
	pointer(&state.request, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, out_buffer(0));
	pointer(&state.request, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2, out_buffer(1));
	if (has_kind)
		attr(&state.request, MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, 8, kind);
	line_add("alloc_dm length=%#llx alignment=%u", (unsigned long long)length, alignment);
	if (has_kind)
		line_add(" type=%#llx", (unsigned long long)kind);
	if (!send_request())
		return;
	page = *(uint16_t *)out_buffer(1);
	line_add(" handle=%u page=%u offset=%llu",
		 (uint32_t)attr_value(UVERBS_ATTR_ALLOC_DM_HANDLE), page,
		 *(unsigned long long *)out_buffer(0));
	add_object(DM, (uint32_t)attr_value(UVERBS_ATTR_ALLOC_DM_HANDLE), page, NULL, 0);
}

void query_dm(void)
{
	const uint32_t handle = draw_handle(DM);

	init(&state.request, UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY);
	attr(&state.request, MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, 0, handle);
	pointer(&state.request, MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, 8, out_buffer(0));
	pointer(&state.request, MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, 2, out_buffer(1));
	pointer(&state.request, MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, 8, out_buffer(2));
	line_add("query_dm dm=%u", handle);
	if (send_request())
		line_add(" page=%u offset=%llu length=%#llx", *(uint16_t *)out_buffer(1),
			 *(unsigned long long *)out_buffer(0),
			 *(unsigned long long *)out_buffer(2));
}

void reg_dm_mr(void)
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
		.of_device = true,
	};

	init(&state.request, UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG);
	attr(&state.request, UVERBS_ATTR_REG_DM_MR_HANDLE, 0, 0);
	attr(&state.request, UVERBS_ATTR_REG_DM_MR_PD_HANDLE, 0, pd);
	attr(&state.request, UVERBS_ATTR_REG_DM_MR_DM_HANDLE, 0, dm);
	attr(&state.request, UVERBS_ATTR_REG_DM_MR_OFFSET, 8, range.addr);
	attr(&state.request, UVERBS_ATTR_REG_DM_MR_LENGTH, 8, range.length);
	attr(&state.request, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, chance(50) ? 4 : 8, access);
	pointer(&state.request, UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4, out_buffer(0));
	pointer(&state.request, UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4, out_buffer(1));
	line_add("reg_dm_mr dm=%u offset=%#llx length=%#llx access=%#x pd=%u", dm,
		 (unsigned long long)range.addr, (unsigned long long)range.length, access, pd);
	if (send_request())
		add_mr((uint32_t)attr_value(UVERBS_ATTR_REG_DM_MR_HANDLE),
		       *(uint32_t *)out_buffer(0), *(uint32_t *)out_buffer(1), &range, access);
}

/*
 * Exports memory on the device as a dma-buf, and registers that.  The dma-buf is closed at once.  While it
 * is open it keeps the device's pages allocated; the simulated HCA does not know when it is closed, so
 * later allocations would find other pages free than on a real device.
 */
void export_dm(void)
{
	static const uint64_t others[] = { 0,      MMAP_DM << 8 | 63, 0x10800,
					   9 << 8, 0x70000,           UINT64_MAX };
	const struct objects *dms = &state.objects[DM];
	const uint32_t dm = dms->count ? draw(dms->count) : OBJECTS_MAX;
	const uint64_t page =
		dm < OBJECTS_MAX && chance(80) ? MMAP_DM << 8 | dms->key[dm] : PICK(others);
	const uint64_t offset = page * PAGE + (chance(20) ? 100 : 0);
	uint32_t handle;
	int fd, error;

	init(&state.request, OBJECT_DMABUF, 0);
	attr(&state.request, DMABUF_FD, 0, 0);
	attr(&state.request, DMABUF_OFFSET, 8, offset);
	line_add("export_dm offset=%#llx", (unsigned long long)offset);
	if (!send_request())
		return;
	fd = (int)attr_value(DMABUF_FD);
	line_add(" size=%lld ", (long long)lseek(fd, 0, SEEK_END));
	if (dm < OBJECTS_MAX &&
	    chance(20)) { /* then what is registered below is memory that was freed */
		handle = dms->handle[dm];
		error = destroy(state.fd, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE,
				UVERBS_ATTR_FREE_DM_HANDLE, handle);
		line_add("free_dm handle=%u: %s ", handle, error ? strerrorname_np(error) : "ok");
		if (!error)
			forget_object(DM, handle);
	}
	memset(&buffers, 0, sizeof(buffers));
	if (chance(20))
		reg_umem_of(fd, "its");
	else
		reg_dmabuf_mr_of(fd, "its");
	close(fd);
}

void free_dm(void)
{
	destroy_object(DM, UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, 0);
}
