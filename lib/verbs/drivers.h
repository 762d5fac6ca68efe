/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What is known of the kernel's RDMA drivers, and of their providers in rdma-core. */
#ifndef LIB_VERBS_DRIVERS_H
#define LIB_VERBS_DRIVERS_H

#include <stdbool.h>
#include <stdint.h>

/** A driver. */
struct mr_driver {
	const char *provider; /**< its name in user space: "mlx5"; of an unknown driver "" */
	uint32_t id;          /**< enum rdma_driver_id */
	uint16_t reg_in;     /**< bytes of its own input to REG_MR; zeros mean an ordinary region */
	uint16_t reg_out;    /**< bytes of its own answer to REG_MR */
	bool imports;        /**< its provider has ibv_import_device(3) */
	bool blocks_removal; /**< removing a device waits until nobody has it open */
	bool lacks_dmabufs;  /**< neither its provider nor the driver registers dma-bufs */
	bool lacks_rereg;    /**< its provider has no ibv_rereg_mr(3) */
	bool orders_strictly; /**< its devices cannot write in relaxed order: they have no PCI bus */
};

/** mr_driver_find() - the driver of an enum rdma_driver_id; never NULL */
const struct mr_driver *mr_driver_find(uint32_t id);

/**
 * mr_driver_id() - the kernel's number of a driver
 * @provider: its user-space name ("mlx5")
 *
 * Return: enum rdma_driver_id, 0 (RDMA_DRIVER_UNKNOWN) for a name that is not known.
 */
uint32_t mr_driver_id(const char *provider);

/**
 * mr_driver_is_known() - whether a driver is in the table
 *
 * Whether another driver needs input of its own to REG_MR is not known: registering is tried without.
 */
bool mr_driver_is_known(uint32_t id);

/** mr_driver_imports() - false where the provider is known to have no ibv_import_device(3) */
bool mr_driver_imports(uint32_t id);

/** mr_driver_blocks_removal() - whether removing a device waits until nobody has it open */
bool mr_driver_blocks_removal(uint32_t id);

#endif
