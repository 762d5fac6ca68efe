/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* How a registering command answers: its regions, and the failures with what was asked for. */
#ifndef CMD_REGISTER_ANSWER_H
#define CMD_REGISTER_ANSWER_H

#include "cmd/register/job.h"

/**
 * register_name() - the name of a region: NULL, or --name, with its number where there are several
 * @buffer: room for it
 */
const char *register_name(const struct register_job *job, uint64_t index, char *buffer,
			  size_t size);

/** register_columns() - the usual columns of the table of new regions */
const char *register_columns(struct register_job *job);

/**
 * register_fail() - report a failure, with what was asked for
 * @request: the region's, or NULL where there was none yet
 *
 * Return: as answer_fail().
 */
bool register_fail(struct register_job *job, struct mr_error *err, uint64_t index, uint64_t id,
		   const struct mr_region_request *request);

/** register_refuse() - report a refusal of the stack, with what was asked for in words */
void register_refuse(struct register_job *job, struct mr_error *err, uint64_t index,
		     const struct mr_region_request *request);

/** register_row() - print a region */
void register_row(struct register_job *job, const struct new_region *new);

/** register_fail_interrupted() - report that a signal came before all was done; @index: of which region */
void register_fail_interrupted(struct register_job *job, uint64_t index);

/** register_prints_rows() - whether the regions are printed */
bool register_prints_rows(const struct register_job *job);

#endif
