/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records as metrics in the text format that Prometheus reads, for the textfile collector of its node
 * exporter.  A metric is a field of the records, of type FIELD_NUMBER, FIELD_HEX, FIELD_BOOL or
 * FIELD_OPT_BOOL; unknown values have no sample.
 */
#ifndef CMD_OUTPUT_OPENMETRICS_H
#define CMD_OUTPUT_OPENMETRICS_H

#include "cmd/output/fields.h"

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER, /**< its name must end with "_total" */
	METRIC_INFO, /**< always 1: only its labels matter; it has no field, and its name ends with "_info" */
};

/** A metric.  A table of them ends with one without name. */
struct metric {
	const char *name;   /**< "mrctl_device_max_mr" */
	const char *unit;   /**< "bytes", which the name then ends with; or NULL */
	const char *help;   /**< a sentence without full stop */
	const char *field;  /**< key of the field that has the value; NULL for METRIC_INFO */
	const char *labels; /**< keys of the fields that are its labels, separated by ',' */
	enum metric_type type;
};

/** metrics_print() - print all metrics of a list of records */
void metrics_print(const struct metric *metrics, const struct list *list);

#endif
