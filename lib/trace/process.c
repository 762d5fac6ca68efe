// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/base/base.h"
#include "lib/trace/process.h"

enum {
	READS_MAX =
		1000 /* calls from places that are in no file must not read the mappings for ever */
};

void mr_process_see(struct mr_traced_process *process, uint64_t addr)
{
	if (process->pid &&
	    (process->modules.is_stale ||
	     (process->modules.reads < READS_MAX && !mr_modules_find(&process->modules, addr))))
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
	if (process->is_attached)
		return NULL;
	if (!site->place)
		site->place = site->caller ? mr_places_name(places_of(process), &process->modules,
							    site->caller)
					   : strdup("other places");
	return site->place ? site->place : "?";
}

bool mr_process_is_header(struct mr_traced_process *process, struct mr_site *site)
{
	if (site->kind == MR_SITE_UNKNOWN)
		site->kind = mr_places_is_header(places_of(process), site->caller)
				     ? MR_SITE_OF_HEADER
				     : MR_SITE_OF_PROGRAM;
	return site->kind == MR_SITE_OF_HEADER;
}

const char *mr_process_caller(struct mr_traced_process *process, uint64_t addr)
{
	struct mr_site *site = mr_ledger_site(&process->ledger, addr, MR_TRACED_CALL_COUNT, 0);

	return site ? mr_process_place(process, site) : "?";
}

char *mr_process_frame(struct mr_traced_process *process, const struct mr_site *site,
		       uint32_t frame)
{
	return strdup(site->frame_names[frame] ? site->frame_names[frame]
					       : mr_process_caller(process, site->frames[frame]));
}

/* A library that is about to be unmapped. */
struct closing {
	struct mr_traced_process *process;
	struct mr_mapping library; /* one of its mappings */
};

static bool is_of_library(uint64_t caller, void *data)
{
	const struct closing *closing = data;
	const struct mr_mapping *library = &closing->library;
	const struct mr_mapping *mapping = mr_modules_find(&closing->process->modules, caller - 1);

	return mapping && mapping->inode == library->inode && mapping->major == library->major &&
	       mapping->minor == library->minor && !strcmp(mapping->path, library->path);
}

/* Nobody will ask for the name of a place that has no regions any more. */
static void name_site(struct mr_site *site, void *data)
{
	struct closing *closing = data;
	struct mr_traced_process *process = closing->process;

	if (!site->count || site->retired)
		return;
	if (site->caller && is_of_library(site->caller, closing))
		mr_process_place(process, site);
	for (uint32_t i = 0; i < site->frame_count; i++)
		if (!site->frame_names[i] && is_of_library(site->frames[i], closing))
			site->frame_names[i] = mr_places_name(places_of(process), &process->modules,
							      site->frames[i]);
}

void mr_process_unmap(struct mr_traced_process *process, uint64_t addr)
{
	struct closing closing = { .process = process };
	const struct mr_mapping *library;

	mr_process_see(process, addr);
	library = mr_modules_find(&process->modules, addr);
	if (library) {
		closing.library = *library;
		mr_ledger_sites(&process->ledger, name_site, &closing);
		mr_ledger_retire(&process->ledger, is_of_library, &closing);
	}
	process->modules.is_stale = true;
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
