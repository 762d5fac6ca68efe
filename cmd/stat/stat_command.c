// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/stat/stat.h"

/*
 * Fail of struct command, in the style of --exit.  The options may be wrong, so they are not read: only --exit is
 * searched.  An unknown style means plain.
 */
static int stat_fail(char *const *argv, struct mr_error *err)
{
	static const char name[] = "--exit";
	enum exit_style style = EXIT_STYLE_PLAIN;
	struct mr_error ignored;

	for (; *argv && strcmp(*argv, "--") != 0; argv++) {
		const size_t length = strcspn(*argv, "=");
		const char *value = (*argv)[length] ? *argv + length + 1 : argv[1];

		if (length == strlen(name) && !strncmp(*argv, name, length) && value &&
		    !option_read(&option_type_exit_style, value, &style, &ignored))
			break;
	}
	return status_fail(style, err);
}

/* The cursor to the first place, and an empty page (ECMA-48, CUP and ED). */
#define CLEAR "\033[H\033[2J"

/*
 * Prints the separator from the previous answer, and an answer.  @redraw: clear the terminal before, and say
 * "15:04:05  mrctl stat --watch 2".  Return: the exit status; -errno with @err set where no other can follow.
 */
static int print(const struct invocation *invocation, command_run_function *run, bool is_first,
		 bool redraw, struct mr_error *err)
{
	const struct global_args *global = invocation->global;
	const time_t now = time(NULL);
	char hours[16] = "", words[FIELD_TEXT_MAX];
	struct tm tm;
	int rc;

	if (redraw)
		output_put(CLEAR);
	else if (!is_first && !global->style.json)
		output_put("\n");
	if (redraw && !global->style.no_headings) {
		strftime(hours, sizeof(hours), "%H:%M:%S", localtime_r(&now, &tm));
		output_text("%s  %s\n\n", hours, words_text(invocation->argv, words));
	}
	/* Standard error is unbuffered: messages there must not be cleared. */
	if (redraw && output_flush(err))
		return -err->errnum;
	rc = run(invocation, err);
	if (!mr_error_is_set(err))
		return rc;
	if (err->kind == MR_ERROR_USAGE || output_has_failed())
		return -EINVAL;
	/* A later answer may be without this error: the device may come back. */
	if (global->style.json)
		return answer_error(invocation, NULL, err);
	why_print(global, invocation->command->name, err);
	rc = report_status(err);
	mr_error_clear(err); /* it is reported */
	return rc;
}

/*
 * Calls @run repeatedly, until a signal is received or the reader has ended.  A terminal is cleared before each answer.
 * Else an empty line is between them, or they are JSON Lines.  A failed answer does not end the loop.  Return: exit
 * status of the last answer; -errno for an error that each answer would have.
 */
static int stat_watch(const struct invocation *invocation, command_run_function *run,
		      uint64_t interval, struct mr_error *err)
{
	const bool redraw = !invocation->global->style.json && output_is_screen(STDOUT_FILENO);
	const uint64_t start = mr_now_ns();
	uint64_t next = 0;
	int status;

	mr_signals_block();
	do {
		status = print(invocation, run, !next, redraw, err);
		/* The first time after now that is a multiple of the interval after the start: answers do not drift. */
		if (__builtin_mul_overflow((mr_now_ns() - start) / interval + 1, interval, &next))
			next = UINT64_MAX;
	} while (status >= 0 && !mr_signals_wait_until(mr_sum(start, next), NULL, STDOUT_FILENO));
	return status;
}

static int check_format(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const struct output_style *style = &invocation->global->style;
	/* The formats have headings, and the values that the user did not choose. */
	const char *excluded = style->json          ? "json"
			       : style->no_headings ? "no-headings"
			       : style->quiet       ? "quiet"
						    : NULL;
	const struct command *view = command_chosen(invocation);
	const bool is_view = view != invocation->command;

	if (excluded)
		return mr_fail_usage(err, "--format excludes --%s", excluded);
	if (args->format.format != OUTPUT_OPENMETRICS)
		return 0;
	if (style->columns)
		return mr_fail_usage(err, "--format openmetrics excludes --output");
	if (!view->metrics)
		return mr_fail_usage(err, "--format openmetrics is not available for %s%s",
				     is_view ? "--" : "",
				     is_view ? view->name : "a session's regions");
	return 0;
}

static int check_watch(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	const char *excluded = args->format.format == OUTPUT_OPENMETRICS ? "format openmetrics"
			       : invocation->global->style.quiet         ? "quiet"
									 : NULL;

	if (excluded)
		return mr_fail_usage(err, "--watch excludes --%s", excluded);
	if (!args->watch.value)
		return mr_fail_usage(err, "--watch: give more than 0 seconds, such as 2 or 0.5");
	return 0;
}

/* Calls @run according to the options of printing: run_by of struct command. */
static int stat_print(const struct invocation *invocation, command_run_function *run,
		      struct mr_error *err)
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
	/* Long lists that the kernel gives at once: a signal ends mrctl when their document is whole. */
	if (global.style.json &&
	    (command_chosen(invocation) == invocation->command || args->system))
		mr_signals_block();
	output_put(is_fenced ? "```\n" : "");
	rc = args->watch.known ? stat_watch(&asked, run, args->watch.value, err) : run(&asked, err);
	output_put(is_fenced ? "```\n" : "");
	return is_fenced && !mr_error_is_set(err) && output_flush(err) ? -err->errnum : rc;
}

/* An option that fills a member of struct stat_args. */
#define ARG(letter, name, type, member, ...)                                                       \
	OPTION(letter, name, type, struct stat_args, member, __VA_ARGS__)

static const struct option_spec views[] = {
	ARG(0, "device", flag, device, NULL, "show capabilities of all or the named devices"),
	ARG(0, "probe", flag, probe, NULL, "register memory in many ways, and show what works"),
	ARG(0, "host", flag, host, NULL, "check whether registration can work on this host"),
	ARG(0, "system", flag, system, NULL, "show all regions in the kernel and their owners"),
	OPTION_END,
};

static const struct option_spec probe_options[] = {
	ARG(0, "max-size", flag, max_size, NULL, "find the largest size that can be registered"),
	ARG(0, "cap", size, cap, "SIZE", "try up to SIZE (default: half of available memory)"),
	OPTION_END,
};

static const struct option_spec host_options[] = {
	ARG(0, "for-size", size, for_size, "SIZE",
	    "check for a registration of SIZE on each device"),
	ARG('m', "memory", planned_memory, memory, "KIND",
	    "check for this kind of memory: hugetlb:2M, cuda:0, ... (default: anon)"),
	ARG(0, "only", string, only, "ID,...", "make only these checks"),
	ARG(0, "ignore", string, ignore, "ID,...", "omit these checks"),
	ARG(0, "fail-on", fail_on, fail_on, "VERDICT", "exit 1 on VERDICT or worse"),
	ARG(0, "exit", exit_style, exit_style, "STYLE", "set exit status for"),
	ARG(0, "root", string, root, "DIR", "check a host recorded in DIR"),
	ARG(0, "record", string, record, "DIR", "record this host in DIR"),
	OPTION_END,
};

static const struct option_spec system_options[] = {
	ARG(0, "by", string, by, "WHAT",
	    "print a row for each mr (default), process, unit or device"),
	ARG(0, "sort", string, sort, "COLUMN", "print the largest values of COLUMN first"),
	ARG(0, "top", number, top, "N", "print the first N rows"),
	OPTION_END,
};

static const struct option_spec print_options[] = {
	ARG(0, "format", format, format, "FORMAT", "print as"),
	ARG(0, "watch", seconds, watch, "SECONDS",
	    "print again after each SECONDS, until interrupted"),
	OPTION_END,
};

static const struct option_group view_group = { "What to show (default: the session's regions)",
						views };
static const struct option_group probe_group = { "With --probe", probe_options };
static const struct option_group host_group = { "With --host", host_options };
static const struct option_group system_group = { "With --system", system_options };
static const struct option_group print_group = { "How to print", print_options };
static const struct option_group *const groups[] = { &view_group,   &probe_group, &host_group,
						     &system_group, &print_group, NULL };

static const struct option_rule rules[] = {
	{ "max-size", OPTION_NEEDS, "probe" }, { "cap", OPTION_NEEDS, "max-size" },
	{ "for-size", OPTION_NEEDS, "host" },  { "only", OPTION_NEEDS, "host" },
	{ "memory", OPTION_NEEDS, "host" },    { "ignore", OPTION_NEEDS, "host" },
	{ "fail-on", OPTION_NEEDS, "host" },   { "exit", OPTION_NEEDS, "host" },
	{ "root", OPTION_NEEDS, "host" },      { "record", OPTION_NEEDS, "host" },
	{ "record", OPTION_EXCLUDES, "root" }, { "watch", OPTION_EXCLUDES, "record" },
	{ "by", OPTION_NEEDS, "system" },      { "sort", OPTION_NEEDS, "system" },
	{ "top", OPTION_NEEDS, "system" },     OPTION_RULES_END,
};

static int check_stat(const struct invocation *invocation, struct mr_error *err)
{
	const struct stat_args *args = invocation->args;
	int rc = 0;

	if (invocation->enclosing && (args->format.given || args->watch.known))
		return mr_fail_usage(err, "stat --%s is not available in a batch",
				     args->format.given ? "format" : "watch");
	if (args->format.given)
		rc = check_format(invocation, err);
	if (!rc && args->watch.known)
		rc = check_watch(invocation, err);
	return rc || command_chosen(invocation) != invocation->command
		       ? rc
		       : context_check_operands(invocation, "shows only", err);
}

const struct command command_stat = {
	.name = "stat",
	.operands = "[REGION...|DEVICE...]",
	.summary = "show regions, devices, and the readiness of this host",
	.description =
		"Shows the session's regions, each compared with the kernel. A REGION is an id, "
		"a name, lkey:KEY, rkey:KEY, mr:HANDLE, umem:HANDLE or dm:HANDLE. --device, "
		"--probe, --host and --system show devices, trials, checks and all regions in "
		"the kernel.",
	.groups = groups,
	.rules = rules,
	.args_size = sizeof(struct stat_args),
	.record = &region_record,
	.members = stat_region_members,
	.columns = "id,name,state,handle,lkey,rkey,addr,length,iova,access,pd",
	.fills = FIELDS_OF_MRS
	",umem_id,addr,offset,extended_addr,extended_length,page_sizes" FIELDS_OF_DMAH
	",deferred_ns,deferred_answer",
	.views = (const struct command *const[]){ &stat_device, &stat_probe, &stat_host,
						  &stat_system, NULL },
	.examples = (const char *const[]){ "mrctl stat", "mrctl stat --host --for-size 64G", NULL },
	.check = check_stat,
	.run = stat_regions,
	.run_by = stat_print,
	.fail = stat_fail,
};
