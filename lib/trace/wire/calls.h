/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The calls of a traced program that are seen.  A new call is a row here and a wrapper in lib/trace/agent. */
#ifndef LIB_TRACE_WIRE_CALLS_H
#define LIB_TRACE_WIRE_CALLS_H

#include <stdint.h>

/** What a call does to the objects of a program. */
enum mr_traced_effect {
	MR_TRACED_OPENS,       /**< opens a device: @object of the record is the context */
	MR_TRACED_CLOSES,      /**< closes it */
	MR_TRACED_ALLOCATES,   /**< allocates a protection domain, or memory on the device */
	MR_TRACED_FREES,       /**< frees that */
	MR_TRACED_REGISTERS,   /**< registers: @object is the new MR or umem */
	MR_TRACED_CHANGES,     /**< changes a region */
	MR_TRACED_DEREGISTERS, /**< deregisters it */
	MR_TRACED_ADVISES,     /**< advice about a range of regions */
	MR_TRACED_CREATES, /**< creates a CQ, QP or SRQ, for whose buffers the driver pins memory */
	MR_TRACED_PROTECTS, /**< sets fork protection: ibv_fork_init(), madvise() of libibverbs */
};

/** The calls.  Inline functions of verbs.h are seen in the table of the context, by their own names. */
#define MR_TRACED_CALLS(CALL)                                                                      \
	CALL(IBV_OPEN_DEVICE, "ibv_open_device", OPENS)                                            \
	CALL(IBV_IMPORT_DEVICE, "ibv_import_device", OPENS)                                        \
	CALL(MLX5DV_OPEN_DEVICE, "mlx5dv_open_device", OPENS)                                      \
	CALL(IBV_CLOSE_DEVICE, "ibv_close_device", CLOSES)                                         \
	CALL(IBV_ALLOC_PD, "ibv_alloc_pd", ALLOCATES)                                              \
	CALL(IBV_IMPORT_PD, "ibv_import_pd", ALLOCATES)                                            \
	CALL(IBV_ALLOC_PARENT_DOMAIN, "ibv_alloc_parent_domain", ALLOCATES)                        \
	CALL(IBV_ALLOC_DM, "ibv_alloc_dm", ALLOCATES)                                              \
	CALL(IBV_DEALLOC_PD, "ibv_dealloc_pd", FREES)                                              \
	CALL(IBV_UNIMPORT_PD, "ibv_unimport_pd", FREES)                                            \
	CALL(IBV_FREE_DM, "ibv_free_dm", FREES)                                                    \
	CALL(IBV_REG_MR, "ibv_reg_mr", REGISTERS)                                                  \
	CALL(IBV_REG_MR_IOVA, "ibv_reg_mr_iova", REGISTERS)                                        \
	CALL(IBV_REG_MR_IOVA2, "ibv_reg_mr_iova2", REGISTERS)                                      \
	CALL(IBV_REG_DMABUF_MR, "ibv_reg_dmabuf_mr", REGISTERS)                                    \
	CALL(IBV_REG_MR_EX, "ibv_reg_mr_ex", REGISTERS)                                            \
	CALL(IBV_REG_BUF_MR, "ibv_reg_buf_mr", REGISTERS)                                          \
	CALL(IBV_REG_DM_MR, "ibv_reg_dm_mr", REGISTERS)                                            \
	CALL(IBV_ALLOC_NULL_MR, "ibv_alloc_null_mr", REGISTERS)                                    \
	CALL(IBV_IMPORT_MR, "ibv_import_mr", REGISTERS)                                            \
	CALL(MLX5DV_REG_DMABUF_MR, "mlx5dv_reg_dmabuf_mr", REGISTERS)                              \
	CALL(MLX5DV_DEVX_UMEM_REG, "mlx5dv_devx_umem_reg", REGISTERS)                              \
	CALL(MLX5DV_DEVX_UMEM_REG_EX, "mlx5dv_devx_umem_reg_ex", REGISTERS)                        \
	CALL(IBV_REREG_MR, "ibv_rereg_mr", CHANGES)                                                \
	CALL(IBV_DEREG_MR, "ibv_dereg_mr", DEREGISTERS)                                            \
	CALL(IBV_UNIMPORT_MR, "ibv_unimport_mr", DEREGISTERS)                                      \
	CALL(MLX5DV_DEVX_UMEM_DEREG, "mlx5dv_devx_umem_dereg", DEREGISTERS)                        \
	CALL(IBV_ADVISE_MR, "ibv_advise_mr", ADVISES)                                              \
	CALL(IBV_CREATE_CQ, "ibv_create_cq", CREATES)                                              \
	CALL(IBV_CREATE_CQ_EX, "ibv_create_cq_ex", CREATES)                                        \
	CALL(MLX5DV_CREATE_CQ, "mlx5dv_create_cq", CREATES)                                        \
	CALL(IBV_CREATE_QP, "ibv_create_qp", CREATES)                                              \
	CALL(IBV_CREATE_QP_EX, "ibv_create_qp_ex", CREATES)                                        \
	CALL(MLX5DV_CREATE_QP, "mlx5dv_create_qp", CREATES)                                        \
	CALL(IBV_CREATE_SRQ, "ibv_create_srq", CREATES)                                            \
	CALL(IBV_CREATE_SRQ_EX, "ibv_create_srq_ex", CREATES)                                      \
	CALL(IBV_FORK_INIT, "ibv_fork_init", PROTECTS)                                             \
	CALL(MADVISE, "madvise", PROTECTS)

#define MR_TRACED_CONSTANT_(constant, name, effect) MR_TRACED_##constant,
/** A call; the numbers are those of the table. */
enum mr_traced_call { MR_TRACED_CALLS(MR_TRACED_CONSTANT_) MR_TRACED_CALL_COUNT };
#undef MR_TRACED_CONSTANT_

/** A row of the table. */
struct mr_traced_call_row {
	const char *name;
	enum mr_traced_effect effect;
};

/** The table, whose last row is for numbers that are no call. */
extern const struct mr_traced_call_row mr_traced_calls[MR_TRACED_CALL_COUNT + 1];

/** mr_traced_call_row() - the row of a call; the number comes from another program, and need not be one */
static inline const struct mr_traced_call_row *mr_traced_call_row(uint32_t call)
{
	return &mr_traced_calls[call < MR_TRACED_CALL_COUNT ? call : MR_TRACED_CALL_COUNT];
}

#endif
