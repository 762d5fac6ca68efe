// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Finding a session by --session and MRCTL_SESSION, the sessions of other processes, and the process of a
 * region.  tests/cli/session-join.bats has the processes that lead to each other, have ended or are another user's.
 */
#include <pthread.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/session/session.h"
#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

static struct mr_error err;

TEST(words_for_a_session_are_checked)
{
	static const char *const malformed[] = {
		"", "x", "fd:", "fd:-1", "-1", "pid:x", "pid: 1", "fd:1x", "FD:1", "socket:1",
		"fd:99999999999", "pid:99999999999",
	};
	int fd = -1, borrowed = -1;
	char quoted[32];

	for (size_t i = 0; i < ARRAY_SIZE(malformed); i++) {
		snprintf(quoted, sizeof(quoted), "'%s'", malformed[i]);
		assert_failure(mr_session_locate(malformed[i], &fd, &borrowed, &err), -EINVAL, err,
			       MR_ERROR_USAGE, quoted);
	}
	assert_failure(mr_session_locate("fd:777", &fd, &borrowed, &err), -EBADF, err,
		       MR_ERROR_ABSENT, "777");
	assert_failure(mr_session_locate("pid:0", &fd, &borrowed, &err), -ESRCH, err,
		       MR_ERROR_ABSENT, "no process has the number 0");
	assert_int_equal(mr_session_locate("fd:1", &fd, &borrowed, &err), 0);
	assert_int_equal(fd, 1);
	assert_int_equal(mr_session_locate("2", &fd, &borrowed, &err), 0);
	assert_int_equal(fd, 2);
	assert_int_equal(borrowed, -1);
}

/* ---- processes ---- */

/* valgrind 3.19 does not know pidfd_open. */
static void need_pidfd(void)
{
	if (getenv("WRAP"))
		skip();
}

static int join_process(pid_t pid, int *borrowed)
{
	char where[32];
	int fd;

	*borrowed = -1;
	snprintf(where, sizeof(where), "pid:%d", (int)pid);
	return mr_session_locate(where, &fd, borrowed, &err);
}

static pthread_barrier_t barrier;

static void *tell_number(void *number)
{
	*(pid_t *)number = gettid();
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

TEST(a_thread_is_not_taken_for_a_process)
{
	char process[32];
	pthread_t thread;
	pid_t number;
	int borrowed;

	need_pidfd();
	assert_int_equal(pthread_barrier_init(&barrier, NULL, 2), 0);
	assert_int_equal(pthread_create(&thread, NULL, tell_number, &number), 0);
	pthread_barrier_wait(&barrier);
	assert_failure(join_process(INT32_MAX, &borrowed), -ESRCH, err, MR_ERROR_ABSENT, "the session has ended");
	assert_failure(join_process(number, &borrowed), -ESRCH, err, MR_ERROR_ABSENT,
		       "is a thread, not a process");
	snprintf(process, sizeof(process), "pid:%d", (int)getpid());
	assert_contains(err.hint, process);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	pthread_barrier_destroy(&barrier);
}

TEST(a_search_for_sessions_that_runs_out_of_time_is_incomplete)
{
	struct mr_sessions found;

	assert_int_equal(mr_sessions_find(0, &found, NULL, NULL, &err), 0);
	assert_true(found.incomplete);
	assert_int_equal(found.count, 0);
	mr_sessions_release(&found);
}

/* ---- the process that registered a region ---- */

/* The answer for an entry with this pid and start time, in a session opened in this PID namespace. */
static enum mr_tristate lives(uint32_t namespace, uint32_t pid, uint32_t start)
{
	struct mr_session session = { .device.pid_namespace = namespace };
	struct mr_entry entry = { .registrant = { pid, start } };

	return mr_registrant_lives(&session, &entry);
}

/* Returns what a registration records of this process, in a session opened in this PID namespace. */
static struct mr_registrant noted(uint32_t namespace)
{
	struct mr_session session = { .device.pid_namespace = namespace };
	struct mr_entry entry = { .access = MR_ACCESS_ON_DEMAND };

	mr_registrant_note(&session, &entry);
	return entry.registrant;
}

TEST(the_process_of_a_region_is_known_only_in_the_pid_namespace_of_the_session)
{
	uint32_t here = mr_process_namespace();
	struct mr_registrant self = noted(here);
	struct mr_session session = { .device.pid_namespace = 0 };
	struct mr_entry named = { .memory = "cuda:0" };
	struct mr_entry gpu = { .memory = "a text that was cut", .memory_of = MR_MEMORY_OF_GPU };

	/* a start time is never the value for unknown */
	assert_int_equal(mr_registrant_start(0), 0);
	assert_int_equal(mr_registrant_start(7), 7);
	assert_int_equal(mr_registrant_start(UINT64_C(1) << 32), 1);
	assert_int_equal(mr_registrant_start((UINT64_C(5) << 32) + 9), 9);

	assert_true(here);
	assert_int_equal(self.pid, getpid());
	assert_int_equal(lives(here, self.pid, self.start), MR_YES);
	assert_int_equal(lives(here, self.pid, self.start + 1), MR_NO);
	assert_int_equal(lives(here, self.pid, 0), MR_UNKNOWN);
	/* values that another holder could write */
	assert_int_equal(lives(here, 0, 1), MR_UNKNOWN);
	assert_int_equal(lives(here, UINT32_MAX, 1), MR_UNKNOWN);
	assert_int_equal(noted(here + 1).start, 0);
	assert_int_equal(noted(0).start, 0);
	assert_int_equal(lives(here + 1, self.pid, self.start), MR_UNKNOWN);
	assert_int_equal(lives(0, self.pid, self.start), MR_UNKNOWN);

	/* a region on a GPU is recognised by its entry, and not by the text of its memory */
	mr_registrant_note(&session, &named);
	assert_false(mr_registrant_needed(&named));
	mr_registrant_note(&session, &gpu);
	assert_true(mr_registrant_needed(&gpu));
}
