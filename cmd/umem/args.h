/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The options of mrctl umem. */
#ifndef CMD_UMEM_ARGS_H
#define CMD_UMEM_ARGS_H

#include "cmd/register/args.h"

/** What the options of mrctl umem fill. */
struct umem_args {
	struct register_args common;
	struct dmabuf_args dmabuf;
	struct mr_opt_u64 page_sizes; /**< the pgsz_bitmap */
	bool try_page_sizes;
	const char *import; /**< the blob as typed, or NULL */
};

#endif
