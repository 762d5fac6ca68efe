/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* All causes that are known. */
#ifndef LIB_DIAGNOSE_CAUSES_CATALOGUE_H
#define LIB_DIAGNOSE_CAUSES_CATALOGUE_H

#include "lib/diagnose/causes/cause.h"

/**
 * The tables of causes, in the order in which a call meets what can refuse it.  A table ends with a row that has
 * no id, and the list with NULL.
 */
extern const struct mr_cause *const mr_causes[];

/** mr_cause_find() - the cause with that id (@length bytes, in any case), or NULL */
const struct mr_cause *mr_cause_find(const char *id, size_t length);

/** mr_cause_next() - the cause after @cause, the first one after NULL; NULL after the last one */
const struct mr_cause *mr_cause_next(const struct mr_cause *cause);

#endif
