/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The process that holds a detached session. */
#ifndef LIB_SESSION_HOLDER_H
#define LIB_SESSION_HOLDER_H

#include "lib/host/process.h"

/**
 * mr_holder_is_detached() - whether it is one that `mrctl session --detach` started
 *
 * It was started with the words for holding, and leads a session of processes of its own, as no
 * shell's job does.
 */
bool mr_holder_is_detached(const struct mr_process *process);

#endif
