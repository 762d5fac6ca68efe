/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what the registering commands share: their options, the registrar, and the run of a command. */
#ifndef CMD_REGION_REGISTER_H
#define CMD_REGION_REGISTER_H

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/memory/memory.h"
#include "lib/session/changes.h"
#include "lib/session/session.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

/** What the options fill. */
struct memory_args {
	struct mr_opt_u64 size; /**< bytes of each region */
	struct mr_memory_kind memory;
	struct mr_opt_u64 offset; /**< bytes from the start of the mapping to the first region */
	struct mr_opt_u64 addr;   /**< where to map it */
	struct mr_opt_u64 numa;   /**< node to take the pages from */
	struct mr_opt_u64 count;  /**< regions on one mapping */
	struct mr_opt_u64 stride; /**< bytes from one region's start to the next one's */
	bool populate;
};

/** The options for the memory of new regions. */
extern const struct option_spec memory_options[];
/** The options for the new memory of one region. */
extern const struct option_spec new_memory_options[];

/** memory_is_given() - whether one of new_memory_options was given */
bool memory_is_given(const struct memory_args *args);

/** The options with all defaults filled in. */
struct memory_plan {
	struct mr_memory_request mapping; /**< in which all regions lie */
	uint64_t size;                    /**< bytes of each region */
	uint64_t count;
	uint64_t stride; /**< bytes from one region's start to the next one's */
};

/**
 * memory_plan_init() - fill in the defaults
 * @default_size: bytes of a region without --size
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE if the options make no sense together.
 */
int memory_plan_init(struct memory_plan *plan, const struct memory_args *args,
		     uint64_t default_size, struct mr_error *err);

/**
 * memory_plan_end() - where the last region ends: bytes that a dma-buf or DM below the regions must have
 * Return: UINT64_MAX if that is beyond 64 bits.
 */
uint64_t memory_plan_end(const struct memory_plan *plan);

/** Advice to give about the regions once they are registered. */
struct advise_args {
	struct mr_advice advice;
	struct mr_opt_u64 offset; /**< bytes from the start of a region to the advised range */
	struct mr_opt_u64 size;   /**< bytes of that range; unknown: to the end of the region */
};

/** What the shared options fill: the first member of the struct of each registering command. */
struct register_args {
	struct memory_args memory;
	struct access_option access;
	const char *name;
	const char *pd;
	struct via_option via;
	const char *call;
	bool hold;
	struct mr_opt_u64 hold_for;
	struct expect_option expect;
	bool keep_going;
	struct advise_args advise;
	bool export; /**< of mrctl umem: print the blob by which others import the umem */
};

/** Groups of options that fill a struct register_args at offset 0. */
extern const struct option_group memory_group, region_group, call_group, umem_group, lifetime_group;
extern const struct option_group advise_group;

/** Rules for the options of lifetime_group. */
#define LIFETIME_RULES                                                                             \
	{ "hold", OPTION_EXCLUDES, "hold-for" },                                                   \
	{                                                                                          \
		"keep-going", OPTION_NEEDS, "count"                                                \
	}

/** Rules for the options of lifetime_group and advise_group, as rows and as a table. */
#define REGISTER_RULES                                                                             \
	LIFETIME_RULES, { "advise-offset", OPTION_NEEDS, "advise" },                               \
	{                                                                                          \
		"advise-size", OPTION_NEEDS, "advise"                                              \
	}
extern const struct option_rule register_rules[];

/** Options for the dma-buf that regions are on, of each command that registers such regions. */
struct dmabuf_args {
	struct mr_dmabuf_source source;
	struct mr_opt_u64 buffer; /**< bytes of the dma-buf to make */
};

/** The help of an option that fills @buffer. */
#define DMABUF_BUFFER_HELP "bytes of the dma-buf (default: as needed)"

/** The call of a command, and what the command's own options say about it. */
struct register_call {
	enum mr_region_call call;         /**< the call, unless --call names another */
	uint64_t iova;                    /**< of the first region, if the call is given one */
	uint64_t page_sizes;              /**< the pgsz_bitmap, if the call is given one */
	struct dmah_option dmah;          /**< if the call is given a DMA handle */
	const struct dmabuf_args *dmabuf; /**< of calls for dma-bufs, else NULL */
	const char *dmabuf_option;        /**< name of the option for its source, for messages */
};

/** What a registering command is to do. */
struct register_plan {
	enum mr_region_call call; /**< the command's usual call, or the one that --call names */
	struct via_option via;    /**< --via; with --call the library's path */
	uint32_t access;
	/** Of the first region.  That of each other region lies as far above it as its address does. */
	uint64_t iova;
	uint64_t page_sizes;       /**< the pgsz_bitmap */
	struct memory_plan memory; /**< size, count, stride; for MR_ON_MEMORY the mapping too */
	struct mr_dmabuf_request dmabuf; /**< of MR_ON_DMABUF */
	struct dmah_option dmah;         /**< of mr_region_has_dmah() */
	uint64_t dm_length;              /**< bytes to allocate, if register_plan_needs_dm() */
};

/**
 * register_plan_init() - fill in what @args ask for
 * @call: the command's call, with its own options
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE if the options make no sense together.
 */
int register_plan_init(struct register_plan *plan, const struct register_args *args,
		       const struct register_call *call, struct mr_error *err);

/** register_plan_is_on_gpu() - whether memory of a GPU is registered, by its address or as a dma-buf */
static inline bool register_plan_is_on_gpu(const struct register_plan *plan)
{
	return mr_region_is_dmabuf(plan->call) ? plan->dmabuf.source.type == MR_DMABUF_CUDA
					       : plan->memory.mapping.kind.type == MR_MEMORY_CUDA;
}

/** What a command needs a registrar for. */
struct registrar_request {
	const struct invocation *invocation;
	enum mr_region_kind kind; /**< what is to be registered; umems need DEVX, and no PD */
	const char *pd; /**< name of the PD, allocated if there is none; NULL: MR_DEFAULT_PD */
	struct via_option via;
	bool dmah;    /**< with a DMA handle */
	bool untimed; /**< this command shows no times: those of its own device need not be taken */
	struct context_room *room; /**< must stay until registrar_close() */
};

/** An open registrar. */
struct registrar {
	const struct invocation *invocation;
	bool in_session;
	struct mr_session *session; /**< if @in_session */
	struct mr_device device;    /**< its own, or the session's, imported; or none */
	const struct mr_environment *environment;
	struct mr_uverbs uverbs;
	struct mr_registrar base; /**< for the calls themselves */
	enum mr_region_kind kind; /**< what is to be registered */
	bool dmah;                /**< with a DMA handle */
	const char *pd;           /**< name of the PD; NULL for umems, which need none */
	uint32_t pd_slot;         /**< of the PD in the session's table; MR_TABLE_PDS: none */
	bool made_pd;             /**< this command has allocated it, and is not known to use it */
};

/**
 * registrar_open() - open the device or join the session, and choose PD and path
 * @registrar: all zeros; registrar_close() it in either case
 *
 * Without --via the path is the library's wherever it can serve: what libibverbs does is what the user asks
 * about.  In a session it can serve if the provider can import the session's device, and for umems only if
 * libmlx5 reports their handles, without which no later command could deregister them.  No library reports
 * those of DMA handles.
 *
 * Return: 0 or -errno.
 */
int registrar_open(struct registrar *registrar, const struct registrar_request *request,
		   struct mr_error *err);

/** registrar_is_open() - whether registrar_open() got as far as to open a device */
static inline bool registrar_is_open(const struct registrar *registrar)
{
	return registrar->base.uverbs || registrar->base.context;
}

/** registrar_is_own() - whether the device's file is this process's alone: no session outlives this process */
static inline bool registrar_is_own(const struct registrar *registrar)
{
	return !registrar->in_session || mr_session_is_private(registrar->session);
}

/** registrar_close() - close the device, and leave the session */
void registrar_close(struct registrar *registrar);

/**
 * registrar_leave_pd() - let the PD be deallocated: this command registers nothing more in it
 * @is_used: something was registered; else a PD that was allocated for it is deallocated
 */
void registrar_leave_pd(struct registrar *registrar, bool is_used);

/** A region that the command has registered. */
struct new_region {
	struct mr_region region;
	uint64_t id;
	uint64_t index;           /**< which of --count, from 1 */
	enum mr_tristate at_zero; /**< what mr_in_force_at_zero() returned */
};

/** The answer to the advice about a region. */
struct advice_answer {
	uint64_t elapsed_ns;
	int errnum; /**< 0: the advice was accepted */
	bool known; /**< advice was given about the region */
};

/**
 * Memory that only some runs use.  A batch begins thousands of runs a second: unlike struct register_job this
 * is not cleared before each of them.
 */
struct register_room {
	struct context_room context;
	struct new_region only; /**< the region, if only one is planned */
	char columns[160];
};

/** One run of a registering command. */
struct register_job {
	const struct register_args *args;
	const struct register_plan *plan;
	struct register_room *room;
	struct registrar registrar;
	struct mr_memory memory;
	struct mr_dm dm;
	struct mr_dmah dmah;
	struct mr_dmabuf dmabuf;
	struct mr_backing *backing; /**< keeps memory and dma-buf in a private session, or NULL */
	struct mr_in_force in_force;
	struct new_region *regions;           /**< room for all that are planned */
	uint64_t count;                       /**< regions that are registered so far */
	struct advice_answer *advice_answers; /**< one for each region, or NULL */
	struct mr_umem_blob *blobs;           /**< one for each region, or NULL */
	struct mr_memory prefetched;          /**< mapped for advice about an implicit region */
	struct answer answer;
	bool unnamed;        /**< mr_table_begin_unnamed() was called */
	bool blocks_signals; /**< signals are blocked: mr_interrupted() must be asked between regions */
	bool interrupted; /**< a signal came before all was done */
};

/**
 * register_check() - check of a command whose args begin with a struct register_args
 * @call: the command's call, with its own options
 *
 * Return: 0, or -errno with MR_ERROR_USAGE if the options make no sense together.
 */
int register_check(const struct invocation *invocation, const struct register_call *call,
		   struct mr_error *err);

/**
 * register_run() - register what the options describe, report, and deregister
 * @invocation: of a command whose args begin with a struct register_args
 * @call:       the command's call, with its own options
 *
 * In a session the regions stay.  Outside of one they are deregistered, with --hold at its end.
 *
 * Return: exit status; a negative errno with @err set if nothing was tried.
 */
int register_run(const struct invocation *invocation, const struct register_call *call,
		 struct mr_error *err);

/**
 * register_name() - the name of a region: --name, or "NAME.INDEX" if there are several
 * @buffer: room of @size bytes for that
 *
 * Return: NULL without --name.
 */
const char *register_name(const struct register_job *job, uint64_t index, char *buffer,
			  size_t size);

/** register_columns() - the columns of the table of new regions, if -o does not name others */
const char *register_columns(struct register_job *job);

/**
 * register_fail() - report a failure, with what was asked for
 * @index:   which of --count, from 1; 0: the failure is about none
 * @id:      of the region; 0: it has none
 * @request: what the call was given; NULL: the command failed outside of a call that registers
 *
 * Return: as answer_fail().
 */
bool register_fail(struct register_job *job, struct mr_error *err, uint64_t index, uint64_t id,
		   const struct mr_region_request *request);

/**
 * register_fail_region() - report a failure about a region that was registered
 * @advised: the range that advice was given about; NULL: the failure is not about advice
 *
 * Return: as answer_fail().
 */
bool register_fail_region(struct register_job *job, struct mr_error *err,
			  const struct new_region *new, const struct mr_advice_range *advised);

/**
 * register_refuse() - report that the stack refused a region, and in words what was asked for
 * @index, @request: as of register_fail()
 */
void register_refuse(struct register_job *job, struct mr_error *err, uint64_t index,
		     const struct mr_region_request *request);

/** register_row() - print a region */
void register_row(struct register_job *job, const struct new_region *new);

/**
 * register_fail_interrupted() - report that a signal came before all was done
 * @index: of the region that was next, from 1
 */
void register_fail_interrupted(struct register_job *job, uint64_t index);

/** register_prints_rows() - whether the regions are printed */
bool register_prints_rows(const struct register_job *job);

/** register_note_flags_without_effect() - name each access flag that has no effect on one of the regions */
void register_note_flags_without_effect(struct register_job *job);

/**
 * register_note_needs_process() - warn that regions of the session are inert once this process has ended
 * @hold: the process stays, so there is nothing to warn about
 */
void register_note_needs_process(const struct register_job *job, bool hold);

/** register_note_kernel_bug() - warn, once in a batch, that the kernel corrupts data in regions like these */
void register_note_kernel_bug(const struct register_job *job);

/** register_note_interrupted() - say what became of the regions that were registered before a signal came */
void register_note_interrupted(const struct register_job *job);

/** register_note_hold() - say that the regions stay registered, until when, and by which process */
void register_note_hold(const struct register_job *job);

/** register_hint_unprinted() - add to @err what became of the regions that could not be printed */
void register_hint_unprinted(const struct register_job *job, struct mr_error *err);

/** How many there were; the numbers are members of the document. */
struct unlisted {
	struct mr_opt_u64 deregistered;
	struct mr_opt_u64 left;
	bool busy; /**< they were left because another command is registering */
};

#endif
