// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The batch of --reproduce, where all text that a traced process decides is hostile. */
#include "lib/diagnose/causes/causes.h"
#include "lib/trace/trace.h"
#include "tests/unit/unit.h"

#define SET(array, text) snprintf(array, sizeof(array), "%s", text)

static struct mr_refusal_kind kind;
static struct mr_look look;

static char *write_batch(const char *text)
{
	struct mr_refusals refusals = { .kinds = { &kind }, .count = 1, .total = 1 };
	char *batch = NULL;
	size_t size;
	FILE *file = open_memstream(&batch, &size);

	assert_non_null(file);
	mr_reproduction_write(&refusals, text, text, 0, file);
	fclose(file);
	return batch;
}

/* The batch of one refusal of memory that is gone, with @text in each member that has one. */
static char *batch_with(char *text)
{
	look = (struct mr_look){ 0 };
	kind = (struct mr_refusal_kind){ .count = 1,
					 .record.call = { .call = MR_TRACED_IBV_REG_MR,
							  .errnum = EFAULT,
							  .addr = 0x1000,
							  .length = 4096,
							  .access = 1 },
					 .look = &look,
					 .place = text,
					 .program = text };
	SET(kind.record.call.device, text);
	SET(look.environment.kernel, text);
	SET(look.environment.rdma_core, text);
	SET(look.environment.device, text);
	SET(look.environment.provider, text);
	SET(look.environment.firmware, text);
	SET(look.environment.simulated_kernel, text);
	look.has_range = look.has_dmabuf = look.dmabuf.is_dmabuf = true;
	SET(look.range.memory, "hole");
	SET(look.range.remark, text);
	SET(look.range.mapping.path, text);
	SET(look.dmabuf.exporter, text);
	look.diagnosis.cause_count = 1;
	look.diagnosis.causes[0].cause =
		mr_cause_find("MR-RANGE-UNMAPPED", strlen("MR-RANGE-UNMAPPED"));
	SET(look.diagnosis.causes[0].text, text);
	return write_batch(text);
}

TEST(a_limit_of_a_control_group_is_named)
{
	struct mr_suspicion *cause = &look.diagnosis.causes[0];
	char plain[] = "mlx5_0", *batch = batch_with(plain);

	assert_null(strstr(batch, "rdma.max"));
	free(batch);
	cause->cause = mr_cause_find("MR-CGROUP-RDMA", strlen("MR-CGROUP-RDMA"));
	mr_evidence_text(cause, "resource", "hca_object");
	mr_evidence_number(cause, "max", 5);
	kind.record.call.errnum = EAGAIN;
	batch = write_batch(plain);
	assert_non_null(strstr(batch, "\n# it needs a control group with this limit in rdma.max: mlx5_0 hca_object=5\n"));
	free(batch);
}

/* The lines that are run; the number of all. */
static size_t lines_of(char *batch, char *run, size_t size)
{
	size_t count = 0;

	*run = '\0';
	for (char *line = strtok(batch, "\n"); line; line = strtok(NULL, "\n"), count++)
		if (line[0] != '#')
			snprintf(run + strlen(run), size - strlen(run), "%s\n", line);
	return count;
}

TEST(what_was_registered_before_is_reproduced_where_memory_or_a_limit_may_be_short)
{
	static const int errnums[] = { ENOMEM, EAGAIN, ENOSPC, ENOBUFS, EFAULT, EINVAL };
	char plain[] = "mlx5_0", *batch;

	for (size_t i = 0; i < ARRAY_SIZE(errnums); i++) {
		free(batch_with(plain));
		look.registered_bytes = look.registered_count = 1;
		kind.record.call.errnum = errnums[i];
		batch = write_batch(plain);
		assert_equal_for(strerror(errnums[i]), strstr(batch, "\nreg --size 1 --count 1\n") != NULL, i < 4);
		free(batch);
	}
}

TEST(each_call_has_a_line_or_the_reason_that_there_is_none)
{
	static const struct {
		const char *text;
		uint32_t call, flags, call_flags, region, region_flags;
		int32_t errnum;
	} rows[] = {
		{ "\nreg --memory null-mr --expect ENOMEM\n", MR_TRACED_IBV_ALLOC_NULL_MR, .errnum = ENOMEM },
		{ " --data-direct --expect EINVAL\n", MR_TRACED_MLX5DV_REG_DMABUF_MR, 0, 1, .errnum = EINVAL },
		{ " --page-sizes none --expect EINVAL\n", MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX, .errnum = EINVAL },
		{ " --call ibv_reg_mr_ex --expect EINVAL\n", MR_TRACED_IBV_REG_MR_EX, .errnum = EINVAL },
		{ "\nreg --memory dm:4096 --size 4096 --expect ENOMEM\n", MR_TRACED_IBV_ALLOC_DM, .errnum = ENOMEM },
		{ "\nreg-dmabuf --name changed --from udmabuf --size 0 --access none --iova 0x0\nrereg changed --access ",
		  MR_TRACED_IBV_REREG_MR, 0, MR_CHANGE_ACCESS, MR_TRACED_IBV_REG_DMABUF_MR, .errnum = EINVAL },
		{ ": its comp_mask has bits ", MR_TRACED_IBV_REG_MR_EX, .errnum = E2BIG },
		{ ": the registration of the region was not seen.", MR_TRACED_IBV_REREG_MR, 0, 1, .errnum = EINVAL },
		{ ": another process registered the region, ", MR_TRACED_IBV_REREG_MR, 0, 1, MR_TRACED_IBV_IMPORT_MR,
		  .errnum = EINVAL },
		{ ": the attributes of the region's DMA handle ", MR_TRACED_IBV_REREG_MR, 0, 1, MR_TRACED_IBV_REG_MR_EX,
		  MR_TRACE_HAS_DMAH, EINVAL },
		{ ": the state of the region's memory ", MR_TRACED_IBV_REREG_MR, 0, MR_CHANGE_ACCESS,
		  MR_TRACED_IBV_REG_MR, .errnum = EFAULT },
		{ ": the attributes of the DMA handle ", MR_TRACED_IBV_REG_MR_EX, MR_TRACE_HAS_DMAH, .errnum = EINVAL },
		{ ": the descriptor is not known.", MR_TRACED_IBV_REG_DMABUF_MR, .errnum = EBADF },
		{ ": the firmware of the device refused, ", MR_TRACED_IBV_REG_MR, .errnum = EREMOTEIO },
		{ ": the call returned an errno without a name.", MR_TRACED_IBV_REG_MR, .errnum = 4000 },
	};
	char plain[] = "mlx5_0", *batch;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct mr_trace_record *call = &kind.record.call;

		free(batch_with(plain));
		call->call = rows[i].call;
		call->errnum = rows[i].errnum;
		call->flags = rows[i].flags;
		call->call_flags = rows[i].call_flags;
		call->comp_mask = rows[i].errnum == E2BIG ? UINT64_C(1) << 40 : 0;
		look.has_region = rows[i].region;
		look.region = (struct mr_trace_record){ .call = rows[i].region, .flags = rows[i].region_flags };
		look.dmabuf.is_dmabuf = rows[i].errnum != EBADF;
		look.diagnosis.layer = rows[i].errnum == EREMOTEIO ? MR_LAYER_FIRMWARE : MR_LAYER_UNKNOWN;
		batch = write_batch(plain);
		assert_contains(batch, rows[i].text);
		free(batch);
	}
}

TEST(text_of_the_program_stays_in_comments)
{
	static char texts[][48] = { "\nreg --memory file:/tmp/x\n#", "\r\033[31m\x9b",
				    "'; $(id) `id` \"\\", "\xff\xc3", "#\t\v\f\x7f" };
	char expected[512], run[512], plain[] = "plain";
	char *batch = batch_with(plain);
	const size_t count = lines_of(batch, expected, sizeof(expected));

	assert_true(expected[0]);
	free(batch);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		batch = batch_with(texts[i]);
		for (const char *c = batch; *c; c++)
			assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
		assert_int_equal(lines_of(batch, run, sizeof(run)), count);
		assert_string_equal(run, expected);
		free(batch);
	}
}

/* Who copies the command from the head gives the shell one word. */
TEST(the_device_in_the_command_is_one_word)
{
	char text[] = "m; $(id)'";
	char *batch = batch_with(text);

	assert_non_null(strstr(batch, "mrctl -d 'm; $(id)'\\'''\n"));
	free(batch);
}
