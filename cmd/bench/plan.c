// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/bench/bench.h"
#include "lib/bench/bench.h"
#include "lib/bench/forecast.h"
#include "lib/diagnose/size_text.h"
#include "lib/host/available.h"
#include "lib/host/huge_pages.h"
#include "lib/host/live.h"
#include "lib/host/meminfo.h"
#include "lib/host/memlock.h"
#include "lib/host/page.h"
#include "lib/verbs/access.h"
#include "lib/verbs/attributes.h"

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

static const struct field limits_fields[] = {
	FIELD(struct bench_limits, max_mr_size, FIELD_NUMBER, FIELD_IEC,
	      "bytes of a region, by device"),
	FIELD(struct bench_limits, max_mr, FIELD_NUMBER, 0,
	      "regions of the device, by all processes"),
	FIELD(struct bench_limits, memlock, FIELD_NUMBER, FIELD_IEC,
	      "RLIMIT_MEMLOCK; null: unlimited, or not known"),
	FIELD(struct bench_limits, memlock_lifted, FIELD_OPT_BOOL, 0,
	      "whether CAP_IPC_LOCK lifts it for this process"),
	FIELD(struct bench_limits, memory_total, FIELD_NUMBER, FIELD_IEC, "bytes of memory"),
	FIELD(struct bench_limits, memory_available, FIELD_NUMBER, FIELD_IEC,
	      "bytes that this process can have now"),
	FIELD(struct bench_limits, available_by, FIELD_STRING, 0, "what leaves no more than that"),
	FIELD_END,
};
const struct record bench_limits_record = { "limits", limits_fields, NULL };

/* A device that says 0 has told nothing. */
static struct mr_opt_u64 if_any(uint64_t value)
{
	return (struct mr_opt_u64){ value, value != 0 };
}

/* Opened plainly: that needs no DEVX. */
static void read_device(const struct bench_job *job, struct bench_limits *limits)
{
	struct mr_bench_place place = { .name = job->devices[0] };
	struct mr_attributes attributes;
	struct mr_error ignored = { .kind = MR_ERROR_HOST };

	if (!mr_bench_place_open(&place, MR_KIND_MR, &ignored) &&
	    !mr_attributes_query(place.device.context, &attributes, &ignored)) {
		limits->max_mr_size = if_any(attributes.max_mr_size);
		limits->max_mr = if_any(attributes.max_mr);
	}
	mr_bench_place_close(&place);
}

void bench_limits_read(const struct bench_job *job, struct bench_limits *limits)
{
	struct mr_host *host = mr_this_host();
	const enum mr_tristate lifted = mr_memlock_is_lifted(host);
	struct mr_available available;
	struct mr_meminfo memory;
	struct mr_memlock memlock;

	*limits = (struct bench_limits){ .memlock_lifted = { lifted == MR_YES,
							     lifted != MR_UNKNOWN } };
	limits->memlock_is_read = !mr_memlock_read(host, "self", &memlock);
	if (limits->memlock_is_read && memlock.soft != UINT64_MAX)
		limits->memlock = known(memlock.soft);
	if (!mr_meminfo_read(host, &memory))
		limits->memory_total = memory.total;
	if (!mr_available_read(host, &available)) {
		limits->memory_available = known(available.bytes);
		limits->available_by = available.by;
	}
	read_device(job, limits);
}

/* Bytes of huge pages that can still be had. */
static struct mr_opt_u64 huge_room(uint64_t page)
{
	const struct mr_huge_pool *pool;
	struct mr_opt_u64 room = { 0 };
	struct mr_huge_pools pools;

	mr_huge_pools_read(mr_this_host(), NULL, &pools);
	pool = mr_huge_pools_find(&pools, page);
	if (pool)
		room = mr_huge_pool_room(pool);
	room.known = room.known && !__builtin_mul_overflow(room.value, page, &room.value);
	return room;
}

/* Whether the limit of locked memory is known to decide, or known not to. */
static bool knows_memlock(const struct bench_limits *limits)
{
	const struct opt_bool lifted = limits->memlock_lifted;

	return lifted.known ? lifted.value || limits->memlock_is_read
			    : limits->memlock_is_read && !limits->memlock.known;
}

/* Umems are no MRs, whose limits are not theirs. */
bool bench_limits_list(const struct bench_limits *limits, const struct mr_bench_point *point,
		       const struct mr_forecast_plan *plan, struct mr_forecast_limit *list)
{
	const bool is_mr = mr_region_kind(point->what->call) != MR_KIND_UMEM;
	const bool is_hugetlb = point->memory.type == MR_MEMORY_HUGETLB;
	const bool counts_locked = limits->memlock_lifted.known && !limits->memlock_lifted.value;
	const struct mr_opt_u64 none = { 0 };

	list[0] = (struct mr_forecast_limit){ "max_mr_size", MR_FORECAST_PIECE,
					      is_mr ? limits->max_mr_size : none };
	list[1] = (struct mr_forecast_limit){ "max_mr", MR_FORECAST_PIECES,
					      is_mr ? limits->max_mr : none };
	list[2] = (struct mr_forecast_limit){ "RLIMIT_MEMLOCK", MR_FORECAST_PINNED,
					      counts_locked ? limits->memlock : none };
	list[3] =
		(struct mr_forecast_limit){ "MemTotal", MR_FORECAST_PINNED, limits->memory_total };
	list[4] = (struct mr_forecast_limit){ is_hugetlb ? "free huge pages" : limits->available_by,
					      MR_FORECAST_PINNED,
					      is_hugetlb ? huge_room(plan->entry_page)
							 : limits->memory_available };
	return (!is_mr || (limits->max_mr_size.known && limits->max_mr.known)) &&
	       (!plan->is_pinned ||
		(knows_memlock(limits) && list[3].most.known && list[4].most.known));
}

struct forecast_row {
	const char *call;
	char device[96];
	bool simulated;
	const char *memory;
	struct mr_opt_u64 size, pieces, threads;
	struct mr_opt_u64 time_ns, piece_ns, residual_percent;
	const char *by;
	struct mr_opt_u64 pinned_pages, entries, entry_bytes;
	struct opt_bool allowed;
	const char *limit;
	struct mr_opt_u64 at_most, needed;
	char reason[160];
};

static const struct field forecast_fields[] = {
	FIELD(struct forecast_row, call, FIELD_STRING, 0, "what registers"),
	FIELD(struct forecast_row, device, FIELD_TEXT, 0,
	      "RDMA device; says so if it is simulated"),
	FIELD(struct forecast_row, simulated, FIELD_BOOL, FIELD_DETAIL,
	      "whether the device is simulated"),
	FIELD(struct forecast_row, memory, FIELD_STRING, 0, "kind of memory", .usual = "anon"),
	FIELD(struct forecast_row, size, FIELD_NUMBER, FIELD_IEC, "bytes of a piece"),
	FIELD(struct forecast_row, pieces, FIELD_NUMBER, 0,
	      "regions; the last one may be smaller than the others"),
	FIELD(struct forecast_row, threads, FIELD_NUMBER, 0, "threads that register at once"),
	FIELD(struct forecast_row, time_ns, FIELD_NUMBER, FIELD_DURATION,
	      "to register all, the last piece counted as a whole one"),
	FIELD(struct forecast_row, piece_ns, FIELD_NUMBER, FIELD_DURATION | FIELD_DETAIL,
	      "mean time of a call, while so many threads call"),
	FIELD(struct forecast_row, by, FIELD_STRING, 0,
	      "where the time comes from: this size was measured, or a line is fitted to others"),
	FIELD(struct forecast_row, residual_percent, FIELD_NUMBER, FIELD_DETAIL,
	      "root of the mean square of the line's relative errors"),
	FIELD(struct forecast_row, pinned_pages, FIELD_NUMBER, 0,
	      "pages that the kernel pins; none of regions on demand"),
	FIELD(struct forecast_row, entries, FIELD_NUMBER, 0,
	      "translation entries; fewer where a device joins pages that lie side by side"),
	FIELD(struct forecast_row, entry_bytes, FIELD_NUMBER, FIELD_IEC | FIELD_DETAIL,
	      "bytes of a page of the memory, each of which has an entry"),
	FIELD(struct forecast_row, allowed, FIELD_OPT_BOOL, 0,
	      "whether limits allow it; not known: those that are known do"),
	FIELD(struct forecast_row, limit, FIELD_STRING, FIELD_DETAIL,
	      "the first limit that does not"),
	FIELD(struct forecast_row, at_most, FIELD_NUMBER, FIELD_DETAIL,
	      "what it allows: bytes, of max_mr regions"),
	FIELD(struct forecast_row, needed, FIELD_NUMBER, FIELD_DETAIL, "what is needed of it"),
	FIELD(struct forecast_row, reason, FIELD_TEXT, 0, "the same for people"),
	FIELD_END,
};
const struct record bench_forecast_record = { "plan", forecast_fields, "plan" };

/* Return: how many sizes were measured; at most as many as there are setups. */
static size_t find_points(const struct bench_job *job, const struct bench_setup *first,
			  struct mr_fit_point *points)
{
	size_t count = 0;

	for (size_t i = 0; i < job->setup_count; i++) {
		const struct bench_series *series = bench_job_series(job, 0, i, 0);

		if (series->round_count && bench_same_setup(first, &job->setups[i]))
			points[count++] = (struct mr_fit_point){
				(double)job->setups[i].point.size,
				mr_histogram_mean(&series->histogram),
			};
	}
	return count;
}

static void fill_time(struct forecast_row *row, const struct mr_forecast_time *time)
{
	row->by = mr_forecast_by_name(time->by);
	if (!row->by)
		return;
	row->time_ns = known(time->all_ns);
	row->piece_ns = known(time->piece_ns);
	if (time->by == MR_FORECAST_FITTED)
		row->residual_percent = known((uint64_t)(time->residual * 100 + 0.5));
}

/* Rounded sizes that read alike would tell nothing. */
static void tell_bytes(struct forecast_row *row)
{
	const struct mr_size_text most = mr_size_text(row->at_most.value);
	const struct mr_size_text needed = mr_size_text(row->needed.value);

	if (strcmp(most.text, needed.text) != 0)
		snprintf(row->reason, sizeof(row->reason), "%s: %s, %s needed", row->limit,
			 most.text, needed.text);
	else
		snprintf(row->reason, sizeof(row->reason),
			 "%s: %" PRIu64 " bytes, %" PRIu64 " bytes needed", row->limit,
			 row->at_most.value, row->needed.value);
}

static void fill_limit(struct forecast_row *row, const struct mr_forecast_limit *limit,
		       uint64_t needed)
{
	row->limit = limit->name;
	row->at_most = limit->most;
	row->needed = known(needed);
	if (limit->subject == MR_FORECAST_PIECES)
		snprintf(row->reason, sizeof(row->reason), "%s: %" PRIu64 ", %" PRIu64 " needed",
			 limit->name, limit->most.value, needed);
	else
		tell_bytes(row);
}

static void fill_row(struct forecast_row *row, const struct bench_job *job,
		     const struct bench_setup *setup, const struct bench_limits *limits,
		     uint64_t piece)
{
	const struct mr_bench_point *point = &setup->point;
	const struct mr_forecast_plan plan = bench_pieces_plan(job->args, point, piece);
	const struct mr_environment *environment = job->answer.environment;
	struct mr_forecast_limit list[BENCH_LIMITS];
	const bool is_complete = bench_limits_list(limits, point, &plan, list);
	const struct mr_forecast_limit *limit;
	struct mr_forecast_counts counts;

	mr_forecast_count(&plan, &counts);
	limit = mr_forecast_judge(&plan, &counts, list, BENCH_LIMITS);
	*row = (struct forecast_row){
		.call = point->what->name,
		.simulated = environment->simulated,
		.memory = bench_memory_text(point),
		.size = known(piece),
		.pieces = known(counts.pieces),
		.threads = known(setup->threads),
		.pinned_pages = known(counts.pinned_pages),
		.entries = known(counts.entries),
		.entry_bytes = known(plan.entry_page),
		.allowed = { !limit, limit || is_complete },
	};
	bench_device_text(environment, row->device, sizeof(row->device));
	if (limit)
		fill_limit(row, limit, mr_forecast_needed(&plan, &counts, limit->subject));
}

static void print_group(struct bench_job *job, const struct bench_setup *setup,
			const struct bench_limits *limits, struct mr_fit_point *points,
			uint64_t *printed)
{
	const size_t count = find_points(job, setup, points);
	struct sweep pieces;

	bench_pieces(job->args, &pieces);
	for (size_t i = 0; i < pieces.count; i++) {
		struct forecast_row row;
		struct mr_forecast_time time;

		fill_row(&row, job, setup, limits, pieces.values[i]);
		time = mr_forecast_time(points, count, pieces.values[i], row.pieces.value,
					setup->threads);
		fill_time(&row, &time);
		answer_row(&job->answer, &row);
		++*printed;
	}
}

void bench_forecast_print(struct bench_job *job, uint64_t *printed)
{
	struct mr_fit_point *points = calloc(job->setup_count, sizeof(*points));
	struct bench_limits limits;

	if (!points)
		job->answer.out.error = -ENOMEM;
	bench_limits_read(job, &limits);
	/* Each group has one setup of the first size. */
	for (size_t i = 0; points && job->done && i < job->setup_count; i++)
		if (job->setups[i].point.size == job->setups[0].point.size)
			print_group(job, &job->setups[i], &limits, points, printed);
	free(points);
	answer_end_rows(&job->answer);
	if (job->answer.out.style->json)
		output_object(&job->answer.out, "limits", &bench_limits_record, &limits);
}
