// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Following processes whose agents the tests play: what they write and ask need not be right. */
#include <sys/resource.h>

#include "lib/trace/trace.h"
#include "tests/unit/unit.h"

#include "tests/unit/lib/trace/play_agent.h"

static struct mr_follow follow;
static int status;
static size_t seen_calls;

static struct mr_trace_ring *ring;
static uint64_t next;

static void join(void)
{
	const size_t size = mr_trace_ring_size(follow.frames);
	int fd;

	if (play_ask(&follow.channel, MR_TRACE_JOIN, &fd) <= 0 || fd < 0)
		_exit(100);
	ring = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		_exit(101);
	close(fd);
	next = 0;
}

/* Waits for room, as the agent does. */
static void put(struct mr_trace_record call)
{
	const size_t at = (next % MR_TRACE_SLOTS) * mr_trace_record_size(follow.frames);
	struct mr_trace_record *record = (void *)((char *)(ring + 1) + at);

	while (next - atomic_load(&ring->tail) >= MR_TRACE_SLOTS)
		usleep(100);
	memcpy((char *)record + sizeof(record->ready), (char *)&call + sizeof(record->ready),
	       sizeof(call) - sizeof(record->ready));
	atomic_store(&record->ready, ++next);
}

static struct mr_trace_record registers(uint64_t object, uint64_t length)
{
	return (struct mr_trace_record){ .call = MR_TRACED_IBV_REG_MR,
					 .object = object,
					 .caller = (uintptr_t)put + 4,
					 .addr = 0x1000,
					 .length = length,
					 .device = "mlx5_0" };
}

static void take_call(void *data __attribute__((unused)),
		      struct mr_traced_process *process __attribute__((unused)),
		      const struct mr_traced_record *record __attribute__((unused)),
		      struct mr_site *site __attribute__((unused)),
		      const struct mr_look *look __attribute__((unused)))
{
	seen_calls++;
}

/* Follows a child that runs @agent. */
static void run(void (*agent)(void))
{
	struct mr_error err;
	pid_t child;

	seen_calls = 0;
	follow = (struct mr_follow){ .sink = { .call = take_call } };
	assert_int_equal(mr_channel_open(&follow.channel, &err), 0);
	child = mr_follow_fork(&follow);
	if (!child) {
		agent();
		_exit(7);
	}
	assert_int_equal(mr_follow_run(&follow, child, &status, &err), 0);
	assert_int_equal(follow.process_count, 0);
}

static uint64_t calls_of(enum mr_traced_call call)
{
	return follow.totals.calls[call].calls;
}

/* The agent has come to its end. */
static void expect_exit(void)
{
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	mr_follow_close(&follow);
}

static void write_garbage(void)
{
	static const uint32_t no_calls[] = { MR_TRACED_CALL_COUNT, MR_TRACED_CALL_COUNT + 1,
					     UINT32_MAX, 0x80000000 };
	struct mr_trace_record record;

	join();
	memset(ring, 0xff, sizeof(*ring));
	ring->tail = 0;
	ring->lost = 0;
	for (size_t i = 0; i < ARRAY_SIZE(no_calls); i++) {
		record = registers(1, 4096);
		record.call = no_calls[i];
		put(record);
	}
	record = registers(1, 4096);
	record.errnum = INT32_MIN;
	put(record);
	for (uint32_t call = 0; call < MR_TRACED_CALL_COUNT; call++) {
		memset(&record, 0xff, sizeof(record));
		record.call = call;
		record.errnum = 0;
		put(record);
		record.object = call;
		put(record);
	}
}

TEST(garbage_is_left_out_or_counted_once)
{
	run(write_garbage);
	assert_int_equal(seen_calls, 2 * MR_TRACED_CALL_COUNT);
	for (uint32_t call = 0; call < MR_TRACED_CALL_COUNT; call++)
		assert_int_equal(calls_of(call), 2);
	assert_int_equal(follow.totals.live.count, 0);
	expect_exit();
}

static uint32_t refused_call;

static void refuse_calls(void)
{
	static const int errnums[] = { EINVAL, EBUSY, EOPNOTSUPP, ENOMEM, EFAULT, EAGAIN };

	join();
	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++)
		put((struct mr_trace_record){ .call = refused_call,
					      .object = 1,
					      .errnum = errnums[i],
					      .caller = (uintptr_t)put + 4 });
}

/* A PD is busy, and a queue is one that the device cannot have. */
TEST(only_errnos_that_may_be_about_memory_are_refused_registrations)
{
	static const struct {
		uint32_t call;
		uint64_t refusals;
	} rows[] = { { MR_TRACED_IBV_DEALLOC_PD, 5 }, { MR_TRACED_IBV_CREATE_QP, 4 } };

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		refused_call = rows[i].call;
		run(refuse_calls);
		assert_equal_for(row_name(i), follow.totals.calls[refused_call].refused, 6);
		assert_equal_for(row_name(i), follow.refusals.total, rows[i].refusals);
		expect_exit();
	}
}

static void call_a_million_times(void)
{
	join();
	for (uint64_t i = 0; i < 500000; i++) {
		struct mr_trace_record refused = registers(0, 4096);

		refused.errnum = ENOMEM;
		put(registers(i + 1, 4096));
		put((struct mr_trace_record){ .call = MR_TRACED_IBV_DEREG_MR, .object = i + 1 });
		put(refused);
	}
}

static void call_from_everywhere(void)
{
	join();
	for (uint64_t i = 0; i < 100000; i++) {
		struct mr_trace_record record = registers(i, 1);

		record.caller = i * 0x12345;
		put(record);
	}
}

/* Memory grows with what is registered, and a little with places, but not with calls. */
TEST(places_leaks_and_memory_are_bounded)
{
	struct rusage before, after;

	getrusage(RUSAGE_SELF, &before);
	run(call_a_million_times);
	getrusage(RUSAGE_SELF, &after);
	assert_int_equal(seen_calls, 1500000);
#ifndef __SANITIZE_ADDRESS__ /* which keeps freed memory, as valgrind does */
	/* the ring itself, and places */
	if (!getenv("WRAP"))
		assert_true(after.ru_maxrss - before.ru_maxrss < 16 * 1024);
#endif
	expect_exit();
	run(call_from_everywhere);
	assert_int_equal(calls_of(MR_TRACED_IBV_REG_MR), 100000);
	assert_int_equal(follow.totals.live.most_count, 100000);
	assert_in_range(follow.leaks.count, 1, MR_LEDGER_SITES + 1);
	expect_exit();
}
