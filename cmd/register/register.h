/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What the registering commands do: register, report, and deregister, hold or leave the regions. */
#ifndef CMD_REGISTER_REGISTER_H
#define CMD_REGISTER_REGISTER_H

#include "cmd/cli/command.h"
#include "cmd/register/plan.h"

/**
 * register_check() - check of a command whose args begin with a struct register_args
 * @call: the command's call, with its own options
 *
 * Return: 0, or -errno with MR_ERROR_USAGE if the options make no sense together.
 */
int register_check(const struct invocation *invocation, const struct register_call *call,
		   struct mr_error *err);

/**
 * register_run() - register what the options describe, report, and deregister
 * @invocation: of a command whose args begin with a struct register_args
 * @call:       the command's call, with its own options
 *
 * In a session the regions stay.  Outside of one they are deregistered, with --hold at its end.
 *
 * Return: exit status; a negative errno with @err set if nothing was tried.
 */
int register_run(const struct invocation *invocation, const struct register_call *call,
		 struct mr_error *err);

#endif
