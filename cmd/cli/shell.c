// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cli/shell.h"
#include "lib/base/base.h"

#define MARK "(simulated) "

/* bash sets PS1 itself when it starts, so the environment cannot.  It runs PROMPT_COMMAND before each prompt. */
#define MARK_PROMPT "PS1=\"" MARK "${PS1#\"" MARK "\"}\""

static bool is_this_program(const char *path)
{
	struct stat self, other;

	return !stat("/proc/self/exe", &self) && !stat(path, &other) &&
	       self.st_dev == other.st_dev && self.st_ino == other.st_ino;
}

/* Whether the first mrctl in @path that can be executed, which a shell would run, is this program. */
static bool is_found_by(const char *path)
{
	char file[PATH_MAX];

	for (const char *end; *path; path = *end ? end + 1 : end) {
		end = strchrnul(path, ':');
		snprintf(file, sizeof(file), "%.*s/mrctl", (int)(end - path),
			 end > path ? path : ".");
		if (!access(file, X_OK))
			return is_this_program(file);
	}
	return false;
}

void shell_find_mrctl(void)
{
	const char *path = getenv("PATH");
	mr_auto_free char *longer = NULL;
	char self[PATH_MAX] = "", *name;

	if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0 || (path && is_found_by(path)))
		return;
	name = strrchr(self, '/');
	if (!name || strcmp(name, "/mrctl") != 0 || !is_this_program(self) || strchr(self, ':'))
		return;
	*name = '\0';
	if (asprintf(&longer, "%s%s%s", self, path ? ":" : "", path ? path : "") < 0)
		longer = NULL;
	else
		setenv("PATH", longer, 1);
}

/* Adds the mark to what bash runs before each prompt, unless an outer mrctl has done so. */
static void set_prompt_command(void)
{
	const char *now = getenv("PROMPT_COMMAND");
	mr_auto_free char *both = NULL;

	if (!now || !*now)
		setenv("PROMPT_COMMAND", MARK_PROMPT, 1);
	else if (strstr(now, MARK_PROMPT))
		return;
	else if (asprintf(&both, "%s\n" MARK_PROMPT, now) < 0)
		both = NULL;
	else
		setenv("PROMPT_COMMAND", both, 1);
}

void shell_mark_simulated(const char *shell)
{
	const char *name = strrchr(shell, '/');

	name = name ? name + 1 : shell;
	if (!strcmp(name, "bash"))
		set_prompt_command();
	else
		setenv("PS1", geteuid() ? MARK "$ " : MARK "# ", 1);
}
