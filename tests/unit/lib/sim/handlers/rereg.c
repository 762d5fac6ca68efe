// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The write command REREG_MR, also when two threads send it at once. */
#include <pthread.h>

#include "tests/unit/lib/sim/device.h"

#define CHANGEABLE                                                                                 \
	(LOCAL | REMOTE_READ | REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                     \
	 IB_UVERBS_ACCESS_RELAXED_ORDERING)

TEST(a_translation_keeps_the_key_while_it_fits)
{
	const struct {
		const char *name, *addr;
		uint64_t length, iova;
		bool new_key;
	} steps[] = {
		{ "as long", memory + 8 * PAGE, 8 * PAGE, IOVA, false },
		{ "shorter", memory + 1, 10, IOVA + 1, false },
		{ "IOVA 0", memory, 8 * PAGE, 0, false },
		{ "a page longer", memory, 9 * PAGE, IOVA, true },
		{ "longer than the new key", memory, 10 * PAGE, IOVA, true },
		{ "shorter again", memory, 9 * PAGE, IOVA, false },
		{ "as long as the key", memory, 10 * PAGE, IOVA, false },
	};
	struct ib_uverbs_reg_mr_resp older;
	uint32_t key, list[2], count = 2;

	assert_int_equal(reg_at(memory, 8 * PAGE, IOVA, LOCAL), 0);
	older = mr;
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	mr = older;
	for (typeof(*steps) *step = steps; step < steps + ARRAY_SIZE(steps); step++) {
		key = mr.lkey;
		assert_equal_for(step->name, translate(step->addr, step->length, step->iova), 0);
		assert_equal_for(step->name, mr.lkey != key, step->new_key);
		assert_region(step->length, step->iova);
		assert_int_equal(list_in(fd, UVERBS_OBJECT_MR, list, &count), 0);
		/* with a new key the driver has made a new MR, with the old handle */
		assert_equal_for(step->name, list[0] == older.mr_handle, step > steps + 2);
	}
}

TEST(translations_flags_and_handles_are_checked)
{
	assert_int_equal(reg_at(memory, 2 * PAGE, IOVA, LOCAL), 0);
	assert_int_equal(translate(memory, PAGE, IOVA + 1), EINVAL);
	assert_int_equal(translate(memory, 2 * PAGE, 0 - PAGE), EINVAL);
	assert_int_equal(change(8, NULL, 0, 0, 0, LOCAL), EOPNOTSUPP);
	assert_int_equal(change(REREG_PD, NULL, 0, 0, mr.mr_handle, LOCAL), EINVAL);
	assert_region(2 * PAGE, IOVA);
	mr.mr_handle = 4711;
	assert_int_equal(set_access(LOCAL), ENOENT);
}

TEST(access_is_checked)
{
	static const struct {
		uint32_t from, to;
		int error;
		bool new_key;
	} cases[] = {
		{ LOCAL, CHANGEABLE, 0, false },      { LOCAL, REMOTE_WRITE, EINVAL, false },
		{ 0, LOCAL, EACCES, false },          { 0, REMOTE_READ, 0, false },
		{ MW_BIND, LOCAL, 0, true },          { LOCAL, LOCAL | ZERO_BASED, 0, true },
		{ ODP, ODP | REMOTE_READ, 0, false }, { ODP, LOCAL, EOPNOTSUPP, false },
	};
	char name[32];
	uint32_t key;

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		snprintf(name, sizeof(name), "0x%x to 0x%x", c->from, c->to);
		assert_int_equal(reg_at(memory, PAGE, IOVA, c->from), 0);
		key = mr.lkey;
		assert_equal_for(name, set_access(c->to), c->error);
		assert_equal_for(name, mr.lkey != key, c->new_key);
		assert_region(PAGE, IOVA);
		assert_int_equal(dereg(mr.mr_handle), 0);
	}
	/* Write access depends on how the pages are pinned, not on the access that the region has now. */
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
	assert_int_equal(set_access(0), 0);
	assert_int_equal(set_access(LOCAL), 0);
	/* New memory is pinned with the access that the region has then. */
	assert_int_equal(translate(map(PAGE, PROT_READ), PAGE, IOVA), EFAULT);
	assert_int_equal(set_access(0), 0);
	assert_int_equal(translate(map(PAGE, PROT_READ), PAGE, IOVA), 0);
	assert_int_equal(set_access(LOCAL), EACCES);
}

TEST(on_demand_regions_get_a_new_key_with_new_memory)
{
	uint32_t key;

	assert_int_equal(reg_at(memory, PAGE, IOVA, ODP), 0);
	key = mr.lkey;
	assert_int_equal(translate(NOT_MAPPED, PAGE, IOVA), 0);
	assert_int_not_equal(mr.lkey, key);
	key = mr.lkey;
	assert_int_equal(change(REREG_TRANS | REREG_ACCESS, memory, PAGE, IOVA, 0, LOCAL), 0);
	assert_int_not_equal(mr.lkey, key);

	assert_int_equal(reg_at(NULL, UINT64_MAX, 0, ODP), 0);
	key = mr.lkey;
	assert_int_equal(set_access(LOCAL), EOPNOTSUPP);
	assert_int_equal(set_access(IB_UVERBS_ACCESS_ON_DEMAND), 0);
	assert_region(UINT64_MAX, 0);
	assert_int_not_equal(mr.lkey, key);
}

TEST_IN_CHILD(old_and_new_pages_count_together)
{
	EXPECT(!may_lock(10));
	EXPECT(!reg(memory, 6 * PAGE, LOCAL));
	EXPECT(translate(memory, 5 * PAGE, 0) == ENOMEM);
	EXPECT(!translate(memory, 4 * PAGE, 0));
	EXPECT(!reg(memory, 6 * PAGE, LOCAL));
	EXPECT(translate(memory, PAGE, 0) == ENOMEM);
	EXPECT(!set_access(0));
	/* a change that is refused leaves no page counted */
	EXPECT(!dereg(mr.mr_handle));
	EXPECT(!reg(memory, PAGE, LOCAL));
	EXPECT(translate(NOT_MAPPED, 3 * PAGE, 0) == EFAULT);
	EXPECT(translate(memory, 3 * PAGE, 0 - PAGE) == EINVAL);
	EXPECT(!reg(memory, 3 * PAGE, LOCAL));
	return 0;
}

/* ---- races ---- */

#define MUCH (7ul << 20) /* takes a while to pin, and is less than the usual RLIMIT_MEMLOCK */

static struct {
	int rc;
	bool done;
} race;

static void *translate_much(void *start)
{
	mr.mr_handle = pd + 1;
	race.rc = translate(start, MUCH, IOVA);
	__atomic_store_n(&race.done, true, __ATOMIC_RELEASE);
	return NULL;
}

TEST(only_one_of_two_changes_is_made)
{
	uint32_t access = 0;
	pthread_t thread;
	char *much;

	race.rc = 0;
	for (int i = 0; i < 2000 && race.rc != EBUSY; i++) {
		race.done = false;
		much = map(MUCH, PROT_READ | PROT_WRITE);
		assert_int_equal(reg(memory, PAGE, LOCAL), 0);
		assert_int_equal(pthread_create(&thread, NULL, translate_much, much), 0);
		while (!__atomic_load_n(&race.done, __ATOMIC_ACQUIRE)) {
			access ^= LOCAL;
			if (set_access(access))
				break;
		}
		assert_int_equal(pthread_join(thread, NULL), 0);
		munmap(much, MUCH);
		if (race.rc != EBUSY)
			assert_int_equal(dereg(mr.mr_handle), 0);
	}
	assert_int_equal(race.rc, EBUSY);
	assert_region(PAGE, (uintptr_t)memory);
}

EACH_TEST(open_device, close_device)
