// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

#include "lib/verbs/symbols.h"

/* The versions stand in the .map files of rdma-core, the releases in debian/libmlx5.symbols &c. */
static const struct function {
	const char *library;
	const char *name;
	const char *version;
	const char *release;
	const char *instead; /* what serves without it */
} functions[] = {
	[MR_NEWER_REG_DMABUF_MR] = { "libmlx5.so.1", "mlx5dv_reg_dmabuf_mr", "MLX5_1.25", "54",
				     "--via kernel does without" },
	[MR_NEWER_DATA_DIRECT_PATH] = { "libmlx5.so.1", "mlx5dv_get_data_direct_sysfs_path",
					"MLX5_1.25", "54", NULL },
	[MR_NEWER_UMEM_EXPORT] = { "libmlx5.so.1", "mlx5dv_devx_umem_export", "MLX5_1.27", "63",
				   NULL },
	[MR_NEWER_UMEM_IMPORT] = { "libmlx5.so.1", "mlx5dv_devx_umem_import", "MLX5_1.27", "63",
				   NULL },
	[MR_NEWER_UMEM_UNIMPORT] = { "libmlx5.so.1", "mlx5dv_devx_umem_unimport", "MLX5_1.27", "63",
				     NULL },
	[MR_NEWER_EXPORT_SIZES] = { "libmlx5.so.1", "_mlx5dv_get_export_sizes", "MLX5_1.27", "63",
				    NULL },
	[MR_NEWER_REG_MR_EX] = { "libibverbs.so.1", "ibv_reg_mr_ex", "IBVERBS_1.15", "59",
				 "without --call an older function does the same" },
	[MR_NEWER_DM_EXPORT] = { "libibverbs.so.1", "ibv_dm_export_dmabuf_fd", "IBVERBS_1.16", "62",
				 NULL },
};

/* libibverbs loads providers for itself only.  It stays loaded: the handle is not closed. */
static void *look_up(const struct function *f)
{
	void *library = dlopen(f->library, RTLD_NOW);

	return library ? dlvsym(library, f->name, f->version) : NULL;
}

void *mr_newer_find(enum mr_newer function, struct mr_error *err)
{
	/* What is installed stays so, and many regions ask. */
	static struct {
		bool looked;
		void *function;
	} found[sizeof(functions) / sizeof(functions[0])];
	const struct function *f = &functions[function];

	if (!found[function].looked)
		found[function].function = look_up(f);
	found[function].looked = true;
	if (found[function].function)
		return found[function].function;
	mr_fail(err, MR_ERROR_HOST, ENOSYS, f->name, "the installed %s lacks the function",
		f->library);
	mr_hint(err, "it comes with rdma-core %s and later%s%s", f->release, f->instead ? "; " : "",
		f->instead ? f->instead : "");
	return NULL;
}
