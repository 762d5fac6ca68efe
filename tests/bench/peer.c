// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The C loops that mrctl is compared with.
 * Usage: peer loop COUNT STRIDE [DEVICE]: registers COUNT pages, STRIDE bytes apart, and deregisters
 *            them.  Prints the microseconds that deregistering took.
 *        peer lives COUNT 0 [DEVICE]: maps a page, registers it, deregisters it and unmaps it, COUNT
 *            times.
 *        peer median COUNT SIZE [DEVICE]: registers SIZE bytes and deregisters them, COUNT times.
 *            Prints the median of a registration in nanoseconds.
 */
#include <err.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

static struct ibv_pd *pd;
static size_t count, size;

static long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

static void *map(size_t length, int flags)
{
	void *memory = mmap(NULL, length, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);

	if (memory == MAP_FAILED)
		err(1, "mmap");
	return memory;
}

static void deregister(struct ibv_mr *mr)
{
	if (!mr || ibv_dereg_mr(mr))
		err(1, "a registration");
}

static void loop(void)
{
	char *memory = map((count - 1) * size + 4096, MAP_POPULATE);
	struct ibv_mr **mrs = calloc(count, sizeof(struct ibv_mr *));
	long start;

	for (size_t i = 0; i < count; i++) {
		mrs[i] = ibv_reg_mr(pd, memory + i * size, 4096, IBV_ACCESS_LOCAL_WRITE);
		if (!mrs[i])
			err(1, "ibv_reg_mr");
	}
	start = now_ns();
	for (size_t i = 0; i < count; i++)
		deregister(mrs[i]);
	printf("%ld\n", (now_ns() - start) / 1000);
	free(mrs);
}

static void lives(void)
{
	for (size_t i = 0; i < count; i++) {
		void *memory = map(4096, 0);

		deregister(ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE));
		munmap(memory, 4096);
	}
}

static int compare(const void *left, const void *right)
{
	const long *l = left, *r = right;

	return (*l > *r) - (*l < *r);
}

static void *time_registrations(void *data)
{
	void *memory = map(size, MAP_POPULATE);
	long *times = data;

	for (size_t i = 0; i < count; i++) {
		const long start = now_ns();
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, size, IBV_ACCESS_LOCAL_WRITE);

		times[i] = now_ns() - start;
		deregister(mr);
	}
	return NULL;
}

/* A thread registers, as in mrctl bench: locks and malloc() of glibc take less time without one. */
static void median(void)
{
	long *times = calloc(count, sizeof(*times));
	pthread_t thread;

	if (pthread_create(&thread, NULL, time_registrations, times) || pthread_join(thread, NULL))
		err(1, "a thread");
	qsort(times, count, sizeof(*times), compare);
	printf("%ld\n", times[count / 2]);
	free(times);
}

int main(int argc, char **argv)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context;
	int n = 0;

	for (n = 0; list && list[n]; n++)
		if (argc < 5 || !strcmp(ibv_get_device_name(list[n]), argv[4]))
			break;
	context = list && list[n] ? ibv_open_device(list[n]) : NULL;
	pd = context ? ibv_alloc_pd(context) : NULL;
	if (!pd || argc < 4)
		err(1, "cannot prepare");
	count = strtoul(argv[2], NULL, 0);
	size = strtoul(argv[3], NULL, 0);
	if (!strcmp(argv[1], "loop"))
		loop();
	else if (!strcmp(argv[1], "lives"))
		lives();
	else
		median();
	ibv_dealloc_pd(pd);
	ibv_close_device(context);
	ibv_free_device_list(list);
	return 0;
}
