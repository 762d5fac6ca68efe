/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A refused call that was repeated, each time with one thing changed: what passes shows the minimal difference.
 * lib/diagnose/trial makes the tries; here is what a diagnosis learns of them.
 */
#ifndef LIB_DIAGNOSE_CAUSES_TRIES_H
#define LIB_DIAGNOSE_CAUSES_TRIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** What is changed, in the order of the tries.  The first three repeat the call itself. */
enum mr_try_change {
	MR_TRY_UNCHANGED,   /**< nothing */
	MR_TRY_OWN_CONTEXT, /**< nothing but the context and PD: a session's are left alone */
	MR_TRY_ANEW,        /**< of a change of a region: the same is registered anew */
	MR_TRY_NO_LOCAL_WRITE,
	MR_TRY_NO_REMOTE_WRITE,
	MR_TRY_NO_REMOTE_READ,
	MR_TRY_NO_REMOTE_ATOMIC,
	MR_TRY_NO_MW_BIND,
	MR_TRY_NO_ZERO_BASED,
	MR_TRY_NO_ON_DEMAND,
	MR_TRY_NO_HUGETLB,
	MR_TRY_NO_FLUSH_GLOBAL,
	MR_TRY_NO_FLUSH_PERSISTENT,
	MR_TRY_NO_RELAXED_ORDERING,
	MR_TRY_NO_OTHER_FLAGS, /**< without flags that have no name */
	MR_TRY_LOCAL_WRITE,
	MR_TRY_ON_DEMAND,
	MR_TRY_HALF,
	MR_TRY_PAGE,
	MR_TRY_ALIGNED,
	MR_TRY_FRESH_MEMORY,
	MR_TRY_IOVA,
	MR_TRY_OFFSET_0,
	MR_TRY_UDMABUF,
	MR_TRY_NO_DATA_DIRECT,
	MR_TRY_ANY_PAGE_SIZE,
	MR_TRY_OTHER_CALL,
	MR_TRY_OTHER_PATH,
	MR_TRY_OTHER_PD,
	MR_TRY_CHANGES, /**< how many there are */
};

/** MR_CURED_BY() - the bit of a change: MR_CURED_BY(HALF) | MR_CURED_BY(PAGE) */
#define MR_CURED_BY(change) (UINT64_C(1) << MR_TRY_##change)

/** A try. */
struct mr_try {
	enum mr_try_change change;
	const char *id;      /**< "without-remote-atomic" */
	char words[48];      /**< "without remote-atomic" */
	bool made;           /**< the call was made */
	int errnum;          /**< of the call; 0: it passed */
	uint64_t elapsed_ns; /**< time the call took */
	char reason[128];    /**< why it was not made, or a remark; or empty */
};

struct mr_tries {
	struct mr_try list[MR_TRY_CHANGES];
	size_t count;
	/** The call itself was made again, and refused as before: so a change that passes makes the difference. */
	bool is_refused_again;
	uint64_t elapsed_ns; /**< of all */
	char note[192];      /**< why there are no tries, or no more; or empty */
};

/** mr_tries_find() - the try of a change that was made, or NULL */
static inline const struct mr_try *mr_tries_find(const struct mr_tries *tries,
						 enum mr_try_change change)
{
	for (size_t i = 0; i < tries->count; i++)
		if (tries->list[i].change == change && tries->list[i].made)
			return &tries->list[i];
	return NULL;
}

#endif
