// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/state/state.h"

#define INITIAL_USER_NS_INUM 0xeffffffdu /* the kernel's PROC_USER_INIT_INO */

/* The answer is kept: stat() takes longer than all the rest of a registration. */
static bool in_initial_user_ns(void)
{
	struct sim_process *process;
	struct sim_account *account;
	struct stat ns;
	bool initial;

	process = sim_process_lock();
	account = &process->account;
	if (!account->user_ns)
		account->user_ns = sim_libc()->stat("/proc/self/ns/user", &ns)
					   ? INITIAL_USER_NS_INUM
					   : ns.st_ino;
	initial = account->user_ns == INITIAL_USER_NS_INUM;
	sim_process_unlock(process);
	return initial;
}

/* The kernel's capable() wants the capability in the initial user namespace: root of another lacks it. */
bool sim_is_capable(unsigned int capability)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3];

	return !syscall(SYS_capget, &header, data) &&
	       data[CAP_TO_INDEX(capability)].effective & CAP_TO_MASK(capability) &&
	       in_initial_user_ns();
}

/*
 * Whether a descriptor is of the table with this id.  One that cannot be read counts as such: its pages
 * then stay counted, and the limit is too strict rather than exceeded.
 */
static bool is_descriptor_of(int fd, uint64_t table)
{
	uint64_t id;
	ssize_t length = pread(fd, &id, sizeof(id), offsetof(struct sim_header, id));

	if (length < 0)
		return errno != EBADF && errno != ESPIPE && errno != EISDIR;
	return length == sizeof(id) && id == table;
}

/* The share of a table, new if it had none; NULL if all shares are those of other tables. */
static struct sim_share *find_share(struct sim_account *account, uint64_t table)
{
	struct sim_share *unused = NULL, *share;

	for (size_t i = 0; i < SIM_SHARES; i++) {
		share = &account->shares[i];
		if (share->pages && share->table == table)
			return share;
		if (!share->pages && !unused)
			unused = share;
	}
	if (unused)
		*unused = (struct sim_share){ .table = table };
	return unused;
}

static void set_share(struct sim_account *account, struct sim_share *share, uint64_t pages)
{
	account->pinned += pages - share->pages;
	share->pages = pages;
}

static uint64_t pinned_in_table(const struct sim_table *table, uint32_t mm)
{
	const struct sim_object *object;
	uint64_t pages = 0;

	for (uint32_t i = 0; i < table->mapped; i++) {
		object = &table->objects[i];
		if (object->type && object->mm == mm)
			pages += object->pinned;
	}
	return pages;
}

/* The table is locked: else the share could change between the sum and its correction. */
static void correct_share_of(int fd)
{
	struct sim_process *process;
	struct sim_share *share;
	struct sim_file *file;
	uint64_t id;

	if (sim_file_get(fd, &file) || !file)
		return;
	id = file->table.header->id;
	if (!sim_table_lock(&file->table)) {
		process = sim_process_lock();
		/* Another thread may have closed it meanwhile, and the number may be that of another file. */
		share = is_descriptor_of(fd, id) ? find_share(&process->account, id) : NULL;
		if (share) {
			share->fd = fd;
			set_share(&process->account, share,
				  pinned_in_table(&file->table, process->account.mm));
		}
		sim_process_unlock(process);
		sim_table_unlock(&file->table);
	}
	sim_file_put(file);
}

static void correct_shares(void)
{
	struct dirent *entry;
	DIR *dir = opendir("/proc/self/fd");

	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			correct_share_of(atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

/*
 * Corrects all shares, drops those of tables that this process has closed, and locks this process.  Read the
 * account before the lock is released: other threads can close a table and pin pages of the next
 * at any moment.
 */
static struct sim_process *lock_corrected(void)
{
	struct sim_process *process;
	struct sim_account *account;

	correct_shares();
	process = sim_process_lock();
	account = &process->account;
	/* The share of an open table has a descriptor: that of this look, or the one that pinned its pages. */
	for (struct sim_share *share = account->shares; share < account->shares + SIM_SHARES;
	     share++)
		if (share->pages && !is_descriptor_of(share->fd, share->table))
			set_share(account, share, 0);
	account->incomplete = false;
	return process;
}

/*
 * Whether this process has more pinned than a limit in bytes, by the shares as they are or corrected.
 * Pages whose table only other processes have open are missed: to count them, this process would have to
 * keep the table's file open, and that would keep its objects alive.
 */
static bool is_over(rlim_t limit, bool exactly)
{
	struct sim_process *process = exactly ? lock_corrected() : sim_process_lock();
	const struct sim_account *account = &process->account;
	bool over;

	over = account->incomplete || account->pinned + account->pending > limit / sim_page_size();
	sim_process_unlock(process);
	return over;
}

int sim_account_charge(uint64_t pages, rlim_t limit)
{
	struct sim_process *process = sim_process_lock();

	process->account.pending += pages;
	sim_process_unlock(process);
	if (limit == RLIM_INFINITY || !is_over(limit, false) || sim_is_capable(CAP_IPC_LOCK) ||
	    !is_over(limit, true))
		return 0;
	sim_account_cancel(pages);
	return -ENOMEM;
}

void sim_account_cancel(uint64_t pages)
{
	struct sim_process *process = sim_process_lock();

	process->account.pending -= pages;
	sim_process_unlock(process);
}

uint32_t sim_account_commit(const struct sim_table *table, uint64_t pages)
{
	struct sim_process *process;
	struct sim_account *account;
	struct sim_share *share;
	uint32_t mm;

	if (!pages)
		return 0;
	process = sim_process_lock();
	account = &process->account;
	while (!account->mm)
		account->mm = (uint32_t)sim_random();
	mm = account->mm;
	account->pending -= pages;
	share = find_share(account, table->header->id);
	if (share) {
		share->fd = table->fd;
		set_share(account, share, share->pages + pages);
	} else {
		account->incomplete = true;
	}
	sim_process_unlock(process);
	return mm;
}

void sim_account_release(const struct sim_table *table, uint32_t mm, uint64_t pages)
{
	struct sim_process *process;
	struct sim_account *account;
	struct sim_share *share;

	if (!pages)
		return;
	process = sim_process_lock();
	account = &process->account;
	share = account->mm == mm ? find_share(account, table->header->id) : NULL;
	if (share)
		set_share(account, share, share->pages > pages ? share->pages - pages : 0);
	sim_process_unlock(process);
}

uint64_t sim_account_pinned(void)
{
	struct sim_process *process = lock_corrected();
	uint64_t pages = process->account.pinned;

	sim_process_unlock(process);
	return pages * sim_page_size();
}

/* Written once, before main() runs and the program has threads. */
static struct mr_sim_faults plan;
static bool wanted[MR_SIM_CALLS];

/*
 * A fault that is misspelt ends the program before main().  If it were ignored, a test of the fault
 * would pass without having tested anything.
 */
static void read_plan(void) __attribute__((constructor));
static void read_plan(void)
{
	const char *text = getenv(MR_SIM_FAULT_VARIABLE);
	struct mr_error err;

	if (!text || !*text)
		return;
	if (mr_sim_faults_parse(text, &plan, &err))
		sim_refuse_variable(MR_SIM_FAULT_VARIABLE, &err);
	for (size_t i = 0; i < plan.count; i++)
		wanted[plan.list[i].call] = true;
}

static void wait_for(uint64_t milliseconds)
{
	struct timespec left = {
		.tv_sec = (time_t)(milliseconds / 1000),
		.tv_nsec = (long)(milliseconds % 1000) * 1000000,
	};

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

bool sim_fault_wanted(enum mr_sim_call call)
{
	return call < MR_SIM_CALLS && wanted[call];
}

struct sim_fault sim_fault_enter(enum mr_sim_call call)
{
	const struct mr_sim_fault *asked;
	struct sim_fault fault = { 0 };
	uint64_t turn;

	if (!sim_fault_wanted(call))
		return fault;
	turn = sim_process_count(call);
	for (size_t i = 0; i < plan.count; i++) {
		asked = &plan.list[i];
		if (asked->call != call || (asked->turn && asked->turn != turn))
			continue;
		switch (asked->action) {
		case MR_SIM_FAIL:
			fault.error = -(int)asked->value;
			break;
		case MR_SIM_KILL:
			raise(SIGKILL);
			break;
		case MR_SIM_KILL_AFTER:
			fault.signal_after = SIGKILL;
			break;
		case MR_SIM_STOP:
			raise(SIGSTOP);
			break;
		case MR_SIM_STOP_AFTER:
			fault.signal_after = SIGSTOP;
			break;
		case MR_SIM_DELAY:
			wait_for(asked->value);
			break;
		}
	}
	return fault;
}

void sim_fault_leave(const struct sim_fault *fault)
{
	if (fault->signal_after)
		raise(fault->signal_after);
}
