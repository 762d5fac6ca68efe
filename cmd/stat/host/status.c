// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Exit statuses of mrctl stat --host, and the line that goes with those of monitoring systems. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/stat/host/result.h"

/*
 * Return codes of Nagios' plugins, and what they are called there ("Plugin Return Codes" of the guidelines of
 * the Monitoring Plugins).
 */
enum nagios { NAGIOS_OK, NAGIOS_WARNING, NAGIOS_CRITICAL, NAGIOS_UNKNOWN };

static const char *const nagios_names[] = { "OK", "WARNING", "CRITICAL", "UNKNOWN" };

/* Statuses of node-problem-detector's plugins (its pkg/custompluginmonitor/plugin/plugin.go: others are unknown, too). */
enum npd { NPD_OK, NPD_PROBLEM, NPD_UNKNOWN };

/* Bytes of a plugin's output that node-problem-detector keeps, unless it is told otherwise (max_output_length). */
#define NPD_MAX 80

/* Whether a check is unknown that an ordinary container does not hide. */
static bool has_unknown(const struct host_result *result)
{
	return result->counts[MR_VERDICT_UNKNOWN] > result->hidden;
}

static enum nagios nagios_status(const struct host_result *result)
{
	static const enum nagios statuses[MR_VERDICTS] = {
		[MR_VERDICT_NA] = NAGIOS_OK,           [MR_VERDICT_OK] = NAGIOS_OK,
		[MR_VERDICT_UNKNOWN] = NAGIOS_UNKNOWN, [MR_VERDICT_WARN] = NAGIOS_WARNING,
		[MR_VERDICT_BAD] = NAGIOS_CRITICAL,
	};

	const enum mr_verdict worst = result_worst(result);

	return worst == MR_VERDICT_UNKNOWN && !has_unknown(result) ? NAGIOS_OK : statuses[worst];
}

/* Whether a check fails by --fail-on. */
static bool has_failed(const struct host_result *result)
{
	return result->counts[MR_VERDICT_BAD] ||
	       (result->args->fail_on == FAIL_ON_WARN && result->counts[MR_VERDICT_WARN]);
}

static enum npd npd_status(const struct host_result *result)
{
	return has_failed(result) ? NPD_PROBLEM : has_unknown(result) ? NPD_UNKNOWN : NPD_OK;
}

int status_of(const struct host_result *result)
{
	switch (result->args->exit_style) {
	case EXIT_STYLE_NAGIOS:
		return (int)nagios_status(result);
	case EXIT_STYLE_NPD:
		return (int)npd_status(result);
	case EXIT_STYLE_PLAIN:
		break;
	}
	return has_failed(result) ? EXIT_REFUSED : EXIT_DONE;
}

int status_of_failure(enum exit_style style)
{
	static const int statuses[] = {
		[EXIT_STYLE_PLAIN] = EXIT_REFUSED,
		[EXIT_STYLE_NAGIOS] = NAGIOS_UNKNOWN,
		[EXIT_STYLE_NPD] = NPD_UNKNOWN,
	};

	return statuses[style];
}

/* A line that grows, and ends with " ..." where it would become too long. */
struct line {
	char *text;
	size_t used, max;
	bool full;
};

static void add(struct line *line, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *fmt, ...)
{
	char part[STATUS_LINE_MAX];
	size_t length;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(part, sizeof(part), fmt, ap);
	va_end(ap);
	length = strlen(part);
	if (line->full)
		return;
	line->full = line->used + length + strlen(" ...") > line->max;
	strcpy(line->text + line->used, line->full ? " ..." : part);
	line->used += line->full ? strlen(" ...") : length;
}

/* Adds how many checks have each verdict but n/a, such as "1 bad, 2 warn, 28 ok". */
static void add_counts(struct line *line, const struct host_result *result)
{
	const char *separator = "";

	for (int verdict = MR_VERDICT_BAD; verdict > MR_VERDICT_NA; verdict--) {
		if (!result->counts[verdict])
			continue;
		add(line, "%s%zu %s", separator, result->counts[verdict],
		    mr_verdicts[verdict].name);
		separator = ", ";
	}
	if (!*separator)
		add(line, "no check is this host's business");
}

/* Adds the checks with the worst verdict, unless that is "ok". */
static void add_worst(struct line *line, const struct host_result *result, bool figures)
{
	const enum mr_verdict worst = result_worst(result);
	const char *separator = ": ";

	for (size_t i = 0; worst != MR_VERDICT_OK && i < result->count; i++) {
		const struct check_row *row = &result->rows[i];

		if (row->finding.verdict != worst)
			continue;
		add(line, "%s%s", separator, row->id);
		if (figures && row->figure)
			add(line, " (%s)", row->figure);
		separator = ", ";
	}
}

/* What follows a "|" is performance data, which is drawn as curves: 'label'=value;warn;crit;min;max. */
static void add_performance(struct line *line, const struct host_result *result)
{
	line->max = STATUS_LINE_MAX - 1;
	line->full = false;
	add(line, " | bad=%zu;;0;0;%zu warn=%zu;0;;0;%zu unknown=%zu;;;0;%zu ok=%zu;;;0;%zu",
	    result->counts[MR_VERDICT_BAD], result->count, result->counts[MR_VERDICT_WARN],
	    result->count, result->counts[MR_VERDICT_UNKNOWN], result->count,
	    result->counts[MR_VERDICT_OK], result->count);
}

/* An empty line, with as much room as the monitoring system reads. */
static struct line new_line(enum exit_style style, char text[STATUS_LINE_MAX])
{
	text[0] = '\0';
	return (struct line){ text, 0,
			      style == EXIT_STYLE_NAGIOS ? STATUS_LINE_MAX - 160 : NPD_MAX - 1,
			      false };
}

bool status_line(const struct host_result *result, char text[STATUS_LINE_MAX])
{
	const enum exit_style style = result->args->exit_style;
	const bool nagios = style == EXIT_STYLE_NAGIOS;
	struct line line = new_line(style, text);

	if (style == EXIT_STYLE_PLAIN)
		return false;
	if (nagios)
		add(&line, "MRCTL %s: ", nagios_names[nagios_status(result)]);
	add_counts(&line, result);
	add_worst(&line, result, nagios);
	if (nagios)
		add_performance(&line, result);
	return true;
}

bool status_line_of_failure(enum exit_style style, const char *failure, char text[STATUS_LINE_MAX])
{
	struct line line = new_line(style, text);

	if (style == EXIT_STYLE_PLAIN)
		return false;
	if (style == EXIT_STYLE_NAGIOS)
		add(&line, "MRCTL %s: ", nagios_names[NAGIOS_UNKNOWN]);
	add(&line, "%.*s", (int)(line.max - line.used - strlen(" ...")), failure);
	if (style == EXIT_STYLE_NAGIOS)
		result_hide_bars(text);
	return true;
}

int status_fail(enum exit_style style, struct mr_error *err)
{
	char line[STATUS_LINE_MAX];

	if (!status_line_of_failure(style, err->text, line))
		return -1;
	output_foreign(line);
	output_text("\n");
	report_error("stat", err);
	mr_error_clear(err);
	output_flush(err);
	mr_error_clear(err);
	return status_of_failure(style);
}
