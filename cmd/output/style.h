/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_OUTPUT_STYLE_H
#define CMD_OUTPUT_STYLE_H

#include <stdbool.h>

/** How a command is to print, as its user chose; nothing set: for people, the usual columns. */
struct output_style {
	const char *columns; /**< "rkey,length": these; "+pd": the usual ones and these; or NULL */
	bool json;           /**< one document, for programs */
	bool no_headings;    /**< values only, for scripts */
	bool quiet;          /**< nothing but errors */
	bool verbose;        /**< everything that is known */
};

#endif
