// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "lib/verbs/verbs.h"

/* Symbol versions are from rdma-core's .map files, releases from its debian/lib*.symbols. */
static const struct mr_symbol_origin symbols[MR_SYMBOLS] = {
	[MR_SYMBOL_REG_DMABUF_MR] = { "libmlx5.so.1", "mlx5dv_reg_dmabuf_mr", "MLX5_1.25", "54",
				      "--via kernel works without it" },
	[MR_SYMBOL_DATA_DIRECT_PATH] = { "libmlx5.so.1", "mlx5dv_get_data_direct_sysfs_path",
					 "MLX5_1.25", "54", NULL },
	[MR_SYMBOL_UMEM_EXPORT] = { "libmlx5.so.1", "mlx5dv_devx_umem_export", "MLX5_1.27", "63",
				    NULL },
	[MR_SYMBOL_UMEM_IMPORT] = { "libmlx5.so.1", "mlx5dv_devx_umem_import", "MLX5_1.27", "63",
				    NULL },
	[MR_SYMBOL_UMEM_UNIMPORT] = { "libmlx5.so.1", "mlx5dv_devx_umem_unimport", "MLX5_1.27",
				      "63", NULL },
	[MR_SYMBOL_EXPORT_SIZES] = { "libmlx5.so.1", "_mlx5dv_get_export_sizes", "MLX5_1.27", "63",
				     NULL },
	[MR_SYMBOL_REG_MR_EX] = { "libibverbs.so.1", "ibv_reg_mr_ex", "IBVERBS_1.15", "59",
				  "without --call, an older function is called" },
	[MR_SYMBOL_DM_EXPORT] = { "libibverbs.so.1", "ibv_dm_export_dmabuf_fd", "IBVERBS_1.16",
				  "62", NULL },
	[MR_SYMBOL_ALLOC_DMAH] = { "libibverbs.so.1", "ibv_alloc_dmah", "IBVERBS_1.15", "59",
				   "--via kernel works without it" },
	[MR_SYMBOL_DEALLOC_DMAH] = { "libibverbs.so.1", "ibv_dealloc_dmah", "IBVERBS_1.15", "59",
				     NULL },
};

const struct mr_symbol_origin *mr_symbol_origin(const char *name)
{
	for (size_t i = MR_SYMBOL_NONE + 1; i < MR_SYMBOLS; i++)
		if (!strcmp(symbols[i].name, name))
			return &symbols[i];
	return NULL;
}

const char *mr_symbol_name(enum mr_symbol symbol)
{
	return symbols[symbol].name;
}

void *mr_symbol_find(enum mr_symbol symbol, struct mr_error *err)
{
	/* Each function is looked up once: a command may register many regions. */
	static struct {
		bool looked;
		void *function;
	} found[MR_SYMBOLS];
	const struct mr_symbol_origin *s = &symbols[symbol];

	if (!found[symbol].looked) {
		/* The handle is not closed: the library of the function must stay loaded. */
		void *library = dlopen(s->library, RTLD_NOW);

		if (!library) {
			mr_fail(err, MR_ERROR_HOST, ELIBACC, "dlopen", "cannot load %s",
				s->library);
			return NULL;
		}
		found[symbol].function = dlvsym(library, s->name, s->version);
		found[symbol].looked = true;
	}
	if (found[symbol].function)
		return found[symbol].function;
	mr_fail(err, MR_ERROR_HOST, ENOSYS, s->name, "the installed %s lacks the function",
		s->library);
	return NULL;
}
