/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The output of a registering command: its regions, and its failures with what was asked for. */
#ifndef CMD_REGISTER_ANSWER_H
#define CMD_REGISTER_ANSWER_H

#include "cmd/register/job.h"

/**
 * register_name() - the name of a region: --name, or "NAME.INDEX" if there are several
 * @buffer: room of @size bytes for that
 *
 * Return: NULL without --name.
 */
const char *register_name(const struct register_job *job, uint64_t index, char *buffer,
			  size_t size);

/** register_columns() - the columns of the table of new regions, if -o does not name others */
const char *register_columns(struct register_job *job);

/**
 * register_fail() - report a failure, with what was asked for
 * @index:   which of --count, from 1; 0: the failure is about none
 * @id:      of the region; 0: it has none
 * @request: what the call was given; NULL: the command failed outside of a call that registers
 *
 * Return: as answer_fail().
 */
bool register_fail(struct register_job *job, struct mr_error *err, uint64_t index, uint64_t id,
		   const struct mr_region_request *request);

/**
 * register_fail_region() - report a failure about a region that was registered
 * @advised: the range that advice was given about; NULL: the failure is not about advice
 *
 * Return: as answer_fail().
 */
bool register_fail_region(struct register_job *job, struct mr_error *err,
			  const struct new_region *new, const struct mr_advice_range *advised);

/**
 * register_refuse() - report that the stack refused a region, and in words what was asked for
 * @index, @request: as of register_fail()
 */
void register_refuse(struct register_job *job, struct mr_error *err, uint64_t index,
		     const struct mr_region_request *request);

/** register_row() - print a region */
void register_row(struct register_job *job, const struct new_region *new);

/**
 * register_fail_interrupted() - report that a signal came before all was done
 * @index: of the region that was next, from 1
 */
void register_fail_interrupted(struct register_job *job, uint64_t index);

/** register_prints_rows() - whether the regions are printed */
bool register_prints_rows(const struct register_job *job);

#endif
