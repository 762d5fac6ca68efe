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

#include "lib/diagnose/causes/refusal.h"
#include "lib/diagnose/log/contents.h"

/**
 * mr_log_line_read() - read a line
 * @text: @length bytes, which may be any
 *
 * Return: whether it tells of a refusal: of a call of this kind, with its errno or with words that say that it
 * failed; of the limit of locked memory; or one that has a remark.  @line is set to what was found in either case.
 */
bool mr_log_line_read(struct mr_log_line *line, const char *text, size_t length);

/** mr_log_line_context() - add to @line what a line near it says of its memory */
void mr_log_line_context(struct mr_log_line *line, const char *text, size_t length);

/** mr_log_line_errno() - the errno of a line that mrctl cannot tell the call of; 0: it has none */
int mr_log_line_errno(const char *text, size_t length);

/**
 * mr_log_line_part() - how many bytes of the line are about one call: a line may tell of several, each with its errno
 */
size_t mr_log_line_part(const char *text, size_t length);

/**
 * mr_log_line_request() - the request of which the line tells
 *
 * Return: whether the line has all of it: call, address, length and access.
 */
bool mr_log_line_request(const struct mr_log_line *line, struct mr_region_request *request);

#endif
