/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_BASE_TRISTATE_H
#define LIB_BASE_TRISTATE_H

/** The answer to a yes-or-no question that may have none. */
enum mr_tristate {
	MR_UNKNOWN,
	MR_NO,
	MR_YES,
};

#endif
