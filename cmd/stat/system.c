// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/stat/stat.h"
#include "lib/simulator/enter.h"

/* An MR, with what is known of its owner. */
struct mr_row {
	const struct counted_device *device;
	const struct mr_nldev_mr *mr;
	const struct owner *owner; /* NULL: none is known */
	struct mr_opt_u64 length;
	const char *odp, *session;
};

struct system_totals {
	struct sums sums;
	struct mr_opt_u64 counted;
	struct mr_opt_u64 processes;
	struct mr_opt_u64 kernel_regions, kernel_bytes;
	struct mr_opt_u64 gone_regions, gone_bytes;
	struct mr_opt_u64 session_regions, session_bytes;
	struct mr_opt_u64 pinned, locked, pinned_by_all;
	struct mr_opt_u64 not_pinned, pinned_by_others;
	bool is_known; /* any device could be looked at */
};

/* ---- fields ---- */

/* Members of the MR, and of its owner. */
#define OF_MR(member, ...)                                                                         \
	FIELD_BEHIND(#member, struct mr_row, mr, struct mr_nldev_mr, member, __VA_ARGS__)
#define OF_OWNER(key, member, ...)                                                                 \
	FIELD_BEHIND(key, struct mr_row, owner, struct owner, member, __VA_ARGS__)
#define IF_COUNTED KNOWN_BY(struct mr_nldev_mr, has_counters)

static const struct field mr_fields[] = {
	FIELD_BEHIND("device", struct mr_row, device, struct counted_device, device.name,
		     FIELD_TEXT, 0, "RDMA device"),
	OF_MR(mrn, FIELD_NUMBER, 0, "the kernel's number for the MR on its device"),
	OF_OWNER("pid", pid, FIELD_NUMBER, 0, "thread that registered it, if it still runs"),
	OF_OWNER("comm", process.name, FIELD_TEXT, 0, "name of that thread"),
	OF_OWNER("unit", unit.name, FIELD_TEXT, FIELD_DETAIL,
		 "service, container or job of the process"),
	OF_OWNER("container", unit.container, FIELD_TEXT, FIELD_DETAIL,
		 "id of the container of the process"),
	OF_MR(kernel, FIELD_TEXT, 0, "the kernel's module that registered it"),
	FIELD(struct mr_row, length, FIELD_NUMBER, 0, "bytes"),
	OF_MR(lkey, FIELD_HEX, 0, "local key", KNOWN_BY(struct mr_nldev_mr, has_keys)),
	OF_MR(rkey, FIELD_HEX, 0, "remote key", KNOWN_BY(struct mr_nldev_mr, has_keys)),
	OF_MR(pdn, FIELD_NUMBER, FIELD_DETAIL, "the kernel's number for its protection domain",
	      KNOWN_BY(struct mr_nldev_mr, has_pdn)),
	FIELD(struct mr_row, odp, FIELD_STRING, 0, "explicit or implicit, if the MR uses ODP"),
	OF_MR(page_faults, FIELD_NUMBER, 0, "pages that the device requested", IF_COUNTED),
	OF_MR(page_invalidations, FIELD_NUMBER, FIELD_DETAIL, "pages that the kernel removed",
	      IF_COUNTED),
	OF_MR(page_prefetch, FIELD_NUMBER, FIELD_DETAIL, "pages that were prefetched", IF_COUNTED),
	OF_OWNER("gone", gone, FIELD_TRISTATE, FIELD_DETAIL,
		 "whether the thread that registered it has ended"),
	FIELD(struct mr_row, session, FIELD_STRING, 0, "session that holds the region"),
	FIELD_END,
};
static const struct record mr_record = { "mr", mr_fields, "mrs" };

/* Fields that all rows of sums have. */
#define SUMS(structure, ...)                                                                       \
	FIELD_AS("regions", structure, sums.regions, FIELD_NUMBER, 0, "MRs", __VA_ARGS__),         \
		FIELD_AS("bytes", structure, sums.bytes, FIELD_NUMBER, 0, "bytes of these MRs",    \
			 __VA_ARGS__),                                                             \
		FIELD_AS("odp_regions", structure, sums.odp_regions, FIELD_NUMBER, FIELD_DETAIL,   \
			 "MRs that use ODP", __VA_ARGS__),                                         \
		FIELD_AS("odp_bytes", structure, sums.odp_bytes, FIELD_NUMBER, 0,                  \
			 "bytes of the MRs that use ODP", .usual = "0", ##__VA_ARGS__)

#define OWNER(key, member, ...) FIELD_AS(key, struct owner, member, __VA_ARGS__)

static const struct field process_fields[] = {
	OWNER("pid", pid, FIELD_NUMBER, 0, "number of the process, or of a thread of it"),
	OWNER("comm", process.name, FIELD_TEXT, 0, "name of the process"),
	OWNER("unit", unit.name, FIELD_TEXT, 0, "service, container or job of the process"),
	OWNER("container", unit.container, FIELD_TEXT, FIELD_DETAIL,
	      "id of the container of the process"),
	OWNER("kernel", kernel, FIELD_STRING, 0, "module of the kernel, in place of a process"),
	OWNER("gone", gone, FIELD_TRISTATE, 0, "whether the process has ended"),
	OWNER("session", session, FIELD_STRING, 0,
	      "session that holds the regions of ended processes"),
	SUMS(struct owner),
	OWNER("pinned", process.pinned, FIELD_NUMBER, 0, "bytes pinned for the process (VmPin)"),
	OWNER("locked", process.locked, FIELD_NUMBER, FIELD_DETAIL,
	      "bytes locked by mlock(2) (VmLck)"),
	FIELD_END,
};
static const struct record process_record = { "process", process_fields, "processes" };

static const struct field unit_fields[] = {
	FIELD(struct unit_row, unit, FIELD_STRING, 0, "service, container or job"),
	FIELD(struct unit_row, container, FIELD_STRING, FIELD_DETAIL, "id of the container"),
	FIELD(struct unit_row, processes, FIELD_NUMBER, 0, "processes that have MRs"),
	SUMS(struct unit_row),
	FIELD(struct unit_row, pinned, FIELD_NUMBER, 0, "bytes pinned for these processes (VmPin)"),
	FIELD(struct unit_row, locked, FIELD_NUMBER, FIELD_DETAIL,
	      "bytes locked by mlock(2) (VmLck)"),
	FIELD_END,
};
static const struct record unit_record = { "unit", unit_fields, "units" };

static const struct field device_fields[] = {
	FIELD_AS("device", struct counted_device, device.name, FIELD_TEXT, 0, "RDMA device"),
	SUMS(struct counted_device),
	FIELD_AS("counted", struct counted_device, mrs.counted, FIELD_NUMBER, FIELD_DETAIL,
		 "MRs that the kernel counted after they were listed"),
	FIELD(struct counted_device, pinned, FIELD_NUMBER, 0,
	      "bytes that the driver counts (reg_pages)"),
	FIELD_END,
};
static const struct record counted_device_record = { "device_sums", device_fields, "devices" };

#define TOTAL(member, ...) FIELD(struct system_totals, member, FIELD_NUMBER, __VA_ARGS__)

static const struct field totals_fields[] = {
	SUMS(struct system_totals, KNOWN_BY(struct system_totals, is_known)),
	TOTAL(counted, FIELD_DETAIL, "MRs that the kernel counted after they were listed"),
	TOTAL(processes, 0, "processes that have MRs"),
	TOTAL(kernel_regions, FIELD_DETAIL, "MRs of the kernel itself"),
	TOTAL(kernel_bytes, FIELD_DETAIL, "bytes of these MRs"),
	TOTAL(gone_regions, 0, "MRs whose thread has ended"),
	TOTAL(gone_bytes, 0, "bytes of these MRs"),
	TOTAL(session_regions, 0, "MRs that are regions of sessions"),
	TOTAL(session_bytes, 0, "bytes of these MRs"),
	TOTAL(pinned, 0, "bytes pinned for the processes (VmPin)"),
	TOTAL(locked, 0, "bytes that the processes locked by mlock(2) (VmLck)"),
	TOTAL(pinned_by_all, 0, "bytes pinned on the whole machine, for any purpose"),
	TOTAL(not_pinned, 0, "bytes registered without ODP in excess of the pinned bytes"),
	TOTAL(pinned_by_others, 0, "pinned bytes in excess of the registered bytes"),
	FIELD_END,
};
static const struct record system_totals_record = { "system_totals", totals_fields, NULL };

/* A process is named by its comm: the number of each new one would be a new time series. */
static const struct metric system_metrics[] = {
	{ &mr_record, "mrctl_mr_count", NULL, "Memory regions in the kernel", NULL, "device,comm",
	  METRIC_GAUGE },
	{ &mr_record, "mrctl_mr_bytes", "bytes", "Bytes in memory regions", "length", "device,comm",
	  METRIC_GAUGE },
	{ &mr_record, "mrctl_mr_page_faults_total", NULL,
	  "Pages that devices requested in the memory regions that exist", "page_faults",
	  "device,comm", METRIC_COUNTER },
	{ &mr_record, "mrctl_mr_page_invalidations_total", NULL,
	  "Pages that the kernel removed from the memory regions that exist", "page_invalidations",
	  "device,comm", METRIC_COUNTER },
	{ &mr_record, "mrctl_mr_page_prefetches_total", NULL,
	  "Pages that were prefetched into the memory regions that exist", "page_prefetch",
	  "device,comm", METRIC_COUNTER },
	{ &unit_record, "mrctl_mr_unit_count", NULL, "Memory regions of a unit's processes",
	  "regions", "unit", METRIC_GAUGE },
	{ &unit_record, "mrctl_mr_unit_bytes", "bytes",
	  "Bytes in memory regions of a unit's processes", "bytes", "unit", METRIC_GAUGE },
	{ &unit_record, "mrctl_mr_unit_pinned_bytes", "bytes",
	  "Bytes that are pinned for a unit's processes that have memory regions", "pinned", "unit",
	  METRIC_GAUGE },
	{ &counted_device_record, "mrctl_mr_device_pinned_bytes", "bytes",
	  "Bytes that the device's driver counts as registered", "pinned", "device", METRIC_GAUGE },
	{ &system_totals_record, "mrctl_mr_gone_count", NULL,
	  "Memory regions whose thread has ended", "gone_regions", NULL, METRIC_GAUGE },
	{ &system_totals_record, "mrctl_mr_gone_bytes", "bytes",
	  "Bytes in memory regions whose thread has ended", "gone_bytes", NULL, METRIC_GAUGE },
	{ &system_totals_record, "mrctl_mr_not_pinned_bytes", "bytes",
	  "Bytes registered without on-demand paging beyond those that are pinned", "not_pinned",
	  NULL, METRIC_GAUGE },
	{ &system_totals_record, "mrctl_pinned_bytes", "bytes",
	  "Bytes that are pinned on the whole machine", "pinned_by_all", NULL, METRIC_GAUGE },
	{ &system_totals_record, "mrctl_pinned_by_others_bytes", "bytes",
	  "Bytes that are pinned beyond those registered without on-demand paging",
	  "pinned_by_others", NULL, METRIC_GAUGE },
	METRIC_END,
};

/* ---- lists ---- */

#define MR_COLUMNS "device,mrn,pid,comm,kernel,length,lkey,rkey,odp,page_faults,session"

/* The lists of records, one of which --by chooses.  The usual one comes first. */
static const struct command_choice listings[] = {
	{ "mr", { &mr_record, MR_COLUMNS } },
	{ "process",
	  { &process_record, "pid,comm,unit,kernel,gone,session,regions,bytes,odp_bytes,pinned" } },
	{ "unit", { &unit_record, "unit,processes,regions,bytes,odp_bytes,pinned" } },
	{ "device", { &counted_device_record, "device,regions,bytes,odp_bytes,pinned" } },
	{ .word = NULL },
};

/* The rows of a list; those of MRs, of which there may be a million, are made one by one. */
static struct list list_of(const struct census *census, const struct command_choice *listing)
{
	const struct record *record = listing->records.record;
	struct list list = { record, NULL, 0, sizeof(struct mr_row) };

	if (record == &process_record)
		return LIST_OF(process_record, census->owners, census->owner_count);
	if (record == &unit_record)
		return LIST_OF(unit_record, census->units, census->unit_count);
	if (record == &counted_device_record)
		return LIST_OF(counted_device_record, census->devices, census->device_count);
	for (size_t i = 0; i < census->device_count; i++)
		list.count += census->devices[i].mrs.count;
	return list;
}

static const struct mr_row *fill_mr(const struct census *census, size_t n, struct mr_row *row)
{
	static const char *const odp[] = { NULL, "explicit", "implicit" };
	const struct counted_device *device = census->devices;
	const struct mr_nldev_mr *mr;

	for (; n >= device->mrs.count; device++)
		n -= device->mrs.count;
	mr = &device->mrs.list[n];
	*row = (struct mr_row){
		.device = device,
		.mr = mr,
		.owner = census_owner(census, device, mr),
		.length = { mr->length, mr->odp != MR_NLDEV_ODP_IMPLICIT },
		.odp = odp[mr->odp],
		.session = census_session(census, device, mr),
	};
	return row;
}

/* The row of a list; @room: for one that is made */
static const void *row_of(const struct census *census, const struct list *list, size_t n,
			  struct mr_row *room)
{
	if (list->record == &mr_record)
		return fill_mr(census, n, room);
	return (const char *)list->rows + n * list->size;
}

/* ---- units ---- */

static int by_unit(const void *a, const void *b)
{
	const struct owner *const *x = a, *const *y = b;
	int order = strcmp((*x)->unit.name, (*y)->unit.name);

	return order ? order : strcmp((*x)->unit.container, (*y)->unit.container);
}

static void add_known(struct mr_opt_u64 *sum, struct mr_opt_u64 more)
{
	sum->value += more.known ? more.value : 0;
	sum->known |= more.known;
}

/* Sum the owners by unit; what has none is one more.  Return: 0 or -ENOMEM. */
static int sum_units(struct census *census)
{
	const struct owner **owners;

	if (!census->owner_count)
		return 0;
	owners = calloc(census->owner_count, sizeof(const struct owner *));
	census->units = calloc(census->owner_count, sizeof(*census->units));
	if (!owners || !census->units) {
		free(owners);
		return -ENOMEM;
	}
	for (size_t i = 0; i < census->owner_count; i++)
		owners[i] = &census->owners[i];
	qsort(owners, census->owner_count, sizeof(*owners), by_unit);
	for (size_t i = 0; i < census->owner_count; i++) {
		const struct owner *owner = owners[i];
		struct unit_row *unit;

		census->unit_count += !i || by_unit(&owners[i - 1], &owners[i]);
		unit = &census->units[census->unit_count - 1];
		unit->unit = owner->unit.name[0] ? owner->unit.name : NULL;
		unit->container = owner->unit.container[0] ? owner->unit.container : NULL;
		sums_add(&unit->sums, owner->sums);
		if (owner->is_further_thread)
			continue;
		add_known(&unit->processes, known(owner->kind == OWNER_PROCESS));
		add_known(&unit->pinned, owner->process.pinned);
		add_known(&unit->locked, owner->process.locked);
	}
	free(owners);
	return 0;
}

/* ---- totals ---- */

/* MRs that are regions of sessions, whoever registered them. */
static void total_sessions(const struct census *census, struct system_totals *totals)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < census->device_count; i++) {
		const struct counted_device *device = &census->devices[i];

		for (size_t n = 0; census->region_count && n < device->mrs.count; n++)
			if (census_session(census, device, &device->mrs.list[n]))
				sums_add(&sums, sums_of(&device->mrs.list[n]));
	}
	totals->session_regions = (struct mr_opt_u64){ sums.regions, census->has_keys };
	totals->session_bytes = (struct mr_opt_u64){ sums.bytes, census->has_keys };
}

static void total_owner(const struct owner *owner, struct system_totals *totals)
{
	switch (owner->kind) {
	case OWNER_PROCESS:
		if (owner->is_further_thread)
			break;
		totals->processes.value++;
		add_known(&totals->pinned, owner->process.pinned);
		add_known(&totals->locked, owner->process.locked);
		break;
	case OWNER_KERNEL:
		totals->kernel_regions.value += owner->sums.regions;
		totals->kernel_bytes.value += owner->sums.bytes;
		break;
	case OWNER_GONE:
		totals->gone_regions.value += owner->sums.regions;
		totals->gone_bytes.value += owner->sums.bytes;
		break;
	case OWNER_HIDDEN:
		totals->gone_regions.known = totals->gone_bytes.known = false;
		break;
	}
}

static void total(const struct census *census, struct system_totals *totals)
{
	uint64_t expected, pinned;

	*totals = (struct system_totals){ .is_known = true,
					  .counted = known(0),
					  .processes = known(0) };
	totals->kernel_regions = totals->kernel_bytes = known(0);
	totals->gone_regions = totals->gone_bytes = known(0);
	for (size_t i = 0; i < census->device_count; i++) {
		sums_add(&totals->sums, census->devices[i].sums);
		totals->counted.value += census->devices[i].mrs.counted.value;
		totals->counted.known &= census->devices[i].mrs.counted.known;
	}
	for (size_t i = 0; i < census->owner_count; i++)
		total_owner(&census->owners[i], totals);
	total_sessions(census, totals);
	totals->pinned_by_all = census->pinned;
	if (!census->pinned.known)
		return;
	/* The kernel's own MRs and those with ODP pin nothing. */
	expected = totals->sums.bytes - totals->sums.odp_bytes - totals->kernel_bytes.value;
	pinned = census->pinned.value;
	totals->not_pinned = known(expected > pinned ? expected - pinned : 0);
	totals->pinned_by_others = known(pinned > expected ? pinned - expected : 0);
}

/* ---- order ---- */

/* The key of a row for sorting. */
struct key {
	size_t row;
	uint64_t number;
	const char *text;
	bool known;
};

static struct key key_of(const struct field *field, size_t n, const void *row)
{
	const bool is_text = field->type == FIELD_STRING || field->type == FIELD_TEXT;
	const char *text = is_text ? field_text(field, row, NULL) : NULL;
	const struct mr_opt_u64 number = field_number(field, row);

	return (struct key){ n, number.value, text, text || number.known };
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
 * Sorts the rows of a list by a field, or by none. Rows that are equal in that keep their order. Return: their
 * keys, to be freed; NULL where memory is short, or there are none.
 */
static struct key *order_rows(const struct census *census, const struct list *list,
			      const struct field *field)
{
	struct key *keys = list->count ? calloc(list->count, sizeof(*keys)) : NULL;
	struct mr_row room;

	for (size_t i = 0; keys && i < list->count; i++)
		keys[i] = field ? key_of(field, i, row_of(census, list, i, &room))
				: (struct key){ .row = i };
	if (keys && field)
		qsort(keys, list->count, sizeof(*keys), compare_keys);
	return keys;
}

static const struct command_choice *listing_of(const struct invocation *invocation)
{
	const struct stat_args *args = invocation->args;
	const struct command_choice *listing = listings;

	while (args->by && listing->word && strcmp(args->by, listing->word) != 0)
		listing++;
	return listing->word ? listing : listings;
}

static struct command_records choose_records(const struct invocation *invocation)
{
	return listing_of(invocation)->records;
}

static int check_system(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const struct command_choice *listing = listing_of(invocation);
	const struct field *fields = listing->records.record->fields;
	const bool is_metrics = args->format.format == OUTPUT_OPENMETRICS;
	int rc = 0;

	if (args->by && strcmp(args->by, listing->word) != 0) {
		rc = mr_fail_word(err, "kind of row", args->by, strlen(args->by), listings,
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
		return mr_fail_usage(err,
				     "--format openmetrics excludes --%s: metrics are sums of "
				     "all MRs",
				     args->by ? "by" : "top");
	return 0;
}

/* ---- printing ---- */

static void print_main(struct answer *answer, const struct census *census,
		       const struct command_choice *listing)
{
	const struct stat_args *args = answer->invocation->args;
	/* Without --sort, sums are sorted by their bytes. */
	const char *by = args->sort ? args->sort : listing == listings ? NULL : "bytes";
	const struct field *field =
		by ? fields_find(listing->records.record, by, strlen(by)) : NULL;
	const struct list list = list_of(census, listing);
	struct key *order = order_rows(census, &list, field);
	size_t count = list.count;
	struct mr_row room;

	if (count && !order)
		answer->out.error = -ENOMEM;
	if (args->top.known && count > args->top.value)
		count = (size_t)args->top.value;
	answer_begin_list(answer, list.record->list, list.record, false);
	for (size_t i = 0; order && i < count && answer_has_rows(answer); i++)
		answer_row(answer, row_of(census, &list, order[i].row, &room));
	answer_end_rows(answer);
	free(order);
}

/*
 * JSON has the other lists as well, but MRs, of which there may be a million, only as the main one.  Metrics are
 * of all lists.
 */
static void print_others(struct answer *answer, const struct census *census,
			 const struct command_choice *main)
{
	for (const struct command_choice *listing = listings + 1; listing->word; listing++) {
		const struct list list = list_of(census, listing);
		struct mr_row room;

		if (listing == main)
			continue;
		for (size_t i = 0; output_is_metrics(&answer->out) && i < list.count; i++)
			output_row(&answer->out, list.record, row_of(census, &list, i, &room));
		output_json_list(&answer->out, list.record->list, &list);
	}
}

/* A smaller gap is normal: each process with a device has queues and parts of pages, which are pinned. */
#define GAP_BYTES (UINT64_C(1) << 20)
#define GAP_SHARE 100 /* nor less than this part of the registered memory */

static bool is_worth_a_note(uint64_t gap, const struct system_totals *totals)
{
	return gap >= GAP_BYTES && gap >= totals->sums.bytes / GAP_SHARE;
}

static void note_what_is_hidden(const struct census *census, const struct system_totals *totals)
{
	if (!census->has_keys)
		report_note("stat", "keys, and the sessions of MRs, are shown only with "
				    "CAP_NET_ADMIN");
	if (!totals->gone_regions.known)
		report_note("stat", "MRs without a process may belong to another PID namespace");
	if (totals->counted.known && totals->counted.value > totals->sums.regions)
		report_note("stat",
			    "the kernel counted %" PRIu64 " MRs, and %" PRIu64 " are listed: "
			    "some were registered or deregistered meanwhile",
			    totals->counted.value, totals->sums.regions);
	if (census->misses_sessions)
		report_note("stat", "not all sessions could be searched in time");
}

/* If no device could be read, nothing is known; only a document has a form for that. */
static void print_totals(struct answer *answer, const struct census *census)
{
	const struct output_style *style = answer->out.style;
	const bool is_known = census->device_count;
	struct system_totals totals = { .is_known = false };

	if (is_known)
		total(census, &totals);
	if (style->json || output_is_metrics(&answer->out) ||
	    (is_known && output_is_for_people(&answer->out)))
		output_object(&answer->out, "totals", &system_totals_record, &totals);
	if (!is_known || !output_is_for_people(&answer->out))
		return;
	/* Prints notes, whose evidence is in the totals. */
	if (is_worth_a_note(totals.not_pinned.value, &totals)) {
		report_note("stat",
			    "%" PRIu64 " bytes are registered without ODP and not pinned by "
			    "pin_user_pages()",
			    totals.not_pinned.value);
		report_detail("memory on devices, dma-bufs, and ODP of drivers that do not "
			      "report it are not pinned in this way");
	}
	if (is_worth_a_note(totals.pinned_by_others.value, &totals)) {
		report_note("stat", "%" PRIu64 " bytes are pinned and not in these MRs",
			    totals.pinned_by_others.value);
		report_detail("a page is pinned as a whole even if an MR has a part of it; VFIO, "
			      "io_uring, direct I/O and umems also pin memory");
	}
	note_what_is_hidden(census, &totals);
}

/* ---- running ---- */

static void note_failure(struct mr_error *err, void *data)
{
	answer_fail(data, err, 0, 0, MR_VIA_KERNEL);
}

static int take(struct census *census, struct answer *answer, struct mr_error *err)
{
	const struct invocation *invocation = answer->invocation;
	char *device[] = { (char *)(uintptr_t)invocation->global->device, NULL };
	int rc;

	*census = (struct census){ .device_count = 0 };
	/* No document of this machine's MRs is that of a simulated device. */
	if (mr_simulator_is_entered())
		return mr_fail_text(
			err, MR_ERROR_HOST, EOPNOTSUPP,
			"--system is not available on the simulated HCA: mrctl stat shows "
			"the regions of a session");
	rc = census_take(census, invocation->operands[0] ? invocation->operands : device,
			 note_failure, answer, err);
	if (!rc && sum_units(census))
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	/* This machine cannot do it; no device was named in vain. */
	if (rc == -EPROTONOSUPPORT)
		err->kind = MR_ERROR_HOST;
	if (!rc && !census->device_count && !answer->failures.count)
		rc = mr_fail_text(err, MR_ERROR_HOST, ENODEV,
				  "the kernel has no RDMA device in this network namespace");
	return rc;
}

static int run_system(const struct invocation *invocation, struct mr_error *err)
{
	const struct command_choice *listing = listing_of(invocation);
	struct mr_environment environment;
	struct answer answer;
	struct census census;
	struct mr_error why;
	int rc;

	mr_environment_init(&environment);
	rc = answer_init(&answer, invocation, NULL, &environment, 0, err);
	if (rc)
		return rc;
	if (take(&census, &answer, &why))
		answer_fail(&answer, &why, 0, 0, MR_VIA_KERNEL);
	print_main(&answer, &census, listing);
	print_others(&answer, &census, listing);
	print_totals(&answer, &census);
	rc = answer_close(&answer, 0, census.device_count, err);
	census_release(&census);
	return rc;
}

const struct command stat_system = {
	STAT_VIEW(system),
	.record = &mr_record,
	.columns = MR_COLUMNS,
	.members =
		(const struct field[]){
			DOCUMENT_LIST("processes", &process_record, "sums for each process"),
			DOCUMENT_LIST("units", &unit_record, "sums for each unit and container"),
			DOCUMENT_LIST("devices", &counted_device_record, "sums for each device"),
			DOCUMENT_OBJECT("totals", &system_totals_record, "sums of all regions"),
			FIELD_END },
	.choose = choose_records,
	.chooser = "by",
	.choices = listings,
	.metrics = system_metrics,
	.check = check_system,
	.run = run_system,
};
