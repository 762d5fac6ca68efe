// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/stat.h"

/* A command of the firmware. */
struct command_row {
	struct mr_mlx5_command command;
	const char *last_status;
	char status_text[16];
};

/* The answer about a device: facts by source, and the lists and words that are made of them. */
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

	int rc; /* error of opening or querying it */
	struct mr_error why;
};

/* Rows for members of struct device_facts, and of the structs in it. */
#define ROW(member, ...)         FIELD(struct device_facts, member, __VA_ARGS__)
#define ROW_AS(key, member, ...) FIELD_AS(key, struct device_facts, member, __VA_ARGS__)
#define SYSFS(member, ...)       ROW_AS(#member, sysfs.member, __VA_ARGS__)
#define ENVIRONMENT(member, ...) ROW_AS(#member, environment.member, __VA_ARGS__)
#define FEATURE(member, ...)     ROW_AS(#member, features.member, __VA_ARGS__)

/* Attributes of the device, where it answered. */
#define OF_ATTRIBUTES                  KNOWN_BY(struct device_facts, has_attributes)
#define ATTRIBUTE_AS(key, member, ...) ROW_AS(key, attributes.member, __VA_ARGS__, OF_ATTRIBUTES)
#define ATTRIBUTE(member, ...)         ATTRIBUTE_AS(#member, member, __VA_ARGS__)

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
		 "number of existing objects, those of the kernel included"),
	FIELD(struct mr_nldev_count, max, FIELD_NUMBER, 0, "maximum number of objects"),
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
	      "the driver's part of the key, for MRs of the kernel"),
	FIELD(struct mr_nldev_pool, free, FIELD_NUMBER, 0, "MRs that wait in the pool"),
	FIELD(struct mr_nldev_pool, in_use, FIELD_NUMBER, 0, "MRs of the pool that are registered"),
	FIELD(struct mr_nldev_pool, max_in_use, FIELD_NUMBER, 0,
	      "maximum number of registered MRs at a time"),
	FIELD(struct mr_nldev_pool, pinned, FIELD_NUMBER, 0,
	      "MRs that the pool is configured to keep"),
	FIELD_END,
};
REPORTED static const struct record device_pool_record = { "pool", pool_fields, "frmr_pools" };

static const struct field command_fields[] = {
	FIELD_AS("command", struct command_row, command.name, FIELD_STRING, FIELD_PUBLIC,
		 "command of the firmware"),
	FIELD_AS("n", struct command_row, command.sent, FIELD_NUMBER, 0,
		 "number of times that it was sent"),
	FIELD_AS("failed", struct command_row, command.failed, FIELD_NUMBER, 0,
		 "number of failures"),
	FIELD_AS("failed_mbox_status", struct command_row, command.refused, FIELD_NUMBER,
		 FIELD_DETAIL, "number of refusals by the firmware"),
	FIELD_AS("last_errno", struct command_row, command.last_errno, FIELD_ERRNO, FIELD_PUBLIC,
		 "errno of the last failure"),
	FIELD(struct command_row, last_status, FIELD_STRING, FIELD_PUBLIC,
	      "status of the last refusal"),
	FIELD_AS("last_syndrome", struct command_row, command.last_syndrome, FIELD_HEX, 0,
		 "syndrome: the firmware's number of the reason"),
	FIELD_END,
};
REPORTED static const struct record device_command_record = { "device_command", command_fields,
							      "commands" };

/* Rows of a transport on demand, as words and as bits. */
#define ODP(key, member, words_, help, ...)                                                        \
	ROW_AS(key, member, FIELD_BITS, FIELD_PUBLIC, help, .words = (words_), ##__VA_ARGS__),     \
		ROW_AS(key "_bits", member, FIELD_HEX, FIELD_DETAIL, "capabilities as bits",       \
		       ##__VA_ARGS__)
#define ODP_OF(transport, name)                                                                    \
	ODP(#transport, attributes.odp.transport, mr_odp_operations, "operations of " name,        \
	    OF_ATTRIBUTES)

static const struct field odp_fields[] = {
	ODP("general", attributes.odp.general, mr_odp_general, "explicit, implicit", OF_ATTRIBUTES),
	ODP_OF(rc, "RC"),
	ODP_OF(uc, "UC"),
	ODP_OF(ud, "UD"),
	ODP("xrc", attributes.odp.xrc, mr_odp_operations, "operations of XRC", OF_ATTRIBUTES),
	ODP("dc", features.dc_odp, mr_odp_operations,
	    "operations of DC, read from mlx5's firmware"),
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

static const struct field device_fields[] = {
	SYSFS(name, FIELD_TEXT, FIELD_KNOWN, "name of the device"),
	ENVIRONMENT(provider, FIELD_TEXT, FIELD_PUBLIC, "user-space driver of the device"),
	SYSFS(driver, FIELD_TEXT, FIELD_PUBLIC, "the kernel's driver of its PCI function"),
	ENVIRONMENT(simulated, FIELD_BOOL, 0, "whether the device is simulated",
		    KNOWN_BY(struct device_facts, has_environment)),
	ENVIRONMENT(simulated_kernel, FIELD_TEXT, FIELD_PUBLIC,
		    "kernel that the simulated device answers as"),
	ENVIRONMENT(kernel, FIELD_TEXT, FIELD_PUBLIC, "release of the kernel"),
	ENVIRONMENT(rdma_core, FIELD_TEXT, FIELD_PUBLIC, "version of the loaded rdma-core"),
	SYSFS(firmware, FIELD_TEXT, FIELD_PUBLIC, "version of the firmware"),
	SYSFS(board_id, FIELD_TEXT, FIELD_PUBLIC, "board (PSID)"),
	SYSFS(hca_type, FIELD_TEXT, FIELD_PUBLIC, "type of the adapter"),
	SYSFS(hw_rev, FIELD_TEXT, FIELD_PUBLIC, "revision of the chip from sysfs"),
	ATTRIBUTE(hw_version, FIELD_HEX, FIELD_DETAIL, "revision of the chip from verbs (hw_ver)"),
	ATTRIBUTE(vendor_id, FIELD_HEX, 0, "vendor of the device"),
	ATTRIBUTE(vendor_part_id, FIELD_NUMBER, 0, "the vendor's number for the adapter"),
	SYSFS(node_desc, FIELD_TEXT, 0, "description that an administrator may set"),
	SYSFS(node_type, FIELD_TEXT, FIELD_DETAIL | FIELD_PUBLIC, "CA, RNIC, ..."),
	SYSFS(node_guid, FIELD_TEXT, 0, "GUID of the device"),
	SYSFS(sys_image_guid, FIELD_TEXT, 0, "GUID of the adapter"),
	SYSFS(pci_address, FIELD_TEXT, 0, "address of its PCI function"),
	SYSFS(parent, FIELD_TEXT, 0, "network device below a software device"),
	SYSFS(numa_node, FIELD_NUMBER, 0, "NUMA node of the device"),
	ROW_AS("node", node.path, FIELD_TEXT, 0, "file that programs open", .section = "node"),
	ROW(node_mode, FIELD_TEXT, FIELD_PUBLIC, "permission of the file"),
	ROW_AS("node_uid", node.uid, FIELD_NUMBER, 0, "owner of the file"),
	ROW_AS("node_gid", node.gid, FIELD_NUMBER, 0, "group of the file"),
	ROW(node_opens, FIELD_BOOL, 0, "whether this user may open the file",
	    KNOWN_BY(struct device_facts, has_node)),
	ROW_AS("node_error", node.error, FIELD_ERRNO, FIELD_PUBLIC, "errno of opening the file",
	       KNOWN_BY(struct device_facts, has_node)),
	ROW_AS("ports", port_list, FIELD_LIST, FIELD_KNOWN, "ports of the device",
	       .section = "ports", .record = &device_port_record),
	ATTRIBUTE(max_mr, FIELD_NUMBER, 0, "maximum number of memory regions", .section = "limits"),
	ATTRIBUTE(max_mr_size, FIELD_NUMBER, 0, "bytes of the largest region"),
	ATTRIBUTE(page_sizes, FIELD_PAGES, FIELD_RANGES, "sizes of pages that regions can have"),
	ATTRIBUTE_AS("page_size_cap", page_sizes, FIELD_HEX, FIELD_DETAIL, "page sizes as bits"),
	ATTRIBUTE(max_pd, FIELD_NUMBER, 0, "maximum number of protection domains"),
	ATTRIBUTE(max_mw, FIELD_NUMBER, 0, "maximum number of memory windows"),
	ATTRIBUTE(max_qp, FIELD_NUMBER, 0, "maximum number of queue pairs"),
	ATTRIBUTE(max_cq, FIELD_NUMBER, 0, "maximum number of completion queues"),
	ATTRIBUTE(max_srq, FIELD_NUMBER, 0, "maximum number of shared receive queues"),
	ATTRIBUTE(max_dm_size, FIELD_NUMBER, 0, "bytes of memory on the device"),
	ATTRIBUTE(max_fmr, FIELD_NUMBER, FIELD_DETAIL,
		  "maximum number of fast memory regions (old kernels)"),
	ATTRIBUTE(max_map_per_fmr, FIELD_NUMBER, FIELD_DETAIL,
		  "maximum number of mappings of a fast memory region"),
	ATTRIBUTE(max_raw_ipv6_qp, FIELD_NUMBER, FIELD_DETAIL,
		  "maximum number of queue pairs for raw IPv6"),
	ATTRIBUTE_AS("max_raw_ethy_qp", max_raw_ethernet_qp, FIELD_NUMBER, FIELD_DETAIL,
		     "maximum number of queue pairs for raw Ethertypes"),
	ROW_AS("objects", object_list, FIELD_LIST, 0, "existing objects of each kind",
	       .section = "in use", .record = &device_object_record),
	ROW(mr_used, FIELD_NUMBER, FIELD_DETAIL, "memory regions that exist"),
	SYSFS(fw_pages, FIELD_NUMBER, 0, "pages of memory that the firmware uses"),
	SYSFS(reg_pages, FIELD_NUMBER, 0, "pages that the driver counts as registered"),
	ROW_AS("frmr_pools", pool_list, FIELD_LIST, 0, "regions that the kernel keeps for reuse",
	       .section = "FRMR pools", .record = &device_pool_record),
	PART_OF_FACTS("odp", &odp_record, "on-demand paging", "on-demand paging"),
	ROW(atomic_cap, FIELD_STRING, FIELD_PUBLIC, "scope of atomic operations: none, hca, global",
	    .section = "atomic operations"),
	PART_OF_FACTS("pci_atomics", &pci_atomics_record, "PCI atomic operations",
		      "atomic operations by PCI"),
	ATTRIBUTE_AS("memory_windows", capabilities, FIELD_BITS, FIELD_PUBLIC | FIELD_NAMED,
		     "types of memory windows", .section = "registration",
		     .words = mr_memory_windows),
	ATTRIBUTE(capabilities, FIELD_BITS, FIELD_PUBLIC | FIELD_NAMED,
		  "other capabilities that concern memory", .words = mr_device_capabilities),
	ATTRIBUTE_AS("device_cap_flags", capabilities, FIELD_HEX, FIELD_DETAIL,
		     "all capabilities as bits"),
	FEATURE(devx, FIELD_TRISTATE, 0, "whether this user can use DEVX"),
	FEATURE(reg_mr_ex, FIELD_WORD, FIELD_PUBLIC, "path of ibv_reg_mr_ex",
		.words = mr_reg_mr_ex_words),
	FEATURE(dmabuf, FIELD_TRISTATE, 0, "whether dma-bufs can be registered", TRIAL),
	FEATURE(dm_dmabuf, FIELD_TRISTATE, 0, "whether device memory can be made a dma-buf", TRIAL),
	FEATURE(data_direct, FIELD_TRISTATE, 0, "whether the HCA has a Data Direct device", TRIAL),
	FEATURE(data_direct_path, FIELD_TEXT, 0, "directory of the Data Direct device in /sys"),
	FEATURE(dma_handles, FIELD_TRISTATE, 0, "whether the device has DMA handles", UNKNOWN),
	FEATURE(optional_access, FIELD_TRISTATE, 0,
		"whether the kernel accepts optional access flags", UNKNOWN),
	FEATURE(relaxed_ordering, FIELD_TRISTATE, 0,
		"whether the device can write in relaxed order", UNKNOWN),
	ROW(functions, FIELD_WORDS, FIELD_DETAIL | FIELD_PUBLIC,
	    "newer functions that the library has"),
	ROW_AS("commands", command_list, FIELD_LIST, 0, "counters of the firmware's commands",
	       .section = "firmware commands", .record = &device_command_record),
	ROW_AS("commands_error", why_no_commands, FIELD_STRING, FIELD_PROSE,
	       "reason why there are none", .section = "firmware commands"),
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
	GAUGE("mr_max", NULL, "max_mr", "Maximum number of memory regions of the device"),
	GAUGE("mr_size_max_bytes", "bytes", "max_mr_size", "Size of the largest memory region"),
	GAUGE("pd_max", NULL, "max_pd", "Maximum number of protection domains of the device"),
	GAUGE("dm_size_bytes", "bytes", "max_dm_size", "Memory on the device"),
	GAUGE("fw_pages", NULL, "fw_pages", "Pages of memory that the firmware uses"),
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

static int query_one_device(const char *name, struct device_facts *facts, struct mr_error *err)
{
	const struct mr_pci_atomics *pci = &facts->attributes.pci_atomics;
	struct mr_device device;
	size_t count = 0;
	enum mr_tristate devx;
	int rc = mr_device_open_alone(name, true, &device, &facts->environment, err);

	/* Errnos of libmlx5 where this user does not get DEVX: providers/mlx5/mlx5.c */
	devx = !rc ? MR_YES : rc == -EINVAL || rc == -EOPNOTSUPP ? MR_NO : MR_UNKNOWN;
	if (rc)
		rc = mr_device_open_alone(name, false, &device, &facts->environment, err);
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
	/* The lowest bit means 4 bytes, and each further bit twice as many. */
	facts->fetch_add = (uint64_t)pci->fetch_add << 2;
	facts->swap = (uint64_t)pci->swap << 2;
	facts->compare_swap = (uint64_t)pci->compare_swap << 2;
	return 0;
}

/* Sets the maximum of a kind of objects, if the kernel does not report it, to that of the device. */
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

/* The counts are unknown without RDMA netlink in the kernel, or if the device was removed meanwhile. */
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
	for (size_t i = 0; i < MR_MLX5_COMMANDS; i++) {
		const struct mr_opt_u64 status = commands[i].last_status;
		struct command_row *row = &facts->commands[count];

		if (!commands[i].sent.known)
			continue;
		count++;
		row->command = commands[i];
		row->command.last_syndrome.known &= status.known && status.value;
		if (!status.known || !status.value)
			continue;
		snprintf(row->status_text, sizeof(row->status_text), "0x%" PRIx64,
			 status.value & 0xff);
		row->last_status = mr_mlx5_status_name(status.value) ?: row->status_text;
	}
	facts->command_list = LIST_OF(device_command_record, facts->commands, count);
}

/* Reads all facts about a device, and notes why it could not be opened.  Return: NULL where memory is short. */
static struct device_facts *device_facts_find(struct mr_host *host, const char *name,
					      const struct mr_environment *environment)
{
	struct device_facts *facts = calloc(1, sizeof(*facts));
	size_t ports;

	if (!facts)
		return NULL;
	facts->environment = *environment;
	mr_rdma_device_read(host, name, &facts->sysfs);
	mr_rdma_device_identify(host, &facts->sysfs);
	ports = mr_rdma_ports_read(host, name, facts->ports);
	facts->port_list = LIST_OF(device_port_record, facts->ports, ports);
	facts->has_node = mr_rdma_node_read(host, name, &facts->node);
	facts->node_opens = !facts->node.error;
	if (facts->node.mode.known)
		snprintf(facts->node_mode, sizeof(facts->node_mode), "%04o",
			 (unsigned int)facts->node.mode.value & 07777);
	facts->rc = query_one_device(name, facts, &facts->why);
	facts->has_environment = facts->environment.device[0];
	/* The kernel may have a device of the same name as a simulated one. */
	if (!facts->environment.simulated) {
		query_netlink(name, facts);
		read_commands(host, facts);
	}
	return facts;
}

/* A run of the view. */
struct device_job {
	const struct invocation *invocation;
	struct mr_host host;
	char **names; /* of devices that are shown */
	size_t count;
	bool out_of_memory;
	struct mr_environment environment;
	struct answer answer;
};

static void add_name(const char *name, void *data)
{
	struct device_job *job = data;
	char **names;

	for (size_t i = 0; i < job->count; i++)
		if (!strcmp(job->names[i], name))
			return;
	names = reallocarray(job->names, job->count + 1, sizeof(*names));
	if (names) {
		job->names = names;
		names[job->count] = strdup(name);
	}
	if (names && names[job->count])
		job->count++;
	else
		job->out_of_memory = true;
}

static void choose(struct device_job *job)
{
	const char *device = job->invocation->global->device;

	for (char *const *operand = job->invocation->operands; *operand; operand++)
		add_name(*operand, job);
	if (!job->count && device)
		add_name(device, job);
	else if (!job->count && mr_rdma_device_list(&job->host, add_name, job) == -ENOMEM)
		job->out_of_memory = true;
}

static void fail(struct device_job *job, const char *name, struct mr_error *why)
{
	if (name && why->kind != MR_ERROR_ABSENT)
		mr_wrap(why, "%s", name);
	job->answer.refusal.device = name;
	answer_fail(&job->answer, why, 0, 0, MR_VIA_LIBRARY);
}

/* Bytes of the names of the other devices. */
#define OTHERS_MAX 256

static void add_other(const char *name, void *data)
{
	mr_text_add(data, OTHERS_MAX, ", ", "%s", name);
}

static void fail_absent(struct device_job *job, const char *name)
{
	char others[OTHERS_MAX] = "";
	struct mr_error why;

	mr_rdma_device_list(&job->host, add_other, others);
	mr_device_fail_absent(name, 0, others, &why);
	/* If no device was named, none is missing: the machine cannot answer the request. */
	if (!name && why.kind == MR_ERROR_ABSENT)
		why.kind = MR_ERROR_HOST;
	fail(job, name, &why);
}

static int run_device(const struct invocation *invocation, struct mr_error *err)
{
	const struct output_style *style = &invocation->global->style;
	struct device_job job = { .invocation = invocation, .host = MR_THIS_HOST };
	struct device_facts **facts; /* of each name; NULL: there is no such device */
	uint64_t shown = 0;
	char device[64];
	int rc;

	mr_environment_init(&job.environment);
	rc = answer_init(&job.answer, invocation, NULL, &job.environment, 0, err);
	if (rc)
		return rc;
	/* A device has too many facts for a line of a table, unless columns are chosen. */
	job.answer.lines = !style->columns && !style->no_headings;
	job.answer.out.blocks = job.answer.lines;
	choose(&job);
	facts = calloc(job.count + 1, sizeof(*facts));
	job.out_of_memory |= !facts;
	for (size_t i = 0; !job.out_of_memory && i < job.count; i++) {
		if (!mr_rdma_device_find(&job.host, job.names[i], device, sizeof(device)))
			continue;
		facts[i] = device_facts_find(&job.host, job.names[i], &job.environment);
		job.out_of_memory = !facts[i];
	}
	/* If a single device is shown, the environment of the answer is that of the device. */
	if (facts && job.count == 1 && facts[0])
		job.environment = facts[0]->environment;
	answer_begin(&job.answer);
	if (job.out_of_memory)
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", NULL);
	else if (!job.count)
		fail_absent(&job, NULL);
	for (size_t i = 0; facts && i < job.count; i++) {
		if (!facts[i] && !rc)
			fail_absent(&job, job.names[i]);
		if (!facts[i])
			continue;
		if (facts[i]->rc)
			fail(&job, job.names[i], &facts[i]->why);
		answer_row(&job.answer, facts[i]);
		shown++;
		mr_nldev_pools_release(&facts[i]->pools);
		free(facts[i]);
	}
	free(facts);
	answer_end_rows(&job.answer);
	job.answer.lines = job.answer.out.blocks = false; /* the environment is in the blocks */
	rc = answer_close(&job.answer, rc, shown, err);
	while (job.count)
		free(job.names[--job.count]);
	free(job.names);
	return rc;
}

static int check_device(const struct invocation *invocation, struct mr_error *err)
{
	const char *device = invocation->global->device;

	if (!device || !invocation->operands[0])
		return 0;
	return mr_fail_usage(err, "name the devices either as operands ('%s') or by -d ('%s')",
			     invocation->operands[0], device);
}

const struct command stat_device = {
	STAT_VIEW(device),
	.record = &device_record,
	.columns = "name,provider,driver,firmware,numa_node,mr_used,max_mr",
	.metrics = device_metrics,
	.check = check_device,
	.run = run_device,
};
