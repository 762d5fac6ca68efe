// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/trial/trial.h"
#include "lib/host/host.h"
#include "lib/verbs/verbs.h"

static const char *name_of(int errnum)
{
	return mr_errno_name(errnum) ?: "an unknown errno";
}

/* "EINVAL again unchanged, with half the length; EFAULT with one page" */
static void add_refusals(const struct mr_tries *tries, char *text, size_t size)
{
	int done[MR_TRY_CHANGES] = { 0 };

	for (size_t i = 0; i < tries->count; i++) {
		const int errnum = tries->list[i].errnum;

		if (done[i] || !tries->list[i].made || !errnum)
			continue;
		mr_text_add(text, size, "; ", "%s%s", name_of(errnum), i ? "" : " again");
		for (size_t k = i; k < tries->count; k++)
			if (tries->list[k].made && tries->list[k].errnum == errnum) {
				done[k] = true;
				mr_text_add(text, size, k == i ? " " : ", ", "%s",
					    tries->list[k].words);
			}
	}
}

void mr_tries_text(const struct mr_tries *tries, char *text, size_t size)
{
	/* Texts for a call that is not refused as before */
	static const char *const passed[] = {
		[MR_TRY_UNCHANGED] = "unchanged it succeeds now, so the cause no longer exists",
		[MR_TRY_OWN_CONTEXT] =
			"in a context of its own it succeeds, so the session's context is the cause, or the cause no longer exists",
		[MR_TRY_ANEW] =
			"a new region with that range and access can be registered, so only the change is refused",
	};
	const struct mr_try *first = &tries->list[0];
	const bool is_other = tries->count && first->made && !tries->is_refused_again;

	text[0] = '\0';
	if (is_other && !first->errnum)
		mr_text_add(text, size, "", "%s", passed[first->change]);
	else if (is_other)
		mr_text_add(text, size, "", "%s it answers %s now, so no change was tried",
			    first->words, name_of(first->errnum));
	for (size_t i = 0; !is_other && i < tries->count; i++)
		if (tries->list[i].made && !tries->list[i].errnum)
			mr_text_add(text, size, ", ", "%s%s", text[0] ? "" : "it passes ",
				    tries->list[i].words);
	if (!text[0] && tries->count > 1)
		mr_text_add(text, size, "", "nothing helps");
	if (!is_other)
		add_refusals(tries, text, size);
	for (size_t i = 0; i < tries->count; i++)
		if (tries->list[i].reason[0])
			mr_text_add(text, size, "; ", "%s%s: %s", tries->list[i].made ? "" : "not ",
				    tries->list[i].words, tries->list[i].reason);
	if (tries->note[0])
		mr_text_add(text, size, "; ", "%s", tries->note);
}

#define ON_REGISTERING (MR_ON(REG) | MR_ON(REG_DM) | MR_ON(NULL_MR) | MR_ON(UMEM) | MR_ON_DMABUFS)

/* What can be said of calls that are not repeated. */
static const struct {
	uint32_t operations;
	const char *note;
} untried[] = {
	{ MR_ON(DEREG) | MR_ON(FREE), "nothing: a call that frees an object is not repeated" },
	{ MR_ON(OPEN) | MR_ON(FIND) | MR_ON(IMPORT),
	  "nothing: a request to open a device has nothing to change" },
	{ MR_ON(REREG), "nothing: the memory of the region belongs to another process" },
	{ MR_ON_ALL, "nothing: this call has nothing to change" },
};

static void note(struct mr_tries *tries, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct mr_tries *tries, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(tries->note, sizeof(tries->note), fmt, ap);
	va_end(ap);
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

/* Opens a context, unless that of the call is this process's alone and serves for its tries. */
static int open_context(struct mr_bench *bench, struct mr_error *err)
{
	const struct mr_refusal *refusal = bench->refusal;
	const char *device = refusal->environment->device;
	const bool needs_own =
		!refusal->is_own || !refusal->context || !refusal->uverbs ||
		(!refusal->library_pd && mr_region_kind(bench->request.call) != MR_KIND_UMEM);
	uint32_t pd_handle;
	int rc;

	if (needs_own) {
		mr_environment_init(&bench->environment);
		rc = mr_device_open(device[0] ? device : NULL, &bench->own, &bench->environment,
				    err);
		if (rc)
			return rc;
		bench->uverbs = mr_device_uverbs(&bench->own, &bench->environment, &pd_handle);
	} else {
		bench->uverbs = *refusal->uverbs;
	}
	bench->context = needs_own ? bench->own.context : refusal->context;
	bench->pd = needs_own ? bench->own.pd : refusal->library_pd;
	bench->first = bench->operation == MR_OP_REREG ? MR_TRY_ANEW
		       : needs_own                     ? MR_TRY_OWN_CONTEXT
						       : MR_TRY_UNCHANGED;
	bench->base = (struct mr_registrar){
		.via = refusal->registrar->via,
		.context = bench->context,
		.pd = bench->pd,
		.uverbs = &bench->uverbs,
		.pd_handle = bench->pd ? bench->pd->handle : MR_NO_HANDLE,
	};
	if (!needs_own || !bench->request.dm || !bench->request.dm->allocated)
		return 0;
	rc = mr_dm_alloc(&bench->base, refusal->dm_length, &bench->dm, err);
	bench->request.dm = &bench->dm;
	return rc;
}

/* Prepares tries of a refused call.  Return: whether it has anything that a try could change. */
static bool init_bench(struct mr_bench *bench, const struct mr_refusal *refusal)
{
	*bench = (struct mr_bench){ .refusal = refusal,
				    .operation = mr_operation_of(refusal),
				    .page = (uint64_t)getpagesize() };
	return refusal->registrar && refusal->environment && find_request(bench);
}

/* The kernel pins at least so many bytes in a nanosecond, also where it has to make the pages. */
#define PINNED_PER_NS 1

/* A device that could not be opened "now" is opened again so many times, with a pause. */
#define OPENINGS 3
#define PAUSE_NS 10000000

static struct mr_try *add_try(struct mr_tries *tries, enum mr_try_change change)
{
	struct mr_try *try = &tries->list[tries->count++];

	*try = (struct mr_try){ .change = change, .id = mr_changes[change].id };
	snprintf(try->words, sizeof(try->words), "%s", mr_changes[change].words);
	return try;
}

/* Makes the call and takes back what it made.  Return: false where that stays. */
static bool make_call(const struct mr_variant *variant, struct mr_try *try)
{
	const uint64_t start = mr_now_ns();
	struct mr_region region;
	struct mr_error err;

	try->errnum = -mr_region_register(&variant->registrar, &variant->request, &region, &err);
	try->elapsed_ns = mr_now_ns() - start;
	try->made = true;
	if (try->errnum && err.kind != MR_ERROR_REFUSED)
		snprintf(try->reason, sizeof(try->reason), "%.120s", err.text);
	if (try->errnum || !mr_region_deregister(&variant->registrar, &region, &err))
		return true;
	snprintf(try->reason, sizeof(try->reason), "it stays until mrctl ends: %.90s", err.text);
	return false;
}

/* Whether there are memory of the process and time to pin what the call would; if not, @try says what is short. */
static bool is_affordable(const struct mr_bench *bench, const struct mr_region_request *request,
			  struct mr_try *try)
{
	const uint64_t now = mr_now_ns();

	if (mr_call_row(request->call)->on != MR_ON_MEMORY || request->access & MR_ACCESS_ON_DEMAND)
		return true;
	if (request->length > bench->available)
		snprintf(try->reason, sizeof(try->reason), "it takes %s, and half of %s is %s",
			 MR_SIZE(request->length), bench->available_by, MR_SIZE(bench->available));
	else if (bench->until_ns < now || request->length / PINNED_PER_NS > bench->until_ns - now)
		snprintf(try->reason, sizeof(try->reason), "too little time is left to pin %s",
			 MR_SIZE(request->length));
	return !try->reason[0];
}

/* Return: false where no further call may be made. */
static bool try_change(const struct mr_bench *bench, enum mr_try_change change,
		       struct mr_tries *tries)
{
	struct mr_variant variant;
	bool goes_on = true;

	if (mr_variant_init(&variant, bench, &mr_changes[change])) {
		struct mr_try *try = add_try(tries, change);

		if (variant.words[0])
			snprintf(try->words, sizeof(try->words), "%s", variant.words);
		snprintf(try->reason, sizeof(try->reason), "%s", variant.reason);
		if (!variant.reason[0] &&
		    (change == bench->first || is_affordable(bench, &variant.request, try)))
			goes_on = make_call(&variant, try);
	}
	mr_variant_release(&variant);
	if (!goes_on)
		note(tries, "no more: %s could not be undone", tries->list[tries->count - 1].words);
	return goes_on;
}

/* Makes the call itself again, and with each change where it is refused as before. */
static void try_changes(struct mr_bench *bench, uint64_t until_ns, struct mr_tries *tries)
{
	struct mr_available available = { .bytes = 0, .by = "MemAvailable, which is unknown" };

	/* Half of the available memory, as in mr_max_size_find() */
	mr_available_read(mr_this_host(), &available);
	bench->available = available.bytes / 2;
	bench->available_by = available.by;
	bench->until_ns = until_ns;
	if (!try_change(bench, bench->first, tries))
		return;
	tries->is_refused_again = tries->list[0].errnum == bench->refusal->errnum;
	for (int change = MR_TRY_ANEW + 1; tries->is_refused_again && change < MR_TRY_CHANGES;
	     change++) {
		if (mr_interrupted())
			note(tries, "no more: a signal was received");
		else if (mr_now_ns() >= until_ns)
			note(tries, "no more: the time for attempts is over");
		if (tries->note[0] || !try_change(bench, (enum mr_try_change)change, tries))
			return;
	}
}

static bool is_passing(int errnum)
{
	return errnum == EAGAIN || errnum == EBUSY || errnum == EINTR;
}

/* Opening a device is harmless, so it is done again where the answer was "not now". */
static void try_opening(const struct mr_refusal *refusal, struct mr_tries *tries)
{
	static const struct timespec pause = { .tv_nsec = PAUSE_NS };
	struct mr_try *try = add_try(tries, MR_TRY_UNCHANGED);
	struct mr_environment environment;
	struct mr_device device;
	struct mr_error err;
	uint64_t start;

	mr_environment_init(&environment);
	for (int i = 0; i < OPENINGS && (!i || is_passing(try->errnum)) && !mr_interrupted(); i++) {
		nanosleep(&pause, NULL);
		start = mr_now_ns();
		try->errnum = -mr_device_open_alone(refusal->device, &device, &environment, &err);
		try->elapsed_ns = mr_now_ns() - start;
		try->made = true;
		if (!try->errnum)
			mr_device_close(&device);
	}
	if (!try->made)
		note(tries, "nothing: a signal was received");
	tries->is_refused_again = try->errnum == refusal->errnum;
}

static bool is_opened_again(const struct mr_refusal *refusal)
{
	return mr_operation_of(refusal) == MR_OP_OPEN && is_passing(refusal->errnum);
}

bool mr_tries_exist(const struct mr_refusal *refusal)
{
	struct mr_bench bench;

	return is_opened_again(refusal) || init_bench(&bench, refusal);
}

void mr_tries_make(const struct mr_refusal *refusal, uint64_t ns, struct mr_tries *tries)
{
	const uint64_t start = mr_now_ns();
	struct mr_error err;
	struct mr_bench bench;
	size_t row = 0;

	*tries = (struct mr_tries){ .count = 0 };
	if (!ns) {
		note(tries, "nothing: the time for attempts is over");
	} else if (mr_interrupted()) {
		note(tries, "nothing: a signal was received");
	} else if (is_opened_again(refusal)) {
		try_opening(refusal, tries);
	} else if (!init_bench(&bench, refusal)) {
		while (!(untried[row].operations >> bench.operation & 1))
			row++;
		note(tries, "%s", untried[row].note);
	} else {
		if (open_context(&bench, &err))
			note(tries, "nothing: no context of its own could be opened: %.120s",
			     err.text);
		else
			try_changes(&bench, start + ns, tries);
		if (bench.dm.allocated)
			mr_dm_free(&bench.base, &bench.dm, &err);
		mr_device_close(&bench.own);
	}
	tries->elapsed_ns = mr_now_ns() - start;
}
