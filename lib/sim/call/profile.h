/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_CALL_PROFILE_H
#define LIB_SIM_CALL_PROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <rdma/ib_user_verbs.h>

#include "lib/sim/base/kernel_versions.h"
#include "lib/sim/state/table.h"

struct ib_uverbs_sge;
struct sim_advice;
struct sim_call;
struct sim_mr_request;
struct sim_rereg;

/** A kind of device: what its driver does and reports.  Functions return 0 or -errno, if not said otherwise. */
struct sim_profile {
	enum mr_sim_profile kind;
	const char *node;   /**< path of the character device */
	unsigned int major; /**< as in the file "dev" of the profile's sysfs tree */
	unsigned int minor;
	uint32_t driver_id; /**< enum rdma_driver_id */
	uint64_t node_guid; /**< in the machine's byte order; the GUID of the port is one more */
	struct ib_uverbs_query_device_resp attributes; /**< all but the GUIDs */
	uint64_t
		flush_capabilities; /**< enum ib_uverbs_device_cap_flags, from SIM_ACCESS_CAPS on */
	struct ib_uverbs_odp_caps odp;
	enum sim_change odp_since;   /**< kernels without this change have no on-demand paging */
	enum sim_change rereg_since; /**< kernels without this change have no rereg_user_mr */
	uint32_t xrc_odp;
	uint64_t max_dm_size; /**< bytes of the largest DM; 0: the device has no memory */
	struct ib_uverbs_query_port_resp port;
	uint32_t gid_type;       /**< enum ib_uverbs_gid_type */
	bool has_dmabuf;         /**< reg_mr takes dma-bufs */
	uint32_t unknown_access; /**< access flags that the device lacks */

	int (*get_context)(struct sim_call *call);
	int (*query_context)(struct sim_call *call); /**< NULL: contexts cannot be imported */
	int (*query_device)(struct sim_call *call);
	int (*alloc_pd)(struct sim_call *call, uint32_t handle);

	/** reg_user_mr and reg_user_mr_dmabuf: fills in the rest of the request; no table may be locked. */
	int (*reg_mr)(struct sim_mr_request *request);

	/** rereg_user_mr: fills in the rest of the request; no table may be locked. */
	int (*rereg_mr)(struct sim_rereg *rereg);

	/** Whether an MR can be prefetched; NULL: the key is that of no MR. */
	int (*check_prefetch)(const struct sim_advice *advice, const struct sim_object *mr);

	/** Sets the address of the memory behind a part of an MR that is to be prefetched. */
	int (*prefetch_address)(const struct sim_object *mr, const struct ib_uverbs_sge *part,
				uint64_t *addr);

	/** Returns a memory key that no object has; @variant is the @key_variant of struct sim_mr_request. */
	uint32_t (*make_key)(struct sim_table *table, uint8_t variant);

	/** mmap(2) of pages of the device, which returns as that; NULL: programs cannot map any. */
	void *(*mmap)(struct sim_table *table, void *addr, size_t length, int prot, int flags,
		      off_t offset);
};

#endif
