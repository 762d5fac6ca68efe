// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/system/owners.h"
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

int owners_read(struct census *census, struct mr_host *host)
{
	for (size_t i = 0; i < census->owner_count; i++) {
		struct owner *owner = &census->owners[i];

		if (owner->kind == OWNER_PROCESS)
			read_process(census, host, owner);
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
