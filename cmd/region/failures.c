// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"

static const struct field request_fields[] = {
	FIELD(struct request, argv, FIELD_WORDS, 0, "the command line"),
	FIELD(struct request, memory, FIELD_STRING, FIELD_MEMORY,
	      "kind of memory, or source of the dma-buf"),
	FIELD(struct request, addr, FIELD_HEX, 0, "address of the first byte"),
	FIELD(struct request, offset, FIELD_NUMBER, 0, "first byte in the dma-buf or DM"),
	FIELD(struct request, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct request, iova, FIELD_HEX, 0, "address of the first byte for the HCA"),
	FIELD(struct request, access, FIELD_ACCESS, 0, "access flags"),
	FIELD_AS("access_bits", struct request, access, FIELD_HEX, 0, "the same as a mask"),
	FIELD(struct request, page_sizes, FIELD_PAGES, 0, "page sizes for a umem"),
	FIELD(struct request, dmah, FIELD_STRING, FIELD_PUBLIC,
	      "what the DMA handle is for (--dmah)"),
	FIELD(struct request, pd, FIELD_STRING, 0, "protection domain"),
	FIELD(struct request, count, FIELD_NUMBER, 0, "regions (--count)"),
	FIELD_END,
};
REPORTED const struct record request_record = { "request", request_fields, NULL };

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

/* Copies words into one block of memory: the pointers, and after them the texts. */
static const char *const *copy_words(const char *const *words)
{
	size_t count = 0, bytes = 0;
	const char **copy;
	char *text;

	for (; words && words[count]; count++)
		bytes += strlen(words[count]) + 1;
	copy = words ? malloc((count + 1) * sizeof(*copy) + bytes) : NULL;
	if (!copy)
		return NULL;
	text = (char *)(copy + count + 1);
	for (size_t i = 0; i < count; i++) {
		copy[i] = text;
		text = stpcpy(text, words[i]) + 1;
	}
	copy[count] = NULL;
	return copy;
}

/* Adds an element, which the list owns with its message.  Return: NULL where memory is short. */
static struct failure *append_failure(struct failures *failures, const struct failure *failure,
				      const char *message)
{
	struct failure *last;

	if (failures->count == failures->capacity) {
		size_t capacity = failures->capacity ? 2 * failures->capacity : 16;
		struct failure *items = reallocarray(failures->items, capacity, sizeof(*items));

		if (!items) {
			failures->out_of_memory = true;
			why_release(failure->why);
			return NULL;
		}
		failures->items = items;
		failures->capacity = capacity;
	}
	last = &failures->items[failures->count++];
	*last = *failure;
	last->message = strdup(message);
	return last;
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

static const char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

void failures_adopt(struct failures *failures, const struct failure *failure, uint64_t line,
		    const char *message)
{
	struct failure adopted = { .found = why_found(NULL) }, *last;

	if (failure)
		adopted = *failure;
	why_share(adopted.why);
	adopted.index = known(line);
	last = append_failure(failures, &adopted, message);
	if (!last)
		return;
	/* The words of the line are gone with it. */
	last->owns_request = true;
	last->request.argv = copy_words(last->request.argv);
	last->request.memory = copy_text(last->request.memory);
	last->request.dmah = copy_text(last->request.dmah);
	last->request.pd = copy_text(last->request.pd);
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
	for (size_t i = 0; i < failures->count; i++) {
		const struct failure *f = &failures->items[i];

		free((void *)f->message);
		why_release(f->why);
		if (!f->owns_request)
			continue;
		free((void *)f->request.argv);
		free((void *)f->request.memory);
		free((void *)f->request.dmah);
		free((void *)f->request.pd);
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

bool expect_has(const struct expect_option *expect, enum mr_error_kind kind, const char *call,
		uint64_t errnum, const struct why *why)
{
	if (!is_answer(kind, call))
		return false;
	for (size_t i = 0; i < expect->cause_count; i++)
		if ((uint64_t)expect->causes[i].errnum == errnum &&
		    expect->causes[i].cause == why_first(why))
			return true;
	return has_errno(expect, errnum);
}

static bool is_expected(const struct expect_option *expect, const struct failure *f)
{
	return expect_has(expect, f->kind, f->call, f->errno_value.value, f->why);
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

const char *expect_text(const struct expect_option *expect, const struct failures *failures,
			char *text)
{
	char wanted[EXPECT_TEXT] = "", got[EXPECT_TEXT] = "", answer[ANSWER_TEXT];
	size_t named = 0;

	if (expect->ok)
		mr_text_add(wanted, sizeof(wanted), "", "ok");
	for (uint64_t errnum = 1; errnum < ERRNO_END; errnum++)
		if (has_errno(expect, errnum))
			mr_text_add(wanted, sizeof(wanted), " or ", "%s",
				    mr_errno_name((int)errnum) ?: "another errno");
	for (size_t i = 0; i < expect->cause_count; i++)
		mr_text_add(wanted, sizeof(wanted), " or ", "%s for %s",
			    mr_errno_name(expect->causes[i].errnum), expect->causes[i].cause->id);
	if (!failures->count)
		mr_text_add(got, sizeof(got), "", "ok");
	for (size_t i = 0; i < failures->count && named < NAMED_MAX; i++) {
		const struct failure *f = &failures->items[i];

		if (is_expected(expect, f) || is_repeated(expect, failures, i))
			continue;
		mr_text_add(got, sizeof(got), " and ", "%s%s", answer_text(expect, f, answer),
			    is_answer(f->kind, f->call) ? "" : ", which is no answer of the stack");
		named++;
	}
	*text = '\0';
	mr_text_add(text, EXPECT_TEXT, "", "expected %s, got %s", wanted, got);
	return text;
}
