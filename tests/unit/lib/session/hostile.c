// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Values that another holder of a session may write into its table while a command runs, on the simulated
 * HCA.  The tests write some at each ioctl: they change between two reads of the table by the command.
 */
#include <dlfcn.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <sys/ioctl.h>

#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"
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

/* The regions for which mr_flush_relaxed_mr() has called report(). */
static struct {
	uint64_t ids[16];
	int errnums[16];
	unsigned int count;
} reported;

static uint64_t left;

static int set_up(void **state __attribute__((unused)))
{
	struct mr_environment environment;
	struct mr_table_pd pd;
	char where[32];
	int fd;

	interfere = NULL;
	most_calls = UINT64_MAX;
	reported.count = 0;
	mr_environment_init(&environment);
	if (mr_device_open(NULL, &device, &environment, &err) ||
	    mr_session_create(&device, &environment, &fd, &err))
		return -1;
	snprintf(where, sizeof(where), "fd:%d", fd);
	if (mr_session_open(where, &session, &err) || !mr_table_pd(&session.table, 0, &pd))
		return -1;
	close(fd);
	registrar = (struct mr_registrar){ .via = MR_VIA_KERNEL,
					   .uverbs = &session.uverbs,
					   .pd_handle = pd.handle };
	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? -1 : 0;
}

/* Checks that another open file of the table could lock and claim everything: no path has left a lock behind. */
static void assert_nothing_is_locked(void)
{
	struct flock lock = { .l_type = F_WRLCK };
	char path[64];
	int other;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", session.table.fd);
	other = open(path, O_RDWR | O_CLOEXEC);
	assert_true(other >= 0);
	assert_false(session.table.locked);
	assert_int_equal(fcntl(other, F_OFD_GETLK, &lock), 0);
	if (lock.l_type != F_UNLCK)
		fail_msg("byte %lld of the table is still locked", (long long)lock.l_start);
	close(other);
}

/* Regions are deregistered first: libibverbs leaks its memory of a PD that cannot be deallocated. */
static int tear_down(void **state __attribute__((unused)))
{
	static struct mr_handles mrs;

	interfere = NULL;
	most_calls = UINT64_MAX;
	assert_nothing_is_locked();
	do {
		mr_uverbs_list(&session.uverbs, UVERBS_OBJECT_MR, &mrs, &err);
		for (uint32_t i = 0; i < mrs.count; i++)
			mr_uverbs_destroy(&session.uverbs, MR_KIND_MR, mrs.list[i], &err);
	} while (mrs.count);
	munmap(memory, 2 * PAGE);
	mr_session_close(&session);
	mr_device_close(&device);
	return 0;
}

static struct mr_region_request request_of(enum mr_region_call call)
{
	return (struct mr_region_request){ .call = call,
					   .addr = (uintptr_t)memory,
					   .iova = (uintptr_t)memory,
					   .length = PAGE,
					   .access = 1,
					   .page_size = PAGE };
}

static struct mr_entry reg(enum mr_region_call call)
{
	const struct mr_region_request request = request_of(call);
	struct mr_entry entry = { .page_shift = mr_page_shift(PAGE) };

	assert_int_equal(mr_session_register(&session, &registrar, &request, &entry, &err), 0);
	return entry;
}

static uint32_t slot_of(uint64_t id)
{
	uint32_t slot;

	assert_int_equal(mr_table_lock(&session.table, &err), 0);
	slot = mr_table_find(&session.table, MR_BY_ID, id, NULL);
	mr_table_unlock(&session.table);
	return slot;
}

/* The entry in the shared memory, not a copy. */
static struct mr_entry *raw(uint32_t slot)
{
	return mr_entry_at(&session.table, slot);
}

static bool kernel_has(const struct mr_entry *entry)
{
	struct mr_uverbs_mr mr;

	return !mr_uverbs_query_mr(&session.uverbs, entry->handle, &mr, &err);
}

/* ---- relaxed regions; tests/cli/relaxed.bats has what commands do with them ---- */

/* Registers a relaxed region inside of pages, in the PD of this slot; returns its id. */
static uint64_t plain(uint16_t pd)
{
	struct mr_region_request request = request_of(MR_REG_MR_RELAXED);
	struct mr_entry entry = { .pd = pd, .page_shift = mr_page_shift(PAGE) };

	request.addr += 100;
	assert_int_equal(mr_reg_mr_relaxed(&session, &registrar, &request, &entry, &err), 0);
	return entry.id;
}

static uint64_t deferred(uint16_t pd)
{
	uint64_t id = plain(pd);
	bool still = false;

	assert_int_equal(mr_dereg_mr_relaxed(&session, slot_of(id), id, HOUR, &still, &err), 0);
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

static int flush(uint32_t pd)
{
	return mr_flush_relaxed_mr(&session, pd, report, &reported, &left, &err);
}

static bool has_reported(uint64_t id)
{
	for (unsigned int i = 0; i < reported.count; i++)
		if (reported.ids[i] == id && !reported.errnums[i])
			return true;
	return false;
}

TEST(a_region_that_was_marked_at_a_time_to_come_is_due)
{
	uint64_t late = deferred(0), future = deferred(0);

	raw(slot_of(future))->marked_ns = UINT64_MAX;
	mr_relaxed_expire(&session);
	assert_int_equal(slot_of(future), MR_NO_SLOT);
	assert_int_not_equal(slot_of(late), MR_NO_SLOT);
	raw(slot_of(late))->marked_ns = mr_now_ns() - HOUR;
	mr_relaxed_expire(&session);
	assert_int_equal(slot_of(late), MR_NO_SLOT);
}

/* Another holder of the session can write a wrong chain.  The flush ends, and no other region is invalidated. */
TEST(a_flush_ends_on_a_damaged_chain_of_marked_entries)
{
	uint64_t kept = plain(0), first = deferred(0), second = deferred(0);

	raw(slot_of(second))->next[MR_BY_MARK] = slot_of(kept); /* not marked: the end */
	assert_int_equal(flush(MR_ALL_PDS), 0);
	assert_int_equal(reported.count, 1);
	assert_true(has_reported(second));
	session.table.header->marked = UINT32_MAX - 1; /* beyond the table */
	assert_int_equal(flush(MR_ALL_PDS), 0);
	assert_nothing_is_locked();
	assert_int_equal(reported.count, 1);
	session.table.header->marked = slot_of(first);
	second = deferred(0);
	raw(slot_of(first))->next[MR_BY_MARK] = slot_of(second); /* a circle */
	assert_int_equal(flush(MR_ALL_PDS), 0);
	assert_int_equal(reported.count, 3);
	assert_true(has_reported(first) && has_reported(second));
	assert_int_not_equal(slot_of(kept), MR_NO_SLOT);
}

static uint32_t victim;

static void take_back_mark(void)
{
	raw(victim)->marked_ns = 0;
}

TEST(a_flush_leaves_a_region_that_is_no_longer_marked)
{
	uint64_t first = deferred(0), second = deferred(0);
	struct mr_entry kept, gone;

	/* the second is invalidated first; the first is changed at that call */
	victim = slot_of(first);
	assert_true(mr_table_get(&session.table, victim, &kept));
	assert_true(mr_table_get(&session.table, slot_of(second), &gone));
	interfere = take_back_mark;
	assert_int_equal(flush(MR_ALL_PDS), 0);
	interfere = NULL;
	assert_false(kernel_has(&gone));
	assert_true(kernel_has(&kept));
}

/* ---- calls that an entry refuses ---- */

enum deed { REREG, DEFER, DEREG, INVALIDATE };

/* Does it to the entry in @victim. */
static int deal(enum deed deed, uint64_t id, struct mr_entry *entry)
{
	struct mr_session_rereg job = { .slot = victim, .before = *entry };
	uint64_t ns;
	bool still;
	int rc;

	switch (deed) {
	case REREG:
		rc = mr_session_begin_rereg(&session, &job, id, &err);
		*entry = job.before;
		return rc;
	case DEFER:
		return mr_dereg_mr_relaxed(&session, victim, id, HOUR, &still, &err);
	case DEREG:
		return mr_session_deregister(&session, victim, id, false, entry, &ns, &err);
	default:
		return mr_session_deregister(&session, victim, id, true, entry, &ns, &err);
	}
}

/* Events that the region may meet meanwhile. */
enum event { NOTHING, MARKED, DESTROYED, OTHER_ID };

TEST(a_refused_call_leaves_no_claim_and_no_lock)
{
	enum { PLAIN = MR_REG_MR, RELAXED = MR_REG_MR_RELAXED, UMEM = MR_UMEM_REG };
	static const struct {
		const char *name;
		unsigned int call, becomes; /* another holder may write another call */
		enum event event;
		enum deed deed;
		int rc, kind;
	} cases[] = {
		{ "rereg relaxed", PLAIN, RELAXED, NOTHING, REREG, -EINVAL, MR_ERROR_RELAXED },
		{ "rereg a umem", PLAIN, UMEM, NOTHING, REREG, -EINVAL, MR_ERROR_HOST },
		{ "rereg gone", PLAIN, PLAIN, DESTROYED, REREG, -ENOENT, MR_ERROR_ABSENT },
		{ "rereg another", PLAIN, PLAIN, OTHER_ID, REREG, -ENOENT, MR_ERROR_ABSENT },
		{ "defer plain", RELAXED, PLAIN, NOTHING, DEFER, -EINVAL, MR_ERROR_HOST },
		{ "defer twice", RELAXED, RELAXED, MARKED, DEFER, -EALREADY, MR_ERROR_RELAXED },
		{ "defer gone", RELAXED, RELAXED, DESTROYED, DEFER, -ENOENT, MR_ERROR_ABSENT },
		{ "defer another", RELAXED, RELAXED, OTHER_ID, DEFER, -ENOENT, MR_ERROR_ABSENT },
		{ "dereg gone", PLAIN, PLAIN, DESTROYED, DEREG, -ENOENT, MR_ERROR_ABSENT },
		{ "dereg another", PLAIN, PLAIN, OTHER_ID, DEREG, -ENOENT, MR_ERROR_ABSENT },
		{ "invalidate", RELAXED, RELAXED, NOTHING, INVALIDATE, -ENOENT, MR_ERROR_ABSENT },
	};

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		struct mr_entry registered = reg(c->call), entry = registered;
		uint64_t marked_ns;

		victim = slot_of(registered.id);
		raw(victim)->call = (uint8_t)c->becomes;
		if (c->becomes == UMEM)
			raw(victim)->state = MR_ENTRY_IN_DOUBT;
		if (c->event == MARKED)
			assert_int_equal(deal(DEFER, registered.id, &entry), 0);
		if (c->event == DESTROYED)
			mr_uverbs_destroy(&session.uverbs, MR_KIND_MR, registered.handle, &err);
		marked_ns = raw(victim)->marked_ns;
		assert_equal_for(c->name,
				 deal(c->deed, registered.id + (c->event == OTHER_ID), &entry),
				 c->rc);
		assert_equal_for(c->name, err.kind, c->kind);
		assert_nothing_is_locked();
		assert_equal_for(c->name, raw(victim)->marked_ns, marked_ns);
		/* rereg alone leaves the entry of a region that has gone */
		assert_equal_for(c->name, slot_of(registered.id) == MR_NO_SLOT,
				 c->event == DESTROYED && c->deed != REREG);
	}
}

static void become_umem(void)
{
	raw(victim)->call = MR_UMEM_REG;
	interfere = NULL;
}

TEST(dereg_and_rereg_use_and_report_the_copy_of_the_entry_that_they_have_checked)
{
	struct mr_entry registered = reg(MR_REG_MR), copy = registered;

	victim = slot_of(registered.id);
	for (enum deed deed = REREG; deed <= DEREG; deed += DEREG - REREG) {
		copy.lkey = 0;
		raw(victim)->call = MR_REG_MR;
		interfere = become_umem; /* at the first call of the kernel */
		assert_int_equal(deal(deed, registered.id, &copy), 0);
		assert_null(interfere);
		assert_int_equal(copy.call, MR_REG_MR);
		assert_int_equal(copy.lkey, registered.lkey);
		if (deed == REREG)
			mr_session_unclaim(&session, victim);
		assert_nothing_is_locked();
	}
	assert_false(kernel_has(&registered));
}

/* ---- another holder takes the entry while the kernel is asked ---- */

static void take_entry(void)
{
	raw(victim)->id++;
	interfere = NULL;
}

static uint32_t count_unlisted(void);

TEST(a_region_that_is_refused_or_whose_entry_another_holder_has_taken_leaves_nothing)
{
	struct mr_region_request request = request_of(MR_REG_MR);
	struct mr_entry entry = { .page_shift = mr_page_shift(PAGE) };

	request.access = 2; /* remote-write without local-write */
	assert_int_equal(mr_session_register(&session, &registrar, &request, &entry, &err),
			 -EINVAL);
	assert_nothing_is_locked();
	assert_int_equal(mr_table_count(&session.table), 0);
	request.access = 1;
	victim = 0; /* the first slot */
	interfere = take_entry;
	assert_int_equal(mr_session_register(&session, &registrar, &request, &entry, &err),
			 -ENOENT);
	assert_contains(err.text, "was deregistered again");
	assert_int_equal(count_unlisted(), 0);
}

TEST(a_changed_region_whose_entry_another_holder_has_taken_is_reported_as_gone)
{
	struct mr_session_rereg job = { .registrar = registrar,
					.request = { .changes = MR_CHANGE_ACCESS } };
	struct mr_entry registered;

	victim = 0;
	for (int meanwhile = 0; meanwhile < 2; meanwhile++) {
		registered = reg(MR_REG_MR);
		assert_int_equal(slot_of(registered.id), 0);
		job.request.length = registered.length;
		job.before = registered;
		assert_int_equal(deal(REREG, registered.id, &job.before), 0);
		job.after = job.before;
		if (meanwhile)
			interfere = take_entry;
		else
			take_entry();
		assert_int_equal(mr_session_rereg(&session, &job, &err), -ENOENT);
		assert_int_equal(err.kind, MR_ERROR_ABSENT);
		assert_nothing_is_locked();
		assert_int_equal(raw(0)->id, registered.id + 1);
		assert_true(kernel_has(&registered));
		raw(0)->id = registered.id;
		assert_int_equal(deal(DEREG, registered.id, &job.before), 0);
	}
}

/* ---- what commands know of entries ---- */

TEST(values_that_the_kernel_was_not_asked_for_are_unknown)
{
	struct mr_entry registered = reg(MR_REG_MR);
	struct mr_session_region region;
	const struct mr_uverbs_mr *kernel = &region.kernel;

	victim = slot_of(registered.id);
	raw(victim)->state = MR_ENTRY_PENDING;
	memset(&region, 0xa5, sizeof(region));
	assert_int_equal(mr_session_query(&session, victim, &region, &err), 1);
	assert_nothing_is_locked();
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
	victim = slot_of(entries[1].id);
	assert_int_equal(deal(DEREG, entries[1].id, &entries[1]), 0);
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

/* ---- walks and searches that other holders would make longer ---- */

/* Registers regions without entries; on-demand, so that nothing is pinned. */
static void reg_many(uint32_t count)
{
	const struct mr_region_request request = { .call = MR_REG_MR,
						   .addr = (uintptr_t)memory,
						   .length = 64,
						   .access = MR_ACCESS_ON_DEMAND };
	struct mr_region region;

	while (count-- > 0)
		assert_int_equal(mr_region_register(&registrar, &request, &region, &err), 0);
}

static void count_one(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *region)
{
	(void)kind;
	(void)region;
	assert_false(session.table.locked);
	++*(uint32_t *)data;
}

static uint32_t count_unlisted(void)
{
	static const struct mr_handle_set none;
	uint32_t count = 0;

	assert_int_equal(mr_session_each_unlisted(&session, &none, count_one, &count, &err), 0);
	return count;
}

TEST(a_handle_that_only_the_table_has_does_not_make_the_walk_longer)
{
	enum { MANY = MR_UVERBS_INFO_MAX + 100 };
	struct mr_entry registered = reg(MR_REG_MR), second = reg(MR_REG_MR);

	assert_int_equal(count_unlisted(), 0);
	reg_many(MANY);
	raw(slot_of(registered.id))->handle = 0xfffffb00;
	raw(slot_of(second.id))->handle = 0x7fffffff;
	calls = 0;
	/* an unlisted one is asked for twice, and as many numbers beyond are tried */
	most_calls = 4 * MANY;
	assert_int_equal(count_unlisted(), MANY + 2);
}

/* The region with the highest handle is the oldest one, which the kernel does not list. */
TEST(a_walk_finds_a_region_beyond_many_that_were_deregistered)
{
	enum { MANY = MR_UVERBS_INFO_MAX + 100, GAP = 2000 };
	struct mr_uverbs_mr mr;
	struct mr_entry last;

	reg_many(MANY + GAP);
	last = reg(MR_REG_MR);
	raw(slot_of(last.id))->handle = 0; /* now no entry has its handle */
	for (uint32_t handle = 0; handle < last.handle; handle++)
		if (!mr_uverbs_query_mr(&session.uverbs, handle, &mr, &err))
			assert_int_equal(mr_uverbs_destroy(&session.uverbs, MR_KIND_MR, handle, &err), 0);
	reg_many(MANY);
	assert_int_equal(count_unlisted(), MANY + 1);
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
	assert_int_equal(mr_table_find(&session.table, MR_BY_ID, ids[NEAR], NULL), slots[NEAR]);
	assert_int_equal(mr_table_find(&session.table, MR_BY_ID, ids[FAR], NULL), MR_NO_SLOT);
	mr_table_unlock(&session.table);
}

EACH_TEST(set_up, tear_down)
