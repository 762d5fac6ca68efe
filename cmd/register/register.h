/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the registering commands do: register, report, and deregister, hold or leave the regions. */
#ifndef CMD_REGISTER_REGISTER_H
#define CMD_REGISTER_REGISTER_H

#include "cmd/cli/command.h"
#include "cmd/register/plan.h"

/**
 * register_check() - of command.h, for a command whose args begin with a struct register_args
 * @call: of the command
 *
 * Return: 0, or -errno with MR_ERROR_USAGE where the options make no sense together.
 */
int register_check(const struct invocation *invocation, const struct register_call *call,
		   struct mr_error *err);

/**
 * register_run() - register what the options describe, report, and deregister
 * @invocation: of a command whose args begin with a struct register_args
 * @call:       of the command
 *
 * Outside of a session the regions are deregistered, after --hold; in one they stay.
 *
 * Return: exit status; a negative errno with @err set where nothing was tried.
 */
int register_run(const struct invocation *invocation, const struct register_call *call,
		 struct mr_error *err);

#endif
