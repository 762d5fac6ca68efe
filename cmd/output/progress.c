// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cmd/output/progress.h"
#include "cmd/output/screen.h"
#include "lib/base/base.h"

/* Between two updates of the line. */
#define INTERVAL_NS 200000000

/* Work on fewer bytes takes too little time to be announced. */
#define LONG_BYTES (UINT64_C(1) << 30)

#define CLEAR_LINE "\r\033[K"

void progress_init(struct progress *progress, uint64_t total, bool quiet)
{
	*progress = (struct progress){
		.total = total,
		/* A dumb terminal would show each update, and the escape before it. */
		.silent = quiet || !isatty(fileno(stderr)) || screen_is_dumb(),
	};
}

void progress_show(struct progress *progress, const char *what, uint64_t done)
{
	uint64_t now;

	/* Reading the clock at each step would take longer than the step. */
	if (progress->silent || progress->total == 1 || done % 256)
		return;
	now = mr_now_ns();
	if (now - progress->shown_at < INTERVAL_NS)
		return;
	progress->shown_at = now;
	fprintf(stderr, CLEAR_LINE "%s %" PRIu64, what, done);
	if (done <= progress->total)
		fprintf(stderr, " of %" PRIu64, progress->total);
}

void progress_wait(struct progress *progress, const char *what, uint64_t bytes)
{
	if (progress->silent || bytes < LONG_BYTES)
		return;
	progress->shown_at = mr_now_ns();
	fprintf(stderr, CLEAR_LINE "%s %" PRIu64 " GiB ...", what, bytes / LONG_BYTES);
}

void progress_time(struct progress *progress, const char *what, uint64_t done, uint64_t total,
		   uint64_t left_ns)
{
	const uint64_t now = mr_now_ns();

	if (progress->silent || now - progress->shown_at < INTERVAL_NS)
		return;
	progress->shown_at = now;
	fprintf(stderr, CLEAR_LINE "%s %" PRIu64 " of %" PRIu64 ", %" PRIu64 " s left", what, done,
		total, (left_ns + 999999999) / 1000000000);
}

void progress_clear(struct progress *progress)
{
	if (progress->shown_at)
		fputs(CLEAR_LINE, stderr);
	progress->shown_at = 0;
}
