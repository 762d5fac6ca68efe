// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Makes calls of libibverbs and libmlx5 that are refused, on memory and with requests that mrctl itself does not
 * make, and prints the errno of each.
 * Usage: trace-refused DEVICE CASE...
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/cli/refused/refused.h"

/* Regions that a case leaves are no leaks: the limits and the reproduction depend on them. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

struct ibv_context *context;
struct ibv_pd *pd;
const char *name;

void die(const char *what)
{
	perror(what);
	exit(125);
}

void *checked(void *at)
{
	if (at == MAP_FAILED)
		die(name);
	return at;
}

char *map(size_t pages, int prot)
{
	return checked(mmap(NULL, pages * PAGE, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

char *map_file(int fd, size_t has, size_t pages, int prot, int flags)
{
	if (fd < 0 || ftruncate(fd, (off_t)(has * PAGE)))
		die(name);
	return checked(mmap(NULL, pages * PAGE, prot, flags, fd, 0));
}

void show(int failed)
{
	printf("%s %d\n", name, failed ? errno : 0);
}

void reg_as(const void *addr, size_t length, unsigned int access)
{
	SHOW(!ibv_reg_mr(pd, (void *)addr, length, access));
}

void reg(const void *addr, size_t length)
{
	reg_as(addr, length, ALL);
}

struct ibv_mr *region(size_t pages, unsigned int access)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, map(pages, WRITABLE), pages * PAGE, access);

	if (!mr)
		die(name);
	return mr;
}

CASE(wait_for_line)
{
	int c;

	do
		c = getchar();
	while (c != '\n' && c != EOF);
}

static struct refused_case *cases;

void add_case(struct refused_case *added)
{
	added->next = cases;
	cases = added;
}

static void run_case(const char *wanted)
{
	const struct refused_case *found = cases;

	while (found && strcmp(found->name, wanted) != 0)
		found = found->next;
	if (!found) {
		fprintf(stderr, "trace-refused: no case '%s'\n", wanted);
		exit(2);
	}
	name = wanted;
	found->run();
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
