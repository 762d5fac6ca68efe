// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/stat/device/record.h"

/* What stands for an unknown answer: some can be tried. */
#define UNKNOWN .unknown = "unknown"
#define TRIAL   .unknown = "unknown (mrctl stat --probe tries it)"

static const struct field port_fields[] = {
	FIELD(struct port_row, port, FIELD_NUMBER, 0, "number of the port"),
	FIELD(struct port_row, state, FIELD_STRING, FIELD_PUBLIC, "state of its link layer"),
	FIELD(struct port_row, phys_state, FIELD_STRING, FIELD_PUBLIC,
	      "state of its physical layer"),
	FIELD(struct port_row, link_layer, FIELD_STRING, FIELD_PUBLIC, "InfiniBand or Ethernet"),
	FIELD(struct port_row, rate, FIELD_STRING, FIELD_PUBLIC, "speed and width"),
	FIELD(struct port_row, lid, FIELD_NUMBER, 0, "local identifier"),
	FIELD_END,
};
REPORTED const struct record device_port_record = { "port", port_fields, "ports" };

static const struct field object_fields[] = {
	FIELD(struct object_row, type, FIELD_STRING, FIELD_PUBLIC, "kind of objects"),
	FIELD(struct object_row, used, FIELD_NUMBER, 0,
	      "how many exist, the kernel's own included"),
	FIELD(struct object_row, max, FIELD_NUMBER, 0, "how many there can be at most"),
	FIELD_END,
};
REPORTED const struct record device_object_record = { "object", object_fields, "objects" };

static const struct field pool_fields[] = {
	FIELD(struct pool_row, blocks, FIELD_NUMBER, 0, "DMA blocks that an MR has room for"),
	FIELD(struct pool_row, access, FIELD_ACCESS, 0, "access flags that cannot be changed"),
	FIELD(struct pool_row, ats, FIELD_NUMBER, 0, "1: with address translation services"),
	FIELD(struct pool_row, vendor, FIELD_HEX, FIELD_DETAIL, "the driver's part of the key"),
	FIELD(struct pool_row, kernel_vendor, FIELD_HEX, FIELD_DETAIL,
	      "the same of MRs of the kernel"),
	FIELD(struct pool_row, free, FIELD_NUMBER, 0, "MRs that wait in it"),
	FIELD(struct pool_row, in_use, FIELD_NUMBER, 0, "MRs of it that are registered"),
	FIELD(struct pool_row, max_in_use, FIELD_NUMBER, 0, "the most of them at a time"),
	FIELD(struct pool_row, pinned, FIELD_NUMBER, 0, "MRs that it is told to keep"),
	FIELD_END,
};
REPORTED const struct record device_pool_record = { "pool", pool_fields, "frmr_pools" };

static const struct field command_fields[] = {
	FIELD(struct command_row, command, FIELD_STRING, FIELD_PUBLIC, "command of the firmware"),
	FIELD(struct command_row, n, FIELD_NUMBER, 0, "how often it was sent"),
	FIELD(struct command_row, failed, FIELD_NUMBER, 0, "how often it failed"),
	FIELD(struct command_row, failed_mbox_status, FIELD_NUMBER, FIELD_DETAIL,
	      "how often the firmware refused it"),
	FIELD(struct command_row, last_errno, FIELD_STRING, FIELD_PUBLIC,
	      "errno of the last failure"),
	FIELD(struct command_row, last_status, FIELD_STRING, FIELD_PUBLIC,
	      "status of the last refusal"),
	FIELD(struct command_row, last_syndrome, FIELD_HEX, 0,
	      "the firmware's number of its reason"),
	FIELD_END,
};
REPORTED const struct record device_command_record = { "command", command_fields, "commands" };

static const struct field odp_fields[] = {
	FIELD(struct odp_row, general, FIELD_WORDS, FIELD_PUBLIC, "explicit, implicit"),
	FIELD(struct odp_row, general_bits, FIELD_HEX, FIELD_DETAIL, "the same as bits"),
	FIELD(struct odp_row, rc, FIELD_WORDS, FIELD_PUBLIC, "operations of RC"),
	FIELD(struct odp_row, rc_bits, FIELD_HEX, FIELD_DETAIL, "the same as bits"),
	FIELD(struct odp_row, uc, FIELD_WORDS, FIELD_PUBLIC, "operations of UC"),
	FIELD(struct odp_row, uc_bits, FIELD_HEX, FIELD_DETAIL, "the same as bits"),
	FIELD(struct odp_row, ud, FIELD_WORDS, FIELD_PUBLIC, "operations of UD"),
	FIELD(struct odp_row, ud_bits, FIELD_HEX, FIELD_DETAIL, "the same as bits"),
	FIELD(struct odp_row, xrc, FIELD_WORDS, FIELD_PUBLIC, "operations of XRC"),
	FIELD(struct odp_row, xrc_bits, FIELD_HEX, FIELD_DETAIL, "the same as bits"),
	FIELD(struct odp_row, dc, FIELD_WORDS, FIELD_PUBLIC,
	      "operations of DC, asked of mlx5's firmware"),
	FIELD(struct odp_row, dc_bits, FIELD_HEX, FIELD_DETAIL, "the same as bits"),
	FIELD_END,
};
REPORTED static const struct record odp_record = { "odp", odp_fields, NULL };

static const struct field pci_atomics_fields[] = {
	FIELD(struct pci_atomics_row, fetch_add, FIELD_PAGES, 0, "sizes of fetch-and-add"),
	FIELD(struct pci_atomics_row, swap, FIELD_PAGES, 0, "sizes of swap"),
	FIELD(struct pci_atomics_row, compare_swap, FIELD_PAGES, 0, "sizes of compare-and-swap"),
	FIELD_END,
};
REPORTED static const struct record pci_atomics_record = { "pci_atomics", pci_atomics_fields,
							   NULL };

#define ROW(member, type, flags, ...) FIELD(struct device_row, member, type, flags, __VA_ARGS__)

static const struct field device_fields[] = {
	ROW(name, FIELD_STRING, 0, "name of the device"),
	ROW(provider, FIELD_STRING, FIELD_PUBLIC, "its user-space driver"),
	ROW(driver, FIELD_STRING, FIELD_PUBLIC, "the kernel's driver of its PCI function"),
	ROW(simulated, FIELD_OPT_BOOL, 0, "whether the device is simulated"),
	ROW(simulated_kernel, FIELD_STRING, FIELD_PUBLIC, "whose answers a simulated device gives"),
	ROW(kernel, FIELD_STRING, FIELD_PUBLIC, "release of the kernel"),
	ROW(rdma_core, FIELD_STRING, FIELD_PUBLIC, "version of the loaded rdma-core"),
	ROW(firmware, FIELD_STRING, FIELD_PUBLIC, "version of the firmware"),
	ROW(board_id, FIELD_STRING, FIELD_PUBLIC, "board (PSID)"),
	ROW(hca_type, FIELD_STRING, FIELD_PUBLIC, "type of the adapter"),
	ROW(hw_rev, FIELD_STRING, FIELD_PUBLIC, "revision of the chip, as sysfs has it"),
	ROW(hw_version, FIELD_HEX, FIELD_DETAIL, "the same by verbs (hw_ver)"),
	ROW(vendor_id, FIELD_HEX, 0, "who made the device"),
	ROW(vendor_part_id, FIELD_NUMBER, 0, "that vendor's number of it"),
	ROW(node_desc, FIELD_STRING, 0, "description that an administrator may set"),
	ROW(node_type, FIELD_STRING, FIELD_DETAIL | FIELD_PUBLIC, "CA, RNIC, ..."),
	ROW(node_guid, FIELD_STRING, 0, "its GUID"),
	ROW(sys_image_guid, FIELD_STRING, 0, "GUID of the adapter"),
	ROW(pci_address, FIELD_STRING, 0, "address of its PCI function"),
	ROW(parent, FIELD_STRING, 0, "network device below a software device"),
	ROW(numa_node, FIELD_NUMBER, 0, "NUMA node that it is at"),
	ROW(node, FIELD_STRING, 0, "file by which programs open it", .section = "node"),
	ROW(node_mode, FIELD_STRING, FIELD_PUBLIC, "permission of the file"),
	ROW(node_uid, FIELD_NUMBER, 0, "owner of the file"),
	ROW(node_gid, FIELD_NUMBER, 0, "group of the file"),
	ROW(node_opens, FIELD_OPT_BOOL, 0, "whether this user may open it"),
	ROW(node_error, FIELD_STRING, FIELD_PUBLIC, "errno of opening it"),
	ROW(ports, FIELD_LIST, 0, "its ports", .section = "ports"),
	ROW(max_mr, FIELD_NUMBER, 0, "the most memory regions", .section = "limits"),
	ROW(max_mr_size, FIELD_NUMBER, 0, "bytes of the largest region"),
	ROW(page_sizes, FIELD_PAGES, FIELD_RANGES, "sizes of pages that regions can have"),
	ROW(page_size_cap, FIELD_HEX, FIELD_DETAIL, "the same as bits"),
	ROW(max_pd, FIELD_NUMBER, 0, "the most protection domains"),
	ROW(max_mw, FIELD_NUMBER, 0, "the most memory windows"),
	ROW(max_qp, FIELD_NUMBER, 0, "the most queue pairs"),
	ROW(max_cq, FIELD_NUMBER, 0, "the most completion queues"),
	ROW(max_srq, FIELD_NUMBER, 0, "the most shared receive queues"),
	ROW(max_dm_size, FIELD_NUMBER, 0, "bytes of memory on the device"),
	ROW(max_fmr, FIELD_NUMBER, FIELD_DETAIL, "the most fast memory regions, of old kernels"),
	ROW(max_map_per_fmr, FIELD_NUMBER, FIELD_DETAIL, "how often one of them can be mapped"),
	ROW(max_raw_ipv6_qp, FIELD_NUMBER, FIELD_DETAIL, "the most queue pairs for raw IPv6"),
	ROW(max_raw_ethy_qp, FIELD_NUMBER, FIELD_DETAIL, "the most for raw Ethertypes"),
	ROW(objects, FIELD_LIST, 0, "how many objects of each kind exist", .section = "in use"),
	ROW(mr_used, FIELD_NUMBER, FIELD_DETAIL, "memory regions that exist"),
	ROW(fw_pages, FIELD_NUMBER, 0, "pages that the firmware has"),
	ROW(reg_pages, FIELD_NUMBER, 0, "pages that the driver counts as registered"),
	ROW(frmr_pools, FIELD_LIST, 0, "regions that the kernel keeps for reuse",
	    .section = "FRMR pools"),
	{ .key = "odp",
	  .help = "on-demand paging",
	  .offset = CHECKED_OFFSET(struct device_row, odp, struct odp_row),
	  .type = FIELD_RECORD,
	  .record = &odp_record,
	  .section = "on-demand paging" },
	ROW(atomic_cap, FIELD_STRING, FIELD_PUBLIC,
	    "what atomic operations are atomic with: none, hca, global",
	    .section = "atomic operations"),
	{ .key = "pci_atomics",
	  .help = "atomic operations by way of PCI",
	  .offset = CHECKED_OFFSET(struct device_row, pci_atomics, struct pci_atomics_row),
	  .type = FIELD_RECORD,
	  .record = &pci_atomics_record,
	  .section = "atomic operations by PCI" },
	ROW(memory_windows, FIELD_WORDS, FIELD_PUBLIC, "types of memory windows",
	    .section = "registration"),
	ROW(capabilities, FIELD_WORDS, FIELD_PUBLIC, "others that have to do with memory"),
	ROW(device_cap_flags, FIELD_HEX, FIELD_DETAIL, "all capabilities as bits"),
	ROW(devx, FIELD_OPT_BOOL, 0, "whether this user gets DEVX"),
	ROW(reg_mr_ex, FIELD_STRING, FIELD_PUBLIC, "what ibv_reg_mr_ex does"),
	ROW(dmabuf, FIELD_OPT_BOOL, 0, "whether dma-bufs can be registered", TRIAL),
	ROW(dm_dmabuf, FIELD_OPT_BOOL, 0, "whether device memory can be made a dma-buf", TRIAL),
	ROW(data_direct, FIELD_OPT_BOOL, 0, "whether it has a Data Direct device", TRIAL),
	ROW(data_direct_path, FIELD_STRING, 0, "the folder of that in /sys"),
	ROW(dma_handles, FIELD_OPT_BOOL, 0, "whether it has DMA handles", UNKNOWN),
	ROW(optional_access, FIELD_OPT_BOOL, 0, "whether the kernel takes optional access flags",
	    UNKNOWN),
	ROW(relaxed_ordering, FIELD_OPT_BOOL, 0, "whether it can write in relaxed order", UNKNOWN),
	ROW(functions, FIELD_WORDS, FIELD_DETAIL | FIELD_PUBLIC,
	    "newer functions that the library has"),
	ROW(commands, FIELD_LIST, 0, "counters of the firmware's commands",
	    .section = "firmware commands"),
	ROW(commands_error, FIELD_STRING, FIELD_PROSE, "why there are none",
	    .section = "firmware commands"),
	FIELD_END,
};
REPORTED const struct record device_record = { "device", device_fields, "devices" };

#define GAUGE(name_, unit_, field_, help_)                                                         \
	{                                                                                          \
		.record = &device_record, .name = "mrctl_device_" name_, .unit = (unit_),          \
		.help = (help_), .field = (field_), .labels = "device=name"                        \
	}
#define COMMAND(name_, field_, help_)                                                              \
	{                                                                                          \
		.record = &device_command_record, .name = "mrctl_device_command_" name_ "_total",  \
		.help = (help_), .field = (field_), .labels = "device=name,command",               \
		.type = METRIC_COUNTER                                                             \
	}

const struct metric device_metrics[] = {
	{ .record = &device_record,
	  .name = "mrctl_device_info",
	  .help = "An RDMA device",
	  .labels = "device=name,provider,driver,firmware,board_id,pci_address",
	  .type = METRIC_INFO },
	GAUGE("node_opens", NULL, "node_opens", "Whether the user who asks may open the device"),
	GAUGE("mr_used", NULL, "mr_used", "Memory regions that exist"),
	GAUGE("mr_max", NULL, "max_mr", "The most memory regions of the device"),
	GAUGE("mr_size_max_bytes", "bytes", "max_mr_size", "Size of the largest memory region"),
	GAUGE("pd_max", NULL, "max_pd", "The most protection domains of the device"),
	GAUGE("dm_size_bytes", "bytes", "max_dm_size", "Memory on the device"),
	GAUGE("fw_pages", NULL, "fw_pages", "Pages of memory that the firmware has"),
	GAUGE("reg_pages", NULL, "reg_pages", "Pages that the driver counts as registered"),
	{ .record = &device_object_record,
	  .name = "mrctl_device_objects",
	  .help = "Objects of a device that exist",
	  .field = "used",
	  .labels = "device=name,type" },
	{ .record = &device_pool_record,
	  .name = "mrctl_device_frmr_in_use",
	  .help = "Memory regions of FRMR pools that are registered",
	  .field = "in_use",
	  .labels = "device=name" },
	{ .record = &device_pool_record,
	  .name = "mrctl_device_frmr_free",
	  .help = "Memory regions that wait in FRMR pools",
	  .field = "free",
	  .labels = "device=name" },
	COMMAND("sent", "n", "Commands that were sent to the firmware"),
	COMMAND("failed", "failed", "Commands of the firmware that failed"),
	METRIC_END,
};
