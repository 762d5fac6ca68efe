// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls what are inline functions of verbs.h, also within an inline function of its own. */
#include <infiniband/verbs.h>
#include <stdlib.h>

static inline struct ibv_mr *helper(struct ibv_pd *pd, void *memory)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE);

	__asm__ volatile("" : : "r"(mr)); /* no tail call */
	return mr;
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
	const unsigned int access = argc > 1 ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_LOCAL_WRITE;
	void *memory = aligned_alloc(4096, 4096);

	(void)argv;
	if (!pd || !memory)
		return 1;
	helper(pd, memory);
	ibv_reg_mr(pd, memory, 4096, access);
	ibv_alloc_null_mr(pd);
	return 0;
}
