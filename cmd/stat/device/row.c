// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/device/row.h"
#include "lib/host/host.h"

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
