/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares functions of newer libraries, which are looked up at run time. */
#ifndef LIB_VERBS_SYMBOLS_H
#define LIB_VERBS_SYMBOLS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

/**
 * Functions that are newer than rdma-core 44, the oldest release that mrctl is built with.  They are
 * looked up at run time, by name and version.
 */
struct ibv_context;
struct ibv_dm;
struct ibv_dmah;
struct ibv_mr;
struct mr_init_attr;
struct ibv_pd;
struct mlx5dv_devx_umem;

/** The functions. */
enum mr_symbol {
	MR_SYMBOL_NONE,
	MR_SYMBOL_REG_DMABUF_MR,    /**< mlx5dv_reg_dmabuf_mr(3) */
	MR_SYMBOL_DATA_DIRECT_PATH, /**< mlx5dv_get_data_direct_sysfs_path(3) */
	MR_SYMBOL_UMEM_EXPORT,      /**< mlx5dv_devx_umem_export(3) */
	MR_SYMBOL_UMEM_IMPORT,      /**< mlx5dv_devx_umem_import(3) */
	MR_SYMBOL_UMEM_UNIMPORT,    /**< mlx5dv_devx_umem_unimport(3) */
	MR_SYMBOL_EXPORT_SIZES,     /**< what mlx5dv_get_export_sizes(3) calls */
	MR_SYMBOL_REG_MR_EX,        /**< ibv_reg_mr_ex(3) */
	MR_SYMBOL_DM_EXPORT,        /**< ibv_dm_export_dmabuf_fd(3) */
	MR_SYMBOL_ALLOC_DMAH,       /**< ibv_alloc_dmah(3) */
	MR_SYMBOL_DEALLOC_DMAH,     /**< ibv_dealloc_dmah(3) */
	MR_SYMBOLS,                 /**< how many there are, MR_SYMBOL_NONE included */
};

typedef struct ibv_mr *mr_dv_reg_dmabuf_mr(struct ibv_pd *pd, uint64_t offset, size_t length,
					   uint64_t iova, int fd, int access, int mlx5_access);
typedef int mr_dv_data_direct_path(struct ibv_context *context, char *path, size_t size);
typedef int mr_dv_umem_export(struct mlx5dv_devx_umem *umem, void *data);
typedef struct mlx5dv_devx_umem *mr_dv_umem_import(struct ibv_context *context, void *data);
typedef void mr_dv_umem_unimport(struct mlx5dv_devx_umem *umem);

/** struct mlx5dv_export_sizes of rdma-core 63: sizes in bytes. */
struct mr_dv_export_sizes {
	uint32_t var;
	uint32_t umem;
	uint32_t object;
};
typedef void mr_dv_export_sizes(struct mr_dv_export_sizes *sizes, size_t size);
typedef struct ibv_mr *mr_reg_mr_ex(struct ibv_pd *pd, struct mr_init_attr *attr);
typedef int mr_dm_export_fd(struct ibv_dm *dm);

/** struct ibv_mr_init_attr of rdma-core 59, with room for members of later releases. */
struct mr_init_attr {
	size_t length;
	int access;
	uint64_t comp_mask; /**< enum mr_init_attr_mask */
	uint64_t iova;
	void *addr;
	int fd;
	uint64_t fd_offset;
	struct ibv_dmah *dmah;
	void *later[8];
};

enum mr_init_attr_mask {
	MR_INIT_ATTR_IOVA = 1 << 0,
	MR_INIT_ATTR_ADDR = 1 << 1,
	MR_INIT_ATTR_FD = 1 << 2,
	MR_INIT_ATTR_FD_OFFSET = 1 << 3,
	MR_INIT_ATTR_DMAH = 1 << 4,
};

/** A function, and where it comes from. */
struct mr_symbol_origin {
	const char *library; /**< "libibverbs.so.1" */
	const char *name;
	const char *version; /**< symbol version: "IBVERBS_1.15" */
	const char *release; /**< of rdma-core that has it: "59" */
	const char *instead; /**< the alternative without it, or NULL */
};

/** mr_symbol_origin() - the function of that name; NULL: it is not one of these */
const struct mr_symbol_origin *mr_symbol_origin(const char *name);

/** mr_symbol_name() - "ibv_reg_mr_ex"; @symbol: not MR_SYMBOL_NONE */
const char *mr_symbol_name(enum mr_symbol symbol);

/**
 * mr_symbol_find() - look up a function by its name and version
 *
 * Return: the function, to be cast to its type; NULL with ENOSYS and MR_ERROR_HOST where the installed
 * library lacks it.
 */
void *mr_symbol_find(enum mr_symbol symbol, struct mr_error *err);

#endif
