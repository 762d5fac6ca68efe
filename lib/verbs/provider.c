// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <string.h>

#include "lib/verbs/provider.h"

/* The address of the operation's function in the context's table; NULL: the context has no such table. */
static void *function_of(struct ibv_context *context, enum mr_provider_operation operation)
{
	struct verbs_context *table = verbs_get_ctx(context);
	void *functions[] = {
		[MR_PROVIDER_ALLOC_DM] = table ? (void *)table->alloc_dm : NULL,
		[MR_PROVIDER_REG_DM_MR] = table ? (void *)table->reg_dm_mr : NULL,
		[MR_PROVIDER_ALLOC_NULL_MR] = table ? (void *)table->alloc_null_mr : NULL,
		[MR_PROVIDER_ADVISE_MR] = table ? (void *)table->advise_mr : NULL,
	};

	return functions[operation];
}

enum mr_tristate mr_provider_has(struct ibv_context *context, enum mr_provider_operation operation)
{
	void *function = function_of(context, operation);
	const char *file;
	Dl_info info;

	if (!function || !dladdr(function, &info) || !info.dli_fname)
		return MR_UNKNOWN;
	/* A provider may name a function of libibverbs that asks the kernel, as rxe does ibv_cmd_advise_mr(). */
	if (info.dli_saddr == function && !strncmp(info.dli_sname, "ibv_cmd_", strlen("ibv_cmd_")))
		return MR_YES;
	file = strrchr(info.dli_fname, '/');
	file = file ? file + 1 : info.dli_fname;
	/* Where this process is traced, the agent's functions hide those of the provider (lib/trace/agent/table.c). */
	if (!strncmp(file, "libmrctl-trace.so", strlen("libmrctl-trace.so")))
		return MR_UNKNOWN;
	return strncmp(file, "libibverbs.so", strlen("libibverbs.so")) ? MR_YES : MR_NO;
}
