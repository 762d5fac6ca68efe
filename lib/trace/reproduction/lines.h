/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The lines of a batch that are refused as a program was. */
#ifndef LIB_TRACE_REPRODUCTION_LINES_H
#define LIB_TRACE_REPRODUCTION_LINES_H

#include <stdio.h>

#include "lib/trace/reproduction/reproduced.h"

/** mr_reproduction_print_lines() - what a refused call needs, the call itself, and its end */
void mr_reproduction_print_lines(FILE *file, const struct mr_reproduced *it);

#endif
