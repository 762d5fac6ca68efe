// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Names of profiles, kernels and faults of the simulated HCA. */
#include "lib/simulator/spec.h"
#include "tests/unit/unit.h"

static struct mr_sim_faults faults;
static struct mr_error err;

static int parse(const char *text)
{
	faults.count = 0;
	return mr_sim_faults_parse(text, &faults, &err);
}

TEST(faults_are_read)
{
	static const struct {
		const char *text;
		enum mr_sim_call call;
		enum mr_sim_action action;
		uint64_t turn, value;
	} cases[] = {
		{ "reg_mr=ENOMEM", MR_SIM_REG_MR, MR_SIM_FAIL, 0, ENOMEM },
		{ "dereg_mr@1=EBUSY", MR_SIM_DEREG_MR, MR_SIM_FAIL, 1, EBUSY },
		{ "open=kill", MR_SIM_OPEN, MR_SIM_KILL, 0, 0 },
		{ "lock@12=kill-after", MR_SIM_LOCK, MR_SIM_KILL_AFTER, 12, 0 },
		{ "reg_mr=stop", MR_SIM_REG_MR, MR_SIM_STOP, 0, 0 },
		{ "umem_reg@2=stop-after", MR_SIM_UMEM_REG, MR_SIM_STOP_AFTER, 2, 0 },
		{ "info_handles=delay:0", MR_SIM_INFO_HANDLES, MR_SIM_DELAY, 0, 0 },
		{ "query_mr@18446744073709551615=delay:3600000", MR_SIM_QUERY_MR, MR_SIM_DELAY,
		  UINT64_MAX, 3600000 },
	};

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		assert_equal_for(c->text, parse(c->text), 0);
		assert_equal_for(c->text, faults.count, 1);
		assert_equal_for(c->text, faults.list[0].call, c->call);
		assert_equal_for(c->text, faults.list[0].action, c->action);
		assert_equal_for(c->text, faults.list[0].turn, c->turn);
		assert_equal_for(c->text, faults.list[0].value, c->value);
		assert_equal_for(c->text, faults.list[0].length, strlen(c->text));
	}
}

TEST(malformed_faults_are_refused)
{
	static const struct {
		const char *text, *message;
	} cases[] = {
		{ "", "not of the form" },
		{ "reg_mr;open=kill", "'reg_mr' is not of the form" },
		{ "reg_mr=kill;", "not of the form" },
		{ "=kill", "unknown call ''" },
		{ "reg=kill", "unknown call 'reg'" },
		{ "reg_mr2=kill", "unknown call 'reg_mr2'" },
		{ "REG_MX=kill", "unknown call 'REG_MX': did you mean 'reg_mr'?" },
		{ "reg_mr=EINVALL", "unknown action 'EINVALL': did you mean 'EINVAL'?" },
		{ "reg_mr@=kill", "invalid number" },
		{ "reg_mr@1 =kill", "invalid number" },
		{ "reg_mr@18446744073709551616=kill", "too large" },
		{ "reg_mr@0=kill", "counted from 1" },
		{ "reg_mr=", "unknown action ''" },
		{ "reg_mr=12", "unknown action '12'" },
		{ "reg_mr=killer", "unknown action 'killer'" },
		{ "reg_mr=delay", "unknown action 'delay'" },
		{ "reg_mr=delay:1s", "invalid number" },
		{ "reg_mr=delay:3600001", "too large" },
	};

	for (typeof(*cases) *c = cases; c < cases + ARRAY_SIZE(cases); c++)
		assert_failure(parse(c->text) < 0, true, err, MR_ERROR_USAGE, c->message);
}

TEST(faults_are_collected)
{
	char text[MR_SIM_FAULTS_MAX * 16] = "";
	size_t i;

	assert_int_equal(parse("reg_mr@2=kill;open=EPERM"), 0);
	assert_int_equal(mr_sim_faults_parse("lock=delay:7", &faults, &err), 0);
	assert_int_equal(faults.count, 3);
	assert_int_equal(faults.list[1].call, MR_SIM_OPEN);
	assert_int_equal(faults.list[1].length, strlen("open=EPERM"));
	assert_int_equal(faults.list[2].value, 7);

	for (i = 0; i < MR_SIM_FAULTS_MAX; i++)
		strcat(text, i ? ";open=kill" : "open=kill");
	assert_int_equal(parse(text), 0);
	assert_int_equal(faults.count, MR_SIM_FAULTS_MAX);
	assert_failure(mr_sim_faults_parse("open=kill", &faults, &err), -EINVAL, err,
		       MR_ERROR_USAGE, "more than");
}
