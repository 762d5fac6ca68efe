// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"

static const struct field request_fields[] = {
	FIELD(struct request, argv, FIELD_WORDS, 0, "the command line"),
	FIELD(struct request, memory, FIELD_STRING, FIELD_MEMORY,
	      "kind of memory, or source of the dma-buf"),
	FIELD(struct request, addr, FIELD_HEX, 0, "address of the first byte"),
	FIELD(struct request, offset, FIELD_NUMBER, 0, "first byte in the dma-buf or DM"),
	FIELD(struct request, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct request, iova, FIELD_HEX, 0, "address of the first byte for the HCA"),
	FIELD(struct request, access, FIELD_ACCESS, 0, "access flags"),
	FIELD(struct request, access_bits, FIELD_HEX, 0, "the same as a mask"),
	FIELD(struct request, page_sizes, FIELD_PAGES, 0, "page sizes for a umem"),
	FIELD(struct request, dmah, FIELD_STRING, FIELD_PUBLIC,
	      "what the DMA handle is for (--dmah)"),
	FIELD(struct request, pd, FIELD_STRING, 0, "protection domain"),
	FIELD(struct request, count, FIELD_NUMBER, 0, "regions (--count)"),
	FIELD_END,
};
REPORTED const struct record request_record = { "request", request_fields, NULL };

static bool same_words(const char *const *a, const char *const *b)
{
	while (*a && *b && !strcmp(*a, *b))
		a++, b++;
	return !*a && !*b;
}

static const char *keep_text(const char *text, const char *former)
{
	if (!text || (former && !strcmp(text, former)))
		return text ? former : NULL;
	return strdup(text);
}

/* Copies words into one block of memory: the pointers, and after them the texts. */
static const char *const *keep_words(const char *const *words, const char *const *former)
{
	size_t count = 0, bytes = 0;
	const char **kept;
	char *text;

	if (!words || (former && same_words(words, former)))
		return words ? former : NULL;
	for (; words[count]; count++)
		bytes += strlen(words[count]) + 1;
	kept = malloc((count + 1) * sizeof(*kept) + bytes);
	if (!kept)
		return NULL;
	text = (char *)(kept + count + 1);
	for (size_t i = 0; i < count; i++) {
		kept[i] = text;
		text = stpcpy(text, words[i]) + 1;
	}
	kept[count] = NULL;
	return kept;
}

/*
 * Replaces the strings of @request by copies. A string becomes NULL if there is no memory for its copy.
 */
static void request_keep(struct request *request, const struct request *former)
{
	static const struct request none = { .argv = NULL };

	if (!former)
		former = &none;
	request->argv = keep_words(request->argv, former->argv);
	request->memory = keep_text(request->memory, former->memory);
	request->dmah = keep_text(request->dmah, former->dmah);
	request->pd = keep_text(request->pd, former->pd);
}

/* Frees the strings of @request. */
static void request_release(struct request *request, const struct request *next)
{
	if (!next || next->argv != request->argv)
		free((void *)request->argv);
	if (!next || next->memory != request->memory)
		free((void *)request->memory);
	if (!next || next->dmah != request->dmah)
		free((void *)request->dmah);
	if (!next || next->pd != request->pd)
		free((void *)request->pd);
}

static const struct field failure_fields[] = {
	FIELD(struct failure, index, FIELD_NUMBER, 0, "which of --count, or line of a batch"),
	FIELD(struct failure, region, FIELD_NUMBER, 0, "id of the region"),
	FIELD(struct failure, call, FIELD_STRING, FIELD_PUBLIC, "the call that failed"),
	FIELD_AS("errno", struct failure, errno_name, FIELD_STRING, FIELD_PUBLIC,
		 "name of the errno"),
	FIELD(struct failure, errno_value, FIELD_NUMBER, 0, "number of the errno"),
	FIELD(struct failure, message, FIELD_STRING, FIELD_PROSE | FIELD_KNOWN, "the message"),
	FIELD(struct failure, via, FIELD_STRING, FIELD_PUBLIC, "path of the call"),
	FIELD_AS("layer", struct failure, found.layer, FIELD_STRING, FIELD_PUBLIC,
		 "layer that refused"),
	FIELD(struct failure, rereg_code, FIELD_STRING, FIELD_PUBLIC, "code of ibv_rereg_mr"),
	FIELD(struct failure, library_would_say, FIELD_STRING, FIELD_PUBLIC,
	      "the code that ibv_rereg_mr would give"),
	FIELD(struct failure, old_region, FIELD_STRING, FIELD_PUBLIC,
	      "what became of the old region"),
	FIELD_AS("why", struct failure, why_depth, FIELD_STRING, FIELD_PUBLIC,
		 "how deep the causes were looked for"),
	FIELD_AS("causes", struct failure, found.causes, FIELD_LIST, FIELD_KNOWN,
		 "causes, the most certain first", .record = &cause_record),
	FIELD_AS("ruled_out", struct failure, found.ruled_out, FIELD_LIST, FIELD_KNOWN,
		 "causes that the evidence excludes", .record = &ruled_out_record),
	FIELD_AS("proof", struct failure, found.proof, FIELD_ONE, 0,
		 "layer that refused, by --why prove", .record = &proof_record),
	FIELD_AS("tried", struct failure, found.tried, FIELD_STRING, FIELD_PROSE,
		 "results of the tries"),
	FIELD_AS("tries", struct failure, found.tries, FIELD_LIST, FIELD_KNOWN,
		 "the call with one thing changed at a time", .record = &try_record),
	FIELD_INSIDE(struct failure, request, struct request, &request_record, "the request"),
	FIELD_END,
};
REPORTED const struct record failure_record = { "failure", failure_fields, NULL };

/* A copy of the text; equal texts of failures that follow one another share one copy. */
static const char *keep_message(const struct failures *failures, const char *text)
{
	const char *last = failures->count ? failures->items[failures->count - 1].message : NULL;

	return last && !strcmp(last, text) ? last : strdup(text);
}

static void append_failure(struct failures *failures, const struct failure *failure,
			   const char *message)
{
	struct failure *last;

	if (failures->count == failures->capacity) {
		size_t capacity = failures->capacity ? 2 * failures->capacity : 16;
		struct failure *items = reallocarray(failures->items, capacity, sizeof(*items));

		if (!items) {
			failures->out_of_memory = true;
			why_release(failure->why);
			return;
		}
		failures->items = items;
		failures->capacity = capacity;
	}
	message = keep_message(failures, message);
	last = &failures->items[failures->count];
	*last = *failure;
	last->message = message;
	request_keep(&last->request, failures->count ? &last[-1].request : NULL);
	failures->count++;
}

void failures_add(struct failures *failures, const struct mr_error *err, uint64_t index,
		  uint64_t region, const char *via, const struct request *request, struct why *why,
		  const char *depth)
{
	const struct failure failure = {
		.index = { index, index != 0 },
		.region = { region, region != 0 },
		.call = err->call,
		.errno_name = mr_errno_name(err->errnum),
		.errno_value = known((uint64_t)err->errnum),
		.via = mr_error_is_answer(err->kind, err->call) ? via : NULL,
		.why_depth = depth,
		.found = why_found(why),
		.why = why,
		.request = request ? *request : (struct request){ .argv = NULL },
		.kind = err->kind,
	};

	append_failure(failures, &failure, err->text);
}

void failures_adopt(struct failures *failures, const struct failure *failure, uint64_t line,
		    const char *message)
{
	struct failure adopted = { .found = why_found(NULL) };

	if (failure)
		adopted = *failure;
	why_share(adopted.why);
	adopted.index = known(line);
	append_failure(failures, &adopted, message);
}

void failures_set_rereg(struct failures *failures, const struct mr_rereg_failure *rereg)
{
	struct failure *last;

	if (failures->out_of_memory)
		return;
	last = &failures->items[failures->count - 1];
	last->rereg_code = rereg->code;
	last->library_would_say = rereg->library_would_say;
	last->old_region = mr_old_region_name(rereg->old);
}

void failures_release(struct failures *failures)
{
	const struct failure *end = failures->items + failures->count;

	for (struct failure *f = failures->items; f && f < end; f++) {
		const struct failure *next = f + 1 < end ? f + 1 : NULL;

		if (!next || next->message != f->message)
			free((void *)f->message);
		why_release(f->why);
		request_release(&f->request, next ? &next->request : NULL);
	}
	free(failures->items);
	*failures = (struct failures){ 0 };
}

/* Most answers that the sentence of expect_text() names. */
#define NAMED_MAX 4

/* Room for an errno with a cause. */
#define ANSWER_TEXT 128

#define ERRNO_END   (64 * (sizeof(((struct expect_option *)0)->errnums) / sizeof(uint64_t)))

static bool has_errno(const struct expect_option *expect, uint64_t errnum)
{
	return errnum < ERRNO_END && expect->errnums[errnum / 64] >> errnum % 64 & 1;
}

static bool is_answer(enum mr_error_kind kind, const char *call)
{
	return mr_error_is_answer(kind, call) || kind == MR_ERROR_RELAXED;
}

/* Whether the errno is expected: for any cause, or for the one that was found. */
static bool has_answer(const struct expect_option *expect, uint64_t errnum, const struct why *why)
{
	for (size_t i = 0; i < expect->cause_count; i++)
		if ((uint64_t)expect->causes[i].errnum == errnum &&
		    expect->causes[i].cause == why_first(why))
			return true;
	return has_errno(expect, errnum);
}

bool expect_has(const struct expect_option *expect, const struct mr_error *err,
		const struct why *why)
{
	return is_answer(err->kind, err->call) && has_answer(expect, (uint64_t)err->errnum, why);
}

static bool is_expected(const struct expect_option *expect, const struct failure *f)
{
	return is_answer(f->kind, f->call) && has_answer(expect, f->errno_value.value, f->why);
}

bool expect_holds(const struct expect_option *expect, const struct failures *failures)
{
	if (!failures->count)
		return expect->ok;
	for (size_t i = 0; i < failures->count; i++)
		if (!is_expected(expect, &failures->items[i]))
			return false;
	return true;
}

/* A list of names in a sentence: "EFAULT or ENOMEM". */
struct names {
	char *text;
	size_t used;
	size_t count;
};

static void append_name(struct names *names, const char *between, const char *before,
			const char *name)
{
	const char *link = names->count++ ? between : "";

	if (names->used < EXPECT_TEXT)
		names->used +=
			(size_t)snprintf(names->text + names->used, EXPECT_TEXT - names->used,
					 "%s%s%s", link, before, name);
}

/* Whether the errno is expected for some cause, so that the cause makes the difference. */
static bool needs_cause(const struct expect_option *expect, const struct failure *f)
{
	for (size_t i = 0; i < expect->cause_count; i++)
		if ((uint64_t)expect->causes[i].errnum == f->errno_value.value)
			return true;
	return false;
}

static bool is_repeated(const struct expect_option *expect, const struct failures *failures,
			size_t i)
{
	const struct failure *f = &failures->items[i];

	for (size_t j = 0; j < i; j++)
		if (failures->items[j].errno_value.value == f->errno_value.value &&
		    (!needs_cause(expect, f) ||
		     why_first(failures->items[j].why) == why_first(f->why)))
			return true;
	return false;
}

/* "ENOMEM", and with a cause that is not the expected one "ENOMEM for MR-CGROUP-RDMA" */
static const char *answer_text(const struct expect_option *expect, const struct failure *f,
			       char text[ANSWER_TEXT])
{
	const char *name = f->errno_name ?: "another errno";
	const struct mr_cause *cause = why_first(f->why);

	if (!needs_cause(expect, f) || !is_answer(f->kind, f->call))
		return name;
	snprintf(text, ANSWER_TEXT, "%s for %s", name, cause ? cause->id : "no known cause");
	return text;
}

static void add_answers(struct names *names, const struct expect_option *expect,
			const struct failures *failures)
{
	char text[ANSWER_TEXT];

	if (!failures->count)
		append_name(names, "", "", "ok");
	for (size_t i = 0; i < failures->count && names->count < NAMED_MAX; i++) {
		const struct failure *f = &failures->items[i];

		if (is_expected(expect, f) || is_repeated(expect, failures, i))
			continue;
		append_name(names, " and ", answer_text(expect, f, text),
			    is_answer(f->kind, f->call) ? "" : ", which is no answer of the stack");
	}
}

const char *expect_text(const struct expect_option *expect, const struct failures *failures,
			char *text)
{
	struct names names = { .text = text };
	char text_of_cause[ANSWER_TEXT];

	append_name(&names, "", "expected ", expect->ok ? "ok" : "");
	names.count = expect->ok;
	for (uint64_t errnum = 1; errnum < ERRNO_END; errnum++)
		if (has_errno(expect, errnum))
			append_name(&names, " or ", "",
				    mr_errno_name((int)errnum) ?: "another errno");
	for (size_t i = 0; i < expect->cause_count; i++) {
		snprintf(text_of_cause, sizeof(text_of_cause), "%s for %s",
			 mr_errno_name(expect->causes[i].errnum), expect->causes[i].cause->id);
		append_name(&names, " or ", "", text_of_cause);
	}
	names.count = 0;
	append_name(&names, "", ", got ", "");
	names.count = 0;
	add_answers(&names, expect, failures);
	return text;
}
