// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Metrics, byte for byte. */
#include "cmd/output/output.h"
#include "tests/unit/unit.h"

struct port {
	struct mr_opt_u64 port;
	enum mr_tristate up;
};

struct device {
	const char *name;
	struct mr_opt_u64 max, bytes, limit, wait_ns;
	bool works;
	struct port first;
	struct list ports;
};

static const struct field port_fields[] = {
	FIELD(struct port, port, FIELD_NUMBER, 0, ""),
	FIELD(struct port, up, FIELD_TRISTATE, 0, ""),
	FIELD_END,
};
static const struct record port_record = { "port", port_fields, NULL };

static const struct field device_fields[] = {
	FIELD(struct device, name, FIELD_STRING, 0, ""),
	FIELD(struct device, max, FIELD_NUMBER, 0, ""),
	FIELD(struct device, bytes, FIELD_NUMBER, 0, ""),
	FIELD(struct device, limit, FIELD_LIMIT, 0, ""),
	FIELD(struct device, wait_ns, FIELD_NUMBER, 0, ""),
	FIELD(struct device, works, FIELD_BOOL, 0, ""),
	FIELD_INSIDE(struct device, first, struct port, &port_record, ""),
	FIELD(struct device, ports, FIELD_LIST, 0, ""),
	FIELD_END,
};
static const struct record device_record = { "device", device_fields, NULL };

/* The samples of some records of the same kind. */
static const char *print(struct capture *c, const struct metric *table, const struct record *record,
			 const void *rows, size_t count, size_t size)
{
	struct metrics metrics = { .table = table };

	for (size_t i = 0; i < count; i++)
		assert_int_equal(metrics_add(&metrics, record, (const char *)rows + i * size), 0);
	capture_begin(c, STDOUT_FILENO);
	metrics_print(&metrics, stdout);
	capture_end(c);
	metrics_release(&metrics);
	return c->text;
}

TEST(a_metric_has_help_type_and_unit_once)
{
	static const struct metric table[] = {
		{ &device_record, "m_max", NULL, "Largest number", "max", "device=name",
		  METRIC_GAUGE },
		{ &device_record, "m_bytes_total", "bytes", "Bytes so far", "bytes", "name",
		  METRIC_COUNTER },
		{ &device_record, "m_info", NULL, "Names", NULL, "name", METRIC_INFO },
		METRIC_END,
	};
	static const struct device devices[] = {
		{ .name = "b", .max = { UINT64_MAX, true } },
		{ .name = "a", .max = { 0, true }, .bytes = { 5, true } },
	};
	struct capture c;

	assert_string_equal(print(&c, table, &device_record, devices, 2, sizeof(*devices)),
			    "# HELP m_max Largest number\n"
			    "# TYPE m_max gauge\n"
			    "m_max{device=\"a\"} 0\n"
			    "m_max{device=\"b\"} 18446744073709551615\n"
			    "# HELP m_bytes_total Bytes so far\n"
			    "# TYPE m_bytes_total counter\n"
			    "# UNIT m_bytes_total bytes\n"
			    "m_bytes_total{name=\"a\"} 5\n"
			    "# HELP m_info Names\n"
			    "# TYPE m_info gauge\n"
			    "m_info{name=\"a\"} 1\n"
			    "m_info{name=\"b\"} 1\n"
			    "# EOF\n");
}

TEST(values_of_each_type)
{
	static const struct metric table[] = {
		{ &device_record, "limit_bytes", "bytes", "L", "limit", NULL, METRIC_GAUGE },
		{ &device_record, "wait_seconds", "seconds", "W", "wait_ns", NULL, METRIC_GAUGE },
		{ &device_record, "works", NULL, "B", "works", NULL, METRIC_GAUGE },
		METRIC_END,
	};
	static const struct {
		struct device device;
		const char *parts[3];
	} rows[] = {
		{ { .wait_ns = { 3000000042, true }, .works = true },
		  { "\nlimit_bytes +Inf\n", "\nwait_seconds 3.000000042\n", "\nworks 1\n" } },
		{ { .limit = { 4096, true } }, { "\nlimit_bytes 4096\n", "\nworks 0\n", "# EOF" } },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct capture c;

		print(&c, table, &device_record, &rows[i].device, 1, sizeof(struct device));
		for (size_t n = 0; n < 3; n++)
			assert_contains(c.text, rows[i].parts[n]);
		assert_int_equal(strstr(c.text, "wait_seconds") != NULL,
				 rows[i].device.wait_ns.known);
	}
}

/* Two samples of one metric with the same labels would make the exporter refuse all that it collects. */
TEST(records_with_the_same_labels_are_one_sample)
{
	static const struct metric table[] = {
		{ &device_record, "m_max", NULL, "M", "max", "name", METRIC_GAUGE },
		{ &device_record, "m_bytes", "bytes", "M", "bytes", "name", METRIC_GAUGE },
		{ &device_record, "m_devices", NULL, "M", NULL, "name", METRIC_GAUGE },
		{ &device_record, "m_info", NULL, "M", NULL, "name", METRIC_INFO },
		METRIC_END,
	};
	static const struct device devices[] = {
		{ .name = "a", .max = { 1, true }, .bytes = { UINT64_MAX, true } },
		{ .name = "b", .max = { 4, true } },
		{ .name = "a", .max = { 2, true }, .bytes = { 2, true } },
	};
	struct capture c;

	print(&c, table, &device_record, devices, 3, sizeof(*devices));
	assert_contains(c.text, "\nm_max{name=\"a\"} 3\nm_max{name=\"b\"} 4\n#");
	assert_contains(c.text, "\nm_bytes{name=\"a\"} 18446744073709551615\n#");
	assert_contains(c.text, "\nm_devices{name=\"a\"} 2\nm_devices{name=\"b\"} 1\n#");
	assert_contains(c.text, "\nm_info{name=\"a\"} 1\nm_info{name=\"b\"} 1\n#");
}

TEST(labels_hold_any_bytes_and_no_samples_are_the_end_alone)
{
	static const struct metric table[] = {
		{ &device_record, "m_info", NULL, "M", NULL, "name", METRIC_INFO },
		METRIC_END,
	};
	static const struct device device = { .name = "a\"b\\c\nd\033[2J\xff ä" }, none = { 0 };
	struct capture c;

	print(&c, table, &device_record, &device, 1, sizeof(device));
	assert_contains(c.text, "{name=\"a\\\"b\\\\c\\\\x0ad\\\\x1b[2J\\\\xff ä\"} 1\n");
	print(&c, table, &device_record, &none, 1, sizeof(none));
	assert_contains(c.text, "m_info{name=\"\"} 1\n");
	assert_string_equal(print(&c, table, &device_record, NULL, 0, 0), "# EOF\n");
}
