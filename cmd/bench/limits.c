// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/bench/limits.h"
#include "lib/bench/bench.h"
#include "lib/host/available.h"
#include "lib/host/huge_pages.h"
#include "lib/host/live.h"
#include "lib/host/memlock.h"
#include "lib/host/meminfo.h"
#include "lib/verbs/attributes.h"

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
