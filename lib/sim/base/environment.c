// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The environment variables that configure the simulated HCA; state/fault.c reads MRCTL_SIM_FAULT. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/sim/base/environment.h"

static enum mr_sim_kernel kernel;

void sim_refuse_variable(const char *name, struct mr_error *err)
{
	for (char *c = err->text; *c; c++)
		if (*c < ' ' || *c > '~')
			*c = '?';
	dprintf(STDERR_FILENO, "libmrctl-sim: %s: %s\n", name, err->text);
	_exit(2);
}

/*
 * An unknown name ends the program before main().  If the default kernel stood in for it, the user
 * would take the answers of one kernel for those of another.
 */
static void read_kernel(void) __attribute__((constructor));
static void read_kernel(void)
{
	const char *text = getenv(MR_SIM_KERNEL_VARIABLE);
	struct mr_error err;

	if (text && mr_sim_kernel_parse(text, &kernel, &err))
		sim_refuse_variable(MR_SIM_KERNEL_VARIABLE, &err);
}

enum mr_sim_kernel sim_wanted_kernel(void)
{
	return kernel;
}

enum mr_sim_profile sim_wanted_kind(void)
{
	const char *name = getenv(MR_SIM_VARIABLE);
	int kind = 0;

	while (kind < MR_SIM_PROFILES && !(name && !strcmp(mr_sim_profiles[kind].name, name)))
		kind++;
	return (enum mr_sim_profile)kind;
}

bool sim_has_optional_access(void)
{
	return !getenv(MR_SIM_NO_OPTIONAL_ACCESS_VARIABLE);
}

bool sim_has_tph(void)
{
	return getenv(MR_SIM_TPH_VARIABLE);
}

uint32_t sim_wanted_limit(void)
{
	const char *text = getenv(MR_SIM_MAX_OBJECTS_VARIABLE);
	struct mr_error err;
	unsigned long limit;
	char *end;

	if (!text)
		return UINT32_MAX;
	errno = 0;
	limit = strtoul(text, &end, 10);
	if (*text >= '0' && *text <= '9' && !*end && !errno && limit <= UINT32_MAX)
		return (uint32_t)limit;
	mr_fail_text(&err, MR_ERROR_USAGE, EINVAL, "not a number of objects: \"%s\"", text);
	sim_refuse_variable(MR_SIM_MAX_OBJECTS_VARIABLE, &err);
}

bool sim_has_data_direct(void)
{
	return getenv(MR_SIM_DATA_DIRECT_VARIABLE);
}
