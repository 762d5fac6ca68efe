// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/causes/diagnosis.h"

#include "lib/verbs/access.h"
#include "tests/unit/lib/diagnose/check.h"

static struct mr_region_request request;
static struct mr_diagnosis diagnosis;

/* Diagnoses a refused ibv_reg_mr of @length bytes with @access. */
static void diagnose(int errnum, uint64_t length, uint32_t access, bool is_elsewhere)
{
	struct mr_environment environment = { .provider = "mlx5" };
	struct mr_refusal refusal = { .call = "ibv_reg_mr",
				      .errnum = errnum,
				      .environment = &environment,
				      .request = &request,
				      .is_elsewhere = is_elsewhere };

	request = (struct mr_region_request){
		.call = MR_REG_MR, .addr = 1 << 20, .length = length, .access = access
	};
	mr_diagnose(&refusal, &recorded.host, &diagnosis);
}

/* Returns what was found out about a cause. */
static enum mr_certainty certainty(const char *id)
{
	for (size_t i = 0; i < diagnosis.cause_count; i++)
		if (!strcmp(diagnosis.causes[i].cause->id, id))
			return diagnosis.causes[i].certainty;
	for (size_t i = 0; i < diagnosis.ruled_out_count; i++)
		if (!strcmp(diagnosis.ruled_out[i].cause->id, id))
			return MR_RULED_OUT;
	return MR_UNRELATED;
}

static void limit(const char *text)
{
	char line[128];

	snprintf(line, sizeof(line), "Max locked memory %s %s bytes\n", text, text);
	put("/proc/self/limits", line);
	put("/proc/self/status", "Name:\tbash\nUid:\t1000\t1000\t1000\t1000\nPPid:\t0\n"
				 "CapEff:\t0000000000000000\nVmPin:\t0 kB\n");
}

TEST(a_limit_of_this_process_is_only_possible_for_another_one)
{
	limit("65536");
	diagnose(ENOMEM, MIB, MR_ACCESS_LOCAL_WRITE, false);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_CERTAIN);
	diagnose(ENOMEM, MIB, MR_ACCESS_LOCAL_WRITE, true);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_POSSIBLE);
}

TEST(a_limit_of_this_process_excludes_nothing_of_another_one)
{
	limit("unlimited");
	diagnose(ENOMEM, MIB, MR_ACCESS_LOCAL_WRITE, false);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_RULED_OUT);
	diagnose(ENOMEM, MIB, MR_ACCESS_LOCAL_WRITE, true);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_UNRELATED);
}

TEST(what_a_request_alone_shows_is_certain_for_any_process)
{
	diagnose(EINVAL, MIB, MR_ACCESS_REMOTE_WRITE, true);
	assert_int_equal(certainty("MR-ACCESS-LOCAL-WRITE"), MR_CERTAIN);
}

EACH_TEST(set_up, tear_down)
