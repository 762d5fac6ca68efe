// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes each call that trace sees, and prints what the call returned, errno after it, and the lowest free descriptor.
 * How it binds to the libraries is chosen when it is compiled:
 *   (nothing)        calls by name: PLT, or GOT with -fno-plt
 *   -DBY_ADDRESS     calls by a table of addresses that the loader fills
 *   -DBY_NAME        dlopen(RTLD_LOCAL), dlsym()
 *   -DBY_VERSION     dlopen(RTLD_LOCAL), dlvsym()
 * With -shared it is a plugin for itself: trace-tool load PLUGIN [deep].
 * Usage: trace-tool [load PLUGIN [deep]]
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#undef ibv_reg_mr
#undef ibv_reg_mr_iova

#define FUNCTIONS(F)                                                                               \
	F(libibverbs, ibv_get_device_list, "IBVERBS_1.1")                                          \
	F(libibverbs, ibv_free_device_list, "IBVERBS_1.1")                                         \
	F(libibverbs, ibv_fork_init, "IBVERBS_1.1")                                                \
	F(libibverbs, ibv_open_device, "IBVERBS_1.1")                                              \
	F(libibverbs, ibv_close_device, "IBVERBS_1.1")                                             \
	F(libibverbs, ibv_alloc_pd, "IBVERBS_1.1")                                                 \
	F(libibverbs, ibv_dealloc_pd, "IBVERBS_1.1")                                               \
	F(libibverbs, ibv_import_pd, "IBVERBS_1.10")                                               \
	F(libibverbs, ibv_unimport_pd, "IBVERBS_1.10")                                             \
	F(libibverbs, ibv_reg_mr, "IBVERBS_1.1")                                                   \
	F(libibverbs, ibv_reg_mr_iova, "IBVERBS_1.7")                                              \
	F(libibverbs, ibv_reg_mr_iova2, "IBVERBS_1.8")                                             \
	F(libibverbs, ibv_reg_dmabuf_mr, "IBVERBS_1.12")                                           \
	F(libibverbs, ibv_rereg_mr, "IBVERBS_1.1")                                                 \
	F(libibverbs, ibv_import_mr, "IBVERBS_1.10")                                               \
	F(libibverbs, ibv_unimport_mr, "IBVERBS_1.10")                                             \
	F(libibverbs, ibv_dereg_mr, "IBVERBS_1.1")                                                 \
	F(libmlx5, mlx5dv_open_device, "MLX5_1.7")                                                 \
	F(libmlx5, mlx5dv_devx_umem_reg, "MLX5_1.7")                                               \
	F(libmlx5, mlx5dv_devx_umem_reg_ex, "MLX5_1.19")                                           \
	F(libmlx5, mlx5dv_devx_umem_dereg, "MLX5_1.7")

#define MEMBER(library, name, version)    __typeof__(&name) name;
#define ADDRESS(library, name, version)   .name = name,
#define LOOKED_UP(library, name, version) api.name = look_up(#library ".so.1", #name, version);

#if defined(BY_ADDRESS)
struct {
	FUNCTIONS(MEMBER)
} api = { FUNCTIONS(ADDRESS) };
#define LIB(name) api.name
#elif defined(BY_NAME) || defined(BY_VERSION)
struct {
	FUNCTIONS(MEMBER)
} api;
#define LIB(name) api.name

static void *look_up(const char *library, const char *name, const char *version)
{
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
	void *address = !handle ? NULL :
#ifdef BY_VERSION
				dlvsym(handle, name, version);
#else
				dlsym(handle, name);
	(void)version;
#endif

	if (!address) {
		fprintf(stderr, "trace-tool: %s\n", dlerror());
		exit(1);
	}
	return address;
}
#else
#define LIB(name) name
#endif

static int lowest_descriptor(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* One line a call: its result (of pointers: 1 or 0), and errno, which was 77 before. */
#define SHOW(call)                                                                                 \
	({                                                                                         \
		__typeof__(call) result_;                                                          \
		int left_;                                                                         \
		errno = 77;                                                                        \
		result_ = (call);                                                                  \
		left_ = errno;                                                                     \
		printf("%s = %d, errno %d, next %d\n", #call,                                      \
		       __builtin_choose_expr(__builtin_types_compatible_p(__typeof__(call), int),  \
					     (int)(long)result_, result_ ? 1 : 0),                 \
		       left_, lowest_descriptor());                                                \
		result_;                                                                           \
	})
#define SHOW_VOID(call) SHOW(((call), 0))

#define ALL             IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE

static void regions(struct ibv_context *context, struct ibv_pd *pd, char *memory)
{
	char *unmapped = mmap(NULL, 8192, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *mr = SHOW(LIB(ibv_reg_mr)(pd, memory, 8192, ALL));
	struct ibv_mr *second, *imported;
	struct ibv_sge range = { .addr = (uintptr_t)memory, .length = 8192, .lkey = mr->lkey };

	SHOW(LIB(ibv_rereg_mr)(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			       IBV_ACCESS_LOCAL_WRITE));
	SHOW(LIB(ibv_rereg_mr)(mr, 1 << 10, NULL, NULL, 0, 0));
	imported = SHOW(LIB(ibv_import_mr)(pd, mr->handle));
	if (imported)
		SHOW_VOID(LIB(ibv_unimport_mr)(imported));
	SHOW(ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, 0, &range, 1));
	SHOW(LIB(ibv_reg_mr)(pd, unmapped, 8192, ALL));
	SHOW(LIB(ibv_reg_mr)(pd, memory, 0, IBV_ACCESS_REMOTE_WRITE));
	second = SHOW(LIB(ibv_reg_mr_iova)(pd, memory, 4096, 0x10000, ALL));
	SHOW(LIB(ibv_dereg_mr)(second));
	second = SHOW(LIB(ibv_reg_mr_iova2)(pd, memory, 4096, 0x10000,
					    ALL | IBV_ACCESS_RELAXED_ORDERING));
	SHOW(LIB(ibv_dereg_mr)(second));
	SHOW(LIB(ibv_reg_dmabuf_mr)(pd, 0, 4096, 0, 0, ALL));
	SHOW(LIB(ibv_dereg_mr)(mr));
	mr = SHOW(ibv_alloc_null_mr(pd));
	if (mr)
		SHOW(LIB(ibv_dereg_mr)(mr));
	munmap(unmapped, 8192);
	(void)context;
}

static void others(struct ibv_context *context, struct ibv_pd *pd, char *memory)
{
	struct ibv_parent_domain_init_attr parent = { .pd = pd };
	struct ibv_alloc_dm_attr size = { .length = 4096 };
	struct mlx5dv_devx_umem_in in = {
		.addr = memory, .size = 4096, .access = ALL, .pgsz_bitmap = 4096
	};
	struct mlx5dv_devx_umem *umem;
	struct ibv_pd *domain;
	struct ibv_mr *mr;
	struct ibv_dm *dm = SHOW(ibv_alloc_dm(context, &size));

	if (dm) {
		mr = SHOW(ibv_reg_dm_mr(pd, dm, 0, 4096,
					IBV_ACCESS_ZERO_BASED | IBV_ACCESS_LOCAL_WRITE));
		SHOW(LIB(ibv_dereg_mr)(mr));
		SHOW(ibv_free_dm(dm));
	}
	domain = SHOW(ibv_alloc_parent_domain(context, &parent));
	if (domain)
		SHOW(LIB(ibv_dealloc_pd)(domain));
	umem = SHOW(LIB(mlx5dv_devx_umem_reg)(context, memory, 4096, ALL));
	if (umem)
		SHOW(LIB(mlx5dv_devx_umem_dereg)(umem));
	umem = SHOW(LIB(mlx5dv_devx_umem_reg_ex)(context, &in));
	if (umem)
		SHOW(LIB(mlx5dv_devx_umem_dereg)(umem));
}

int trace_tool_run(void);
int trace_tool_run(void)
{
	char *memory = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct mlx5dv_context_attr devx = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_context *context;
	struct ibv_device **list;
	struct ibv_pd *pd, *imported;

#if defined(BY_NAME) || defined(BY_VERSION)
	FUNCTIONS(LOOKED_UP)
#endif
	SHOW(LIB(ibv_fork_init)());
	list = SHOW(LIB(ibv_get_device_list)(NULL));
	if (!list || !list[0])
		return 1;
	context = SHOW(LIB(ibv_open_device)(list[0]));
	SHOW(LIB(ibv_close_device)(context));
	context = SHOW(LIB(mlx5dv_open_device)(list[0], &devx));
	pd = SHOW(LIB(ibv_alloc_pd)(context));
	imported = SHOW(LIB(ibv_import_pd)(context, pd->handle));
	if (imported)
		SHOW_VOID(LIB(ibv_unimport_pd)(imported));
	regions(context, pd, memory);
	others(context, pd, memory);
	SHOW(LIB(ibv_dealloc_pd)(pd));
	SHOW(LIB(ibv_close_device)(context));
	LIB(ibv_free_device_list)(list);
	munmap(memory, 8192);
	return 0;
}

int main(int argc, char **argv)
{
	int (*run)(void) = trace_tool_run;

	if (argc > 2 && !strcmp(argv[1], "load")) {
		void *plugin =
			dlopen(argv[2], RTLD_LAZY | RTLD_LOCAL | (argc > 3 ? RTLD_DEEPBIND : 0));

		*(void **)&run = plugin ? dlsym(plugin, "trace_tool_run") : NULL;
		if (!run) {
			fprintf(stderr, "trace-tool: %s\n", dlerror());
			return 1;
		}
	}
	return run();
}
