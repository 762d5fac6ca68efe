// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Registers a range of any numbers, and prints the errno.
 * Usage: trace-request reg|umem ADDR LENGTH ACCESS
 * ADDR: a number; or + and an offset into a mapping of 16 pages; or FILE, which is mapped
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What is registered is left to the end of the process. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

static void die(const char *what)
{
	perror(what);
	exit(125);
}

static char *map(int fd)
{
	void *mapped = mmap(NULL, 16 * 4096, PROT_READ | PROT_WRITE,
			    fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	if (mapped == MAP_FAILED)
		die("mmap");
	return mapped;
}

static char *address_of(const char *word)
{
	int fd;

	if (*word == '+')
		return map(-1) + strtoull(word + 1, NULL, 0);
	if (*word != '/')
		return (char *)strtoull(word, NULL, 0);
	fd = open(word, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		die(word);
	return map(fd);
}

/* mlx5dv opens a device for DEVX; any other device has no umems. */
static struct ibv_context *open_device(struct ibv_device *device)
{
	struct mlx5dv_context_attr attr = { .flags = MLX5DV_CONTEXT_FLAGS_DEVX };

	return mlx5dv_is_supported(device) ? mlx5dv_open_device(device, &attr)
					   : ibv_open_device(device);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = list && list[0] ? open_device(list[0]) : NULL;
	struct ibv_pd *pd = context ? ibv_alloc_pd(context) : NULL;
	unsigned int access;
	size_t length;
	char *addr;
	void *made;

	if (argc < 5 || !pd)
		die("trace-request");
	addr = address_of(argv[2]);
	length = strtoull(argv[3], NULL, 0);
	access = (unsigned int)strtoul(argv[4], NULL, 0);
	errno = 0;
	made = !strcmp(argv[1], "umem")
		       ? (void *)mlx5dv_devx_umem_reg(context, addr, length, access)
		       : ibv_reg_mr(pd, addr, length, access);
	printf("%d\n", made ? 0 : errno);
	return 0;
}
