// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * A program that loads plugins one after the other, which come to the same addresses, and lets each register a region
 * that is never deregistered.
 * With -shared -DRUN=NAME it is a plugin, whose function NAME registers.
 * Usage: trace-plugin PLUGIN NAME [PLUGIN NAME...]
 */
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <sys/mman.h>

#ifdef RUN
struct ibv_mr *RUN(struct ibv_pd *pd, void *memory);
struct ibv_mr *RUN(struct ibv_pd *pd, void *memory)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE);

	__asm__ volatile("" : : "r"(mr)); /* no tail call */
	return mr;
}
#else
static void *run(struct ibv_pd *pd, void *memory, const char *path, const char *name)
{
	struct ibv_mr *(*function)(struct ibv_pd *, void *);
	void *plugin = dlopen(path, RTLD_NOW);

	*(void **)&function = plugin ? dlsym(plugin, name) : NULL;
	if (!function || !function(pd, memory))
		return NULL;
	dlclose(plugin);
	return *(void **)&function;
}

int main(int argc, char **argv)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;

	for (int i = 1; pd && i + 1 < argc; i += 2) {
		void *function = run(pd, memory, argv[i], argv[i + 1]);

		if (!function)
			return 1;
		printf("%p\n", function);
	}
	return !pd;
}
#endif
