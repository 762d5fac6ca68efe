/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the kernel's uverbs, devices, and the calls that register, change and deregister. */
#ifndef LIB_VERBS_VERBS_H
#define LIB_VERBS_VERBS_H

#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

struct ibv_context;
struct ibv_dm;
struct ibv_dmah;
struct ibv_mr;
struct ibv_pd;
struct mlx5dv_devx_umem;
struct mr_backing;
struct mr_dm;
struct mr_dmabuf;
struct mr_dmah;
struct mr_init_attr;

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

/**
 * Functions that are newer than rdma-core 44, the oldest release that mrctl is built with.  They are
 * looked up at run time, by name and version.
 */
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

typedef struct ibv_mr *mr_reg_mr_ex(struct ibv_pd *pd, struct mr_init_attr *attr);

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

/**
 * The calls that register.  A new call needs a constant here, a row in calls.c, and a row with its functions in
 * region.c.  Sessions store these numbers, so a new call is appended.
 */
enum mr_region_call {
	MR_REG_MR,             /**< ibv_reg_mr(3) */
	MR_REG_MR_RELAXED,     /**< mr_reg_mr_relaxed(): ibv_reg_mr of whole pages */
	MR_REG_MR_IOVA,        /**< ibv_reg_mr_iova(3) */
	MR_REG_DMABUF_MR,      /**< ibv_reg_dmabuf_mr(3) */
	MR_DV_REG_DMABUF_MR,   /**< mlx5dv_reg_dmabuf_mr(3), for Data Direct */
	MR_REG_MR_EX,          /**< ibv_reg_mr_ex(3) in place of ibv_reg_mr */
	MR_REG_MR_EX_IOVA,     /**< ibv_reg_mr_ex(3) in place of ibv_reg_mr_iova */
	MR_REG_MR_EX_FD,       /**< ibv_reg_mr_ex(3) in place of ibv_reg_dmabuf_mr */
	MR_REG_DM_MR,          /**< ibv_reg_dm_mr(3) */
	MR_ALLOC_NULL_MR,      /**< ibv_alloc_null_mr(3) */
	MR_UMEM_REG,           /**< mlx5dv_devx_umem_reg(3) */
	MR_UMEM_REG_EX,        /**< mlx5dv_devx_umem_reg_ex(3) */
	MR_UMEM_REG_DMABUF,    /**< mlx5dv_devx_umem_reg_ex(3) of a dma-buf, any page size */
	MR_UMEM_REG_EX_DMABUF, /**< mlx5dv_devx_umem_reg_ex(3) of a dma-buf, with page sizes */
	MR_REG_MR_DMAH,        /**< ibv_reg_mr_ex(3) with a DMA handle, in place of ibv_reg_mr */
	MR_REGION_CALLS,       /**< how many there are */
};

/** mr_region_kind_name() - "mr", "umem" or "dm" */
const char *mr_region_kind_name(enum mr_region_kind kind);

/** Kinds of objects that a call registers a range of. */
enum mr_region_on {
	MR_ON_MEMORY,  /**< a range of the process's addresses */
	MR_ON_DMABUF,  /**< a range of a dma-buf */
	MR_ON_DM,      /**< a range of memory on the device */
	MR_ON_NOTHING, /**< the null MR: no range, no access flags and no rkey */
};

/** Which I/O virtual address the first byte of a region gets. */
enum mr_region_iova {
	MR_IOVA_NONE,  /**< none: a umem, the null MR */
	MR_IOVA_ADDR,  /**< its address in the process */
	MR_IOVA_GIVEN, /**< the one that the request gives */
	MR_IOVA_ZERO,  /**< 0 */
};

/** A call. */
struct mr_call_row {
	const char *name;         /**< "ibv_reg_mr" */
	const char *ioctl;        /**< the same by the kernel: "ioctl(REG_MR)"; or NULL */
	enum mr_region_kind kind; /**< what it registers */
	enum mr_region_on on;
	enum mr_region_iova iova;
	bool page_sizes;       /**< it is given page sizes (pgsz_bitmap) */
	bool data_direct;      /**< the HCA reaches the memory by its Data Direct device */
	bool dmah;             /**< it is given a DMA handle */
	enum mr_symbol symbol; /**< the function, if libraries may lack it */
	/** The call that does the same by ibv_reg_mr_ex(3); MR_REG_MR, which is 0, where none does. */
	enum mr_region_call ex;
};

/** The table.  Its last row is for numbers that are no call: an MR without a name. */
extern const struct mr_call_row mr_calls[MR_REGION_CALLS + 1];

/** mr_call_row() - the row of a call; @call may come from a session, and need not be a call */
static inline const struct mr_call_row *mr_call_row(unsigned int call)
{
	return &mr_calls[call < MR_REGION_CALLS ? call : MR_REGION_CALLS];
}

/** mr_region_kind() - what @call registers */
static inline enum mr_region_kind mr_region_kind(unsigned int call)
{
	return mr_call_row(call)->kind;
}

/** mr_region_is_dmabuf() - whether @call registers a range of a dma-buf */
static inline bool mr_region_is_dmabuf(unsigned int call)
{
	return mr_call_row(call)->on == MR_ON_DMABUF;
}

/** mr_region_is_dm() - whether @call registers a range of memory on the device */
static inline bool mr_region_is_dm(unsigned int call)
{
	return mr_call_row(call)->on == MR_ON_DM;
}

/** mr_region_is_null() - whether @call makes a null MR: no range, no access flags, no rkey */
static inline bool mr_region_is_null(unsigned int call)
{
	return mr_call_row(call)->on == MR_ON_NOTHING;
}

/** mr_region_has_offset() - whether the addr of a region by @call is an offset: in a dma-buf, or a DM */
static inline bool mr_region_has_offset(unsigned int call)
{
	return mr_region_is_dmabuf(call) || mr_region_is_dm(call);
}

/** The path of a call to the kernel. */
enum mr_via {
	MR_VIA_LIBRARY, /**< libibverbs; for umems libmlx5 */
	MR_VIA_KERNEL,  /**< the uverbs ioctl interface itself */
};

/** mr_via_name() - "library" or "kernel" */
const char *mr_via_name(enum mr_via via);

/**
 * mr_call_via() - the path of a call, by its name: "ioctl(...)", "ibv_...", "mlx5dv_..."
 * @call:      as of struct mr_error; or NULL
 * @otherwise: returned for another name, and for NULL
 *
 * A command that registers by the library still looks regions up and makes protection domains by
 * ioctls.  So the call that failed may have taken another path than the user chose.
 */
enum mr_via mr_call_via(const char *call, enum mr_via otherwise);

/** mr_region_call_name() - "ibv_reg_mr", or with MR_VIA_KERNEL "ioctl(REG_MR)"; NULL: there is no name */
const char *mr_region_call_name(unsigned int call, enum mr_via via);

/** mr_region_call_command() - the command of mrctl that makes it: "reg", "reg-iova", "reg-dmabuf" or "umem" */
const char *mr_region_call_command(enum mr_region_call call);

/** How regions are registered: the path, the device, and the protection domain. */
struct mr_registrar {
	enum mr_via via;
	struct ibv_context *context;    /**< of MR_VIA_LIBRARY */
	struct ibv_pd *pd;              /**< of MR_VIA_LIBRARY, for MRs */
	const struct mr_uverbs *uverbs; /**< of MR_VIA_KERNEL */
	uint32_t pd_handle;             /**< of MR_VIA_KERNEL, for MRs */
	bool untimed; /**< the calls are not timed, to save time: their elapsed times are 0 */
};

/** mr_registrar_now() - time in nanoseconds, to be taken before and after a call */
static inline uint64_t mr_registrar_now(const struct mr_registrar *registrar)
{
	return registrar->untimed ? 0 : mr_now_ns();
}

/** No handle (the kernel's number of an object): it does not exist or is unknown. */
#define MR_NO_HANDLE UINT32_MAX

/** A umem in the form in which another process can import it (mlx5dv_devx_umem_export(3)). */
struct mr_umem_blob {
	uint8_t bytes[63]; /**< rdma-core 63 writes 8 */
	uint8_t size;      /**< bytes that are used; 0: nothing was exported */
};

/** A request to register. */
struct mr_region_request {
	enum mr_region_call call;
	uint64_t addr;       /**< address of the first byte; of a dma-buf or DM its offset */
	uint64_t length;     /**< bytes */
	uint64_t iova;       /**< where the call has MR_IOVA_GIVEN */
	uint64_t page_sizes; /**< where the call is given them: the pgsz_bitmap */
	uint64_t page_size; /**< where the call is MR_REG_MR_RELAXED: bytes of the memory's pages */
	uint32_t access;    /**< enum ibv_access_flags, and any other requested bits */
	int fd;             /**< of a dma-buf */
	const struct mr_dm *dm;     /**< memory on the device behind it; NULL or all zeros: none */
	const struct mr_dmah *dmah; /**< where the call is given one: its DMA handle */
	/** For a umem by MR_VIA_LIBRARY: set to the exported data.  NULL: nothing is to be exported. */
	struct mr_umem_blob *export;
	/** Memory that a private session keeps as long as the region exists; or NULL. */
	struct mr_backing *backing;
};

/** A region.  It is small, because commands hold many: common facts are stored elsewhere. */
struct mr_region {
	union {                    /* by MR_VIA_LIBRARY: the library's object, else NULL */
		struct ibv_mr *mr; /**< of MR_KIND_MR */
		struct mlx5dv_devx_umem *umem; /**< of MR_KIND_UMEM */
	};
	uint64_t addr; /**< as in the request */
	uint64_t length;
	uint64_t iova;             /**< of MR_KIND_MR */
	uint64_t elapsed_ns;       /**< time the registering call took */
	uint64_t dereg_elapsed_ns; /**< time the deregistering call took */
	/** MR_NO_HANDLE for a null MR, and for a umem where libmlx5 does not report it. */
	uint32_t handle;
	union {
		uint32_t lkey;    /**< of MR_KIND_MR */
		uint32_t umem_id; /**< of MR_KIND_UMEM */
	};
	uint32_t rkey; /**< of MR_KIND_MR */
	uint8_t kind;  /**< enum mr_region_kind */
	bool live;     /**< false once deregistered */
};

/**
 * mr_extend_to_pages() - extend a range to whole pages
 * @page_size: bytes, a power of two
 *
 * The range stays as it is where it is empty, where @page_size is 0 or no power of two, and where the last
 * page would reach beyond the address space.
 */
void mr_extend_to_pages(uint64_t page_size, uint64_t *addr, uint64_t *length);

/** The bits whose meaning mrctl depends on. */
#define MR_ACCESS_LOCAL_WRITE      (1u << 0)
#define MR_ACCESS_REMOTE_WRITE     (1u << 1)
#define MR_ACCESS_REMOTE_READ      (1u << 2)
#define MR_ACCESS_REMOTE_ATOMIC    (1u << 3)
#define MR_ACCESS_MW_BIND          (1u << 4)
#define MR_ACCESS_ZERO_BASED       (1u << 5)
#define MR_ACCESS_ON_DEMAND        (1u << 6)
#define MR_ACCESS_HUGETLB          (1u << 7)
#define MR_ACCESS_FLUSH_GLOBAL     (1u << 8)
#define MR_ACCESS_FLUSH_PERSISTENT (1u << 9)
#define MR_ACCESS_RELAXED_ORDERING (1u << 20)
/** Flags that a kernel may ignore: IBV_ACCESS_OPTIONAL_RANGE. */
#define MR_ACCESS_OPTIONAL (0x3ffu << 20)

/** All named flags, in the order of their bits; the last one has no name. */
extern const struct mr_word mr_access_flags[];

/**
 * mr_flags_parse() - read a list of flags such as "local-write,remote-read"
 * @flags: the flags' names and bits, such as mr_access_flags; ends with a row that has no name
 * @what:  what messages call such a flag: "access flag"
 * @text:  names and numbers, separated by "," or "|"; or "none".  Names may be spelled as in C, such as
 *         IBV_ACCESS_LOCAL_WRITE.  Bits of a number need not have a name.
 * @bits:  the mask, set on success
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE.
 */
int mr_flags_parse(const struct mr_word *flags, const char *what, const char *text, uint32_t *bits,
		   struct mr_error *err);

/**
 * mr_access_next() - remove the lowest flag from a mask, and name it
 * @bits: the mask
 * @raw:  room for the text of a bit without a name
 *
 * Return: the flag's name, "0x8000" in @raw for a bit without one, NULL when none is left.
 */
const char *mr_access_next(uint32_t *bits, char raw[16]);

/** Capabilities of a device and its kernel, which are queried when first needed. */
struct mr_in_force {
	const struct mr_uverbs *uverbs;
	bool asked;
	enum mr_tristate optional; /**< the kernel accepts flags that it may ignore */
	enum mr_tristate relaxed;  /**< the device can write in relaxed order */
};

/** A requested region. */
struct mr_in_force_region {
	enum mr_region_call call;
	enum mr_via via;
	uint32_t access;
	enum mr_tristate at_zero; /**< see mr_in_force_at_zero() */
};

/**
 * mr_in_force_at_zero() - whether the addresses of a region begin at 0
 * @access: the requested flags
 *
 * It queries the kernel (QUERY_MR), but only if @access has zero-based.  The region must still be
 * registered.
 *
 * Return: MR_UNKNOWN where @access has not, and where the kernel does not report it.
 */
enum mr_tristate mr_in_force_at_zero(const struct mr_uverbs *uverbs, uint32_t access,
				     const struct mr_region *region);

/**
 * mr_in_force_bits() - the flags of a region that have an effect
 *
 * A flag that was accepted has an effect.  The exceptions are zero-based, hugetlb, and all flags that a
 * kernel may ignore: they can be accepted without effect.
 *
 * Return: the flags; not known where it is unknown whether one of them has an effect.
 */
struct mr_opt_u64 mr_in_force_bits(struct mr_in_force *in_force,
				   const struct mr_in_force_region *region);

/** mr_in_force_reason() - why a flag has no effect, for users; NULL for a flag that always has */
const char *mr_in_force_reason(const struct mr_in_force *in_force, uint32_t flag);

/**
 * mr_region_register() - make the call of a request
 * @region: set on success; mr_region_deregister() it
 *
 * Nothing is checked in advance, because users want the answer of the RDMA stack.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; -ENOSYS with MR_ERROR_HOST where the installed library
 * lacks the call.
 */
int mr_region_register(const struct mr_registrar *registrar,
		       const struct mr_region_request *request, struct mr_region *region,
		       struct mr_error *err);

/**
 * mr_region_forget() - free the library's memory of a region that stays registered
 *
 * It calls ibv_unimport_mr(3) or mlx5dv_devx_umem_unimport(3).  The region's device must be an imported
 * one: another process holds it open, so the region stays when this process closes it.
 */
void mr_region_forget(struct mr_region *region);

/**
 * mr_region_deregister() - ibv_dereg_mr(3), mlx5dv_devx_umem_dereg(3), or mr_uverbs_destroy() by
 * MR_VIA_KERNEL
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; the region then still exists.
 */
int mr_region_deregister(const struct mr_registrar *registrar, struct mr_region *region,
			 struct mr_error *err);

/** An advice as the user names it: "prefetch", "prefetch-write,flush", … */
struct mr_advice {
	const char *text; /**< as typed, or NULL: none */
	uint32_t advice;  /**< enum ib_uverbs_advise_mr_advice, or any other requested number */
	uint32_t flags;   /**< enum ib_uverbs_advise_mr_flag, likewise */
};

/** All words of an advice, for help texts; the last one has no name. */
extern const struct mr_word mr_advice_words[];

/**
 * mr_advice_parse() - read an advice, and its flags behind commas; each may be a number
 * @text: must outlive @advice
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE.
 */
int mr_advice_parse(const char *text, struct mr_advice *advice, struct mr_error *err);

/** A part of a region, by the addresses that the HCA knows (IOVA). */
struct mr_advice_range {
	uint64_t addr;
	uint64_t length; /**< bytes */
	uint32_t lkey;   /**< of the region */
};

/**
 * mr_advise() - ibv_advise_mr(3), or ioctl ADVISE_MR by MR_VIA_KERNEL
 * @registrar: the path, and the PD of the region
 * @ns:        set to the time of the calls in nanoseconds, also on failure
 *
 * One call takes at most 4 GiB: a longer range takes several calls.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_advise(const struct mr_registrar *registrar, const struct mr_advice *advice,
	      const struct mr_advice_range *range, uint64_t *ns, struct mr_error *err);

/**
 * mr_umem_reports_handles() - whether libmlx5 reports handles of umems, and can forget umems
 *
 * It can from rdma-core 63 on, by mlx5dv_devx_umem_export(3) and mlx5dv_devx_umem_unimport(3).
 */
bool mr_umem_reports_handles(void);

/**
 * mr_umem_export() - mlx5dv_devx_umem_export(3)
 * @blob: set on success
 *
 * Return: 0, or -errno: -ENOSYS with MR_ERROR_HOST where the installed libmlx5 lacks it.
 */
int mr_umem_export(struct mlx5dv_devx_umem *umem, struct mr_umem_blob *blob, struct mr_error *err);

/**
 * mr_umem_import() - mlx5dv_devx_umem_import(3), which does not check with the kernel whether the umem exists
 * @region: set on success; mr_region_forget() it
 *
 * Return: 0, or -errno: -EINVAL with MR_ERROR_USAGE for a blob that is not as long as libmlx5's,
 * -ENOSYS with MR_ERROR_HOST where the installed libmlx5 lacks the call.
 */
int mr_umem_import(struct ibv_context *context, const struct mr_umem_blob *blob,
		   struct mr_region *region, struct mr_error *err);

/** Parts of a change, with the values of enum ibv_rereg_mr_flags. */
enum mr_change {
	MR_CHANGE_TRANSLATION = 1 << 0, /**< address and length */
	MR_CHANGE_PD = 1 << 1,
	MR_CHANGE_ACCESS = 1 << 2,
};

/** How libibverbs treats a region in the process that registered it. */
enum mr_origin {
	MR_ORIGIN_PLAIN, /**< ibv_reg_mr(3) and similar calls: it changes such a region */
	MR_ORIGIN_OTHER, /**< a dma-buf, memory on the device: it refuses the change */
	MR_ORIGIN_UNKNOWN,
};

/** A change that is wanted. */
struct mr_rereg_request {
	uint32_t changes; /**< enum mr_change, and any other requested bits */
	uint64_t addr;    /**< of TRANSLATION: address of the first byte */
	uint64_t length;  /**< of TRANSLATION: bytes */
	uint64_t iova;    /**< of TRANSLATION by MR_VIA_KERNEL; the library takes the address */
	uint32_t access;  /**< of ACCESS */
	enum mr_origin origin;      /**< by MR_VIA_KERNEL: for library_would_say */
	struct mr_backing *backing; /**< of TRANSLATION: as of struct mr_region_request */
};

/** State of a region after a failed call. */
enum mr_old_region {
	MR_OLD_UNTOUCHED, /**< no call has failed */
	MR_OLD_VALID,     /**< as before */
	MR_OLD_REPLACED,  /**< it has changed, although the call failed */
	MR_OLD_UNUSABLE,  /**< it can only be deregistered */
	MR_OLD_UNKNOWN,   /**< the kernel does not report it */
	MR_OLD_REGIONS,   /**< how many there are */
};

/** mr_old_region_name() - "valid", ...; NULL for MR_OLD_UNTOUCHED */
const char *mr_old_region_name(enum mr_old_region old);

/** The names of what can change, for mr_flags_parse(). */
extern const struct mr_word mr_change_flags[];

/** All of enum mr_change. */
#define MR_CHANGES (MR_CHANGE_TRANSLATION | MR_CHANGE_PD | MR_CHANGE_ACCESS)

/** The part of the stack that lacks the change of regions. */
enum mr_rereg_lack {
	MR_REREG_OF_NONE, /**< none, or not known */
	MR_REREG_OF_PROVIDER,
	MR_REREG_OF_KERNEL, /**< its driver */
};

/** How a change failed. */
struct mr_rereg_failure {
	enum mr_old_region old;
	enum mr_rereg_lack lacks; /**< where the errno is EOPNOTSUPP */
	bool imported;            /**< by MR_VIA_LIBRARY: another process registered the region */
	const char *code;         /**< "IBV_REREG_MR_ERR_CMD", or NULL: the kernel has none */
	/** By MR_VIA_KERNEL: the code of ibv_rereg_mr(3) for the same request; NULL where not known. */
	const char *library_would_say;
};

/**
 * mr_region_rereg() - ibv_rereg_mr(3), or the command REREG_MR by MR_VIA_KERNEL
 * @registrar: has the new protection domain where the request changes that; else any
 * @request:   passed on without checks
 * @region:    updated as far as the call has changed it; also on failure it has to be deregistered
 * @failure:   set: if the call fails, the state of the region
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED and a hint with the state of the region.  The reasons are causes
 * (lib/diagnose/causes/changes.c).
 */
int mr_region_rereg(const struct mr_registrar *registrar, const struct mr_rereg_request *request,
		    struct mr_region *region, struct mr_rereg_failure *failure,
		    struct mr_error *err);

/**
 * mr_rereg_code_name() - "IBV_REREG_MR_ERR_CMD", for the result of ibv_rereg_mr(3); also for a number that is not a
 * code
 */
const char *mr_rereg_code_name(int value);

/**
 * mr_kernel_has_rereg() - whether this kernel changes regions of a device at all
 * @uverbs: the open device
 * @handle: of a region; it need not exist
 */
bool mr_kernel_has_rereg(const struct mr_uverbs *uverbs, uint32_t handle);

/**
 * mr_region_import() - ibv_import_mr(3)
 * @registrar: of MR_VIA_LIBRARY, with an imported PD
 * @handle:    the kernel's number for the region
 * @region:    set on success; mr_region_forget() it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_region_import(const struct mr_registrar *registrar, uint32_t handle,
		     struct mr_region *region, struct mr_error *err);

/** An allocated piece of memory on the device itself (ibv_alloc_dm(3)).  All zeros: none. */
struct mr_dm {
	struct ibv_dm *dm; /**< of MR_VIA_LIBRARY, else NULL */
	uint32_t handle;   /**< the kernel's number of it */
	_Bool allocated;
};

/**
 * mr_dm_alloc() - ibv_alloc_dm(3), or the method DM_ALLOC by MR_VIA_KERNEL
 * @length: bytes; nothing is checked in advance
 * @dm:     set on success; mr_dm_free() or mr_dm_forget() it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_dm_alloc(const struct mr_registrar *registrar, uint64_t length, struct mr_dm *dm,
		struct mr_error *err);

/**
 * mr_dm_free() - ibv_free_dm(3), or the method DM_FREE; nothing to do where @dm is none
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED: -EBUSY while a region is on it.
 */
int mr_dm_free(const struct mr_registrar *registrar, struct mr_dm *dm, struct mr_error *err);

/** mr_dm_forget() - free what the library has of it (ibv_unimport_dm(3)): the memory stays allocated */
void mr_dm_forget(struct mr_dm *dm);

/**
 * mr_dm_export() - ibv_dm_export_dmabuf_fd(3)
 * @dmabuf: set on success; mr_dmabuf_close() it
 *
 * Return: 0, or -errno: -ENOSYS with MR_ERROR_HOST where the installed library lacks the call,
 * -EOPNOTSUPP where the DM is not the library's.
 */
int mr_dm_export(const struct mr_dm *dm, struct mr_dmabuf *dmabuf, struct mr_error *err);

/** A DMA handle (ibv_alloc_dmah(3)): hints that PCIe gets with the device's accesses to a region.  All zeros: none. */
struct mr_dmah {
	struct ibv_dmah *dmah;          /**< by MR_VIA_LIBRARY, else NULL */
	const struct mr_uverbs *uverbs; /**< by MR_VIA_KERNEL, else NULL */
	struct mr_dmah_hints hints;
	uint32_t
		handle; /**< the kernel's number of it; MR_NO_HANDLE: the library does not report it */
};

/**
 * mr_dmah_alloc() - ibv_alloc_dmah(3), or the method DMAH_ALLOC by MR_VIA_KERNEL
 * @dmah: set on success; mr_dmah_free() it
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; -ENOSYS with MR_ERROR_HOST where the library lacks the call.
 */
int mr_dmah_alloc(const struct mr_registrar *registrar, const struct mr_dmah_hints *hints,
		  struct mr_dmah *dmah, struct mr_error *err);

/**
 * mr_dmah_free() - ibv_dealloc_dmah(3), or the method DMAH_FREE; nothing to do where @dmah is none
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED: -EBUSY while a region uses it.
 */
int mr_dmah_free(struct mr_dmah *dmah, struct mr_error *err);

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
