// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls about umems: memory registered by DEVX. */
#include "tests/kernel/differential/calls.h"
#include "tests/kernel/differential/draw.h"
#include "tests/kernel/differential/mutate.h"
#include "tests/kernel/differential/state.h"

void reg_umem_of(int fd, const char *name)
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
	init(&state.request, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG);
	attr(&state.request, MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, 0, 0);
	attr(&state.request, MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 8, range.addr);
	attr(&state.request, MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 8, range.length);
	attr(&state.request, MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS, 4, access);
	pointer(&state.request, MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4, out_buffer(0));
	if (sized)
		attr(&state.request, MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, 8, bitmap);
	if (by_fd)
		attr(&state.request, MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD, 0,
		     (uint64_t)(int64_t)fd);
	line_add("umem_reg %s %s access=%#x", name, range.text, access);
	if (sized)
		line_add(" sizes=%#llx", (unsigned long long)bitmap);
	if (!send_request())
		return;
	handle = attr_value(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE);
	line_add(" handle=%llu id=%s", (unsigned long long)handle,
		 id_take(*(uint32_t *)out_buffer(0)));
	add_object(UMEM, (uint32_t)handle, 0, NULL, 0);
}

void reg_umem(void)
{
	const char *name = "";
	int fd = chance(25) ? arena_draw_fd(&name) : NO_FD;

	reg_umem_of(fd, name);
}

void dereg_umem(void)
{
	destroy_object(UMEM, MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, 0);
}
