/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_CALL_REGISTRATION_H
#define LIB_SIM_CALL_REGISTRATION_H

#include <stdbool.h>
#include <stdint.h>

#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>

#include "lib/sim/base/abi.h"
#include "lib/sim/base/pages.h"
#include "lib/sim/call/attrs.h"
#include "lib/sim/memory/dmabuf.h"

/** What a driver is asked to register; it fills in what is "set". */
struct sim_mr_request {
	enum mr_sim_kernel kernel;
	uint64_t addr; /**< of the memory, or bytes from the start of the dma-buf */
	uint64_t length;
	uint64_t iova;
	uint32_t access; /**< enum ib_uverbs_access_flags */
	bool is_dmabuf;
	bool data_direct;         /**< through the Data Direct device */
	bool has_dmah;            /**< with the DMA handle @dmah */
	uint32_t dmah;            /**< its handle */
	int fd;                   /**< of the dma-buf */
	struct sim_dmabuf dmabuf; /**< set */
	uint32_t pinned;          /**< set: pages charged */
	uint8_t key_variant;      /**< set: of the keys that will do (state/keys.h) */

	/** Set: as in struct sim_object. */
	union {
		uint32_t key_pages;
		pid_t owner;
		uint32_t exported_pages;
	};
	uint16_t flags; /**< set: SIM_MR_... */

	/** Set: the driver does not store length and IOVA in the MR; the write command REG_MR does. */
	bool range_unset;
};

/** What a driver is asked to change. */
struct sim_rereg {
	struct sim_object old; /**< the MR as it is */

	/** What the MR becomes; unless @translate, its memory is the old one. */
	struct sim_mr_request request;
	bool translate; /**< the memory changes; the driver may set it to pin the old memory anew */
	bool new_key;   /**< set: the MR gets another key */

	uint64_t given_addr, given_length, given_iova; /**< as in the request, wanted or not */
};

/** What a driver is asked to prefetch: what is the same for all parts of a call. */
struct sim_advice {
	uint64_t kind; /**< enum ib_uverbs_advise_mr_advice */
	uint64_t pd;   /**< handle */
	bool flush;    /**< false: the kernel prefetches later, and reports no errors */
};

/** All access flags that the newest kernel knows: IB_ACCESS_SUPPORTED. */
#define SIM_ACCESS_KNOWN                                                                           \
	(((SIM_ACCESS_FLUSH_PERSISTENT << 1) - 1) | (uint32_t)IB_UVERBS_ACCESS_OPTIONAL_RANGE)

/** sim_odp_caps() - on-demand paging that the device has with its kernel */
struct ib_uverbs_odp_caps sim_odp_caps(const struct sim_call *call);

/** sim_access_check() - ib_check_mr_access(): 0, -EINVAL, or -EOPNOTSUPP */
int sim_access_check(const struct sim_call *call, uint32_t access);

/** sim_same_page_offset() - whether memory and IOVA have the same offset in their pages, as they must */
static inline bool sim_same_page_offset(uint64_t addr, uint64_t iova)
{
	return !sim_page_offset(addr ^ iova);
}

/** sim_mr_is_implicit() - whether an on-demand MR is of the whole address space: implicit ODP */
static inline bool sim_mr_is_implicit(uint64_t addr, uint64_t length)
{
	return !addr && length == UINT64_MAX;
}

/** sim_mr_page_size() - bytes of the pages that an MR's access flags promise */
static inline uint64_t sim_mr_page_size(const struct sim_object *mr)
{
	return mr->access & IB_UVERBS_ACCESS_HUGETLB ? SIM_HUGE_PAGE : sim_page_size();
}

/** sim_advice_lacks_access() - whether the advice is to prefetch for writing an MR without write access */
static inline bool sim_advice_lacks_access(const struct sim_advice *advice,
					   const struct sim_object *mr)
{
	return advice->kind == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	       !(mr->flags & SIM_MR_WRITABLE);
}

/**
 * sim_driver_reg_mr() - call the driver's reg_mr with the table unlocked
 *
 * The kernel holds a reference to the PD all the time.  Here the caller has to look it up again
 * afterwards: it may be gone.
 *
 * Return: 0, or -errno.
 */
int sim_driver_reg_mr(struct sim_call *call, struct sim_mr_request *request);

/** sim_mr_fill() - store in a reserved object what the driver registered; the pages become its own */
void sim_mr_fill(struct sim_table *table, uint32_t handle, uint32_t pd, uint32_t key,
		 const struct sim_mr_request *request);

#endif
