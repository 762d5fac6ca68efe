// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#include "lib/base/base.h"
#include "lib/diagnose/size_text.h"
#include "lib/diagnose/trial/changes.h"
#include "lib/diagnose/trial/make.h"
#include "lib/verbs/verbs.h"

/* The kernel pins at least so many bytes in a nanosecond, also where it has to make the pages. */
#define PINNED_PER_NS 1

/* A device that could not be opened "now" is opened again so many times, with a pause. */
#define OPENINGS 3
#define PAUSE_NS 10000000

static void note(struct mr_tries *tries, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void note(struct mr_tries *tries, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(tries->note, sizeof(tries->note), fmt, ap);
	va_end(ap);
}

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

/* Whether the call would pin memory of the process, which has to be there. */
static bool pins(const struct mr_region_request *request)
{
	return mr_call_row(request->call)->on == MR_ON_MEMORY &&
	       !(request->access & MR_ACCESS_ON_DEMAND);
}

/* Whether there are memory and time to pin so much; if not, @try says what is short. */
static bool is_affordable(const struct mr_bench *bench, const struct mr_region_request *request,
			  struct mr_try *try)
{
	const uint64_t now = mr_now_ns();

	if (!pins(request))
		return true;
	if (request->length > bench->available)
		snprintf(try->reason, sizeof(try->reason), "it takes %s, and half of %s is %s",
			 mr_size_text(request->length).text, bench->available_by,
			 mr_size_text(bench->available).text);
	else if (bench->until_ns < now || request->length / PINNED_PER_NS > bench->until_ns - now)
		snprintf(try->reason, sizeof(try->reason), "the time is short to pin %s",
			 mr_size_text(request->length).text);
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
		note(tries, "no more, as %s could not be taken back",
		     tries->list[tries->count - 1].words);
	return goes_on;
}

/* The call itself.  Return: whether it was refused again as before, and changes may be tried. */
static bool try_again(const struct mr_bench *bench, struct mr_tries *tries)
{
	const struct mr_try *again = &tries->list[0];

	if (!try_change(bench, bench->first, tries))
		return false;
	tries->is_refused_again = again->errnum == bench->refusal->errnum;
	return tries->is_refused_again;
}

static void try_changes(const struct mr_bench *bench, struct mr_tries *tries)
{
	for (int change = MR_TRY_ANEW + 1; change < MR_TRY_CHANGES; change++) {
		if (mr_interrupted())
			note(tries, "no more, as a signal has come");
		else if (mr_now_ns() >= bench->until_ns)
			note(tries, "no more, as the time for tries is over");
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
		note(tries, "nothing, as a signal has come");
	tries->is_refused_again = try->errnum == refusal->errnum;
}

static bool is_opened_again(const struct mr_refusal *refusal)
{
	return mr_operation_of(refusal) == MR_OP_OPEN && is_passing(refusal->errnum);
}

bool mr_tries_exist(const struct mr_refusal *refusal)
{
	return is_opened_again(refusal) || mr_bench_has_request(refusal);
}

void mr_tries_make(const struct mr_refusal *refusal, uint64_t ns, struct mr_tries *tries)
{
	const uint64_t start = mr_now_ns();
	struct mr_bench bench;

	*tries = (struct mr_tries){ .count = 0 };
	if (!ns)
		note(tries, "nothing, as the time for tries is over");
	else if (mr_interrupted())
		note(tries, "nothing, as a signal has come");
	else if (is_opened_again(refusal))
		try_opening(refusal, tries);
	else if (mr_bench_open(&bench, refusal, ns, tries->note, sizeof(tries->note))) {
		if (try_again(&bench, tries))
			try_changes(&bench, tries);
		mr_bench_close(&bench);
	} else {
		mr_bench_close(&bench);
	}
	tries->elapsed_ns = mr_now_ns() - start;
}
