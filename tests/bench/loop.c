// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program that mrctl reg is compared with: registers COUNT pages, STRIDE bytes apart, and
 * deregisters them.
 * Usage: loop COUNT STRIDE [DEVICE]
 * Prints: the microseconds that deregistering took
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static long now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	size_t stride = argc > 2 ? strtoul(argv[2], NULL, 0) : 4096;
	size_t length = (count - 1) * stride + 4096;
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_mr **mrs = calloc(count, sizeof(struct ibv_mr *));
	struct ibv_context *context;
	struct ibv_pd *pd;
	char *memory;
	long start;
	int n = 0;

	for (n = 0; list && list[n]; n++)
		if (argc < 4 || !strcmp(ibv_get_device_name(list[n]), argv[3]))
			break;
	context = list && list[n] ? ibv_open_device(list[n]) : NULL;
	pd = context ? ibv_alloc_pd(context) : NULL;
	memory = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!pd || !mrs || memory == MAP_FAILED || madvise(memory, length, MADV_POPULATE_WRITE)) {
		perror("loop: cannot prepare");
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		mrs[i] = ibv_reg_mr(pd, memory + i * stride, 4096, IBV_ACCESS_LOCAL_WRITE);
		if (!mrs[i]) {
			perror("loop: ibv_reg_mr");
			return 1;
		}
	}
	start = now_us();
	for (size_t i = 0; i < count; i++)
		if (ibv_dereg_mr(mrs[i]))
			return 1;
	printf("%ld\n", now_us() - start);
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
	ibv_free_device_list(list);
	free(mrs);
	return 0;
}
