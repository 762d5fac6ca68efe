/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Memory regions and DEVX umems: registering and deregistering, through libibverbs and libmlx5 or
 * the kernel's own interface.
 */
#ifndef LIB_VERBS_REGION_H
#define LIB_VERBS_REGION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/clock.h"
#include "lib/base/error.h"

struct ibv_context;
struct mr_backing;
struct ibv_mr;
struct ibv_pd;
struct mlx5dv_devx_umem;
struct mr_dm;
struct mr_uverbs;

/** Path of a call to the kernel. */
enum mr_via {
	MR_VIA_LIBRARY, /**< libibverbs; for umems libmlx5 */
	MR_VIA_KERNEL,  /**< the uverbs ioctl interface itself */
};

/** mr_via_name() - "library" or "kernel" */
const char *mr_via_name(enum mr_via via);

/**
 * mr_call_via() - the path of a call, by its name: "ioctl(...)", "ibv_...", "mlx5dv_..."
 * @otherwise: of another name, or of none
 *
 * On its way by the library a command looks regions up and makes protection domains by ioctls, and in a
 * batch what the library registered is also deregistered by it.
 */
enum mr_via mr_call_via(const char *call, enum mr_via otherwise);

/** By which path regions are registered, and in which protection domain. */
struct mr_registrar {
	enum mr_via via;
	struct ibv_context *context;    /**< of MR_VIA_LIBRARY */
	struct ibv_pd *pd;              /**< of MR_VIA_LIBRARY, for MRs */
	const struct mr_uverbs *uverbs; /**< of MR_VIA_KERNEL */
	uint32_t pd_handle;             /**< of MR_VIA_KERNEL, for MRs */
	bool untimed;                   /**< nobody asks how long the calls take: 0 is noted */
};

/** mr_registrar_now() - time in nanoseconds, to be taken before and after a call */
static inline uint64_t mr_registrar_now(const struct mr_registrar *registrar)
{
	return registrar->untimed ? 0 : mr_now_ns();
}

enum mr_region_call {
	MR_REG_MR,           /**< ibv_reg_mr(3) */
	MR_REG_MR_RELAXED,   /**< mr_reg_mr_relaxed(): the same of whole pages */
	MR_REG_MR_IOVA,      /**< ibv_reg_mr_iova(3) */
	MR_REG_DMABUF_MR,    /**< ibv_reg_dmabuf_mr(3) */
	MR_DV_REG_DMABUF_MR, /**< mlx5dv_reg_dmabuf_mr(3), for Data Direct */
	MR_REG_MR_EX,        /**< ibv_reg_mr_ex(3), in the place of ibv_reg_mr */
	MR_REG_MR_EX_IOVA,   /**< in the place of ibv_reg_mr_iova */
	MR_REG_MR_EX_FD,     /**< in the place of ibv_reg_dmabuf_mr */
	MR_REG_DM_MR,        /**< ibv_reg_dm_mr(3) */
	MR_ALLOC_NULL_MR,    /**< ibv_alloc_null_mr(3) */
	MR_UMEM_REG,         /**< mlx5dv_devx_umem_reg(3) */
	MR_UMEM_REG_EX,      /**< mlx5dv_devx_umem_reg_ex(3) */
	MR_UMEM_REG_DMABUF,  /**< the same of a dma-buf (MLX5DV_UMEM_MASK_DMABUF), any page size */
	MR_UMEM_REG_EX_DMABUF, /**< the same with page sizes */
};

/** mr_region_is_dmabuf() - whether such a region is one of a dma-buf */
static inline bool mr_region_is_dmabuf(enum mr_region_call call)
{
	return call == MR_REG_DMABUF_MR || call == MR_DV_REG_DMABUF_MR || call == MR_REG_MR_EX_FD ||
	       call == MR_UMEM_REG_DMABUF || call == MR_UMEM_REG_EX_DMABUF;
}

/** mr_region_has_page_sizes() - whether such a call is given page sizes */
static inline bool mr_region_has_page_sizes(unsigned int call)
{
	return call == MR_UMEM_REG_EX || call == MR_UMEM_REG_EX_DMABUF;
}

/** mr_region_has_offset() - whether the addr of such a region is an offset in what it is on */
static inline bool mr_region_has_offset(enum mr_region_call call)
{
	return mr_region_is_dmabuf(call) || call == MR_REG_DM_MR;
}

/** mr_region_call_name() - "ibv_reg_mr", or by MR_VIA_KERNEL "ioctl(REG_MR)"; NULL: unknown */
const char *mr_region_call_name(unsigned int call, enum mr_via via);

/**
 * mr_region_call_ex() - the same by ibv_reg_mr_ex(3)
 * Return: false where that does not do what @call does; @ex is not set then.
 */
bool mr_region_call_ex(enum mr_region_call call, enum mr_region_call *ex);

/** What a call registers. */
enum mr_region_kind {
	MR_KIND_MR,
	MR_KIND_UMEM, /**< has no keys, no IOVA and no protection domain */
	MR_KIND_DM,   /**< no region: memory on the device that none is on, left by a command */
};

/** mr_region_kind() - what @call registers; that of a call that is unknown is an MR */
static inline enum mr_region_kind mr_region_kind(unsigned int call)
{
	return call >= MR_UMEM_REG && call <= MR_UMEM_REG_EX_DMABUF ? MR_KIND_UMEM : MR_KIND_MR;
}

/** mr_region_kind_name() - "mr", "umem" or "dm" */
const char *mr_region_kind_name(enum mr_region_kind kind);

/** In the place of the kernel's number of an object: there is none, or it is not known. */
#define MR_NO_HANDLE UINT32_MAX

/** What libmlx5 tells of a umem so that others find it (mlx5dv_devx_umem_export(3)). */
struct mr_umem_blob {
	uint8_t bytes[63]; /* rdma-core 63 writes 8 */
	uint8_t size;      /**< 0: there is none */
};

struct mr_region_request {
	enum mr_region_call call;
	uint64_t addr;          /**< address of the first byte; of a dma-buf or DM its offset */
	uint64_t length;        /**< bytes */
	uint64_t iova;          /**< not of MR_REG_MR and MR_REG_MR_RELAXED */
	uint64_t page_sizes;    /**< by mr_region_has_page_sizes(): the pgsz_bitmap */
	uint64_t page_size;     /**< of MR_REG_MR_RELAXED: of the memory */
	uint32_t access;        /**< enum ibv_access_flags and whatever else was asked for */
	int fd;                 /**< of a dma-buf */
	const struct mr_dm *dm; /**< the memory on the device that it is on, or NULL */
	struct mr_umem_blob *export; /**< of umems by MR_VIA_LIBRARY: to be set; or NULL */
	/** What a private session is to keep as long as the region; or NULL. */
	struct mr_backing *backing;
};

/** A region, kept small: commands hold many.  What they have in common stands elsewhere. */
struct mr_region {
	union {                                /* of MR_VIA_LIBRARY: the library's side of it */
		struct ibv_mr *mr;             /**< of MR_KIND_MR */
		struct mlx5dv_devx_umem *umem; /**< of MR_KIND_UMEM */
	};
	uint64_t addr; /**< as in the request */
	uint64_t length;
	uint64_t iova;             /**< of MR_KIND_MR */
	uint64_t elapsed_ns;       /**< time the registering call took */
	uint64_t dereg_elapsed_ns; /**< time the deregistering call took */
	uint32_t
		handle; /**< MR_NO_HANDLE: a null MR has none; libmlx5 may keep a umem's to itself */
	union {
		uint32_t lkey;    /**< of MR_KIND_MR */
		uint32_t umem_id; /**< of MR_KIND_UMEM */
	};
	uint32_t rkey; /**< of MR_KIND_MR */
	uint8_t kind;  /**< enum mr_region_kind */
	bool live;     /**< false once deregistered */
};

/**
 * mr_region_register() - register memory
 * @region: set on success; mr_region_deregister() it
 *
 * Nothing is checked in advance: the stack's answer is what the user asked for.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; -ENOSYS with MR_ERROR_HOST where the installed library
 * lacks the call.
 */
int mr_region_register(const struct mr_registrar *registrar,
		       const struct mr_region_request *request, struct mr_region *region,
		       struct mr_error *err);

/**
 * mr_region_data_direct_path() - where the Data Direct device of an mlx5 device is
 * (mlx5dv_get_data_direct_sysfs_path(3), or its ioctl by MR_VIA_KERNEL)
 * @path: set to its place below /sys, or to an empty string where there is none or none is told
 */
void mr_region_data_direct_path(const struct mr_registrar *registrar, char *path, size_t size);

/**
 * mr_region_forget() - free the library's memory of a region that stays registered
 *
 * For regions of an imported device (ibv_unimport_mr(3), mlx5dv_devx_umem_unimport(3)).
 */
void mr_region_forget(struct mr_region *region);

/**
 * mr_region_destroy() - ask the kernel to destroy a region by its handle
 *
 * ioctl MR_DESTROY, DEVX_UMEM_DEREG or DM_FREE: the kernel refuses (ENOENT, EINVAL) where the handle is
 * that of no object of that kind.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_region_destroy(const struct mr_uverbs *uverbs, enum mr_region_kind kind, uint32_t handle,
		      struct mr_error *err);

/**
 * mr_region_deregister() - ibv_dereg_mr(3), mlx5dv_devx_umem_dereg(3), or mr_region_destroy() by
 * MR_VIA_KERNEL
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; the region is still there then.
 */
int mr_region_deregister(const struct mr_registrar *registrar, struct mr_region *region,
			 struct mr_error *err);

#endif
