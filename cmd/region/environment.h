/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The environment of an answer, as it is printed. */
#ifndef CMD_REGION_ENVIRONMENT_H
#define CMD_REGION_ENVIRONMENT_H

#include "cmd/output/output.h"

/** A struct mr_environment. */
extern const struct record environment_record;

#endif
