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

/** What a driver is asked to register. */
struct sim_mr_request {
	enum mr_sim_kernel kernel;
	uint64_t addr; /**< or offset in the dma-buf */
	uint64_t length;
	uint64_t iova;
	uint32_t access;
	bool is_dmabuf;
	bool data_direct;
	int fd;                   /**< of the dma-buf */
	struct sim_dmabuf dmabuf; /**< set */
	uint32_t pinned;          /**< set: pages charged */
	uint32_t order;           /**< set: log2 of the blocks that its key is for */
	union {
		uint32_t key_pages;      /**< set: as in struct sim_object */
		uint32_t exported_pages; /**< set where flags has SIM_MR_DM_EXPORT: likewise */
	};
	uint16_t flags; /**< set: SIM_MR_... */
	bool range_unset; /**< set: the driver does not note length and IOVA in the MR, but leaves that to its caller */
};

/** What a driver is asked to change. */
struct sim_rereg {
	struct sim_object old;

	/** What the MR is to be; unless @translate, with the old memory. */
	struct sim_mr_request request;
	bool translate; /**< the memory changes, or (set) has to be taken anew */
	bool new_key;   /**< set: the key does not stay */
};

/** What a driver is asked to prefetch, of all regions of a call alike. */
struct sim_advice {
	uint64_t kind; /**< enum ib_uverbs_advise_mr_advice */
	uint64_t pd;
	bool flush; /**< false: the kernel does it later, and nobody learns how it went */
};

/** All access flags that there are: IB_ACCESS_SUPPORTED. */
#define SIM_ACCESS_KNOWN                                                                           \
	(((SIM_ACCESS_FLUSH_PERSISTENT << 1) - 1) | (uint32_t)IB_UVERBS_ACCESS_OPTIONAL_RANGE)

/** sim_odp_caps() - what the device can do on demand with its kernel */
struct ib_uverbs_odp_caps sim_odp_caps(const struct sim_call *call);

/** sim_access_check() - ib_check_mr_access() */
int sim_access_check(const struct sim_call *call, uint32_t access);

/** sim_same_page_offset() - whether memory and IOVA are equally far into their pages, as they must be */
static inline bool sim_same_page_offset(uint64_t addr, uint64_t iova)
{
	return !sim_page_offset(addr ^ iova);
}

/** sim_mr_is_implicit() - whether an MR on demand is of all the memory that its process has */
static inline bool sim_mr_is_implicit(uint64_t addr, uint64_t length)
{
	return !addr && length == UINT64_MAX;
}

/** sim_mr_page_size() - bytes of the pages that an MR's access flags promise */
static inline uint64_t sim_mr_page_size(const struct sim_object *mr)
{
	return mr->access & IB_UVERBS_ACCESS_HUGETLB ? SIM_HUGE_PAGE : sim_page_size();
}

/** sim_advice_lacks_access() - whether an MR is to be prefetched for writing that it was not taken for */
static inline bool sim_advice_lacks_access(const struct sim_advice *advice,
					   const struct sim_object *mr)
{
	return advice->kind == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE &&
	       !(mr->flags & SIM_MR_WRITABLE);
}

/**
 * sim_driver_reg_mr() - let the driver register; the table is unlocked meanwhile
 *
 * The kernel holds the PD all the time.  Here it has to be looked up again afterwards.
 */
int sim_driver_reg_mr(struct sim_call *call, struct sim_mr_request *request);

/** sim_mr_fill() - describe what it registered in a reserved object of its PD */
void sim_mr_fill(struct sim_table *table, uint32_t handle, uint32_t pd, uint32_t key,
		 const struct sim_mr_request *request);

#endif
