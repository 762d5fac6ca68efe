// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/stat/stat.h"

void sums_add(struct sums *sums, struct sums more)
{
	sums->regions += more.regions;
	sums->bytes += more.bytes;
	sums->odp_regions += more.odp_regions;
	sums->odp_bytes += more.odp_bytes;
}

struct sums sums_of(const struct mr_nldev_mr *mr)
{
	const bool is_odp = mr->odp != MR_NLDEV_ODP_UNTOLD;
	/* The length of an implicit one is that of the address space. */
	const uint64_t bytes = mr->odp == MR_NLDEV_ODP_IMPLICIT ? 0 : mr->length;

	return (struct sums){ 1, bytes, is_odp, is_odp ? bytes : 0 };
}

/* Returns the owner of an MR: the members that identify it, without its sums. */
static struct owner identify(const struct census *census, const struct counted_device *device,
			     const struct mr_nldev_mr *mr)
{
	struct owner owner = { .kind = census->sees_all_processes ? OWNER_GONE : OWNER_HIDDEN };

	if (mr->kernel[0]) {
		owner.kind = OWNER_KERNEL;
		owner.kernel = mr->kernel;
		return owner;
	}
	if (mr->pid) {
		owner.kind = OWNER_PROCESS;
		owner.pid = known(mr->pid);
	} else {
		owner.session = census_session(census, device, mr);
	}
	if (owner.kind != OWNER_HIDDEN)
		owner.gone = owner.kind == OWNER_GONE ? MR_YES : MR_NO;
	return owner;
}

static int compare_owners(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;
	int order = (x->kind > y->kind) - (x->kind < y->kind);

	if (!order)
		order = (x->pid.value > y->pid.value) - (x->pid.value < y->pid.value);
	if (!order)
		order = strcmp(x->kernel ?: "", y->kernel ?: "");
	return order ? order : strcmp(x->session ?: "", y->session ?: "");
}

/* Finds an owner among the others, which are in order, or adds it.  Return: NULL where memory is short. */
static struct owner *find_or_add(struct census *census, const struct owner *same)
{
	struct owner *owners = census->owners;
	size_t at = census->owner_count;

	if (at)
		owners = bsearch(same, owners, at, sizeof(*same), compare_owners);
	if (owners)
		return owners;
	owners = reallocarray(census->owners, at + 1, sizeof(*owners));
	if (!owners)
		return NULL;
	census->owners = owners;
	census->owner_count++;
	for (; at && compare_owners(&owners[at - 1], same) > 0; at--)
		owners[at] = owners[at - 1];
	owners[at] = *same;
	return &owners[at];
}

int owners_sum(struct census *census)
{
	struct owner *last = NULL; /* MRs of an owner mostly follow each other */

	for (size_t d = 0; d < census->device_count; d++) {
		struct counted_device *device = &census->devices[d];

		for (size_t n = 0; n < device->mrs.count; n++) {
			const struct mr_nldev_mr *mr = &device->mrs.list[n];
			const struct owner owner = identify(census, device, mr);

			if (!last || compare_owners(last, &owner))
				last = find_or_add(census, &owner);
			if (!last)
				return -ENOMEM;
			sums_add(&last->sums, sums_of(mr));
			sums_add(&device->sums, sums_of(mr));
		}
	}
	return 0;
}

/*
 * The kernel names the thread that registered an MR (rdma_restrack_set_name() of drivers/infiniband/core), and
 * the threads of a process share what is pinned for it.
 */
static bool is_further_thread(const struct census *census, const struct owner *owner)
{
	for (const struct owner *other = census->owners; other != owner; other++)
		if (owner->process.process.known && other->process.process.known &&
		    other->process.process.value == owner->process.process.value)
			return true;
	return false;
}

void owners_read(struct census *census, struct mr_host *host)
{
	for (size_t i = 0; i < census->owner_count; i++) {
		struct owner *owner = &census->owners[i];
		struct mr_opt_u64 start;
		char number[24];

		if (!owner->pid.known)
			continue;
		snprintf(number, sizeof(number), "%" PRIu64, owner->pid.value);
		if (!mr_process_status_read(host, number, &owner->process))
			mr_unit_read(host, number, &owner->unit);
		/* The start of the process is read last, so all facts are of the same process. */
		start = mr_process_start(host, number);
		if (!start.known || start.value >= census->begun) {
			owner->process = (struct mr_process_status){ .name = "" };
			owner->unit = (struct mr_unit){ .name = "" };
		}
		owner->is_further_thread = is_further_thread(census, owner);
	}
}

const struct owner *census_owner(const struct census *census, const struct counted_device *device,
				 const struct mr_nldev_mr *mr)
{
	const struct owner same = identify(census, device, mr);

	return census->owner_count ? bsearch(&same, census->owners, census->owner_count,
					     sizeof(same), compare_owners)
				   : NULL;
}

/* ---- sessions ---- */

/* Nanoseconds after which the search for sessions ends. */
#define SEARCH_NS UINT64_C(5000000000)

static void take_region(const struct mr_found_session *session, const struct mr_entry *entry,
			void *data)
{
	struct census *census = data;
	struct session_region *region;

	if (session->device.simulated || mr_region_kind(entry->call) != MR_KIND_MR ||
	    entry->state == MR_ENTRY_FREE || entry->state == MR_ENTRY_PENDING)
		return;
	if (census->region_count == census->region_room) {
		size_t room = census->region_room ? 2 * census->region_room : 64;
		struct session_region *regions =
			reallocarray(census->regions, room, sizeof(*regions));

		census->misses_sessions |= !regions;
		if (!regions)
			return;
		census->regions = regions;
		census->region_room = room;
	}
	region = &census->regions[census->region_count++];
	*region = (struct session_region){ .length = entry->length,
					   .lkey = entry->lkey,
					   .rkey = entry->rkey };
	snprintf(region->device, sizeof(region->device), "%s", session->device.name);
	snprintf(region->session, sizeof(region->session), "pid:%d", (int)session->pid);
}

static int compare_regions(const void *a, const void *b)
{
	const struct session_region *x = a, *y = b;
	int order = (x->lkey > y->lkey) - (x->lkey < y->lkey);

	if (!order)
		order = (x->rkey > y->rkey) - (x->rkey < y->rkey);
	if (!order)
		order = (x->length > y->length) - (x->length < y->length);
	return order ? order : strcmp(x->device, y->device);
}

/*
 * A device gives an lkey to one MR at a time.  So an MR is a region of a session where device, lkey, rkey and
 * length are the same.
 */
const char *census_session(const struct census *census, const struct counted_device *device,
			   const struct mr_nldev_mr *mr)
{
	struct session_region wanted = { .length = mr->length, .lkey = mr->lkey, .rkey = mr->rkey };
	const struct session_region *found;

	if (!mr->has_keys || !census->region_count)
		return NULL;
	snprintf(wanted.device, sizeof(wanted.device), "%s", device->device.name);
	found = bsearch(&wanted, census->regions, census->region_count, sizeof(wanted),
			compare_regions);
	return found ? found->session : NULL;
}

/* State of census_take(). */
struct taking {
	struct census *census;
	struct mr_nldev nl;
	struct mr_host host;
	void (*fail)(struct mr_error *err, void *data);
	void *data;
};

/* ---- devices ---- */

/* Adds a device and its MRs, or nothing of it where they cannot be listed. */
static void add_device(struct taking *taking, const struct mr_nldev_device *found)
{
	struct census *census = taking->census;
	struct counted_device *device = &census->devices[census->device_count];
	struct mr_rdma_device attributes;
	struct mr_error err;
	int rc;

	*device = (struct counted_device){ .device = *found };
	rc = mr_nldev_mrs(&taking->nl, found->index, &device->mrs, &err);
	if (!rc) {
		mr_rdma_device_read_place(&taking->host, found->name, &attributes);
		device->pinned = attributes.reg_pages;
		device->pinned.value *= (uint64_t)sysconf(_SC_PAGESIZE);
		rc = mr_nldev_count_faults(&taking->nl, found->index, &device->mrs, &err);
		if (rc && err.kind == MR_ERROR_REFUSED) { /* the MRs themselves are listed */
			taking->fail(&err, taking->data);
			rc = 0;
		}
	}
	if (!rc) {
		census->device_count++;
		return;
	}
	mr_nldev_mrs_release(&device->mrs);
	mr_wrap(&err, "%s", found->name);
	taking->fail(&err, taking->data);
}

static bool is_named(char *const *names, const char *device)
{
	for (; *names; names++)
		if (!strcmp(*names, device))
			return true;
	return false;
}

/* Return: 0, or -errno where the devices cannot be listed. */
static int list_devices(struct taking *taking, char *const *names, struct mr_error *err)
{
	struct mr_nldev_devices found;
	struct mr_error absent;
	int rc = mr_nldev_devices(&taking->nl, &found, err);

	taking->census->devices = calloc(found.count + 1, sizeof(*taking->census->devices));
	if (!rc && !taking->census->devices)
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (size_t i = 0; !rc && taking->census->devices && i < found.count; i++)
		if (!names[0] || is_named(names, found.list[i].name))
			add_device(taking, &found.list[i]);
	for (; !rc && *names; names++) {
		if (mr_nldev_device_by_name(&found, *names))
			continue;
		mr_fail_text(&absent, MR_ERROR_ABSENT, ENODEV, "the kernel has no RDMA device '%s'",
			     *names);
		taking->fail(&absent, taking->data);
	}
	mr_nldev_devices_release(&found);
	return rc;
}

/* Finds the regions of all sessions that this user can see, but for those on simulated devices: by their keys. */
static void match_sessions(struct taking *taking)
{
	struct census *census = taking->census;
	struct mr_sessions found;
	struct mr_error err;
	bool has_any = false;

	census->has_keys = true;
	for (size_t i = 0; i < census->device_count; i++)
		if (census->devices[i].mrs.count) {
			census->has_keys &= census->devices[i].mrs.list[0].has_keys;
			has_any = true;
		}
	if (!has_any || !census->has_keys)
		return;
	if (mr_sessions_find(SEARCH_NS, &found, take_region, census, &err))
		taking->fail(&err, taking->data);
	census->misses_sessions |= found.incomplete;
	mr_sessions_release(&found);
	if (census->region_count)
		qsort(census->regions, census->region_count, sizeof(*census->regions),
		      compare_regions);
}

/* ---- all ---- */

int census_take(struct census *census, char *const *names,
		void (*fail)(struct mr_error *err, void *data), void *data, struct mr_error *err)
{
	struct taking taking = {
		.census = census, .host = MR_THIS_HOST, .fail = fail, .data = data
	};
	int rc;

	*census = (struct census){ .begun = mr_process_ticks() };
	rc = mr_nldev_open(&taking.nl, err);
	if (rc)
		return rc;
	census->sees_all_processes = mr_namespace_is_first(&taking.host, "pid") == MR_YES;
	rc = list_devices(&taking, names, err);
	if (!rc)
		match_sessions(&taking);
	if (!rc && owners_sum(census))
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", "too many MRs");
	if (!rc)
		owners_read(census, &taking.host);
	census->pinned = mr_pinned_pages(&taking.host);
	mr_nldev_close(&taking.nl);
	return rc;
}

void census_release(struct census *census)
{
	for (size_t i = 0; i < census->device_count; i++)
		mr_nldev_mrs_release(&census->devices[i].mrs);
	free(census->devices);
	free(census->owners);
	free(census->regions);
	free(census->units);
	*census = (struct census){ .device_count = 0 };
}
