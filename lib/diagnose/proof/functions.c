// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stddef.h>

#include "lib/diagnose/proof/functions.h"

#define ENTRY(name_)                                                                               \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_LONG, .is_entry = true, .translates = true, \
		.layer = MR_LAYER_UVERBS                                                           \
	}
#define UVERBS(name_)                                                                              \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_INT, .layer = MR_LAYER_UVERBS               \
	}
#define DRIVER(provider_, returns_, name_)                                                         \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_##returns_, .provider = (provider_),        \
		.layer = MR_LAYER_DRIVER                                                           \
	}
#define MEMORY(returns_, name_, ...)                                                               \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_##returns_, .layer = MR_LAYER_MEMORY,       \
		__VA_ARGS__                                                                        \
	}
#define DMABUF(returns_, name_)                                                                    \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_##returns_, .layer = MR_LAYER_DMABUF        \
	}
#define FIRMWARE(name_, ...)                                                                       \
	{                                                                                          \
		.name = (name_), .returns = MR_RETURNS_INT, .provider = "mlx5",                    \
		.layer = MR_LAYER_FIRMWARE, __VA_ARGS__                                            \
	}

#define ALSO_DRIVER (MR_IN_LAYER(DRIVER) | MR_IN_LAYER(MEMORY))

/*
 * Names of Linux 6.1 to 7.2.  A name that a kernel does not have, or has inlined, cannot be watched, and the
 * function that calls it stands for it.  Operations of drivers are called by pointer, so they are never inlined.
 */
const struct mr_kernel_function mr_kernel_functions[] = {
	/* drivers/infiniband/core/uverbs_*.c */
	ENTRY("ib_uverbs_ioctl"),
	ENTRY("ib_uverbs_write"),
	{ .name = "ib_uverbs_open",
	  .returns = MR_RETURNS_INT,
	  .is_entry = true,
	  .layer = MR_LAYER_UVERBS },
	{ .name = "ib_uverbs_mmap",
	  .returns = MR_RETURNS_INT,
	  .is_entry = true,
	  .layer = MR_LAYER_UVERBS },
	UVERBS("ib_uverbs_invoke_write"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_INVOKE_WRITE"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_REG_MR"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_REG_DMABUF_MR"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_DM_MR_REG"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_DM_ALLOC"),
	UVERBS("ib_uverbs_handler_UVERBS_METHOD_ADVISE_MR"),
	UVERBS("ib_uverbs_reg_mr"),
	UVERBS("ib_uverbs_rereg_mr"),
	UVERBS("ib_uverbs_dereg_mr"),
	UVERBS("ib_uverbs_alloc_pd"),
	UVERBS("ib_uverbs_dealloc_pd"),
	UVERBS("uverbs_free_mr"),
	UVERBS("uverbs_free_pd"),
	UVERBS("ib_dereg_mr_user"),
	UVERBS("ib_dealloc_pd_user"),
	{ .name = "ib_rdmacg_try_charge",
	  .returns = MR_RETURNS_INT,
	  .layer = MR_LAYER_UVERBS,
	  .also = MR_IN_LAYER(MEMORY) },
	{ .name = "rdmacg_try_charge",
	  .returns = MR_RETURNS_INT,
	  .layer = MR_LAYER_UVERBS,
	  .also = MR_IN_LAYER(MEMORY) },

	/* drivers/infiniband/hw/mlx5: operations, and what they share */
	DRIVER("mlx5", INT, "mlx5_ib_alloc_ucontext"),
	DRIVER("mlx5", INT, "mlx5_ib_alloc_pd"),
	DRIVER("mlx5", INT, "mlx5_ib_dealloc_pd"),
	DRIVER("mlx5", LONG, "mlx5_ib_reg_user_mr"),
	DRIVER("mlx5", LONG, "mlx5_ib_reg_user_mr_dmabuf"),
	DRIVER("mlx5", LONG, "mlx5_ib_rereg_user_mr"),
	DRIVER("mlx5", LONG, "mlx5_ib_reg_dm_mr"),
	DRIVER("mlx5", LONG, "mlx5_ib_alloc_dm"),
	DRIVER("mlx5", INT, "mlx5_ib_dereg_mr"),
	DRIVER("mlx5", INT, "mlx5_ib_advise_mr"),
	DRIVER("mlx5", INT, "mlx5_ib_handler_MLX5_IB_METHOD_DEVX_UMEM_REG"),
	DRIVER("mlx5", INT, "devx_umem_cleanup"),
	DRIVER("mlx5", LONG, "create_real_mr"),
	DRIVER("mlx5", LONG, "create_user_odp_mr"),
	DRIVER("mlx5", LONG, "reg_user_mr_dmabuf"),
	DRIVER("mlx5", LONG, "alloc_cacheable_mr"),
	DRIVER("mlx5", LONG, "reg_create"),
	DRIVER("mlx5", INT, "devx_umem_get"),
	DRIVER("mlx5", INT, "mlx5_ib_init_odp_mr"),
	DRIVER("mlx5", INT, "mlx5_ib_init_dmabuf_mr"),
	DRIVER("mlx5", INT, "mlx5_ib_create_mkey"),
	DRIVER("mlx5", INT, "mlx5_core_create_mkey"),
	DRIVER("mlx5", INT, "mlx5_core_destroy_mkey"),

	/* drivers/infiniband/sw/rxe */
	DRIVER("rxe", INT, "rxe_alloc_ucontext"),
	DRIVER("rxe", INT, "rxe_alloc_pd"),
	DRIVER("rxe", INT, "rxe_dealloc_pd"),
	DRIVER("rxe", LONG, "rxe_reg_user_mr"),
	DRIVER("rxe", LONG, "rxe_rereg_user_mr"),
	DRIVER("rxe", INT, "rxe_dereg_mr"),
	DRIVER("rxe", INT, "rxe_ib_advise_mr"),
	DRIVER("rxe", INT, "rxe_odp_mr_init_user"),
	DRIVER("rxe", INT, "rxe_mr_init_user"),

	/*
	 * The device.  A work request by which mlx5 changes a key (UMR) that it refuses comes out as EFAULT
	 * or EIO of mlx5r_umr_post_send_wait().  mlx5_cmd_exec() makes an errno of the status that the
	 * firmware answers; cmd_exec() fails where there is no answer.
	 */
	DRIVER("mlx5", INT, "mlx5r_umr_update_xlt"),
	DRIVER("mlx5", INT, "mlx5r_umr_update_mr_pas"),
	DRIVER("mlx5", INT, "mlx5r_umr_rereg_pd_access"),
	DRIVER("mlx5", INT, "mlx5r_umr_revoke_mr"),
	FIRMWARE("mlx5r_umr_post_send_wait"),
	FIRMWARE("mlx5_cmd_exec", .translates = true, .also = ALSO_DRIVER),
	FIRMWARE("mlx5_cmd_do", .translates = true, .also = ALSO_DRIVER),
	FIRMWARE("cmd_exec", .also = ALSO_DRIVER),

	/* drivers/infiniband/core/umem*.c: the limit of locked memory, and rules for ranges and access */
	MEMORY(LONG, "ib_umem_get", .checks = true),
	MEMORY(LONG, "ib_umem_get_desc", .checks = true),
	MEMORY(LONG, "__ib_umem_get_va", .checks = true),
	MEMORY(LONG, "ib_umem_odp_get", .checks = true),
	MEMORY(LONG, "ib_umem_odp_alloc_implicit", .checks = true),
	MEMORY(INT, "ib_umem_odp_map_dma_and_lock"),
	UVERBS("ib_umem_check_rereg"),

	/* drivers/infiniband/core/umem_dmabuf.c, drivers/dma-buf/dma-buf.c */
	{ .name = "ib_umem_dmabuf_get",
	  .returns = MR_RETURNS_LONG,
	  .layer = MR_LAYER_DMABUF,
	  .also = MR_IN_LAYER(UVERBS) },
	{ .name = "ib_umem_dmabuf_get_pinned",
	  .returns = MR_RETURNS_LONG,
	  .layer = MR_LAYER_DMABUF,
	  .also = MR_IN_LAYER(UVERBS) },
	DMABUF(INT, "ib_umem_dmabuf_map_pages"),
	DMABUF(LONG, "dma_buf_get"),
	DMABUF(LONG, "dma_buf_dynamic_attach"),
	DMABUF(INT, "dma_buf_pin"),
	DMABUF(LONG, "dma_buf_map_attachment"),

	/* mm/gup.c, kernel/dma/mapping.c */
	MEMORY(INT, "dma_map_sgtable"),
	MEMORY(INT, "pin_user_pages_fast"),
	MEMORY(LONG, "__gup_longterm_locked", .translates = true),
	MEMORY(LONG, "__get_user_pages"),
	MEMORY(INT, "migrate_pages"),
	{ .name = NULL },
};

int mr_kernel_function_errno(const struct mr_kernel_function *function, uint64_t value)
{
	const int64_t number =
		function->returns == MR_RETURNS_INT ? (int32_t)(uint32_t)value : (int64_t)value;

	return function->returns != MR_RETURNS_NOTHING && number < 0 && number >= -4095
		       ? (int)-number
		       : 0;
}
