// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/diagnose/trial/bench.h"
#include "lib/host/host.h"

#define ON_REGISTERING (MR_ON(REG) | MR_ON(REG_DM) | MR_ON(NULL_MR) | MR_ON(UMEM) | MR_ON_DMABUFS)

/* What can be said of calls that are not repeated. */
static const struct {
	uint32_t operations;
	const char *note;
} untried[] = {
	{ MR_ON(DEREG) | MR_ON(FREE), "nothing, as a call that frees an object is not repeated" },
	{ MR_ON(OPEN) | MR_ON(FIND) | MR_ON(IMPORT),
	  "nothing, as opening a device has nothing to change" },
	{ MR_ON(REREG), "nothing, as the memory of the region is not this process's" },
	{ MR_ON_ALL, "nothing, as this call has nothing to change" },
};

static void note_untried(enum mr_operation operation, char *note, size_t size)
{
	size_t row = 0;

	while (!(untried[row].operations >> operation & 1))
		row++;
	snprintf(note, size, "%s", untried[row].note);
}

/*
 * A region is not changed again: the range and access that it was to have are registered anew.  Return: false
 * where it stays on memory of another process.
 */
static bool request_of_rereg(const struct mr_refusal *refusal, struct mr_region_request *request)
{
	const struct mr_rereg_request *rereg = refusal->rereg;
	const bool moves = rereg->changes & MR_CHANGE_TRANSLATION;

	if (!refusal->region_known || (!moves && !refusal->is_own) ||
	    mr_call_row(refusal->region_call)->on != MR_ON_MEMORY ||
	    mr_region_kind(refusal->region_call) != MR_KIND_MR)
		return false;
	*request = (struct mr_region_request){
		.addr = moves ? rereg->addr : refusal->region_addr,
		.length = moves ? rereg->length : refusal->region_length,
		.iova = moves ? rereg->iova : refusal->region_iova,
		.access =
			rereg->changes & MR_CHANGE_ACCESS ? rereg->access : refusal->region_access,
	};
	if (moves && refusal->via == MR_VIA_LIBRARY) /* which takes the address */
		request->iova = request->addr;
	request->call = request->iova == request->addr ? MR_REG_MR : MR_REG_MR_IOVA;
	return true;
}

static bool find_request(struct mr_bench *bench)
{
	const struct mr_refusal *refusal = bench->refusal;

	if (bench->operation == MR_OP_REREG && refusal->rereg)
		return request_of_rereg(refusal, &bench->request);
	if (!refusal->request || !(ON_REGISTERING >> bench->operation & 1))
		return false;
	bench->request = *refusal->request;
	bench->request.export = NULL;
	bench->request.backing = NULL;
	return true;
}

/* Whether the context of the call serves for its tries. */
static bool is_fit(const struct mr_bench *bench)
{
	const struct mr_refusal *refusal = bench->refusal;

	return refusal->is_own && refusal->context && refusal->uverbs &&
	       (refusal->library_pd || mr_region_kind(bench->request.call) == MR_KIND_UMEM);
}

static int open_own(struct mr_bench *bench, struct mr_error *err)
{
	const struct mr_environment *environment = bench->refusal->environment;
	uint32_t pd_handle;
	int rc;

	mr_environment_init(&bench->environment);
	rc = mr_device_open(environment->device[0] ? environment->device : NULL, &bench->own,
			    &bench->environment, err);
	if (rc)
		return rc;
	bench->context = bench->own.context;
	bench->pd = bench->own.pd;
	bench->uverbs = mr_device_uverbs(&bench->own, &bench->environment, &pd_handle);
	return 0;
}

static void set_base(struct mr_bench *bench)
{
	bench->base = (struct mr_registrar){
		.via = bench->refusal->registrar->via,
		.context = bench->context,
		.pd = bench->pd,
		.uverbs = &bench->uverbs,
		.pd_handle = bench->pd ? bench->pd->handle : MR_NO_HANDLE,
	};
}

static int open_context(struct mr_bench *bench, struct mr_error *err)
{
	const struct mr_refusal *refusal = bench->refusal;
	const bool needs_own = !is_fit(bench);
	int rc;

	if (needs_own) {
		rc = open_own(bench, err);
		if (rc)
			return rc;
		bench->first = MR_TRY_OWN_CONTEXT;
	} else {
		bench->context = refusal->context;
		bench->pd = refusal->library_pd;
		bench->uverbs = *refusal->uverbs;
		bench->first = MR_TRY_UNCHANGED;
	}
	if (bench->operation == MR_OP_REREG)
		bench->first = MR_TRY_ANEW;
	set_base(bench);
	if (!needs_own || !bench->request.dm || !bench->request.dm->allocated)
		return 0;
	rc = mr_dm_alloc(&bench->base, refusal->dm_length, &bench->dm, err);
	bench->request.dm = &bench->dm;
	return rc;
}

/* As of mr_max_size_find(): half of what is available. */
static void find_available(struct mr_bench *bench)
{
	struct mr_available available = { .bytes = 0, .by = "MemAvailable, which is unknown" };

	mr_available_read(mr_this_host(), &available);
	bench->available = available.bytes / 2;
	bench->available_by = available.by;
}

bool mr_bench_has_request(const struct mr_refusal *refusal)
{
	struct mr_bench bench = { .refusal = refusal, .operation = mr_operation_of(refusal) };

	return refusal->registrar && refusal->environment && find_request(&bench);
}

bool mr_bench_open(struct mr_bench *bench, const struct mr_refusal *refusal, uint64_t ns,
		   char *note, size_t size)
{
	struct mr_error err;

	*bench = (struct mr_bench){ .refusal = refusal,
				    .operation = mr_operation_of(refusal),
				    .page = (uint64_t)getpagesize(),
				    .until_ns = mr_now_ns() + ns };
	if (!mr_bench_has_request(refusal) || !find_request(bench)) {
		note_untried(bench->operation, note, size);
		return false;
	}
	if (open_context(bench, &err)) {
		snprintf(note, size, "nothing, for want of a context of its own: %.120s", err.text);
		return false;
	}
	find_available(bench);
	return true;
}

void mr_bench_close(struct mr_bench *bench)
{
	struct mr_error ignored;

	if (bench->dm.allocated)
		mr_dm_free(&bench->base, &bench->dm, &ignored);
	mr_device_close(&bench->own);
}
