// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "answer.h"
#include "hold.h"
#include "place.h"
#include "region_row.h"
#include "register.h"

/* Page sizes that --try-page-sizes tries. */
#define FIRST_SIZE 4096u
#define LAST_SIZE  (1u << 30)

struct umem_args {
	struct register_args common;
	struct mr_opt_u64 page_sizes;
	bool try_page_sizes;
};

static const struct option_spec options[] = {
	OPTION(0, "page-sizes", OPTION_PAGES, struct umem_args, page_sizes, "SIZE,...",
	       "page sizes that the HCA may use (mlx5dv_devx_umem_reg_ex): 4K,2M, none, or a mask"),
	OPTION(0, "try-page-sizes", OPTION_FLAG, struct umem_args, try_page_sizes, NULL,
	       "try each page size alone, and list which are taken"),
	OPTION_END,
};

/* A run of --try-page-sizes: umems on the same memory, one after the other. */
struct trial {
	const struct umem_args *args;
	struct memory_plan plan;
	struct place place;
	struct mr_memory memory;
	struct answer answer;
	uint64_t taken; /* sizes */
};

/* The driver looks at no page larger than the region (devx.c devx_umem_find_best_pgsize()). */
static bool is_tried(const struct trial *trial, uint64_t size)
{
	return size == FIRST_SIZE || (size <= LAST_SIZE && size / 2 < trial->plan.size);
}

static void print_try(struct trial *trial, const struct mr_region_request *request,
		      const struct mr_region *region, int errnum)
{
	bool taken = !errnum;

	answer_row(&trial->answer,
		   &(struct region_row){
			   .kind = mr_region_kind_name(MR_KIND_UMEM),
			   .state = !taken         ? "refused"
				    : region->live ? "live"
						   : "deregistered",
			   .handle = { region->handle, taken && region->handle != MR_NO_HANDLE },
			   .umem_id = { region->umem_id, taken },
			   .addr = known(request->addr),
			   .length = known(request->length),
			   .access = known(request->access),
			   .access_bits = known(request->access),
			   .memory = trial->plan.request.kind.text,
			   .page_size = known(trial->memory.page_size),
			   .page_sizes = known(request->page_sizes),
			   .answer = taken ? "ok" : mr_errno_name(errnum),
			   .via = mr_via_name(trial->place.registrar.via),
			   .elapsed_ns = { region->elapsed_ns, taken },
			   .dereg_elapsed_ns = { region->dereg_elapsed_ns, taken && !region->live },
		   });
}

/* One size: errno of its refusal, or 0. */
static int try_size(struct trial *trial, const struct mr_region_request *request,
		    struct mr_error *refusal)
{
	const struct mr_registrar *registrar = &trial->place.registrar;
	struct mr_region region = { .live = false };
	int rc = mr_region_register(registrar, request, &region, refusal);
	struct mr_error err;

	if (!rc && mr_region_deregister(registrar, &region, &err))
		answer_fail(&trial->answer, &err, 0, 0, registrar->via);
	print_try(trial, request, &region, -rc);
	return -rc;
}

/*
 * A refusal is the answer to the question, and no failure, unless all are refused: then it is not
 * the size that is to blame.  The first one tells most, as 4 KiB always fit.
 */
static void try_sizes(struct trial *trial)
{
	const enum mr_via via = trial->place.registrar.via;
	struct mr_region_request request = { .call = MR_UMEM_REG_EX,
					     .addr = trial->memory.start,
					     .length = trial->plan.size,
					     .access = register_access(&trial->args->common) };
	struct mr_error first = { .kind = MR_ERROR_REFUSED }, err;

	mr_hold_block(); /* a session must not be left with one of them */
	for (uint64_t size = FIRST_SIZE; is_tried(trial, size); size *= 2) {
		if (mr_interrupted()) {
			mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted");
			answer_fail(&trial->answer, &err, 0, 0, via);
			return;
		}
		request.page_sizes = size;
		if (!try_size(trial, &request, size == FIRST_SIZE ? &first : &err))
			trial->taken++;
	}
	if (!trial->taken && answer_fail(&trial->answer, &first, 0, 0, via))
		report_detail("asked for %" PRIu64 " bytes at 0x%" PRIx64 " of memory %s",
			      request.length, request.addr, trial->plan.request.kind.text);
}

static int prepare(struct trial *trial, struct mr_error *err)
{
	const struct global_args *global = trial->answer.invocation->global;
	int rc =
		place_open(&trial->place, global, MR_KIND_UMEM, NULL, trial->args->common.via, err);

	trial->answer.in_session = place_session(global) != NULL;
	return rc ? rc : mr_memory_map(&trial->plan.request, &trial->memory, err);
}

static int run_trial(struct trial *trial, struct mr_error *err)
{
	struct answer *answer = &trial->answer;
	const struct global_args *global = answer->invocation->global;
	int rc = prepare(trial, err);

	if (rc && err->kind == MR_ERROR_USAGE)
		return rc;
	answer->lines = false;
	answer->out.usual_columns = "page_sizes,answer,elapsed_ns,dereg_elapsed_ns";
	if (rc) {
		answer_fail(answer, err, 0, 0, trial->place.registrar.via);
		err->text[0] = '\0'; /* told */
	}
	answer_begin(answer);
	if (!rc)
		try_sizes(trial);
	answer_end_rows(answer);
	rc = answer_end(answer, trial->taken, err);
	if (rc)
		return rc;
	if (trial->taken && !global->quiet && !global->json && !global->no_headings)
		report_note(answer->invocation->command,
			    "that a size is taken does not prove that the HCA uses it: where the "
			    "memory is contiguous the driver goes down to one that fits");
	return answer_status(answer, trial->taken, NULL);
}

static int try_page_sizes(const struct invocation *invocation, struct mr_error *err)
{
	struct trial trial = {
		.args = invocation->args,
		.place = { .session = { .uverbs = { .fd = -1 }, .table = { .fd = -1 } } },
	};
	int rc = memory_plan_init(&trial.plan, &trial.args->common.memory, err);

	if (rc)
		return rc;
	rc = answer_init(&trial.answer, invocation, NULL, &trial.place.environment, 1, err);
	if (!rc)
		rc = run_trial(&trial, err);
	mr_memory_unmap(&trial.memory);
	place_close(&trial.place);
	answer_release(&trial.answer);
	return rc;
}

/* What makes no sense with --try-page-sizes, or NULL. */
static const char *excluded(const struct umem_args *args)
{
	const struct register_args *common = &args->common;

	return args->page_sizes.known       ? "page-sizes"
	       : common->memory.count.known ? "count"
	       : common->name               ? "name"
	       : common->hold               ? "hold"
	       : common->hold_for.known     ? "hold-for"
	       : common->expect.given       ? "expect"
	       : common->keep_going         ? "keep-going"
					    : NULL;
}

static int run(const struct invocation *invocation, struct mr_error *err)
{
	const struct umem_args *args = invocation->args;
	const struct mr_region_request pattern = {
		.call = args->page_sizes.known ? MR_UMEM_REG_EX : MR_UMEM_REG,
		.page_sizes = args->page_sizes.value,
	};

	if (!args->try_page_sizes)
		return register_run(invocation, &args->common, &pattern, err);
	if (excluded(args))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--try-page-sizes excludes --%s",
				    excluded(args));
	return try_page_sizes(invocation, err);
}

static const struct option_group group = { "Page sizes", options, 0 };
static const struct option_group *const groups[] = { &group, &memory_group, &umem_group,
						     &trial_group, NULL };
static const struct help_topic *const topics[] = { &topic_memory, &topic_access, NULL };

const struct command command_umem = {
	.name = "umem",
	.summary = "register memory for DEVX objects of mlx5 (mlx5dv_devx_umem_reg)",
	.description = "Registers memory as a DEVX umem with mlx5dv_devx_umem_reg, or with "
		       "--page-sizes mlx5dv_devx_umem_reg_ex, prints its id and how long it took, "
		       "and deregisters it. With --hold, or in a session, it stays registered.",
	.groups = groups,
	.args_size = sizeof(struct umem_args),
	.record = &region_record,
	.columns = "id,name,umem_id,addr,length,access,page_sizes,elapsed_ns,dereg_elapsed_ns",
	.topics = topics,
	.run = run,
};
