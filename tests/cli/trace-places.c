// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registers regions at known places, and deregisters none.  A comment "at FUNCTION" marks the places without arguments.
 * Usage: trace-places                     by inline functions of verbs.h, also within an inline function of its own
 *        trace-places refused COUNT       is refused COUNT times by read-only memory, and then registers two regions
 *        trace-places PLUGIN NAME...      loads plugins one after the other, which come to the same addresses, and
 *                                         lets each register a region; prints the address of its function
 * With -shared -DRUN=NAME it is a plugin, whose function NAME registers.
 */
#include <dlfcn.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
static inline struct ibv_mr *helper(struct ibv_pd *pd, void *memory)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE); /* at helper */

	__asm__ volatile("" : : "r"(mr)); /* no tail call */
	return mr;
}

/* The parentheses call the function, and not the macro of its name. */
static void forget(struct ibv_pd *pd, void *memory, size_t size)
{
	if (!(ibv_reg_mr)(pd, memory, size, IBV_ACCESS_LOCAL_WRITE))
		exit(4);
}

static int load(struct ibv_pd *pd, void *memory, const char *path, const char *name)
{
	struct ibv_mr *(*function)(struct ibv_pd *, void *);
	void *plugin = dlopen(path, RTLD_NOW);

	*(void **)&function = plugin ? dlsym(plugin, name) : NULL;
	if (!function || !function(pd, memory))
		return 1;
	printf("%p\n", *(void **)&function);
	return dlclose(plugin);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
	const unsigned int access = argc > 9 ? IBV_ACCESS_REMOTE_READ : IBV_ACCESS_LOCAL_WRITE;
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *readonly = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (!pd)
		return 3;
	if (argc < 2) {
		helper(pd, memory);
		ibv_reg_mr(pd, memory, 4096, access); /* at main */
		ibv_alloc_null_mr(pd);                /* at main: null */
		return 0;
	}
	for (int i = 1; strcmp(argv[1], "refused") && i + 1 < argc; i += 2)
		if (load(pd, memory, argv[i], argv[i + 1]))
			return 1;
	if (strcmp(argv[1], "refused"))
		return 0;
	for (int i = atoi(argv[2]); i > 0; i--)
		if ((ibv_reg_mr)(pd, readonly, 4096, IBV_ACCESS_LOCAL_WRITE))
			return 4;
	forget(pd, memory, 8192);
	forget(pd, memory, 4096);
	return 5;
}
#endif
