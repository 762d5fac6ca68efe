// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/parser.h"
#include "cmd/cli/suggest.h"

const struct command *const dispatch_commands[] = {
	&command_session,    &command_reg,  &command_reg_iova,
	&command_reg_dmabuf, &command_umem, &command_rereg,
	&command_dereg,      &command_stat, &command_batch,
	&command_sim,        NULL,
};

const char *const dispatch_words[] = { "help", "version", NULL };

static const struct option_spec global_options[] = {
	OPTION('d', "device", OPTION_STRING, struct global_args, device, "NAME",
	       "RDMA device; needed where there are several"),
	OPTION('j', "json", OPTION_FLAG, struct global_args, json, NULL, "print one JSON document"),
	OPTION('o', "output", OPTION_COLUMNS, struct global_args, columns, "COLUMN,...",
	       "print these columns"),
	OPTION('n', "no-headings", OPTION_FLAG, struct global_args, no_headings, NULL,
	       "print values only, one region a line"),
	OPTION('q', "quiet", OPTION_FLAG, struct global_args, quiet, NULL, "print errors only"),
	OPTION('v', "verbose", OPTION_FLAG, struct global_args, verbose, NULL,
	       "print everything that is known"),
	OPTION(0, "session", OPTION_STRING, struct global_args, session, "WHERE",
	       "session: fd:N or pid:N (default: $MRCTL_SESSION)"),
	OPTION('h', "help", OPTION_FLAG, struct global_args, help, NULL, "print this help"),
	OPTION('V', "version", OPTION_FLAG, struct global_args, version, NULL,
	       "print the versions of mrctl and rdma-core"),
	OPTION(0, "dump-cli", OPTION_FLAG, struct global_args, dump_cli, NULL,
	       "print all commands, options and columns as JSON"),
	OPTION_END,
};
const struct option_group global_group = { "Global options", global_options, 0 };

const struct command *const *dispatch_find(const char *name)
{
	const struct command *const *c = dispatch_commands;

	while (*c && !option_names(name, (*c)->name))
		c++;
	return c;
}

int parser_init(struct parser *parser, const struct command *command, struct global_args *global,
		struct mr_error *err)
{
	struct option_binding bindings[16] = { { 0 } };
	size_t n = 0;

	*parser = (struct parser){ .command = command, .args = calloc(1, command->args_size + 1) };
	if (!parser->args)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (const struct option_group *const *g = command->groups; *g; g++)
		bindings[n++] = (struct option_binding){ *g, parser->args };
	bindings[n] = (struct option_binding){ &global_group, global };
	parser->options = options_new(bindings, command->runs_program, err);
	return parser->options ? 0 : -ENOMEM;
}

int parser_read(struct parser *parser, int argc, char **argv, char ***operands,
		struct mr_error *err)
{
	int rc;

	memset(parser->args, 0, parser->command->args_size);
	rc = options_read(parser->options, argc, argv, operands, err);
	if (rc && options_unknown(parser->options))
		suggest_option(parser->command, options_unknown(parser->options), err);
	return rc;
}

int parser_check(const struct parser *parser, struct mr_error *err)
{
	return options_check(parser->options, parser->command->rules, err);
}

void parser_release(struct parser *parser)
{
	options_free(parser->options);
	free(parser->args);
	*parser = (struct parser){ .command = NULL };
}

static int check_global(const struct command *command, const struct global_args *global,
			struct mr_error *err)
{
	const char *printed = global->json      ? "json"
			      : global->columns ? "output"
			      : global->verbose ? "verbose"
						: NULL;

	if (global->quiet && printed)
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--quiet excludes --%s", printed);
	if (!command->record && (global->json || global->columns))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s: this command has no regions to print",
				    global->json ? "json" : "output");
	return 0;
}

int dispatch_check(const struct invocation *invocation, struct mr_error *err)
{
	const struct command *command = invocation->command;
	int rc;

	if (!command->operands && invocation->operands[0])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unexpected argument '%s'",
				    invocation->operands[0]);
	rc = check_global(command, invocation->global, err);
	return rc || !command->check ? rc : command->check(invocation, err);
}
