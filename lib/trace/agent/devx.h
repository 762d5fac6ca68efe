/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Whether a context is one for DEVX, which only a call in that context shows. */
#ifndef LIB_TRACE_AGENT_DEVX_H
#define LIB_TRACE_AGENT_DEVX_H

#include "lib/trace/wire/wire.h"

/**
 * devx_note() - note what another call of DEVX is answered in the same context
 * @record: of a refused call; left alone where that is no umem's, or its errno can have no such cause
 *
 * The call asks the firmware for its capabilities, and changes nothing.
 */
void devx_note(struct mr_trace_record *record);

#endif
