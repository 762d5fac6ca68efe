/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_DEVICE_MEMORY_H
#define LIB_SIM_MEMORY_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/sim/memory/dmabuf.h"
#include "lib/sim/state/table.h"

/** Bytes that can be allocated at once. */
#define SIM_DM_MAX (128u << 10)

/** log2 of the page size of the HCA, which does not depend on that of the machine. */
#define SIM_DM_PAGE_SHIFT 12

/* Table arguments are locked.  Pages have numbers, from 0, in the memory of the device. */

/**
 * sim_dm_allocate() - find free pages, and have the table's file hold them
 * @length:    bytes
 * @alignment: log2 of bytes
 * @first:     set to the first page
 *
 * Return: 0, -EINVAL for a length or alignment that no device has, or -ENOMEM.
 */
int sim_dm_allocate(const struct sim_table *table, uint64_t length, uint32_t alignment,
		    uint64_t *first);

/** sim_dm_file_offset() - bytes from the start of the table's file to a page */
off_t sim_dm_file_offset(uint64_t page);

/**
 * sim_dm_find() - find the DM that begins with a page
 * @size: set to the bytes of its pages
 *
 * Return: the DM, or NULL.
 */
const struct sim_object *sim_dm_find(const struct sim_table *table, uint64_t page, uint64_t *size);

/** sim_dm_is_used() - whether an MR of a DM exists */
bool sim_dm_is_used(const struct sim_table *table, uint32_t dm_handle);

/**
 * sim_export_pages() - find the pages that an MR of an exported dma-buf keeps from being allocated
 * @pages: set as exported_pages of struct sim_object; to 0 if they are not of a DM of this context
 *
 * Return: 0, or -ENODEV if the object is gone that the dma-buf was exported from.
 */
int sim_export_pages(const struct sim_table *table, const struct sim_export *export,
		     uint32_t *pages);

/** sim_export_is_revoked() - whether an MR is of a dma-buf whose DM is gone */
bool sim_export_is_revoked(const struct sim_table *table, const struct sim_object *mr);

#endif
