// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/irdma-abi.h>
#include <rdma/mthca-abi.h>
#include <rdma/siw-abi.h>
#include <stddef.h>
#include <string.h>

#include "lib/verbs/drivers.h"

/*
 * imports: only mlx5's table of operations has import_context (rdma-core 44 to 65).
 * lacks_dmabufs: up to rdma-core 65 its table has no reg_dmabuf_mr, and up to Linux 7.2 the driver's
 * ib_device_ops no reg_user_mr_dmabuf.  lacks_rereg: the table has no rereg_mr.
 * blocks_removal: the driver has no ib_device_ops.disassociate_ucontext.
 */
static const struct mr_driver drivers[] = {
	{ .provider = "mlx5", .id = RDMA_DRIVER_MLX5, .imports = true },
	{ .provider = "mlx4", .id = RDMA_DRIVER_MLX4, .lacks_dmabufs = true },
	{ .provider = "mthca",
	  .id = RDMA_DRIVER_MTHCA,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .reg_in = sizeof(struct mthca_reg_mr) },
	{ .provider = "bnxt_re", .id = RDMA_DRIVER_BNXT_RE, .lacks_rereg = true },
	{ .provider = "cxgb4",
	  .id = RDMA_DRIVER_CXGB4,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .blocks_removal = true },
	{ .provider = "ocrdma",
	  .id = RDMA_DRIVER_OCRDMA,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true },
	{ .provider = "irdma",
	  .id = RDMA_DRIVER_IRDMA,
	  .reg_in = sizeof(struct irdma_mem_reg_req) },
	{ .provider = "vmw_pvrdma",
	  .id = RDMA_DRIVER_VMW_PVRDMA,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true },
	{ .provider = "qedr",
	  .id = RDMA_DRIVER_QEDR,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .blocks_removal = true },
	{ .provider = "hns", .id = RDMA_DRIVER_HNS, .lacks_dmabufs = true },
	{ .provider = "rxe",
	  .id = RDMA_DRIVER_RXE,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .blocks_removal = true,
	  .orders_strictly = true },
	{ .provider = "hfi1verbs",
	  .id = RDMA_DRIVER_HFI1,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true },
	{ .provider = "efa", .id = RDMA_DRIVER_EFA, .lacks_rereg = true, .blocks_removal = true },
	{ .provider = "siw",
	  .id = RDMA_DRIVER_SIW,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true,
	  .reg_in = sizeof(struct siw_ureq_reg_mr),
	  .reg_out = sizeof(struct siw_uresp_reg_mr),
	  .blocks_removal = true,
	  .orders_strictly = true },
	{ .provider = "erdma",
	  .id = RDMA_DRIVER_ERDMA,
	  .lacks_dmabufs = true,
	  .lacks_rereg = true },
};

const struct mr_driver *mr_driver_find(uint32_t id)
{
	/* Its provider may be able to import, so importing is tried. */
	static const struct mr_driver unknown = { .provider = "", .imports = true };

	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (drivers[i].id == id)
			return &drivers[i];
	return &unknown;
}

uint32_t mr_driver_id(const char *provider)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++)
		if (!strcmp(drivers[i].provider, provider))
			return drivers[i].id;
	return RDMA_DRIVER_UNKNOWN;
}

bool mr_driver_is_known(uint32_t id)
{
	return mr_driver_find(id)->provider[0];
}

bool mr_driver_imports(uint32_t id)
{
	return mr_driver_find(id)->imports;
}

bool mr_driver_blocks_removal(uint32_t id)
{
	return mr_driver_find(id)->blocks_removal;
}
