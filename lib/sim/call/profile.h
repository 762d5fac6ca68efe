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

/** A kind of device, chosen by the environment variable MRCTL_SIM: what belongs to its driver. */
struct sim_profile {
	enum mr_sim_profile kind;
	const char *node;   /**< path of the character device */
	unsigned int major; /**< as in the file "dev" of the profile's sysfs tree */
	unsigned int minor;
	uint32_t driver_id; /**< enum rdma_driver_id */
	uint64_t node_guid; /**< in the machine's byte order; the port's is the next */
	struct ib_uverbs_query_device_resp attributes; /**< less the GUIDs */
	struct ib_uverbs_odp_caps odp;
	enum sim_change odp_since;   /**< without this change: no on-demand paging */
	enum sim_change rereg_since; /**< without this change: no rereg_user_mr */
	uint32_t xrc_odp;
	uint64_t max_dm_size; /**< bytes of a piece of memory on the device; 0: it has none */
	struct ib_uverbs_query_port_resp port;
	uint32_t gid_type;       /**< enum ib_uverbs_gid_type */
	bool has_dmabuf;         /**< reg_mr takes dma-bufs */
	uint32_t unknown_access; /**< flags that the device does not have */

	int (*get_context)(struct sim_call *call);
	int (*query_context)(struct sim_call *call); /**< NULL: contexts cannot be imported */
	int (*query_device)(struct sim_call *call);
	int (*alloc_pd)(struct sim_call *call, uint32_t handle);

	/** What the driver's reg_user_mr can fail with; no table may be locked. */
	int (*reg_mr)(struct sim_mr_request *request);

	/** What the driver's rereg_user_mr can fail with; no table may be locked. */
	int (*rereg_mr)(struct sim_rereg *rereg);

	/** Whether an MR (NULL: none has the key) can be prefetched: 0, or -errno. */
	int (*check_prefetch)(const struct sim_advice *advice, const struct sim_object *mr);

	/** The memory behind a part of an MR that is to be prefetched: 0 and its address, or -errno. */
	int (*prefetch_address)(const struct sim_object *mr, const struct ib_uverbs_sge *part,
				uint64_t *addr);

	/** A memory key for an MR, other than the one it had @before (0: none). */
	uint32_t (*make_key)(struct sim_table *table, uint32_t handle, uint32_t order,
			     uint32_t before);

	/** The handle of the MR that may have a key. */
	uint32_t (*handle_of_key)(uint32_t key);

	/** As mmap(2), of a page of the device; NULL: it has none. */
	void *(*mmap)(struct sim_table *table, void *addr, size_t length, int prot, int flags,
		      off_t offset);
};

#endif
