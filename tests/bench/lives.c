// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program that mrctl batch is compared with: maps a page, registers it, deregisters it and
 * unmaps it, COUNT times.
 * Usage: lives COUNT [DEVICE]
 */
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

int main(int argc, char **argv)
{
	size_t count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1;
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	struct ibv_pd *pd;
	int n = 0;

	for (n = 0; list && list[n]; n++)
		if (argc < 3 || !strcmp(ibv_get_device_name(list[n]), argv[2]))
			break;
	context = list && list[n] ? ibv_open_device(list[n]) : NULL;
	pd = context ? ibv_alloc_pd(context) : NULL;
	if (!pd) {
		perror("lives: cannot prepare");
		return 1;
	}
	for (size_t i = 0; i < count; i++) {
		void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
				    -1, 0);
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE);

		if (!mr || ibv_dereg_mr(mr) || munmap(memory, 4096)) {
			perror("lives");
			return 1;
		}
	}
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
	ibv_free_device_list(list);
	return 0;
}
