// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Memory of the device, and who uses which of its pages.  An allocated piece (a DM) is in whole pages.
 * Each context has all of the memory for itself, since no table knows what the others use.  The pages
 * are part of the table's file: all processes that map a DM see the same memory.
 */
#include <errno.h>

#include <rdma/ib_user_ioctl_cmds.h>

#include "lib/sim/memory/device_memory.h"
#include "lib/sim/state/objects.h"

#define PAGES           (SIM_DM_SIZE >> SIM_DM_PAGE_SHIFT)
#define UNIT            64u /* MLX5_MEMIC_BASE_SIZE: lengths are rounded up to it */
#define LEAST_ALIGNMENT 6u  /* MLX5_MEMIC_BASE_ALIGN */
#define MOST_ALIGNMENT  12u

/* The result has 32 bits, as in the driver: it wraps for lengths that are much too large. */
static uint32_t pages_of(uint64_t length)
{
	return (uint32_t)((length + (1u << SIM_DM_PAGE_SHIFT) - 1) >> SIM_DM_PAGE_SHIFT);
}

/* A bit for each of @count pages from @first on. */
static uint64_t mask_of(uint64_t first, uint64_t count)
{
	return (count == PAGES ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

/*
 * mlx5_ib_dm_mmap_free(): pages of a freed DM stay used while an MR is on a dma-buf of them, or a program
 * has them mapped.  Mappings are not known here.
 */
static uint64_t used_pages(const struct sim_table *table)
{
	uint64_t used = 0;
	const struct sim_object *object;

	for (object = sim_object_newest(table); object; object = sim_object_older(table, object)) {
		if (object->type == UVERBS_OBJECT_DM)
			used |= mask_of(object->addr, pages_of(object->length));
		else if (object->type == UVERBS_OBJECT_MR && object->flags & SIM_MR_DM_EXPORT)
			used |= mask_of(object->exported_pages >> 16,
					object->exported_pages & 0xffff);
	}
	return used;
}

/* mlx5_cmd_alloc_memic(): the driver looks for free pages first, and then the firmware checks the length */
static int find_pages(const struct sim_table *table, uint64_t length, uint32_t alignment,
		      uint64_t *first)
{
	const uint64_t bytes = (length + UNIT - 1) / UNIT * UNIT, used = used_pages(table);
	const uint32_t pages = pages_of(bytes), room = pages ? pages : 1;

	if (!bytes || (alignment > LEAST_ALIGNMENT && alignment > MOST_ALIGNMENT))
		return -EINVAL;
	/* where the length wrapped to no pages, bitmap_find_next_zero_area() needs one that is free */
	for (*first = 0; room <= PAGES && *first <= PAGES - room; ++*first) {
		if (used & mask_of(*first, room))
			continue;
		return pages && (uint32_t)bytes <= SIM_DM_MAX ? 0 : -EINVAL;
	}
	return -ENOMEM;
}

int sim_dm_allocate(const struct sim_table *table, uint64_t length, uint32_t alignment,
		    uint64_t *first)
{
	int rc;

	rc = find_pages(table, length, alignment, first);
	/* on first touch, a machine without memory would raise SIGBUS rather than answer ENOMEM */
	return rc ? rc
		  : sim_table_allocate(table->fd, sim_dm_file_offset(*first),
				       pages_of(length) << SIM_DM_PAGE_SHIFT);
}

off_t sim_dm_file_offset(uint64_t first)
{
	return (off_t)(SIM_DM_START + (first << SIM_DM_PAGE_SHIFT));
}

const struct sim_object *sim_dm_find(const struct sim_table *table, uint64_t page, uint64_t *size)
{
	const struct sim_object *dm;

	for (dm = sim_object_newest(table); dm; dm = sim_object_older(table, dm)) {
		if (dm->type != UVERBS_OBJECT_DM || dm->addr != page)
			continue;
		*size = pages_of(dm->length) << SIM_DM_PAGE_SHIFT;
		return dm;
	}
	return NULL;
}

/*
 * uverbs_dmabuf_map(): a dma-buf is revoked when the object is gone that it was exported from.  Those of
 * other contexts count as valid, since their tables are not known here.
 */
int sim_export_pages(const struct sim_table *table, const struct sim_export *export,
		     uint32_t *pages)
{
	const struct sim_object *object;

	*pages = 0;
	if (export->table != table->header->id)
		return 0;
	for (object = sim_object_newest(table); object; object = sim_object_older(table, object)) {
		if (object->iova != export->id || object->type == UVERBS_OBJECT_MR)
			continue;
		if (object->type == UVERBS_OBJECT_DM)
			*pages = (uint32_t)(object->addr << 16 | pages_of(object->length));
		return 0;
	}
	return -ENODEV;
}

bool sim_export_is_revoked(const struct sim_table *table, const struct sim_object *mr)
{
	uint64_t size;

	return mr->flags & SIM_MR_DM_EXPORT && !sim_dm_find(table, mr->exported_pages >> 16, &size);
}

bool sim_dm_is_used(const struct sim_table *table, uint32_t dm_handle)
{
	const struct sim_object *mr;

	for (mr = sim_object_newest(table); mr; mr = sim_object_older(table, mr))
		if (mr->type == UVERBS_OBJECT_MR && mr->flags & SIM_MR_DM && mr->dm == dm_handle)
			return true;
	return false;
}
