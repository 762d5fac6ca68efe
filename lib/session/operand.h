/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a user means by a REGION. */
#ifndef LIB_SESSION_OPERAND_H
#define LIB_SESSION_OPERAND_H

#include "lib/session/types.h"

enum mr_operand_type {
	MR_OPERAND_ENTRY,  /**< a region that the table knows */
	MR_OPERAND_OBJECT, /**< an object by its handle, which no entry names */
	MR_OPERAND_PD,     /**< a protection domain */
};

struct mr_operand {
	enum mr_operand_type type;
	uint32_t slot;            /**< of ENTRY */
	uint64_t id;              /**< of ENTRY */
	enum mr_region_kind kind; /**< of OBJECT */
	uint32_t handle;          /**< of OBJECT */
	const char *pd;           /**< of PD: its name */
	struct mr_entry entry;    /**< of ENTRY: a copy */
};

/**
 * mr_operand_check() - whether @text is the form of a REGION
 * Return: 0, or -errno with MR_ERROR_USAGE.
 */
int mr_operand_check(const char *text, struct mr_error *err);

/**
 * mr_operand_find() - find what @text names
 * @text: an id, a name, lkey:0x…, rkey:0x…, mr:HANDLE, umem:HANDLE, dm:HANDLE or pd:NAME
 *
 * It takes the lock for a moment.  The table is not scanned: it has an index for each of these.
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a malformed word, MR_ERROR_ABSENT where there is none.
 */
int mr_operand_find(struct mr_session *session, const char *text, struct mr_operand *operand,
		    struct mr_error *err);

#endif
