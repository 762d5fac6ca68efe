// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "cmd/stat/stat.h"
#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/nldev/nldev.h"
#include "lib/verbs/device.h"

/* A command of the firmware. */
struct command_row {
	struct mr_mlx5_command command;
	const char *last_status;
	char status_text[16];
};

/* The answer about a device: facts, each with where it comes from, and the lists and words that are made of them. */
struct device_facts {
	struct mr_rdma_device sysfs;
	struct mr_rdma_port ports[MR_RDMA_PORTS];
	struct mr_rdma_node node;
	bool has_node;
	bool node_opens;
	char node_mode[8];

	struct mr_environment environment; /* of the device */
	bool has_environment;
	struct mr_features features; /* of zeros where it could not be opened */
	bool has_attributes;
	struct mr_attributes attributes;
	uint64_t fetch_add, swap, compare_swap; /* PCI atomics: sizes in bytes, a bit for each */
	const char *atomic_cap;
	const char *function_words[MR_SYMBOLS + 1];
	const char *const *functions;

	struct mr_nldev_summary summary; /* of netlink */
	struct mr_opt_u64 mr_used;
	struct mr_nldev_pools pools;

	struct command_row commands[MR_MLX5_COMMANDS];
	struct mr_error commands_error;
	const char *why_no_commands; /* NULL: the device is no mlx5 device */

	struct list port_list, object_list, pool_list, command_list;
};

/* Attributes of the device, where it answered. */
#define OF_ATTRIBUTES KNOWN_BY(struct device_facts, has_attributes)

/* An object of some of the facts. */
#define PART_OF_FACTS(key_, record_, help_, section_)                                              \
	{                                                                                          \
		.key = (key_), .help = (help_), .type = FIELD_RECORD, .record = (record_),         \
		.section = (section_)                                                              \
	}

/* Text for an unknown answer; some can be tried. */
#define UNKNOWN .unknown = "unknown"
#define TRIAL   .unknown = "unknown (mrctl stat --probe tries it)"

static const struct field port_fields[] = {
	FIELD_AS("port", struct mr_rdma_port, number, FIELD_NUMBER, FIELD_KNOWN,
		 "number of the port"),
	FIELD(struct mr_rdma_port, state, FIELD_TEXT, FIELD_PUBLIC, "state of its link layer"),
	FIELD(struct mr_rdma_port, phys_state, FIELD_TEXT, FIELD_PUBLIC,
	      "state of its physical layer"),
	FIELD(struct mr_rdma_port, link_layer, FIELD_TEXT, FIELD_PUBLIC, "InfiniBand or Ethernet"),
	FIELD(struct mr_rdma_port, rate, FIELD_TEXT, FIELD_PUBLIC, "speed and width"),
	FIELD(struct mr_rdma_port, lid, FIELD_NUMBER, 0, "local identifier"),
	FIELD_END,
};
REPORTED static const struct record device_port_record = { "port", port_fields, "ports" };

static const struct field object_fields[] = {
	FIELD_AS("type", struct mr_nldev_count, kind, FIELD_TEXT, FIELD_PUBLIC | FIELD_KNOWN,
		 "kind of objects"),
	FIELD_AS("used", struct mr_nldev_count, count, FIELD_NUMBER, FIELD_KNOWN,
		 "how many exist, the kernel's own included"),
	FIELD(struct mr_nldev_count, max, FIELD_NUMBER, 0, "how many there can be at most"),
	FIELD_END,
};
REPORTED static const struct record device_object_record = { "object", object_fields, "objects" };

static const struct field pool_fields[] = {
	FIELD(struct mr_nldev_pool, blocks, FIELD_NUMBER, 0, "DMA blocks that an MR has room for"),
	FIELD(struct mr_nldev_pool, access, FIELD_ACCESS, 0, "access flags that cannot be changed"),
	FIELD(struct mr_nldev_pool, ats, FIELD_NUMBER, 0, "1: with address translation services"),
	FIELD(struct mr_nldev_pool, vendor, FIELD_HEX, FIELD_DETAIL,
	      "the driver's part of the key"),
	FIELD(struct mr_nldev_pool, kernel_vendor, FIELD_HEX, FIELD_DETAIL,
	      "the same of MRs of the kernel"),
	FIELD(struct mr_nldev_pool, free, FIELD_NUMBER, 0, "MRs that wait in it"),
	FIELD(struct mr_nldev_pool, in_use, FIELD_NUMBER, 0, "MRs of it that are registered"),
	FIELD(struct mr_nldev_pool, max_in_use, FIELD_NUMBER, 0, "the most of them at a time"),
	FIELD(struct mr_nldev_pool, pinned, FIELD_NUMBER, 0, "MRs that it is configured to keep"),
	FIELD_END,
};
REPORTED static const struct record device_pool_record = { "pool", pool_fields, "frmr_pools" };

static const struct field command_fields[] = {
	FIELD_AS("command", struct command_row, command.name, FIELD_STRING, FIELD_PUBLIC,
		 "command of the firmware"),
	FIELD_AS("n", struct command_row, command.sent, FIELD_NUMBER, 0, "how often it was sent"),
	FIELD_AS("failed", struct command_row, command.failed, FIELD_NUMBER, 0,
		 "how often it failed"),
	FIELD_AS("failed_mbox_status", struct command_row, command.refused, FIELD_NUMBER,
		 FIELD_DETAIL, "how often the firmware refused it"),
	FIELD_AS("last_errno", struct command_row, command.last_errno, FIELD_ERRNO, FIELD_PUBLIC,
		 "errno of the last failure"),
	FIELD(struct command_row, last_status, FIELD_STRING, FIELD_PUBLIC,
	      "status of the last refusal"),
	FIELD_AS("last_syndrome", struct command_row, command.last_syndrome, FIELD_HEX, 0,
		 "the firmware's number of its reason"),
	FIELD_END,
};
REPORTED static const struct record device_command_record = { "device_command", command_fields,
							      "commands" };

static const struct field odp_fields[] = {
	FIELD_AS("general", struct device_facts, attributes.odp.general, FIELD_BITS, FIELD_PUBLIC,
		 "explicit, implicit", .words = mr_odp_general, OF_ATTRIBUTES),
	FIELD_AS("general_bits", struct device_facts, attributes.odp.general, FIELD_HEX,
		 FIELD_DETAIL, "the same as bits", OF_ATTRIBUTES),
	FIELD_AS("rc", struct device_facts, attributes.odp.rc, FIELD_BITS, FIELD_PUBLIC,
		 "operations of RC", .words = mr_odp_operations, OF_ATTRIBUTES),
	FIELD_AS("rc_bits", struct device_facts, attributes.odp.rc, FIELD_HEX, FIELD_DETAIL,
		 "the same as bits", OF_ATTRIBUTES),
	FIELD_AS("uc", struct device_facts, attributes.odp.uc, FIELD_BITS, FIELD_PUBLIC,
		 "operations of UC", .words = mr_odp_operations, OF_ATTRIBUTES),
	FIELD_AS("uc_bits", struct device_facts, attributes.odp.uc, FIELD_HEX, FIELD_DETAIL,
		 "the same as bits", OF_ATTRIBUTES),
	FIELD_AS("ud", struct device_facts, attributes.odp.ud, FIELD_BITS, FIELD_PUBLIC,
		 "operations of UD", .words = mr_odp_operations, OF_ATTRIBUTES),
	FIELD_AS("ud_bits", struct device_facts, attributes.odp.ud, FIELD_HEX, FIELD_DETAIL,
		 "the same as bits", OF_ATTRIBUTES),
	FIELD_AS("xrc", struct device_facts, attributes.odp.xrc, FIELD_BITS, FIELD_PUBLIC,
		 "operations of XRC", .words = mr_odp_operations, OF_ATTRIBUTES),
	FIELD_AS("xrc_bits", struct device_facts, attributes.odp.xrc, FIELD_HEX, FIELD_DETAIL,
		 "the same as bits", OF_ATTRIBUTES),
	FIELD_AS("dc", struct device_facts, features.dc_odp, FIELD_BITS, FIELD_PUBLIC,
		 "operations of DC, read from mlx5's firmware", .words = mr_odp_operations),
	FIELD_AS("dc_bits", struct device_facts, features.dc_odp, FIELD_HEX, FIELD_DETAIL,
		 "the same as bits"),
	FIELD_END,
};
REPORTED static const struct record odp_record = { "odp", odp_fields, NULL };

static const struct field pci_atomics_fields[] = {
	FIELD(struct device_facts, fetch_add, FIELD_PAGES, 0, "sizes of fetch-and-add",
	      OF_ATTRIBUTES),
	FIELD(struct device_facts, swap, FIELD_PAGES, 0, "sizes of swap", OF_ATTRIBUTES),
	FIELD(struct device_facts, compare_swap, FIELD_PAGES, 0, "sizes of compare-and-swap",
	      OF_ATTRIBUTES),
	FIELD_END,
};
REPORTED static const struct record pci_atomics_record = { "pci_atomics", pci_atomics_fields,
							   NULL };

#define ROW(member, type, flags, ...) FIELD(struct device_facts, member, type, flags, __VA_ARGS__)
#define ROW_AS(key, member, type, flags, ...)                                                      \
	FIELD_AS(key, struct device_facts, member, type, flags, __VA_ARGS__)

static const struct field device_fields[] = {
	ROW_AS("name", sysfs.name, FIELD_TEXT, FIELD_KNOWN, "name of the device"),
	ROW_AS("provider", environment.provider, FIELD_TEXT, FIELD_PUBLIC, "its user-space driver"),
	ROW_AS("driver", sysfs.driver, FIELD_TEXT, FIELD_PUBLIC,
	       "the kernel's driver of its PCI function"),
	ROW_AS("simulated", environment.simulated, FIELD_BOOL, 0, "whether the device is simulated",
	       KNOWN_BY(struct device_facts, has_environment)),
	ROW_AS("simulated_kernel", environment.simulated_kernel, FIELD_TEXT, FIELD_PUBLIC,
	       "whose answers a simulated device gives"),
	ROW_AS("kernel", environment.kernel, FIELD_TEXT, FIELD_PUBLIC, "release of the kernel"),
	ROW_AS("rdma_core", environment.rdma_core, FIELD_TEXT, FIELD_PUBLIC,
	       "version of the loaded rdma-core"),
	ROW_AS("firmware", sysfs.firmware, FIELD_TEXT, FIELD_PUBLIC, "version of the firmware"),
	ROW_AS("board_id", sysfs.board_id, FIELD_TEXT, FIELD_PUBLIC, "board (PSID)"),
	ROW_AS("hca_type", sysfs.hca_type, FIELD_TEXT, FIELD_PUBLIC, "type of the adapter"),
	ROW_AS("hw_rev", sysfs.hw_rev, FIELD_TEXT, FIELD_PUBLIC,
	       "revision of the chip, as sysfs has it"),
	ROW_AS("hw_version", attributes.hw_version, FIELD_HEX, FIELD_DETAIL,
	       "the same by verbs (hw_ver)", OF_ATTRIBUTES),
	ROW_AS("vendor_id", attributes.vendor_id, FIELD_HEX, 0, "vendor of the device",
	       OF_ATTRIBUTES),
	ROW_AS("vendor_part_id", attributes.vendor_part_id, FIELD_NUMBER, 0,
	       "that vendor's number of it", OF_ATTRIBUTES),
	ROW_AS("node_desc", sysfs.node_desc, FIELD_TEXT, 0,
	       "description that an administrator may set"),
	ROW_AS("node_type", sysfs.node_type, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC,
	       "CA, RNIC, ..."),
	ROW_AS("node_guid", sysfs.node_guid, FIELD_TEXT, 0, "its GUID"),
	ROW_AS("sys_image_guid", sysfs.sys_image_guid, FIELD_TEXT, 0, "GUID of the adapter"),
	ROW_AS("pci_address", sysfs.pci_address, FIELD_TEXT, 0, "address of its PCI function"),
	ROW_AS("parent", sysfs.parent, FIELD_TEXT, 0, "network device below a software device"),
	ROW_AS("numa_node", sysfs.numa_node, FIELD_NUMBER, 0, "NUMA node that it is at"),
	ROW_AS("node", node.path, FIELD_TEXT, 0, "file by which programs open it",
	       .section = "node"),
	ROW(node_mode, FIELD_TEXT, FIELD_PUBLIC, "permission of the file"),
	ROW_AS("node_uid", node.uid, FIELD_NUMBER, 0, "owner of the file"),
	ROW_AS("node_gid", node.gid, FIELD_NUMBER, 0, "group of the file"),
	ROW(node_opens, FIELD_BOOL, 0, "whether this user may open it",
	    KNOWN_BY(struct device_facts, has_node)),
	ROW_AS("node_error", node.error, FIELD_ERRNO, FIELD_PUBLIC, "errno of opening it",
	       KNOWN_BY(struct device_facts, has_node)),
	ROW_AS("ports", port_list, FIELD_LIST, FIELD_KNOWN, "its ports", .section = "ports",
	       .record = &device_port_record),
	ROW_AS("max_mr", attributes.max_mr, FIELD_NUMBER, 0, "the most memory regions",
	       .section = "limits", OF_ATTRIBUTES),
	ROW_AS("max_mr_size", attributes.max_mr_size, FIELD_NUMBER, 0,
	       "bytes of the largest region", OF_ATTRIBUTES),
	ROW_AS("page_sizes", attributes.page_sizes, FIELD_PAGES, FIELD_RANGES,
	       "sizes of pages that regions can have", OF_ATTRIBUTES),
	ROW_AS("page_size_cap", attributes.page_sizes, FIELD_HEX, FIELD_DETAIL, "the same as bits",
	       OF_ATTRIBUTES),
	ROW_AS("max_pd", attributes.max_pd, FIELD_NUMBER, 0, "the most protection domains",
	       OF_ATTRIBUTES),
	ROW_AS("max_mw", attributes.max_mw, FIELD_NUMBER, 0, "the most memory windows",
	       OF_ATTRIBUTES),
	ROW_AS("max_qp", attributes.max_qp, FIELD_NUMBER, 0, "the most queue pairs", OF_ATTRIBUTES),
	ROW_AS("max_cq", attributes.max_cq, FIELD_NUMBER, 0, "the most completion queues",
	       OF_ATTRIBUTES),
	ROW_AS("max_srq", attributes.max_srq, FIELD_NUMBER, 0, "the most shared receive queues",
	       OF_ATTRIBUTES),
	ROW_AS("max_dm_size", attributes.max_dm_size, FIELD_NUMBER, 0,
	       "bytes of memory on the device", OF_ATTRIBUTES),
	ROW_AS("max_fmr", attributes.max_fmr, FIELD_NUMBER, FIELD_DETAIL,
	       "the most fast memory regions, of old kernels", OF_ATTRIBUTES),
	ROW_AS("max_map_per_fmr", attributes.max_map_per_fmr, FIELD_NUMBER, FIELD_DETAIL,
	       "how often one of them can be mapped", OF_ATTRIBUTES),
	ROW_AS("max_raw_ipv6_qp", attributes.max_raw_ipv6_qp, FIELD_NUMBER, FIELD_DETAIL,
	       "the most queue pairs for raw IPv6", OF_ATTRIBUTES),
	ROW_AS("max_raw_ethy_qp", attributes.max_raw_ethernet_qp, FIELD_NUMBER, FIELD_DETAIL,
	       "the most for raw Ethertypes", OF_ATTRIBUTES),
	ROW_AS("objects", object_list, FIELD_LIST, 0, "how many objects of each kind exist",
	       .section = "in use", .record = &device_object_record),
	ROW(mr_used, FIELD_NUMBER, FIELD_DETAIL, "memory regions that exist"),
	ROW_AS("fw_pages", sysfs.fw_pages, FIELD_NUMBER, 0, "pages that the firmware has"),
	ROW_AS("reg_pages", sysfs.reg_pages, FIELD_NUMBER, 0,
	       "pages that the driver counts as registered"),
	ROW_AS("frmr_pools", pool_list, FIELD_LIST, 0, "regions that the kernel keeps for reuse",
	       .section = "FRMR pools", .record = &device_pool_record),
	PART_OF_FACTS("odp", &odp_record, "on-demand paging", "on-demand paging"),
	ROW(atomic_cap, FIELD_STRING, FIELD_PUBLIC,
	    "what atomic operations are atomic with: none, hca, global",
	    .section = "atomic operations"),
	PART_OF_FACTS("pci_atomics", &pci_atomics_record, "atomic operations by way of PCI",
		      "atomic operations by PCI"),
	ROW_AS("memory_windows", attributes.capabilities, FIELD_BITS, FIELD_PUBLIC | FIELD_NAMED,
	       "types of memory windows", .section = "registration", .words = mr_memory_windows,
	       OF_ATTRIBUTES),
	ROW_AS("capabilities", attributes.capabilities, FIELD_BITS, FIELD_PUBLIC | FIELD_NAMED,
	       "others that have to do with memory", .words = mr_device_capabilities,
	       OF_ATTRIBUTES),
	ROW_AS("device_cap_flags", attributes.capabilities, FIELD_HEX, FIELD_DETAIL,
	       "all capabilities as bits", OF_ATTRIBUTES),
	ROW_AS("devx", features.devx, FIELD_TRISTATE, 0, "whether this user gets DEVX"),
	ROW_AS("reg_mr_ex", features.reg_mr_ex, FIELD_WORD, FIELD_PUBLIC, "what ibv_reg_mr_ex does",
	       .words = mr_reg_mr_ex_words),
	ROW_AS("dmabuf", features.dmabuf, FIELD_TRISTATE, 0, "whether dma-bufs can be registered",
	       TRIAL),
	ROW_AS("dm_dmabuf", features.dm_dmabuf, FIELD_TRISTATE, 0,
	       "whether device memory can be made a dma-buf", TRIAL),
	ROW_AS("data_direct", features.data_direct, FIELD_TRISTATE, 0,
	       "whether it has a Data Direct device", TRIAL),
	ROW_AS("data_direct_path", features.data_direct_path, FIELD_TEXT, 0,
	       "the folder of that in /sys"),
	ROW_AS("dma_handles", features.dma_handles, FIELD_TRISTATE, 0, "whether it has DMA handles",
	       UNKNOWN),
	ROW_AS("optional_access", features.optional_access, FIELD_TRISTATE, 0,
	       "whether the kernel takes optional access flags", UNKNOWN),
	ROW_AS("relaxed_ordering", features.relaxed_ordering, FIELD_TRISTATE, 0,
	       "whether it can write in relaxed order", UNKNOWN),
	ROW(functions, FIELD_WORDS, FIELD_DETAIL | FIELD_PUBLIC,
	    "newer functions that the library has"),
	ROW_AS("commands", command_list, FIELD_LIST, 0, "counters of the firmware's commands",
	       .section = "firmware commands", .record = &device_command_record),
	ROW_AS("commands_error", why_no_commands, FIELD_STRING, FIELD_PROSE, "why there are none",
	       .section = "firmware commands"),
	FIELD_END,
};
REPORTED static const struct record device_record = { "device", device_fields, "devices" };

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

static const struct metric device_metrics[] = {
	{ .record = &device_record,
	  .name = "mrctl_device_info",
	  .help = "An RDMA device",
	  .labels = "device=name,provider,driver,firmware,board_id,pci_address",
	  .type = METRIC_INFO },
	GAUGE("node_opens", NULL, "node_opens", "Whether the calling user may open the device"),
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

/* A list of @count rows, which are an array. */
#define LIST_OF(record_, rows_, count_)                                                            \
	(struct list)                                                                              \
	{                                                                                          \
		&(record_), (rows_), (count_), sizeof(*(rows_))                                    \
	}

/* Opens the device with DEVX where this user gets that, else without.  Errnos of libmlx5: providers/mlx5/mlx5.c. */
static int open_device(const char *name, struct mr_environment *environment,
		       struct mr_device *device, enum mr_tristate *devx, struct mr_error *err)
{
	const int rc = mr_device_open_devx(name, device, environment, err);

	*devx = !rc ? MR_YES : rc == -EINVAL || rc == -EOPNOTSUPP ? MR_NO : MR_UNKNOWN;
	return rc ? mr_device_open_alone(name, device, environment, err) : 0;
}

static int query_one_device(const char *name, struct device_facts *facts, struct mr_error *err)
{
	const struct mr_pci_atomics *pci = &facts->attributes.pci_atomics;
	struct mr_device device;
	size_t count = 0;
	enum mr_tristate devx;
	int rc = open_device(name, &facts->environment, &device, &devx, err);

	if (rc)
		return rc;
	rc = mr_attributes_query(device.context, &facts->attributes, err);
	facts->has_attributes = !rc;
	mr_features_find(&device, &facts->environment, rc ? NULL : &facts->attributes, devx,
			 &facts->features);
	mr_device_close(&device);
	for (enum mr_symbol symbol = MR_SYMBOL_NONE + 1; symbol < MR_SYMBOLS; symbol++)
		if (facts->features.has_symbol[symbol] && mr_symbol_name(symbol)[0] != '_')
			facts->function_words[count++] = mr_symbol_name(symbol);
	facts->functions = facts->function_words;
	if (rc)
		return rc;
	facts->atomic_cap = mr_atomic_name(facts->attributes.atomic);
	/* The lowest bit stands for 4 bytes, and each of the others for twice as many. */
	facts->fetch_add = (uint64_t)pci->fetch_add << 2;
	facts->swap = (uint64_t)pci->swap << 2;
	facts->compare_swap = (uint64_t)pci->compare_swap << 2;
	return 0;
}

/* Sets the maximum of a kind of objects, where the kernel does not tell it, to that of the device. */
static void add_max(const struct mr_attributes *attributes, struct mr_nldev_count *count)
{
	const struct {
		const char *kind;
		uint64_t max;
	} limits[] = {
		{ "mr", attributes->max_mr },   { "pd", attributes->max_pd },
		{ "qp", attributes->max_qp },   { "cq", attributes->max_cq },
		{ "srq", attributes->max_srq },
	};

	for (size_t i = 0; !count->max.known && i < sizeof(limits) / sizeof(*limits); i++)
		if (!strcmp(limits[i].kind, count->kind))
			count->max = known(limits[i].max);
}

/* A kernel without RDMA netlink, or a device that has gone meanwhile, leaves the counts unknown. */
static void query_netlink(const char *name, struct device_facts *facts)
{
	struct mr_nldev_summary *summary = &facts->summary;
	struct mr_error ignored;
	struct mr_nldev nl;
	uint32_t index;

	if (mr_nldev_open_device(&nl, name, &index, &ignored))
		return;
	if (!mr_nldev_summary(&nl, index, summary, &ignored)) {
		facts->mr_used = mr_nldev_summary_of(summary, "mr");
		facts->object_list = LIST_OF(device_object_record, summary->kinds, summary->count);
	}
	for (size_t i = 0; facts->has_attributes && i < summary->count; i++)
		add_max(&facts->attributes, &summary->kinds[i]);
	/* Before Linux 7.1 there are none. */
	if (!mr_nldev_pools(&nl, index, &facts->pools, &ignored))
		facts->pool_list =
			LIST_OF(device_pool_record, facts->pools.list, facts->pools.count);
	mr_nldev_close(&nl);
}

static void fill_command(struct command_row *row, const struct mr_mlx5_command *command)
{
	const struct mr_opt_u64 status = command->last_status;

	*row = (struct command_row){ .command = *command };
	if (!status.known || !status.value) {
		row->command.last_syndrome.known = false;
		return;
	}
	snprintf(row->status_text, sizeof(row->status_text), "0x%" PRIx64, status.value & 0xff);
	row->last_status = mr_mlx5_status_name(status.value) ?: row->status_text;
}

static void read_commands(struct mr_host *host, struct device_facts *facts)
{
	struct mr_mlx5_command commands[MR_MLX5_COMMANDS];
	struct mr_error *err = &facts->commands_error;
	size_t count = 0;

	if (strcmp(facts->sysfs.driver, "mlx5_core") != 0 || !facts->sysfs.pci_address[0])
		return;
	if (mr_mlx5_commands_read(host, facts->sysfs.pci_address, commands, err)) {
		facts->why_no_commands = err->hint[0] ? err->hint : err->text;
		return;
	}
	for (size_t i = 0; i < MR_MLX5_COMMANDS; i++)
		if (commands[i].sent.known)
			fill_command(&facts->commands[count++], &commands[i]);
	facts->command_list = LIST_OF(device_command_record, facts->commands, count);
}

static void read_node(struct mr_host *host, const char *name, struct device_facts *facts)
{
	const struct mr_rdma_node *node = &facts->node;

	facts->has_node = mr_rdma_node_read(host, name, &facts->node);
	facts->node_opens = !node->error;
	if (node->mode.known)
		snprintf(facts->node_mode, sizeof(facts->node_mode), "%04o",
			 (unsigned int)node->mode.value & 07777);
}

/* Finds out all about a device. */
static int device_facts_find(struct mr_host *host, const char *name,
			     const struct mr_environment *environment, struct device_facts *facts,
			     struct mr_error *err)
{
	size_t ports;
	int rc;

	*facts = (struct device_facts){ .environment = *environment };
	mr_rdma_device_read(host, name, &facts->sysfs);
	mr_rdma_device_identify(host, &facts->sysfs);
	ports = mr_rdma_ports_read(host, name, facts->ports);
	facts->port_list = LIST_OF(device_port_record, facts->ports, ports);
	read_node(host, name, facts);
	rc = query_one_device(name, facts, err);
	facts->has_environment = facts->environment.device[0];
	/* The kernel may have a device of the same name as a simulated one. */
	if (!facts->environment.simulated) {
		query_netlink(name, facts);
		read_commands(host, facts);
	}
	return rc;
}

/* Names of devices: those that are to be shown. */
struct names {
	char **list;
	size_t count;
	bool out_of_memory;
};

static void names_add(const char *name, void *data)
{
	struct names *names = data;
	char **list = reallocarray(names->list, names->count + 1, sizeof(*list));

	if (list) {
		names->list = list;
		list[names->count] = strdup(name);
	}
	if (!list || !list[names->count])
		names->out_of_memory = true;
	else
		names->count++;
}

static void names_release(struct names *names)
{
	while (names->count > 0)
		free(names->list[--names->count]);
	free(names->list);
}

static bool names_have(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (!strcmp(names->list[i], name))
			return true;
	return false;
}

/* A run of the view. */
struct device_job {
	const struct invocation *invocation;
	struct mr_host host;
	struct names present; /* in sysfs */
	struct names chosen;
	struct mr_environment environment;
	struct answer answer;
	uint64_t shown;
};

static void choose(struct device_job *job)
{
	char *const *operand = job->invocation->operands;
	const char *device = job->invocation->global->device;

	if (mr_rdma_device_list(&job->host, names_add, &job->present) == -ENOMEM)
		job->present.out_of_memory = true;
	for (; *operand; operand++)
		if (!names_have(&job->chosen, *operand))
			names_add(*operand, &job->chosen);
	if (job->chosen.count)
		return;
	if (device)
		names_add(device, &job->chosen);
	else
		for (size_t i = 0; i < job->present.count; i++)
			names_add(job->present.list[i], &job->chosen);
}

static void fail(struct device_job *job, const char *name, struct mr_error *why)
{
	if (name && why->kind != MR_ERROR_ABSENT)
		mr_wrap(why, "%s", name);
	job->answer.refusal.device = name;
	answer_fail(&job->answer, why, 0, 0, MR_VIA_LIBRARY);
}

static void fail_absent(struct device_job *job, const char *name)
{
	char others[256] = "";
	struct mr_error why;
	size_t used = 0;

	for (size_t i = 0; i < job->present.count && used < sizeof(others); i++)
		used += (size_t)snprintf(others + used, sizeof(others) - used, "%s%s",
					 i ? ", " : "", job->present.list[i]);
	mr_device_fail_absent(name, 0, others, &why);
	/* Where no device was named, none is missing: the machine cannot do what was asked. */
	if (!name && why.kind == MR_ERROR_ABSENT)
		why.kind = MR_ERROR_HOST;
	fail(job, name, &why);
}

/* A device, and why it could not be opened. */
struct shown_device {
	struct device_facts facts;
	struct mr_error why;
	int rc;
};

static struct shown_device *find_out(struct device_job *job, const char *name)
{
	struct shown_device *device = calloc(1, sizeof(*device));

	if (device)
		device->rc = device_facts_find(&job->host, name, &job->environment, &device->facts,
					       &device->why);
	return device;
}

/* Prints what was found out, and frees it.  Return: 0 or -ENOMEM. */
static int show(struct device_job *job, struct shown_device *device)
{
	if (!device)
		return -ENOMEM;
	if (device->rc)
		fail(job, device->facts.sysfs.name, &device->why);
	answer_row(&job->answer, &device->facts);
	job->shown++;
	mr_nldev_pools_release(&device->facts.pools);
	free(device);
	return 0;
}

static int show_all(struct device_job *job, struct shown_device *only)
{
	int rc = job->chosen.out_of_memory || job->present.out_of_memory ? -ENOMEM : 0;

	if (only)
		return show(job, only);
	if (!rc && !job->chosen.count)
		fail_absent(job, NULL);
	for (size_t i = 0; !rc && i < job->chosen.count; i++) {
		const char *name = job->chosen.list[i];

		if (names_have(&job->present, name))
			rc = show(job, find_out(job, name));
		else
			fail_absent(job, name);
	}
	return rc;
}

/* If a single device is shown, the environment of the answer is that of the device. */
static struct shown_device *find_out_only(struct device_job *job)
{
	struct shown_device *only = NULL;

	if (job->chosen.count == 1 && names_have(&job->present, job->chosen.list[0]))
		only = find_out(job, job->chosen.list[0]);
	if (only)
		job->environment = only->facts.environment;
	return only;
}

/* A device has too many facts for a line of a table, unless columns are chosen. */
static void print_as_blocks(struct answer *answer)
{
	const struct output_style *style = &answer->invocation->global->style;

	answer->lines = !style->columns && !style->no_headings;
	answer->out.blocks = answer->lines;
}

static int run_device(const struct invocation *invocation, struct mr_error *err)
{
	struct device_job job = { .invocation = invocation, .host = MR_THIS_HOST };
	struct shown_device *only;
	int rc;

	mr_environment_init(&job.environment);
	rc = answer_init(&job.answer, invocation, NULL, &job.environment, 0, err);
	if (rc)
		return rc;
	print_as_blocks(&job.answer);
	choose(&job);
	only = find_out_only(&job);
	answer_begin(&job.answer);
	rc = show_all(&job, only);
	if (rc)
		mr_fail(err, MR_ERROR_HOST, -rc, "malloc", NULL);
	answer_end_rows(&job.answer);
	job.answer.lines = job.answer.out.blocks = false; /* the environment is in the blocks */
	if (!rc)
		rc = answer_end(&job.answer, job.shown, err);
	if (!rc)
		rc = answer_status(&job.answer, job.shown, NULL);
	answer_release(&job.answer);
	names_release(&job.present);
	names_release(&job.chosen);
	return rc;
}

static int check_device(const struct invocation *invocation, struct mr_error *err)
{
	const char *device = invocation->global->device;

	if (!device || !invocation->operands[0])
		return 0;
	return mr_fail_usage(err, "devices are named either as operands ('%s') or by -d ('%s')",
			     invocation->operands[0], device);
}

const struct command_view stat_device = {
	STAT_VIEW(device),
	.record = &device_record,
	.columns = "name,provider,driver,firmware,numa_node,mr_used,max_mr",
	.metrics = device_metrics,
	.check = check_device,
	.run = run_device,
};
