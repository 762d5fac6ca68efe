/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Objects by the kernel's public uverbs ioctl interface (<rdma/…>), without libibverbs: that library
 * can do nothing with objects which it did not make itself.
 */
#ifndef LIB_VERBS_UVERBS_H
#define LIB_VERBS_UVERBS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/verbs/descriptor.h"

/** What the kernel says of a memory region. */
struct mr_uverbs_mr {
	uint32_t handle;
	uint32_t lkey;
	uint32_t rkey;
	uint64_t length;
	uint64_t iova;
};

/** What is to be registered as an MR. */
struct mr_uverbs_reg {
	uint64_t addr; /**< address of the first byte; of a dma-buf its offset */
	uint64_t length;
	uint64_t iova;
	uint32_t pd_handle;
	uint32_t access;
};

/** What is to be registered as a umem. */
struct mr_uverbs_umem_reg {
	uint64_t addr; /**< address of the first byte; of a dma-buf its offset */
	uint64_t length;
	struct mr_opt_u64 page_sizes; /**< a bit for each; not known: any */
	uint32_t access;
	bool dmabuf; /**< it is a range of the dma-buf @fd */
	int fd;
};

/** Advice about a range of one region. */
struct mr_uverbs_advice {
	uint32_t advice; /**< enum ib_uverbs_advise_mr_advice, or whatever else was asked for */
	uint32_t flags;  /**< enum ib_uverbs_advise_mr_flag, likewise */
	uint32_t pd_handle;
	uint32_t lkey;
	uint64_t addr;
	uint32_t length; /**< bytes */
};

/*
 * All below return 0 or -errno with MR_ERROR_REFUSED; the call is named "ioctl(REG_MR)", ….
 */

/** mr_uverbs_alloc_pd() - drivers/infiniband/core/uverbs_cmd.c ib_uverbs_alloc_pd */
int mr_uverbs_alloc_pd(const struct mr_uverbs *uverbs, uint32_t *handle, struct mr_error *err);

/** mr_uverbs_dealloc_pd() - -EBUSY while an object uses it */
int mr_uverbs_dealloc_pd(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err);

/** mr_uverbs_reg_mr() - ib_uverbs_reg_mr; @mr has the request's length and iova then */
int mr_uverbs_reg_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *request,
		     struct mr_uverbs_mr *mr, struct mr_error *err);

/**
 * mr_uverbs_rereg_mr() - ib_uverbs_rereg_mr
 * @changes: enum ib_mr_rereg_flags: which members of @request count
 * @mr:      in: its handle, which stays; out: its keys
 */
int mr_uverbs_rereg_mr(const struct mr_uverbs *uverbs, uint32_t changes,
		       const struct mr_uverbs_reg *request, struct mr_uverbs_mr *mr,
		       struct mr_error *err);

/**
 * mr_uverbs_reg_dmabuf_mr() - uverbs_std_types_mr.c UVERBS_METHOD_REG_DMABUF_MR
 * @fd:          of the dma-buf
 * @mlx5_access: 0, or flags of mlx5's own attribute (MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS), for
 *               which a kernel that does not know it answers -EPROTONOSUPPORT
 */
int mr_uverbs_reg_dmabuf_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *request,
			    int fd, uint32_t mlx5_access, struct mr_uverbs_mr *mr,
			    struct mr_error *err);

/**
 * mr_uverbs_data_direct_path() - MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH
 * @path: set to the path of its Data Direct device below /sys, "/devices/..."; zeros behind it stay
 *
 * Return: -ENODEV where there is none, -ENOSPC where @size bytes do not do.
 */
int mr_uverbs_data_direct_path(const struct mr_uverbs *uverbs, char *path, size_t size,
			       struct mr_error *err);

/**
 * mr_uverbs_query_mr() - uverbs_std_types_mr.c UVERBS_METHOD_QUERY_MR
 *
 * Return: -ENOENT for a handle that is free, -EINVAL for one of another type.
 */
int mr_uverbs_query_mr(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_uverbs_mr *mr,
		       struct mr_error *err);

/**
 * mr_uverbs_is_absent() - whether mr_uverbs_query_mr() has answered that there is no such MR
 * @rc: its return value
 *
 * The handle is free, or an object of another kind has it: all kinds share their numbers.
 */
bool mr_uverbs_is_absent(int rc);

/**
 * mr_uverbs_advise_mr() - UVERBS_METHOD_ADVISE_MR, of one range
 *
 * Return: -EOPNOTSUPP from a driver that knows no advice.
 */
int mr_uverbs_advise_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_advice *advice,
			struct mr_error *err);

/** mr_uverbs_destroy_mr() - UVERBS_METHOD_MR_DESTROY */
int mr_uverbs_destroy_mr(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err);

/**
 * mr_uverbs_reg_umem() - drivers/infiniband/hw/mlx5/devx.c MLX5_IB_METHOD_DEVX_UMEM_REG
 * @handle: set to the kernel's number of the umem
 * @id:     set to the device's number of it
 *
 * Return: -EPROTONOSUPPORT from another driver, -EINVAL also where the context is without DEVX.
 */
int mr_uverbs_reg_umem(const struct mr_uverbs *uverbs, const struct mr_uverbs_umem_reg *request,
		       uint32_t *handle, uint32_t *id, struct mr_error *err);

/**
 * mr_uverbs_dereg_umem() - MLX5_IB_METHOD_DEVX_UMEM_DEREG
 *
 * Return: -ENOENT for a handle that is free, -EINVAL for one of another type, and while a DEVX
 * object uses the umem.
 */
int mr_uverbs_dereg_umem(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err);

/**
 * mr_uverbs_list_uars() - the doorbell pages of mlx5 contexts; of other drivers there are none
 *
 * As mr_uverbs_list_umems().
 */
int mr_uverbs_list_uars(const struct mr_uverbs *uverbs, uint32_t *handles, uint32_t *count,
			struct mr_error *err);

/**
 * mr_uverbs_list_umems() - mr_uverbs_list() of umems; none of other drivers
 *
 * Return: -ENOENT where the driver has no such type, for want of DEVX (uapi_get_object()).
 */
int mr_uverbs_list_umems(const struct mr_uverbs *uverbs, uint32_t *handles, uint32_t *count,
			 struct mr_error *err);

/**
 * mr_uverbs_alloc_dm() - uverbs_std_types_dm.c UVERBS_METHOD_DM_ALLOC
 * @length: bytes of memory on the device
 *
 * Return: -EPROTONOSUPPORT where the device has none.
 */
int mr_uverbs_alloc_dm(const struct mr_uverbs *uverbs, uint64_t length, uint32_t *handle,
		       struct mr_error *err);

/** mr_uverbs_free_dm() - UVERBS_METHOD_DM_FREE; -EBUSY while a region is on it */
int mr_uverbs_free_dm(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err);

/**
 * mr_uverbs_reg_dm_mr() - uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG
 * @request: its addr is the offset in the memory, its iova counts for nothing
 * @dm:      handle of the memory
 */
int mr_uverbs_reg_dm_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *request,
			uint32_t dm, struct mr_uverbs_mr *mr, struct mr_error *err);

/** The most handles that one INFO_HANDLES returns: its length has 16 bits. */
#define MR_UVERBS_INFO_MAX 16383

/**
 * mr_uverbs_list() - UVERBS_METHOD_INFO_HANDLES
 * @object:  UVERBS_OBJECT_MR, UVERBS_OBJECT_PD, …
 * @handles: room for MR_UVERBS_INFO_MAX
 * @count:   set to how many there are; where it is MR_UVERBS_INFO_MAX, there may be more
 */
int mr_uverbs_list(const struct mr_uverbs *uverbs, uint16_t object, uint32_t *handles,
		   uint32_t *count, struct mr_error *err);

/** mr_uverbs_lists() - whether a handle is among those listed */
static inline bool mr_uverbs_lists(const uint32_t *handles, uint32_t count, uint32_t handle)
{
	while (count-- > 0)
		if (handles[count] == handle)
			return true;
	return false;
}

#endif
