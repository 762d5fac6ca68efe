/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is printed and measured of a device. */
#ifndef CMD_STAT_DEVICE_RECORD_H
#define CMD_STAT_DEVICE_RECORD_H

#include "cmd/output/output.h"
#include "cmd/stat/device/facts.h"
#include "cmd/stat/device/words.h"

/** On-demand paging. */
struct odp_row {
	const char *const *general;
	const char *const *rc, *const *uc, *const *ud, *const *xrc, *const *dc;
	struct mr_opt_u64 general_bits, rc_bits, uc_bits, ud_bits, xrc_bits, dc_bits;
};

/** Atomic operations by way of PCI: sizes in bytes, a bit for each. */
struct pci_atomics_row {
	struct mr_opt_u64 fetch_add, swap, compare_swap;
};

struct port_row {
	struct mr_opt_u64 port;
	const char *state, *phys_state, *link_layer, *rate;
	struct mr_opt_u64 lid;
};

/** How many objects of a kind exist. */
struct object_row {
	const char *type;
	struct mr_opt_u64 used, max;
};

/** A pool of regions that the kernel keeps. */
struct pool_row {
	struct mr_opt_u64 blocks, access, ats, vendor, kernel_vendor;
	struct mr_opt_u64 free, in_use, max_in_use, pinned;
};

/** A command of mlx5's firmware. */
struct command_row {
	const char *command;
	struct mr_opt_u64 n, failed, failed_mbox_status;
	const char *last_errno;
	const char *last_status;
	struct mr_opt_u64 last_syndrome;
	char errno_text[16], status_text[16];
};

struct device_row {
	/* identity */
	const char *name, *provider, *driver, *firmware, *board_id, *hca_type, *hw_rev;
	struct mr_opt_u64 vendor_id, vendor_part_id, hw_version;
	const char *node_desc, *node_type, *node_guid, *sys_image_guid, *pci_address, *parent;
	struct mr_opt_u64 numa_node;
	const char *kernel, *rdma_core, *simulated_kernel;
	struct opt_bool simulated;
	/* the node */
	const char *node, *node_mode, *node_error;
	struct mr_opt_u64 node_uid, node_gid;
	struct opt_bool node_opens;
	struct list ports;
	/* limits */
	struct mr_opt_u64 max_mr, max_mr_size, page_size_cap, page_sizes, max_pd, max_mw, max_qp,
		max_cq, max_srq, max_dm_size, max_fmr, max_map_per_fmr, max_raw_ipv6_qp,
		max_raw_ethy_qp;
	/* use */
	struct mr_opt_u64 mr_used, fw_pages, reg_pages;
	struct list objects, frmr_pools;
	/* capabilities */
	struct odp_row odp;
	const char *atomic_cap;
	struct pci_atomics_row pci_atomics;
	const char *const *memory_windows;
	const char *const *capabilities;
	struct mr_opt_u64 device_cap_flags;
	struct opt_bool devx, dmabuf, dm_dmabuf, data_direct, dma_handles, optional_access,
		relaxed_ordering;
	const char *data_direct_path, *reg_mr_ex;
	const char *const *functions;
	/* mlx5's firmware */
	struct list commands;
	const char *commands_error;

	/* What the members above point to. */
	char mode_text[8], error_text[16];
	struct bit_words words[8];
	const char *function_words[MR_SYMBOLS + 1];
	struct port_row port_rows[MR_RDMA_PORTS];
	struct object_row object_rows[MR_NLDEV_KINDS];
	struct pool_row *pool_rows; /* freed by device_row_release() */
	struct command_row command_rows[MR_MLX5_COMMANDS];
};

/** A struct device_row. */
extern const struct record device_record;

/** Records in its lists. */
extern const struct record device_port_record, device_object_record, device_pool_record,
	device_command_record;

/** What is measured of a device. */
extern const struct metric device_metrics[];

#endif
