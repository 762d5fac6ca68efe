/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The calls that register, as a table: what each call takes, and what it makes.  A new call needs a
 * constant here, a row in calls.c, and a row with its functions in region.c.
 */
#ifndef LIB_VERBS_CALLS_H
#define LIB_VERBS_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/symbols.h"

struct ibv_context;
struct ibv_mr;
struct ibv_pd;
struct mlx5dv_devx_umem;
struct mr_backing;
struct mr_dm;
struct mr_dmah;
struct mr_uverbs;

/** The calls.  Sessions store these numbers, so a new call comes behind the others. */
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

/** Kinds of objects. */
enum mr_region_kind {
	MR_KIND_MR,
	MR_KIND_UMEM,    /**< has no keys, no IOVA and no protection domain */
	MR_KIND_DM,      /**< memory on the device, which no call of this table makes */
	MR_REGION_KINDS, /**< how many there are */
};

/** mr_region_kind_name() - "mr", "umem" or "dm" */
const char *mr_region_kind_name(enum mr_region_kind kind);

/** What a call registers a range of. */
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

/** mr_region_has_page_sizes() - whether @call is given page sizes */
static inline bool mr_region_has_page_sizes(unsigned int call)
{
	return mr_call_row(call)->page_sizes;
}

/** mr_region_has_dmah() - whether @call is given a DMA handle */
static inline bool mr_region_has_dmah(unsigned int call)
{
	return mr_call_row(call)->dmah;
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

/**
 * mr_region_call_ex() - the call that does the same by ibv_reg_mr_ex(3)
 * @ex: set to that call, where there is one
 *
 * Return: whether there is one.
 */
bool mr_region_call_ex(enum mr_region_call call, enum mr_region_call *ex);

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

/** Stands for a handle, the kernel's number of an object, that does not exist or is not known. */
#define MR_NO_HANDLE UINT32_MAX

/** A umem in the form in which another process can import it (mlx5dv_devx_umem_export(3)). */
struct mr_umem_blob {
	uint8_t bytes[63]; /**< rdma-core 63 writes 8 */
	uint8_t size;      /**< bytes that are used; 0: nothing was exported */
};

/** What is to be registered, and how. */
struct mr_region_request {
	enum mr_region_call call;
	uint64_t addr;       /**< address of the first byte; of a dma-buf or DM its offset */
	uint64_t length;     /**< bytes */
	uint64_t iova;       /**< where the call has MR_IOVA_GIVEN */
	uint64_t page_sizes; /**< where mr_region_has_page_sizes(): the pgsz_bitmap */
	uint64_t page_size; /**< where the call is MR_REG_MR_RELAXED: bytes of the memory's pages */
	uint32_t access;    /**< enum ibv_access_flags and whatever else was asked for */
	int fd;             /**< of a dma-buf */
	const struct mr_dm *dm;     /**< memory on the device behind it; NULL or all zeros: none */
	const struct mr_dmah *dmah; /**< where mr_region_has_dmah(): its DMA handle */
	/** Of a umem by MR_VIA_LIBRARY: set to what is exported.  NULL: nothing is to be exported. */
	struct mr_umem_blob *export;
	/** Memory that a private session keeps as long as the region exists; or NULL. */
	struct mr_backing *backing;
};

/** A region.  It is small, because commands hold many: what they have in common stands elsewhere. */
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

#endif
