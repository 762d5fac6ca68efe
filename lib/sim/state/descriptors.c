// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which descriptors are simulated, and where their tables are mapped in this process.
 *
 * A descriptor can be closed, duplicated over or passed in behind our back, so what is remembered
 * of it counts only as long as fstat() shows the same file.  A mapped file keeps its inode number.
 */
#include <errno.h>
#include <sys/mman.h>

#include "lib/sim/base/abi.h"

#define SLOTS 256

struct slot {
	int fd;
	dev_t dev;
	ino_t ino;
	struct sim_file *file; /* NULL: empty */
};

struct sim_process {
	pthread_mutex_t lock;
	struct sim_account account;
	struct slot slots[SLOTS];
	uint64_t calls[MR_SIM_CALLS];
};

static struct sim_process *shared;

/*
 * One mapping that a fork empties in the child (MADV_WIPEONFORK), however it forks: the child
 * has a lock that nobody holds, no pinned pages, no calls made, and finds its descriptors anew.  All zeros is
 * the initial state of each member.
 */
static struct sim_process *process(void)
{
	static struct sim_process fallback; /* for a host without memory */
	struct sim_process *mine, *other = NULL;

	mine = __atomic_load_n(&shared, __ATOMIC_ACQUIRE);
	if (mine)
		return mine;
	mine = sim_libc()->mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mine == MAP_FAILED)
		mine = &fallback;
	else
		madvise(mine, sizeof(*mine), MADV_WIPEONFORK);
	if (__atomic_compare_exchange_n(&shared, &other, mine, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	if (mine != &fallback)
		munmap(mine, sizeof(*mine));
	return other;
}

struct sim_account *sim_process_lock(void)
{
	struct sim_process *self = process();

	pthread_mutex_lock(&self->lock);
	return &self->account;
}

void sim_process_unlock(void)
{
	pthread_mutex_unlock(&process()->lock);
}

uint64_t sim_process_count(enum mr_sim_call call)
{
	return __atomic_add_fetch(&process()->calls[call], 1, __ATOMIC_RELAXED);
}

static struct slot *slot_of(int fd)
{
	return &process()->slots[(unsigned int)fd % SLOTS];
}

/* Not from malloc(): close() may be called in a signal handler. */
static int new_file(int fd, struct sim_file **file)
{
	int rc;

	*file = sim_libc()->mmap(NULL, sizeof(**file), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (*file == MAP_FAILED)
		return -ENOMEM;
	rc = sim_table_map(&(*file)->table, fd);
	if (rc)
		munmap(*file, sizeof(**file));
	return rc;
}

static void unref(struct sim_file *file)
{
	if (!file || --file->refs)
		return;
	sim_table_unmap(&file->table);
	munmap(file, sizeof(*file));
}

static struct sim_file *known(int fd, const struct stat *st)
{
	struct slot *slot = slot_of(fd);
	struct sim_file *file = NULL;

	sim_process_lock();
	if (slot->file && slot->fd == fd && slot->ino == st->st_ino && slot->dev == st->st_dev) {
		file = slot->file;
		file->refs++;
	}
	sim_process_unlock();
	return file;
}

static int learn(int fd, const struct stat *st, struct sim_file **found)
{
	struct slot *slot = slot_of(fd);
	struct sim_file *file;
	int rc;

	rc = new_file(fd, &file);
	if (rc)
		return rc;
	file->refs = 2; /* the slot's and the caller's */
	sim_process_lock();
	unref(slot->file);
	*slot = (struct slot){ .fd = fd, .dev = st->st_dev, .ino = st->st_ino, .file = file };
	sim_process_unlock();
	*found = file;
	return 0;
}

/* A memfd has no name, hence no links: this spares all other files the further looks. */
static bool maybe_memfd(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 0;
}

int sim_file_get(int fd, struct sim_file **file)
{
	const struct sim_profile *profile;
	struct stat st;
	int rc;

	*file = NULL;
	if (sim_libc()->fstat(fd, &st))
		return errno == EBADF ? 0 : -errno; /* of a closed one the call itself tells */
	if (!maybe_memfd(&st))
		return 0;
	*file = known(fd, &st);
	if (*file)
		return 0;
	rc = sim_table_probe(fd, &profile);
	return rc || !profile ? rc : learn(fd, &st, file);
}

void sim_file_put(struct sim_file *file)
{
	sim_process_lock();
	unref(file);
	sim_process_unlock();
}

void sim_file_forget(int fd)
{
	struct slot *slot;

	/* most programs never meet a simulated descriptor, and all of them close others */
	if (!__atomic_load_n(&shared, __ATOMIC_ACQUIRE))
		return;
	slot = slot_of(fd);
	/* nor wait for a lock that the interrupted thread may hold; a stale slot does no harm */
	if (pthread_mutex_trylock(&process()->lock))
		return;
	if (slot->file && slot->fd == fd) {
		unref(slot->file);
		slot->file = NULL;
	}
	sim_process_unlock();
}

int sim_file_profile(int fd, const struct stat *st, const struct sim_profile **profile)
{
	*profile = NULL;
	return maybe_memfd(st) ? sim_table_probe(fd, profile) : 0;
}
