// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whether the process that registered a region is still running. */
#include "lib/base/tristate.h"
#include "lib/host/process.h"
#include "lib/session/registrant.h"
#include "lib/verbs/access.h"
#include "tests/unit/unit.h"

TEST(a_start_time_is_never_the_value_for_unknown)
{
	assert_int_equal(mr_registrant_start(0), 0);
	assert_int_equal(mr_registrant_start(7), 7);
	assert_int_equal(mr_registrant_start(UINT64_C(1) << 32), 1);
	assert_int_equal(mr_registrant_start((UINT64_C(5) << 32) + 9), 9);
}

/* The answer for an entry with this pid and start time, in a session opened in this PID namespace. */
static enum mr_tristate lives(uint32_t namespace, uint32_t pid, uint32_t start)
{
	struct mr_session session = { .device.pid_namespace = namespace };
	struct mr_entry entry = { .registrant = { pid, start } };

	return mr_registrant_lives(&session, &entry);
}

/* What a registration notes about this process, in a session opened in this PID namespace. */
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
}

TEST(a_region_on_a_gpu_is_recognised_by_its_entry_and_not_by_the_text_of_its_memory)
{
	struct mr_session session = { .device.pid_namespace = 0 };
	struct mr_entry named = { .memory = "cuda:0" };
	struct mr_entry gpu = { .memory = "a text that was cut", .memory_of = MR_MEMORY_OF_GPU };

	mr_registrant_note(&session, &named);
	assert_false(mr_registrant_needed(&named));
	mr_registrant_note(&session, &gpu);
	assert_true(mr_registrant_needed(&gpu));
}
