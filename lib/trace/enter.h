/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The environment in which a program is traced. */
#ifndef LIB_TRACE_ENTER_H
#define LIB_TRACE_ENTER_H

#include "lib/base/base.h"

/**
 * mr_trace_enter() - let the program that this process becomes load the agent (lib/trace/agent)
 * @socket: name of the abstract socket that the agent is to join, without the NUL before it
 * @token:  MR_TRACE_TOKEN digits
 *
 * The libraries are looked for in the folder of the running mrctl (trace/, in a build tree), in
 * ../lib/mrctl/trace from there, and in mrctl/trace below the LIBDIR of the build.  What LD_PRELOAD and LD_AUDIT
 * have already stays, behind them.  AddressSanitizer's own library wants to be the first one: its check is
 * switched off by ASAN_OPTIONS.  GLIBC_TUNABLES gets room for thread-local storage, where the user has not set it.
 *
 * Return: 0, or -errno with MR_ERROR_HOST.
 */
int mr_trace_enter(const char *socket, const char *token, struct mr_error *err);

#endif
