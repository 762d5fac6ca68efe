// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/host/host.h"
#include "lib/trace/reproduction/earlier.h"
#include "lib/verbs/verbs.h"

bool mr_earlier_matter(const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;
	const int errnum = it->record->errnum;

	return (look->pinned.known ? look->pinned.value : look->registered_count) &&
	       (errnum == ENOMEM || errnum == EAGAIN || errnum == ENOSPC || errnum == ENOBUFS);
}

/* ---- the limit of locked memory ---- */

/* The limit that counted for a process; UINT64_MAX: none did. */
static uint64_t limit_of(const struct mr_look *look)
{
	return look->has_memlock && look->is_memlock_lifted != MR_YES ? look->memlock.soft
								      : UINT64_MAX;
}

bool mr_earlier_are_beyond_limit(const struct mr_look *look)
{
	return look->pinned.known && look->pinned.value > limit_of(look);
}

static bool is_by_limit(const struct mr_refusal_kind *kind)
{
	const struct mr_cause *cause = mr_refusals_cause(kind);

	return cause && !strncmp(cause->id, "MR-MEMLOCK", strlen("MR-MEMLOCK"));
}

uint64_t mr_earlier_limit(const struct mr_refusals *refusals)
{
	uint64_t limit = UINT64_MAX;

	for (size_t i = 0; i < refusals->count; i++) {
		const struct mr_refusal_kind *kind = refusals->kinds[i];

		if (!kind->has_look || mr_earlier_are_beyond_limit(&kind->look))
			continue;
		if (is_by_limit(kind))
			return limit_of(&kind->look);
		if (limit == UINT64_MAX)
			limit = limit_of(&kind->look);
	}
	return limit;
}

bool mr_earlier_limit_differs(const struct mr_reproduced *it)
{
	const uint64_t own = limit_of(it->look);

	if (own == it->limit || mr_refusals_is_of_request(it->kind))
		return false;
	return is_by_limit(it->kind) || (it->look->has_range && it->record->errnum != EINVAL &&
					 it->record->length > it->limit);
}

/* ---- the lines ---- */

/* Bytes that the region of a change has pinned: it has a line of its own. */
static uint64_t pinned_before_change(const struct mr_reproduced *it)
{
	const struct mr_look_region *old = &it->kind->region;
	const uint64_t page = mr_page_size(mr_this_host());
	enum mr_region_call call;

	if (it->record->call != MR_TRACED_IBV_REREG_MR || !mr_reproduced_call_before(it, &call) ||
	    mr_call_row(call)->on != MR_ON_MEMORY || old->access & MR_ACCESS_ON_DEMAND)
		return 0;
	return (old->addr % page + old->length + page - 1) / page * page;
}

/*
 * What counts against the limit is the sum, in pages.  So the earlier regions are made as one mapping of equal parts,
 * which are as many.
 */
static void print_sum(FILE *file, uint64_t bytes, uint64_t count)
{
	const uint64_t page = mr_page_size(mr_this_host());
	const uint64_t each = bytes / count / page * page;

	if (!each) {
		fprintf(file, "reg --size %" PRIu64 " --count %" PRIu64 "\n", bytes / count ?: 1,
			count);
		return;
	}
	fprintf(file, "reg --size %" PRIu64, each);
	if (count > 1)
		fprintf(file, " --count %" PRIu64, count);
	fputc('\n', file);
	if (bytes - each * count >= page)
		fprintf(file, "reg --size %" PRIu64 "\n", bytes - each * count);
}

void mr_earlier_print(FILE *file, const struct mr_reproduced *it)
{
	const struct mr_look *look = it->look;
	const uint64_t own = pinned_before_change(it);
	const uint64_t bytes = look->pinned.known ? look->pinned.value : look->registered_bytes;
	const uint64_t pages = bytes / mr_page_size(mr_this_host());
	uint64_t count = look->registered_count - (look->registered_count && own);

	if (look->pinned.known && pages < count)
		count = pages;
	/* Buffers of queues are pinned, too, and are no regions. */
	if (bytes > own)
		print_sum(file, bytes - own, count ?: 1);
}
