/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* What was asked for when something was refused, in enough detail to ask for the same elsewhere. */
#ifndef CMD_REGION_REQUEST_H
#define CMD_REGION_REQUEST_H

#include "cmd/output/output.h"

struct request {
	const char *const *argv; /**< the command line */
	const char *memory;
	struct mr_opt_u64 addr;
	struct mr_opt_u64 offset; /**< of a dma-buf or memory on the device, in the place of addr */
	struct mr_opt_u64 length;
	struct mr_opt_u64 iova;
	struct mr_opt_u64 access;
	struct mr_opt_u64 access_bits;
	struct mr_opt_u64 page_sizes;
	const char *dmah; /**< what the DMA handle is for, as typed */
	const char *pd;
	struct mr_opt_u64 count; /**< regions that were asked for (--count) */
};

extern const struct record request_record;

/**
 * request_keep() - replace the strings of @request by copies
 * @former: another request, which keeps its strings as long as @request does: equal strings are shared; or
 *          NULL
 *
 * A string becomes NULL if there is no memory for its copy.
 */
void request_keep(struct request *request, const struct request *former);

/**
 * request_release() - free the strings of @request
 * @next: the request that was kept after it: strings that both share stay; or NULL
 */
void request_release(struct request *request, const struct request *next);

#endif
