// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values that another holder of a session may write into its table while a command runs, on the simulated
 * HCA.  The tests write them at each ioctl: so they change between two reads of the table by the command.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>

#include "lib/session/claim.h"
#include "lib/session/open.h"
#include "lib/session/regions.h"
#include "lib/session/relaxed.h"
#include "lib/session/rereg.h"
#include "lib/session/state.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/format.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/pds.h"
#include "lib/session/unlisted.h"
#include "lib/verbs/device.h"
#include "tests/unit/lib/session/new_session.h"
#include "tests/unit/unit.h"

#define PAGE 4096u
#define HOUR (3600 * UINT64_C(1000000000))

static struct mr_device device;
static struct mr_session session;
static struct mr_registrar registrar;
static struct mr_error err;
static char *memory;

/* A function to run at each ioctl, the number of ioctls so far, and the number after which they fail. */
static void (*interfere)(void);
static uint64_t calls, most_calls;

/* The library under test calls this in place of libc's ioctl(); the next one is that of the simulator. */
int ioctl(int fd, unsigned long request, ...)
{
	static int (*next)(int, unsigned long, ...);
	va_list ap;
	void *data;

	va_start(ap, request);
	data = va_arg(ap, void *);
	va_end(ap);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "ioctl");
	if (interfere)
		interfere();
	if (++calls > most_calls) {
		errno = ELOOP;
		return -1;
	}
	return next(fd, request, data);
}

static int set_up(void **state __attribute__((unused)))
{
	interfere = NULL;
	most_calls = UINT64_MAX;
	if (!open_new_session(&device, &session, &registrar, &err))
		return -1;
	memory = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? -1 : 0;
}

static int tear_down(void **state __attribute__((unused)))
{
	static uint32_t handles[MR_UVERBS_INFO_MAX];
	uint32_t count = 0;

	interfere = NULL;
	most_calls = UINT64_MAX;
	do {
		mr_uverbs_list(&session.uverbs, UVERBS_OBJECT_MR, handles, &count, &err);
		for (uint32_t i = 0; i < count; i++)
			mr_uverbs_destroy_mr(&session.uverbs, handles[i], &err);
	} while (count);
	munmap(memory, PAGE);
	mr_session_close(&session);
	mr_device_close(&device);
	return 0;
}

static struct mr_entry reg(enum mr_region_call call)
{
	const struct mr_region_request request = { .call = call,
						   .addr = (uintptr_t)memory,
						   .iova = (uintptr_t)memory,
						   .length = PAGE,
						   .access = 1,
						   .page_size = PAGE };
	struct mr_entry entry = { .page_shift = mr_page_shift(PAGE) };

	assert_int_equal(mr_session_register(&session, &registrar, &request, &entry, &err), 0);
	return entry;
}

static uint32_t slot_of(uint64_t id)
{
	uint32_t slot;

	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	slot = mr_table_find(&session.table, MR_BY_ID, id);
	mr_table_unlock(&session.table);
	return slot;
}

/* The entry in the shared memory, not a copy. */
static struct mr_entry *raw(uint32_t slot)
{
	return (struct mr_entry *)(void *)((char *)session.table.header + HEADER_SIZE) + slot;
}

static bool kernel_has(const struct mr_entry *entry)
{
	struct mr_uverbs_mr mr;

	return !mr_uverbs_query_mr(&session.uverbs, entry->handle, &mr, &err);
}

/* ---- commands act on the copy of an entry that they have checked ---- */

static uint32_t victim;

static void take_back_mark(void)
{
	raw(victim)->marked_ns = 0;
}

static atomic_bool at_work;

/* Another holder, which writes to the entry all the time. */
static void *flip_calls(void *data)
{
	while (at_work) {
		*(volatile uint8_t *)&raw(victim)->call = MR_UMEM_REG;
		*(volatile uint8_t *)&raw(victim)->call = MR_REG_MR_RELAXED;
		*(volatile uint8_t *)&raw(victim)->call = MR_REG_MR;
	}
	return data;
}

TEST(rereg_uses_the_copy_of_the_entry_that_it_has_claimed)
{
	struct mr_entry registered = reg(MR_REG_MR), before;
	int taken = 0, refused = 0;
	pthread_t flipper;

	victim = slot_of(registered.id);
	at_work = true;
	assert_int_equal(pthread_create(&flipper, NULL, flip_calls, NULL), 0);
	for (int i = 0; i < 100000; i++) {
		if (mr_session_begin_rereg(&session, victim, registered.id, &before, &err)) {
			refused++;
			continue;
		}
		taken++;
		assert_int_equal(before.call, MR_REG_MR);
		assert_int_equal(before.lkey, registered.lkey);
		mr_session_unclaim(&session, victim);
	}
	at_work = false;
	pthread_join(flipper, NULL);
	if (!taken || !refused) {
		print_message("the threads did not run side by side, as below valgrind\n");
		skip();
	}
}

TEST(rereg_of_an_entry_that_has_become_a_umem_or_relaxed_is_refused_and_releases_its_claim)
{
	struct mr_entry registered = reg(MR_REG_MR), before;

	victim = slot_of(registered.id);
	raw(victim)->call = MR_REG_MR_RELAXED;
	assert_int_equal(mr_session_begin_rereg(&session, victim, registered.id, &before, &err),
			 -EINVAL);
	assert_contains(err.text, "is relaxed");
	assert_false(session.table.locked);
	raw(victim)->call = MR_REG_MR;
	assert_int_equal(mr_session_begin_rereg(&session, victim, registered.id, &before, &err), 0);
	mr_session_unclaim(&session, victim);
}

TEST(values_that_the_kernel_was_not_asked_for_are_unknown)
{
	struct mr_entry registered = reg(MR_REG_MR);
	struct mr_session_region region;
	const struct mr_uverbs_mr *kernel = &region.kernel;

	victim = slot_of(registered.id);
	raw(victim)->state = MR_ENTRY_PENDING;
	memset(&region, 0xa5, sizeof(region));
	assert_int_equal(mr_session_query(&session, victim, &region, &err), 1);
	assert_int_equal(region.state, MR_STATE_IN_DOUBT);
	assert_int_equal(kernel->lkey | kernel->rkey | kernel->length | kernel->iova, 0);
	memset(&region, 0xa5, sizeof(region));
	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	assert_int_equal(mr_session_claim(&session, victim, registered.id, &region, &err), 0);
	assert_int_equal(kernel->lkey | kernel->rkey | kernel->length | kernel->iova, 0);
	mr_session_unclaim(&session, victim);
}

/* Asks again where the lock was held for long enough, as on a slow machine, until the kernel fails. */
static int ask(uint32_t *slot, struct mr_session_region *regions, int room)
{
	int count = 0, rc;

	do {
		rc = mr_session_query_next(&session, slot, regions + count, room - count, &err);
		assert_true(rc >= 0);
		count += rc;
	} while (rc && count < room && regions[count - 1].state != MR_STATE_UNKNOWN);
	return count;
}

/* At last the kernel fails from the third call on: a region behind it would overwrite the error. */
TEST(entries_that_are_asked_for_together_are_each_found_once_and_in_their_order)
{
	struct mr_session_region regions[4];
	struct mr_entry entries[5];
	uint32_t slot = 0;

	for (size_t i = 0; i < ARRAY_SIZE(entries); i++)
		entries[i] = reg(MR_REG_MR);
	assert_int_equal(mr_session_deregister(&session, slot_of(entries[1].id), entries[1].id,
					       &entries[1], NULL, &err),
			 0);
	assert_int_equal(ask(&slot, regions, 3), 3);
	assert_int_equal(regions[0].entry.id, entries[0].id);
	assert_int_equal(regions[1].entry.id, entries[2].id);
	assert_int_equal(regions[2].entry.id, entries[3].id);
	assert_int_equal(regions[2].state, MR_STATE_LIVE);
	assert_int_equal(regions[2].kernel.lkey, entries[3].lkey);
	assert_int_equal(ask(&slot, regions, 3), 1);
	assert_int_equal(regions[0].entry.id, entries[4].id);
	assert_int_equal(ask(&slot, regions, 3), 0);
	slot = 0;
	most_calls = calls + 2;
	assert_int_equal(ask(&slot, regions, 4), 3);
	assert_int_equal(regions[1].state, MR_STATE_LIVE);
	assert_int_equal(regions[2].state, MR_STATE_UNKNOWN);
	assert_int_equal(err.errnum, ELOOP);
}

TEST(a_flush_leaves_a_region_that_is_no_longer_marked)
{
	struct mr_entry first = reg(MR_REG_MR_RELAXED), second = reg(MR_REG_MR_RELAXED);
	bool deferred;
	uint64_t left;

	assert_int_equal(
		mr_dereg_mr_relaxed(&session, slot_of(first.id), first.id, HOUR, &deferred, &err),
		0);
	assert_int_equal(
		mr_dereg_mr_relaxed(&session, slot_of(second.id), second.id, HOUR, &deferred, &err),
		0);
	/* the second is invalidated first; the first is changed at that call */
	victim = slot_of(first.id);
	interfere = take_back_mark;
	mr_flush_relaxed_mr(&session, MR_ALL_PDS, NULL, NULL, &left, &err);
	interfere = NULL;
	assert_false(kernel_has(&second));
	assert_true(kernel_has(&first));
}

TEST(a_region_that_is_no_longer_relaxed_is_not_marked)
{
	struct mr_entry registered = reg(MR_REG_MR_RELAXED), entry;
	bool deferred = false;

	victim = slot_of(registered.id);
	raw(victim)->call = MR_REG_MR;
	assert_int_equal(
		mr_dereg_mr_relaxed(&session, victim, registered.id, HOUR, &deferred, &err),
		-EINVAL);
	assert_contains(err.text, "is not relaxed");
	assert_true(mr_table_get(&session.table, victim, &entry));
	assert_int_equal(entry.marked_ns, 0);
	assert_true(kernel_has(&registered));
}

TEST(dereg_reports_the_copy_of_the_entry_that_it_used)
{
	struct mr_entry registered = reg(MR_REG_MR), copy = registered;
	uint64_t ns;

	victim = slot_of(registered.id);
	copy.lkey = 0;
	copy.length = 0;
	assert_int_equal(mr_session_deregister(&session, victim, registered.id, &copy, &ns, &err),
			 0);
	assert_int_equal(copy.lkey, registered.lkey);
	assert_int_equal(copy.length, PAGE);
}

/* ---- limits of time ---- */

static void count_unlisted(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *region)
{
	(void)kind;
	(void)region;
	++*(uint32_t *)data;
}

/* Register regions without entries; on-demand, so that nothing is pinned. */
static void reg_many(uint32_t count)
{
	struct mr_uverbs_reg request = { .length = 64, .pd_handle = registrar.pd_handle };
	struct mr_uverbs_mr mr;

	request.addr = request.iova = (uintptr_t)memory;
	request.access = 1u << 6; /* IBV_ACCESS_ON_DEMAND */
	while (count-- > 0)
		assert_int_equal(mr_uverbs_reg_mr(&session.uverbs, &request, &mr, &err), 0);
}

static const struct mr_handle_set none;

TEST(a_handle_that_only_the_table_has_does_not_make_the_walk_longer)
{
	enum { MANY = MR_UVERBS_INFO_MAX + 100 };
	struct mr_entry registered = reg(MR_REG_MR), second = reg(MR_REG_MR);
	uint32_t unlisted = 0;

	reg_many(MANY);
	raw(slot_of(registered.id))->handle = 0xfffffb00;
	raw(slot_of(second.id))->handle = 0x7fffffff;
	calls = 0;
	most_calls =
		4 *
		MANY; /* an unlisted one is asked for twice, and as many numbers beyond are tried */
	assert_int_equal(mr_session_each_unlisted(&session, &none, count_unlisted, &unlisted, &err),
			 0);
	assert_int_equal(unlisted, MANY + 2);
}

/* The region with the highest handle is the oldest one, which the kernel does not list. */
TEST(a_walk_finds_a_region_beyond_many_that_were_deregistered)
{
	enum { MANY = MR_UVERBS_INFO_MAX + 100, GAP = 2000 };
	struct mr_uverbs_mr mr;
	uint32_t unlisted = 0;
	struct mr_entry last;

	reg_many(MANY + GAP);
	last = reg(MR_REG_MR);
	raw(slot_of(last.id))->handle = 0; /* now no entry has its handle */
	for (uint32_t handle = 0; handle < last.handle; handle++)
		if (!mr_uverbs_query_mr(&session.uverbs, handle, &mr, &err))
			assert_int_equal(mr_uverbs_destroy_mr(&session.uverbs, handle, &err), 0);
	reg_many(MANY);
	assert_int_equal(mr_session_each_unlisted(&session, &none, count_unlisted, &unlisted, &err),
			 0);
	assert_int_equal(unlisted, MANY + 1);
}

/* All entries are in one chain of an index: a search gives up, and does not find those far along it. */
TEST(a_search_along_an_overlong_chain_is_given_up)
{
	enum { MANY = 2000, NEAR = 900, FAR = 1100 };
	uint32_t slots[MANY], *buckets;
	uint64_t ids[MANY];
	struct mr_entry registered;

	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	for (uint32_t i = 0; i < MANY; i++) {
		registered = (struct mr_entry){ .page_shift = mr_page_shift(PAGE) };
		assert_int_equal(mr_table_add(&session.table, &registered, &slots[i], &err), 0);
		ids[i] = registered.id;
	}
	buckets = (uint32_t *)(void *)raw(session.table.capacity); /* index by id */
	for (uint32_t i = 0; i < session.table.buckets; i++)
		buckets[i] = slots[0];
	for (uint32_t i = 0; i < MANY; i++)
		raw(slots[i])->next[MR_BY_ID] = slots[(i + 1) % MANY];
	assert_int_equal(mr_table_find(&session.table, MR_BY_ID, ids[NEAR]), slots[NEAR]);
	assert_int_equal(mr_table_find(&session.table, MR_BY_ID, ids[FAR]), MR_NO_SLOT);
	mr_table_unlock(&session.table);
}

EACH_TEST(set_up, tear_down)
