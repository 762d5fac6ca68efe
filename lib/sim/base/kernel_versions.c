// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What older kernels answer differently: a row for each change, with the first of the simulated
 * kernels that has it, and where in its source it is.
 */
#include "lib/sim/base/kernel_versions.h"

const enum mr_sim_kernel sim_first_kernels[SIM_CHANGES] = {
	[SIM_EVER] = MR_SIM_KERNEL_6_1,
	[SIM_ACCESS_CAPS] = MR_SIM_KERNEL_6_12,  /* rdma/ib_verbs.h IB_ACCESS_SUPPORTED */
	[SIM_REREG_CHECK] = MR_SIM_KERNEL_6_12,  /* umem.c ib_umem_check_rereg() */
	[SIM_READ_PINS] = MR_SIM_KERNEL_6_12,    /* umem.c ib_umem_get(): before, FOLL_FORCE */
	[SIM_SHARED_FILES] = MR_SIM_KERNEL_6_12, /* mm/gup.c writable_file_mapping_allowed() */
	[SIM_DATA_DIRECT] = MR_SIM_KERNEL_6_12,  /* hw/mlx5/data_direct.c */
	[SIM_RXE_ACCESS] = MR_SIM_KERNEL_6_12,   /* rxe_verbs.h RXE_ACCESS_SUPPORTED_MR */
	[SIM_RXE_REREG] = MR_SIM_KERNEL_6_12,    /* rxe_verbs.c rxe_rereg_user_mr() */
	[SIM_RXE_ODP] = MR_SIM_KERNEL_7_2,       /* rxe_odp.c */
	[SIM_REG_MR] = MR_SIM_KERNEL_7_2,        /* uverbs_std_types_mr.c UVERBS_METHOD_REG_MR */
	[SIM_PORT_SPEED] = MR_SIM_KERNEL_7_2,    /* ..._device.c UVERBS_METHOD_QUERY_PORT_SPEED */
	[SIM_IOVA_END] = MR_SIM_KERNEL_7_2,   /* umem.c ib_umem_find_best_pgsz(); also in 6.1.192 */
	[SIM_UDATA] = MR_SIM_KERNEL_7_2,      /* ib_core_uverbs.c */
	[SIM_SMALL_KEYS] = MR_SIM_KERNEL_7_2, /* hw/mlx5/mr.c: before, MR_CACHE_LAST_STD_ENTRY */
};
