// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/verbs/capabilities.h"
#include "lib/verbs/features.h"
#include "lib/verbs/uverbs.h"

/* Types of objects that are newer than the headers of Linux 6.1 (rdma/ib_user_ioctl_cmds.h). */
#define OBJECT_DMAH   17
#define OBJECT_DMABUF 18

const struct mr_word mr_reg_mr_ex_words[MR_REG_MR_EX_ANSWERS + 1] = {
	[MR_REG_MR_EX_ABSENT] = MR_WORD("absent", "the library does not have it"),
	[MR_REG_MR_EX_REFUSED] = MR_WORD("refused", "the provider does not offer it"),
	[MR_REG_MR_EX_EMULATED] = MR_WORD("emulated", "libibverbs calls an older function"),
	[MR_REG_MR_EX_PROVIDER] = MR_WORD("provider", "the provider has it"),
};

/*
 * The library passes descriptor -1 on, and the kernel looks for the dma-buf last, so EBADF means that all else
 * is right (mlx5_ib mr.c mlx5_ib_reg_user_mr_dmabuf()).
 */
static enum mr_tristate try_dmabuf(struct mr_device *device)
{
	struct mr_error ignored;
	struct ibv_mr *mr;

	if (!device->pd && mr_device_alloc_pd(device, &ignored))
		return MR_UNKNOWN;
	errno = 0;
	mr = ibv_reg_dmabuf_mr(device->pd, 0, 4096, 0, -1, IBV_ACCESS_LOCAL_WRITE);
	if (mr) { /* of a dma-buf that does not exist: the answer means nothing */
		ibv_dereg_mr(mr);
		return MR_UNKNOWN;
	}
	switch (errno) {
	case EBADF:
		return MR_YES;
	case EOPNOTSUPP:      /* provider or driver, or the kernel's configuration */
	case EPROTONOSUPPORT: /* the kernel is older than the method (Linux 5.12) */
		return MR_NO;
	default:
		return MR_UNKNOWN;
	}
}

/*
 * mlx5_ib refuses a real dma-buf where the device has no on-demand paging, but answers EBADF to descriptor -1
 * before that.  Seen on Linux 7.2: tests/cli/probe/sid-mlx5_0-no-odp.
 */
static bool needs_odp_for_dmabuf(const struct mr_environment *environment,
				 const struct mr_attributes *attributes)
{
	return !strcmp(environment->provider, "mlx5") && attributes &&
	       !(attributes->odp.general & IBV_ODP_SUPPORT);
}

static enum mr_tristate find_data_direct(const struct mr_uverbs *uverbs, char *path, size_t size)
{
	static const char root[] = "/sys"; /* the kernel returns the path below it */
	const size_t used = sizeof(root) - 1;
	struct mr_error err;
	int rc;

	memset(path, 0, size);
	rc = mr_uverbs_data_direct_path(uverbs, path + used, size - used - 1, &err);
	if (rc) {
		path[0] = '\0';
		return rc == -ENODEV || rc == -EOPNOTSUPP || rc == -EPROTONOSUPPORT ? MR_NO
		       : rc == -ENOSPC                                              ? MR_YES
										    : MR_UNKNOWN;
	}
	memcpy(path, root, used);
	return MR_YES;
}

/* Whether the kernel has a type of objects for this driver: one that a driver has no functions for is removed. */
static enum mr_tristate has_object(const struct mr_uverbs *uverbs, uint16_t object)
{
	mr_auto_free uint32_t *handles = malloc(MR_UVERBS_INFO_MAX * sizeof(*handles));
	struct mr_error ignored;
	uint32_t count;
	int rc = handles ? mr_uverbs_list(uverbs, object, handles, &count, &ignored) : -ENOMEM;

	return !rc ? MR_YES : rc == -ENOENT ? MR_NO : MR_UNKNOWN;
}

enum mr_tristate mr_has_dma_handles(const struct mr_uverbs *uverbs)
{
	return has_object(uverbs, OBJECT_DMAH);
}

/* What must be there to export memory of the device.  That it works then only a trial can tell. */
static enum mr_tristate can_export_dm(const struct mr_features *features,
				      const struct mr_attributes *attributes,
				      const struct mr_uverbs *uverbs)
{
	if (!features->has_symbol[MR_SYMBOL_DM_EXPORT] || (attributes && !attributes->max_dm_size))
		return MR_NO;
	return has_object(uverbs, OBJECT_DMABUF) == MR_NO ? MR_NO : MR_UNKNOWN;
}

/* Of the providers of rdma-core 59 to 65 only mlx5 has the operation. */
static enum mr_reg_mr_ex find_reg_mr_ex(const struct mr_environment *environment, bool has_symbol)
{
	const unsigned long release = strtoul(environment->rdma_core, NULL, 10);

	if (!has_symbol)
		return MR_REG_MR_EX_ABSENT;
	if (!strcmp(environment->provider, "mlx5"))
		return MR_REG_MR_EX_PROVIDER;
	if (!release)
		return MR_REG_MR_EX_UNKNOWN;
	return release < 64 ? MR_REG_MR_EX_REFUSED : MR_REG_MR_EX_EMULATED;
}

void mr_features_find(struct mr_device *device, const struct mr_environment *environment,
		      const struct mr_attributes *attributes, bool devx,
		      struct mr_features *features)
{
	uint32_t pd_handle, operations;
	const struct mr_uverbs uverbs = mr_device_uverbs(device, environment, &pd_handle);
	struct mr_error ignored;

	*features = (struct mr_features){ .devx = devx ? MR_YES : MR_NO };
	for (enum mr_symbol symbol = MR_SYMBOL_NONE + 1; symbol < MR_SYMBOLS; symbol++)
		features->has_symbol[symbol] = mr_symbol_find(symbol, &ignored) != NULL;
	features->optional_access = mr_has_optional_access(&uverbs);
	features->relaxed_ordering = mr_orders_relaxed(&uverbs);
	features->dmabuf = try_dmabuf(device);
	if (features->dmabuf == MR_YES && needs_odp_for_dmabuf(environment, attributes))
		features->dmabuf = MR_NO;
	features->data_direct = find_data_direct(&uverbs, features->data_direct_path,
						 sizeof(features->data_direct_path));
	features->dma_handles = mr_has_dma_handles(&uverbs);
	features->dm_dmabuf = can_export_dm(features, attributes, &uverbs);
	features->reg_mr_ex =
		find_reg_mr_ex(environment, features->has_symbol[MR_SYMBOL_REG_MR_EX]);
	features->dc_odp.known = mr_dc_odp_caps(&uverbs, &operations);
	features->dc_odp.value = operations;
}
