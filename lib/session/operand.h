/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* REGION operands of commands: what they name. */
#ifndef LIB_SESSION_OPERAND_H
#define LIB_SESSION_OPERAND_H

#include "lib/session/types.h"

/** What a REGION names. */
enum mr_operand_type {
	MR_OPERAND_ENTRY,  /**< a region that has an entry in the table */
	MR_OPERAND_OBJECT, /**< an object by its handle, which no entry names: it may not exist */
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
 * mr_operand_check() - check that @text has the form of a REGION
 * Return: 0, or -errno with MR_ERROR_USAGE.
 */
int mr_operand_check(const char *text, struct mr_error *err);

/**
 * mr_operand_find() - find what @text names
 * @text: an id, a name, lkey:0x…, rkey:0x…, mr:HANDLE, umem:HANDLE, dm:HANDLE or pd:NAME
 *
 * It takes the table's lock for a moment.  The table is not scanned: it has an index for each of these.
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a malformed text, MR_ERROR_ABSENT where no entry has that id, name
 * or key.
 */
int mr_operand_find(struct mr_session *session, const char *text, struct mr_operand *operand,
		    struct mr_error *err);

#endif
