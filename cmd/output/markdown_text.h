/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Text as Markdown (GitHub Flavored Markdown), on standard output.  It may hold any bytes. */
#ifndef CMD_OUTPUT_MARKDOWN_TEXT_H
#define CMD_OUTPUT_MARKDOWN_TEXT_H

/** markdown_escaped() - a text on one line, in which nothing is obeyed; "-" for none; free() it; NULL: no memory */
char *markdown_escaped(const char *text);

/** markdown_heading() - a heading; @level: from 1 */
void markdown_heading(unsigned int level, const char *text);

/** markdown_line() - a line; @before: Markdown that stands before it, "- " say */
void markdown_line(const char *before, const char *text);

/** markdown_fence() - text as it is, in lines of its own; @language: such as "json", or "" */
void markdown_fence(const char *language, const char *text);

/** markdown_fold(), markdown_unfold() - what is printed between them is folded below @summary */
void markdown_fold(const char *summary);
void markdown_unfold(void);

#endif
