// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/bench/pieces.h"
#include "lib/bench/bench.h"
#include "lib/host/huge_pages.h"
#include "lib/host/live.h"
#include "lib/host/page.h"
#include "lib/verbs/access.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)

/*
 * A line needs three sizes, also where little memory may be locked.  Those up to 64M are measured in a moment.
 */
static const uint64_t line_sizes[] = { 4096, 8192,    16384,    65536,   MIB / 4,
				       MIB,  4 * MIB, 16 * MIB, 64 * MIB };

/* The last one that is added is all memory in one piece. */
static const uint64_t usual_pieces[] = { MIB, 64 * MIB, GIB };

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

static void add(struct sweep *sweep, uint64_t value)
{
	for (size_t i = 0; i < sweep->count; i++)
		if (sweep->values[i] == value)
			return;
	if (sweep->count < SWEEP_MAX)
		sweep->values[sweep->count++] = value;
}

void bench_pieces(const struct bench_args *args, struct sweep *pieces)
{
	*pieces = args->sizes;
	if (pieces->count)
		return;
	for (size_t i = 0; i < COUNT_OF(usual_pieces); i++)
		if (usual_pieces[i] < args->plan.bytes)
			add(pieces, usual_pieces[i]);
	add(pieces, args->plan.bytes);
}

void bench_pieces_measured(const struct bench_args *args, uint64_t most, struct sweep *sizes)
{
	struct sweep pieces;

	*sizes = (struct sweep){ .count = 0 };
	for (size_t i = 0; i < COUNT_OF(line_sizes); i++)
		if (line_sizes[i] <= most || !sizes->count)
			add(sizes, line_sizes[i]);
	bench_pieces(args, &pieces);
	for (size_t i = 0; i < pieces.count; i++)
		if (pieces.values[i] <= most)
			add(sizes, pieces.values[i]);
}

/* Of transparent huge pages the kernel makes some where a piece has room for one. */
static uint64_t page_of_memory(const struct mr_memory_kind *memory, uint64_t piece, uint64_t page)
{
	uint64_t huge = 0;

	if (memory->type == MR_MEMORY_HUGETLB)
		huge = memory->huge_size ? memory->huge_size : mr_huge_page_default(mr_this_host());
	else if (memory->type == MR_MEMORY_THP)
		huge = mr_thp_size(mr_this_host());
	return huge && (memory->type == MR_MEMORY_HUGETLB || piece >= huge) ? huge : page;
}

struct mr_forecast_plan bench_pieces_plan(const struct bench_args *args,
					  const struct mr_bench_point *point, uint64_t piece)
{
	const uint64_t page = mr_page_size(mr_this_host());

	return (struct mr_forecast_plan){
		.size = args->plan.bytes,
		.piece = piece,
		.page = page,
		.entry_page = page_of_memory(&point->memory, piece, page),
		.is_pinned = !(mr_bench_access(point) & MR_ACCESS_ON_DEMAND),
	};
}

/* ---- the command line ---- */

static int check_piece(const struct bench_args *args, const struct mr_memory_kind *memory,
		       uint64_t piece, struct mr_error *err)
{
	const struct mr_bench_point point = { .what = &mr_bench_cases[0], .memory = *memory };
	const struct mr_forecast_plan plan = bench_pieces_plan(args, &point, piece);
	struct mr_forecast_counts counts;

	if (piece > plan.size)
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				    "--plan: a piece of %llu bytes is larger than all, %llu bytes",
				    (unsigned long long)piece, (unsigned long long)plan.size);
	if (mr_forecast_count(&plan, &counts))
		return mr_fail_text(err, MR_ERROR_USAGE, ERANGE,
				    "--plan: the pages of %llu bytes in pieces of %llu are too "
				    "many to be counted",
				    (unsigned long long)plan.size, (unsigned long long)piece);
	return 0;
}

static int check_pieces(const struct bench_args *args, const struct mr_memory_kind *memory,
			struct mr_error *err)
{
	struct sweep pieces;
	int rc = 0;

	bench_pieces(args, &pieces);
	for (size_t i = 0; !rc && i < pieces.count; i++)
		rc = check_piece(args, memory, pieces.values[i], err);
	return rc;
}

static int check_calls(char *const *operand, struct mr_error *err)
{
	for (; *operand; operand++)
		if (!mr_bench_case_find(*operand)->registers)
			return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
					    "--plan is of calls that register memory of this "
					    "process, and '%s' is none",
					    *operand);
	return 0;
}

int bench_pieces_check(const struct invocation *invocation, struct mr_error *err)
{
	static const struct mr_memory_kind anon = { .type = MR_MEMORY_ANON };
	const struct bench_args *args = invocation->args;
	int rc = check_calls(invocation->operands, err);

	if (!rc && !args->plan.bytes)
		rc = mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--plan: 0 makes no sense");
	if (!rc && !args->memory.count)
		rc = check_pieces(args, &anon, err);
	for (size_t i = 0; !rc && i < args->memory.count; i++)
		rc = check_pieces(args, &args->memory.kinds[i], err);
	return rc;
}
