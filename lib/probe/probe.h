/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what a device can do, found out by trying. */
#ifndef LIB_PROBE_PROBE_H
#define LIB_PROBE_PROBE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "lib/base/base.h"
#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/** A device that is tried. */
struct mr_probe {
	struct mr_device device;
	struct mr_uverbs uverbs;
	struct mr_registrar library; /**< by libibverbs; it can register by ioctls, too */
	const struct mr_environment *environment;
	struct mr_attributes attributes;
	bool has_attributes;
	struct mr_in_force in_force;
	struct mr_memory memory; /**< MR_PROBE_PAGES anonymous pages */
	uint64_t page;           /**< bytes of one */
};

/** The report of the device that a trial's answer is compared with. */
enum mr_capability {
	MR_CAPABILITY_NONE,        /**< nothing: no bit tells */
	MR_CAPABILITY_FORBIDDEN,   /**< the rules of verbs: such a request is to be refused */
	MR_CAPABILITY_BITS,        /**< any of the bits of the trial */
	MR_CAPABILITY_ATOMICS,     /**< atomic_cap */
	MR_CAPABILITY_RELAXED,     /**< mr_orders_relaxed() */
	MR_CAPABILITY_DM,          /**< max_dm_size */
	MR_CAPABILITY_DATA_DIRECT, /**< a Data Direct device is there */
};

struct mr_trial;

/** mr_capability_query() - what the device reports: MR_UNKNOWN where it reports nothing */
enum mr_tristate mr_capability_query(struct mr_probe *probe, const struct mr_trial *trial);

struct mr_attempt;

/** A trial: a call, what it needs, and what its answer means. */
struct mr_trial {
	const char *id;      /**< "access.remote-read" */
	const char *group;   /**< neighbours have the same: "access" */
	const char *subject; /**< what is tried, a few words */
	const char *name;    /**< of the call; NULL: that of the registration */
	/** Makes what the call needs, and sets its request: 0 or -errno with attempt->err; NULL: nothing is needed. */
	int (*prepare)(struct mr_attempt *attempt);
	/** Makes the call once: 0 or -errno with attempt->err. */
	int (*make)(struct mr_attempt *attempt);
	/** Sets what the answer proves, while what was made still exists; NULL: success means yes. */
	void (*judge)(struct mr_attempt *attempt);
	enum mr_region_call call; /**< that registers */
	enum mr_via via;
	uint32_t access;            /**< access flags of the region */
	enum mr_memory_type memory; /**< it is registered on */
	uint64_t huge_size;         /**< bytes of a huge page; 0: the default size */
	enum mr_dmabuf_type dmabuf; /**< of calls on a dma-buf */
	uint32_t detail;            /**< the advice, the changes of a rereg, the type of a window */
	int yes_errno;              /**< a refusal that means yes; 0: none does */
	enum mr_capability capability;  /**< of the device, which is to agree with the answer */
	uint64_t device_bits, odp_bits; /**< of device_cap_flags and odp_caps */
};

/** The answer of a trial. */
struct mr_trial_answer {
	enum mr_tristate answer;
	int errnum;              /**< of the call; 0: it succeeded, or was not made */
	const char *call;        /**< "ibv_reg_mr"; NULL: none was made */
	const char *layer;       /**< that refused: "uverbs"; NULL: not proven */
	const char *kernel_call; /**< what the kernel was asked in its place; NULL: not proven */
	bool made;               /**< the call was made, and took elapsed_ns */
	uint64_t elapsed_ns;
	enum mr_tristate capability; /**< what the device says */
	enum mr_tristate agrees;     /**< whether that agrees with the answer */
	char reason[256];            /**< why the answer is unknown, or what it means; or empty */
};

/** How an attempt went. */
struct mr_attempt {
	struct mr_probe *probe;
	const struct mr_trial *trial;
	/**
	 * The context has no descriptor during the call.  A call that asks the kernel then fails with EBADF; one that
	 * the library refuses by itself still fails as before.
	 */
	bool blind;
	struct mr_trial_answer
		found; /**< call, layer, kernel_call and reason also by the functions of a trial */
	int rc;        /**< of the call, or of the first preparation that failed: 0 or -errno */
	struct mr_error err;
	struct ibv_context *context; /**< of the call */
	/** Prerequisite that the host lacks, so that only the lack of the call itself is an answer; or empty. */
	char lack[256];

	/* Objects made for the call, and taken back after it; all zeros: none. */
	struct mr_registrar registrar;
	struct mr_region_request request;
	struct mr_region region;
	bool has_region;
	bool is_plain; /**< @region was to be one of on-demand paging */
	struct mr_memory memory;
	struct mr_dmabuf dmabuf;
	struct mr_dm dm;
	struct mr_dmah dmah;
	struct mr_device imported;
	struct ibv_pd *pd; /**< a second one, to move a region to */
	struct ibv_mw *window;

	/* Results of the attempt itself, if it has any: */
	enum mr_tristate proven; /**< the answer of a call that succeeded; MR_UNKNOWN: yes */
	bool doubtful;           /**< the answer is unknown, for the reason below */
};

/** MR_ATTEMPT_REASON() - say why the answer is as it is */
#define MR_ATTEMPT_REASON(attempt, ...)                                                            \
	snprintf((attempt)->found.reason, sizeof((attempt)->found.reason), __VA_ARGS__)

/** All trials, by group; ends with one that has no id. */
extern const struct mr_trial mr_trials[];

/**
 * mr_probe_open() - open a device and map memory
 * @name:        as of mr_device_open()
 * @environment: set as mr_device_open() does; must outlive @probe
 *
 * Return: 0, or -errno as mr_device_open() and mr_memory_map().  mr_probe_close() it.
 */
int mr_probe_open(struct mr_probe *probe, const char *name, struct mr_environment *environment,
		  struct mr_error *err);

/** mr_probe_close() - unmap the memory and close the device */
void mr_probe_close(struct mr_probe *probe);

/** mr_probe_try() - make a trial; sets @answer */
void mr_probe_try(struct mr_probe *probe, const struct mr_trial *trial,
		  struct mr_trial_answer *answer);

/** The result.  Sizes are bytes. */
struct mr_max_size {
	uint64_t cap;              /**< no larger size was tried */
	const char *cap_by;        /**< what gave the cap: "MemAvailable"; NULL: the caller */
	struct mr_opt_u64 size;    /**< the largest that worked */
	struct mr_opt_u64 refused; /**< the smallest that was refused; not known: none was */
	struct mr_error err;       /**< what ended the search, with its call and errno */
	const char *limit; /**< that was exceeded, by its figure: "RLIMIT_MEMLOCK"; or NULL */
	uint64_t tries;
	uint64_t elapsed_ns; /**< in all */
};

/**
 * mr_max_size_find() - find the largest region of ordinary memory that can be registered
 * @cap: bytes, of which 15/16 of what is available are used at most (mr_available_read()); not known: half of it
 * @step: called before each try with the bytes it takes, to show progress
 *
 * The search ends early where a region cannot be deregistered, because its pages stay pinned until the device is
 * closed, and where the device fails (EIO) or has gone (ENODEV), which tells nothing of a size.
 *
 * Sizes are doubled from a page on, up to one that is refused or the cap.  Then the gap is halved until it is
 * a page, or 1/1024 of the size.  Each try maps new memory, registers, deregisters and unmaps it.
 *
 * Return: 0; -errno with MR_ERROR_HOST where no cap can be derived.
 */
int mr_max_size_find(struct mr_probe *probe, struct mr_opt_u64 cap,
		     void (*step)(uint64_t bytes, void *data), void *data,
		     struct mr_max_size *found, struct mr_error *err);

#endif
