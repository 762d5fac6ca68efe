// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Which descriptors are simulated, and where their tables are mapped in this process.
 *
 * A descriptor can be closed, replaced by dup2() or received over a socket without a call that this
 * library sees.  So what is remembered of a descriptor counts only while fstat() shows the same file.
 * No other file gets that inode number while the table is mapped.
 */
#include <errno.h>
#include <sys/mman.h>

#include "lib/sim/base/libc.h"
#include "lib/sim/state/descriptors.h"
#include "lib/sim/state/process.h"

static struct sim_slot *slot_of(struct sim_process *process, int fd)
{
	return &process->slots[(unsigned int)fd % SIM_SLOTS];
}

/* Memory from mmap(), not malloc(): close() frees it, and signal handlers may call close(). */
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

static int remember(int fd, const struct stat *st, struct sim_file **found)
{
	struct sim_process *process;
	struct sim_slot *slot;
	struct sim_file *file;
	int rc;

	rc = new_file(fd, &file);
	if (rc)
		return rc;
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
	 */
	struct sim_process *process = sim_process_try_lock();
	struct sim_slot *slot;

	if (!process)
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
