// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The objects of a traced process are found by their pointers. */
#include <stdlib.h>

#include "lib/trace/trace.h"
#include "tests/unit/unit.h"

#define COUNT 10000

static struct mr_objects objects;

/* Pointers of malloc(), of pages, and of no kind at all: they differ in few bits. */
static uint64_t pointer_of(uint64_t i)
{
	const uint64_t steps[] = { 0x10, 0x1000, UINT64_C(1) << 44 };

	return UINT64_C(0x7f0000000000) + i % 3 + steps[i % 3] * (i / 3);
}

static void count(const struct mr_object *object, void *data)
{
	uint64_t *sum = data;

	sum[0]++;
	sum[1] += object->bytes;
}

static void expect_all_from(uint64_t first)
{
	uint64_t sum[2] = { 0 }, bytes = 0;

	for (uint64_t i = 0; i < COUNT; i++) {
		const struct mr_object *found = mr_objects_find(&objects, pointer_of(i));

		assert_true(!found == (i < first));
		assert_true(!found || found->bytes == i);
		bytes += found ? i : 0;
	}
	mr_objects_visit(&objects, count, sum);
	assert_int_equal(sum[0], COUNT - first);
	assert_int_equal(sum[0], objects.count);
	assert_int_equal(sum[1], bytes);
}

TEST(each_object_is_found_until_it_is_removed)
{
	for (int round = 0; round < 2; round++) {
		expect_all_from(COUNT);
		for (uint64_t i = 0; i < COUNT; i++) {
			struct mr_object *object = mr_objects_add(&objects, pointer_of(i));

			assert_non_null(object);
			object->bytes = i;
		}
		expect_all_from(0);
		for (uint64_t i = 0; i < COUNT / 2; i++)
			mr_objects_remove(&objects, mr_objects_find(&objects, pointer_of(i)));
		expect_all_from(COUNT / 2);
		mr_objects_release(&objects);
	}
	expect_all_from(COUNT);
}
