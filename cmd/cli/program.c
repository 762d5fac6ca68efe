// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cli/program.h"
#include "cmd/cli/shell.h"
#include "cmd/cli/suggest.h"
#include "cmd/output/output.h"
#include "lib/simulator/enter.h"
#include "lib/trace/wire/wire.h"

/* Whether no folder of $PATH has it.  Of one that may not be searched, execvp(3) answers EACCES. */
static bool is_nowhere(const char *name)
{
	char path[PATH_MAX];

	return !strchr(name, '/') &&
	       mr_trace_find_program(name, getenv("PATH"), path, sizeof(path)) == -ENOENT;
}

int program_exec(const struct invocation *invocation, struct mr_error *err)
{
	const char *shell = getenv("SHELL");
	char *const fallback[] = { (char *)(shell && *shell ? shell : "/bin/sh"), NULL };
	char *const *program = invocation->operands[0] ? invocation->operands : fallback;
	int errnum;

	shell_find_mrctl();
	if (program == fallback && mr_simulator_is_entered() && isatty(STDIN_FILENO))
		shell_mark_simulated(program[0]);
	execvp(program[0], program);
	errnum = errno;
	if (errnum == EACCES && is_nowhere(program[0]))
		errnum = ENOENT;
	mr_fail(err, MR_ERROR_HOST, errnum, "execvp", "cannot run '%s'", program[0]);
	if (errnum == ENOENT)
		suggest_program(invocation->commands, invocation->command, program, err);
	report_error(invocation->command->name, err);
	mr_error_clear(err); /* else main() would print it again */
	return errnum == ENOENT ? EXIT_NO_PROGRAM : EXIT_CANNOT_EXEC;
}
