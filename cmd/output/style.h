/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef CMD_OUTPUT_STYLE_H
#define CMD_OUTPUT_STYLE_H

#include <stdbool.h>

#include "lib/base/base.h"

/** How records are written, unless as JSON. */
enum output_format {
	OUTPUT_TEXT,        /**< lines and tables for people */
	OUTPUT_MARKDOWN,    /**< text in a fenced block; mrctl stat alone knows it */
	OUTPUT_OPENMETRICS, /**< metrics for monitoring: see cmd/output/openmetrics.h */
	OUTPUT_FORMATS,     /**< how many there are */
};

/** The names of the formats, for options. */
extern const struct mr_word output_formats[OUTPUT_FORMATS + 1];

/** How a command is to print, as its user chose; nothing set: for people, the usual columns. */
struct output_style {
	const char *columns; /**< "rkey,length": these; "+pd": the usual ones and these; or NULL */
	bool json;           /**< one document, for programs */
	bool no_headings;    /**< values only, for scripts */
	bool quiet;          /**< nothing but errors */
	bool verbose;        /**< everything that is known */
	bool one_line;       /**< JSON: each document is one line (JSON Lines) */
	enum output_format format; /**< has no meaning for JSON */
};

#endif
