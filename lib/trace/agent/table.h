/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Inline functions of verbs.h call what the table of a context names: the agent replaces that. */
#ifndef LIB_TRACE_AGENT_TABLE_H
#define LIB_TRACE_AGENT_TABLE_H

#include <infiniband/verbs.h>

/** table_replace() - put wrappers into the table of a new context, before the program has it */
void table_replace(struct ibv_context *context);

/** table_forget() - a context is about to be closed */
void table_forget(struct ibv_context *context);

#endif
