// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cli/options.h"
#include "cmd/cli/parser.h"
#include "cmd/cli/suggest.h"

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

int parser_read(struct parser *parser, const struct command *const *commands, int argc, char **argv,
		char ***operands, struct mr_error *err)
{
	int rc;

	memset(parser->args, 0, parser->command->args_size);
	rc = options_read(parser->options, argc, argv, operands, err);
	if (rc && options_unknown(parser->options))
		suggest_option(commands, parser->command, options_unknown(parser->options), err);
	return rc;
}

int parser_check(const struct parser *parser, char *const *operands, struct mr_error *err)
{
	int rc = options_check(parser->options, parser->command->rules, err);

	if (rc || parser->command->operands || !operands[0])
		return rc;
	mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unexpected argument '%s'", operands[0]);
	suggest_operand(parser->command, operands[0], err);
	return -EINVAL;
}

void parser_release(struct parser *parser)
{
	options_free(parser->options);
	free(parser->args);
	*parser = (struct parser){ .command = NULL };
}
