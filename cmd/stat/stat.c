// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "cmd/stat/args.h"

static const struct option_spec views[] = {
	OPTION(0, "device", flag, struct stat_args, device, NULL,
	       "show what devices can do; all, or those named"),
	OPTION(0, "probe", flag, struct stat_args, probe, NULL,
	       "try what a device can do: this registers memory"),
	OPTION(0, "host", flag, struct stat_args, host, NULL,
	       "check what decides here whether registration works"),
	OPTION(0, "system", flag, struct stat_args, system, NULL,
	       "show all regions in the kernel, and whose they are"),
	OPTION_END,
};

static const struct option_spec probe_options[] = {
	OPTION(0, "max-size", flag, struct stat_args, max_size, NULL,
	       "find the largest size that can be registered"),
	OPTION(0, "cap", size, struct stat_args, cap, "SIZE",
	       "try up to SIZE (default: half of available memory)"),
	OPTION_END,
};

static const struct option_spec host_options[] = {
	OPTION(0, "for-size", size, struct stat_args, for_size, "SIZE",
	       "judge for a registration of SIZE on each device"),
	OPTION('m', "memory", planned_memory, struct stat_args, memory, "KIND",
	       "judge for memory of that kind: hugetlb:2M, cuda:0, ... (default: anon)"),
	OPTION(0, "only", string, struct stat_args, only, "ID,...", "do these checks only"),
	OPTION(0, "ignore", string, struct stat_args, ignore, "ID,...", "do not do these checks"),
	OPTION(0, "fail-on", fail_on, struct stat_args, fail_on, "VERDICT",
	       "exit status 1 from it on"),
	OPTION(0, "exit", exit_style, struct stat_args, exit_style, "STYLE", "exit status for"),
	OPTION(0, "root", string, struct stat_args, root, "DIR", "check a host recorded in DIR"),
	OPTION(0, "record", string, struct stat_args, record, "DIR", "record this host in DIR"),
	OPTION_END,
};

static const struct option_spec system_options[] = {
	OPTION(0, "by", string, struct stat_args, by, "WHAT",
	       "a row for each mr (default), process, unit, device"),
	OPTION(0, "sort", string, struct stat_args, sort, "COLUMN", "largest values first"),
	OPTION(0, "top", number, struct stat_args, top, "N", "print the first N rows"),
	OPTION_END,
};

static const struct option_spec print_options[] = {
	OPTION(0, "format", format, struct stat_args, format, "FORMAT", "print as"),
	OPTION(0, "watch", seconds, struct stat_args, watch, "SECONDS",
	       "print again after each SECONDS, until interrupted"),
	OPTION_END,
};

static const struct option_group view_group = { "What to show (default: the session's regions)",
						views, 0 };
static const struct option_group probe_group = { "With --probe", probe_options, 0 };
static const struct option_group host_group = { "With --host", host_options, 0 };
static const struct option_group system_group = { "With --system", system_options, 0 };
static const struct option_group print_group = { "How to print", print_options, 0 };
static const struct option_group *const groups[] = { &view_group,   &probe_group, &host_group,
						     &system_group, &print_group, NULL };

static const struct option_rule rules[] = {
	{ "max-size", OPTION_NEEDS, "probe" },
	{ "cap", OPTION_NEEDS, "max-size" },
	{ "for-size", OPTION_NEEDS, "host" },
	{ "only", OPTION_NEEDS, "host" },
	{ "memory", OPTION_NEEDS, "host" },
	{ "ignore", OPTION_NEEDS, "host" },
	{ "fail-on", OPTION_NEEDS, "host" },
	{ "exit", OPTION_NEEDS, "host" },
	{ "root", OPTION_NEEDS, "host" },
	{ "record", OPTION_NEEDS, "host" },
	{ "record", OPTION_EXCLUDES, "root" },
	{ "by", OPTION_NEEDS, "system" },
	{ "sort", OPTION_NEEDS, "system" },
	{ "top", OPTION_NEEDS, "system" },
	OPTION_RULES_END,
};

static int check_stat(const struct invocation *invocation, struct mr_error *err)
{
	int rc = stat_check_print(invocation, err);

	return rc || command_view(invocation) ? rc : stat_check_regions(invocation, err);
}

static const struct command_view *const stat_views[] = { &stat_device, &stat_probe, &stat_host,
							 &stat_system, NULL };

const struct command command_stat = {
	.name = "stat",
	.operands = "[REGION...|DEVICE...]",
	.summary = "show regions, devices, and what decides on this host",
	.description =
		"Shows the session's regions, each compared with what the kernel says of it. "
		"A REGION is an id, a name, lkey:KEY, rkey:KEY, mr:HANDLE, umem:HANDLE or "
		"dm:HANDLE. With an option it shows something else.",
	.groups = groups,
	.rules = rules,
	.args_size = sizeof(struct stat_args),
	.record = &region_record,
	.columns = STAT_REGION_COLUMNS,
	.fills = STAT_REGION_FILLS,
	.views = stat_views,
	.examples = (const char *const[]){ "mrctl stat", "mrctl stat --host --for-size 64G", NULL },
	.check = check_stat,
	.run = stat_regions,
	.run_by = stat_print,
	.fail = stat_fail,
};
