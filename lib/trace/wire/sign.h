/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * How the agent says that it could not join, without a descriptor or a socket, which may be what it lacks: a page of
 * its file can then be written and not be read, which no other page of a program is.  mrctl sees it in /proc/PID/maps.
 */
#ifndef LIB_TRACE_WIRE_SIGN_H
#define LIB_TRACE_WIRE_SIGN_H

enum {
	MR_TRACE_SIGN_BYTES = 1 << 16, /**< a page, of machines with the largest ones */
};

#endif
