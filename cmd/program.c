// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "program.h"
#include "report.h"

int program_exec(const struct invocation *invocation, struct mr_error *err)
{
	const char *shell = getenv("SHELL");
	char *const fallback[] = { (char *)(shell && *shell ? shell : "/bin/sh"), NULL };
	char *const *program = invocation->operands[0] ? invocation->operands : fallback;
	int errnum;

	execvp(program[0], program);
	errnum = errno;
	mr_fail(err, MR_ERROR_HOST, errnum, "execvp", "cannot run '%s'", program[0]);
	report_error(invocation->command, err);
	err->text[0] = '\0'; /* told */
	return errnum == ENOENT ? EXIT_NO_PROGRAM : EXIT_CANNOT_EXEC;
}
