// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/diagnose/proof/proof.h"
#include "lib/verbs/verbs.h"

static void print_version(void)
{
	struct mr_environment environment;

	mr_environment_init(&environment);
	output_text("mrctl %s (rdma-core %s)\n", MRCTL_VERSION,
		    environment.rdma_core[0] ? environment.rdma_core : "of unknown version");
}

/* Carries out --help, --version, --dump-cli or --dump-schema.  Return: whether one of them was given. */
static bool answer_about_itself(const struct command *command, const struct global_args *global,
				struct mr_error *err)
{
	if (global->help)
		help_print(all_commands, command);
	else if (global->version)
		print_version();
	else if (global->dump_cli)
		help_dump(all_commands, err);
	else if (global->dump_schema)
		schema_dump(all_commands, answer_members, err);
	else
		return false;
	if (!mr_error_is_set(err))
		output_flush(err);
	return true;
}

static int run_command(const struct command *command, struct global_args *global, char **words,
		       char *const *given, struct mr_error *err)
{
	struct parser parser = { .command = NULL };
	struct mr_proof proof = { .is_tried = false };
	struct invocation invocation = { .command = command,
					 .commands = all_commands,
					 .global = global,
					 .proof = &proof,
					 .argv = (const char *const *)given };
	command_run_function *run;
	int rc = parser_init(&parser, command, global, err);

	if (!rc)
		rc = parser_read(&parser, all_commands, words, &invocation.operands, err);
	invocation.args = parser.args;
	if (!rc && !answer_about_itself(command, global, err)) {
		rc = parser_check(&parser, invocation.operands, err);
		if (!rc)
			rc = command_check(&invocation, err);
		run = command_chosen(&invocation)->run;
		if (!rc)
			rc = command->run_by ? command->run_by(&invocation, run, err)
					     : run(&invocation, err);
		mr_proof_end(&proof);
	}
	parser_release(&parser);
	return rc;
}

/* Runs the command that follows the global options, or help or version.  Sets @command if its name is a command. */
static int run_words(struct global_args *global, char **words, char *const *given,
		     const struct command **command, struct mr_error *err)
{
	const char *const *word = help_words;
	int rc = 0;

	*command = *command_find(all_commands, *words);
	if (*command)
		return run_command(*command, global, words, given, err);
	while (*word && strcmp(*words, *word) != 0)
		word++;
	if (!*word) {
		mr_fail_usage(err, "unknown command '%s'", *words);
		suggest_command(all_commands, *words, err);
		return -EINVAL;
	}
	/* Neither is a command: they take no options but --help, and a batch cannot hold them. */
	if (!strcmp(*words, "help") ||
	    (words[1] && (!strcmp(words[1], "--help") || !strcmp(words[1], "-h"))))
		rc = help_answer(all_commands, words + 1, err);
	else if (words[1])
		rc = mr_fail_usage(err, "unexpected argument '%s'", words[1]);
	else
		print_version();
	return rc ? rc : output_flush(err);
}

/*
 * The kernel gives a closed standard descriptor to the next file that is opened.  Output would then go
 * into that file, or into the device.  So /dev/null takes the number; it is opened for reading, which makes
 * writing fail.
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

/*
 * The user chooses what mrctl loads and opens, by options and environment: libraries (SYSFS_PATH,
 * providers, libcuda), files (file:PATH), devices (device:PATH) and descriptors.  An mrctl with more
 * rights than its user has (AT_SECURE of getauxval(3)) would lend them, so it refuses to run.
 */
static int refuse_more_rights(struct mr_error *err)
{
	if (!getauxval(AT_SECURE))
		return 0;
	mr_fail_text(err, MR_ERROR_HOST, EPERM,
		     "refusing to run with more rights than the user has (setuid, setgid or file "
		     "capabilities)");
	mr_hint(err, "the options and the environment choose the files that mrctl loads and "
		     "opens; run mrctl with sudo, or raise the user's limit (ulimit -l), "
		     "permissions on the "
		     "device, or ambient capabilities");
	return -EPERM;
}

static void handle_nothing(int number)
{
	(void)number;
}

/*
 * Where a write, or enlarging the session table, exceeds RLIMIT_FSIZE, SIGXFSZ would end this process in
 * the middle of its work.  With a handler the call fails with EFBIG instead.  It would with SIG_IGN, too, but
 * the programs that mrctl execs would inherit that.
 */
static void survive_file_size_limit(void)
{
	struct sigaction action = { .sa_flags = SA_RESTART };

	if (sigaction(SIGXFSZ, NULL, &action) || action.sa_handler == SIG_IGN)
		return;
	action.sa_handler = handle_nothing;
	sigaction(SIGXFSZ, &action, NULL);
}

/* Return: the exit status. */
static int print_failure(const struct global_args *global, const struct command *command,
			 char *const *argv, struct mr_error *err)
{
	const struct command *meant = command;
	int status = -1;

	/* After a wrong global option the words were not read: take the first one that is a command. */
	for (char *const *word = argv; !meant && *word && *++word;)
		meant = *command_find(all_commands, *word);
	if (meant && meant->fail)
		status = meant->fail(argv, err);
	if (status >= 0)
		return status;
	why_print(global, command ? command->name : NULL, err);
	return report_status(err);
}

int main(int argc __attribute__((unused)), char **argv)
{
	struct global_args global = { 0 };
	struct parser parser = { .command = NULL };
	const struct command *command = NULL;
	struct mr_error err = { 0 };
	char **rest = argv;
	sigset_t mask;
	int rc;

	sigprocmask(SIG_SETMASK, NULL, &mask);
	occupy_standard_descriptors();
	survive_file_size_limit();
	output_init();
	rc = refuse_more_rights(&err);
	if (!rc)
		rc = parser_init(&parser, NULL, &global, &err);
	if (!rc)
		rc = parser_read(&parser, all_commands, argv, &rest, &err);
	if (!rc && *rest)
		rc = run_words(&global, rest, argv, &command, &err);
	else if (!rc && !answer_about_itself(NULL, &global, &err))
		rc = mr_fail_usage(&err, "no command given");
	parser_release(&parser); /* it owns lists of columns, which the command has used */
	if (mr_error_is_set(&err))
		rc = print_failure(&global, command, argv, &err);
	mr_signals_deliver(&mask);
	return rc;
}
