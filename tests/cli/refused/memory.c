// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory that cannot be registered. */
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

#include "tests/cli/refused/refused.h"

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
	reg(map_file(memfd_create("short", 0), 1, 4, PROT_READ | PROT_WRITE, MAP_SHARED), 4 * PAGE);
}

static void beyond_private_file(void)
{
	char path[] = "short.XXXXXX";

	reg(map_file(mkstemp(path), 2, 5, PROT_READ | PROT_WRITE, MAP_PRIVATE) + 10, 3 * PAGE);
}

static void readonly_file(void)
{
	char path[] = "read only'.XXXXXX";

	reg(map_file(mkstemp(path), 4, 4, PROT_READ, MAP_SHARED), PAGE);
}

/* Shared, and written by the device: the kernel refuses that of most file systems. */
static void shared_file(const char *path, bool is_unlinked)
{
	char *memory = map_file(open(path, O_RDWR | O_CREAT, 0600), 2, 2, PROT_READ | PROT_WRITE,
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

const struct refused_case cases_of_memory[] = {
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
	{ NULL, NULL },
};
