/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mrctl umem --import */
#ifndef CMD_UMEM_IMPORT_H
#define CMD_UMEM_IMPORT_H

#include "cmd/cli/command.h"

/**
 * umem_import() - import an exported umem in the session, and print it
 *
 * The library accepts any blob, so the kernel is asked whether the session still has the umem.
 *
 * Return: exit status; a negative errno with @err set if nothing was tried.
 */
int umem_import(const struct invocation *invocation, struct mr_error *err);

#endif
