// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The options that the registering commands share. */
#include "cmd/cli/option_types.h"
#include "cmd/register/args.h"

static const struct option_spec region_options[] = {
	OPTION(0, "pd", name, struct register_args, pd, "NAME",
	       "protection domain, made on first use"),
	OPTION('a', "access", access, struct register_args, access, "FLAG,...",
	       "access flags (default: local-write)"),
	OPTION(0, "name", name, struct register_args, name, "NAME",
	       "name of the region; NAME.1, ... with --count"),
	OPTION(0, "via", via, struct register_args, via, "library|kernel",
	       "by libibverbs, or by the kernel's own ioctl"),
	OPTION_END,
};

static const struct option_spec call_options[] = {
	OPTION(0, "call", string, struct register_args, call, "NAME",
	       "ibv_reg_mr_ex in place of the usual call"),
	OPTION_END,
};

static const struct option_spec lifetime_options[] = {
	OPTION(0, "hold", flag, struct register_args, hold, NULL,
	       "keep them until Ctrl-C, SIGTERM or SIGHUP"),
	OPTION(0, "hold-for", seconds, struct register_args, hold_for, "SECONDS",
	       "keep them for at most so many seconds"),
	OPTION(0, "expect", expect, struct register_args, expect, "ANSWER,...",
	       "exit with 0 only for these: ok, errno names"),
	OPTION(0, "keep-going", flag, struct register_args, keep_going, NULL,
	       "with --count: go on after a refusal"),
	OPTION_END,
};

static const struct option_spec advise_options[] = {
	OPTION(0, "advise", advice, struct register_args, advise.advice, "ADVICE",
	       "then prefetch pages of it (ibv_advise_mr)"),
	OPTION(0, "advise-offset", size, struct register_args, advise.offset, "SIZE",
	       "start of the advised range in the region"),
	OPTION(0, "advise-size", size, struct register_args, advise.size, "SIZE",
	       "bytes of that range (default: to the end)"),
	OPTION_END,
};

const struct option_group memory_group = { "Memory", memory_options, 0 };
const struct option_group call_group = { "Region", call_options, 0 };
const struct option_group region_group = { "Region", region_options, 0 };
/* All options but the first, --pd: umems have no protection domain. */
const struct option_group umem_group = { "Region", region_options + 1, 0 };
const struct option_group lifetime_group = { "Life and answer", lifetime_options, 0 };
const struct option_group advise_group = { "On-demand paging", advise_options, 0 };

const struct option_rule register_rules[] = {
	REGISTER_RULES,
	OPTION_RULES_END,
};
