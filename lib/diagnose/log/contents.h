/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_DIAGNOSE_LOG_CONTENTS_H
#define LIB_DIAGNOSE_LOG_CONTENTS_H

#include <stdbool.h>

#include "lib/base/base.h"

/** Bytes of a line.  No program writes longer ones about a registration. */
#define MR_LOG_LINE_MAX 4095

/** What a line can say beside its call, and the cause that it speaks for. */
struct mr_log_topic {
	const char *words[5]; /**< one of them is in the line; "^" as of has_one() */
	const char *id;       /**< of the cause */
	int errnum;           /**< only where the call has this errno, or none is known; 0: any */
	bool is_likely;       /**< else possible */
	bool is_reason;       /**< the line need not have a call */
	bool excludes;        /**< it speaks against the cause */
	bool has_no_errno;    /**< numbers in the line are none */
	const char *text;     /**< the evidence, a clause; not of those that exclude */
};

/** All topics; the last one has no id. */
extern const struct mr_log_topic mr_log_topics[];

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
	bool is_on_gpu;           /**< memory of a GPU is meant */
	bool is_of_gpu_program;   /**< the program registers memory of GPUs mostly */
	bool is_memlock;          /**< the limit of locked memory is named */
	struct mr_opt_u64 limit;  /**< that limit, in bytes */
	bool is_pinning;          /**< a function that pins memory is named */
	bool is_of_libfabric;     /**< a function of libfabric is named (fi_mr_reg) */
	bool is_reason;  /**< it has no refused call, but the reason why calls are refused */
	uint32_t topics; /**< bits: the index in mr_log_topics of each that it has */
	const char
		*remark; /**< why it is no refusal of a call of libibverbs, a sentence; or NULL */
	/* Of a line of mlx5_core: */
	char command[48];           /**< of the firmware: "CREATE_MKEY"; or empty */
	struct mr_opt_u64 status;   /**< its answer */
	struct mr_opt_u64 syndrome; /**< the firmware's number for the reason */
};

#endif
