/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares tries: a refused call that is made again with one thing changed. */
#ifndef LIB_DIAGNOSE_TRIAL_TRIAL_H
#define LIB_DIAGNOSE_TRIAL_TRIAL_H

#include "lib/diagnose/causes/causes.h"
#include "lib/memory/memory.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

/** Time that the tries of a command take, in nanoseconds; a call that has begun is not cut short. */
#define MR_TRIES_NS UINT64_C(5000000000)

/**
 * mr_tries_make() - repeat a refused call
 * @ns: time that it may take
 *
 * The call itself comes first.  Changes follow only where it is refused again with the same errno.  What passes
 * is deregistered at once.  Regions that were there before are left as they are, and nothing is registered in a
 * session, which would outlive this process.  The tries end early where a signal is pending (mr_interrupted()).
 */
void mr_tries_make(const struct mr_refusal *refusal, uint64_t ns, struct mr_tries *tries);

/** mr_tries_exist() - whether mr_tries_make() can try anything */
bool mr_tries_exist(const struct mr_refusal *refusal);

/** mr_tries_text() - what the tries tell, as a sentence without a subject: "it passes without remote-atomic; ..." */
void mr_tries_text(const struct mr_tries *tries, char *text, size_t size);

/**
 * What the tries of a refused call are made with: the request, and a context that is this process's alone.  So
 * the kernel takes back whatever a try has made, also where the process is killed.
 */
struct mr_bench {
	const struct mr_refusal *refusal;
	enum mr_operation operation;
	enum mr_try_change first;         /**< how the call itself is repeated */
	struct mr_region_request request; /**< of the call itself */
	struct mr_registrar base;         /**< of the call itself */
	/* The context of @base, on either path: */
	struct ibv_context *context;
	struct ibv_pd *pd; /**< or NULL: a umem needs none */
	struct mr_uverbs uverbs;
	/* Opened for the tries, or all zeros: */
	struct mr_device own;
	struct mr_dm dm;
	struct mr_environment environment;

	uint64_t page;            /**< bytes of one */
	uint64_t available;       /**< bytes that a try may take */
	const char *available_by; /**< as of struct mr_available */
	uint64_t until_ns;        /**< the tries end then, as mr_now_ns() counts */
};

struct mr_change_row;

/** The call with one thing changed, and what was made for it. */
struct mr_variant {
	const struct mr_bench *bench;
	const struct mr_change_row *row; /**< the change */
	struct mr_region_request request;
	struct mr_registrar registrar;
	struct mr_memory memory; /**< or all zeros */
	struct mr_dmabuf dmabuf; /**< or all zeros */
	struct ibv_pd *pd;       /**< or NULL */
	char words[48];          /**< in place of those of the row; or empty */
	char reason[128];        /**< why it cannot be tried; empty: it can */
};

/** A change. */
struct mr_change_row {
	const char *id;      /**< is never renamed, as scripts may name it: "half" */
	const char *words;   /**< go on with "it passes": "with half the length" */
	uint32_t operations; /**< it can be made for: bits, MR_ON(REG) | ... */
	uint32_t flag;       /**< an access flag */
	/**
	 * Makes the change in a copy of the call, @variant.  NULL: there is nothing to change.
	 * Return: whether the change is one; @variant->reason may say that it cannot be made here.
	 */
	bool (*change)(struct mr_variant *variant);
};

/** The changes, by enum mr_try_change. */
extern const struct mr_change_row mr_changes[MR_TRY_CHANGES];

/**
 * mr_variant_init() - make a change in a copy of the call
 * Return: whether the change is one for this call.  mr_variant_release() it in either case.
 */
bool mr_variant_init(struct mr_variant *variant, const struct mr_bench *bench,
		     const struct mr_change_row *row);

/** mr_variant_release() - free what was made for it */
void mr_variant_release(struct mr_variant *variant);

#endif
