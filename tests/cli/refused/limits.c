// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory beyond the limit of locked memory. */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "tests/cli/refused/refused.h"

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

const struct refused_case cases_of_limits[] = {
	CASE(sum),
	CASE(sum_of_small),
	CASE(one),
	CASE(sum_of_some),
	CASE(one_after_all_memory),
	CASE(one_after_many_on_demand),
	CASE(one_below_limit),
	CASE(one_of_each_limit),
	CASE(change_to_more),
	{ NULL, NULL },
};
