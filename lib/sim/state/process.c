// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "lib/sim/base/base.h"
#include "lib/sim/state/state.h"

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

void sim_process_unlock(struct sim_process *process)
{
	pthread_mutex_unlock(&process->lock);
}

uint64_t sim_process_count(enum mr_sim_call call)
{
	return __atomic_add_fetch(&get_process()->calls[call], 1, __ATOMIC_RELAXED);
}

static struct sim_slot *slot_of(struct sim_process *process, int fd)
{
	return &process->slots[(unsigned int)fd % SIM_SLOTS];
}

static void unref(struct sim_file *file)
{
	if (!file || --file->refs)
		return;
	sim_table_unmap(&file->table);
	munmap(file, sizeof(*file));
}

static struct sim_file *find_known(int fd, const struct stat *st)
{
	struct sim_process *process = sim_process_lock();
	const struct sim_slot *slot = slot_of(process, fd);
	struct sim_file *file = NULL;

	if (slot->file && slot->fd == fd && slot->ino == st->st_ino && slot->dev == st->st_dev) {
		file = slot->file;
		file->refs++;
	}
	sim_process_unlock(process);
	return file;
}

/* Memory from mmap(), not malloc(): close() frees it, and signal handlers may call close(). */
static int remember(int fd, const struct stat *st, struct sim_file **found)
{
	struct sim_file *file = sim_libc()->mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sim_process *process;
	struct sim_slot *slot;
	int rc;

	if (file == MAP_FAILED)
		return -ENOMEM;
	rc = sim_table_map(&file->table, fd);
	if (rc) {
		munmap(file, sizeof(*file));
		return rc;
	}
	file->refs = 2; /* the slot's and the caller's */
	process = sim_process_lock();
	slot = slot_of(process, fd);
	unref(slot->file);
	*slot = (struct sim_slot){ .fd = fd, .dev = st->st_dev, .ino = st->st_ino, .file = file };
	sim_process_unlock(process);
	*found = file;
	return 0;
}

/* A memfd has no link in any folder.  All files with one are spared further system calls. */
static bool maybe_memfd(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 0;
}

int sim_file_get(int fd, struct sim_file **file)
{
	enum mr_sim_profile kind;
	struct stat st;
	int rc;

	*file = NULL;
	if (sim_libc()->fstat(fd, &st))
		/* EBADF: the caller's own call on @fd answers it, too */
		return errno == EBADF ? 0 : -errno;
	if (!maybe_memfd(&st))
		return 0;
	*file = find_known(fd, &st);
	if (*file)
		return 0;
	rc = sim_table_probe(fd, &kind);
	return rc || kind == MR_SIM_PROFILES ? rc : remember(fd, &st, file);
}

void sim_file_put(struct sim_file *file)
{
	struct sim_process *process = sim_process_lock();

	unref(file);
	sim_process_unlock(process);
}

void sim_file_forget(int fd)
{
	/*
	 * close() may be called in a signal handler, which must not wait for a lock that the
	 * interrupted thread holds.  The slot then stays, and does no harm: fstat() shows another file.
	 * It costs nothing in programs that never open a simulated device: nothing is remembered then.
	 */
	struct sim_process *process = __atomic_load_n(&remembered, __ATOMIC_ACQUIRE);
	struct sim_slot *slot;

	if (!process || pthread_mutex_trylock(&process->lock))
		return;
	slot = slot_of(process, fd);
	if (slot->file && slot->fd == fd) {
		unref(slot->file);
		slot->file = NULL;
	}
	sim_process_unlock(process);
}

int sim_file_probe(int fd, const struct stat *st, enum mr_sim_profile *kind)
{
	*kind = MR_SIM_PROFILES;
	return maybe_memfd(st) ? sim_table_probe(fd, kind) : 0;
}

#define LOCK_SECONDS 30

/*
 * The lock is held for microseconds.  If its holder was stopped, or the lock was overwritten, a waiting
 * process gives up after LOCK_SECONDS: else every process that has the table would wait for ever.
 */
static int take_lock(struct sim_header *header)
{
	struct timespec end;
	int rc;

	/* what overwrites the lock does not spare the members before and behind it */
	if (memcmp(header->magic, SIM_MAGIC, sizeof(header->magic)) != 0 ||
	    header->version != SIM_VERSION || header->guard != ~header->id)
		return EIO;
	rc = pthread_mutex_trylock(&header->lock); /* spares clock_gettime() */
	if (rc != EBUSY)
		return rc;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += LOCK_SECONDS;
	return pthread_mutex_clocklock(&header->lock, CLOCK_MONOTONIC, &end);
}

int sim_table_lock(struct sim_table *table)
{
	struct sim_header *header = table->header;
	int rc = take_lock(header);

	if (rc == EOWNERDEAD) {
		header->damaged = true;
		rc = pthread_mutex_consistent(&header->lock);
	}
	if (rc)
		return -rc;
	rc = sim_table_map_objects(table);
	if (!rc && header->damaged) {
		sim_objects_repair(table);
		header->damaged = false;
	}
	if (rc)
		pthread_mutex_unlock(&header->lock);
	return rc;
}

void sim_table_unlock(struct sim_table *table)
{
	pthread_mutex_unlock(&table->header->lock);
}
