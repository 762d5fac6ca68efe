/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the kernel's uverbs: its descriptors, its ioctl, and which drivers are known. */
#ifndef LIB_VERBS_UVERBS_H
#define LIB_VERBS_UVERBS_H

#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

/** An open uverbs device (/dev/infiniband/uverbsN), and its driver. */
struct mr_uverbs {
	int fd;
	uint32_t driver_id; /**< enum rdma_driver_id */
};

/** Kinds of memory that a steering tag can be for. */
enum mr_dmah_memory {
	MR_DMAH_NO_CPU, /**< there is no steering tag: neither memory nor CPU was given */
	MR_DMAH_VOLATILE,
	MR_DMAH_PERSISTENT,
	MR_DMAH_MEMORIES, /**< how many there are */
};

/** The names of these kinds; the first, which stands for none, is empty. */
extern const struct mr_word mr_dmah_memories[MR_DMAH_MEMORIES + 1];

/** What a handle is for.  It is also stored in sessions. */
struct mr_dmah_hints {
	uint32_t cpu;   /**< number of the CPU whose cache is meant, unless MR_DMAH_NO_CPU */
	uint8_t memory; /**< enum mr_dmah_memory */
	uint8_t ph;     /**< processing hint, 0 to MR_DMAH_PH_MAX */
	uint8_t unused[2];
};

/**
 * mr_dmah_parse() - read "cpu=N,mem=volatile|persistent,ph=N"
 *
 * A processing hint must be there, and a CPU and a kind of memory go together, as mlx5 wants it
 * (hw/mlx5/dmah.c mlx5_ib_alloc_dmah()).
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE.
 */
int mr_dmah_parse(const char *text, struct mr_dmah_hints *hints, struct mr_error *err);

/** A memory region, as the kernel reports it. */
struct mr_uverbs_mr {
	uint32_t handle;
	uint32_t lkey;
	uint32_t rkey;
	uint64_t length; /**< bytes */
	uint64_t iova;
};

/** What is to be registered as an MR. */
struct mr_uverbs_reg {
	uint64_t addr;   /**< address of the first byte; its offset in a dma-buf or DM */
	uint64_t length; /**< bytes */
	uint64_t iova;
	uint32_t pd_handle;
	uint32_t access;
};

/** What is to be registered as a umem. */
struct mr_uverbs_umem_reg {
	uint64_t addr;                /**< address of the first byte; its offset in a dma-buf */
	uint64_t length;              /**< bytes */
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

/** mr_uverbs_alloc_pd() - uverbs_cmd.c ib_uverbs_alloc_pd(); sets @handle */
int mr_uverbs_alloc_pd(const struct mr_uverbs *uverbs, uint32_t *handle, struct mr_error *err);

/** mr_uverbs_dealloc_pd() - UVERBS_METHOD_PD_DESTROY; -EBUSY while an object uses the PD */
int mr_uverbs_dealloc_pd(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err);

/** mr_uverbs_reg_mr() - ib_uverbs_reg_mr(); sets @mr, with the length and iova of the request */
int mr_uverbs_reg_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *request,
		     struct mr_uverbs_mr *mr, struct mr_error *err);

/**
 * mr_uverbs_rereg_mr() - ib_uverbs_rereg_mr()
 * @changes: enum ib_mr_rereg_flags: which members of @request are used
 * @mr:      in: its handle, which stays; out: its keys
 */
int mr_uverbs_rereg_mr(const struct mr_uverbs *uverbs, uint32_t changes,
		       const struct mr_uverbs_reg *request, struct mr_uverbs_mr *mr,
		       struct mr_error *err);

/**
 * mr_uverbs_reg_dmabuf_mr() - uverbs_std_types_mr.c UVERBS_METHOD_REG_DMABUF_MR
 * @fd:          of the dma-buf
 * @mlx5_access: 0, or flags of mlx5's own attribute (MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS)
 *
 * Return: -EPROTONOSUPPORT where the kernel does not know that attribute.
 */
int mr_uverbs_reg_dmabuf_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *request,
			    int fd, uint32_t mlx5_access, struct mr_uverbs_mr *mr,
			    struct mr_error *err);

/**
 * mr_uverbs_data_direct_path() - MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH
 * @path: set to the path of the Data Direct device below /sys, "/devices/..."; @size bytes, which the
 *        caller has filled with zeros
 *
 * Return: -ENODEV where there is no such device, -ENOSPC where @size is too small, -EOPNOTSUPP with
 * MR_ERROR_HOST for a driver other than mlx5_ib.
 */
int mr_uverbs_data_direct_path(const struct mr_uverbs *uverbs, char *path, size_t size,
			       struct mr_error *err);

/**
 * mr_uverbs_query_mr() - uverbs_std_types_mr.c UVERBS_METHOD_QUERY_MR
 * @err: filled, or NULL where nobody reads it: writing an error takes as long as the call
 *
 * Return: -ENOENT for a handle that is free, -EINVAL for one of another type.
 */
int mr_uverbs_query_mr(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_uverbs_mr *mr,
		       struct mr_error *err);

/**
 * mr_uverbs_is_absent() - whether a return value of mr_uverbs_query_mr() means that there is no such MR
 *
 * The handle is free then, or an object of another kind has it: handles of all kinds are one series.
 */
bool mr_uverbs_is_absent(int rc);

/**
 * mr_uverbs_advise_mr() - UVERBS_METHOD_ADVISE_MR, of one range
 *
 * Return: -EOPNOTSUPP where the driver has no advise_mr().
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
 * mr_uverbs_list_uars() - list the doorbell pages of mlx5 contexts
 *
 * Parameters and return value are those of mr_uverbs_list_umems().
 */
int mr_uverbs_list_uars(const struct mr_uverbs *uverbs, uint32_t *handles, uint32_t *count,
			struct mr_error *err);

/**
 * mr_uverbs_list_umems() - list umems, as mr_uverbs_list()
 * @count: set to 0 for a driver other than mlx5_ib, without asking the kernel
 *
 * Return: -ENOENT where mlx5_ib has no such type, for lack of DEVX (uapi_get_object()).
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
 * @request: its addr is the offset in the memory, its iova is not used
 * @dm:      handle of the memory on the device
 */
int mr_uverbs_reg_dm_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *request,
			uint32_t dm, struct mr_uverbs_mr *mr, struct mr_error *err);

/**
 * mr_uverbs_alloc_dmah() - uverbs_std_types_dmah.c UVERBS_METHOD_DMAH_ALLOC
 *
 * Return: -EPROTONOSUPPORT where the kernel (before Linux 6.17), its driver or the device has no DMA handles,
 * -EPERM for a CPU that this process may not run on, -EINVAL for one that there is not.
 */
int mr_uverbs_alloc_dmah(const struct mr_uverbs *uverbs, const struct mr_dmah_hints *hints,
			 uint32_t *handle, struct mr_error *err);

/** mr_uverbs_free_dmah() - UVERBS_METHOD_DMAH_FREE; -EBUSY while a region uses it */
int mr_uverbs_free_dmah(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_error *err);

/** mr_uverbs_reg_dmah_mr() - uverbs_std_types_mr.c UVERBS_METHOD_REG_MR, with a DMA handle */
int mr_uverbs_reg_dmah_mr(const struct mr_uverbs *uverbs, const struct mr_uverbs_reg *request,
			  uint32_t dmah, struct mr_uverbs_mr *mr, struct mr_error *err);

/**
 * mr_uverbs_has_reg_mr() - whether the kernel has UVERBS_METHOD_REG_MR, which came with DMA handles (Linux 6.17)
 *
 * It is asked for without the attributes that it needs, so that it registers nothing.
 */
enum mr_tristate mr_uverbs_has_reg_mr(const struct mr_uverbs *uverbs);

/** The most handles that one INFO_HANDLES returns: its length has 16 bits. */
#define MR_UVERBS_INFO_MAX 16383

/**
 * mr_uverbs_list() - list the handles of objects (UVERBS_METHOD_INFO_HANDLES)
 * @object:  UVERBS_OBJECT_MR, UVERBS_OBJECT_PD, …
 * @handles: room for MR_UVERBS_INFO_MAX handles
 * @count:   set to the number of handles; where it is MR_UVERBS_INFO_MAX, there may be more objects
 */
int mr_uverbs_list(const struct mr_uverbs *uverbs, uint16_t object, uint32_t *handles,
		   uint32_t *count, struct mr_error *err);

/** mr_uverbs_lists() - whether @handle is among @count @handles */
static inline bool mr_uverbs_lists(const uint32_t *handles, uint32_t count, uint32_t handle)
{
	while (count-- > 0)
		if (handles[count] == handle)
			return true;
	return false;
}

/** Room for attributes: no request of this folder has more. */
#define MR_IOCTL_ATTRS 10

/** A request.  Its header ends with an array of no length, which the attributes follow. */
struct mr_ioctl {
	union {
		struct ib_uverbs_ioctl_hdr header;
		struct {
			char before[sizeof(struct ib_uverbs_ioctl_hdr)];
			struct ib_uverbs_attr attrs[MR_IOCTL_ATTRS];
		};
	};
};

/**
 * mr_ioctl_new() - begin a request, without attributes
 * @object: UVERBS_OBJECT_…
 * @method: UVERBS_METHOD_…
 */
struct mr_ioctl mr_ioctl_new(uint16_t object, uint16_t method);

/**
 * mr_ioctl_new_write() - begin an older command (IB_USER_VERBS_CMD_…), by UVERBS_METHOD_INVOKE_WRITE
 * @in, @out: the command's request and its response, which must live until mr_ioctl_submit()
 */
struct mr_ioctl mr_ioctl_new_write(uint64_t command, const void *in, size_t in_length, void *out,
				   size_t out_length);

/**
 * mr_ioctl_add() - add an attribute
 * @length, @data: as the kernel gets them
 *
 * Return: the attribute; where it is the handle of a new object, mr_ioctl_submit() sets its data.
 */
struct ib_uverbs_attr *mr_ioctl_add(struct mr_ioctl *request, uint16_t id, size_t length,
				    uint64_t data);

/** mr_ioctl_add_in() - add a value; one of more than eight bytes must live until mr_ioctl_submit() */
void mr_ioctl_add_in(struct mr_ioctl *request, uint16_t id, const void *value, size_t length);

/** mr_ioctl_add_out() - add room for an answer of the kernel, of at most @length bytes */
void mr_ioctl_add_out(struct mr_ioctl *request, uint16_t id, void *value, size_t length);

/**
 * mr_ioctl_submit() - send the request to the kernel
 * @call: its name in errors: "ioctl(REG_MR)"
 * @err:  filled, or NULL where nobody reads it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_ioctl_submit(const struct mr_uverbs *uverbs, struct mr_ioctl *request, const char *call,
		    struct mr_error *err);

/** A driver. */
struct mr_driver {
	const char *provider; /**< its name in user space: "mlx5"; of an unknown driver "" */
	uint32_t id;          /**< enum rdma_driver_id */
	uint16_t reg_in;     /**< bytes of its own input to REG_MR; zeros mean an ordinary region */
	uint16_t reg_out;    /**< bytes of its own answer to REG_MR */
	bool imports;        /**< its provider has ibv_import_device(3) */
	bool blocks_removal; /**< removing a device waits until nobody has it open */
	bool lacks_dmabufs;  /**< neither its provider nor the driver registers dma-bufs */
	bool lacks_rereg;    /**< its provider has no ibv_rereg_mr(3) */
	bool orders_strictly; /**< its devices cannot write in relaxed order: they have no PCI bus */
};

/** mr_driver_find() - the driver of an enum rdma_driver_id; never NULL */
const struct mr_driver *mr_driver_find(uint32_t id);

/**
 * mr_driver_id() - the kernel's number of a driver
 * @provider: its user-space name ("mlx5")
 *
 * Return: enum rdma_driver_id, 0 (RDMA_DRIVER_UNKNOWN) for a name that is not known.
 */
uint32_t mr_driver_id(const char *provider);

/**
 * mr_driver_is_known() - whether a driver is in the table
 *
 * Whether another driver needs input of its own to REG_MR is not known: registering is tried without.
 */
bool mr_driver_is_known(uint32_t id);

/** mr_driver_imports() - false where the provider is known to have no ibv_import_device(3) */
bool mr_driver_imports(uint32_t id);

/** mr_driver_blocks_removal() - whether removing a device waits until nobody has it open */
bool mr_driver_blocks_removal(uint32_t id);

#endif
