// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/verbs/data_direct.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"

static bool ask_library_for_path(struct ibv_context *context, char *path, size_t size)
{
	struct mr_error ignored;
	mr_dv_data_direct_path *get =
		(mr_dv_data_direct_path *)mr_symbol_find(MR_SYMBOL_DATA_DIRECT_PATH, &ignored);

	return get && !get(context, path, size);
}

void mr_data_direct_path(const struct mr_registrar *registrar, char *path, size_t size)
{
	/* Kernel and library return the path below this folder. */
	static const char root[] = "/sys";
	const size_t used = sizeof(root) - 1;
	struct mr_error ignored;
	bool found;

	memset(path, 0, size);
	memcpy(path, root, used);
	if (registrar->via == MR_VIA_KERNEL)
		found = !mr_uverbs_data_direct_path(registrar->uverbs, path + used, size - used - 1,
						    &ignored);
	else
		found = ask_library_for_path(registrar->context, path + used, size - used - 1);
	if (!found)
		path[0] = '\0';
}
