/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a device reports of itself: its limits, and what it can do. */
#ifndef LIB_VERBS_ATTRIBUTES_H
#define LIB_VERBS_ATTRIBUTES_H

#include <stdint.h>

#include "lib/base/base.h"

struct ibv_context;
struct mr_uverbs;

/** On-demand paging: what is supported in general, and by which operations of each transport. */
struct mr_odp_caps {
	uint64_t general; /**< bits of mr_odp_general */
	/* Bits of mr_odp_operations: */
	uint32_t rc, uc, ud, xrc;
};

/** Bits of sizes: 1 stands for 4 bytes, 2 for 8 and 4 for 16 (enum ibv_pci_atomic_op_size). */
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

/** A capability of a device that has to do with memory, among bits of other ones. */
struct mr_device_capability {
	const char *name;
	uint64_t bit;
};

/** Those that are known; ends with one that has no name. */
extern const struct mr_device_capability mr_device_capabilities[];

/** Types of memory windows ("1", "2a", "2b"), each with its bit; ends as the table above. */
extern const struct mr_device_capability mr_memory_windows[];

/**
 * mr_attributes_query() - ask an open device
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED; nothing in @attributes is set then.
 */
int mr_attributes_query(struct ibv_context *context, struct mr_attributes *attributes,
			struct mr_error *err);

/**
 * mr_attributes_ask_kernel() - ask a device that libibverbs does not have open: uverbs_cmd.c
 *	ib_uverbs_ex_query_device()
 *
 * PCI atomics are of the provider, and are not told.
 *
 * Return: as mr_attributes_query().
 */
int mr_attributes_ask_kernel(const struct mr_uverbs *uverbs, struct mr_attributes *attributes,
			     struct mr_error *err);

#endif
