/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What a check is asked, and what it found. */
#ifndef LIB_DIAGNOSE_FINDING_H
#define LIB_DIAGNOSE_FINDING_H

#include "lib/base/base.h"
#include "lib/host/reading.h"

/** How bad a finding is, in this order. */
enum mr_verdict {
	MR_VERDICT_NA, /**< not this host's business: it has no such thing, and needs none */
	MR_VERDICT_OK,
	MR_VERDICT_UNKNOWN, /**< could not be found out */
	MR_VERDICT_WARN,    /**< works, but will not for some, or may not last */
	MR_VERDICT_BAD,     /**< registration fails, or will */
	MR_VERDICTS,        /**< how many there are */
};

/** The names of verdicts, for output and options. */
extern const struct mr_word mr_verdicts[MR_VERDICTS + 1];

/** What a check is asked. */
struct mr_question {
	struct mr_host *host;
	struct mr_opt_u64
		size; /**< bytes of a planned registration on each device; not known: none */
	uint64_t
		huge_size; /**< bytes of the huge pages that the planned memory has; 0: it has none */
	bool is_gpu;       /**< the planned memory is that of a GPU */
	const char *device; /**< the only device that is asked about; NULL: all */
};

/** What a check found. */
struct mr_finding {
	enum mr_verdict verdict;
	bool is_hidden; /**< unknown, as in each ordinary container: no monitoring is to alarm */
	/**
	 * One line: the figure with its threshold.  It is equal on equal hosts: process ids, and use that
	 * changes by itself, stand in the detail, unless they are the reason of the verdict.
	 */
	char figure[256];
	char detail[256]; /**< what else was seen; may be empty */
	char remedy[256]; /**< what to do; empty where the verdict is ok or n/a */
};

/** mr_finding_set() - set verdict and figure */
void mr_finding_set(struct mr_finding *finding, enum mr_verdict verdict, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** mr_finding_detail() - add to the detail, after "; " where it has some already */
void mr_finding_detail(struct mr_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mr_finding_remedy() - set the remedy */
void mr_finding_remedy(struct mr_finding *finding, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mr_finding_unread() - set the verdict "unknown", as a file or folder of the host could not be read
 * @path:  absolute
 * @error: the errno, positive; the remedy depends on it
 */
void mr_finding_unread(struct mr_finding *finding, const char *path, int error);

#endif
