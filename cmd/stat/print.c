// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options of mrctl stat that say how it prints, and how often. */
#include <errno.h>
#include <string.h>

#include "cmd/output/output.h"
#include "cmd/stat/args.h"
#include "cmd/stat/watch.h"
#include "lib/base/base.h"

/* What --format excludes: the formats have headings, and the values that the user did not choose. */
static const char *excluded_by_format(const struct output_style *style)
{
	return style->json          ? "json"
	       : style->no_headings ? "no-headings"
	       : style->quiet       ? "quiet"
				    : NULL;
}

static int check_format(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const char *excluded = excluded_by_format(&invocation->global->style);
	const struct command_view *view = command_view(invocation);

	if (excluded)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--format excludes --%s",
				    excluded);
	if (args->format.format != OUTPUT_OPENMETRICS)
		return 0;
	if (invocation->global->style.columns)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--format openmetrics excludes --output");
	if (!command_metrics(invocation))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--format openmetrics: there are no metrics of %s%s",
				    view ? "--" : "", view ? view->option : "a session's regions");
	return 0;
}

static int check_watch(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const char *excluded = args->record                                ? "record"
			       : args->format.format == OUTPUT_OPENMETRICS ? "format openmetrics"
			       : invocation->global->style.quiet           ? "quiet"
									   : NULL;

	if (excluded)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--watch excludes --%s", excluded);
	if (!args->watch.value)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--watch: give seconds, more than 0, such as 2 or 0.5");
	return 0;
}

int stat_check_print(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;

	int rc;

	if (invocation->enclosing && (args->format.given || args->watch.known))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "no line of a batch can be stat --%s",
				    args->format.given ? "format" : "watch");
	rc = args->format.given ? check_format(invocation, err) : 0;
	return !rc && args->watch.known ? check_watch(invocation, err) : rc;
}

/* Long lists that the kernel gives at once: a signal ends mrctl when their document is whole. */
static bool is_list(const struct command_view *view)
{
	return !view || !strcmp(view->option, "system");
}

int stat_print(const struct invocation *invocation, command_run_function *run, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const bool is_fenced = args->format.format == OUTPUT_MARKDOWN;
	struct global_args global = *invocation->global;
	struct invocation asked = *invocation;
	int rc;

	if (!is_fenced)
		global.style.format = args->format.format;
	global.style.one_line = args->watch.known;
	asked.global = &global;
	if (global.style.json && is_list(command_view(invocation)))
		mr_signals_block();
	output_put(is_fenced ? "```\n" : "");
	rc = args->watch.known ? stat_watch(&asked, run, args->watch.value, err) : run(&asked, err);
	output_put(is_fenced ? "```\n" : "");
	return is_fenced && !mr_error_is_set(err) && output_flush(err) ? -err->errnum : rc;
}
