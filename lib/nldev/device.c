// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/nldev/nldev.h"

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

static int take_system(const struct nlmsghdr *message, void *data)
{
	const struct nlattr *attribute;
	bool *copies = data;

	MR_EACH_ATTRIBUTE(attribute, message)
		if (mnl_attr_get_type(attribute) == RDMA_NLDEV_SYS_ATTR_COPY_ON_FORK)
			*copies = mr_attribute_number(attribute).value;
	return MNL_CB_OK;
}

int mr_nldev_copies_on_fork(struct mr_nldev *nl, bool *copies, struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_SYS_GET",
						    .command = RDMA_NLDEV_CMD_SYS_GET };

	*copies = false;
	return mr_nldev_query(nl, &question, take_system, copies, NULL, err);
}

/* ---- devices ---- */

static int take_device(const struct nlmsghdr *message, void *data)
{
	struct mr_nldev_devices *devices = data;
	struct mr_nldev_device device = { .index = 0 };
	const struct nlattr *attribute;
	struct mr_nldev_device *new;
	bool has_index = false;

	MR_EACH_ATTRIBUTE(attribute, message)
		if (mnl_attr_get_type(attribute) == RDMA_NLDEV_ATTR_DEV_INDEX)
			has_index = mr_attribute_u32(attribute, &device.index);
		else if (mnl_attr_get_type(attribute) == RDMA_NLDEV_ATTR_DEV_NAME)
			mr_attribute_text(attribute, device.name, sizeof(device.name));
	if (!has_index || !device.name[0])
		return MNL_CB_OK;
	new = append(&devices->list, &devices->count, sizeof(*new));
	if (!new)
		return MNL_CB_ERROR;
	*new = device;
	return MNL_CB_OK;
}

int mr_nldev_devices(struct mr_nldev *nl, struct mr_nldev_devices *devices, struct mr_error *err)
{
	const struct mr_nldev_question question = { .call = "RDMA_NLDEV_CMD_GET",
						    .command = RDMA_NLDEV_CMD_GET,
						    .dump = true };

	*devices = (struct mr_nldev_devices){ .count = 0 };
	return mr_nldev_query(nl, &question, take_device, devices, &devices->count, err);
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
	return mr_nldev_query(nl, &question, take_summary, summary, &summary->count, err);
}

struct mr_opt_u64 mr_nldev_summary_of(const struct mr_nldev_summary *summary, const char *kind)
{
	for (size_t i = 0; i < summary->count; i++)
		if (!strcmp(summary->kinds[i].kind, kind))
			return (struct mr_opt_u64){ summary->kinds[i].count, true };
	return (struct mr_opt_u64){ 0, false };
}

/* ---- FRMR pools ---- */

/* An attribute that is a number, and the member of a pool that it is for. */
static const struct pool_number {
	uint16_t attribute;
	size_t offset; /* of a struct mr_opt_u64 */
} pool_numbers[] = {
#define NUMBER(member, attribute)                                                                  \
	{                                                                                          \
		MR_NLDEV_ATTR_FRMR_POOL_##attribute,                                               \
			CHECKED_OFFSET(struct mr_nldev_pool, member, struct mr_opt_u64)            \
	}
	NUMBER(blocks, KEY_BLOCKS), NUMBER(access, KEY_ACCESS),        NUMBER(ats, KEY_ATS),
	NUMBER(vendor, KEY_VENDOR), NUMBER(kernel_vendor, KEY_KERNEL), NUMBER(free, QUEUE),
	NUMBER(in_use, IN_USE),     NUMBER(max_in_use, MAX_IN_USE),    NUMBER(pinned, PINNED),
};

/* The attributes of an entry, and those of its key, which is nested in it. */
static void take_pool_numbers(const struct nlattr *table, struct mr_nldev_pool *pool)
{
	const struct nlattr *attribute;

	MR_EACH_NESTED(attribute, table) {
		const uint16_t type = mnl_attr_get_type(attribute);

		if (type == MR_NLDEV_ATTR_FRMR_POOL_KEY)
			take_pool_numbers(attribute, pool);
		for (size_t i = 0; i < sizeof(pool_numbers) / sizeof(*pool_numbers); i++)
			if (pool_numbers[i].attribute == type)
				*(struct mr_opt_u64 *)((char *)pool + pool_numbers[i].offset) =
					mr_attribute_number(attribute);
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
	rc = mr_nldev_query(nl, &question, take_pools, pools, &pools->count, err);
	return rc == -ENODEV ? -EOPNOTSUPP : rc;
}

void mr_nldev_pools_release(struct mr_nldev_pools *pools)
{
	free(pools->list);
	*pools = (struct mr_nldev_pools){ .count = 0 };
}
