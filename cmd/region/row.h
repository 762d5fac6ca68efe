/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Regions as they are printed. */
#ifndef CMD_REGION_ROW_H
#define CMD_REGION_ROW_H

#include "cmd/cli/command.h"
#include "cmd/output/output.h"
#include "lib/session/table/table.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

struct region_row {
	struct mr_opt_u64 id;
	struct mr_opt_u64 index;
	const char *name;
	const char *kind;
	const char *state;
	struct mr_opt_u64 handle;
	struct mr_opt_u64 lkey;
	struct mr_opt_u64 rkey;
	struct mr_opt_u64 umem_id;
	struct mr_opt_u64 addr;
	struct mr_opt_u64 offset;
	struct mr_opt_u64 length;
	struct mr_opt_u64 extended_addr;
	struct mr_opt_u64 extended_length;
	struct mr_opt_u64 iova;
	struct mr_opt_u64 access;
	struct mr_opt_u64 access_bits;
	struct mr_opt_u64 in_force;
	const char *pd;
	const char *memory;
	struct mr_opt_u64 page_size;
	struct mr_opt_u64 page_sizes;
	struct mr_opt_u64 dmah_cpu;
	const char *dmah_memory;
	struct mr_opt_u64 dmah_ph;
	const char *answer;
	const char *export;
	const char *call;
	const char *via;
	struct opt_bool needs_process;
	const char *advice;
	const char *advice_answer;
	struct mr_opt_u64 elapsed_ns;
	struct mr_opt_u64 advice_elapsed_ns;
	struct mr_opt_u64 dereg_elapsed_ns;
	struct mr_opt_u64 deferred_ns;
	const char *deferred_answer;
};

/** REGION_COLUMNS() - a list of columns, by the names of members of struct region_row */
#define REGION_COLUMNS(...) COLUMNS(struct region_row, __VA_ARGS__)

/* Columns for the fills of a struct command: of each command that prints regions, and of each for MRs */
#define FIELDS_OF_REGIONS                                                                          \
	id, name, kind, state, handle, length, access, access_bits, in_force, memory, page_size,   \
		call, via, needs_process, elapsed_ns
#define FIELDS_OF_MRS FIELDS_OF_REGIONS, lkey, rkey, iova, pd
/* Those of commands that register, and of commands with --advise. */
#define FIELDS_OF_REGISTERED index, dereg_elapsed_ns
#define FIELDS_OF_ADVICE     advice, advice_answer, advice_elapsed_ns
/* Those of commands that show regions with DMA handles. */
#define FIELDS_OF_DMAH dmah_cpu, dmah_memory, dmah_ph

/** Room for an exported umem as text. */
#define BLOB_TEXT (2 * sizeof(((struct mr_umem_blob *)NULL)->bytes) + 1)

/** blob_text() - an exported umem in hexadecimal digits; @text: BLOB_TEXT bytes */
void blob_text(const struct mr_umem_blob *blob, char *text);

/** Facts for a row about a region that was registered just now, or that the session's table has. */
struct region_facts {
	const struct mr_region *region;
	enum mr_region_call call;
	enum mr_via via;
	uint32_t access;
	const char *memory; /**< kind of memory, or source of the dma-buf, as typed; or NULL */
	uint64_t page_size; /**< of the memory; 0: not known */
	uint64_t page_sizes;
	struct mr_dmah_hints hints; /**< of mr_region_has_dmah() */
	bool on_gpu; /**< on memory of a GPU, which goes with the process that has it */
};

/**
 * region_row_describe() - fill a row about a region that was registered
 *
 * A member that such a region does not have becomes unknown.  What is not in @facts is left to the caller: id,
 * index, name, state, PD, and flags in force.
 */
void region_row_describe(struct region_row *row, const struct region_facts *facts);

/**
 * region_row_fill() - fill a row about a region by its entry in the session's table
 * @pd: room for its protection domain; must live as long as @row, and so must @entry
 *
 * What an unfinished registration or change leaves open becomes unknown.  The state is left to the caller.
 */
void region_row_fill(struct region_row *row, const struct mr_entry *entry,
		     const struct mr_table *table, struct mr_table_pd *pd);

/**
 * region_row_of_object() - a row about an object that no entry names
 * @object: what the kernel reports of it
 * @state:  or NULL
 */
struct region_row region_row_of_object(enum mr_region_kind kind, const struct mr_uverbs_mr *object,
				       const char *state);

/**
 * region_row_in_force() - fill in which of the flags have an effect
 *
 * In the usual columns for a person it is left out unless some flag has none.
 */
void region_row_in_force(struct region_row *row, struct mr_in_force *in_force,
			 const struct mr_in_force_region *region, const struct global_args *global);

/** A struct region_row. */
extern const struct record region_record;

#endif
