/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What a traced process has registered, and where in the program its calls were made.  It grows with what is
 * registered and with the places of calls, not with the number of calls.
 */
#ifndef LIB_TRACE_LEDGER_H
#define LIB_TRACE_LEDGER_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/trace/look.h"
#include "lib/trace/objects.h"
#include "lib/trace/ring.h"

enum {
	MR_LEDGER_OBJECTS = 1 << 24, /**< objects of a process that are kept at most */
	MR_LEDGER_SITES = 4096,      /**< places of a process that are kept at most */
	MR_LEDGER_RECENT = 16,
};

/** Whose code a place is. */
enum mr_site_kind {
	MR_SITE_UNKNOWN,
	MR_SITE_OF_PROGRAM,
	MR_SITE_OF_HEADER, /**< of an inline function of rdma-core: its caller is the place */
};

/** A place of the program that makes calls. */
struct mr_site {
	uint64_t caller; /**< return address; 0: of all places beyond MR_LEDGER_SITES */
	uint32_t call;   /**< enum mr_traced_call */
	uint64_t stack;  /**< of a registration with its callers: a number for these; else 0 */
	uint64_t
		retired; /**< 0: it may call again; else a number of its own, as its library was unmapped */
	enum mr_site_kind kind;
	uint64_t calls, refused;
	uint64_t count, bytes; /**< of what was registered here and still is */
	char *place;           /**< mr_places_name(); NULL: not looked up yet */
	uint32_t frame_count;  /**< return addresses of the first call */
	uint64_t frames[MR_TRACE_FRAMES];
	char *frame_names[MR_TRACE_FRAMES]; /**< of those whose library was unmapped; else NULL */
};

/** The calls of one kind. */
struct mr_call_tally {
	uint64_t calls, refused;
	uint64_t
		bytes; /**< that were asked for by those that succeeded; as in struct mr_live_tally */
	uint64_t total_ns, slowest_ns;
	uint64_t slowest_bytes;
};

/** What is registered at once.  All memory of a process is 0 bytes; UINT64_MAX: more than 64 bits hold. */
struct mr_live_tally {
	uint64_t count, bytes;
	uint64_t most_count, most_bytes;
};

/** A change of what is registered by all processes. */
struct mr_live_change {
	uint64_t at_ns; /**< when: CLOCK_MONOTONIC */
	uint64_t removed, removed_bytes;
	uint64_t added, added_bytes;
};

/** Sums over all processes. */
struct mr_trace_totals {
	struct mr_call_tally calls[MR_TRACED_CALL_COUNT];
	struct mr_live_tally live; /**< without @changes */
	/** Not applied yet: the calls of one process are taken before those of the next, which may be earlier. */
	struct mr_live_change *changes;
	size_t change_count, change_capacity;
	bool is_unordered;
	uint64_t uncounted; /**< objects beyond MR_LEDGER_OBJECTS */
};

struct mr_ledger {
	struct mr_objects objects;
	void *sites; /**< tree of tsearch(3) */
	size_t site_count;
	uint64_t retirements;
	struct mr_site *recent[MR_LEDGER_RECENT]; /**< the last place of some calls */
	struct mr_live_tally live;
	/** Of the process that this one was forked from: it has the same objects at the same addresses.  Or NULL. */
	struct mr_ledger *parent;
};

/**
 * mr_ledger_complete() - give a call the context and device of its object, where the call itself does not tell them
 *
 * A umem that is deregistered tells no context: libmlx5 keeps that to itself.
 */
void mr_ledger_complete(const struct mr_ledger *ledger, struct mr_trace_record *call);

/**
 * mr_ledger_context() - what is known before a call that was refused
 * @region: room for the region that the call is about
 */
void mr_ledger_context(const struct mr_ledger *ledger, const struct mr_trace_record *call,
		       struct mr_look_region *region, struct mr_look_context *context);

/**
 * mr_ledger_take() - note a call, which was checked
 * @site: the place that made it: mr_ledger_site()
 */
void mr_ledger_take(struct mr_ledger *ledger, struct mr_trace_totals *totals,
		    const struct mr_traced_record *record, struct mr_site *site);

/**
 * mr_ledger_site() - the place with a return address, made where it is new
 * @call:  enum mr_traced_call; or MR_TRACED_CALL_COUNT for a place that only leads to one which calls
 * @stack: of struct mr_site
 *
 * Return: NULL where memory is short.
 */
struct mr_site *mr_ledger_site(struct mr_ledger *ledger, uint64_t caller, uint32_t call,
			       uint64_t stack);

/** mr_ledger_sites() - call @visit with each place */
void mr_ledger_sites(const struct mr_ledger *ledger,
		     void (*visit)(struct mr_site *site, void *data), void *data);

/**
 * mr_ledger_retire() - the code of some places is gone, and other code may come to their addresses
 * @is_gone: whether that of an address is
 *
 * They are kept as long as they have regions.
 */
void mr_ledger_retire(struct mr_ledger *ledger, bool (*is_gone)(uint64_t caller, void *data),
		      void *data);

/**
 * mr_ledger_end() - no process has the objects any longer: the totals are without them
 *
 * The objects stay, as a forked child may turn up.
 */
void mr_ledger_end(const struct mr_ledger *ledger, struct mr_trace_totals *totals);

/** mr_ledger_revive() - a process has the objects: the totals are with them */
void mr_ledger_revive(const struct mr_ledger *ledger, struct mr_trace_totals *totals);

/** mr_totals_settle() - apply the changes until a time, in the order in which they were made; UINT64_MAX: all */
void mr_totals_settle(struct mr_trace_totals *totals, uint64_t until_ns);

void mr_totals_release(struct mr_trace_totals *totals);

/** mr_ledger_release() - free all */
void mr_ledger_release(struct mr_ledger *ledger);

#endif
