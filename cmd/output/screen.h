/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The whole terminal as one page, which is drawn again and again in place.  What is printed is caught and
 * cut to the size of the terminal; each page is one write(2), so that it does not flicker.
 */
#ifndef CMD_OUTPUT_SCREEN_H
#define CMD_OUTPUT_SCREEN_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "lib/base/base.h"

struct screen {
	FILE *out, *err; /**< the streams while others stand for them; or NULL */
	char *text[2];   /**< what was printed on these */
	size_t size[2];
	sigset_t signals; /**< that screen_handle() is for */
};

/** screen_is_dumb() - whether the terminal knows no escapes (TERM) */
bool screen_is_dumb(void);

/** screen_is_possible() - whether standard output is a terminal that can be drawn on */
bool screen_is_possible(void);

/**
 * screen_enter() - turn to an empty page and hide the cursor
 *
 * The signals that screen_handle() is for are blocked: a resized terminal, and those by which a user stops
 * or quits a program.
 */
void screen_enter(struct screen *screen);

/** screen_leave() - show the cursor and what was there before */
void screen_leave(struct screen *screen);

/**
 * screen_catch() - catch what is printed on standard output from here on, and on standard error if it is a
 * terminal
 *
 * Return: 0 or -ENOMEM.
 */
int screen_catch(struct screen *screen, struct mr_error *err);

/**
 * screen_show() - draw the page: a heading, what was caught on standard error, and on standard output
 * @heading: or NULL
 */
void screen_show(struct screen *screen, const char *heading);

/** screen_handle() - let a signal do what it does, with the terminal as it was before; then draw again */
void screen_handle(int signal);

#endif
