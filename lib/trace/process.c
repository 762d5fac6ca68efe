// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/base/cleanup.h"
#include "lib/trace/process.h"

enum {
	READS_MAX =
		1000 /* calls from places that are in no file must not read the mappings for ever */
};

void mr_process_see(struct mr_traced_process *process, uint64_t addr)
{
	if (process->pid && process->modules.reads < READS_MAX &&
	    !mr_modules_find(&process->modules, addr))
		mr_modules_read(&process->modules, process->pid);
}

static struct mr_places *places_of(struct mr_traced_process *process)
{
	if (process->has_places && process->place_reads == process->modules.reads)
		return process->places;
	mr_places_free(process->places);
	process->places = mr_places_new(&process->modules);
	process->has_places = true;
	process->place_reads = process->modules.reads;
	return process->places;
}

const char *mr_process_place(struct mr_traced_process *process, struct mr_site *site)
{
	if (!site->place)
		site->place = site->caller ? mr_places_name(places_of(process), &process->modules,
							    site->caller)
					   : strdup("other places");
	return site->place ? site->place : "?";
}

const char *mr_process_caller(struct mr_traced_process *process, uint64_t addr)
{
	struct mr_site *site = mr_ledger_site(&process->ledger, addr, MR_TRACED_CALL_COUNT);

	return site ? mr_process_place(process, site) : "?";
}

void mr_process_stop(struct mr_traced_process *process)
{
	mr_places_free(process->places);
	process->places = NULL;
	process->has_places = false;
	mr_modules_release(&process->modules);
	mr_ring_release(&process->ring);
	if (process->pidfd >= 0)
		close(process->pidfd);
	process->pidfd = -1;
}

void mr_process_release(struct mr_traced_process *process)
{
	mr_process_stop(process);
	mr_ledger_release(&process->ledger);
	free(process);
}
