/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Which of its members a record of a call has. */
#ifndef LIB_TRACE_REQUEST_H
#define LIB_TRACE_REQUEST_H

#include <stdbool.h>

#include "lib/trace/wire/calls.h"
#include "lib/trace/wire/wire.h"

/** mr_traced_has_length() - whether the call is about a number of bytes */
bool mr_traced_has_length(const struct mr_trace_record *call);

/** mr_traced_has_addr() - whether the call is given an address, or an offset in a dma-buf or in memory on the device */
bool mr_traced_has_addr(const struct mr_trace_record *call);

/** mr_traced_has_offset() - whether that is an offset */
bool mr_traced_has_offset(const struct mr_trace_record *call);

/** mr_traced_has_access() - whether the call is given access flags */
bool mr_traced_has_access(const struct mr_trace_record *call);

#endif
