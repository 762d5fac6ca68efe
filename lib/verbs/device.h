/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares devices: opening one, and querying its identity and its capabilities. */
#ifndef LIB_VERBS_DEVICE_H
#define LIB_VERBS_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

/** Versions, device and limits.  A string that is not known is empty. */
struct mr_environment {
	char mrctl[32];     /**< version of mrctl */
	char kernel[65];    /**< release of the running kernel */
	char rdma_core[32]; /**< version of the loaded libibverbs, from its file name */
	char device[64];    /**< "mlx5_0" */
	/** User-space driver: "mlx5".  Of a device that is not open, libibverbs reports only this one. */
	char provider[32];
	char firmware[64];         /**< version, as /sys has it */
	bool simulated;            /**< the device is the simulated HCA */
	char simulated_kernel[16]; /**< kernel whose answers a simulated device gives */
	/** RLIMIT_MEMLOCK in bytes; not known: unlimited. */
	struct mr_opt_u64 memlock_soft;
	struct mr_opt_u64 memlock_hard;
	struct mr_opt_u64 uid;
	struct mr_opt_u64 euid;
	/** Path of an mlx5 device's Data Direct device in /sys, set only by a command that uses it. */
	char data_direct[256];
};

/** mr_environment_init() - set what is known without a device; the members about a device are empty */
void mr_environment_init(struct mr_environment *environment);

/** mr_environment_find() - set firmware and simulated kernel of the device that @environment names */
void mr_environment_find(struct mr_environment *environment);

/**
 * mr_rdma_core_version() - the version of rdma-core by the file of its libibverbs
 * @path: without symbolic links.  Its name is SONAME.ABI.PABI.VERSION, such as libibverbs.so.1.14.44.0: the version
 *        of the package comes after the second number.
 *
 * Return: false where the name has none.
 */
bool mr_rdma_core_version(const char *path, char *version, size_t size);

/** An open device, with one protection domain or none. */
struct mr_device {
	struct ibv_context *context;
	struct ibv_pd *pd; /**< or NULL */
	bool imported;     /**< they belong to a session: closing keeps them */
};

/**
 * mr_device_find() - find a device, and do not open it
 * @name:        the device, or NULL for the only one there is
 * @environment: its members about the device are set, as far as is known of one that is not open
 *
 * Return: 0, or -errno with MR_ERROR_ABSENT or MR_ERROR_USAGE, as mr_device_open().
 */
int mr_device_find(const char *name, struct mr_environment *environment, struct mr_error *err);

/**
 * mr_device_open() - open a device (ibv_open_device) and allocate a protection domain
 * @name:        the device, or NULL for the only one there is
 * @device:      set on success; mr_device_close() it
 * @environment: its members about the device are set, on failure as far as they became known
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no such device or none at all,
 * MR_ERROR_USAGE where one of several has to be named, MR_ERROR_REFUSED where the stack
 * refuses to open it.
 */
int mr_device_open(const char *name, struct mr_device *device, struct mr_environment *environment,
		   struct mr_error *err);

/**
 * mr_device_open_alone() - as mr_device_open(), without a protection domain
 * @devx: open it for DEVX (mlx5dv_open_device): ibv_open_device() requests DEVX as well, but succeeds without it
 *
 * Return: as mr_device_open(); with @devx -EOPNOTSUPP where the device is no mlx5 device.
 */
int mr_device_open_alone(const char *name, bool devx, struct mr_device *device,
			 struct mr_environment *environment, struct mr_error *err);

/** mr_device_alloc_pd() - allocate the protection domain of a device that has none yet; returns as mr_device_open() */
int mr_device_alloc_pd(struct mr_device *device, struct mr_error *err);

/**
 * mr_device_import() - import the context and PD of a session (ibv_import_device, ibv_import_pd)
 * @fd:        the session's uverbs command descriptor; the caller still has to close it
 * @pd_handle: its protection domain, or MR_NO_HANDLE for none
 * @device:    set on success; mr_device_close() it, or a UAR stays allocated as long as the session
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; -EOPNOTSUPP where the provider cannot import.
 */
int mr_device_import(int fd, uint32_t pd_handle, struct mr_device *device, struct mr_error *err);

/**
 * mr_device_uverbs() - the descriptor and driver of an open device, for ioctls
 * @environment: of the device: names its provider
 * @pd_handle:   set to the handle of its PD, MR_NO_HANDLE where it has none
 */
struct mr_uverbs mr_device_uverbs(const struct mr_device *device,
				  const struct mr_environment *environment, uint32_t *pd_handle);

/**
 * mr_device_leave() - free what the library has of a device that a session holds from now on
 *
 * The session holds the device open, so its protection domain stays.  The objects that the provider allocated for
 * itself (UARs) are freed.
 */
void mr_device_leave(struct mr_device *device);

/** mr_device_close() - free the protection domain and close the device */
void mr_device_close(struct mr_device *device);

/**
 * mr_device_fail_absent() - record that libibverbs does not list a device, and why
 * @name:       the device, or NULL for any
 * @list_errno: errno of ibv_get_device_list(3) where it gave no list, else 0
 * @others:     devices that it lists: "mlx5_0, rxe0", or ""
 *
 * It looks for the device in sysfs ($SYSFS_PATH, as libibverbs does) and in /dev/infiniband.
 *
 * Return: -errno, with MR_ERROR_ABSENT where this process has no such device, with MR_ERROR_HOST where
 * that cannot be found out.  The reasons are causes (lib/diagnose/causes/opening.c).
 */
int mr_device_fail_absent(const char *name, int list_errno, const char *others,
			  struct mr_error *err);

/** Operations that a provider may lack, and whose function a context shows. */
enum mr_provider_operation {
	MR_PROVIDER_ALLOC_DM,      /**< ibv_alloc_dm(3) */
	MR_PROVIDER_REG_DM_MR,     /**< ibv_reg_dm_mr(3) */
	MR_PROVIDER_ALLOC_NULL_MR, /**< ibv_alloc_null_mr(3) */
	MR_PROVIDER_ADVISE_MR,     /**< ibv_advise_mr(3) */
};

/**
 * mr_provider_has() - whether the provider has an operation
 *
 * For a missing one libibverbs fills in a default function, which answers EOPNOTSUPP
 * (libibverbs/dummy_ops.c).
 */
enum mr_tristate mr_provider_has(struct ibv_context *context, enum mr_provider_operation operation);

/** On-demand paging: what is supported in general, and by which operations of each transport. */
struct mr_odp_caps {
	uint64_t general; /**< bits of mr_odp_general */
	/* Bits of mr_odp_operations: */
	uint32_t rc, uc, ud, xrc;
};

/** Bits of sizes: 1 means 4 bytes, 2 means 8 and 4 means 16 (enum ibv_pci_atomic_op_size). */
struct mr_pci_atomics {
	uint32_t fetch_add, swap, compare_swap;
};

/** The answer of ibv_query_device_ex(3).  Limits are upper bounds: fewer may be possible. */
struct mr_attributes {
	uint32_t vendor_id, vendor_part_id, hw_version;
	uint64_t max_mr_size;  /**< bytes */
	uint64_t page_sizes;   /**< page_size_cap: a bit for each size in bytes */
	uint64_t max_dm_size;  /**< bytes of memory on the device; 0: none */
	uint64_t capabilities; /**< device_cap_flags_ex, of which mr_device_capabilities has some */
	uint32_t max_mr, max_pd, max_mw, max_qp, max_cq, max_srq;
	uint32_t max_fmr, max_map_per_fmr;
	uint32_t max_raw_ipv6_qp, max_raw_ethernet_qp;
	uint32_t atomic; /**< enum ibv_atomic_cap: mr_atomic_name() */
	struct mr_pci_atomics pci_atomics;
	struct mr_odp_caps odp;
};

/** Names of the bits of struct mr_odp_caps; each table ends with a row without name. */
extern const struct mr_word mr_odp_general[], mr_odp_operations[];

/** mr_atomic_name() - "none", "hca" or "global" for an enum ibv_atomic_cap; NULL for another number */
const char *mr_atomic_name(uint32_t atomic);

/** Bits of capabilities, those for memory included. */
extern const struct mr_word mr_device_capabilities[];

/** Types of memory windows, by their bits of capabilities. */
extern const struct mr_word mr_memory_windows[];

/**
 * mr_attributes_query() - query an open device
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; nothing in @attributes is set then.
 */
int mr_attributes_query(struct ibv_context *context, struct mr_attributes *attributes,
			struct mr_error *err);

/**
 * mr_attributes_query_kernel() - query a device that libibverbs does not have open: uverbs_cmd.c
 *	ib_uverbs_ex_query_device()
 *
 * PCI atomics are unknown: only the provider reports them.
 *
 * Return: as mr_attributes_query().
 */
int mr_attributes_query_kernel(const struct mr_uverbs *uverbs, struct mr_attributes *attributes,
			       struct mr_error *err);

/**
 * mr_has_optional_access() - whether the kernel accepts access flags that it may ignore
 *
 * The method QUERY_CONTEXT reports it (IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS).  To a kernel that does
 * not, libibverbs does not pass such flags on.
 */
enum mr_tristate mr_has_optional_access(const struct mr_uverbs *uverbs);

/**
 * mr_orders_relaxed() - whether the device can write in relaxed order
 *
 * For an mlx5 device it queries the firmware (QUERY_HCA_CAP), which requires a context with DEVX.  For other
 * drivers the table in drivers.c has the answer.
 */
enum mr_tristate mr_orders_relaxed(const struct mr_uverbs *uverbs);

/**
 * mr_devx_try() - make a harmless call of DEVX, on an open device of mlx5
 *
 * Return: 0; -EINVAL where the context was opened without DEVX; -EPROTONOSUPPORT where the kernel's driver has no
 * DEVX for the device; or another -errno.
 */
int mr_devx_try(const struct mr_uverbs *uverbs);

/**
 * mr_data_direct_path() - mlx5dv_get_data_direct_sysfs_path(3), or its ioctl by MR_VIA_KERNEL
 * @path: set to the folder of the device in /sys, @size bytes long; to an empty string where there is no
 *        such device, or the library or the kernel does not know the call
 */
void mr_data_direct_path(const struct mr_registrar *registrar, char *path, size_t size);

/** The path of ibv_reg_mr_ex(3). */
enum mr_reg_mr_ex {
	MR_REG_MR_EX_UNKNOWN,
	MR_REG_MR_EX_ABSENT,  /**< the library has no such function (before rdma-core 59) */
	MR_REG_MR_EX_REFUSED, /**< the provider does not offer it (before rdma-core 64) */
	MR_REG_MR_EX_EMULATED, /**< libibverbs calls an older function of the provider (rdma-core 64) */
	MR_REG_MR_EX_PROVIDER, /**< the provider has it: mlx5 */
	MR_REG_MR_EX_ANSWERS,  /**< how many there are */
};

/** Their names, as indexes of a table; the first is no word. */
extern const struct mr_word mr_reg_mr_ex_words[MR_REG_MR_EX_ANSWERS + 1];

/** Features.  MR_UNKNOWN if only a trial, or nothing, can show it. */
struct mr_features {
	enum mr_tristate devx;             /**< this user gets a context with DEVX */
	enum mr_tristate optional_access;  /**< mr_has_optional_access() */
	enum mr_tristate relaxed_ordering; /**< mr_orders_relaxed() */
	/** ibv_reg_dmabuf_mr(3) with descriptor -1: EBADF means that only a dma-buf is missing. */
	enum mr_tristate dmabuf;
	enum mr_tristate data_direct; /**< it has a Data Direct device */
	char data_direct_path[256];   /**< the folder of that in /sys */
	enum mr_tristate
		dma_handles; /**< driver and kernel know DMA handles (UVERBS_OBJECT_DMAH) */
	/** Memory of the device can be exported as a dma-buf: no, or unknown. */
	enum mr_tristate dm_dmabuf;
	enum mr_reg_mr_ex reg_mr_ex;
	struct mr_opt_u64 dc_odp;    /**< operations of DC with ODP: mr_dc_odp_caps() */
	bool has_symbol[MR_SYMBOLS]; /**< whether the library has the function */
};

/**
 * mr_features_find() - find the features that are not in the attributes
 * @device:      open; a protection domain is allocated in it, where that works
 * @environment: of the device
 * @attributes:  of the device, or NULL where they are not known
 * @devx:        whether the context is one with DEVX
 */
void mr_features_find(struct mr_device *device, const struct mr_environment *environment,
		      const struct mr_attributes *attributes, enum mr_tristate devx,
		      struct mr_features *features);

/** mr_has_dma_handles() - whether driver and kernel know DMA handles (UVERBS_OBJECT_DMAH) */
enum mr_tristate mr_has_dma_handles(const struct mr_uverbs *uverbs);

#endif
