// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/stat/stat.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"

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

/* The place of a module among those that are known, or that of a new one.  Return: its place, or -ENOMEM. */
static int64_t module_of(struct census *census, const char *name)
{
	char(*modules)[20];

	for (size_t i = 0; i < census->module_count; i++)
		if (!strcmp(census->modules[i], name))
			return (int64_t)i;
	modules = reallocarray(census->modules, census->module_count + 1, sizeof(*modules));
	if (!modules)
		return -ENOMEM;
	census->modules = modules;
	snprintf(modules[census->module_count], sizeof(*modules), "%s", name);
	return (int64_t)census->module_count++;
}

/* Kind and number of the owner of an MR.  Return: 0 or -ENOMEM. */
static int identify(struct census *census, const struct counted_device *device, size_t n,
		    struct owner *owner)
{
	const struct mr_nldev_mr *mr = &device->mrs.list[n];
	int64_t module;

	owner->kind = census->sees_all_processes ? OWNER_GONE : OWNER_HIDDEN;
	owner->number = device->sessions ? device->sessions[n] : 0;
	if (mr->kernel[0]) {
		module = module_of(census, mr->kernel);
		if (module < 0)
			return (int)module;
		owner->kind = OWNER_KERNEL;
		owner->number = (uint32_t)module;
	} else if (mr->pid) {
		owner->kind = OWNER_PROCESS;
		owner->number = mr->pid;
	}
	return 0;
}

static int compare_owners(const void *a, const void *b)
{
	const struct owner *x = a, *y = b;

	if (x->kind != y->kind)
		return (x->kind > y->kind) - (x->kind < y->kind);
	return (x->number > y->number) - (x->number < y->number);
}

static struct owner *find_owner(const struct census *census, const struct owner *same)
{
	return census->owner_count ? bsearch(same, census->owners, census->owner_count,
					     sizeof(*same), compare_owners)
				   : NULL;
}

/* Sort the owners, and add up those that are the same. */
static void merge_owners(struct census *census)
{
	size_t kept = 0;

	if (census->owner_count)
		qsort(census->owners, census->owner_count, sizeof(*census->owners), compare_owners);
	for (size_t i = 0; i < census->owner_count; i++) {
		if (kept && !compare_owners(&census->owners[kept - 1], &census->owners[i]))
			sums_add(&census->owners[kept - 1].sums, census->owners[i].sums);
		else
			census->owners[kept++] = census->owners[i];
	}
	census->owner_count = kept;
}

static struct owner *add_owner(struct census *census, const struct owner *owner, size_t *room)
{
	if (census->owner_count == *room) {
		size_t more = *room ? 2 * *room : 64;
		struct owner *owners;

		/* Most are the same as others. */
		merge_owners(census);
		if (census->owner_count > *room / 2 || !*room) {
			owners = reallocarray(census->owners, more, sizeof(*owners));
			if (!owners)
				return NULL;
			census->owners = owners;
			*room = more;
		}
	}
	census->owners[census->owner_count] = *owner;
	return &census->owners[census->owner_count++];
}

/* MRs of an owner mostly follow each other. */
int owners_sum(struct census *census)
{
	struct owner *last = NULL;
	size_t room = 0;

	for (size_t d = 0; d < census->device_count; d++) {
		struct counted_device *device = &census->devices[d];

		for (size_t n = 0; n < device->mrs.count; n++) {
			const struct sums sums = sums_of(&device->mrs.list[n]);
			struct owner owner = { .sums = { 0 } };

			if (identify(census, device, n, &owner))
				return -ENOMEM;
			if (!last || compare_owners(last, &owner))
				last = add_owner(census, &owner, &room);
			if (!last)
				return -ENOMEM;
			sums_add(&last->sums, sums);
			sums_add(&device->sums, sums);
		}
	}
	merge_owners(census);
	return 0;
}

/* A thread that has MRs, and its process. */
struct thread {
	uint64_t process;
	struct owner *owner;
};

static int compare_threads(const void *a, const void *b)
{
	const struct thread *x = a, *y = b;
	int order = (x->process > y->process) - (x->process < y->process);

	return order ? order : (x->owner > y->owner) - (x->owner < y->owner);
}

/*
 * The kernel names the thread that registered an MR (rdma_restrack_set_name() of drivers/infiniband/core), and
 * the threads of a process share what is pinned for it.  Return: 0 or -ENOMEM.
 */
static int find_further_threads(struct census *census)
{
	struct thread *threads = calloc(census->owner_count + 1, sizeof(*threads));
	size_t count = 0;

	if (!threads)
		return -ENOMEM;
	for (size_t i = 0; i < census->owner_count; i++)
		if (census->owners[i].process.process.known)
			threads[count++] = (struct thread){ census->owners[i].process.process.value,
							    &census->owners[i] };
	qsort(threads, count, sizeof(*threads), compare_threads);
	for (size_t i = 1; i < count; i++)
		threads[i].owner->is_further_thread = threads[i - 1].process == threads[i].process;
	free(threads);
	return 0;
}

/* Read what a process is.  It is asked last when it was started: so all that was read is of the same one. */
static void read_process(const struct census *census, struct mr_host *host, struct owner *owner)
{
	struct mr_opt_u64 start;
	char number[16];

	snprintf(number, sizeof(number), "%u", owner->number);
	if (!mr_process_status_read(host, number, &owner->process))
		mr_unit_read(host, number, &owner->unit);
	start = mr_process_start(host, number);
	if (start.known && start.value < census->begun)
		return;
	owner->process = (struct mr_process_status){ .name = "" };
	owner->unit = (struct mr_unit){ .name = "" };
}

const char *census_session(const struct census *census, uint32_t place)
{
	return place ? census->sessions.places[place - 1].text : NULL;
}

int owners_read(struct census *census, struct mr_host *host)
{
	for (size_t i = 0; i < census->owner_count; i++) {
		struct owner *owner = &census->owners[i];
		const bool is_gone = owner->kind == OWNER_GONE;

		owner->is_process = owner->kind == OWNER_PROCESS;
		owner->gone = (struct opt_bool){ is_gone, is_gone || owner->is_process };
		if (owner->is_process)
			read_process(census, host, owner);
		else if (owner->kind == OWNER_KERNEL)
			owner->kernel = census->modules[owner->number];
		else
			owner->session = census_session(census, owner->number);
	}
	return find_further_threads(census);
}

const struct owner *census_owner(struct census *census, const struct counted_device *device,
				 size_t n)
{
	struct owner same;

	/* Its module is known by now. */
	return identify(census, device, n, &same) ? NULL : find_owner(census, &same);
}

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

/*
 * Finds the regions of all sessions that this user can see. Regions on simulated devices are left out.
 * session_regions_release() it in any case.
 */
static int session_regions_find(struct session_regions *regions, struct mr_error *err)
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

static void session_regions_release(struct session_regions *regions)
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

/*
 * Returns the session whose region an MR is. A device gives an lkey to one MR at a time.  So an MR is a
 * region of a session where device, lkey, rkey and length are the same. Return: its place, from 1; 0: of
 * none, or the MR's keys are not known.
 */
static uint32_t session_regions_place(struct session_regions *regions, const char *device,
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

/* What census_take() works with. */
struct taking {
	struct census *census;
	struct mr_nldev nl;
	struct mr_host host;
	void (*fail)(struct mr_error *err, void *data);
	void *data;
};

/* ---- devices ---- */

/* List the MRs of a device.  Return: 0 or -errno. */
static int list_device(struct taking *taking, struct counted_device *device, struct mr_error *err)
{
	struct mr_rdma_device attributes;
	int rc = mr_nldev_mrs(&taking->nl, device->device.index, &device->mrs, err);

	if (rc)
		return rc;
	mr_rdma_device_read(&taking->host, device->device.name, &attributes);
	device->pinned = attributes.reg_pages;
	device->pinned.value *= (uint64_t)sysconf(_SC_PAGESIZE);
	rc = mr_nldev_count_faults(&taking->nl, device->device.index, &device->mrs, err);
	if (rc && err->kind == MR_ERROR_REFUSED) { /* the MRs themselves are listed */
		taking->fail(err, taking->data);
		rc = 0;
	}
	return rc;
}

static void add_device(struct taking *taking, const struct mr_nldev_device *found)
{
	struct census *census = taking->census;
	struct counted_device *device = &census->devices[census->device_count];
	struct mr_error err;

	*device = (struct counted_device){ .device = *found };
	if (!list_device(taking, device, &err)) {
		census->device_count++;
		return;
	}
	mr_nldev_mrs_release(&device->mrs);
	mr_wrap(&err, "%s", found->name);
	taking->fail(&err, taking->data);
}

static void add_named(struct taking *taking, const struct mr_nldev_devices *found,
		      char *const *names)
{
	struct mr_error err;

	for (char *const *name = names; *name; name++) {
		const struct mr_nldev_device *device = mr_nldev_device_by_name(found, *name);
		bool is_again = false;

		for (char *const *other = names; other != name; other++)
			is_again |= !strcmp(*other, *name);
		if (is_again)
			continue;
		if (device) {
			add_device(taking, device);
			continue;
		}
		mr_fail_text(&err, MR_ERROR_ABSENT, ENODEV, "the kernel has no RDMA device '%s'",
			     *name);
		taking->fail(&err, taking->data);
	}
}

/* Return: 0, or -errno where the devices cannot be listed. */
static int list_devices(struct taking *taking, char *const *names, struct mr_error *err)
{
	struct mr_nldev_devices found;
	int rc = mr_nldev_devices(&taking->nl, &found, err);

	if (!rc) {
		taking->census->devices = calloc(found.count + 1, sizeof(*taking->census->devices));
		if (!taking->census->devices) {
			mr_nldev_devices_release(&found);
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
		}
	}
	if (!rc && names[0])
		add_named(taking, &found, names);
	for (size_t i = 0; !rc && !names[0] && i < found.count; i++)
		add_device(taking, &found.list[i]);
	mr_nldev_devices_release(&found);
	return rc;
}

/* ---- sessions ---- */

/* Find out whose region each MR is.  Return: 0 or -ENOMEM. */
static int match_device(struct session_regions *regions, struct counted_device *device)
{
	if (!regions->count || !device->mrs.count)
		return 0;
	device->sessions = calloc(device->mrs.count, sizeof(*device->sessions));
	for (size_t n = 0; device->sessions && n < device->mrs.count; n++)
		device->sessions[n] =
			session_regions_place(regions, device->device.name, &device->mrs.list[n]);
	return device->sessions ? 0 : -ENOMEM;
}

/* Return: 0 or -ENOMEM. */
static int match_sessions(struct taking *taking)
{
	struct census *census = taking->census;
	struct mr_error err;
	bool has_any = false;
	int rc = 0;

	census->has_keys = true;
	for (size_t i = 0; i < census->device_count; i++)
		if (census->devices[i].mrs.count) {
			census->has_keys &= census->devices[i].mrs.list[0].has_keys;
			has_any = true;
		}
	/* Without keys nothing can be proved. */
	if (has_any && census->has_keys && session_regions_find(&census->sessions, &err))
		taking->fail(&err, taking->data);
	for (size_t i = 0; i < census->device_count && !rc; i++)
		rc = match_device(&census->sessions, &census->devices[i]);
	return rc;
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
	if (!rc && (match_sessions(&taking) || owners_sum(census)))
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "malloc", "too many MRs");
	if (!rc && owners_read(census, &taking.host))
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	census->pinned = mr_pinned_pages(&taking.host);
	mr_nldev_close(&taking.nl);
	return rc;
}

void census_release(struct census *census)
{
	for (size_t i = 0; i < census->device_count; i++) {
		mr_nldev_mrs_release(&census->devices[i].mrs);
		free(census->devices[i].sessions);
	}
	free(census->devices);
	free(census->owners);
	free(census->modules);
	session_regions_release(&census->sessions);
	*census = (struct census){ .device_count = 0 };
}
