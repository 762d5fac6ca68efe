// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rings that a traced process fills, also with what no agent writes. */
#include <pthread.h>

#include "lib/trace/trace.h"
#include "tests/unit/unit.h"

static struct mr_ring ring;
static struct mr_traced_record taken;
static int fd;

static void make(uint32_t frames)
{
	struct mr_error err;

	assert_int_equal(mr_ring_create(&ring, frames, &fd, &err), 0);
}

static void end(void)
{
	mr_ring_release(&ring);
	mr_ring_release(&ring);
	close(fd);
}

/* The record with an index, as the process has it. */
static struct mr_trace_record *at(uint64_t index)
{
	return (void *)((char *)(ring.shared + 1) +
			(index % MR_TRACE_SLOTS) * mr_trace_record_size(ring.frames));
}

static void put(uint64_t index)
{
	at(index)->addr = index;
	at(index)->ready = index + 1;
}

static void expect(bool is_last, uint64_t addr)
{
	assert_true(mr_ring_take(&ring, is_last, &taken));
	assert_int_equal(taken.call.addr, addr);
	assert_true(ring.shared->tail <= addr); /* its process may wait for that */
}

TEST(records_come_in_their_order_also_from_a_full_ring)
{
	make(0);
	assert_false(mr_ring_take(&ring, false, &taken));
	for (uint64_t i = 0; i < 3 * MR_TRACE_SLOTS; i++) {
		put(i);
		expect(false, i);
		assert_false(mr_ring_take(&ring, false, &taken));
	}
	for (uint64_t i = 0; i < MR_TRACE_SLOTS; i++)
		put(3 * MR_TRACE_SLOTS + i);
	for (uint64_t i = 0; i < MR_TRACE_SLOTS; i++)
		expect(false, 3 * MR_TRACE_SLOTS + i);
	assert_false(mr_ring_take(&ring, true, &taken));
	end();
}

static bool give_up(uint64_t *begin __attribute__((unused)))
{
	return false;
}

TEST(a_full_ring_takes_no_record)
{
	make(0);
	for (taken.call.addr = 0; taken.call.addr < MR_TRACE_SLOTS; taken.call.addr++)
		assert_true(mr_ring_put(&ring, &taken, give_up));
	assert_false(mr_ring_put(&ring, &taken, give_up));
	assert_int_equal(mr_ring_lost(&ring), 1);
	for (uint64_t i = 0; i < MR_TRACE_SLOTS; i++)
		assert_int_equal(at(i)->addr, i);
	end();
}

TEST(what_is_not_complete_is_waited_for_until_the_process_has_ended)
{
	make(0);
	put(1);
	put(MR_TRACE_SLOTS - 1);
	assert_false(mr_ring_take(&ring, false, &taken));
	expect(true, 1);
	expect(true, MR_TRACE_SLOTS - 1);
	assert_false(mr_ring_take(&ring, true, &taken));
	end();
}

TEST(a_wrong_index_is_no_record)
{
	static const uint64_t wrong[] = { 2, MR_TRACE_SLOTS + 1, UINT64_MAX, UINT64_MAX - 1,
					  UINT64_C(1) << 63 };

	make(0);
	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		at(0)->ready = wrong[i];
		for (int ends = 0; ends < 2; ends++)
			assert_equal_for(row_name(i), mr_ring_take(&ring, ends, &taken), false);
	}
	end();
}

TEST(the_header_is_not_believed)
{
	make(4);
	memset(ring.shared, 0xff, sizeof(*ring.shared));
	put(0);
	put(1);
	expect(false, 0);
	ring.shared->tail = UINT64_MAX / 2;
	expect(false, 1);
	assert_int_equal(mr_ring_lost(&ring), UINT64_MAX);
	end();
	assert_int_equal(mr_ring_lost(&ring), 0);
	assert_false(mr_ring_take(&ring, true, &taken));
}

TEST(return_addresses_and_names_end_with_the_record)
{
	static const uint32_t room[] = { 0, 1, MR_TRACE_FRAMES };

	for (size_t i = 0; i < ARRAY_SIZE(room); i++) {
		make(room[i]);
		at(0)->frame_count = i ? UINT32_MAX : 1;
		memset(at(0)->device, 'x', sizeof(at(0)->device));
		for (uint32_t j = 0; j < room[i]; j++)
			((uint64_t *)(at(0) + 1))[j] = j;
		put(0);
		expect(false, 0);
		assert_int_equal(taken.call.frame_count, room[i]);
		for (uint32_t j = 0; j < room[i]; j++)
			assert_int_equal(taken.frames[j], j);
		assert_int_equal(strlen(taken.call.device), MR_TRACE_DEVICE - 1);
		end();
	}
}

TEST(its_size_stays)
{
	make(0);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(ftruncate(fd, (off_t)mr_trace_ring_size(0) + 4096), -1);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_int_not_equal(fcntl(fd, F_GETFD) & FD_CLOEXEC, 0);
	end();
}

static void *write_on(void *data)
{
	atomic_bool *stop = data;

	for (uint32_t i = 0; !*stop; i++) {
		memset((char *)at(i) + sizeof(uint64_t), (int)(i | 0x80),
		       mr_trace_record_size(ring.frames) - sizeof(uint64_t));
		at(i)->ready = i + 1;
	}
	return NULL;
}

TEST(a_record_may_change_while_it_is_read)
{
	atomic_bool stop = false;
	pthread_t writer;

	make(2);
	assert_int_equal(pthread_create(&writer, NULL, write_on, &stop), 0);
	for (size_t count = 0; count < 100000; count++) {
		ring.taken = atomic_load(&at(count)->ready) - 1;
		if (mr_ring_take(&ring, count % 2, &taken))
			assert_true(taken.call.frame_count <= 2 &&
				    memchr(taken.call.device, '\0', MR_TRACE_DEVICE));
	}
	stop = true;
	pthread_join(writer, NULL);
	end();
}
