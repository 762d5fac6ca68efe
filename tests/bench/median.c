// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The program that the figures of mrctl bench are compared with: registers SIZE bytes and deregisters them,
 * COUNT times, and times each registration.  A thread does so, as in mrctl bench: locks and malloc() of glibc take less
 * time in a process that has no threads.
 * Usage: median COUNT SIZE [DEVICE]
 * Prints: the median in nanoseconds
 */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static int compare(const void *left, const void *right)
{
	const long *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

struct work {
	struct ibv_pd *pd;
	void *memory;
	size_t size, count;
	long *times;
};

static void *measure(void *data)
{
	const struct work *work = data;

	for (size_t i = 0; i < work->count; i++) {
		const long start = now_ns();
		struct ibv_mr *mr =
			ibv_reg_mr(work->pd, work->memory, work->size, IBV_ACCESS_LOCAL_WRITE);

		work->times[i] = now_ns() - start;
		if (!mr || ibv_dereg_mr(mr)) {
			perror("median");
			exit(1);
		}
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct work work = { .count = argc > 1 ? strtoul(argv[1], NULL, 0) : 1,
			     .size = argc > 2 ? strtoul(argv[2], NULL, 0) : 4096 };
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	pthread_t thread;
	int n = 0;

	for (n = 0; list && list[n]; n++)
		if (argc < 4 || !strcmp(ibv_get_device_name(list[n]), argv[3]))
			break;
	context = list && list[n] ? ibv_open_device(list[n]) : NULL;
	work.pd = context ? ibv_alloc_pd(context) : NULL;
	work.times = calloc(work.count, sizeof(*work.times));
	work.memory =
		mmap(NULL, work.size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!work.pd || !work.times || work.memory == MAP_FAILED ||
	    madvise(work.memory, work.size, MADV_POPULATE_WRITE) ||
	    pthread_create(&thread, NULL, measure, &work) || pthread_join(thread, NULL)) {
		perror("median: cannot prepare");
		return 1;
	}
	qsort(work.times, work.count, sizeof(*work.times), compare);
	printf("%ld\n", work.times[work.count / 2]);
	ibv_dealloc_pd(work.pd);
	ibv_close_device(context);
	ibv_free_device_list(list);
	free(work.times);
	return 0;
}
