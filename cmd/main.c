// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cleanup.h"
#include "device.h"
#include "help.h"
#include "output.h"
#include "report.h"

static const struct command *const commands[] = {
	&command_session, &command_reg,   &command_reg_iova, &command_reg_dmabuf, &command_umem,
	&command_rereg,   &command_dereg, &command_stat,     &command_sim,        NULL,
};

static const struct option_spec global_options[] = {
	OPTION('d', "device", OPTION_STRING, struct global_args, device, "NAME",
	       "RDMA device; needed where there are several"),
	OPTION('j', "json", OPTION_FLAG, struct global_args, json, NULL, "print one JSON document"),
	OPTION('o', "output", OPTION_STRING, struct global_args, columns, "COLUMN,...",
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
static const struct option_group global_group = { "Global options", global_options, 0 };

static const struct command *find_command(const char *name)
{
	for (const struct command *const *c = commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

static void print_version(void)
{
	struct mr_environment environment;

	mr_environment_init(&environment);
	output_text("mrctl %s (rdma-core %s)\n", MRCTL_VERSION,
		    environment.rdma_core[0] ? environment.rdma_core : "of unknown version");
}

/* --help, --version, --dump-cli: true where one of them was asked for. */
static bool answer_about_itself(const struct command *command, const struct global_args *global,
				struct mr_error *err)
{
	if (global->help)
		help_print(commands, command, &global_group);
	else if (global->version)
		print_version();
	else if (global->dump_cli)
		help_dump(commands, &global_group, err);
	else
		return false;
	if (!err->text[0])
		output_flush(err);
	return true;
}

static int check_global(const struct command *command, const struct global_args *global,
			struct mr_error *err)
{
	if (global->quiet && (global->json || global->columns))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "--quiet excludes %s",
				    global->json ? "--json" : "--output");
	if (!command->record && (global->json || global->columns))
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL,
				    "--%s: this command has no regions to print",
				    global->json ? "json" : "output");
	return 0;
}

static int run_command(const struct command *command, struct global_args *global, int argc,
		       char **argv, struct mr_error *err)
{
	mr_auto_free void *args = calloc(1, command->args_size + 1);
	struct option_binding bindings[16] = { { 0 } };
	struct invocation invocation = { .command = command, .global = global, .args = args };
	size_t n = 0;
	int rc;

	if (!args)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (const struct option_group *const *g = command->groups; *g; g++)
		bindings[n++] = (struct option_binding){ *g, args };
	bindings[n] = (struct option_binding){ &global_group, global };
	rc = options_parse(bindings, command->runs_program, argc, argv, &invocation.operands, err);
	if (rc)
		return rc;
	if (answer_about_itself(command, global, err))
		return err->text[0] ? -EIO : 0;
	if (!command->operands && invocation.operands[0])
		return mr_fail_text(err, MR_ERROR_USAGE, EINVAL, "unexpected argument '%s'",
				    invocation.operands[0]);
	rc = check_global(command, global, err);
	return rc ? rc : command->run(&invocation, err);
}

/*
 * A standard descriptor that is closed would be given to the next file that is opened, and output
 * written into it, into the device even.  Opened for reading, output fails as on a closed one.
 */
static void occupy_standard_descriptors(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDONLY);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct global_args global = { 0 };
	const struct option_binding bindings[] = { { &global_group, &global }, { 0 } };
	const struct command *command = NULL;
	struct mr_error err = { 0 };
	char **rest = argv;
	int rc;

	occupy_standard_descriptors();
	rc = options_parse(bindings, true, argc, argv, &rest, &err);
	if (!rc && *rest) {
		command = find_command(*rest);
		if (command)
			rc = run_command(command, &global, argc - (int)(rest - argv), rest, &err);
		else
			rc = mr_fail_text(&err, MR_ERROR_USAGE, EINVAL, "unknown command '%s'",
					  *rest);
	} else if (!rc && !answer_about_itself(NULL, &global, &err)) {
		rc = mr_fail_text(&err, MR_ERROR_USAGE, EINVAL, "no command given");
	}
	if (!err.text[0])
		return rc;
	report_error(command, &err);
	return report_status(&err);
}
