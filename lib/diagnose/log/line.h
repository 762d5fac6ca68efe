/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Lines in which other programs tell that a registration was refused: UCX, NCCL, libfabric, Mooncake, perftest,
 * rdma-core, the kernel's drivers.  They are not known one by one: what counts is the name of a call or a few words
 * that stand for it, an errno as name, text or number, and numbers behind words such as "length".
 */
#ifndef LIB_DIAGNOSE_LOG_LINE_H
#define LIB_DIAGNOSE_LOG_LINE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/number.h"
#include "lib/diagnose/causes/refusal.h"
#include "lib/host/mlx5_status.h"

/** Bytes of a line.  No program writes longer ones about a registration. */
#define MR_LOG_LINE_MAX 4095

/** What a line says. */
struct mr_log_line {
	const char *call; /**< that mr_operations_of_name() knows: "ibv_reg_mr"; NULL: none */
	bool is_named;    /**< the line has that name; else words that stand for it mostly */
	int errnum;       /**< positive; 0: the line has none */
	int other_errnum; /**< another one that the line has as well; 0: none */
	struct mr_opt_u64 addr, length, iova;
	struct mr_opt_u64 access; /**< IBV_ACCESS_... */
	char provider[16];        /**< of the device that the line names: "mlx5"; or empty */
	char device[32];          /**< its name: "mlx5_0"; or empty */
	/* Of a line of mlx5_core: */
	char command[48];           /**< of the firmware: "CREATE_MKEY"; or empty */
	struct mr_opt_u64 status;   /**< its answer */
	struct mr_opt_u64 syndrome; /**< the firmware's number for the reason */
};

/**
 * mr_log_line_read() - read a line
 * @text: @length bytes, which may be any
 *
 * Return: whether it is about a call of this kind, and says or implies its errno.  @line is set to what was found
 * in either case.
 */
bool mr_log_line_read(struct mr_log_line *line, const char *text, size_t length);

/**
 * mr_log_line_request() - the request of which the line tells
 *
 * Return: whether the line has all of it: call, address, length and access.
 */
bool mr_log_line_request(const struct mr_log_line *line, struct mr_region_request *request);

#endif
