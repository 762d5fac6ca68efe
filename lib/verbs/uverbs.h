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

/** The names of these kinds; the first, for none, is empty. */
extern const struct mr_word mr_dmah_memories[MR_DMAH_MEMORIES + 1];

/** Hints of a DMA handle.  Sessions store them, too. */
struct mr_dmah_hints {
	uint32_t cpu;   /**< number of the CPU whose cache is used, unless MR_DMAH_NO_CPU */
	uint8_t memory; /**< enum mr_dmah_memory */
	uint8_t ph;     /**< processing hint, 0 to MR_DMAH_PH_MAX */
	uint8_t unused[2];
};

/**
 * mr_dmah_parse() - read "cpu=N,mem=volatile|persistent,ph=N"
 *
 * A processing hint is required, and a CPU and a kind of memory require each other, by the rules of mlx5
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

/** Kinds of objects. */
enum mr_region_kind {
	MR_KIND_MR,
	MR_KIND_UMEM,    /**< has no keys, no IOVA and no protection domain */
	MR_KIND_DM,      /**< memory on the device, which no call of enum mr_region_call makes */
	MR_REGION_KINDS, /**< how many kinds of regions there are */
	MR_KIND_PD = MR_REGION_KINDS,
	MR_KIND_DMAH, /**< DMA handle */
};

/* DMA handles are newer than the headers of Linux 6.1: uverbs_methods_dmah, uverbs_attrs_free_dmah_cmd_attr_ids. */
#define MR_OBJECT_DMAH 17
enum { MR_METHOD_DMAH_ALLOC, MR_METHOD_DMAH_FREE };
#define MR_ATTR_FREE_DMA_HANDLE 0

/** mr_uverbs_alloc_pd() - uverbs_cmd.c ib_uverbs_alloc_pd(); sets @handle */
int mr_uverbs_alloc_pd(const struct mr_uverbs *uverbs, uint32_t *handle, struct mr_error *err);

/**
 * mr_uverbs_destroy() - destroy an object by its handle
 *
 * The method is MR_DESTROY, DEVX_UMEM_DEREG, DM_FREE, PD_DESTROY or DMAH_FREE.  The kernel refuses with ENOENT or
 * EINVAL where no object of that kind has the handle, and with EBUSY while another object uses it.  It also answers
 * EINVAL for a umem that a DEVX object uses.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_uverbs_destroy(const struct mr_uverbs *uverbs, enum mr_region_kind kind, uint32_t handle,
		      struct mr_error *err);

/** Where sysfs is mounted: the kernel and libmlx5 return paths below it. */
#define MR_SYSFS "/sys"

/**
 * mr_uverbs_data_direct_path() - MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH
 * @path: set to the path of the Data Direct device, "/sys/devices/..."; to an empty string on failure
 *
 * Return: -ENODEV where there is no such device, -ENOSPC where @size is too small, -EOPNOTSUPP with
 * MR_ERROR_HOST for a driver other than mlx5_ib.
 */
int mr_uverbs_data_direct_path(const struct mr_uverbs *uverbs, char *path, size_t size,
			       struct mr_error *err);

/**
 * mr_uverbs_query_mr() - uverbs_std_types_mr.c UVERBS_METHOD_QUERY_MR
 * @err: filled; NULL if not needed: writing an error takes as long as the call
 *
 * Return: -ENOENT for a handle that is free, -EINVAL for one of another type.
 */
int mr_uverbs_query_mr(const struct mr_uverbs *uverbs, uint32_t handle, struct mr_uverbs_mr *mr,
		       struct mr_error *err);

/**
 * mr_uverbs_is_absent() - whether a return value of mr_uverbs_query_mr() means that there is no such MR
 *
 * The handle is free then, or an object of another kind has it: objects of all kinds share one series of handles.
 */
bool mr_uverbs_is_absent(int rc);

/**
 * mr_uverbs_has_reg_mr() - whether the kernel has UVERBS_METHOD_REG_MR, which came with DMA handles (Linux 6.17)
 *
 * The call omits required attributes, so that it registers nothing.
 */
enum mr_tristate mr_uverbs_has_reg_mr(const struct mr_uverbs *uverbs);

/** The most handles that one INFO_HANDLES returns: its length has 16 bits. */
#define MR_UVERBS_INFO_MAX 16383

/** Handles that the kernel has listed: the newest objects, of which the newest comes first. */
struct mr_handles {
	uint32_t count; /**< where it is MR_UVERBS_INFO_MAX, there may be more objects */
	uint32_t list[MR_UVERBS_INFO_MAX];
};

/**
 * mr_uverbs_list() - list the handles of objects (UVERBS_METHOD_INFO_HANDLES)
 * @object:  UVERBS_OBJECT_MR, MLX5_IB_OBJECT_DEVX_UMEM, …; mlx5's types do not exist with another driver
 * @handles: set
 *
 * Return: -ENOENT where the driver has no such type of objects (uapi_get_object()).
 */
int mr_uverbs_list(const struct mr_uverbs *uverbs, uint16_t object, struct mr_handles *handles,
		   struct mr_error *err);

/** mr_handles_have() - whether a handle is in the list */
static inline bool mr_handles_have(const struct mr_handles *handles, uint32_t handle)
{
	for (uint32_t i = handles->count; i-- > 0;)
		if (handles->list[i] == handle)
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
 * Return: the attribute.
 */
struct ib_uverbs_attr *mr_ioctl_add(struct mr_ioctl *request, uint16_t id, size_t length,
				    uint64_t data);

/** mr_ioctl_add_handle() - add the handle of an object; 0 where the call makes the object */
void mr_ioctl_add_handle(struct mr_ioctl *request, uint16_t id, uint32_t handle);

/** mr_ioctl_add_in() - add a value; one of more than eight bytes must live until mr_ioctl_submit() */
void mr_ioctl_add_in(struct mr_ioctl *request, uint16_t id, const void *value, size_t length);

/** mr_ioctl_add_out() - add room for an answer of the kernel, of at most @length bytes */
void mr_ioctl_add_out(struct mr_ioctl *request, uint16_t id, void *value, size_t length);

/**
 * mr_ioctl_submit() - send the request to the kernel
 * @call: its name in errors: "ioctl(REG_MR)"
 * @err:  filled, or NULL if not needed
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_ioctl_submit(const struct mr_uverbs *uverbs, struct mr_ioctl *request, const char *call,
		    struct mr_error *err);

/** MR_IOCTL_IN(), MR_IOCTL_OUT() - add a variable as a value, and as room for an answer */
#define MR_IOCTL_IN(request, id, variable)                                                         \
	mr_ioctl_add_in(request, id, &(variable), sizeof(variable))
#define MR_IOCTL_OUT(request, id, variable)                                                        \
	mr_ioctl_add_out(request, id, &(variable), sizeof(variable))

/** mr_ioctl_create() - mr_ioctl_submit() of a request whose first attribute is the handle of a new object; sets @handle */
int mr_ioctl_create(const struct mr_uverbs *uverbs, struct mr_ioctl *request, const char *call,
		    uint32_t *handle, struct mr_error *err);

/** A driver. */
struct mr_driver {
	/** Its name in user space: "mlx5"; "" of an unknown driver, which may require private input to REG_MR. */
	const char *provider;
	uint32_t id;     /**< enum rdma_driver_id */
	uint16_t reg_in; /**< bytes of its private input to REG_MR; zeros mean an ordinary region */
	uint16_t reg_out;     /**< bytes of its private answer to REG_MR */
	bool imports;         /**< its provider has ibv_import_device(3) */
	bool blocks_removal;  /**< removing a device waits until it is closed everywhere */
	bool lacks_dmabufs;   /**< neither its provider nor the driver registers dma-bufs */
	bool lacks_rereg;     /**< its provider has no ibv_rereg_mr(3) */
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

#endif
