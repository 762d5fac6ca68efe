/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Records as metrics in the text format that Prometheus reads, for the textfile collector of its node
 * exporter.  Counters are declared with their full name, "mrctl_faults_total": the exporter's parser
 * (prometheus/common, expfmt/text_parse.go) would take the name without "_total", which strict OpenMetrics
 * declares, for another metric without samples.
 */
#ifndef CMD_OUTPUT_OPENMETRICS_H
#define CMD_OUTPUT_OPENMETRICS_H

#include <stdio.h>

#include "cmd/output/fields.h"

enum metric_type {
	METRIC_GAUGE,
	METRIC_COUNTER, /**< its name must end with "_total" */
	METRIC_INFO, /**< always 1: only its labels matter; it has no field, and its name ends with "_info" */
};

/**
 * struct metric - a metric  A table of them ends with one without name.
 *
 * The value is that of a field of type FIELD_NUMBER, FIELD_LIMIT, FIELD_HEX, FIELD_BOOL or FIELD_OPT_BOOL;
 * where it is unknown there is no sample.  Records with the same labels are one sample, whose value is
 * their sum: so a metric by process name counts the processes of that name together.
 */
struct metric {
	const struct record *record; /**< the records it is about, also those inside others */
	const char *name;            /**< "mrctl_device_max_mr" */
	/** "bytes" or "seconds", which the name then ends with, before "_total"; or NULL.  Of seconds the
	 * field has nanoseconds. */
	const char *unit;
	const char *help;   /**< a sentence without full stop */
	const char *field;  /**< key of the field that has the value; NULL: each record counts 1 */
	const char *labels; /**< keys of the fields that are its labels, separated by ','; or NULL.
				 "device=name": the label has another name than the field.  Fields of
				 the records around this one can be labels, too. */
	enum metric_type type;
};

#define METRIC_END                                                                                 \
	{                                                                                          \
		.name = NULL                                                                       \
	}

struct metrics;

/** metrics_new() - begin to collect samples of the metrics in @table; NULL: memory is short */
struct metrics *metrics_new(const struct metric *table);
void metrics_free(struct metrics *metrics);

/** metrics_add() - add the samples of a record, and of the records inside it.  Return: 0 or -ENOMEM. */
int metrics_add(struct metrics *metrics, const struct record *record, const void *row);

/** metrics_print() - print all samples and the line that ends them; @metrics: or NULL: there are none */
void metrics_print(const struct metrics *metrics, FILE *stream);

#endif
