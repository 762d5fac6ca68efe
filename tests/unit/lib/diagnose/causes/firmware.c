// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "lib/diagnose/causes/diagnosis.h"

#include <errno.h>

#include "lib/verbs/access.h"
#include "tests/unit/lib/diagnose/check.h"

static struct mr_diagnosis diagnosis;
static struct mr_proven proven;

static const struct mr_kernel_function *function(const char *name)
{
	for (const struct mr_kernel_function *f = mr_kernel_functions; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	fail_msg("no function %s", name);
	return NULL;
}

/* It is proven that @name refused by @errnum. */
static void prove(const char *name, int errnum, uint32_t layers)
{
	proven = (struct mr_proven){ .layers = layers, .layer = MR_LAYER_FIRMWARE };
	proven.chain.count = 1;
	proven.chain.links[0] = (struct mr_chain_link){ function(name), errnum };
}

static void answered(const char *command, uint64_t status)
{
	snprintf(proven.firmware.command, sizeof(proven.firmware.command), "%s", command);
	proven.firmware.status = (struct mr_opt_u64){ status, true };
	proven.firmware.syndrome = (struct mr_opt_u64){ 0x5ca1e8, true };
}

static void diagnose(const char *call, int errnum, const struct mr_proven *proof)
{
	const struct mr_environment environment = { .provider = "mlx5", .device = "mlx5_0" };
	const struct mr_region_request request = {
		.call = MR_REG_MR, .addr = 1 << 20, .length = 4096, .access = MR_ACCESS_LOCAL_WRITE
	};
	const struct mr_refusal refusal = { .call = call,
					    .errnum = errnum,
					    .environment = &environment,
					    .request = &request,
					    .proven = proof };

	mr_diagnose(&refusal, &recorded.host, &diagnosis);
}

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

/* The kernel has logged a refusal of this thread so many seconds ago. */
static void logged(const char *answer)
{
	call("link", "/sys/class/infiniband/mlx5_0/device", "../../../0000:00:10.0");
	call("answer", "/mlx5-log", answer);
}

TEST(a_proven_answer_is_certain)
{
	static const struct {
		uint64_t status;
		int errnum;
		const char *id;
	} rows[] = {
		{ 0x08, ENOMEM, "MR-FW-LIMIT" },   { 0x0f, EAGAIN, "MR-FW-RESOURCES" },
		{ 0x06, EBUSY, "MR-FW-BUSY" },     { 0x01, EIO, "MR-FW-INTERNAL" },
		{ 0x04, EIO, "MR-FW-INTERNAL" },   { 0x03, EINVAL, "MR-FW-REFUSED" },
		{ 0x05, EINVAL, "MR-FW-REFUSED" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		prove("mlx5_cmd_exec", rows[i].errnum, MR_IN_LAYER(FIRMWARE));
		answered("CREATE_MKEY", rows[i].status);
		diagnose("ibv_reg_mr", rows[i].errnum, &proven);
		assert_equal_for(rows[i].id, certainty(rows[i].id), MR_CERTAIN);
		assert_int_equal(diagnosis.layer, MR_LAYER_FIRMWARE);
	}
}

TEST(an_errno_without_evidence_has_no_cause_in_the_firmware)
{
	static const int errnums[] = { ENOMEM, EAGAIN, EBUSY, EIO, EINVAL, EFAULT, ETIMEDOUT };

	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		diagnose("ibv_reg_mr", errnums[i], NULL);
		for (size_t j = 0; j < diagnosis.cause_count; j++)
			assert_int_not_equal(diagnosis.causes[j].cause->layer, MR_LAYER_FIRMWARE);
	}
}

TEST(an_answer_without_its_command_is_known_by_the_errno)
{
	prove("mlx5_cmd_exec", ENOMEM, MR_IN_LAYER(FIRMWARE));
	diagnose("ibv_alloc_pd", ENOMEM, &proven);
	assert_int_equal(certainty("MR-FW-LIMIT"), MR_CERTAIN);
}

TEST(a_proof_excludes_causes_of_other_layers)
{
	put("/proc/self/limits", "Max locked memory 1024 1024 bytes\n");
	put("/proc/self/status", "Name:\tbash\nUid:\t1000\t1000\t1000\t1000\nPPid:\t0\n"
				 "CapEff:\t0000000000000000\nVmPin:\t0 kB\n");
	diagnose("ibv_reg_mr", ENOMEM, NULL);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_CERTAIN);
	prove("mlx5_cmd_exec", ENOMEM, MR_IN_LAYER(FIRMWARE));
	answered("CREATE_MKEY", 0x08);
	diagnose("ibv_reg_mr", ENOMEM, &proven);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_RULED_OUT);
	assert_int_equal(certainty("MR-FW-LIMIT"), MR_CERTAIN);
}

TEST(a_failed_work_request_is_not_the_fault_of_the_memory)
{
	prove("mlx5r_umr_post_send_wait", EFAULT, MR_IN_LAYER(FIRMWARE));
	diagnose("ibv_reg_mr", EFAULT, &proven);
	assert_int_equal(certainty("MR-FW-UMR"), MR_CERTAIN);
	prove("__get_user_pages", EFAULT, MR_IN_LAYER(MEMORY));
	diagnose("ibv_reg_mr", EFAULT, &proven);
	assert_int_equal(certainty("MR-FW-UMR"), MR_UNRELATED);
}

TEST(a_command_that_is_not_answered)
{
	prove("cmd_exec", ETIMEDOUT, MR_IN_LAYER(FIRMWARE) | MR_IN_LAYER(DRIVER));
	diagnose("ibv_reg_mr", ETIMEDOUT, &proven);
	assert_int_equal(certainty("MR-FW-COMMANDS"), MR_CERTAIN);
}

TEST(a_line_of_the_log_makes_it_likely_while_it_is_new)
{
	logged("CREATE_MKEY status=8 syndrome=6070760 errno=12 age_ns=5000000");
	diagnose("ibv_reg_mr", ENOMEM, NULL);
	assert_int_equal(certainty("MR-FW-LIMIT"), MR_LIKELY);
	diagnose("ibv_reg_mr", EAGAIN, NULL);
	assert_int_equal(certainty("MR-FW-RESOURCES"), MR_UNRELATED);
	logged("CREATE_MKEY status=8 syndrome=6070760 errno=12 age_ns=5000000000");
	diagnose("ibv_reg_mr", ENOMEM, NULL);
	assert_int_equal(certainty("MR-FW-LIMIT"), MR_UNRELATED);
	logged("garbage");
	diagnose("ibv_reg_mr", ENOMEM, NULL);
	assert_int_equal(certainty("MR-FW-LIMIT"), MR_UNRELATED);
}

TEST(a_device_without_room_for_uars)
{
	prove("mlx5_cmd_exec", ENOMEM, MR_IN_LAYER(FIRMWARE));
	answered("ALLOC_UAR", 0x08);
	diagnose("ibv_open_device", ENOMEM, &proven);
	assert_int_equal(certainty("MR-FW-LIMIT"), MR_CERTAIN);
	assert_string_equal(diagnosis.causes[0].evidence[0].text, "ALLOC_UAR");
}

TEST(the_driver_counts_the_uars_that_were_refused)
{
#define COUNTER "/sys/kernel/debug/mlx5/0000:c1:00.0/commands/ALLOC_UAR/"
	put("/sys/class/infiniband/mlx5_0/device/vendor", "0x15b3\n");
	call("link", "/sys/class/infiniband/mlx5_0/device", "../../../0000:c1:00.0");
	call("link", "/sys/class/infiniband/mlx5_0/device/driver", "../../../../mlx5_core");
	put(COUNTER "n", "7\n");
	put(COUNTER "failed", "0\n");
	diagnose("ibv_open_device", ENOMEM, NULL);
	assert_int_equal(certainty("MR-UAR"), MR_RULED_OUT);
	put(COUNTER "failed", "3\n");
	diagnose("ibv_open_device", ENOMEM, NULL);
	assert_int_equal(certainty("MR-UAR"), MR_LIKELY);
	assert_string_equal(diagnosis.causes[0].cause->id, "MR-UAR");
}

TEST(a_key_without_relaxed_ordering_may_be_why)
{
	prove("mlx5_cmd_exec", EINVAL, MR_IN_LAYER(FIRMWARE));
	answered("CREATE_MKEY", 0x03);
	diagnose("ibv_reg_mr", EINVAL, &proven);
	assert_int_equal(certainty("MR-FW-RELAXED-ONLY"), MR_POSSIBLE);
}

EACH_TEST(set_up, tear_down)
