/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The tables of causes: a file for each layer or part of it. */
#ifndef LIB_DIAGNOSE_CAUSES_TABLES_H
#define LIB_DIAGNOSE_CAUSES_TABLES_H

#include "lib/diagnose/causes/cause.h"

extern const struct mr_cause mr_causes_of_opening[];         /**< finding and opening a device */
extern const struct mr_cause mr_causes_of_nodes[];           /**< opening the node of a device */
extern const struct mr_cause mr_causes_of_devx[];            /**< opening a device for DEVX */
extern const struct mr_cause mr_causes_of_preparing[];       /**< making memory and dma-bufs */
extern const struct mr_cause mr_causes_of_libraries[];       /**< libibverbs and providers */
extern const struct mr_cause mr_causes_of_fork_protection[]; /**< that of libibverbs */
extern const struct mr_cause mr_causes_of_uverbs[];          /**< rules of ib_uverbs and ib_core */
extern const struct mr_cause mr_causes_of_drivers[];         /**< what a driver cannot do */
extern const struct mr_cause mr_causes_of_odp[];             /**< on-demand paging */
extern const struct mr_cause mr_causes_of_advice[];          /**< advice about regions */
extern const struct mr_cause mr_causes_of_dmabufs[];         /**< dma-bufs and Data Direct */
extern const struct mr_cause mr_causes_of_exporters[];       /**< who made a dma-buf */
extern const struct mr_cause mr_causes_of_umems[];           /**< DEVX and its umems */
extern const struct mr_cause
	mr_causes_of_rereg[]; /**< changing regions, before the access is looked at */
extern const struct mr_cause mr_causes_of_changes[]; /**< what drivers can change of regions */
extern const struct mr_cause mr_causes_of_ranges[];  /**< address and length by themselves */
extern const struct mr_cause mr_causes_of_device_memory[];  /**< memory on the device */
extern const struct mr_cause mr_causes_of_dma_handles[];    /**< DMA handles */
extern const struct mr_cause mr_causes_of_sandboxes[];      /**< filters of system calls */
extern const struct mr_cause mr_causes_of_control_groups[]; /**< what control groups allow */
extern const struct mr_cause mr_causes_of_memlock[];        /**< the limit of locked memory */
extern const struct mr_cause mr_causes_of_limits[];         /**< memory that can be pinned at all */
extern const struct mr_cause
	mr_causes_of_mappings[]; /**< what stands behind a range of addresses */
extern const struct mr_cause
	mr_causes_of_gpu_memory[]; /**< memory of GPUs that a process has mapped */
extern const struct mr_cause mr_causes_of_huge_pages[]; /**< pages of hugetlb that cannot be had */
extern const struct mr_cause mr_causes_of_firmware[];   /**< answers of the device */
extern const struct mr_cause mr_causes_of_freeing[];    /**< what is in use still */

#endif
