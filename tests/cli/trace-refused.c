// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes calls of libibverbs and libmlx5 that are refused, on memory and with requests that mrctl itself does not
 * make, and prints the errno of each.
 * Usage: trace-refused DEVICE CASE...
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE       ((size_t)4096)
#define LOCAL      IBV_ACCESS_LOCAL_WRITE
#define ZERO_BASED (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ZERO_BASED)
#define ALL        (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ)

/* What a case leaves registered is no leak: the limits and the reproduction are about it. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static struct ibv_context *context;
static struct ibv_pd *pd;
static const char *name; /* of the case */

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static void *checked(void *map)
{
	if (map == MAP_FAILED)
		die(name);
	return map;
}

static char *map(size_t pages, int prot)
{
	return checked(mmap(NULL, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

/* Pages of a file, which has so many others. */
static char *map_fd(int fd, size_t has, size_t pages, int prot, int flags)
{
	if (fd < 0 || ftruncate(fd, (off_t)(has * PAGE)))
		die(name);
	return checked(mmap(NULL, pages * PAGE, prot, flags, fd, 0));
}

static void show(int failed)
{
	printf("%s %d\n", name, failed ? errno : 0);
}

static void reg_as(const void *addr, size_t length, unsigned int access)
{
	errno = 0;
	show(!ibv_reg_mr(pd, (void *)addr, length, access));
}

static void reg(const void *addr, size_t length)
{
	reg_as(addr, length, ALL);
}

static struct ibv_mr *region(size_t pages, unsigned int access)
{
	struct ibv_mr *mr =
		ibv_reg_mr(pd, map(pages, PROT_READ | PROT_WRITE), pages * PAGE, access);

	if (!mr)
		die(name);
	return mr;
}

/* ---- memory ---- */

static void readonly(void)
{
	reg(map(4, PROT_READ) + 100, 9000);
}

static void no_access(void)
{
	reg(map(4, PROT_NONE), 2 * PAGE);
}

static void hole_in_the_middle(void)
{
	char *memory = map(8, PROT_READ | PROT_WRITE);

	munmap(memory + 3 * PAGE, PAGE);
	reg(memory + 200, 6 * PAGE);
}

static void readonly_in_the_middle(void)
{
	char *memory = map(8, PROT_READ | PROT_WRITE);

	mprotect(memory + 3 * PAGE, PAGE, PROT_READ);
	reg(memory, 6 * PAGE);
}

/* In one place of the program, as in a library that makes all calls. */
static void several_causes(void)
{
	const char *constant = map(1, PROT_READ);
	char *memory = map(64, PROT_READ | PROT_WRITE);

	for (int i = 0; i < 3; i++)
		reg_as(memory, PAGE, IBV_ACCESS_REMOTE_WRITE);
	for (int i = 0; i < 50; i++)
		reg_as(memory, PAGE, LOCAL | 1u << 30);
	for (int i = 0; i < 3; i++)
		reg_as(constant, PAGE, LOCAL);
	munmap(memory + 32 * PAGE, 32 * PAGE);
	for (int i = 0; i < 70; i++)
		reg_as(memory + 31 * PAGE, 2 * PAGE, LOCAL);
}

/* Ranges of two causes that differ in nothing else, and more of them than are looked at */
static void many_ranges(void)
{
	char *memory = map(200, PROT_READ);

	munmap(memory + 100 * PAGE, PAGE);
	for (size_t i = 0; i < 100; i++)
		reg_as(memory + (i % 2 ? i : 100) * PAGE, PAGE - i, LOCAL);
}

/* The limit of locked memory would not allow both at once.  The fault of the simulator is to refuse the second. */
static void had_more(void)
{
	char *memory = map(225, PROT_READ | PROT_WRITE);
	struct ibv_mr *more = ibv_reg_mr(pd, memory, 225 * PAGE, LOCAL);

	if (!more || ibv_dereg_mr(more))
		die(name);
	reg_as(memory, 50 * PAGE, LOCAL);
}

static void *wait_for_ever(void *unused)
{
	pause();
	return unused;
}

static void had_more_among_threads(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		die(name);
	had_more();
}

static void hole_after(void)
{
	char *memory = map(8, PROT_READ | PROT_WRITE);

	munmap(memory + 5 * PAGE, 3 * PAGE);
	reg(memory + 4096 + 7, 5 * PAGE);
}

static void unmapped(void)
{
	char *memory = map(8, PROT_READ | PROT_WRITE);

	munmap(memory, 8 * PAGE);
	reg(memory + 77, 3 * PAGE);
}

static void null(void)
{
	reg(NULL, PAGE);
}

static void constant(void)
{
	static const char text[PAGE] = "constant";

	reg(text, sizeof(text));
}

static void beyond_file(void)
{
	reg(map_fd(memfd_create("short", 0), 1, 4, PROT_READ | PROT_WRITE, MAP_SHARED), 4 * PAGE);
}

static void beyond_private_file(void)
{
	char path[] = "short.XXXXXX";

	reg(map_fd(mkstemp(path), 2, 5, PROT_READ | PROT_WRITE, MAP_PRIVATE) + 10, 3 * PAGE);
}

static void readonly_file(void)
{
	char path[] = "read only'.XXXXXX";

	reg(map_fd(mkstemp(path), 4, 4, PROT_READ, MAP_SHARED), PAGE);
}

/* Shared, and written by the device: the kernel refuses that of most file systems. */
static void shared_file(const char *path, bool is_unlinked)
{
	char *memory = map_fd(open(path, O_RDWR | O_CREAT, 0600), 2, 2, PROT_READ | PROT_WRITE,
			      MAP_SHARED);

	if (is_unlinked)
		unlink(path);
	reg(memory, PAGE);
}

static void foreign_file(void)
{
	shared_file("Gr\303\266\303\237e", false);
}

static void unlinked_file(void)
{
	shared_file("unlinked", true);
}

static void readonly_shm(void)
{
	int id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0600);
	void *memory = shmat(id, NULL, SHM_RDONLY);

	shmctl(id, IPC_RMID, NULL);
	reg(checked(memory), 2 * PAGE);
}

static void kernel_address(void)
{
	reg((void *)UINT64_C(0xffff800000001000), PAGE);
}

static void wraps(void)
{
	reg((void *)UINT64_C(0xfffffffffffff000), 2 * PAGE);
}

static void wraps_unaligned(void)
{
	reg(map(1, PROT_READ | PROT_WRITE) + 100, SIZE_MAX - 50);
}

static void far_too_long(void)
{
	reg(map(2, PROT_READ | PROT_WRITE) + 100, (size_t)3 << 40);
}

static void everything(void)
{
	reg(NULL, SIZE_MAX);
}

/* ---- limits ---- */

static void sum(void)
{
	static const size_t pages[] = { 1, 3, 7, 2, 50, 4 };

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		if (i < 4)
			ibv_reg_mr(pd, map(pages[i], PROT_READ | PROT_WRITE), pages[i] * PAGE, ALL);
		else
			reg(map(pages[i], PROT_READ | PROT_WRITE) + (i == 5), pages[i] * PAGE - 1);
}

static void sum_of_small(void)
{
	char *memory = map(40, PROT_READ | PROT_WRITE);

	for (size_t i = 0; i < 15; i++)
		ibv_reg_mr(pd, memory + i * PAGE + 30, 60, LOCAL);
	reg(memory + 4090, 2 * PAGE);
}

static void one(void)
{
	reg(map(40, PROT_READ | PROT_WRITE), 40 * PAGE);
}

/* What was deregistered does not count. */
static void sum_of_some(void)
{
	char *memory = map(40, PROT_READ | PROT_WRITE);

	for (int i = 0; i < 20; i++) {
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, 4 * PAGE, ALL);

		if (mr && i > 2)
			ibv_dereg_mr(mr);
	}
	reg(memory, 5 * PAGE);
}

/* Regions of all memory pin nothing. */
static void one_after_all_memory(void)
{
	for (int i = 0; i < 2; i++)
		if (!ibv_reg_mr(pd, NULL, SIZE_MAX, LOCAL | IBV_ACCESS_ON_DEMAND))
			die(name);
	one();
}

static void one_after_many_on_demand(void)
{
	region(1, LOCAL);
	for (int i = 0; i < 40; i++)
		region(1, LOCAL | IBV_ACCESS_ON_DEMAND);
	one();
}

static void set_limit(rlim_t limit)
{
	struct rlimit limits;

	if (getrlimit(RLIMIT_MEMLOCK, &limits))
		die(name);
	limits.rlim_cur = limit;
	if (setrlimit(RLIMIT_MEMLOCK, &limits))
		die(name);
}

/* What was registered before is more than the limit now allows. */
static void one_below_limit(void)
{
	region(12, LOCAL);
	set_limit(8 * PAGE);
	reg(map(2, PROT_READ | PROT_WRITE), 2 * PAGE);
}

/* The second call would not be refused with the limit of the first one. */
static void one_of_each_limit(void)
{
	one();
	set_limit(8 * PAGE);
	errno = 0;
	show(!ibv_reg_mr_iova(pd, map(12, PROT_READ | PROT_WRITE), 12 * PAGE, 0x10000, ALL));
}

/* Of the sum, what is changed itself has a part. */
static void change_to_more(void)
{
	struct ibv_mr *mr = region(10, LOCAL);

	region(2, LOCAL);
	errno = 0;
	show(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, map(8, PROT_READ | PROT_WRITE),
			  8 * PAGE, 0));
}

/* ---- requests ---- */

static void access_flags(void)
{
	reg_as(map(1, PROT_READ | PROT_WRITE), PAGE, IBV_ACCESS_REMOTE_ATOMIC);
}

static void no_length(void)
{
	reg(map(1, PROT_READ | PROT_WRITE) + 5, 0);
}

static void iova(void)
{
	errno = 0;
	show(!ibv_reg_mr_iova(pd, map(3, PROT_READ | PROT_WRITE) + 16, PAGE, 0x7003, ALL));
}

static void fork_safe(void)
{
	char *memory = map(8, PROT_READ | PROT_WRITE);

	ibv_fork_init();
	munmap(memory + 3 * PAGE, PAGE);
	reg(memory, 6 * PAGE);
}

/* ---- memory on the device ---- */

static struct ibv_dm *device_memory(size_t length)
{
	struct ibv_alloc_dm_attr attr = { .length = length };
	struct ibv_dm *dm = ibv_alloc_dm(context, &attr);

	if (!dm)
		die(name);
	return dm;
}

static void beyond_device_memory(void)
{
	errno = 0;
	show(!ibv_reg_dm_mr(pd, device_memory(PAGE), 64, 2 * PAGE, ZERO_BASED));
}

/* ---- changes ---- */

static void change_memory(void)
{
	errno = 0;
	show(ibv_rereg_mr(region(2, ALL), IBV_REREG_MR_CHANGE_TRANSLATION, NULL,
			  map(4, PROT_READ) + 12, 3 * PAGE, 0));
}

static void change_access(void)
{
	errno = 0;
	show(ibv_rereg_mr(region(3, LOCAL), IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0,
			  IBV_ACCESS_REMOTE_WRITE));
}

static void change_nothing_known(void)
{
	errno = 0;
	show(ibv_rereg_mr(region(3, LOCAL), 1 << 9, NULL, NULL, 0, 0));
}

static void change_all(void)
{
	errno = 0;
	show(ibv_rereg_mr(region(3, LOCAL),
			  IBV_REREG_MR_CHANGE_TRANSLATION | IBV_REREG_MR_CHANGE_ACCESS |
				  IBV_REREG_MR_CHANGE_PD,
			  ibv_alloc_pd(context), map(2, PROT_READ), PAGE, ALL));
}

/* Mapped for reading and registered for that: a change to writing pins it anew, which is refused. */
static void change_readonly_to_writing(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, map(2, PROT_READ), PAGE, IBV_ACCESS_REMOTE_READ);

	if (!mr)
		die(name);
	errno = 0;
	show(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ALL));
}

static void change_device_memory(void)
{
	struct ibv_mr *mr = ibv_reg_dm_mr(pd, device_memory(PAGE), 64, 128, ZERO_BASED);

	if (!mr)
		die(name);
	errno = 0;
	show(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ALL));
}

/* All memory of the process */
static void change_implicit(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, NULL, SIZE_MAX, LOCAL | IBV_ACCESS_ON_DEMAND);

	if (!mr)
		die(name);
	errno = 0;
	show(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, IBV_ACCESS_REMOTE_WRITE));
}

/* ---- umems ---- */

static void umem(void)
{
	errno = 0;
	show(!mlx5dv_devx_umem_reg(context, map(2, PROT_READ) + 8, PAGE, LOCAL));
}

/* As ibv_open_device() opens the device: for DEVX where the driver lets it, else without. */
static void umem_of_plain_context(void)
{
	struct ibv_context *plain = ibv_open_device(context->device);

	if (!plain)
		die(name);
	errno = 0;
	show(!mlx5dv_devx_umem_reg(plain, map(2, PROT_READ | PROT_WRITE), PAGE, LOCAL));
}

static void umem_page_sizes(void)
{
	struct mlx5dv_devx_umem_in in = { .addr = map(4, PROT_READ | PROT_WRITE) + 8,
					  .size = 2 * PAGE,
					  .access = LOCAL,
					  .pgsz_bitmap = 4 };

	errno = 0;
	show(!mlx5dv_devx_umem_reg_ex(context, &in));
}

static void umem_unknown_attribute(void)
{
	struct mlx5dv_devx_umem_in in = { .addr = map(2, PROT_READ | PROT_WRITE),
					  .size = PAGE,
					  .access = LOCAL,
					  .pgsz_bitmap = PAGE,
					  .comp_mask = UINT64_C(1) << 40 };

	errno = 0;
	show(!mlx5dv_devx_umem_reg_ex(context, &in));
}

/* ---- dma-bufs ---- */

static void no_dmabuf(void)
{
	errno = 0;
	show(!ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, 0, ALL));
}

static void bad_descriptor(void)
{
	errno = 0;
	show(!ibv_reg_dmabuf_mr(pd, 0, PAGE, 0, -1, ALL));
}

static void advice_on_pinned(void)
{
	struct ibv_mr *mr = region(3, ALL);
	struct ibv_sge range = { (uintptr_t)mr->addr + PAGE, PAGE, mr->lkey };

	errno = 0;
	errno = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE, IBV_ADVISE_MR_FLAG_FLUSH,
			      &range, 1);
	show(errno);
}

static void advice_unmapped(void)
{
	struct ibv_mr *mr = region(4, ALL | IBV_ACCESS_ON_DEMAND);
	struct ibv_sge range = { (uintptr_t)mr->addr, 4 * PAGE, mr->lkey };

	munmap((char *)mr->addr + 2 * PAGE, PAGE);
	errno = 0;
	errno = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, &range,
			      1);
	show(errno);
}

/* The first range can be fetched, the second one cannot. */
static void advice_of_two(void)
{
	struct ibv_mr *mr = region(4, ALL | IBV_ACCESS_ON_DEMAND);
	struct ibv_sge ranges[] = {
		{ (uintptr_t)mr->addr, PAGE, mr->lkey },
		{ (uintptr_t)mr->addr + 2 * PAGE, PAGE, mr->lkey },
	};

	munmap((char *)mr->addr + 2 * PAGE, PAGE);
	errno = 0;
	errno = ibv_advise_mr(pd, IBV_ADVISE_MR_ADVICE_PREFETCH, IBV_ADVISE_MR_FLAG_FLUSH, ranges,
			      2);
	show(errno);
}

#define CASE(function)                                                                             \
	{                                                                                          \
#function, function                                                                \
	}
static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	CASE(readonly),
	CASE(no_access),
	CASE(hole_in_the_middle),
	CASE(readonly_in_the_middle),
	CASE(several_causes),
	CASE(many_ranges),
	CASE(had_more),
	CASE(had_more_among_threads),
	CASE(hole_after),
	CASE(unmapped),
	CASE(null),
	CASE(constant),
	CASE(beyond_file),
	CASE(beyond_private_file),
	CASE(readonly_file),
	CASE(foreign_file),
	CASE(unlinked_file),
	CASE(readonly_shm),
	CASE(kernel_address),
	CASE(wraps),
	CASE(wraps_unaligned),
	CASE(far_too_long),
	CASE(everything),
	CASE(sum),
	CASE(sum_of_small),
	CASE(one),
	CASE(sum_of_some),
	CASE(one_after_all_memory),
	CASE(one_after_many_on_demand),
	CASE(one_below_limit),
	CASE(one_of_each_limit),
	CASE(change_to_more),
	CASE(access_flags),
	CASE(no_length),
	CASE(iova),
	CASE(fork_safe),
	CASE(beyond_device_memory),
	CASE(change_memory),
	CASE(change_access),
	CASE(change_nothing_known),
	CASE(change_all),
	CASE(change_readonly_to_writing),
	CASE(change_device_memory),
	CASE(change_implicit),
	CASE(umem),
	CASE(umem_of_plain_context),
	CASE(umem_page_sizes),
	CASE(umem_unknown_attribute),
	CASE(no_dmabuf),
	CASE(bad_descriptor),
	CASE(advice_on_pinned),
	CASE(advice_unmapped),
	CASE(advice_of_two),
};

static void run_case(const char *wanted)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		if (!strcmp(cases[i].name, wanted)) {
			name = wanted;
			cases[i].run();
			return;
		}
	fprintf(stderr, "trace-refused: no case '%s'\n", wanted);
	exit(2);
}

static void open_device(const char *device)
{
	struct mlx5dv_context_attr devx = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };
	struct ibv_device **list = ibv_get_device_list(NULL);

	for (struct ibv_device **entry = list; entry && *entry; entry++)
		if (!strcmp(ibv_get_device_name(*entry), device))
			context = mlx5dv_is_supported(*entry) ? mlx5dv_open_device(*entry, &devx)
							      : ibv_open_device(*entry);
	if (list)
		ibv_free_device_list(list);
	pd = context ? ibv_alloc_pd(context) : NULL;
	if (!pd)
		die(device);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	/* Before any file of a case is made in it */
	if (getenv("TMPDIR") && chdir(getenv("TMPDIR")))
		die("TMPDIR");
	open_device(argv[1]);
	for (int i = 2; i < argc; i++)
		run_case(argv[i]);
	return 0;
}
