/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what the registering commands share: their options, the registrar, and the run of a command. */
#ifndef CMD_REGION_REGISTER_H
#define CMD_REGION_REGISTER_H

#include "cmd/cli/cli.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/memory/memory.h"
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

/** Values of the options of the registering commands; each command has some of them. */
struct register_args {
	struct memory_args memory;
	struct access_option access;
	const char *name;
	const char *pd;
	struct via_option via;
	const char *call;
	struct mr_opt_u64 iova; /**< of the first region */
	bool relaxed;
	struct dmah_option dmah;
	struct mr_dmabuf_source dmabuf; /**< that regions are on */
	struct mr_opt_u64 buffer;       /**< bytes of the dma-buf to make */
	bool data_direct;
	struct mr_opt_u64 page_sizes; /**< of a umem: the pgsz_bitmap */
	bool try_page_sizes;
	bool export;        /**< print the blob by which others import the umem */
	const char *import; /**< such a blob, as typed */
	bool hold;
	struct mr_opt_u64 hold_for;
	struct expect_option expect;
	bool keep_going;
	struct advise_args advise;
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

/** The help of an option that fills @buffer. */
#define DMABUF_BUFFER_HELP "bytes of the dma-buf (default: as needed)"

/** What a registering command is to do. */
struct register_plan {
	/**
	 * The first region's, as far as it is known before there is memory.  Its call is the command's usual one, or the
	 * one that --call names.  The IOVA of each other region lies as far above it as its address does.
	 */
	struct mr_region_request request;
	struct via_option via;     /**< --via; with --call the library's path */
	struct memory_plan memory; /**< size, count, stride; for MR_ON_MEMORY the mapping too */
	struct mr_dmabuf_request dmabuf; /**< of MR_ON_DMABUF */
	uint64_t dm_length; /**< bytes to allocate, if there is to be memory on the device */
};

/**
 * register_plan_init() - fill in what @args ask for
 * @call: the command's call, unless --call names another
 *
 * Return: 0, or -EINVAL or -ERANGE with MR_ERROR_USAGE if the options make no sense together.
 */
int register_plan_init(struct register_plan *plan, const struct register_args *args,
		       enum mr_region_call call, struct mr_error *err);

/** The registering device: the command's own, or the session's. */
struct registrar {
	/* To be set before registrar_open(): */
	const struct invocation *invocation;
	enum mr_region_kind kind; /**< what is to be registered; umems need DEVX, and no PD */
	bool dmah;                /**< with a DMA handle */
	bool untimed; /**< this command shows no times: those of its own device need not be taken */
	/** Name of the PD, allocated if there is none; NULL: MR_DEFAULT_PD.  It becomes NULL for umems. */
	const char *pd;
	struct via_option allowed;
	struct context_room *room; /**< must stay until registrar_close() */
	/* Set by it: */
	bool in_session;
	struct mr_session *session; /**< if @in_session */
	struct mr_device device;    /**< its own, or the session's, imported; or none */
	const struct mr_environment *environment;
	struct mr_uverbs uverbs;
	struct mr_registrar base; /**< for the calls themselves */
	uint32_t pd_slot;         /**< of the PD in the session's table; MR_TABLE_PDS: none */
	bool made_pd;             /**< this command has allocated it, and is not known to use it */
};

/**
 * registrar_open() - open the device or join the session, and choose PD and path
 * @registrar: registrar_close() it in either case
 *
 * Without --via the path is the library's wherever it can serve: what libibverbs does is what the user asks
 * about.  In a session it can serve if the provider can import the session's device, and for umems only if
 * libmlx5 reports their handles, without which no later command could deregister them.  No library reports
 * those of DMA handles.
 *
 * Return: 0 or -errno.
 */
int registrar_open(struct registrar *registrar, struct mr_error *err);

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
	bool is_advised;          /**< advice was given about it */
	int advice_errnum;        /**< 0: the advice was accepted */
	uint64_t advice_ns;
};

/**
 * Memory that only some runs use.  A batch begins thousands of runs a second: unlike struct register_job this
 * is not cleared before each of them.
 */
struct register_room {
	struct context_room context;
	struct new_region only; /**< the region, if only one is planned */
	char columns[256];
};

/** One run of a registering command. */
struct register_job {
	const struct register_args *args;
	struct register_plan *plan;
	struct register_room *room;
	struct registrar registrar;
	struct mr_memory memory;
	struct mr_dm dm;
	struct mr_dmah dmah;
	struct mr_dmabuf dmabuf;
	struct mr_backing *backing; /**< keeps memory and dma-buf in a private session, or NULL */
	struct mr_in_force in_force;
	struct new_region *regions;  /**< room for all that are planned */
	uint64_t count;              /**< regions that are registered so far */
	struct mr_umem_blob *blobs;  /**< one for each region, or NULL */
	struct mr_memory prefetched; /**< mapped for advice about an implicit region */
	struct answer answer;
	bool unnamed;        /**< mr_table_begin_unnamed() was called */
	bool blocks_signals; /**< signals are blocked: mr_interrupted() must be asked between regions */
	bool interrupted; /**< a signal came before all was done */
};

/**
 * register_check() - check of a command whose args are a struct register_args
 *
 * Return: 0, or -errno with MR_ERROR_USAGE if the options make no sense together.
 */
int register_check(const struct invocation *invocation, enum mr_region_call call,
		   struct mr_error *err);

/**
 * register_run() - plan what the options describe, do the work, and release what it used
 * @invocation: of a command whose args are a struct register_args
 * @call:       the command's call, unless --call names another
 * @work:       register_regions(), or the command's own; returns an exit status, or -errno
 *
 * Return: what @work returned; a negative errno with @err set if nothing was tried.
 */
int register_run(const struct invocation *invocation, enum mr_region_call call,
		 int (*work)(struct register_job *job, struct mr_error *err), struct mr_error *err);

/**
 * register_regions() - register what the options describe, report, and deregister
 *
 * In a session the regions stay.  Outside of one they are deregistered, with --hold at its end.
 */
int register_regions(struct register_job *job, struct mr_error *err);

/** register_prepare() - open the device or join the session, and make the memory.  Return: 0 or -errno. */
int register_prepare(struct register_job *job, struct mr_error *err);

/**
 * register_allocate() - allocate what the regions use of the device: memory there, or a DMA handle
 *
 * In a session the caller must have blocked signals: the objects outlive this process, and after a signal no entry
 * of the session would name them.
 *
 * Return: 0 or -errno.
 */
int register_allocate(struct register_job *job, struct mr_error *err);

/** register_free_unused() - free that, unless a region that uses it stays */
void register_free_unused(struct register_job *job);

/** register_request() - the request for one of --count, from 1 */
struct mr_region_request register_request(const struct register_job *job, uint64_t index);

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
 * register_fail_interrupted() - report that a signal came before all was done
 * @index: of the region that was next, from 1
 */
void register_fail_interrupted(struct register_job *job, uint64_t index);

/** register_describe() - fill a row about a region; without id, index, name, state, PD, and flags in force */
void register_describe(const struct register_job *job, const struct mr_region *region,
		       struct region_row *row);

#endif
