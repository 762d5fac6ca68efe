// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* In what the kernels differ that are simulated: one line for each fact. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/sim/base/abi.h"

/* The oldest of the kernels that each holds for. */
static const enum mr_sim_kernel oldest[SIM_FACTS] = {
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

static enum mr_sim_kernel wanted;

/* The text has the variable's value in it, which a terminal must not obey. */
void sim_refuse_variable(const char *name, struct mr_error *err)
{
	for (char *c = err->text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	dprintf(STDERR_FILENO, "libmrctl-sim: %s: %s\n", name, err->text);
	_exit(2);
}

/* Nobody shall take the answers of one kernel for those of another. */
static void read_wanted(void) __attribute__((constructor));
static void read_wanted(void)
{
	const char *text = getenv("MRCTL_SIM_KERNEL");
	struct mr_error err;

	if (!text || !mr_sim_kernel_parse(text, &wanted, &err))
		return;
	sim_refuse_variable("MRCTL_SIM_KERNEL", &err);
}

enum mr_sim_kernel sim_kernel(void)
{
	return wanted;
}

bool sim_holds(enum mr_sim_kernel kernel, enum sim_fact fact)
{
	return kernel <= oldest[fact]; /* the newest comes first */
}

bool sim_has_optional_access(void)
{
	return !getenv(SIM_NO_OPTIONAL_VARIABLE);
}
