// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/diagnose/trial.h"

static const struct field request_fields[] = {
	FIELD(struct request, argv, FIELD_WORDS, 0, "the command line"),
	FIELD(struct request, memory, FIELD_STRING, FIELD_MEMORY,
	      "kind of memory, or source of the dma-buf"),
	FIELD(struct request, addr, FIELD_HEX, 0, "address of the first byte"),
	FIELD(struct request, offset, FIELD_NUMBER, 0, "first byte in the dma-buf or DM"),
	FIELD(struct request, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct request, iova, FIELD_HEX, 0, "address of the first byte for the HCA"),
	FIELD(struct request, access, FIELD_ACCESS, 0, "access flags"),
	FIELD_AS("access_bits", struct request, access, FIELD_HEX, 0, "access flags as a mask"),
	FIELD(struct request, page_sizes, FIELD_PAGES, 0, "page sizes for a umem"),
	FIELD(struct request, dmah, FIELD_STRING, FIELD_PUBLIC,
	      "attributes of the DMA handle (--dmah)"),
	FIELD(struct request, pd, FIELD_STRING, 0, "protection domain"),
	FIELD(struct request, count, FIELD_NUMBER, 0, "regions (--count)"),
	FIELD_END,
};
REPORTED const struct record request_record = { "request", request_fields, NULL };

static const struct field failure_fields[] = {
	FIELD(struct failure, index, FIELD_NUMBER, 0, "number in --count, or line of the batch"),
	FIELD(struct failure, region, FIELD_NUMBER, 0, "id of the region"),
	FIELD(struct failure, call, FIELD_STRING, FIELD_PUBLIC, "the call that failed"),
	FIELD_AS("errno", struct failure, errno_name, FIELD_STRING, FIELD_PUBLIC,
		 "name of the errno"),
	FIELD(struct failure, errno_value, FIELD_NUMBER, 0, "number of the errno"),
	FIELD(struct failure, status, FIELD_STRING, FIELD_PUBLIC, "status of the work completion"),
	FIELD(struct failure, message, FIELD_STRING, FIELD_PROSE | FIELD_KNOWN, "the message"),
	FIELD(struct failure, via, FIELD_STRING, FIELD_PUBLIC, "path of the call"),
	FIELD_AS("layer", struct failure, found.layer, FIELD_STRING, FIELD_PUBLIC,
		 "layer that refused"),
	FIELD(struct failure, rereg_code, FIELD_STRING, FIELD_PUBLIC, "code of ibv_rereg_mr"),
	FIELD(struct failure, library_would_say, FIELD_STRING, FIELD_PUBLIC,
	      "code that ibv_rereg_mr would return"),
	FIELD(struct failure, old_region, FIELD_STRING, FIELD_PUBLIC, "state of the old region"),
	FIELD_AS("why", struct failure, why_depth, FIELD_STRING, FIELD_PUBLIC,
		 "depth of the search for causes (--why)"),
	FIELD_AS("causes", struct failure, found.causes, FIELD_LIST, FIELD_KNOWN,
		 "causes, the most certain first", .record = &cause_record),
	FIELD_AS("ruled_out", struct failure, found.ruled_out, FIELD_LIST, FIELD_KNOWN,
		 "causes that are excluded, and the reason", .record = &ruled_out_record),
	FIELD_AS("proof", struct failure, found.proof, FIELD_ONE, 0,
		 "layer that refused, proven by --why prove", .record = &proof_record),
	FIELD_AS("tried", struct failure, found.tried, FIELD_STRING, FIELD_PROSE,
		 "summary of the changes that were tried"),
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

static const char *copy_text(const char *text)
{
	return text ? strdup(text) : NULL;
}

/* Keeps copies of a failure and of its texts: the words of a batch's line go with it. */
static void keep_failure(struct failures *failures, const struct failure *failure,
			 const char *message)
{
	struct failure *items = failures->items, *last;
	char *text = strdup(message);

	if (text && failures->count == failures->capacity) {
		size_t capacity = failures->capacity ? 2 * failures->capacity : 16;

		items = reallocarray(items, capacity, sizeof(*items));
		failures->items = items ?: failures->items;
		failures->capacity = items ? capacity : failures->capacity;
	}
	if (!text || !items) {
		free(text);
		failures->out_of_memory = true;
		return;
	}
	last = &items[failures->count++];
	*last = *failure;
	last->message = text;
	last->request.argv = copy_words(failure->request.argv);
	last->request.memory = copy_text(failure->request.memory);
	last->request.dmah = copy_text(failure->request.dmah);
	last->request.pd = copy_text(failure->request.pd);
	why_share(last->why);
}

/* ---- --expect ---- */

/* Room for the sentence of expect_text(), and the most answers that it names. */
#define EXPECT_TEXT 256
#define NAMED_MAX   4

/* Room for an errno with a cause. */
#define ANSWER_TEXT 128

#define ERRNO_END   (64 * (sizeof(((struct expect_option *)0)->errnums) / sizeof(uint64_t)))

static bool has_errno(const struct expect_option *expect, uint64_t errnum)
{
	return errnum < ERRNO_END && expect->errnums[errnum / 64] >> errnum % 64 & 1;
}

static bool is_answer(const struct failure *f)
{
	return mr_error_is_answer(f->kind, f->call) || f->kind == MR_ERROR_RELAXED;
}

/* Returns whether a failure is an answer of the stack, and expected: for any cause, or for its first one. */
static bool expect_has(const struct expect_option *expect, const struct failure *f)
{
	const uint64_t errnum = f->errno_value.value;

	if (!is_answer(f))
		return false;
	for (size_t i = 0; i < expect->cause_count; i++)
		if ((uint64_t)expect->causes[i].errnum == errnum &&
		    expect->causes[i].cause == why_first(f->why))
			return true;
	return has_errno(expect, errnum);
}

/*
 * Returns whether the stack gave only answers that @expect has.  The failure of a step before the call (mmap, ...) is no
 * answer of the stack.
 */
static bool expect_holds(const struct expect_option *expect, const struct failures *failures)
{
	if (!failures->count) /* each status that is not expected is a failure */
		return expect->ok || expect->statuses;
	for (size_t i = 0; i < failures->count; i++)
		if (!expect_has(expect, &failures->items[i]))
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

/* "ENOMEM", and with a cause that is not the expected one "ENOMEM for MR-CGROUP-RDMA" */
static void write_answer(const struct expect_option *expect, const struct failure *f,
			 char text[ANSWER_TEXT])
{
	const char *name = f->status ?: f->errno_name ?: "another errno";
	const struct mr_cause *cause = why_first(f->why);

	if (!is_answer(f))
		snprintf(text, ANSWER_TEXT,
			 "%s, which is not an answer of libibverbs or the kernel", name);
	else if (needs_cause(expect, f))
		snprintf(text, ANSWER_TEXT, "%s for %s", name,
			 cause ? cause->id : "no known cause");
	else
		snprintf(text, ANSWER_TEXT, "%s", name);
}

/* Writes how the answers differ from the expected ones: "expected EFAULT or ENOMEM, got ok". */
static const char *expect_text(const struct expect_option *expect, const struct failures *failures,
			       char text[EXPECT_TEXT])
{
	char wanted[EXPECT_TEXT] = "", got[EXPECT_TEXT] = "", answers[NAMED_MAX][ANSWER_TEXT];
	size_t named = 0;

	if (expect->ok)
		mr_text_add(wanted, sizeof(wanted), "", "ok");
	for (uint64_t errnum = 1; errnum < ERRNO_END; errnum++)
		if (has_errno(expect, errnum))
			mr_text_add(wanted, sizeof(wanted), " or ", "%s",
				    mr_errno_name((int)errnum) ?: "another errno");
	for (unsigned int i = 0; i < MR_DATA_ANSWERS; i++)
		if (expect->statuses >> i & 1)
			mr_text_add(wanted, sizeof(wanted), " or ", "%s", mr_data_answers[i].name);
	for (size_t i = 0; i < expect->cause_count; i++)
		mr_text_add(wanted, sizeof(wanted), " or ", "%s for %s",
			    mr_errno_name(expect->causes[i].errnum), expect->causes[i].cause->id);
	if (!failures->count)
		mr_text_add(got, sizeof(got), "", "ok");
	for (size_t i = 0; i < failures->count && named < NAMED_MAX; i++) {
		const struct failure *f = &failures->items[i];
		size_t same = 0;

		if (expect_has(expect, f))
			continue;
		write_answer(expect, f, answers[named]);
		while (strcmp(answers[same], answers[named]) != 0)
			same++;
		if (same == named) /* no answer before it was the same */
			mr_text_add(got, sizeof(got), " and ", "%s", answers[named++]);
	}
	*text = '\0';
	mr_text_add(text, EXPECT_TEXT, "", "expected %s, got %s", wanted, got);
	return text;
}

/* ---- the answer ---- */

/* At most so many failures of a command are reported one by one; the document has all. */
#define REPORTED_MAX 10

/* Most bytes of a line that a message shows. */
#define LINE_MAX_SHOWN 200

/* "line 7: reg --size 1M": cut where it is long. */
struct line_name {
	char text[LINE_MAX_SHOWN + 40];
};

static struct line_name name_line(const struct enclosing *enclosing)
{
	struct line_name name;

	snprintf(name.text, sizeof(name.text), "line %" PRIu64 ": %.*s%s", enclosing->number,
		 LINE_MAX_SHOWN, enclosing->text,
		 strlen(enclosing->text) > LINE_MAX_SHOWN ? "..." : "");
	return name;
}

void enclosing_wrap(const struct enclosing *enclosing, struct mr_error *err)
{
	mr_wrap(err, "%s", name_line(enclosing).text);
}

void answer_note(const struct answer *answer, const char *fmt, ...)
{
	const struct enclosing *enclosing = answer->invocation->enclosing;
	char text[sizeof(((struct mr_error *)0)->text) + 64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!enclosing) {
		report_note(answer->invocation->command->name, "%s", text);
		return;
	}
	progress_clear(enclosing->progress);
	report_note(enclosing->command->name, "%s: %s", name_line(enclosing).text, text);
}

/* Prints how many further refusals have the cause that was printed last. */
static void report_repeats(const struct answer *answer)
{
	if (!answer->last_cause || !answer->repeat_count)
		return;
	if (*answer->last_cause)
		answer_note(answer, "and %" PRIu64 " more for the same cause, %s",
			    answer->repeat_count, answer->last_cause);
	else
		answer_note(answer, "%" PRIu64 " more failures, cause also unknown",
			    answer->repeat_count);
}

/* Prints the request; for a change only the parts that were to change. */
static void report_request(const struct answer *answer)
{
	const struct request *request = &answer->request;
	const struct mr_refusal *refusal = &answer->refusal;
	const struct mr_opt_u64 *at = request->offset.known ? &request->offset : &request->addr;
	const bool has_range = request->length.known;
	char text[FIELD_TEXT_MAX];

	if (has_range)
		report_detail("asked for %" PRIu64 " bytes at 0x%" PRIx64 "%s%s%s%s",
			      request->length.value, at->value,
			      !request->memory  ? " and no memory"
			      : refusal->dmabuf ? " of dma-buf "
						: " of memory ",
			      request->memory ? request->memory : "",
			      request->access.known ? ", access " : "",
			      request->access.known
				      ? access_text((uint32_t)request->access.value, text)
				      : "");
	else if (request->access.known)
		report_detail("asked for access %s",
			      access_text((uint32_t)request->access.value, text));
	if (refusal->request && refusal->request->call == MR_REG_MR_RELAXED) {
		uint64_t addr = refusal->request->addr, length = refusal->request->length;

		mr_extend_to_pages(refusal->request->page_size, &addr, &length);
		if (length != refusal->request->length)
			report_detail("extended to whole pages: %" PRIu64 " bytes at 0x%" PRIx64,
				      length, addr);
	}
	if (request->iova.known)
		report_detail("and the I/O virtual address 0x%" PRIx64, request->iova.value);
	if (request->dmah)
		report_detail("and the DMA handle %s", request->dmah);
	if (request->page_sizes.known)
		report_detail("and the page sizes %s", pages_text(request->page_sizes.value, text));
	if (refusal->rereg && refusal->rereg->changes & MR_CHANGE_PD)
		report_detail("asked for protection domain %s",
			      request->pd ? request->pd : "as before");
	if (refusal->rereg &&
	    (!refusal->rereg->changes || refusal->rereg->changes & ~(uint32_t)MR_CHANGES))
		report_detail("asked for the flags 0x%" PRIx32, refusal->rereg->changes);
}

/* Prints a failure, to which the caller may add details. */
static void answer_report_failure(struct answer *answer, struct mr_error *err, uint64_t index,
				  bool expected, const struct why *why)
{
	const bool verbose = answer->out.style->verbose;
	const struct mr_cause *cause = why_first(why);
	const char *id = cause ? cause->id : "";
	bool is_same;

	progress_clear(&answer->progress);
	if (index && answer->total > 1)
		mr_wrap(err, "region %" PRIu64 " of %" PRIu64, index, answer->total);
	answer_note(answer, "%s%s", err->text, expected ? ", as expected" : "");
	if (err->hint[0])
		report_detail("%s", err->hint);
	if (answer->environment->simulated && mr_error_is_answer(err->kind, err->call))
		report_detail("on the simulated HCA %s", answer->environment->device);
	if (answer->tell && !verbose)
		report_request(answer);
	if (why && verbose)
		why_report(why, true);
	if (why && !verbose) {
		/* The message before may have named the same cause. */
		is_same = answer->last_cause && !strcmp(id, answer->last_cause);
		if (!is_same) {
			report_repeats(answer);
			answer->repeat_count = 0;
			why_report(why, false);
		}
		answer->last_cause = id;
		answer->repeat_count += is_same;
	}
	if (verbose)
		lines_print(&request_record, &answer->request, LINES_ALL_KNOWN, "  ", stderr);
}

void answer_report_rest(const struct answer *answer)
{
	report_repeats(answer);
	if (answer->reported > REPORTED_MAX)
		answer_note(answer, "and %" PRIu64 " more failures (--json has all)",
			    answer->reported - REPORTED_MAX);
}

/* Number of refusals that are explained at most: a million may have one cause. */
#define DIAGNOSED_MAX 16

int answer_init(struct answer *answer, const struct invocation *invocation,
		const struct expect_option *expect, const struct mr_environment *environment,
		uint64_t total, struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	const struct command_records records = command_records(invocation);
	int rc;

	*answer = (struct answer){
		.invocation = invocation,
		.expect = expect && expect->given ? expect : NULL,
		.environment = environment,
		.total = total,
		.lines = total == 1 && !global->style.columns && !global->style.no_headings,
	};
	if (expect && expect->cause_count && global->why == WHY_NONE)
		return mr_fail_usage(err, "--expect with a cause excludes --why none");
	if (expect && expect->statuses && strcmp(invocation->command->name, "verify") != 0)
		return mr_fail_usage(err,
				     "only verify has work completions that --expect can name");
	progress_init(&answer->progress, total, global->style.quiet);
	rc = output_open(&answer->out, &global->style, records.record, err);
	answer->out.usual_columns = records.columns;
	answer->out.metrics.table = command_chosen(invocation)->metrics;
	answer->out.is_part = invocation->enclosing != NULL;
	if (!rc)
		proof_mark(invocation, NULL);
	return rc;
}

int answer_error(const struct invocation *invocation, const struct expect_option *expect,
		 struct mr_error *err)
{
	struct mr_error why = *err;
	struct mr_environment environment;
	struct answer answer;
	int rc;

	mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, expect, &environment, 0, err);
	if (rc)
		return rc;
	answer.in_session = context_session(invocation) != NULL;
	answer_fail(&answer, &why, 0, 0, MR_VIA_KERNEL);
	mr_error_clear(err);
	answer_begin(&answer);
	answer_end_rows(&answer);
	return answer_close(&answer, 0, 0, err);
}

void answer_release(struct answer *answer)
{
	for (size_t i = 0; i < answer->failures.count; i++) {
		const struct failure *f = &answer->failures.items[i];

		free((void *)f->message);
		free((void *)f->request.argv);
		free((void *)f->request.memory);
		free((void *)f->request.dmah);
		free((void *)f->request.pd);
		why_release(f->why);
	}
	free(answer->failures.items);
	output_release(&answer->out);
}

/* Looks for the causes.  NULL: they are not looked for. */
static struct why *diagnose(struct answer *answer, const struct mr_error *err, enum mr_via via)
{
	struct mr_refusal *refusal = &answer->refusal;
	struct mr_proven proven;
	struct why *why;

	if (answer->undiagnosed)
		return NULL;
	if (answer->diagnosed >= DIAGNOSED_MAX && !(answer->expect && answer->expect->cause_count))
		return NULL;
	answer->diagnosed += why_is_wanted(answer->invocation->global, err);
	refusal->via = mr_call_via(err->call, via);
	refusal->environment = answer->environment;
	refusal->call = err->call;
	refusal->errnum = err->errnum;
	refusal->kind = err->kind;
	if (mr_error_is_answer(err->kind, err->call))
		refusal->proven = proof_read(answer->invocation, refusal, &proven);
	refusal->try_ns = MR_TRIES_NS > answer->tried_ns ? MR_TRIES_NS - answer->tried_ns : 0;
	why = why_of_error(answer->invocation->global, err, refusal);
	answer->tried_ns += why_found(why).tries_ns;
	return why;
}

bool answer_fail(struct answer *answer, struct mr_error *err, uint64_t index, uint64_t id,
		 enum mr_via via)
{
	const struct invocation *invocation = answer->invocation;
	const struct mr_rereg_failure *rereg = answer->refusal.rereg_failure;
	struct why *why = diagnose(answer, err, via);
	struct failure failure = {
		.index = { index, index != 0 },
		.region = { id, id != 0 },
		.call = err->call,
		.errno_name = err->errnum ? mr_errno_name(err->errnum) : NULL,
		.errno_value = { (uint64_t)err->errnum, err->errnum != 0 },
		.status = answer->refusal.data ? mr_data_answers[answer->refusal.data->answer].name
					       : NULL,
		.rereg_code = rereg ? rereg->code : NULL,
		.library_would_say = rereg ? rereg->library_would_say : NULL,
		.old_region = rereg ? mr_old_region_name(rereg->old) : NULL,
		.why_depth = why ? why_depths[invocation->global->why].name : NULL,
		.found = why_found(why),
		.why = why,
		.kind = err->kind,
	};
	bool expected = answer->expect && expect_has(answer->expect, &failure);
	bool reported;

	if (mr_error_is_answer(err->kind, err->call))
		failure.via = mr_via_name(mr_call_via(err->call, via));
	answer->request.argv = invocation->argv;
	failure.request = answer->request;
	keep_failure(&answer->failures, &failure, err->text);
	reported = !(expected && invocation->global->style.quiet) &&
		   ++answer->reported <= REPORTED_MAX;
	if (reported)
		answer_report_failure(answer, err, index, expected, why);
	answer->refusal = (struct mr_refusal){ .call = NULL };
	answer->request = (struct request){ .argv = NULL }; /* the next failure has its own */
	answer->tell = false;
	why_release(why);
	return reported;
}

enum { SESSION_MEMBER = 1, VERDICT_MEMBER };

const struct field answer_members[] = {
	DOCUMENT_OBJECT("environment", &environment_record, "environment of the answers"),
	[SESSION_MEMBER] = FIELD_AS("session", struct answer, in_session, FIELD_BOOL, 0,
				    "whether the command was in a session"),
	[VERDICT_MEMBER] = FIELD(struct answer, as_expected, FIELD_TRISTATE, 0,
				 "whether --expect names this answer"),
	DOCUMENT_LIST("failures", &failure_record, "refusals and failures, in their order"),
	FIELD_END,
};

void answer_begin_list(struct answer *answer, const char *key, const struct record *record,
		       bool lines)
{
	struct output *out = &answer->out;
	struct enclosing *enclosing = answer->invocation->enclosing;

	if (enclosing)
		enclosing->begun = true;
	output_begin(out, answer->invocation->command->name);
	/* The document of a batch has the environment once, before the lines; Data Direct is of one command. */
	if (out->style->json && (!enclosing || answer->environment->data_direct[0]))
		output_object(out, "environment", &environment_record, answer->environment);
	if (!enclosing)
		output_member(out, &answer_members[SESSION_MEMBER], answer);
	output_list_begin(out, key, record, lines);
}

void answer_begin(struct answer *answer)
{
	const struct record *record = answer->out.record;

	answer_begin_list(answer, record->list, record, answer->lines);
}

void answer_row(struct answer *answer, const void *row)
{
	output_row(&answer->out, answer->out.record, row);
}

void answer_end_rows(struct answer *answer)
{
	output_list_end(&answer->out);
}

int answer_end(struct answer *answer, uint64_t done, struct mr_error *err)
{
	const struct mr_environment *environment = answer->environment;
	struct output *out = &answer->out;
	const struct list failures =
		LIST_OF(failure_record, answer->failures.items, answer->failures.count);
	bool by_batch = answer->invocation->enclosing && !environment->data_direct[0];

	if (answer->failures.out_of_memory)
		out->error = -ENOMEM;
	if (answer->failures.count && out->style->verbose && !out->style->json && !by_batch) {
		answer_note(answer, "environment of this failure:");
		lines_print(&environment_record, environment, LINES_ALL_KNOWN, "  ", stderr);
	}
	if (answer->expect)
		answer->as_expected =
			expect_holds(answer->expect, &answer->failures) ? MR_YES : MR_NO;
	output_member(out, &answer_members[VERDICT_MEMBER], answer);
	output_json_list(out, "failures", &failures);
	if (out->style->json || by_batch)
		;
	else if (done && (answer->lines || out->blocks))
		output_object(out, "environment", &environment_record, environment);
	else if (done && environment->simulated && !out->style->no_headings && !out->style->quiet)
		report_note(answer->invocation->command->name,
			    "these are answers of the simulated HCA %s", environment->device);
	return output_end(out, err);
}

int answer_status(const struct answer *answer, uint64_t done, const char *participle)
{
	const struct enclosing *enclosing = answer->invocation->enclosing;
	const struct failure *first = answer->failures.count ? answer->failures.items : NULL;
	struct failure failure = { .found = why_found(NULL) };
	const char *unexpected = NULL;
	char text[EXPECT_TEXT];
	struct mr_error err;

	answer_report_rest(answer);
	if (first && done && answer->total > 1 && participle && !answer->out.style->quiet)
		answer_note(answer, "%" PRIu64 " of %" PRIu64 " regions %s", done, answer->total,
			    participle);
	if (answer->as_expected == MR_YES || (!first && !answer->expect))
		return EXIT_DONE;
	if (answer->expect) {
		unexpected = expect_text(answer->expect, &answer->failures, text);
		answer_note(answer, "%s", unexpected);
	}
	if (enclosing) {
		mr_fail_text(&err, MR_ERROR_REFUSED, 0, "%s", first ? first->message : unexpected);
		enclosing_wrap(enclosing, &err);
		if (first)
			failure = *first;
		failure.index = known(enclosing->number);
		keep_failure(enclosing->failures, &failure, err.text);
	}
	return first && !done && first->kind == MR_ERROR_ABSENT ? EXIT_ABSENT : EXIT_REFUSED;
}

int answer_close(struct answer *answer, int rc, uint64_t done, struct mr_error *err)
{
	if (!rc)
		rc = answer_end(answer, done, err);
	if (!rc)
		rc = answer_status(answer, done, NULL);
	answer_release(answer);
	return rc;
}

int session_job_run(const struct invocation *invocation, const struct expect_option *expect,
		    int (*work)(struct session_job *job, struct mr_error *err),
		    struct mr_error *err)
{
	struct session_job job;
	struct mr_environment environment;
	struct mr_session session;
	uint64_t total = 0;
	int rc;

	job.session = context_open_session(invocation, &session, &environment, err);
	if (!job.session)
		return err->kind == MR_ERROR_USAGE ? -err->errnum
						   : answer_error(invocation, expect, err);
	job.done = 0;
	while (invocation->operands[total])
		total++;
	rc = answer_init(&job.answer, invocation, expect, &environment, total, err);
	if (!rc) {
		job.answer.in_session = true;
		rc = work(&job, err);
		overdue_report(invocation, job.session);
	}
	answer_release(&job.answer);
	if (!invocation->enclosing)
		mr_session_close(&session);
	return rc;
}
