// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/sim/base/base.h"

static enum mr_sim_kernel kernel;

void sim_refuse_variable(const char *name, struct mr_error *err)
{
	for (char *c = err->text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	dprintf(STDERR_FILENO, "libmrctl-sim: %s: %s\n", name, err->text);
	_exit(2);
}

/*
 * An unknown name ends the program before main().  If the default kernel stood in for it, the user
 * would take the answers of one kernel for those of another.
 */
static void read_kernel(void) __attribute__((constructor));
static void read_kernel(void)
{
	const char *text = getenv(MR_SIM_KERNEL_VARIABLE);
	struct mr_error err;

	if (text && mr_sim_kernel_parse(text, &kernel, &err))
		sim_refuse_variable(MR_SIM_KERNEL_VARIABLE, &err);
}

enum mr_sim_kernel sim_wanted_kernel(void)
{
	return kernel;
}

enum mr_sim_profile sim_wanted_kind(void)
{
	const char *name = getenv(MR_SIM_VARIABLE);
	int kind = 0;

	while (kind < MR_SIM_PROFILES && !(name && !strcmp(mr_sim_profiles[kind].name, name)))
		kind++;
	return (enum mr_sim_profile)kind;
}

bool sim_is_requested(const char *variable)
{
	return getenv(variable);
}

uint32_t sim_wanted_limit(void)
{
	const char *text = getenv(MR_SIM_MAX_OBJECTS_VARIABLE);
	struct mr_error err;
	unsigned long limit;
	char *end;

	if (!text)
		return UINT32_MAX;
	errno = 0;
	limit = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && limit <= UINT32_MAX)
		return (uint32_t)limit;
	mr_fail_usage(&err, "not a number of objects: \"%s\"", text);
	sim_refuse_variable(MR_SIM_MAX_OBJECTS_VARIABLE, &err);
}

const enum mr_sim_kernel sim_first_kernels[SIM_CHANGES] = {
	/* no change: what every simulated kernel does */
	[SIM_ALWAYS] = MR_SIM_KERNEL_6_1,

	/* Flush flags are known.  To flags that a device lacks the answer is EOPNOTSUPP, before EINVAL:
	 * rdma/ib_verbs.h IB_ACCESS_SUPPORTED */
	[SIM_ACCESS_CAPS] = MR_SIM_KERNEL_6_12,

	/* rereg cannot add write access to pages that were pinned for reading:
	 * umem.c ib_umem_check_rereg() */
	[SIM_REREG_CHECK] = MR_SIM_KERNEL_6_12,

	/* Memory without write access is pinned for reading.  Before, it was pinned for writing with
	 * FOLL_FORCE: umem.c ib_umem_get() */
	[SIM_READ_PINS] = MR_SIM_KERNEL_6_12,

	/* Shared mappings of files with write-back cannot be pinned for writing:
	 * mm/gup.c writable_file_mapping_allowed() */
	[SIM_SHARED_FILES] = MR_SIM_KERNEL_6_12,

	/* mlx5 has Data Direct: hw/mlx5/data_direct.c */
	[SIM_DATA_DIRECT] = MR_SIM_KERNEL_6_12,

	/* rxe refuses access flags that it does not support: rxe_verbs.h RXE_ACCESS_SUPPORTED_MR */
	[SIM_RXE_ACCESS] = MR_SIM_KERNEL_6_12,

	/* rxe can change regions: rxe_verbs.c rxe_rereg_user_mr() */
	[SIM_RXE_REREG] = MR_SIM_KERNEL_6_12,

	/* The device may have memory for the headers of tunnels:
	 * rdma/mlx5_user_ioctl_verbs.h MLX5_IB_UAPI_DM_TYPE_ENCAP_SW_ICM */
	[SIM_DM_ENCAP] = MR_SIM_KERNEL_6_12,

	/* mlx5 refuses a change without translation for which it has to make an MR of on-demand paging or of a
	 * dma-buf anew.  Before, it took the range of the request for that of the MR:
	 * hw/mlx5/mr.c mlx5_ib_rereg_user_mr() */
	[SIM_REREG_REFUSED] = MR_SIM_KERNEL_6_12,

	/* rxe has on-demand paging: rxe_odp.c */
	[SIM_RXE_ODP] = MR_SIM_KERNEL_7_2,

	/* rxe has an array of the pages of a region, in one piece: rxe_mr.c __alloc_mr_page_info() */
	[SIM_RXE_PAGES] = MR_SIM_KERNEL_7_2,

	/* One method registers memory and dma-bufs alike:
	 * uverbs_std_types_mr.c UVERBS_METHOD_REG_MR */
	[SIM_REG_MR] = MR_SIM_KERNEL_7_2,

	/* A method answers the speed of a port:
	 * uverbs_std_types_device.c UVERBS_METHOD_QUERY_PORT_SPEED */
	[SIM_PORT_SPEED] = MR_SIM_KERNEL_7_2,

	/* A method exports the device's pages as a dma-buf: uverbs_std_types_dmabuf.c */
	[SIM_DMABUF_EXPORT] = MR_SIM_KERNEL_7_2,

	/* mlx5 has DMA handles, on devices with TPH: uverbs_std_types_dmah.c, hw/mlx5/dmah.c */
	[SIM_DMAH] = MR_SIM_KERNEL_7_2,

	/* mlx5 refuses an IOVA that wraps: umem.c ib_umem_find_best_pgsz(); also in 6.1.192 */
	[SIM_IOVA_END] = MR_SIM_KERNEL_7_2,

	/* Driver data may have any size, and must be zero after the part that the driver knows:
	 * ib_core_uverbs.c ib_respond_udata() and its like */
	[SIM_UDATA] = MR_SIM_KERNEL_7_2,

	/* mlx5 makes keys for fewer than four blocks, and for any number of pages:
	 * hw/mlx5/mr.c, before: MR_CACHE_LAST_STD_ENTRY */
	[SIM_SMALL_KEYS] = MR_SIM_KERNEL_7_2,

	/* The ring of a perf event is mapped like memory of a device; before, page faults mapped its pages:
	 * kernel/events/core.c map_range() */
	[SIM_MAPPED_RINGS] = MR_SIM_KERNEL_7_2,
};
