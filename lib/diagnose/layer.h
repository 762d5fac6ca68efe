/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The layers that a call passes, each of which can refuse it. */
#ifndef LIB_DIAGNOSE_LAYER_H
#define LIB_DIAGNOSE_LAYER_H

/** Who refused. */
enum mr_layer {
	MR_LAYER_UNKNOWN,
	MR_LAYER_LIBIBVERBS,
	MR_LAYER_PROVIDER, /**< the part of rdma-core for one kind of device: libmlx5, ... */
	MR_LAYER_UVERBS,   /**< ib_uverbs and ib_core, which check what each driver would */
	MR_LAYER_MEMORY,   /**< the kernel's memory management, and limits on pinned memory */
	MR_LAYER_DMABUF,   /**< the exporter of a dma-buf */
	MR_LAYER_DRIVER,   /**< mlx5_ib, rdma_rxe, ... */
	MR_LAYER_FIRMWARE, /**< the device itself */
	MR_LAYERS,         /**< how many there are */
};

/** MR_IN_LAYER() - the bit of a layer: MR_IN_LAYER(MEMORY) | MR_IN_LAYER(DRIVER) */
#define MR_IN_LAYER(layer) (1U << MR_LAYER_##layer)

/** mr_layer_name() - "libibverbs", ...; NULL for MR_LAYER_UNKNOWN */
const char *mr_layer_name(enum mr_layer layer);

#endif
