// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Locked memory, as umem.c counts it: pages pinned by one address space, in all contexts
 * together, against RLIMIT_MEMLOCK.  Each object says which address space it is charged to, so
 * the count is the sum over the tables; the account of this process is kept along for speed, and
 * corrected by that sum before anything is refused.
 */
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sim.h"

#define MAX_TABLES           256
#define RECOUNTS             16
#define INITIAL_USER_NS_INUM 0xeffffffdu /* the kernel's PROC_USER_INIT_INO */

/* Asked once per address space: looking costs more than all the rest of a registration. */
static bool in_initial_user_ns(void)
{
	struct sim_account *account;
	struct stat ns;
	bool initial;

	account = sim_process_lock();
	if (!account->user_ns)
		account->user_ns = sim_libc()->stat("/proc/self/ns/user", &ns)
					   ? INITIAL_USER_NS_INUM
					   : ns.st_ino;
	initial = account->user_ns == INITIAL_USER_NS_INUM;
	sim_process_unlock();
	return initial;
}

/* capable() asks the initial user namespace: root in a container of its own is nobody. */
static bool can_lock_without_limit(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(CAP_IPC_LOCK)].effective & CAP_TO_MASK(CAP_IPC_LOCK) &&
	       in_initial_user_ns();
}

rlim_t sim_account_limit(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_MEMLOCK, &limit) ? RLIM_INFINITY : limit.rlim_cur;
}

bool sim_account_locking_allowed(rlim_t limit)
{
	return limit || can_lock_without_limit();
}

static uint64_t pinned_in_table(struct sim_table *table, uint64_t mm)
{
	const struct sim_object *object;
	uint64_t pages = 0;
	uint32_t i;

	if (sim_table_lock(table))
		return 0;
	for (i = 0; i < table->mapped; i++) {
		object = &table->objects[i];
		if (object->type && object->mm == mm)
			pages += object->pinned;
	}
	sim_table_unlock(table);
	return pages;
}

/* Remembers an inode; false when it is not new. */
static bool is_new(ino_t inode, ino_t *seen, size_t *count)
{
	size_t i;

	for (i = 0; i < *count; i++)
		if (seen[i] == inode)
			return false;
	seen[(*count)++] = inode;
	return true;
}

static uint64_t pinned_behind(int fd, uint64_t mm, ino_t *seen, size_t *count)
{
	struct sim_file *file;
	struct stat st;
	uint64_t pages;

	file = sim_file_get(fd);
	if (!file)
		return 0;
	pages = !sim_libc()->fstat(fd, &st) && is_new(st.st_ino, seen, count)
			? pinned_in_table(&file->table, mm)
			: 0;
	sim_file_put(file);
	return pages;
}

/*
 * The sum over the tables that this process has open.  Pages whose table only others still hold
 * are missed: this cannot be known without keeping the file, and with it the objects, alive.
 */
static bool sum(uint64_t mm, uint64_t *pages)
{
	ino_t seen[MAX_TABLES];
	size_t count = 0;
	struct dirent *entry;
	DIR *dir;

	*pages = 0;
	dir = opendir("/proc/self/fd");
	if (!dir)
		return false;
	while ((entry = readdir(dir)) && count < MAX_TABLES)
		if (entry->d_name[0] != '.')
			*pages += pinned_behind(atoi(entry->d_name), mm, seen, &count);
	closedir(dir);
	return !entry;
}

/* Other threads go on pinning and unpinning: only a sum with no change meanwhile counts. */
static void recount(void)
{
	struct sim_account *account;
	uint64_t mm, changes, pages;
	bool same = false;
	int i;

	for (i = 0; i < RECOUNTS && !same; i++) {
		account = sim_process_lock();
		mm = account->mm;
		changes = account->changes;
		sim_process_unlock();
		if (!sum(mm, &pages))
			return;
		account = sim_process_lock();
		same = account->changes == changes;
		if (same)
			account->pinned = pages + account->pending;
		sim_process_unlock();
	}
}

static bool over(rlim_t limit)
{
	struct sim_account *account = sim_process_lock();
	bool result = account->pinned > limit / (rlim_t)sysconf(_SC_PAGESIZE);

	sim_process_unlock();
	return result;
}

int sim_account_charge(uint64_t pages, rlim_t limit)
{
	struct sim_account *account = sim_process_lock();

	account->pinned += pages;
	account->pending += pages;
	account->changes++;
	sim_process_unlock();

	if (limit == RLIM_INFINITY || !over(limit) || can_lock_without_limit())
		return 0;
	recount();
	if (!over(limit))
		return 0;
	sim_account_cancel(pages);
	return -ENOMEM;
}

void sim_account_cancel(uint64_t pages)
{
	struct sim_account *account = sim_process_lock();

	account->pinned -= pages;
	account->pending -= pages;
	account->changes++;
	sim_process_unlock();
}

uint64_t sim_account_commit(uint64_t pages)
{
	struct sim_account *account = sim_process_lock();
	uint64_t mm;

	while (!account->mm)
		if (getrandom(&account->mm, sizeof(account->mm), 0) < 0)
			account->mm = (uint64_t)getpid();
	mm = account->mm;
	account->pending -= pages;
	account->changes++;
	sim_process_unlock();
	return mm;
}

void sim_account_release(uint64_t mm, uint64_t pages)
{
	struct sim_account *account = sim_process_lock();

	if (account->mm == mm)
		account->pinned -= pages;
	account->changes++;
	sim_process_unlock();
}
