// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/trial.h"
#include "lib/host/host.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/*
 * The request of the tries of a refused call, and a context that only this process has.  The kernel then frees all
 * objects of a try, even if the process is killed.
 */
struct bench {
	const struct mr_refusal *refusal;
	enum mr_operation operation;
	enum mr_try_change first;         /* how the call itself is repeated */
	struct mr_region_request request; /* of the call itself */
	struct mr_registrar base;         /* of the call itself */
	struct mr_uverbs uverbs;          /* of the context of @base */
	/* Opened for the tries, or all zeros: */
	struct mr_device own;
	struct mr_dm dm;
	struct mr_environment environment;

	uint64_t page;                 /* bytes of one */
	struct mr_available available; /* bytes that a try may take */
	uint64_t until_ns;             /* the tries end then, as mr_now_ns() counts */
};

/* The call with one thing changed, and what was made for it. */
struct variant {
	const struct bench *bench;
	const struct mr_region_request *asked; /* of the call itself */
	uint32_t flag;                         /* of the change */
	struct mr_try *try; /* with a reason where the change cannot be made here */
	struct mr_region_request request;
	struct mr_registrar registrar;
	struct mr_memory memory; /* or all zeros */
	struct mr_dmabuf dmabuf; /* or all zeros */
	struct ibv_pd *pd;       /* or NULL */
};

/* ---- changes: each makes one in a copy of the call, and returns whether it is one ---- */

static bool drop_flag(struct variant *variant)
{
	/* Remote write access requires local write access (ib_check_mr_access()). */
	const uint32_t others = MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC;
	const uint32_t access = variant->asked->access;

	variant->request.access &= ~variant->flag;
	return access & variant->flag &&
	       !(variant->flag == MR_ACCESS_LOCAL_WRITE && access & others);
}

static bool drop_other_flags(struct variant *variant)
{
	uint32_t named = 0;

	for (const struct mr_word *flag = mr_access_flags; flag->name; flag++)
		named |= (uint32_t)flag->bit;
	variant->request.access &= named;
	return variant->asked->access & ~named;
}

static bool add_flag(struct variant *variant)
{
	struct mr_attributes attributes;
	struct mr_error ignored;

	variant->request.access |= variant->flag;
	return !(variant->asked->access & variant->flag) &&
	       (variant->flag != MR_ACCESS_ON_DEMAND ||
		(!mr_attributes_query(variant->registrar.context, &attributes, &ignored) &&
		 attributes.odp.general & IBV_ODP_SUPPORT));
}

static bool halve(struct variant *variant)
{
	uint64_t *length = &variant->request.length;

	*length /= 2;
	if (*length > variant->bench->page)
		*length -= *length % variant->bench->page;
	return *length;
}

static bool cut_to_page(struct variant *variant)
{
	const uint64_t page = variant->bench->page;

	variant->request.length = page - variant->asked->addr % page;
	/* Half of two pages is one page. */
	return variant->request.length < variant->asked->length &&
	       variant->asked->length != 2 * page;
}

static bool align(struct variant *variant)
{
	struct mr_region_request *request = &variant->request;

	mr_extend_to_pages(variant->bench->page, &request->addr, &request->length);
	request->iova -= variant->asked->addr - request->addr;
	return request->addr != variant->asked->addr || request->length != variant->asked->length;
}

/* Whether so much memory may be made or pinned. */
static bool is_affordable(struct variant *variant, uint64_t bytes)
{
	const struct mr_available *available = &variant->bench->available;

	if (bytes > available->bytes)
		snprintf(variant->try->reason, sizeof(variant->try->reason),
			 "the try needs %s, and half of %s is %s", MR_SIZE(bytes), available->by,
			 MR_SIZE(available->bytes));
	return bytes <= available->bytes;
}

/* Return: @failed */
static int note_failure(struct variant *variant, int failed, const struct mr_error *err)
{
	if (failed)
		snprintf(variant->try->reason, sizeof(variant->try->reason), "%.120s", err->text);
	return failed;
}

/* Allocates memory of the same length and the same offset in a page. */
static bool replace_memory(struct variant *variant)
{
	const struct mr_memory_request wanted = {
		.kind = { .type = MR_MEMORY_ANON, .text = "anon" },
		.length = variant->asked->length,
		.offset = variant->asked->addr % variant->bench->page,
	};
	struct mr_error err;

	if (!is_affordable(variant, wanted.length))
		return true;
	if (!wanted.length)
		return false;
	note_failure(variant, mr_memory_map(&wanted, &variant->memory, &err), &err);
	variant->request.addr = variant->memory.start;
	return true;
}

static bool set_iova(struct variant *variant)
{
	variant->request.iova = variant->asked->addr;
	return mr_call_row(variant->asked->call)->iova == MR_IOVA_GIVEN &&
	       variant->asked->iova != variant->asked->addr;
}

static bool clear_offset(struct variant *variant)
{
	variant->request.addr = 0;
	return variant->asked->addr;
}

static bool replace_dmabuf(struct variant *variant)
{
	struct mr_dmabuf_request wanted = { .source = { .type = MR_DMABUF_UDMABUF },
					    .size = variant->asked->addr + variant->asked->length };
	struct mr_error err;

	if (wanted.size < variant->asked->length)
		return false; /* the range is beyond all dma-bufs */
	if (is_affordable(variant, wanted.size))
		note_failure(variant, mr_dmabuf_open(&wanted, &variant->dmabuf, &err), &err);
	variant->request.fd = variant->dmabuf.fd;
	return true;
}

/* Requests the same without Data Direct, or without page sizes. */
static bool replace_call(struct variant *variant)
{
	enum mr_region_call *call = &variant->request.call;

	*call = *call == MR_DV_REG_DMABUF_MR     ? MR_REG_DMABUF_MR
		: *call == MR_UMEM_REG_EX        ? MR_UMEM_REG
		: *call == MR_UMEM_REG_EX_DMABUF ? MR_UMEM_REG_DMABUF
						 : *call;
	return *call != variant->asked->call;
}

static void name_call(struct variant *variant, enum mr_region_call call)
{
	const char *name = mr_region_call_name(call, variant->registrar.via);

	snprintf(variant->try->words, sizeof(variant->try->words), "by %s", name ? name : "it");
}

/* ibv_reg_mr_ex(3) in place of the older calls, or the older call in its place.  The kernel does not distinguish them. */
static bool use_other_call(struct variant *variant)
{
	const enum mr_region_call asked = variant->asked->call, ex = mr_call_row(asked)->ex;
	enum mr_region_call other = ex;
	struct mr_error ignored;
	enum mr_symbol symbol;

	if (ex == asked)
		for (other = MR_REG_MR; mr_call_row(other)->ex != ex; other++)
			;
	if (ex)
		variant->request.call = other;
	name_call(variant, variant->request.call);
	symbol = mr_call_row(variant->request.call)->symbol;
	return ex && variant->registrar.via == MR_VIA_LIBRARY &&
	       (symbol == MR_SYMBOL_NONE || mr_symbol_find(symbol, &ignored));
}

/* Memory on the device by the kernel's own call is unknown to the library. */
static bool use_other_path(struct variant *variant)
{
	const bool library = variant->registrar.via == MR_VIA_KERNEL;
	const struct mr_region_request *asked = variant->asked;

	variant->registrar.via = library ? MR_VIA_LIBRARY : MR_VIA_KERNEL;
	name_call(variant, asked->call == MR_REG_MR_RELAXED ? MR_REG_MR : asked->call);
	return !(asked->dm && asked->dm->allocated && library && !asked->dm->dm) &&
	       (library || mr_region_call_name(asked->call, MR_VIA_KERNEL));
}

static bool use_other_pd(struct variant *variant)
{
	struct mr_device device = { .context = variant->registrar.context };
	struct mr_error err;

	if (note_failure(variant, mr_device_alloc_pd(&device, &err), &err))
		return true;
	variant->pd = variant->registrar.pd = device.pd;
	variant->registrar.pd_handle = device.pd->handle;
	return true;
}

/* The operations with access flags and a range, and those that make MRs. */
#define ON_ACCESS (MR_ON_PINNING | MR_ON(REG_DM) | MR_ON_DMABUFS)
#define ON_MRS    (MR_ON(REG) | MR_ON(REG_DM) | MR_ON(NULL_MR) | MR_ON(REG_DMABUF) | MR_ON(REREG))

#define WITHOUT(name, bit)                                                                         \
	{                                                                                          \
		"without-" name, "without " name, ON_ACCESS, drop_flag, (bit)                      \
	}

/* The changes.  An id is never renamed, as scripts may name it; the words go on with "it passes". */
static const struct {
	const char *id, *words;
	uint32_t operations;                     /* it can be made for: bits */
	bool (*change)(struct variant *variant); /* NULL: there is nothing to change */
	uint32_t flag;
} changes[MR_TRY_CHANGES] = {
	[MR_TRY_UNCHANGED] = { "unchanged", "unchanged", 0, NULL, 0 },
	[MR_TRY_OWN_CONTEXT] = { "own-context", "in a new context", 0, NULL, 0 },
	[MR_TRY_ANEW] = { "anew", "registered again", 0, NULL, 0 },
	[MR_TRY_NO_LOCAL_WRITE] = WITHOUT("local-write", MR_ACCESS_LOCAL_WRITE),
	[MR_TRY_NO_REMOTE_WRITE] = WITHOUT("remote-write", MR_ACCESS_REMOTE_WRITE),
	[MR_TRY_NO_REMOTE_READ] = WITHOUT("remote-read", MR_ACCESS_REMOTE_READ),
	[MR_TRY_NO_REMOTE_ATOMIC] = WITHOUT("remote-atomic", MR_ACCESS_REMOTE_ATOMIC),
	[MR_TRY_NO_MW_BIND] = WITHOUT("mw-bind", MR_ACCESS_MW_BIND),
	[MR_TRY_NO_ZERO_BASED] = WITHOUT("zero-based", MR_ACCESS_ZERO_BASED),
	[MR_TRY_NO_ON_DEMAND] = WITHOUT("on-demand", MR_ACCESS_ON_DEMAND),
	[MR_TRY_NO_HUGETLB] = WITHOUT("hugetlb", MR_ACCESS_HUGETLB),
	[MR_TRY_NO_FLUSH_GLOBAL] = WITHOUT("flush-global", MR_ACCESS_FLUSH_GLOBAL),
	[MR_TRY_NO_FLUSH_PERSISTENT] = WITHOUT("flush-persistent", MR_ACCESS_FLUSH_PERSISTENT),
	[MR_TRY_NO_RELAXED_ORDERING] = WITHOUT("relaxed-ordering", MR_ACCESS_RELAXED_ORDERING),
	[MR_TRY_NO_OTHER_FLAGS] = { "without-other-flags", "without flags that have no name",
				    ON_ACCESS, drop_other_flags, 0 },
	[MR_TRY_LOCAL_WRITE] = { "local-write", "with local-write", ON_ACCESS, add_flag,
				 MR_ACCESS_LOCAL_WRITE },
	[MR_TRY_ON_DEMAND] = { "on-demand", "with on-demand", MR_ON(REG) | MR_ON(REREG), add_flag,
			       MR_ACCESS_ON_DEMAND },
	[MR_TRY_HALF] = { "half", "with half the length", ON_ACCESS, halve, 0 },
	[MR_TRY_PAGE] = { "one-page", "with one page", ON_ACCESS, cut_to_page, 0 },
	[MR_TRY_ALIGNED] = { "aligned", "with whole pages", ON_ACCESS, align, 0 },
	[MR_TRY_FRESH_MEMORY] = { "fresh-memory", "with fresh memory", MR_ON_PINNING,
				  replace_memory, 0 },
	[MR_TRY_IOVA] = { "iova", "with the address as iova", ON_ACCESS, set_iova, 0 },
	[MR_TRY_OFFSET_0] = { "offset-0", "at offset 0", MR_ON_DMABUFS | MR_ON(REG_DM),
			      clear_offset, 0 },
	[MR_TRY_UDMABUF] = { "udmabuf", "with a udmabuf", MR_ON_DMABUFS, replace_dmabuf, 0 },
	[MR_TRY_NO_DATA_DIRECT] = { "without-data-direct", "without Data Direct", MR_ON(REG_DMABUF),
				    replace_call, 0 },
	[MR_TRY_ANY_PAGE_SIZE] = { "any-page-size", "with any page size",
				   MR_ON(UMEM) | MR_ON(UMEM_DMABUF), replace_call, 0 },
	[MR_TRY_OTHER_CALL] = { "other-call", "with the other call", ON_MRS & ~MR_ON(REREG),
				use_other_call, 0 },
	[MR_TRY_OTHER_PATH] = { "other-path", "with the other path", MR_ON_ALL, use_other_path, 0 },
	[MR_TRY_OTHER_PD] = { "other-pd", "in another PD", ON_MRS, use_other_pd, 0 },
};

/* ---- what is repeated ---- */

#define ON_REGISTERING (MR_ON(REG) | MR_ON(REG_DM) | MR_ON(NULL_MR) | MR_ON(UMEM) | MR_ON_DMABUFS)

/* Reasons why a call is not repeated. */
static const struct {
	uint32_t operations;
	const char *note;
} untried[] = {
	{ MR_ON(DEREG) | MR_ON(FREE), "nothing: a call that frees an object is not repeated" },
	{ MR_ON(OPEN) | MR_ON(FIND) | MR_ON(IMPORT),
	  "nothing: a request to open a device has nothing to change" },
	{ MR_ON(REREG), "nothing: the memory of the region belongs to another process" },
	{ UINT32_MAX, "nothing: this call has nothing to change" },
};

/*
 * A region is not changed again: the requested range and access are registered as a new region.  Return: false
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

/* Prepares tries of a refused call.  Return: whether it has anything that a try could change. */
static bool init_bench(struct bench *bench, const struct mr_refusal *refusal)
{
	*bench = (struct bench){ .refusal = refusal,
				 .operation = mr_operation_of(refusal),
				 .page = (uint64_t)getpagesize() };
	if (!refusal->registrar || !refusal->environment)
		return false;
	if (bench->operation == MR_OP_REREG && refusal->rereg)
		return request_of_rereg(refusal, &bench->request);
	if (!refusal->request || !(ON_REGISTERING >> bench->operation & 1))
		return false;
	bench->request = *refusal->request;
	bench->request.export = NULL;
	bench->request.backing = NULL;
	return true;
}

/* Opens a context, unless only this process has that of the call and its tries can use it. */
static int open_context(struct bench *bench, struct mr_error *err)
{
	const struct mr_refusal *refusal = bench->refusal;
	const char *device = refusal->environment->device;
	const bool needs_own =
		!refusal->is_own || !refusal->context || !refusal->uverbs ||
		(!refusal->library_pd && mr_region_kind(bench->request.call) != MR_KIND_UMEM);
	struct ibv_pd *pd = refusal->library_pd; /* or NULL: a umem needs none */
	uint32_t pd_handle;
	int rc;

	if (needs_own) {
		mr_environment_init(&bench->environment);
		rc = mr_device_open(device[0] ? device : NULL, &bench->own, &bench->environment,
				    err);
		if (rc)
			return rc;
		bench->uverbs = mr_device_uverbs(&bench->own, &bench->environment, &pd_handle);
		pd = bench->own.pd;
	} else {
		bench->uverbs = *refusal->uverbs;
	}
	bench->first = bench->operation == MR_OP_REREG ? MR_TRY_ANEW
		       : needs_own                     ? MR_TRY_OWN_CONTEXT
						       : MR_TRY_UNCHANGED;
	bench->base = (struct mr_registrar){
		.via = refusal->registrar->via,
		.context = needs_own ? bench->own.context : refusal->context,
		.pd = pd,
		.uverbs = &bench->uverbs,
		.pd_handle = pd ? pd->handle : MR_NO_HANDLE,
	};
	if (!needs_own || !bench->request.dm || !bench->request.dm->allocated)
		return 0;
	rc = mr_dm_alloc(&bench->base, refusal->dm_length, &bench->dm, err);
	bench->request.dm = &bench->dm;
	return rc;
}

/* ---- tries ---- */

/* The kernel pins at least this many bytes in a nanosecond, including the allocation of pages. */
#define PINNED_PER_NS 1

/* A device that could not be opened "now" is opened again so many times, with a pause. */
#define OPENINGS 3
#define PAUSE_NS 10000000

static struct mr_try *add_try(struct mr_tries *tries, enum mr_try_change change)
{
	struct mr_try *try = &tries->list[tries->count++];

	*try = (struct mr_try){ .change = change, .id = changes[change].id };
	strcpy(try->words, changes[change].words);
	return try;
}

/* Makes the call and releases the result.  Return: false if the result stays. */
static bool make_call(const struct variant *variant)
{
	const uint64_t start = mr_now_ns();
	struct mr_try *try = variant->try;
	struct mr_region region;
	struct mr_error err;

	try->errnum = -mr_region_register(&variant->registrar, &variant->request, &region, &err);
	try->elapsed_ns = mr_now_ns() - start;
	try->made = true;
	if (try->errnum && err.kind != MR_ERROR_REFUSED)
		snprintf(try->reason, sizeof(try->reason), "%.120s", err.text);
	if (try->errnum || !mr_region_deregister(&variant->registrar, &region, &err))
		return true;
	snprintf(try->reason, sizeof(try->reason), "the region stays until mrctl ends: %.90s",
		 err.text);
	return false;
}

/* Whether there are memory of the process and time to pin what the call would. */
static bool can_be_pinned(struct variant *variant)
{
	const uint64_t now = mr_now_ns(), until = variant->bench->until_ns;
	const struct mr_region_request *request = &variant->request;

	if (mr_call_row(request->call)->on != MR_ON_MEMORY || request->access & MR_ACCESS_ON_DEMAND)
		return true;
	if (is_affordable(variant, request->length) &&
	    (until < now || request->length / PINNED_PER_NS > until - now))
		snprintf(variant->try->reason, sizeof(variant->try->reason),
			 "too little time remains to pin %s", MR_SIZE(request->length));
	return !variant->try->reason[0];
}

/* Return: false where no further call may be made. */
static bool try_change(const struct bench *bench, enum mr_try_change change, struct mr_tries *tries)
{
	struct variant variant = { .bench = bench,
				   .asked = &bench->request,
				   .flag = changes[change].flag,
				   .try = add_try(tries, change),
				   .request = bench->request,
				   .registrar = bench->base };
	bool goes_on = true;

	if (changes[change].change && !(changes[change].operations >> bench->operation & 1 &&
					changes[change].change(&variant)))
		tries->count--;
	else if (!variant.try->reason[0] && (change == bench->first || can_be_pinned(&variant)))
		goes_on = make_call(&variant);
	if (variant.memory.map)
		mr_memory_unmap(&variant.memory);
	mr_dmabuf_close(&variant.dmabuf);
	if (variant.pd)
		ibv_dealloc_pd(variant.pd);
	if (!goes_on)
		snprintf(tries->note, sizeof(tries->note),
			 "no further changes: %s could not be undone", variant.try->words);
	return goes_on;
}

/* Makes the call itself again, and with each change where it is refused as before. */
static void try_changes(struct bench *bench, struct mr_tries *tries)
{
	bench->available = (struct mr_available){ .by = "MemAvailable, which is unknown" };
	mr_available_read(mr_this_host(), &bench->available);
	bench->available.bytes /= 2; /* as in mr_max_size_find() */
	try_change(bench, bench->first, tries);
	tries->is_refused_again = tries->list[0].errnum == bench->refusal->errnum;
	for (int change = MR_TRY_ANEW + 1; tries->is_refused_again && change < MR_TRY_CHANGES;
	     change++) {
		if (mr_interrupted())
			strcpy(tries->note, "no further changes: a signal was received");
		else if (mr_now_ns() >= bench->until_ns)
			strcpy(tries->note, "no further changes: the time for attempts is over");
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
	int left = OPENINGS;
	uint64_t start;

	mr_environment_init(&environment);
	try->made = true;
	do {
		nanosleep(&pause, NULL);
		start = mr_now_ns();
		try->errnum =
			-mr_device_open_alone(refusal->device, false, &device, &environment, &err);
		try->elapsed_ns = mr_now_ns() - start;
		if (!try->errnum)
			mr_device_close(&device);
	} while (--left && is_passing(try->errnum) && !mr_interrupted());
	tries->is_refused_again = try->errnum == refusal->errnum;
}

static bool is_opened_again(const struct mr_refusal *refusal)
{
	return mr_operation_of(refusal) == MR_OP_OPEN && is_passing(refusal->errnum);
}

bool mr_tries_exist(const struct mr_refusal *refusal)
{
	struct bench bench;

	return is_opened_again(refusal) || init_bench(&bench, refusal);
}

void mr_tries_make(const struct mr_refusal *refusal, struct mr_tries *tries)
{
	const uint64_t start = mr_now_ns();
	struct mr_error err;
	struct bench bench;
	size_t row = 0;

	*tries = (struct mr_tries){ .count = 0 };
	if (!refusal->try_ns) {
		strcpy(tries->note, "nothing: the time for attempts is over");
	} else if (mr_interrupted()) {
		strcpy(tries->note, "nothing: a signal was received");
	} else if (is_opened_again(refusal)) {
		try_opening(refusal, tries);
	} else if (!init_bench(&bench, refusal)) {
		while (!(untried[row].operations >> bench.operation & 1))
			row++;
		strcpy(tries->note, untried[row].note);
	} else {
		bench.until_ns = start + refusal->try_ns;
		if (open_context(&bench, &err))
			snprintf(tries->note, sizeof(tries->note),
				 "nothing: no new context could be opened: %.120s", err.text);
		else
			try_changes(&bench, tries);
		if (bench.dm.allocated)
			mr_dm_free(&bench.base, &bench.dm, &err);
		mr_device_close(&bench.own);
	}
	tries->elapsed_ns = mr_now_ns() - start;
}

/* ---- text ---- */

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
		[MR_TRY_UNCHANGED] =
			"the unchanged call succeeds now, so the cause no longer exists",
		[MR_TRY_OWN_CONTEXT] =
			("the call succeeds in a new context, so the session's context is the "
			 "cause, or the cause no longer exists"),
		[MR_TRY_ANEW] =
			("a new region with that range and access can be registered, so only the "
			 "change is refused"),
	};
	const struct mr_try *first = &tries->list[0];
	const bool is_other = tries->count && first->made && !tries->is_refused_again;

	text[0] = '\0';
	if (is_other && !first->errnum)
		mr_text_add(text, size, "", "%s", passed[first->change]);
	else if (is_other)
		mr_text_add(text, size, "", "%s the call answers %s now, so no change was tried",
			    first->words, name_of(first->errnum));
	for (size_t i = 0; !is_other && i < tries->count; i++)
		if (tries->list[i].made && !tries->list[i].errnum)
			mr_text_add(text, size, ", ", "%s%s", text[0] ? "" : "the call succeeds ",
				    tries->list[i].words);
	if (!text[0] && tries->count > 1)
		mr_text_add(text, size, "", "no change helps");
	if (!is_other)
		add_refusals(tries, text, size);
	for (size_t i = 0; i < tries->count; i++)
		if (tries->list[i].reason[0])
			mr_text_add(text, size, "; ", "%s%s: %s", tries->list[i].made ? "" : "not ",
				    tries->list[i].words, tries->list[i].reason);
	if (tries->note[0])
		mr_text_add(text, size, "; ", "%s", tries->note);
}
