// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/trace/leaks.h"

enum {
	LEAKS_MAX = 4096,        /* places of leaks that are kept */
	ENDED_MAX = 256,         /* processes without children that are kept after their end */
	ENDED_OBJECTS = 1 << 18, /* of these processes */
};

/* ---- the places of leaks ---- */

/* Those of a process.  Naming a caller makes one more place, so they are collected before. */
struct sites {
	struct mr_site **list;
	size_t count;
};

static void collect_site(struct mr_site *site, void *data)
{
	struct sites *sites = data;

	if (site->count)
		sites->list[sites->count++] = site;
}

static void collect_sites(const struct mr_traced_process *process, struct sites *sites)
{
	const struct mr_ledger *ledger = &process->ledger;

	*sites = (struct sites){ 0 };
	if (ledger->live.count)
		sites->list = calloc(ledger->site_count, sizeof(struct mr_site *));
	if (sites->list)
		mr_ledger_sites(ledger, collect_site, sites);
}

/* While its files can be read, and what is known of them is kept. */
static void name_sites(struct mr_traced_process *process)
{
	struct sites sites;

	collect_sites(process, &sites);
	for (size_t i = 0; i < sites.count; i++) {
		const struct mr_site *site = sites.list[i];

		mr_process_place(process, sites.list[i]);
		for (uint32_t frame = 0; frame < site->frame_count; frame++)
			if (!site->frame_names[frame])
				mr_process_caller(process, site->frames[frame]);
	}
	free(sites.list);
}

static bool has_frames(const struct mr_leak *leak, char *const *frames)
{
	size_t i = 0;

	while (leak->frames[i] && frames[i] && !strcmp(leak->frames[i], frames[i]))
		i++;
	return !leak->frames[i] && !frames[i];
}

static struct mr_leak *find_leak(const struct mr_leaks *leaks, const struct mr_leak *wanted)
{
	for (size_t i = 0; i < leaks->count; i++) {
		struct mr_leak *leak = &leaks->list[i];

		if (leak->call == wanted->call && !strcmp(leak->place, wanted->place) &&
		    !strcmp(leak->program, wanted->program) && has_frames(leak, wanted->frames))
			return leak;
	}
	return NULL;
}

static void release_leak(struct mr_leak *leak)
{
	for (char **frame = leak->frames; *frame; frame++)
		free(*frame);
	free(leak->program);
	free(leak->place);
}

static void name_frames(struct mr_leak *leak, struct mr_traced_process *process,
			const struct mr_site *site)
{
	for (uint32_t i = 0; i < site->frame_count; i++)
		leak->frames[i] = mr_process_frame(process, site, i);
}

/* The leak that the regions of a place belong to, which may be one of another process.  NULL: memory is short */
static struct mr_leak *leak_of(struct mr_leaks *leaks, struct mr_traced_process *process,
			       struct mr_site *site)
{
	struct mr_leak leak = { .program = strdup(process->program),
				.place = strdup(mr_process_place(process, site)),
				.call = site->call };
	struct mr_leak *list, *found;

	name_frames(&leak, process, site);
	found = leak.program && leak.place ? find_leak(leaks, &leak) : NULL;
	list = !found && leak.program && leak.place && leaks->count < LEAKS_MAX
		       ? reallocarray(leaks->list, leaks->count + 1, sizeof(*list))
		       : NULL;
	if (!list) {
		release_leak(&leak);
		return found;
	}
	leaks->list = list;
	list[leaks->count] = leak;
	return &list[leaks->count++];
}

static void count_leaks(struct mr_leaks *leaks, struct mr_traced_process *process)
{
	struct sites sites;

	collect_sites(process, &sites);
	for (size_t i = 0; i < sites.count; i++) {
		struct mr_leak *leak = leak_of(leaks, process, sites.list[i]);

		if (!leak)
			continue;
		leak->count += sites.list[i]->count;
		leak->bytes = mr_sum(leak->bytes, sites.list[i]->bytes);
	}
	free(sites.list);
}

/* ---- processes that have ended ---- */

static bool has_children(const struct mr_traced_process *process)
{
	return process->heirs || process->children;
}

/* Whether a child that turns up yet may deregister something. */
static bool leaves_regions(const struct mr_traced_process *process)
{
	while (process && !process->ledger.live.count)
		process = process->parent;
	return process;
}

/* What the processes without children have left: their number, and that of their objects. */
static void measure(const struct mr_leaks *leaks, size_t *processes, size_t *objects)
{
	*processes = *objects = 0;
	for (const struct mr_traced_process *at = leaks->first; at; at = at->next) {
		if (has_children(at))
			continue;
		++*processes;
		*objects += at->ledger.objects.count;
	}
}

/* Forgets those that no child can ask for, and the oldest where they are too many. */
static void forget_some(struct mr_leaks *leaks)
{
	struct mr_traced_process **link = &leaks->first, *at;
	size_t processes, objects;

	measure(leaks, &processes, &objects);
	leaks->last = NULL;
	while ((at = *link)) {
		if (has_children(at) ||
		    (leaves_regions(at) && processes <= ENDED_MAX && objects <= ENDED_OBJECTS)) {
			leaks->last = at;
			link = &at->next;
			continue;
		}
		processes--;
		objects -= at->ledger.objects.count;
		count_leaks(leaks, at);
		if (at->parent)
			at->parent->children--;
		*link = at->next;
		mr_process_release(at);
	}
}

void mr_leaks_begin(struct mr_traced_process *process, struct mr_traced_process *parent,
		    struct mr_trace_totals *totals)
{
	process->parent = parent;
	if (parent) {
		parent->children++;
		process->ledger.parent = &parent->ledger;
	}
	for (; process; process = process->parent)
		if (!process->heirs++)
			mr_ledger_revive(&process->ledger, totals);
}

void mr_leaks_end(struct mr_leaks *leaks, struct mr_traced_process *process,
		  struct mr_trace_totals *totals)
{
	name_sites(process);
	mr_process_stop(process);
	for (struct mr_traced_process *at = process; at; at = at->parent)
		if (!--at->heirs)
			mr_ledger_end(&at->ledger, totals);
	if (leaks->last)
		leaks->last->next = process;
	else
		leaks->first = process;
	leaks->last = process;
	forget_some(leaks);
}

struct mr_traced_process *mr_leaks_ended(const struct mr_leaks *leaks, uint64_t id)
{
	struct mr_traced_process *at = leaks->first;

	while (at && at->id != id)
		at = at->next;
	return at;
}

void mr_leaks_count(struct mr_leaks *leaks)
{
	for (struct mr_traced_process *at = leaks->first; at; at = at->next)
		if (!at->heirs)
			count_leaks(leaks, at);
}

void mr_leaks_release(struct mr_leaks *leaks)
{
	struct mr_traced_process *at, *next;

	for (at = leaks->first; at; at = next) {
		next = at->next;
		mr_process_release(at);
	}
	for (size_t i = 0; i < leaks->count; i++)
		release_leak(&leaks->list[i]);
	free(leaks->list);
	*leaks = (struct mr_leaks){ 0 };
}
