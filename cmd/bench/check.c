// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Whether the command line of a measurement makes sense. */
#include <errno.h>
#include <string.h>

#include "cmd/bench/job.h"
#include "cmd/output/private_file.h"
#include "lib/base/choice.h"
#include "lib/bench/bench.h"

static int check_case(const struct bench_args *args, const struct mr_bench_case *what,
		      struct mr_error *err)
{
	if (args->from.text && !mr_region_is_dmabuf(what->call))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--from is about dma-bufs: '%s' has none", what->name);
	if (args->from.text && args->from.type == MR_DMABUF_DM)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--from dm: its dma-buf is of a single registration, and "
				    "there are many here");
	if (args->memory.count && mr_region_is_dmabuf(what->call))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--memory is not about dma-bufs, which '%s' is on: see --from",
				    what->name);
	if (args->via.given && args->via.path == MR_VIA_KERNEL && what->private_session)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "'%s' is not measured by --via kernel", what->name);
	return 0;
}

static int check_memory(const struct sweep_memory *memory, struct mr_error *err)
{
	for (size_t i = 0; i < memory->count; i++) {
		const enum mr_memory_type type = memory->kinds[i].type;

		if (type == MR_MEMORY_DM || type == MR_MEMORY_NULL_MR || type == MR_MEMORY_NONE)
			return mr_fail_text(
				err, MR_ERROR_USAGE, EINVAL,
				"--memory %s: it is no memory that this process can write to",
				memory->kinds[i].text);
	}
	return 0;
}

static int check_numbers(const struct bench_args *args, struct mr_error *err)
{
	if (args->rounds.known && (!args->rounds.value || args->rounds.value > 1000))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--rounds: from 1 to 1000");
	if (args->calls.known && (!args->calls.value || args->calls.value > MR_BENCH_SAMPLES))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--count: from 1 to %d",
				    MR_BENCH_SAMPLES);
	if (args->seconds.known && !args->seconds.value)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE, "--seconds: more than 0");
	return 0;
}

int bench_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct bench_args *args = invocation->args;
	char *const *operand = invocation->operands;
	int rc = check_numbers(args, err);

	if (rc || args->compare)
		return rc; /* the operands are not calls */
	if (args->svg && !*args->svg)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--svg wants the name of a file");
	if (args->svg && private_file_check(args->svg, args->force, err))
		return -err->errnum;
	rc = check_memory(&args->memory, err);
	if (!rc && !*operand)
		rc = check_case(args, &mr_bench_cases[0], err);
	for (; !rc && *operand; operand++) {
		const struct mr_bench_case *what = mr_bench_case_find(*operand);

		rc = what ? check_case(args, what, err)
			  : mr_fail_word(err, "call", *operand, strlen(*operand), mr_bench_cases,
					 sizeof(*mr_bench_cases));
	}
	if (!rc && args->all_devices && invocation->global->device)
		rc = mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--all-devices excludes -d %s",
				  invocation->global->device);
	return rc;
}
