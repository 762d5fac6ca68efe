// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/system/sessions.h"

/* Nanoseconds after which the search for sessions ends. */
#define SEARCH_NS UINT64_C(5000000000)

static uint32_t place_of(struct session_regions *regions, const struct mr_found_session *session)
{
	struct session_place *places;

	/* Regions of a session come one after the other. */
	if (regions->place_count &&
	    regions->places[regions->place_count - 1].socket == session->socket)
		return (uint32_t)regions->place_count;
	places = reallocarray(regions->places, regions->place_count + 1, sizeof(*places));
	if (!places)
		return 0;
	regions->places = places;
	places[regions->place_count].socket = session->socket;
	snprintf(places[regions->place_count].text, sizeof(places->text), "pid:%d",
		 (int)session->pid);
	snprintf(places[regions->place_count].device, sizeof(places->device), "%s",
		 session->device.name);
	return (uint32_t)++regions->place_count;
}

static void take_region(const struct mr_found_session *session, const struct mr_entry *entry,
			void *data)
{
	struct session_regions *regions = data;
	struct session_region *region;

	if (session->device.simulated || mr_region_kind(entry->call) != MR_KIND_MR ||
	    entry->state == MR_ENTRY_FREE || entry->state == MR_ENTRY_PENDING)
		return;
	if (regions->count == regions->room) {
		size_t room = regions->room ? 2 * regions->room : 64;
		struct session_region *list = reallocarray(regions->list, room, sizeof(*list));

		regions->incomplete |= !list;
		if (!list)
			return;
		regions->list = list;
		regions->room = room;
	}
	region = &regions->list[regions->count];
	*region = (struct session_region){ .length = entry->length,
					   .lkey = entry->lkey,
					   .rkey = entry->rkey,
					   .session = place_of(regions, session) };
	regions->incomplete |= !region->session;
	regions->count += region->session != 0;
}

static int by_lkey(const void *a, const void *b)
{
	const struct session_region *x = a, *y = b;

	return (x->lkey > y->lkey) - (x->lkey < y->lkey);
}

static bool is_sorted(const struct session_regions *regions)
{
	for (size_t i = 1; i < regions->count; i++)
		if (regions->list[i - 1].lkey > regions->list[i].lkey)
			return false;
	return true;
}

int session_regions_find(struct session_regions *regions, struct mr_error *err)
{
	struct mr_sessions found;
	int rc;

	*regions = (struct session_regions){ .count = 0 };
	rc = mr_sessions_visit(SEARCH_NS, &found, take_region, regions, err);
	regions->incomplete |= found.incomplete;
	mr_sessions_release(&found);
	if (!is_sorted(regions))
		qsort(regions->list, regions->count, sizeof(*regions->list), by_lkey);
	return rc;
}

void session_regions_release(struct session_regions *regions)
{
	free(regions->list);
	free(regions->places);
	*regions = (struct session_regions){ .count = 0 };
}

/* The first region whose lkey is not below @lkey. */
static size_t first_of(const struct session_regions *regions, uint32_t lkey)
{
	size_t low = 0, high = regions->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (regions->list[middle].lkey < lkey)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_same(const struct session_regions *regions, size_t n, const char *device,
		    const struct mr_nldev_mr *mr)
{
	const struct session_region *region = &regions->list[n];

	return region->lkey == mr->lkey && region->rkey == mr->rkey &&
	       region->length == mr->length &&
	       !strcmp(regions->places[region->session - 1].device, device);
}

uint32_t session_regions_place(struct session_regions *regions, const char *device,
			       const struct mr_nldev_mr *mr)
{
	size_t n = regions->last + 1;

	if (!mr->has_keys)
		return 0;
	if (n >= regions->count || !is_same(regions, n, device, mr))
		for (n = first_of(regions, mr->lkey);
		     n < regions->count && !is_same(regions, n, device, mr); n++)
			if (regions->list[n].lkey != mr->lkey)
				return 0;
	if (n == regions->count)
		return 0;
	regions->last = n;
	return regions->list[n].session;
}
