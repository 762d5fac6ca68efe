// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Relaxed regions of a session, on the simulated HCA: their ranges, when they are marked and when they are
 * invalidated, and values that another holder of the table may write.
 */
#include <errno.h>
#include <signal.h>
#include <sys/mman.h>

#include "lib/base/clock.h"
#include "lib/base/signals.h"
#include "lib/session/open.h"
#include "lib/session/regions.h"
#include "lib/session/relaxed.h"
#include "lib/session/table/entries.h"
#include "lib/session/table/format.h"
#include "lib/session/table/index.h"
#include "lib/session/table/lock.h"
#include "lib/session/table/pds.h"
#include "lib/session/table/pool.h"
#include "lib/verbs/device.h"
#include "tests/unit/lib/session/new_session.h"
#include "tests/unit/unit.h"

#define PAGE 4096u
#define HOUR (3600 * UINT64_C(1000000000))

static struct mr_device device;
static struct mr_session session;
static struct mr_registrar registrar;
static struct mr_error err;
static uint64_t left;
static char *memory;

/* The regions for which mr_flush_relaxed_mr() has called report(). */
static struct {
	uint64_t ids[16];
	int errnums[16];
	unsigned int count;
} reported;

static int set_up(void **state __attribute__((unused)))
{
	reported.count = 0;
	if (!open_new_session(&device, &session, &registrar, &err))
		return -1;
	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? -1 : 0;
}

/* Regions are deregistered first: libibverbs leaks its memory of a PD that cannot be deallocated. */
static int tear_down(void **state __attribute__((unused)))
{
	struct mr_entry entry;
	uint64_t ns;

	for (uint32_t slot = 0; slot < session.table.capacity; slot++)
		if (mr_table_get(&session.table, slot, &entry))
			mr_session_deregister(&session, slot, entry.id, &entry, &ns, &err);
	munmap(memory, 2 * PAGE);
	mr_session_close(&session);
	mr_device_close(&device);
	return 0;
}

static int try_reg(struct mr_entry *entry)
{
	const struct mr_region_request request = { .call = MR_REG_MR_RELAXED,
						   .addr = (uintptr_t)memory + 100,
						   .length = PAGE,
						   .access = 1,
						   .page_size = PAGE };

	entry->page_shift = mr_page_shift(PAGE);
	return mr_reg_mr_relaxed(&session, &registrar, &request, entry, &err);
}

static uint32_t slot_of(uint64_t id)
{
	uint32_t slot;

	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	slot = mr_table_find(&session.table, MR_BY_ID, id);
	mr_table_unlock(&session.table);
	return slot;
}

/* Register a relaxed region in the PD of this slot. */
static uint64_t reg(uint16_t pd)
{
	struct mr_entry entry = { .pd = pd };

	assert_int_equal(try_reg(&entry), 0);
	return entry.id;
}

static uint64_t deferred(uint16_t pd, uint64_t defer_ns)
{
	uint64_t id = reg(pd);
	bool still = false;

	assert_int_equal(mr_dereg_mr_relaxed(&session, slot_of(id), id, defer_ns, &still, &err), 0);
	assert_true(still);
	return id;
}

static void report(void *data, const struct mr_entry *entry, uint64_t ns, struct mr_error *failure)
{
	assert_ptr_equal(data, &reported);
	assert_true(reported.count < ARRAY_SIZE(reported.ids));
	assert_true(failure || ns);
	reported.ids[reported.count] = entry ? entry->id : 0;
	reported.errnums[reported.count++] = failure ? failure->errnum : 0;
}

static bool has_reported(uint64_t id)
{
	for (unsigned int i = 0; i < reported.count; i++)
		if (reported.ids[i] == id && !reported.errnums[i])
			return true;
	return false;
}

/* The entry in the shared memory, as another holder of the table can change it. */
static struct mr_entry *raw(uint64_t id)
{
	struct mr_entry *entries =
		(struct mr_entry *)(void *)((char *)session.table.header + HEADER_SIZE);

	return entries + slot_of(id);
}

static bool kernel_has(const struct mr_entry *entry)
{
	struct mr_uverbs_mr mr;

	return !mr_uverbs_query_mr(&session.uverbs, entry->handle, &mr, &err);
}

TEST(the_kernel_gets_whole_pages_and_the_entry_the_range_asked_for)
{
	struct mr_entry entry = { .name = "a" };
	struct mr_uverbs_mr mr;

	assert_int_equal(try_reg(&entry), 0);
	assert_int_equal(entry.addr, (uintptr_t)memory + 100);
	assert_int_equal(entry.iova, entry.addr);
	assert_int_equal(entry.length, PAGE);
	assert_int_equal(mr_uverbs_query_mr(&session.uverbs, entry.handle, &mr, &err), 0);
	assert_int_equal(mr.length, 2 * PAGE);
	assert_int_equal(mr.iova, (uintptr_t)memory);
}

TEST(a_marked_region_exists_until_a_flush_reports_it)
{
	uint64_t id = deferred(0, 0), plain = reg(0);
	struct mr_table_pool pool;
	struct mr_entry entry;

	assert_true(mr_table_get(&session.table, slot_of(id), &entry));
	assert_true(mr_entry_is_marked(&entry));
	assert_true(kernel_has(&entry));
	mr_table_pool(&session.table, &pool);
	assert_int_equal(pool.relaxed, 2);
	assert_int_equal(pool.marked, 1);
	assert_int_equal(mr_flush_relaxed_mr(&session, MR_ALL_PDS, report, &reported, &left, &err),
			 0);
	assert_int_equal(reported.count, 1);
	assert_true(has_reported(id));
	assert_false(kernel_has(&entry));
	mr_table_pool(&session.table, &pool);
	assert_int_equal(pool.relaxed, 1);
	assert_int_equal(pool.marked, 0);
	assert_int_not_equal(slot_of(plain), MR_NO_SLOT);
}

TEST(a_flush_is_for_one_protection_domain_or_for_all)
{
	uint64_t first = deferred(0, HOUR), other = deferred(1, HOUR), none = deferred(64, HOUR);

	assert_int_equal(mr_flush_relaxed_mr(&session, 1, report, &reported, &left, &err), 0);
	assert_int_equal(reported.count, 1);
	assert_true(has_reported(other));
	assert_int_equal(mr_flush_relaxed_mr(&session, MR_ALL_PDS, report, &reported, &left, &err),
			 0);
	assert_int_equal(reported.count, 3);
	assert_true(has_reported(first) && has_reported(none));
}

TEST(only_regions_that_are_due_expire)
{
	uint64_t due = deferred(0, 0), late = deferred(0, HOUR), again = deferred(0, 0);

	mr_relaxed_expire(&session);
	assert_int_equal(slot_of(due), MR_NO_SLOT);
	assert_int_equal(slot_of(again), MR_NO_SLOT);
	assert_int_not_equal(slot_of(late), MR_NO_SLOT);
	/* as if it had been marked an HOUR ago */
	raw(late)->marked_ns = mr_now_ns() - HOUR;
	mr_relaxed_expire(&session);
	assert_int_equal(slot_of(late), MR_NO_SLOT);
}

TEST(a_mark_with_a_time_in_the_future_is_due)
{
	uint64_t id = deferred(0, HOUR);

	raw(id)->marked_ns = UINT64_MAX;
	mr_relaxed_expire(&session);
	assert_int_equal(slot_of(id), MR_NO_SLOT);
}

TEST(a_marked_region_is_not_marked_again_and_one_of_another_id_not_at_all)
{
	uint64_t id = deferred(0, HOUR), before = raw(id)->marked_ns;
	bool still;

	assert_int_equal(mr_dereg_mr_relaxed(&session, slot_of(id), id, 0, &still, &err),
			 -EALREADY);
	assert_int_equal(err.kind, MR_ERROR_RELAXED);
	assert_int_equal(raw(id)->marked_ns, before);
	assert_int_equal(mr_dereg_mr_relaxed(&session, slot_of(id), id + 1, 0, &still, &err),
			 -ENOENT);
	assert_int_equal(err.kind, MR_ERROR_ABSENT);
}

TEST(a_region_that_has_gone_is_not_marked_but_forgotten)
{
	uint64_t id = reg(0);
	uint32_t slot = slot_of(id);
	bool still;

	assert_int_equal(mr_uverbs_destroy_mr(&session.uverbs, raw(id)->handle, &err), 0);
	assert_int_equal(mr_dereg_mr_relaxed(&session, slot, id, 0, &still, &err), -ENOENT);
	assert_int_equal(slot_of(id), MR_NO_SLOT);
}

TEST(the_watermark_invalidates_all_marked_regions)
{
	const struct mr_table_pool pool = { .limit = 10, .watermark = 2 };
	uint64_t first, second;
	bool still = true;

	assert_int_equal(mr_relaxed_configure(&session, &pool, &err), 0);
	first = deferred(0, HOUR);
	second = reg(0);
	assert_int_equal(mr_dereg_mr_relaxed(&session, slot_of(second), second, HOUR, &still, &err),
			 0);
	assert_false(still);
	assert_int_equal(slot_of(first), MR_NO_SLOT);
	assert_int_equal(slot_of(second), MR_NO_SLOT);
}

TEST(a_full_pool_takes_a_region_only_where_a_marked_one_makes_room)
{
	const struct mr_table_pool pool = { .limit = 2, .watermark = 9 };
	struct mr_entry entry = { .id = 0 };
	uint64_t id;

	assert_int_equal(mr_relaxed_configure(&session, &pool, &err), 0);
	reg(0);
	id = deferred(0, HOUR);
	reg(0);
	assert_int_equal(slot_of(id), MR_NO_SLOT);
	assert_int_equal(try_reg(&entry), -EAGAIN);
	assert_int_equal(err.kind, MR_ERROR_RELAXED);
	assert_string_equal(err.call, "mr_reg_mr_relaxed");
}

TEST(a_blocked_signal_ends_a_flush_which_reports_how_many_are_left)
{
	uint64_t first, second;
	sigset_t set;

	first = deferred(0, HOUR);
	second = deferred(0, HOUR);
	deferred(1, HOUR);
	mr_signals_block();
	raise(SIGTERM);
	assert_int_equal(mr_flush_relaxed_mr(&session, 0, report, &reported, &left, &err), -EINTR);
	assert_int_equal(left, 2);
	assert_contains(err.text, "interrupted: 2 deferred regions are left");
	assert_int_equal(mr_flush_relaxed_mr(&session, MR_ALL_PDS, NULL, NULL, &left, &err),
			 -EINTR);
	assert_int_equal(left, 3);
	sigemptyset(&set);
	sigaddset(&set, SIGTERM);
	sigwaitinfo(&set, NULL);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	assert_int_equal(mr_flush_relaxed_mr(&session, 0, report, &reported, &left, &err), 0);
	assert_int_equal(left, 0);
	assert_true(has_reported(first) && has_reported(second));
}

/* Another holder of the session can write a wrong chain.  The flush ends, and no other region is invalidated. */
TEST(a_flush_ends_on_a_circular_chain_of_marked_entries)
{
	uint64_t first = deferred(0, HOUR), second = deferred(0, HOUR), plain = reg(0);

	raw(first)->next[MR_BY_MARK] = slot_of(second);
	assert_int_equal(mr_flush_relaxed_mr(&session, MR_ALL_PDS, report, &reported, &left, &err),
			 0);
	assert_int_equal(reported.count, 2);
	assert_true(has_reported(first) && has_reported(second));
	assert_int_not_equal(slot_of(plain), MR_NO_SLOT);
}

TEST(a_chain_ends_at_an_entry_that_is_not_marked)
{
	uint64_t plain = reg(0), first = deferred(0, HOUR), second = deferred(0, HOUR);

	raw(second)->next[MR_BY_MARK] = slot_of(plain);
	assert_int_equal(mr_flush_relaxed_mr(&session, MR_ALL_PDS, report, &reported, &left, &err),
			 0);
	assert_int_equal(reported.count, 1);
	assert_true(has_reported(second));
	assert_int_not_equal(slot_of(plain), MR_NO_SLOT);
	assert_int_not_equal(slot_of(first), MR_NO_SLOT);
	/* a slot beyond the table */
	session.table.header->marked = UINT32_MAX - 1;
	assert_int_equal(mr_flush_relaxed_mr(&session, MR_ALL_PDS, report, &reported, &left, &err),
			 0);
	assert_int_equal(reported.count, 1);
}

EACH_TEST(set_up, tear_down)
