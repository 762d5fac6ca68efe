// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/nldev/nldev.h"

/* An attribute that is a number, and the member of a struct that it is for; the last row has no attribute. */
struct number_row {
	uint16_t attribute;
	size_t offset; /* of a struct mr_opt_u64 */
};

#define NUMBER(structure, member, attribute)                                                       \
	{                                                                                          \
		(attribute), CHECKED_OFFSET(structure, member, struct mr_opt_u64)                  \
	}

/* Set the member that the attribute is for, if any. */
static void take_number(const struct number_row *rows, const struct nlattr *attribute,
			void *structure)
{
	for (const struct number_row *row = rows; row->attribute; row++)
		if (row->attribute == mnl_attr_get_type(attribute))
			*(struct mr_opt_u64 *)((char *)structure + row->offset) =
				mr_attribute_number(attribute);
}

/* A list that grows by one zeroed element of @size bytes.  Return: the element, or NULL with errno. */
static void *append(void *list_of, size_t *count, size_t size)
{
	char **list = list_of, *grown = reallocarray(*list, *count + 1, size);

	if (!grown)
		return NULL;
	*list = grown;
	return memset(grown + (*count)++ * size, 0, size);
}

/* ---- the system ---- */

static const struct number_row system_numbers[] = {
	NUMBER(struct mr_nldev_system, netns_shared, RDMA_NLDEV_SYS_ATTR_NETNS_MODE),
	NUMBER(struct mr_nldev_system, copy_on_fork, RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK),
	NUMBER(struct mr_nldev_system, privileged_qkey, MR_NLDEV_SYS_ATTR_PRIVILEGED_QKEY_MODE),
	{ 0, 0 },
};

static int take_system(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *attribute;

	MR_EACH_ATTRIBUTE(attribute, message)
		take_number(system_numbers, attribute, data);
	return MNL_CB_OK;
}

int mr_nldev_system(struct mr_nldev *nl, struct mr_nldev_system *system, struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_SYS_GET",
						    .command = RDMA_NLDEV_CMD_SYS_GET };

	*system = (struct mr_nldev_system){ .netns_shared.known = false };
	return mr_nldev_query(nl, &question, take_system, NULL, system, err);
}

/* ---- devices ---- */

static const struct number_row device_numbers[] = {
	NUMBER(struct mr_nldev_device, node_guid, RDMA_NLDEV_ATTR_NODE_GUID),
	NUMBER(struct mr_nldev_device, system_guid, RDMA_NLDEV_ATTR_SYS_IMAGE_GUID),
	NUMBER(struct mr_nldev_device, capabilities, RDMA_NLDEV_ATTR_CAP_FLAGS),
	NUMBER(struct mr_nldev_device, node_type, RDMA_NLDEV_ATTR_DEV_NODE_TYPE),
	NUMBER(struct mr_nldev_device, ports, RDMA_NLDEV_ATTR_PORT_INDEX),
	NUMBER(struct mr_nldev_device, adaptive_moderation, RDMA_NLDEV_ATTR_DEV_DIM),
	{ 0, 0 },
};

static int take_device(const struct nlmsghdr *message, void *data)
{
	struct mr_nldev_devices *devices = data;
	struct mr_nldev_device device = { .index = 0 };
	const struct nlattr *attribute;
	struct mr_nldev_device *new;
	bool has_index = false;

	MR_EACH_ATTRIBUTE(attribute, message) {
		take_number(device_numbers, attribute, &device);
		switch (mnl_attr_get_type(attribute)) {
		case RDMA_NLDEV_ATTR_DEV_INDEX:
			has_index = mr_attribute_u32(attribute, &device.index);
			break;
		case RDMA_NLDEV_ATTR_DEV_NAME:
			mr_attribute_text(attribute, device.name, sizeof(device.name));
			break;
		case RDMA_NLDEV_ATTR_FW_VERSION:
			mr_attribute_text(attribute, device.firmware, sizeof(device.firmware));
			break;
		case RDMA_NLDEV_ATTR_DEV_PROTOCOL:
			mr_attribute_text(attribute, device.protocol, sizeof(device.protocol));
			break;
		}
	}
	if (!has_index || !device.name[0])
		return MNL_CB_OK;
	new = append(&devices->list, &devices->count, sizeof(*new));
	if (!new)
		return MNL_CB_ERROR;
	*new = device;
	return MNL_CB_OK;
}

static void forget_devices(void *data)
{
	mr_nldev_devices_release(data);
}

int mr_nldev_devices(struct mr_nldev *nl, struct mr_nldev_devices *devices, struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_GET",
						    .command = RDMA_NLDEV_CMD_GET,
						    .dump = true };

	*devices = (struct mr_nldev_devices){ .count = 0 };
	return mr_nldev_query(nl, &question, take_device, forget_devices, devices, err);
}

void mr_nldev_devices_release(struct mr_nldev_devices *devices)
{
	free(devices->list);
	*devices = (struct mr_nldev_devices){ .count = 0 };
}

const struct mr_nldev_device *mr_nldev_device_by_name(const struct mr_nldev_devices *devices,
						      const char *name)
{
	for (size_t i = 0; i < devices->count; i++)
		if (!strcmp(devices->list[i].name, name))
			return &devices->list[i];
	return NULL;
}

int mr_nldev_open_device(struct mr_nldev *nl, const char *name, uint32_t *index,
			 struct mr_error *err)
{
	struct mr_nldev_devices devices = { .count = 0 };
	const struct mr_nldev_device *device;
	int rc = mr_nldev_open(nl, err);

	if (rc)
		return rc;
	rc = mr_nldev_devices(nl, &devices, err);
	device = mr_nldev_device_by_name(&devices, name);
	if (device)
		*index = device->index;
	else if (!rc)
		rc = mr_fail_text(err, MR_ERROR_ABSENT, ENODEV,
				  "the kernel has no RDMA device '%s'", name);
	mr_nldev_devices_release(&devices);
	if (rc)
		mr_nldev_close(nl);
	return rc;
}

/* ---- summary ---- */

static void take_count(const struct nlattr *entry, struct mr_nldev_summary *summary)
{
	struct mr_nldev_count count = { .kind = "" };
	struct mr_opt_u64 current = { .known = false };
	const struct nlattr *attribute;

	MR_EACH_NESTED(attribute, entry)
		switch (mnl_attr_get_type(attribute)) {
		case RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_NAME:
			mr_attribute_text(attribute, count.kind, sizeof(count.kind));
			break;
		case RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY_CURR:
			current = mr_attribute_number(attribute);
			break;
		case MR_NLDEV_ATTR_RES_SUMMARY_ENTRY_MAX:
			count.max = mr_attribute_number(attribute);
			break;
		}
	if (!current.known || !count.kind[0] || summary->count == MR_NLDEV_KINDS)
		return;
	count.count = current.value;
	summary->kinds[summary->count++] = count;
}

static int take_summary(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *table, *entry;

	MR_EACH_ATTRIBUTE(table, message)
		if (mnl_attr_get_type(table) == RDMA_NLDEV_ATTR_RES_SUMMARY)
			MR_EACH_NESTED(entry, table)
				if (mnl_attr_get_type(entry) == RDMA_NLDEV_ATTR_RES_SUMMARY_ENTRY)
					take_count(entry, data);
	return MNL_CB_OK;
}

int mr_nldev_summary(struct mr_nldev *nl, uint32_t device, struct mr_nldev_summary *summary,
		     struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_RES_GET",
						    .command = RDMA_NLDEV_CMD_RES_GET,
						    .has_device = true,
						    .device = device };

	*summary = (struct mr_nldev_summary){ .count = 0 };
	return mr_nldev_query(nl, &question, take_summary, NULL, summary, err);
}

struct mr_opt_u64 mr_nldev_summary_of(const struct mr_nldev_summary *summary, const char *kind)
{
	for (size_t i = 0; i < summary->count; i++)
		if (!strcmp(summary->kinds[i].kind, kind))
			return (struct mr_opt_u64){ summary->kinds[i].count, true };
	return (struct mr_opt_u64){ 0, false };
}

/* ---- FRMR pools ---- */

static const struct number_row pool_numbers[] = {
	NUMBER(struct mr_nldev_pool, blocks, MR_NLDEV_ATTR_FRMR_POOL_KEY_BLOCKS),
	NUMBER(struct mr_nldev_pool, access, MR_NLDEV_ATTR_FRMR_POOL_KEY_ACCESS),
	NUMBER(struct mr_nldev_pool, ats, MR_NLDEV_ATTR_FRMR_POOL_KEY_ATS),
	NUMBER(struct mr_nldev_pool, vendor, MR_NLDEV_ATTR_FRMR_POOL_KEY_VENDOR),
	NUMBER(struct mr_nldev_pool, kernel_vendor, MR_NLDEV_ATTR_FRMR_POOL_KEY_KERNEL),
	NUMBER(struct mr_nldev_pool, free, MR_NLDEV_ATTR_FRMR_POOL_QUEUE),
	NUMBER(struct mr_nldev_pool, in_use, MR_NLDEV_ATTR_FRMR_POOL_IN_USE),
	NUMBER(struct mr_nldev_pool, max_in_use, MR_NLDEV_ATTR_FRMR_POOL_MAX_IN_USE),
	NUMBER(struct mr_nldev_pool, pinned, MR_NLDEV_ATTR_FRMR_POOL_PINNED),
	{ 0, 0 },
};

/* The attributes of an entry, and those of its key, which is nested in it. */
static void take_pool_numbers(const struct nlattr *table, struct mr_nldev_pool *pool)
{
	const struct nlattr *attribute, *part;

	MR_EACH_NESTED(attribute, table) {
		take_number(pool_numbers, attribute, pool);
		if (mnl_attr_get_type(attribute) == MR_NLDEV_ATTR_FRMR_POOL_KEY)
			MR_EACH_NESTED(part, attribute)
				take_number(pool_numbers, part, pool);
	}
}

static int take_pools(const struct nlmsghdr *message, void *data)
{
	struct mr_nldev_pools *pools = data;
	const struct nlattr *table, *entry;
	struct mr_nldev_pool *pool;

	MR_EACH_ATTRIBUTE(table, message) {
		if (mnl_attr_get_type(table) != MR_NLDEV_ATTR_FRMR_POOLS)
			continue;
		MR_EACH_NESTED(entry, table) {
			if (mnl_attr_get_type(entry) != MR_NLDEV_ATTR_FRMR_POOL_ENTRY)
				continue;
			pool = append(&pools->list, &pools->count, sizeof(*pool));
			if (!pool)
				return MNL_CB_ERROR;
			take_pool_numbers(entry, pool);
		}
	}
	return MNL_CB_OK;
}

static void forget_pools(void *data)
{
	mr_nldev_pools_release(data);
}

int mr_nldev_pools(struct mr_nldev *nl, uint32_t device, struct mr_nldev_pools *pools,
		   struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_FRMR_POOLS_GET",
						    .command = MR_NLDEV_CMD_FRMR_POOLS_GET,
						    .dump = true,
						    .has_device = true,
						    .device = device };
	int rc;

	*pools = (struct mr_nldev_pools){ .count = 0 };
	rc = mr_nldev_query(nl, &question, take_pools, forget_pools, pools, err);
	return rc == -ENODEV ? -EOPNOTSUPP : rc;
}

void mr_nldev_pools_release(struct mr_nldev_pools *pools)
{
	free(pools->list);
	*pools = (struct mr_nldev_pools){ .count = 0 };
}
