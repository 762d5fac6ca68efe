/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_MEMORY_DEVICE_MEMORY_H
#define LIB_SIM_MEMORY_DEVICE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/sim/memory/dmabuf.h"
#include "lib/sim/state/table.h"

/** The most bytes that can be allocated at once. */
#define SIM_DM_MAX (128u << 10)

/** The HCA's own page size, whatever that of the machine is. */
#define SIM_DM_PAGE_SHIFT 12

/* The table is locked for all of these. */

/**
 * sim_dm_allocate() - find free pages, and have the table's file hold them
 * @length:    bytes
 * @alignment: as a shift
 * @first:     set to the first page
 *
 * Return: 0, -EINVAL, or -ENOMEM.
 */
int sim_dm_allocate(const struct sim_table *table, uint64_t length, uint32_t alignment,
		    uint64_t *first);

/** sim_dm_file_offset() - where a page is in the table's file */
off_t sim_dm_file_offset(uint64_t page);

/**
 * sim_dm_find() - the DM that begins with a page, or NULL
 * @size: set to the bytes of its pages
 */
const struct sim_object *sim_dm_find(const struct sim_table *table, uint64_t page, uint64_t *size);

/** sim_dm_is_used() - whether an MR is on a DM */
bool sim_dm_is_used(const struct sim_table *table, uint32_t dm_handle);

/**
 * sim_export_pages() - which pages an MR keeps that is made on a dma-buf of the device's pages
 * @pages: set as in sim_object.exported_pages, or to 0 where they are not of a DM of this context
 *
 * Return: 0, or -ENODEV if what the dma-buf is of is gone.
 */
int sim_export_pages(const struct sim_table *table, const struct sim_export *export,
		     uint32_t *pages);

/** sim_export_is_revoked() - whether the DM is gone whose dma-buf an MR is on */
bool sim_export_is_revoked(const struct sim_table *table, const struct sim_object *mr);

#endif
