// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl stat --watch: the answer again and again. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "cmd/stat/watch.h"
#include "lib/base/base.h"

struct watch {
	const struct invocation *invocation;
	command_run_function *run;
	struct screen screen;
	bool redraw; /* on a terminal: each answer in the place of the one before */
	int status;  /* of the last answer */
};

/* An error that a later answer would not have, and so goes on: the device may come back. */
static int report_answer_error(const struct watch *watch, struct mr_error *why,
			       struct mr_error *err)
{
	if (why->kind == MR_ERROR_USAGE || output_has_failed()) {
		*err = *why;
		return -EINVAL;
	}
	if (watch->invocation->global->style.json)
		return answer_error(watch->invocation, NULL, why, err);
	why_tell(watch->invocation->global, watch->invocation->command->name, why);
	return report_status(why);
}

/* Prints an answer.  Return: its exit status; -errno with @err set where no other can follow. */
static int answer_once(const struct watch *watch, struct mr_error *err)
{
	struct mr_error why = { 0 };
	int rc = watch->run(watch->invocation, &why);

	return mr_error_is_set(&why) ? report_answer_error(watch, &why, err) : rc;
}

/* "15:04:05  mrctl stat --watch 2" */
static const char *heading(const struct invocation *invocation, char *text, size_t size)
{
	char words[FIELD_TEXT_MAX];
	time_t now = time(NULL);
	struct tm tm;

	if (!localtime_r(&now, &tm) || !strftime(text, size, "%H:%M:%S  ", &tm))
		*text = '\0';
	strncat(text, words_text(invocation->argv, words), size - strlen(text) - 1);
	return text;
}

static int draw(struct watch *watch, struct mr_error *err)
{
	char text[FIELD_TEXT_MAX + 32];
	int rc = screen_catch(&watch->screen, err);

	if (rc)
		return rc;
	rc = answer_once(watch, err);
	screen_show(&watch->screen, watch->invocation->global->style.no_headings
					    ? NULL
					    : heading(watch->invocation, text, sizeof(text)));
	return output_has_failed() && rc >= 0 ? output_flush(err) : rc;
}

static int print(const struct watch *watch, bool is_first, struct mr_error *err)
{
	if (!is_first && !watch->invocation->global->style.json)
		output_text("\n");
	return answer_once(watch, err);
}

/* The first time after now that is a multiple of the interval after @start: answers do not drift. */
static uint64_t next_time(uint64_t start, uint64_t interval)
{
	uint64_t passed = (mr_now_ns() - start) / interval, next;

	if (__builtin_mul_overflow(passed + 1, interval, &next) ||
	    __builtin_add_overflow(start, next, &next))
		return UINT64_MAX;
	return next;
}

/* Waits until the next answer is due.  Return: false where there is to be none. */
static bool wait_for_next(struct watch *watch, uint64_t until)
{
	const sigset_t *more = watch->redraw ? &watch->screen.signals : NULL;
	int signal = mr_signals_wait_until(until, more, STDOUT_FILENO);

	if (more && signal > 0 && sigismember(more, signal)) {
		screen_handle(signal);
		return true;
	}
	return !signal;
}

int stat_watch(const struct invocation *invocation, command_run_function *run, uint64_t interval,
	       struct mr_error *err)
{
	struct watch watch = { .invocation = invocation, .run = run };
	uint64_t start = mr_now_ns();
	bool is_first = true;

	watch.redraw = !invocation->global->style.json && screen_is_possible();
	mr_signals_block();
	if (watch.redraw)
		screen_enter(&watch.screen);
	do {
		watch.status = watch.redraw ? draw(&watch, err) : print(&watch, is_first, err);
		is_first = false;
	} while (watch.status >= 0 && wait_for_next(&watch, next_time(start, interval)));
	if (watch.redraw)
		screen_leave(&watch.screen);
	return watch.status;
}
