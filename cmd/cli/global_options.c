// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include "cmd/cli/global_options.h"
#include "cmd/cli/option_types.h"

static const struct option_spec global_options[] = {
	OPTION('d', "device", string, struct global_args, device, "NAME",
	       "RDMA device; needed where there are several"),
	OPTION('j', "json", flag, struct global_args, style.json, NULL, "print one JSON document"),
	OPTION('o', "output", columns, struct global_args, style.columns, "COLUMN,...",
	       "print these columns"),
	OPTION('n', "no-headings", flag, struct global_args, style.no_headings, NULL,
	       "print values only, one region a line"),
	OPTION('q', "quiet", flag, struct global_args, style.quiet, NULL, "print errors only"),
	OPTION('v', "verbose", flag, struct global_args, style.verbose, NULL,
	       "print everything that is known"),
	OPTION(0, "session", string, struct global_args, session, "WHERE",
	       "session: fd:N or pid:N (default: $MRCTL_SESSION)"),
	OPTION(0, "why", why, struct global_args, why, "DEPTH", "explain by"),
	OPTION('h', "help", flag, struct global_args, help, NULL, "print this help"),
	OPTION('V', "version", flag, struct global_args, version, NULL,
	       "print the versions of mrctl and rdma-core"),
	OPTION(0, "dump-cli", flag, struct global_args, dump_cli, NULL,
	       "print all commands, options and columns as JSON"),
	OPTION_END,
};
const struct option_group global_group = { "Global options", global_options, 0 };
