// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What the simulator remembers for this process, in a mapping that is all zeros in a forked child
 * (MADV_WIPEONFORK), whichever way it was forked.  Zeros are the initial state of each member: a free
 * lock, no pinned pages, no calls, no known descriptors.
 */
#include <sys/mman.h>

#include "lib/sim/base/libc.h"
#include "lib/sim/state/process.h"

static struct sim_process *remembered;

static struct sim_process *make_process(void)
{
	static struct sim_process fallback; /* for a machine without memory */
	struct sim_process *mine, *other = NULL;

	mine = sim_libc()->mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mine == MAP_FAILED)
		mine = &fallback;
	else
		madvise(mine, sizeof(*mine), MADV_WIPEONFORK);
	if (__atomic_compare_exchange_n(&remembered, &other, mine, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	if (mine != &fallback)
		munmap(mine, sizeof(*mine));
	return other;
}

static struct sim_process *get_process(void)
{
	struct sim_process *process = __atomic_load_n(&remembered, __ATOMIC_ACQUIRE);

	return process ? process : make_process();
}

struct sim_process *sim_process_lock(void)
{
	struct sim_process *process = get_process();

	pthread_mutex_lock(&process->lock);
	return process;
}

struct sim_process *sim_process_try_lock(void)
{
	struct sim_process *process = __atomic_load_n(&remembered, __ATOMIC_ACQUIRE);

	return process && !pthread_mutex_trylock(&process->lock) ? process : NULL;
}

void sim_process_unlock(struct sim_process *process)
{
	pthread_mutex_unlock(&process->lock);
}

uint64_t sim_process_count(enum mr_sim_call call)
{
	return __atomic_add_fetch(&get_process()->calls[call], 1, __ATOMIC_RELAXED);
}
