// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/base/base.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"
#include "lib/probe/max_size.h"
#include "lib/verbs/verbs.h"

/* The search ends where what is left is this part of the size: each further try would pin all of it again. */
#define PRECISION 1024

/* A call that a signal interrupts is made so many times. */
#define INTERRUPTIONS 5

/* A search. */
struct search {
	struct mr_probe *probe;
	void (*step)(uint64_t bytes, void *data);
	void *data;
	struct mr_max_size *found;
	uint64_t low;  /* pages that worked */
	uint64_t high; /* pages that were refused; 0: none were */
	bool is_over;  /* a region could not be taken back, or the device has failed */
};

/*
 * Sets the cap: the given one, or half of what is available.  More than 15/16 of that is never tried: for want of
 * the rest, which page tables and the driver's own lists need, the kernel would kill processes.
 */
static int find_cap(struct mr_opt_u64 given, struct mr_max_size *found, struct mr_error *err)
{
	struct mr_host host = MR_THIS_HOST;
	struct mr_available available;
	int rc = mr_available_read(&host, &available);
	const uint64_t most = rc ? UINT64_MAX : available.bytes - available.bytes / 16;

	if (given.known && given.value <= most) {
		found->cap = given.value;
		return 0;
	}
	if (rc) {
		mr_fail_text(err, MR_ERROR_HOST, -rc,
			     "how much memory is available is not known (/proc/meminfo)");
		mr_hint(err, "give the largest size to be tried with --cap");
		return rc;
	}
	found->cap = given.known ? most : available.bytes / 2;
	found->cap_by = available.by;
	return 0;
}

/* Registers fresh memory and takes it back.  Return: 0 or -errno, with err set. */
static int register_once(struct search *search, uint64_t bytes, struct mr_error *err)
{
	const struct mr_memory_request wanted = {
		.kind = { .type = MR_MEMORY_ANON, .text = "anon" }, .length = bytes
	};
	struct mr_region_request request = { .call = MR_REG_MR,
					     .length = bytes,
					     .access = IBV_ACCESS_LOCAL_WRITE };
	const struct mr_registrar *registrar = &search->probe->library;
	struct mr_region region;
	struct mr_memory memory;
	int rc = mr_memory_map(&wanted, &memory, err);

	if (rc)
		return rc;
	request.addr = memory.start;
	rc = mr_region_register(registrar, &request, &region, err);
	if (!rc) {
		rc = mr_region_deregister(registrar, &region, err);
		search->is_over = rc;
	}
	mr_memory_unmap(&memory);
	return rc;
}

/* The device has failed or gone, which tells nothing of a size: none counts as refused. */
static void give_up(struct search *search)
{
	search->high = 0;
	search->is_over = true;
}

/* Tries a size, and notes what it tells. */
static void try_pages(struct search *search, uint64_t pages)
{
	struct mr_max_size *found = search->found;
	const uint64_t bytes = pages * search->probe->page;
	struct mr_error err = { .text = "" };
	int rc, left = INTERRUPTIONS;

	search->step(bytes, search->data);
	do {
		found->tries++;
		rc = register_once(search, bytes, &err);
	} while (rc == -EINTR && !search->is_over && --left);
	if (!rc || search->is_over)
		search->low = pages;
	else if (rc == -EIO || rc == -ENODEV)
		give_up(search);
	else
		search->high = pages;
	if (rc)
		found->err = err;
}

static void find_pages(struct search *search, uint64_t cap)
{
	for (uint64_t pages = 1; !search->high && search->low < cap && !search->is_over;
	     pages = pages > cap / 2 ? cap : 2 * pages)
		try_pages(search, pages);
	while (search->high - search->low > 1 + search->low / PRECISION && search->high &&
	       !search->is_over)
		try_pages(search, search->low + (search->high - search->low) / 2);
}

/* The limit that the refused size exceeds, as its figure shows; or NULL. */
static const char *find_limit(const struct mr_probe *probe, const struct mr_max_size *found)
{
	const struct mr_opt_u64 memlock = probe->environment->memlock_soft;
	struct mr_host host = MR_THIS_HOST;
	struct mr_process_status self;

	if (!found->refused.known)
		return NULL;
	if (probe->has_attributes && found->refused.value > probe->attributes.max_mr_size)
		return "max_mr_size";
	if (found->err.errnum != ENOMEM || !memlock.known ||
	    found->refused.value <= memlock.value || mr_process_status_read(&host, "self", &self) ||
	    !self.effective.known || self.effective.value & MR_CAP_IPC_LOCK)
		return NULL;
	return "RLIMIT_MEMLOCK";
}

int mr_max_size_find(struct mr_probe *probe, struct mr_opt_u64 cap,
		     void (*step)(uint64_t bytes, void *data), void *data,
		     struct mr_max_size *found, struct mr_error *err)
{
	struct search search = { .probe = probe, .step = step, .data = data, .found = found };
	uint64_t start = mr_now_ns();
	int rc;

	*found = (struct mr_max_size){ .cap = 0 };
	rc = find_cap(cap, found, err);
	if (rc)
		return rc;
	find_pages(&search, found->cap / probe->page);
	found->size = (struct mr_opt_u64){ search.low * probe->page, search.low };
	found->refused = (struct mr_opt_u64){ search.high * probe->page, search.high };
	found->limit = find_limit(probe, found);
	found->elapsed_ns = mr_now_ns() - start;
	return 0;
}
