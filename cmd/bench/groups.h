/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Groups of rows that differ in size alone. */
#ifndef CMD_BENCH_GROUPS_H
#define CMD_BENCH_GROUPS_H

#include "cmd/bench/job.h"
#include "cmd/output/fields.h"

/** What the rows of a group have in common; the first member of a record about groups. */
struct bench_group_row {
	const char *call;
	char device[96];
	const char *memory;
	const char *state;
	struct mr_opt_u64 threads, processes, occupied;
	const char *direction;
};

/** BENCH_GROUP_FIELDS() - the fields of @structure's member group */
#define BENCH_GROUP_FIELDS(structure)                                                              \
	FIELD_AS("call", structure, group.call, FIELD_STRING, 0, "what was measured"),             \
		FIELD_AS("device", structure, group.device, FIELD_TEXT, 0, "RDMA device"),         \
		FIELD_AS("memory", structure, group.memory, FIELD_STRING, 0, "kind of memory",     \
			 .usual = "anon"),                                                         \
		FIELD_AS("state", structure, group.state, FIELD_STRING, 0,                         \
			 "of the memory before each call", .usual = "populated"),                  \
		FIELD_AS("threads", structure, group.threads, FIELD_NUMBER, 0,                     \
			 "threads of each process", .usual = "1"),                                 \
		FIELD_AS("processes", structure, group.processes, FIELD_NUMBER, 0,                 \
			 "processes for each device", .usual = "1"),                               \
		FIELD_AS("occupied", structure, group.occupied, FIELD_NUMBER, 0,                   \
			 "regions that were registered already", .usual = "0"),                    \
		FIELD_AS("direction", structure, group.direction, FIELD_STRING, 0,                 \
			 "whether they had become more or fewer")

/** The columns of those fields, for a table. */
#define BENCH_GROUP_COLUMNS "call,device,memory,state,threads,processes,occupied,direction"

/** bench_device_text() - "mlx5_0", or "mlx5_0 (simulated)" */
void bench_device_text(const struct mr_environment *environment, char *text, size_t size);

/** bench_memory_text() - the kind of memory, or the source of the dma-buf */
const char *bench_memory_text(const struct mr_bench_point *point);

/** bench_same_setup() - whether two setups differ in size at most */
bool bench_same_setup(const struct bench_setup *left, const struct bench_setup *right);

/** bench_same_group() - whether two series differ in size at most */
bool bench_same_group(const struct bench_series *left, const struct bench_series *right);

/** bench_begins_group() - whether that series was measured, and no series before it is of its group */
bool bench_begins_group(const struct bench_job *job, size_t index);

void bench_group_fill(struct bench_group_row *row, const struct bench_series *series);

/** bench_group_text() - "reg on mlx5_0, thp, 4 threads": what differs from the default is told */
void bench_group_text(const struct bench_series *series, char *text, size_t size);

#endif
