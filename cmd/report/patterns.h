/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Addresses and numbers in text that are somebody's own, by what they look like. */
#ifndef CMD_REPORT_PATTERNS_H
#define CMD_REPORT_PATTERNS_H

#include <stddef.h>

/** What a text looks like. */
struct pattern {
	const char *stand_in; /**< what stands in its place begins so: "guid" */
	/**
	 * Return: how many bytes at @at look so; 0: they do not.  @text: the whole text.
	 */
	size_t (*match)(const char *text, const char *at);
};

/** All of them, the longest first; ends with one that has no stand-in. */
extern const struct pattern patterns[];

/** pattern_is_edge() - whether a word may begin or end beside the character */
int pattern_is_edge(char c);

#endif
