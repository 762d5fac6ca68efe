// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "clock.h"
#include "progress.h"

#define INTERVAL_NS 200000000

void progress_init(struct progress *progress, uint64_t total, bool quiet)
{
	*progress = (struct progress){
		.total = total,
		.silent = quiet || total == 1 || !isatty(STDERR_FILENO),
	};
}

void progress_show(struct progress *progress, const char *what, uint64_t done)
{
	uint64_t now;

	/* Not each step deserves a look at the clock. */
	if (progress->silent || done % 256)
		return;
	now = mr_now_ns();
	if (now - progress->shown_at < INTERVAL_NS)
		return;
	progress->shown_at = now;
	fprintf(stderr, "\r\033[K%s %" PRIu64 " of %" PRIu64, what, done, progress->total);
}

void progress_clear(struct progress *progress)
{
	if (progress->shown_at)
		fputs("\r\033[K", stderr);
	progress->shown_at = 0;
}
