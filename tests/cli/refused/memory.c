// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that cannot be registered, or is beyond the limit of locked memory. */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <unistd.h>

#include "tests/cli/refused/refused.h"

CALL(readonly, reg(map(4, PROT_READ) + 100, 9000))
CALL(no_access, reg(map(4, PROT_NONE), 2 * PAGE))
CALL(null, reg(NULL, PAGE))
CALL(kernel_address, reg((void *)UINT64_C(0xffff800000001000), PAGE))

CASE(hole_in_the_middle)
{
	char *memory = map(8, WRITABLE);

	munmap(memory + 3 * PAGE, PAGE);
	reg(memory + 200, 6 * PAGE);
}

CASE(readonly_in_the_middle)
{
	char *memory = map(8, WRITABLE);

	mprotect(memory + 3 * PAGE, PAGE, PROT_READ);
	reg(memory, 6 * PAGE);
}

/* In one place of the program, as in a library that makes all calls. */
CASE(several_causes)
{
	const char *constant = map(1, PROT_READ);
	char *memory = map(64, WRITABLE);

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
CASE(many_ranges)
{
	char *memory = map(200, PROT_READ);

	munmap(memory + 100 * PAGE, PAGE);
	for (size_t i = 0; i < 100; i++)
		reg_as(memory + (i % 2 ? i : 100) * PAGE, PAGE - i, LOCAL);
}

/* The limit of locked memory would not allow both at once.  The fault of the simulator is to refuse the second. */
CASE(had_more)
{
	char *memory = map(225, WRITABLE);
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

CASE(had_more_among_threads)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, wait_for_ever, NULL))
		die(name);
	had_more();
}

CASE(hole_after)
{
	char *memory = map(8, WRITABLE);

	munmap(memory + 5 * PAGE, 3 * PAGE);
	reg(memory + 4096 + 7, 5 * PAGE);
}

CASE(unmapped)
{
	char *memory = map(8, WRITABLE);

	munmap(memory, 8 * PAGE);
	reg(memory + 77, 3 * PAGE);
}

CASE(constant)
{
	static const char text[PAGE] = "constant";

	reg(text, sizeof(text));
}

CALL(beyond_file, reg(map_file(memfd_create("short", 0), 1, 4, WRITABLE, MAP_SHARED), 4 * PAGE))

CASE(beyond_private_file)
{
	char path[] = "short.XXXXXX";

	reg(map_file(mkstemp(path), 2, 5, WRITABLE, MAP_PRIVATE) + 10, 3 * PAGE);
}

CASE(readonly_file)
{
	char path[] = "read only'.XXXXXX";

	reg(map_file(mkstemp(path), 4, 4, PROT_READ, MAP_SHARED), PAGE);
}

/* Shared, and written by the device: the kernel refuses that of most file systems. */
static void shared_file(const char *path, bool is_unlinked)
{
	char *memory = map_file(open(path, O_RDWR | O_CREAT, 0600), 2, 2, WRITABLE, MAP_SHARED);

	if (is_unlinked)
		unlink(path);
	reg(memory, PAGE);
}

CALL(foreign_file, shared_file("Gr\303\266\303\237e", false))
CALL(unlinked_file, shared_file("unlinked", true))

CASE(readonly_shm)
{
	int id = shmget(IPC_PRIVATE, 2 * PAGE, IPC_CREAT | 0600);
	void *memory = shmat(id, NULL, SHM_RDONLY);

	shmctl(id, IPC_RMID, NULL);
	reg(checked(memory), 2 * PAGE);
}

CALL(wraps, reg((void *)UINT64_C(0xfffffffffffff000), 2 * PAGE))
CALL(wraps_unaligned, reg(map(1, WRITABLE) + 100, SIZE_MAX - 50))
CALL(far_too_long, reg(map(2, WRITABLE) + 100, (size_t)3 << 40))
CALL(everything, reg(NULL, SIZE_MAX))

/* ---- limits ---- */

CASE(sum)
{
	static const size_t pages[] = { 1, 3, 7, 2, 50, 4 };

	for (size_t i = 0; i < sizeof(pages) / sizeof(*pages); i++)
		if (i < 4)
			ibv_reg_mr(pd, map(pages[i], WRITABLE), pages[i] * PAGE, ALL);
		else
			reg(map(pages[i], WRITABLE) + (i == 5), pages[i] * PAGE - 1);
}

CASE(sum_of_small)
{
	char *memory = map(40, WRITABLE);

	for (size_t i = 0; i < 15; i++)
		ibv_reg_mr(pd, memory + i * PAGE + 30, 60, LOCAL);
	reg(memory + 4090, 2 * PAGE);
}

CALL(one, reg(map(40, WRITABLE), 40 * PAGE))

/* Deregistered regions do not count. */
CASE(sum_of_some)
{
	char *memory = map(40, WRITABLE);

	for (int i = 0; i < 20; i++) {
		struct ibv_mr *mr = ibv_reg_mr(pd, memory, 4 * PAGE, ALL);

		if (mr && i > 2)
			ibv_dereg_mr(mr);
	}
	reg(memory, 5 * PAGE);
}

/* Regions of all memory pin nothing. */
CASE(one_after_all_memory)
{
	for (int i = 0; i < 2; i++)
		if (!ibv_reg_mr(pd, NULL, SIZE_MAX, LOCAL | IBV_ACCESS_ON_DEMAND))
			die(name);
	one();
}

CASE(one_after_many_on_demand)
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

/* ---- buffers of queues, which are pinned, too ---- */

static struct ibv_cq *queue(int entries)
{
	return ibv_create_cq(context, entries, NULL, NULL, 0);
}

CALL(cq, SHOW(!queue(4000)))

CASE(cq_after_cq)
{
	region(1, LOCAL);
	if (!queue(500)) /* 32 KiB, beside the page of the doorbell */
		die(name);
	SHOW(!queue(500));
}

CASE(cq_ex)
{
	struct ibv_cq_init_attr_ex attr = { .cqe = 4000 };

	SHOW(!ibv_create_cq_ex(context, &attr));
}

CASE(srq)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 4000, .max_sge = 1 } };

	SHOW(!ibv_create_srq(pd, &attr));
}

static struct ibv_qp *queue_pair(uint32_t entries)
{
	struct ibv_cq *cq = queue(10);
	struct ibv_qp_init_attr attr = { .send_cq = cq,
					 .recv_cq = cq,
					 .cap = { .max_send_wr = entries, .max_send_sge = 1 },
					 .qp_type = IBV_QPT_RC };

	return ibv_create_qp(pd, &attr);
}

CASE(qp)
{
	SHOW(!queue_pair(4000));
}

/* No device has such a QP. */
CASE(qp_without_limit)
{
	SHOW(!queue_pair(UINT32_MAX));
}

/* Earlier registrations exceed the limit as it is now. */
CASE(one_below_limit)
{
	region(12, LOCAL);
	set_limit(8 * PAGE);
	reg(map(2, WRITABLE), 2 * PAGE);
}

/* The second call would not be refused with the limit of the first one. */
CASE(one_of_each_limit)
{
	one();
	set_limit(8 * PAGE);
	SHOW(!ibv_reg_mr_iova(pd, map(12, WRITABLE), 12 * PAGE, 0x10000, ALL));
}

/* The changed region is part of the sum. */
CASE(change_to_more)
{
	struct ibv_mr *mr = region(10, LOCAL);

	region(2, LOCAL);
	SHOW(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, map(8, WRITABLE), 8 * PAGE,
			  0));
}
