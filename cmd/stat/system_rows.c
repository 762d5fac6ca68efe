// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/stat/stat.h"

static const char *text_or_null(const char *text)
{
	return text[0] ? text : NULL;
}

static const char *session_text(const struct census *census, uint32_t place)
{
	return place ? census->sessions.places[place - 1].text : NULL;
}

/* Whether the process has ended; the kernel's MRs have none. */
static struct opt_bool is_gone(const struct owner *owner)
{
	return (struct opt_bool){ owner->kind == OWNER_GONE,
				  owner->kind == OWNER_GONE || owner->kind == OWNER_PROCESS };
}

/* ---- MRs ---- */

static size_t count_mrs(const struct rows *rows)
{
	size_t count = 0;

	for (size_t i = 0; i < rows->census.device_count; i++)
		count += rows->census.devices[i].mrs.count;
	return count;
}

static void fill_mr(struct rows *rows, size_t n, union any_row *any)
{
	static const char *const odp[] = { NULL, "explicit", "implicit" };
	const struct counted_device *device = rows->census.devices;
	const struct mr_nldev_mr *mr;
	const struct owner *owner;

	for (; n >= device->mrs.count; device++)
		n -= device->mrs.count;
	mr = &device->mrs.list[n];
	owner = census_owner(&rows->census, device, n);
	any->mr = (struct mr_row){
		.device = device->device.name,
		.mrn = known(mr->mrn),
		.pid = { mr->pid, mr->pid != 0 },
		.kernel = text_or_null(mr->kernel),
		.length = { mr->length, mr->odp != MR_NLDEV_ODP_IMPLICIT },
		.lkey = { mr->lkey, mr->has_keys },
		.rkey = { mr->rkey, mr->has_keys },
		.pdn = { mr->pdn, mr->has_pdn },
		.odp = odp[mr->odp],
		.page_faults = { mr->page_faults, mr->has_counters },
		.page_invalidations = { mr->page_invalidations, mr->has_counters },
		.page_prefetch = { mr->page_prefetch, mr->has_counters },
		.session = session_text(&rows->census, device->sessions ? device->sessions[n] : 0),
	};
	if (!owner)
		return;
	any->mr.comm = text_or_null(owner->process.name);
	any->mr.unit = text_or_null(owner->unit.name);
	any->mr.container = text_or_null(owner->unit.container);
	any->mr.gone = is_gone(owner);
}

/* ---- processes ---- */

static size_t count_owners(const struct rows *rows)
{
	return rows->census.owner_count;
}

static void fill_process(struct rows *rows, size_t n, union any_row *any)
{
	const struct owner *owner = &rows->census.owners[n];
	const bool is_process = owner->kind == OWNER_PROCESS;

	any->process = (struct process_row){
		.pid = { owner->number, is_process },
		.comm = text_or_null(owner->process.name),
		.unit = text_or_null(owner->unit.name),
		.container = text_or_null(owner->unit.container),
		.kernel = owner->kind == OWNER_KERNEL ? rows->census.modules[owner->number] : NULL,
		.gone = is_gone(owner),
		.session = owner->kind < OWNER_GONE ? NULL
						    : session_text(&rows->census, owner->number),
		.regions = known(owner->sums.regions),
		.bytes = known(owner->sums.bytes),
		.odp_regions = known(owner->sums.odp_regions),
		.odp_bytes = known(owner->sums.odp_bytes),
		.pinned = owner->process.pinned,
		.locked = owner->process.locked,
	};
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

static void add_to_unit(struct unit_row *unit, const struct owner *owner)
{
	unit->unit = text_or_null(owner->unit.name);
	unit->container = text_or_null(owner->unit.container);
	add_known(&unit->regions, known(owner->sums.regions));
	add_known(&unit->bytes, known(owner->sums.bytes));
	add_known(&unit->odp_regions, known(owner->sums.odp_regions));
	add_known(&unit->odp_bytes, known(owner->sums.odp_bytes));
	if (owner->is_further_thread)
		return;
	add_known(&unit->processes, known(owner->kind == OWNER_PROCESS));
	add_known(&unit->pinned, owner->process.pinned);
	add_known(&unit->locked, owner->process.locked);
}

/* Sum the owners by unit; what has none is one more.  Return: 0 or -ENOMEM. */
static int sum_units(struct rows *rows)
{
	const struct census *census = &rows->census;
	const struct owner **owners;

	if (!census->owner_count)
		return 0;
	owners = calloc(census->owner_count, sizeof(const struct owner *));
	rows->units = calloc(census->owner_count, sizeof(*rows->units));
	if (!owners || !rows->units) {
		free(owners);
		return -ENOMEM;
	}
	for (size_t i = 0; i < census->owner_count; i++)
		owners[i] = &census->owners[i];
	qsort(owners, census->owner_count, sizeof(*owners), by_unit);
	for (size_t i = 0; i < census->owner_count; i++) {
		rows->unit_count += !i || by_unit(&owners[i - 1], &owners[i]);
		add_to_unit(&rows->units[rows->unit_count - 1], owners[i]);
	}
	free(owners);
	return 0;
}

static size_t count_units(const struct rows *rows)
{
	return rows->unit_count;
}

static void fill_unit(struct rows *rows, size_t n, union any_row *any)
{
	any->unit = rows->units[n];
}

/* ---- devices ---- */

static size_t count_devices(const struct rows *rows)
{
	return rows->census.device_count;
}

static void fill_device(struct rows *rows, size_t n, union any_row *any)
{
	const struct counted_device *device = &rows->census.devices[n];

	any->device = (struct system_device_row){ .device = device->device.name,
						  .regions = known(device->sums.regions),
						  .bytes = known(device->sums.bytes),
						  .odp_regions = known(device->sums.odp_regions),
						  .odp_bytes = known(device->sums.odp_bytes),
						  .counted = device->mrs.counted,
						  .pinned = device->pinned };
}

const struct listing listings[] = {
	{ "mr", "mrs", { &mr_record, MR_COLUMNS }, NULL, count_mrs, fill_mr },
	{ "process",
	  "processes",
	  { &process_record, PROCESS_COLUMNS },
	  "bytes",
	  count_owners,
	  fill_process },
	{ "unit", "units", { &unit_record, UNIT_COLUMNS }, "bytes", count_units, fill_unit },
	{ "device",
	  "devices",
	  { &counted_device_record, DEVICE_COLUMNS },
	  "bytes",
	  count_devices,
	  fill_device },
	{ .word = NULL },
};

/* ---- all ---- */

int rows_take(struct rows *rows, char *const *names, void (*fail)(struct mr_error *err, void *data),
	      void *data, struct mr_error *err)
{
	int rc;

	*rows = (struct rows){ .unit_count = 0 };
	rc = census_take(&rows->census, names, fail, data, err);
	if (!rc && sum_units(rows))
		rc = mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	return rc;
}

void rows_release(struct rows *rows)
{
	census_release(&rows->census);
	free(rows->units);
	*rows = (struct rows){ .unit_count = 0 };
}

/* MRs that are regions of sessions, whoever registered them. */
static void total_sessions(const struct census *census, struct system_totals *totals)
{
	struct sums sums = { 0 };

	for (size_t i = 0; i < census->device_count; i++) {
		const struct counted_device *device = &census->devices[i];

		for (size_t n = 0; device->sessions && n < device->mrs.count; n++)
			if (device->sessions[n])
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

/* What should be pinned, against what is: the kernel's own MRs and those with ODP pin nothing. */
static void total_gap(struct system_totals *totals)
{
	const uint64_t expected =
		totals->bytes.value - totals->odp_bytes.value - totals->kernel_bytes.value;
	const uint64_t pinned = totals->pinned_by_all.value;

	if (!totals->pinned_by_all.known)
		return;
	totals->not_pinned = known(expected > pinned ? expected - pinned : 0);
	totals->pinned_by_others = known(pinned > expected ? pinned - expected : 0);
}

void rows_total(struct rows *rows, struct system_totals *totals)
{
	const struct census *census = &rows->census;
	struct sums sums = { 0 };

	*totals = (struct system_totals){ .counted = known(0), .processes = known(0) };
	totals->kernel_regions = totals->kernel_bytes = known(0);
	totals->gone_regions = totals->gone_bytes = known(0);
	for (size_t i = 0; i < census->device_count; i++) {
		sums_add(&sums, census->devices[i].sums);
		totals->counted.value += census->devices[i].mrs.counted.value;
		totals->counted.known &= census->devices[i].mrs.counted.known;
	}
	totals->regions = known(sums.regions);
	totals->bytes = known(sums.bytes);
	totals->odp_regions = known(sums.odp_regions);
	totals->odp_bytes = known(sums.odp_bytes);
	for (size_t i = 0; i < census->owner_count; i++)
		total_owner(&census->owners[i], totals);
	total_sessions(census, totals);
	totals->pinned_by_all = census->pinned;
	total_gap(totals);
}

static const struct field mr_fields[] = {
	FIELD(struct mr_row, device, FIELD_STRING, 0, "RDMA device"),
	FIELD(struct mr_row, mrn, FIELD_NUMBER, 0, "the kernel's number for it on the device"),
	FIELD(struct mr_row, pid, FIELD_NUMBER, 0, "thread that registered it, if it still runs"),
	FIELD(struct mr_row, comm, FIELD_STRING, 0, "name of that thread"),
	FIELD(struct mr_row, unit, FIELD_STRING, FIELD_DETAIL, "its service, container or job"),
	FIELD(struct mr_row, container, FIELD_STRING, FIELD_DETAIL, "id of its container"),
	FIELD(struct mr_row, kernel, FIELD_STRING, 0, "the kernel's module that registered it"),
	FIELD(struct mr_row, length, FIELD_NUMBER, 0, "bytes"),
	FIELD(struct mr_row, lkey, FIELD_HEX, 0, "local key"),
	FIELD(struct mr_row, rkey, FIELD_HEX, 0, "remote key"),
	FIELD(struct mr_row, pdn, FIELD_NUMBER, FIELD_DETAIL,
	      "the kernel's number for its protection domain"),
	FIELD(struct mr_row, odp, FIELD_STRING, 0, "explicit or implicit, where it uses ODP"),
	FIELD(struct mr_row, page_faults, FIELD_NUMBER, 0, "pages that its device asked for"),
	FIELD(struct mr_row, page_invalidations, FIELD_NUMBER, FIELD_DETAIL,
	      "pages that were taken from its device"),
	FIELD(struct mr_row, page_prefetch, FIELD_NUMBER, FIELD_DETAIL,
	      "pages that were prefetched"),
	FIELD(struct mr_row, gone, FIELD_OPT_BOOL, FIELD_DETAIL,
	      "whether the thread that registered it has ended"),
	FIELD(struct mr_row, session, FIELD_STRING, 0, "session whose region it is"),
	FIELD_END,
};
const struct record mr_record = { "mr", mr_fields, "mrs" };

/* Fields that all rows of sums have. */
#define SUMS(structure)                                                                            \
	FIELD(structure, regions, FIELD_NUMBER, 0, "MRs"),                                         \
		FIELD(structure, bytes, FIELD_NUMBER, 0, "bytes in them"),                         \
		FIELD(structure, odp_regions, FIELD_NUMBER, FIELD_DETAIL,                          \
		      "of these MRs, those that use ODP"),                                         \
		FIELD(structure, odp_bytes, FIELD_NUMBER, 0, "bytes in those that use ODP",        \
		      .usual = "0")

static const struct field process_fields[] = {
	FIELD(struct process_row, pid, FIELD_NUMBER, 0,
	      "number of the process, or of a thread of it"),
	FIELD(struct process_row, comm, FIELD_STRING, 0, "its name"),
	FIELD(struct process_row, unit, FIELD_STRING, 0, "its service, container or job"),
	FIELD(struct process_row, container, FIELD_STRING, FIELD_DETAIL, "id of its container"),
	FIELD(struct process_row, kernel, FIELD_STRING, 0, "module of the kernel in its place"),
	FIELD(struct process_row, gone, FIELD_OPT_BOOL, 0, "whether it has ended", .usual = "no"),
	FIELD(struct process_row, session, FIELD_STRING, 0,
	      "session whose regions those of ended processes are"),
	SUMS(struct process_row),
	FIELD(struct process_row, pinned, FIELD_NUMBER, 0, "bytes pinned for it (VmPin)"),
	FIELD(struct process_row, locked, FIELD_NUMBER, FIELD_DETAIL,
	      "bytes locked by mlock(2) (VmLck)"),
	FIELD_END,
};
const struct record process_record = { "process", process_fields, "processes" };

static const struct field unit_fields[] = {
	FIELD(struct unit_row, unit, FIELD_STRING, 0, "service, container or job"),
	FIELD(struct unit_row, container, FIELD_STRING, FIELD_DETAIL, "id of the container"),
	FIELD(struct unit_row, processes, FIELD_NUMBER, 0, "processes that have MRs"),
	SUMS(struct unit_row),
	FIELD(struct unit_row, pinned, FIELD_NUMBER, 0, "bytes pinned for these (VmPin)"),
	FIELD(struct unit_row, locked, FIELD_NUMBER, FIELD_DETAIL,
	      "bytes locked by mlock(2) (VmLck)"),
	FIELD_END,
};
const struct record unit_record = { "unit", unit_fields, "units" };

static const struct field device_fields[] = {
	FIELD(struct system_device_row, device, FIELD_STRING, 0, "RDMA device"),
	SUMS(struct system_device_row),
	FIELD(struct system_device_row, counted, FIELD_NUMBER, FIELD_DETAIL,
	      "MRs that the kernel counted after they were listed"),
	FIELD(struct system_device_row, pinned, FIELD_NUMBER, 0,
	      "bytes that the driver counts (reg_pages)"),
	FIELD_END,
};
const struct record counted_device_record = { "device", device_fields, "devices" };

static const struct field totals_fields[] = {
	SUMS(struct system_totals),
	FIELD(struct system_totals, counted, FIELD_NUMBER, FIELD_DETAIL,
	      "MRs that the kernel counted after they were listed"),
	FIELD(struct system_totals, processes, FIELD_NUMBER, 0, "processes that have MRs"),
	FIELD(struct system_totals, kernel_regions, FIELD_NUMBER, FIELD_DETAIL,
	      "MRs of the kernel itself"),
	FIELD(struct system_totals, kernel_bytes, FIELD_NUMBER, FIELD_DETAIL, "bytes in them"),
	FIELD(struct system_totals, gone_regions, FIELD_NUMBER, 0, "MRs whose thread has ended"),
	FIELD(struct system_totals, gone_bytes, FIELD_NUMBER, 0, "bytes in them"),
	FIELD(struct system_totals, session_regions, FIELD_NUMBER, 0,
	      "MRs that are regions of sessions"),
	FIELD(struct system_totals, session_bytes, FIELD_NUMBER, 0, "bytes in them"),
	FIELD(struct system_totals, pinned, FIELD_NUMBER, 0,
	      "bytes pinned for the processes (VmPin)"),
	FIELD(struct system_totals, locked, FIELD_NUMBER, 0,
	      "bytes that they locked by mlock(2) (VmLck)"),
	FIELD(struct system_totals, pinned_by_all, FIELD_NUMBER, 0,
	      "bytes pinned on the whole machine, for whatever purpose"),
	FIELD(struct system_totals, not_pinned, FIELD_NUMBER, 0,
	      "bytes registered without ODP that this does not account for"),
	FIELD(struct system_totals, pinned_by_others, FIELD_NUMBER, 0,
	      "bytes pinned that registrations do not account for"),
	FIELD_END,
};
const struct record system_totals_record = { "totals", totals_fields, NULL };

/* A process is named by its comm: the number of each new one would be a new time series. */
const struct metric system_metrics[] = {
	{ &mr_record, "mrctl_mr_count", NULL, "Memory regions in the kernel", NULL, "device,comm",
	  METRIC_GAUGE },
	{ &mr_record, "mrctl_mr_bytes", "bytes", "Bytes in memory regions", "length", "device,comm",
	  METRIC_GAUGE },
	{ &mr_record, "mrctl_mr_page_faults_total", NULL,
	  "Pages that devices asked for in the memory regions that exist", "page_faults",
	  "device,comm", METRIC_COUNTER },
	{ &mr_record, "mrctl_mr_page_invalidations_total", NULL,
	  "Pages that were taken from devices in the memory regions that exist",
	  "page_invalidations", "device,comm", METRIC_COUNTER },
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
