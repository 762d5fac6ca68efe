// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/stat.h"
#include "lib/host/host.h"

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

/* Adds what has no name as a number.  Return: the list. */
static const char *const *end_words(struct bit_words *words, size_t count, uint64_t rest)
{
	if (rest) {
		snprintf(words->rest, sizeof(words->rest), "0x%" PRIx64, rest);
		words->list[count++] = words->rest;
	}
	words->list[count] = NULL;
	return words->list;
}

/* Names the bits by a table whose rows have different bits.  Return: @words->list. */
static const char *const *bit_words_name(struct bit_words *words, const struct mr_word *table,
					 uint64_t bits)
{
	size_t count = 0;

	for (; table->name; table++) {
		if (bits & table->bit)
			words->list[count++] = table->name;
		bits &= ~(uint64_t)table->bit;
	}
	return end_words(words, count, bits);
}

/* Names those that are in the table; the others do not matter. */
static const char *const *bit_words_name_capabilities(struct bit_words *words,
						      const struct mr_device_capability *table,
						      uint64_t bits)
{
	size_t count = 0;

	for (; table->name; table++)
		if (bits & table->bit)
			words->list[count++] = table->name;
	return end_words(words, count, 0);
}

/* A text; NULL, which is unknown, for an empty one. */
static const char *text_of(const char *text)
{
	return text[0] ? text : NULL;
}

static struct opt_bool truth_of(enum mr_tristate answer)
{
	return (struct opt_bool){ answer == MR_YES, answer != MR_UNKNOWN };
}

/* A list of @count rows, which are an array. */
#define LIST_OF(record_, rows_, count_)                                                            \
	(struct list)                                                                              \
	{                                                                                          \
		&(record_), (rows_), (count_), sizeof(*(rows_))                                    \
	}

static void fill_identity(struct device_row *row, const struct device_facts *facts)
{
	const struct mr_environment *environment = &facts->environment;
	const struct mr_rdma_device *sysfs = &facts->sysfs;

	row->name = sysfs->name;
	row->provider = text_of(environment->provider);
	row->driver = text_of(sysfs->driver);
	row->simulated = (struct opt_bool){ environment->simulated, environment->device[0] };
	row->simulated_kernel = text_of(environment->simulated_kernel);
	row->kernel = text_of(environment->kernel);
	row->rdma_core = text_of(environment->rdma_core);
	row->firmware = text_of(sysfs->firmware);
	row->board_id = text_of(sysfs->board_id);
	row->hca_type = text_of(sysfs->hca_type);
	row->hw_rev = text_of(sysfs->hw_rev);
	row->node_desc = text_of(sysfs->node_desc);
	row->node_type = text_of(sysfs->node_type);
	row->node_guid = text_of(sysfs->node_guid);
	row->sys_image_guid = text_of(sysfs->sys_image_guid);
	row->pci_address = text_of(sysfs->pci_address);
	row->parent = text_of(sysfs->parent);
	row->numa_node = sysfs->numa_node;
	row->fw_pages = sysfs->fw_pages;
	row->reg_pages = sysfs->reg_pages;
}

/* An errno by name, or as a number. */
static const char *name_errno(int errnum, char *text, size_t size)
{
	snprintf(text, size, "%d", errnum);
	return mr_errno_name(errnum) ?: text;
}

static void fill_node(struct device_row *row, const struct mr_rdma_node *node)
{
	if (!node->path[0])
		return;
	row->node = node->path;
	if (node->mode.known) {
		snprintf(row->mode_text, sizeof(row->mode_text), "%04o",
			 (unsigned int)node->mode.value & 07777);
		row->node_mode = row->mode_text;
	}
	row->node_uid = node->uid;
	row->node_gid = node->gid;
	row->node_opens = (struct opt_bool){ !node->error, true };
	if (node->error)
		row->node_error =
			name_errno(-node->error, row->error_text, sizeof(row->error_text));
}

static void fill_ports(struct device_row *row, const struct device_facts *facts)
{
	for (size_t i = 0; i < facts->port_count; i++) {
		const struct mr_rdma_port *port = &facts->ports[i];

		row->port_rows[i] = (struct port_row){
			.port = known(port->number),
			.state = text_of(port->state),
			.phys_state = text_of(port->phys_state),
			.link_layer = text_of(port->link_layer),
			.rate = text_of(port->rate),
			.lid = port->lid,
		};
	}
	row->ports = LIST_OF(device_port_record, row->port_rows, facts->port_count);
}

static void fill_limits(struct device_row *row, const struct mr_attributes *attributes)
{
	row->vendor_id = known(attributes->vendor_id);
	row->vendor_part_id = known(attributes->vendor_part_id);
	row->hw_version = known(attributes->hw_version);
	row->max_mr = known(attributes->max_mr);
	row->max_mr_size = known(attributes->max_mr_size);
	row->page_size_cap = row->page_sizes = known(attributes->page_sizes);
	row->max_pd = known(attributes->max_pd);
	row->max_mw = known(attributes->max_mw);
	row->max_qp = known(attributes->max_qp);
	row->max_cq = known(attributes->max_cq);
	row->max_srq = known(attributes->max_srq);
	row->max_dm_size = known(attributes->max_dm_size);
	row->max_fmr = known(attributes->max_fmr);
	row->max_map_per_fmr = known(attributes->max_map_per_fmr);
	row->max_raw_ipv6_qp = known(attributes->max_raw_ipv6_qp);
	row->max_raw_ethy_qp = known(attributes->max_raw_ethernet_qp);
}

static void fill_odp(struct device_row *row, const struct mr_odp_caps *odp)
{
	row->odp = (struct odp_row){
		.general = bit_words_name(&row->words[0], mr_odp_general, odp->general),
		.general_bits = known(odp->general),
		.rc = bit_words_name(&row->words[1], mr_odp_operations, odp->rc),
		.rc_bits = known(odp->rc),
		.uc = bit_words_name(&row->words[2], mr_odp_operations, odp->uc),
		.uc_bits = known(odp->uc),
		.ud = bit_words_name(&row->words[3], mr_odp_operations, odp->ud),
		.ud_bits = known(odp->ud),
		.xrc = bit_words_name(&row->words[4], mr_odp_operations, odp->xrc),
		.xrc_bits = known(odp->xrc),
	};
}

static void fill_attributes(struct device_row *row, const struct mr_attributes *attributes)
{
	const struct mr_pci_atomics *pci = &attributes->pci_atomics;
	const uint64_t capabilities = attributes->capabilities;

	fill_limits(row, attributes);
	fill_odp(row, &attributes->odp);
	row->atomic_cap = mr_atomic_name(attributes->atomic);
	/* The lowest bit stands for 4 bytes, and each of the others for twice as many. */
	row->pci_atomics = (struct pci_atomics_row){ known((uint64_t)pci->fetch_add << 2),
						     known((uint64_t)pci->swap << 2),
						     known((uint64_t)pci->compare_swap << 2) };
	row->memory_windows =
		bit_words_name_capabilities(&row->words[7], mr_memory_windows, capabilities);
	row->capabilities =
		bit_words_name_capabilities(&row->words[5], mr_device_capabilities, capabilities);
	row->device_cap_flags = known(capabilities);
}

static void fill_features(struct device_row *row, const struct mr_features *features)
{
	size_t count = 0;

	row->devx = truth_of(features->devx);
	row->dmabuf = truth_of(features->dmabuf);
	row->dm_dmabuf = truth_of(features->dm_dmabuf);
	row->data_direct = truth_of(features->data_direct);
	row->data_direct_path = text_of(features->data_direct_path);
	row->dma_handles = truth_of(features->dma_handles);
	row->optional_access = truth_of(features->optional_access);
	row->relaxed_ordering = truth_of(features->relaxed_ordering);
	row->reg_mr_ex = mr_reg_mr_ex_words[features->reg_mr_ex].name;
	if (features->dc_odp.known) {
		row->odp.dc =
			bit_words_name(&row->words[6], mr_odp_operations, features->dc_odp.value);
		row->odp.dc_bits = features->dc_odp;
	}
	for (enum mr_symbol symbol = MR_SYMBOL_NONE + 1; symbol < MR_SYMBOLS; symbol++)
		if (features->has_symbol[symbol] && mr_symbol_name(symbol)[0] != '_')
			row->function_words[count++] = mr_symbol_name(symbol);
	row->functions = row->function_words;
}

/* The maximum of a kind of objects: the kernel's, else that of the device. */
static struct mr_opt_u64 max_of(const struct device_row *row, const struct mr_nldev_count *count)
{
	const struct {
		const char *kind;
		struct mr_opt_u64 max;
	} limits[] = {
		{ "mr", row->max_mr }, { "pd", row->max_pd },   { "qp", row->max_qp },
		{ "cq", row->max_cq }, { "srq", row->max_srq },
	};

	for (size_t i = 0; !count->max.known && i < sizeof(limits) / sizeof(*limits); i++)
		if (!strcmp(limits[i].kind, count->kind))
			return limits[i].max;
	return count->max;
}

static void fill_objects(struct device_row *row, const struct mr_nldev_summary *summary)
{
	row->mr_used = mr_nldev_summary_of(summary, "mr");
	for (size_t i = 0; i < summary->count; i++)
		row->object_rows[i] =
			(struct object_row){ summary->kinds[i].kind, known(summary->kinds[i].count),
					     max_of(row, &summary->kinds[i]) };
	row->objects = LIST_OF(device_object_record, row->object_rows, summary->count);
}

static int fill_pools(struct device_row *row, const struct mr_nldev_pools *pools)
{
	row->pool_rows = calloc(pools->count + 1, sizeof(*row->pool_rows));
	if (!row->pool_rows)
		return -ENOMEM;
	for (size_t i = 0; i < pools->count; i++) {
		const struct mr_nldev_pool *pool = &pools->list[i];

		row->pool_rows[i] =
			(struct pool_row){ pool->blocks, pool->access,        pool->ats,
					   pool->vendor, pool->kernel_vendor, pool->free,
					   pool->in_use, pool->max_in_use,    pool->pinned };
	}
	row->frmr_pools = LIST_OF(device_pool_record, row->pool_rows, pools->count);
	return 0;
}

static void fill_command(struct command_row *row, const struct mr_mlx5_command *command)
{
	*row = (struct command_row){
		.command = command->name,
		.n = command->sent,
		.failed = command->failed,
		.failed_mbox_status = command->refused,
	};
	if (command->last_errno.known && command->last_errno.value)
		row->last_errno = name_errno((int)command->last_errno.value, row->errno_text,
					     sizeof(row->errno_text));
	if (!command->last_status.known || !command->last_status.value)
		return;
	row->last_status = mr_mlx5_status_name(command->last_status.value);
	if (!row->last_status) {
		snprintf(row->status_text, sizeof(row->status_text), "0x%" PRIx64,
			 command->last_status.value & 0xff);
		row->last_status = row->status_text;
	}
	row->last_syndrome = command->last_syndrome;
}

static void fill_commands(struct device_row *row, const struct device_facts *facts)
{
	size_t count = 0;

	for (size_t i = 0; i < MR_MLX5_COMMANDS; i++)
		if (facts->commands[i].sent.known)
			fill_command(&row->command_rows[count++], &facts->commands[i]);
	row->commands = LIST_OF(device_command_record, row->command_rows, count);
}

int device_row_fill(struct device_row *row, const struct device_facts *facts)
{
	memset(row, 0, sizeof(*row));
	fill_identity(row, facts);
	fill_node(row, &facts->node);
	fill_ports(row, facts);
	if (facts->has_attributes)
		fill_attributes(row, &facts->attributes);
	if (facts->opened)
		fill_features(row, &facts->features);
	if (facts->has_summary)
		fill_objects(row, &facts->summary);
	if (facts->has_commands)
		fill_commands(row, facts);
	row->commands_error = facts->commands_error.hint[0] ? facts->commands_error.hint
							    : text_of(facts->commands_error.text);
	return facts->has_pools ? fill_pools(row, &facts->pools) : 0;
}

void device_row_release(struct device_row *row)
{
	free(row->pool_rows);
}
