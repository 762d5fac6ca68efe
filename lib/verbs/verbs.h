/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the calls that register, change and deregister, and what they take. */
#ifndef LIB_VERBS_VERBS_H
#define LIB_VERBS_VERBS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"

/**
 * The calls that register, as a table: what each call takes, and what it makes.  A new call needs a
 * constant here, a row in calls.c, and a row with its functions in region.c.
 */
struct ibv_context;
struct ibv_mr;
struct ibv_pd;
struct mlx5dv_devx_umem;
struct mr_backing;
struct mr_dm;
struct mr_dmah;

/** The calls.  Sessions store these numbers, so a new call is appended. */
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

/** Memory on the device itself (ibv_alloc_dm(3)), for regions and dma-bufs on it. */
struct ibv_dm;
struct mr_dmabuf;

/** An allocated piece of memory on the device.  All zeros: none. */
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

/** DMA handles (ibv_alloc_dmah(3)): hints that the device gives to PCIe with its accesses to a region. */
struct ibv_dmah;

/** A DMA handle.  All zeros: none. */
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

#endif
