/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_CLI_EXPECT_OPTION_H
#define CMD_CLI_EXPECT_OPTION_H

#include "lib/base/error.h"

/** expect_option_read() - read the value of --expect, as read() of struct option_type */
int expect_option_read(const char *text, void *member, struct mr_error *err);

#endif
