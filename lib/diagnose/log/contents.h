/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_DIAGNOSE_LOG_CONTENTS_H
#define LIB_DIAGNOSE_LOG_CONTENTS_H

#include <stdbool.h>

#include "lib/base/number.h"

/** Bytes of a line.  No program writes longer ones about a registration. */
#define MR_LOG_LINE_MAX 4095

/** What a line says. */
struct mr_log_line {
	const char *call; /**< that mr_operations_of_name() knows: "ibv_reg_mr"; NULL: none */
	bool is_named;    /**< the line has that name; else words that stand for it mostly */
	bool is_bare; /**< "registration" alone stands for it: its errno tells whether it is meant */
	bool has_failed;  /**< it says that something went wrong, in words */
	int errnum;       /**< positive; 0: the line has none */
	int other_errnum; /**< another one that the line has as well; 0: none */
	struct mr_opt_u64 addr, length, iova;
	struct mr_opt_u64 access; /**< IBV_ACCESS_... */
	char provider[16];        /**< of the device that the line names: "mlx5"; or empty */
	char device[32];          /**< its name: "mlx5_0"; or empty */
	bool is_on_gpu;           /**< memory of a GPU is meant, or likely */
	bool is_memlock;          /**< the limit of locked memory is named */
	struct mr_opt_u64 limit;  /**< that limit, in bytes */
	bool is_mtt;              /**< the device's translations (MTTs) are named */
	bool is_umr;              /**< a work request for a key (UMR) of mlx5 is named */
	bool is_pinning;          /**< a function that pins memory is named */
	const char
		*remark; /**< why it is no refusal of a call of libibverbs, a sentence; or NULL */
	/* Of a line of mlx5_core: */
	char command[48];           /**< of the firmware: "CREATE_MKEY"; or empty */
	struct mr_opt_u64 status;   /**< its answer */
	struct mr_opt_u64 syndrome; /**< the firmware's number for the reason */
};

#endif
