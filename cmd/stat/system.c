// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "cmd/stat/stat.h"
#include "lib/simulator/enter.h"

/* By what a row is sorted. */
struct key {
	size_t row;
	uint64_t number;
	const char *text;
	bool known;
};

static struct key key_of(const struct field *field, size_t n, const union any_row *row)
{
	const void *member = (const char *)row + field->offset;
	struct key key = { .row = n };

	switch (field->type) {
	case FIELD_STRING:
		key.text = *(const char *const *)member;
		key.known = key.text != NULL;
		break;
	case FIELD_OPT_BOOL:
		key.number = ((const struct opt_bool *)member)->value;
		key.known = ((const struct opt_bool *)member)->known;
		break;
	default: /* FIELD_NUMBER, FIELD_HEX: these records have no others */
		key.number = ((const struct mr_opt_u64 *)member)->value;
		key.known = ((const struct mr_opt_u64 *)member)->known;
	}
	return key;
}

static int compare_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;
	int order = (x->known < y->known) - (x->known > y->known);

	if (!order && x->text && y->text)
		order = strcmp(x->text, y->text);
	if (!order && x->known)
		order = (x->number < y->number) - (x->number > y->number);
	return order ? order : (x->row > y->row) - (x->row < y->row);
}

/*
 * Sorts the rows of a list. Rows that are equal in that keep their order. Return: the numbers of the rows,
 * to be freed; NULL where memory is short, or there are none.
 */
static size_t *order_rows(struct rows *rows, const struct listing *listing,
			  const struct field *field)
{
	size_t count = listing->count(rows);
	size_t *order = count ? calloc(count, sizeof(*order)) : NULL;
	struct key *keys = order && field ? calloc(count, sizeof(*keys)) : NULL;
	union any_row row;

	if (!order || (field && !keys)) {
		free(order);
		return NULL;
	}
	for (size_t i = 0; i < count; i++) {
		order[i] = i;
		if (!field)
			continue;
		listing->fill(rows, i, &row);
		keys[i] = key_of(field, i, &row);
	}
	if (field)
		qsort(keys, count, sizeof(*keys), compare_keys);
	for (size_t i = 0; field && i < count; i++)
		order[i] = keys[i].row;
	free(keys);
	return order;
}

static const struct listing *listing_of(const struct invocation *invocation)
{
	const struct stat_args *args = invocation->args;
	const struct listing *listing = listings;

	while (args->by && listing->word && strcmp(args->by, listing->word) != 0)
		listing++;
	return listing->word ? listing : listings;
}

static const struct command_records *choose_records(const struct invocation *invocation)
{
	return &listing_of(invocation)->records;
}

static int check_system(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const struct listing *listing = listing_of(invocation);
	const struct field *fields = listing->records.record->fields;
	const bool is_metrics = args->format.format == OUTPUT_OPENMETRICS;
	int rc = 0;

	if (args->by && strcmp(args->by, listing->word) != 0) {
		rc = mr_fail_word(err, "list", args->by, strlen(args->by), listings,
				  sizeof(*listings));
		mr_wrap(err, "--by");
	} else if (args->sort &&
		   !fields_find(listing->records.record, args->sort, strlen(args->sort))) {
		rc = mr_fail_word(err, "column", args->sort, strlen(args->sort), fields,
				  sizeof(*fields));
		mr_wrap(err, "--sort");
	}
	if (rc)
		return rc;
	if (is_metrics && (args->by || args->top.known))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--format openmetrics excludes --%s: metrics are sums of all",
				    args->by ? "by" : "top");
	return 0;
}

/* ---- printing ---- */

static void print_main(struct answer *answer, struct rows *rows, const struct listing *listing)
{
	const struct stat_args *args = answer->invocation->args;
	const char *by = args->sort ? args->sort : listing->order;
	const struct field *field =
		by ? fields_find(listing->records.record, by, strlen(by)) : NULL;
	size_t count = listing->count(rows), *order = order_rows(rows, listing, field);
	union any_row row;

	if (count && !order)
		answer->out.error = -ENOMEM;
	if (args->top.known && count > args->top.value)
		count = (size_t)args->top.value;
	answer_begin_list(answer, listing->key, listing->records.record, false);
	for (size_t i = 0; order && i < count && answer_has_rows(answer); i++) {
		listing->fill(rows, order[i], &row);
		answer_row(answer, &row);
	}
	answer_end_rows(answer);
	free(order);
}

static bool is_metrics(const struct answer *answer)
{
	return !answer->out.style->json && answer->out.style->format == OUTPUT_OPENMETRICS;
}

/*
 * JSON has the other lists as well, but MRs, of which there may be a million, only as the main one.  Metrics are
 * of all lists.
 */
static void print_others(struct answer *answer, struct rows *rows, const struct listing *main)
{
	for (const struct listing *listing = listings + 1; listing->word; listing++) {
		const struct record *record = listing->records.record;
		size_t count = listing->count(rows);
		union any_row *list;

		if (listing == main || !(answer->out.style->json || is_metrics(answer)))
			continue;
		list = calloc(count + 1, sizeof(*list));
		if (!list)
			answer->out.error = -ENOMEM;
		for (size_t i = 0; list && i < count; i++) {
			listing->fill(rows, i, &list[i]);
			if (is_metrics(answer))
				output_row(&answer->out, record, &list[i]);
		}
		output_json_list(&answer->out, listing->key,
				 &(struct list){ record, list, list ? count : 0, sizeof(*list) });
		free(list);
	}
}

static bool is_for_people(const struct output_style *style)
{
	return !style->json && !style->quiet && !style->no_headings && !style->columns &&
	       style->format == OUTPUT_TEXT;
}

/* Less of a gap than this is no news: each process with a device has queues and parts of pages, which are pinned. */
#define GAP_BYTES (UINT64_C(1) << 20)
#define GAP_SHARE 100 /* and less than this part of what is registered */

static bool is_worth_a_note(uint64_t gap, const struct system_totals *totals)
{
	return gap >= GAP_BYTES && gap >= totals->bytes.value / GAP_SHARE;
}

/* Each line of these stands beside its evidence, which is in the totals, whatever its size. */
static void note_gap(const struct system_totals *totals)
{
	if (is_worth_a_note(totals->not_pinned.value, totals)) {
		report_note("stat",
			    "%" PRIu64 " bytes are registered without ODP and not pinned by "
			    "pin_user_pages()",
			    totals->not_pinned.value);
		report_detail("memory on devices and dma-bufs is not pinned in this way; a "
			      "driver that does not tell of ODP has some");
	}
	if (is_worth_a_note(totals->pinned_by_others.value, totals)) {
		report_note("stat", "%" PRIu64 " bytes are pinned and not in these MRs",
			    totals->pinned_by_others.value);
		report_detail("whole pages are pinned, also where an MR has a part of one; VFIO, "
			      "io_uring, direct I/O and umems pin memory as well");
	}
}

static void note_what_is_hidden(const struct rows *rows, const struct system_totals *totals)
{
	const struct census *census = &rows->census;

	if (!census->has_keys)
		report_note("stat", "keys, and which MRs are regions of sessions, are told with "
				    "CAP_NET_ADMIN only");
	if (!totals->gone_regions.known)
		report_note("stat", "MRs without a process may be of other PID namespaces than "
				    "this one");
	if (totals->counted.known && totals->counted.value > totals->regions.value)
		report_note("stat",
			    "the kernel counted %" PRIu64 " MRs, and %" PRIu64 " are listed: "
			    "some came or went meanwhile",
			    totals->counted.value, totals->regions.value);
	if (census->sessions.incomplete)
		report_note("stat", "not all sessions could be searched in the time for it");
}

/* Where no device could be looked at, nothing is known, which only a document in a fixed form says. */
static void print_totals(struct answer *answer, struct rows *rows)
{
	const struct output_style *style = answer->out.style;
	const bool is_known = rows->census.device_count;
	struct system_totals totals = { .regions = { 0, false } };

	if (is_known)
		rows_total(rows, &totals);
	if (style->json || is_metrics(answer) || (is_known && is_for_people(style)))
		output_object(&answer->out, "totals", &system_totals_record, &totals);
	if (!is_known || !is_for_people(style))
		return;
	note_gap(&totals);
	note_what_is_hidden(rows, &totals);
}

/* ---- running ---- */

static void note_failure(struct mr_error *err, void *data)
{
	answer_fail(data, err, 0, 0, MR_VIA_KERNEL);
}

/* No document of this machine's MRs is that of a simulated device. */
static int refuse_simulator(struct mr_error *err)
{
	return mr_fail_text(
		err, MR_ERROR_HOST, EOPNOTSUPP,
		"the simulated HCA has no kernel that lists all MRs: mrctl stat shows the "
		"regions of a session");
}

static int take(struct rows *rows, struct answer *answer, struct mr_error *err)
{
	const struct invocation *invocation = answer->invocation;
	char *device[] = { (char *)(uintptr_t)invocation->global->device, NULL };
	int rc;

	*rows = (struct rows){ .unit_count = 0 };
	if (mr_simulator_is_entered())
		return refuse_simulator(err);
	rc = rows_take(rows, invocation->operands[0] ? invocation->operands : device, note_failure,
		       answer, err);
	/* This machine cannot do it; no device was named in vain. */
	if (rc == -EPROTONOSUPPORT)
		err->kind = MR_ERROR_HOST;
	if (!rc && !rows->census.device_count && !answer->failures.count)
		rc = mr_fail_text(err, MR_ERROR_HOST, ENODEV,
				  "the kernel has no RDMA device in this network namespace");
	return rc;
}

static int run_system(const struct invocation *invocation, struct mr_error *err)
{
	const struct listing *listing = listing_of(invocation);
	struct mr_environment environment;
	struct answer answer;
	struct rows rows;
	struct mr_error why;
	int rc;

	mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, NULL, &environment, 0, err);
	if (rc) {
		answer_release(&answer);
		return rc;
	}
	if (take(&rows, &answer, &why))
		answer_fail(&answer, &why, 0, 0, MR_VIA_KERNEL);
	print_main(&answer, &rows, listing);
	print_others(&answer, &rows, listing);
	print_totals(&answer, &rows);
	rc = answer_end(&answer, rows.census.device_count, err);
	if (!rc)
		rc = answer_status(&answer, rows.census.device_count, NULL);
	rows_release(&rows);
	answer_release(&answer);
	return rc;
}

const struct command_view stat_system = {
	STAT_VIEW(system),        .record = &mr_record,      .columns = MR_COLUMNS,
	.choose = choose_records, .metrics = system_metrics, .check = check_system,
	.run = run_system,
};
