/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* One attempt of a trial: what has to be there first, and the call. */
#ifndef LIB_PROBE_ATTEMPT_H
#define LIB_PROBE_ATTEMPT_H

#include "lib/base/base.h"
#include "lib/probe/context.h"
#include "lib/probe/trial.h"

/** How an attempt went. */
struct mr_attempt {
	bool made;        /**< the call was made */
	int rc;           /**< of the call, or of the first preparation that failed: 0 or -errno */
	const char *call; /**< that was made */
	uint64_t start_ns, elapsed_ns;
	struct mr_error err;
	/** The context of the call, where that is not the probe's; to be set before mr_attempt_begin(). */
	struct ibv_context *context;
	int fd; /**< its descriptor, while the probe is blind */
	/* What the attempt itself finds out, where it does: */
	enum mr_tristate proven; /**< the answer of a call that succeeded; MR_UNKNOWN: yes */
	bool doubtful;           /**< the answer is unknown, for the reason below */
	const char *layer;       /**< that refused */
	const char *kernel_call; /**< as of struct mr_trial_answer */
	char reason[256];        /**< or empty */
};

/**
 * mr_attempt_begin() - the call that is tried comes next
 * @call: its name
 *
 * Where the probe is blind the context has no descriptor until mr_attempt_end().  A call that asks the kernel
 * then fails with EBADF; one that the library refuses by itself still fails as before.
 */
void mr_attempt_begin(struct mr_probe *probe, struct mr_attempt *attempt, const char *call);

/** mr_attempt_end() - the call has been made; @rc: 0 or -errno, with attempt->err set */
void mr_attempt_end(struct mr_attempt *attempt, int rc);

/** mr_attempt_reason() - say why the answer is as it is */
void mr_attempt_reason(struct mr_attempt *attempt, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mr_attempt_doubt() - say why the answer is unknown */
void mr_attempt_doubt(struct mr_attempt *attempt, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mr_attempt_without() - try what can be tried where the host lacks something
 * @request: with other memory, or without a descriptor
 * @fmt:     what the host lacks: the answer is unknown for this reason
 *
 * Where the device, its driver or its library lacks the call altogether, that is the answer all the same.
 */
void mr_attempt_without(struct mr_probe *probe, const struct mr_trial *trial,
			const struct mr_region_request *request, struct mr_attempt *attempt,
			const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/** mr_attempt_lacks() - whether a refusal means that there is no such call or attribute at all */
bool mr_attempt_lacks(int errnum);

/** mr_attempt_registrar() - the path of a trial */
const struct mr_registrar *mr_attempt_registrar(const struct mr_probe *probe,
						const struct mr_trial *trial);

/** mr_attempt_prepare() - register what a trial needs, such as a region that it changes.  Return: 0 or -errno. */
int mr_attempt_prepare(struct mr_probe *probe, const struct mr_region_request *request,
		       struct mr_region *region, struct mr_attempt *attempt);

/** mr_attempt_register() - register as the call that is tried.  Return: 0 or -errno; deregister @region then. */
int mr_attempt_register(struct mr_probe *probe, const struct mr_trial *trial,
			const struct mr_region_request *request, struct mr_region *region,
			struct mr_attempt *attempt);

/** mr_attempt_deregister() - take a region back */
void mr_attempt_deregister(struct mr_probe *probe, struct mr_region *region,
			   struct mr_attempt *attempt);

#endif
