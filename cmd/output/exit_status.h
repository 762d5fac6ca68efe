/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_OUTPUT_EXIT_STATUS_H
#define CMD_OUTPUT_EXIT_STATUS_H

/** Exit statuses, which mrctl(1) documents. */
enum exit_status {
	EXIT_DONE = 0,
	EXIT_REFUSED = 1,
	EXIT_USAGE = 2,
	EXIT_ABSENT = 3,
	EXIT_UNSEEN = 4,
	EXIT_CANNOT_EXEC = 126,
	EXIT_NO_PROGRAM = 127,
};

#endif
