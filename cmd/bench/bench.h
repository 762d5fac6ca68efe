/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mrctl bench: what its files share. */
#ifndef CMD_BENCH_BENCH_H
#define CMD_BENCH_BENCH_H

#include <stdbool.h>

#include "cmd/cli/command.h"
#include "cmd/cli/option_table.h"
#include "cmd/cli/option_types.h"
#include "cmd/output/fields.h"
#include "cmd/output/json_tree.h"
#include "cmd/region/answer.h"
#include "lib/base/error.h"
#include "lib/base/number.h"
#include "lib/bench/bench.h"
#include "lib/bench/forecast.h"
#include "lib/host/processor.h"
#include "lib/host/rdma_device.h"
#include "lib/memory/dmabuf.h"
#include "lib/memory/kinds.h"

/* Options of mrctl bench that take lists: "4K,64K", "4K..1G", "1..8". */

enum { SWEEP_MAX = 64 /**< values of a list */ };

/** A list of numbers; empty: it was not given. */
struct sweep {
	uint64_t values[SWEEP_MAX];
	size_t count;
};

/** A list of kinds of memory. */
struct sweep_memory {
	struct mr_memory_kind kinds[SWEEP_MAX];
	size_t count;
};

/** What --occupied asks for. */
struct sweep_occupied {
	uint64_t count; /**< regions; 0: none */
	uint64_t bytes; /**< of each */
};

/** What --plan asks for. */
struct sweep_planned {
	uint64_t bytes;
	bool given;
};

/** Sizes; a range has each size that is four times the one before. */
#define OPTION_CTYPE_sizes struct sweep
/** Numbers from 1; a range has each that is twice the one before, and its end. */
#define OPTION_CTYPE_counts struct sweep
/** Kinds of memory, one for each time the option is given. */
#define OPTION_CTYPE_memories struct sweep_memory
/** N,BYTES */
#define OPTION_CTYPE_occupied struct sweep_occupied

/** Bytes, with an IEC suffix; that they were given chooses a view. */
#define OPTION_CTYPE_planned struct sweep_planned

/** A part of something, in thousandths: "5%", "2.5%". */
#define OPTION_CTYPE_percent struct mr_opt_u64

extern const struct option_type option_type_sizes, option_type_counts, option_type_memories,
	option_type_occupied, option_type_planned, option_type_percent;

/** What the options fill. */
struct bench_args {
	struct sweep sizes;
	struct sweep_memory memory;
	struct mr_dmabuf_source from; /**< no text: it was not given */
	struct access_option access;
	struct via_option via;
	struct sweep threads, processes;
	bool all_devices;
	struct sweep_occupied occupied;
	struct mr_opt_u64 rounds;
	struct mr_opt_u64 seconds; /**< for each row, in nanoseconds */
	struct mr_opt_u64 calls;   /**< of each worker, for each row */
	bool plot;
	const char *svg; /**< file for pictures, or NULL */
	struct sweep_planned plan;
	bool compare;                /**< the operands are documents */
	struct mr_opt_u64 tolerance; /**< in thousandths */
	bool anyway;
};

/** Without options: rounds, and nanoseconds for each row. */
#define BENCH_ROUNDS  10
#define BENCH_ROW_NS  UINT64_C(500000000)
#define BENCH_WARM_UP 3 /**< calls of each worker in each round that do not count */

/** Without --tolerance: 5 %, in thousandths. */
#define BENCH_TOLERANCE 50

extern const struct command_view bench_compare;

/* Series of measurements: what was asked for, and what came out of it. */

/** How the memory is before each call: its pages are there. */
#define BENCH_STATE "populated"

/** What was already registered, and how that came about. */
struct bench_level {
	uint64_t regions;
	uint64_t bytes;        /**< of each */
	const char *direction; /**< "ascending", "descending"; or NULL: there is one level */
};

/** A point with so many workers, on however many devices are measured at once. */
struct bench_setup {
	struct mr_bench_point point;
	uint32_t threads, processes;
	bool failed;   /**< a call has failed, so that it is not measured any more */
	bool unmapped; /**< its memory could not be had */
};

/** What a round came to. */
struct bench_round_result {
	uint64_t p50_ns;     /**< mean of the medians of its workers */
	uint64_t slowest_ns; /**< the median of the slowest worker */
	uint64_t count;
};

/** The measurements of a setup at a level, on one device. */
struct bench_series {
	const struct bench_setup *setup;
	const struct bench_level *level;
	const struct mr_environment *environment; /**< of the device */
	uint64_t first_ns;                        /**< the first call of all */
	struct mr_histogram histogram;
	struct bench_round_result *rounds;
	size_t round_count;
};

/** bench_median() - the median of values, which stay as they are; 0 where there is none, or no memory to sort in */
uint64_t bench_median(const uint64_t *values, size_t count);

/** bench_series_add() - add what the workers at @place have measured in a round */
void bench_series_add(struct bench_series *series, const struct mr_bench_crew *crew, size_t place);

/* A run of mrctl bench. */

/** Levels with --occupied: up in quarters, and down again. */
#define BENCH_LEVELS 9

struct bench_counters;

struct bench_job {
	const struct invocation *invocation;
	const struct bench_args *args;
	struct answer answer;
	char **devices; /**< names; NULL stands for the only one there is */
	size_t device_count;
	struct mr_bench_place
		*places[MR_REGION_KINDS]; /**< of each device, by what is registered */
	struct bench_setup *setups;
	size_t setup_count;
	struct bench_level levels[BENCH_LEVELS];
	size_t level_count;
	struct bench_series *series; /**< by level, setup and device: bench_job_series() */
	struct bench_counters
		*counters; /**< of each device, before the first call; NULL: not read */
	uint32_t rounds;
	uint64_t row_ns;      /**< for each row; 0: --count counts */
	uint64_t done, total; /**< rounds of all rows */
	uint64_t start_ns;
	bool is_interrupted;
};

static inline struct bench_series *bench_job_series(const struct bench_job *job, size_t level,
						    size_t setup, size_t device)
{
	return &job->series[(level * job->setup_count + setup) * job->device_count + device];
}

static inline size_t bench_job_series_count(const struct bench_job *job)
{
	return job->level_count * job->setup_count * job->device_count;
}

/**
 * bench_plan() - find out from the command line what is to be measured
 * @job: setups, levels and rounds are set; its devices are known
 *
 * Return: 0, or -errno; with MR_ERROR_USAGE where the command line makes no sense.
 */
int bench_plan(struct bench_job *job, struct mr_error *err);

/** bench_check() - whether a command line makes sense: check of struct command */
int bench_check(const struct invocation *invocation, struct mr_error *err);

/** bench_measure() - measure it; refusals are reported.  Return: 0, or -errno where nothing could be measured. */
int bench_measure(struct bench_job *job, struct mr_error *err);

/** bench_print() - print what was measured.  Return: an exit status, or -errno. */
int bench_print(struct bench_job *job, struct mr_error *err);

/* Groups of rows that differ in size alone. */

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

/* What mrctl bench prints: a row for each point, and what is told beside the rows. */

/** A round of a row. */
struct bench_round_row {
	struct mr_opt_u64 p50_ns, slowest_ns, count;
};

/** A bucket of a row's histogram. */
struct bench_bucket_row {
	struct mr_opt_u64 ns, count;
};

/** A row. */
struct bench_row {
	const char *call;
	char device[96];
	bool simulated;
	const char *memory;
	struct mr_opt_u64 size;
	struct mr_opt_u64 access, access_bits;
	const char *via;
	const char *state;
	struct mr_opt_u64 threads, processes;
	struct mr_opt_u64 occupied, occupied_bytes;
	const char *direction;
	struct mr_opt_u64 count;
	struct mr_opt_u64 first_ns, min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, mean_ns;
	struct mr_opt_u64 slowest_ns;
	struct mr_opt_u64 outliers;
	struct mr_opt_u64 bytes_per_s;
	struct list rounds, histogram;
};

extern const struct record bench_record;

/** The usual columns of a table. */
#define BENCH_COLUMNS                                                                              \
	"call,device,memory,state,threads,processes,occupied,direction,size,p50_ns,p90_ns,p99_ns," \
	"p999_ns,max_ns,slowest_ns,bytes_per_s"

/** bench_row_fill() - fill in a row, with its histogram or without; bench_row_release() it.  Return: 0 or -ENOMEM. */
int bench_row_fill(struct bench_row *row, const struct bench_series *series, bool with_histogram);
void bench_row_release(struct bench_row *row);

/* What the kernel counted while it was measured: whether keys were made anew, or taken from those that it keeps. */

/** bench_counters_begin() - read the counters of all devices, which are open, before the first call */
void bench_counters_begin(struct bench_job *job, const struct mr_bench_place *places);

/** bench_print_counters() - read them again, and print those that are known; text: only those that have changed */
void bench_print_counters(struct bench_job *job);

/* Lines through the medians by size, and the settings of UCX that follow from them. */

/** bench_print_fits() - print them; text: a line for each */
void bench_print_fits(struct bench_job *job);

/* The host's fingerprint: what figures of two runs must have in common to be compared. */

struct bench_host {
	struct mr_processor processor;
	char thp[32];
	char iommu[32];
	char driver[64];
	bool fork_safe, huge_pages_safe;
	struct mr_opt_u64 memory_total, memory_available, device_numa_node;
};

extern const struct record bench_host_record;

/** bench_host_read() - fill it in; @device: the first one that is measured */
void bench_host_read(struct bench_host *host, const char *device);

/* The pieces that --plan registers memory in. */

/** With --plan, and without options that say otherwise: a short measurement. */
#define BENCH_PLAN_ROUNDS 3
#define BENCH_PLAN_ROW_NS UINT64_C(100000000)

/** bench_pieces() - sizes of pieces: those of --sizes, or the usual ones */
void bench_pieces(const struct bench_args *args, struct sweep *pieces);

/**
 * bench_pieces_measured() - sizes to measure for --plan
 * @most: bytes that each worker can have
 * @sizes: set to the pieces that fit, and to sizes for a line to those that do not
 */
void bench_pieces_measured(const struct bench_args *args, uint64_t most, struct sweep *sizes);

/** bench_pieces_plan() - what is to be registered, for the calls of @point */
struct mr_forecast_plan bench_pieces_plan(const struct bench_args *args,
					  const struct mr_bench_point *point, uint64_t piece);

/** bench_pieces_check() - whether a command line with --plan makes sense: check of struct command_view */
int bench_pieces_check(const struct invocation *invocation, struct mr_error *err);

/* What limits how much memory can be registered. */

/** The limits of a run, beside those of pools of huge pages. */
struct bench_limits {
	struct mr_opt_u64 max_mr_size, max_mr;
	struct mr_opt_u64 memlock; /**< not known: unlimited, or not read */
	bool memlock_is_read;
	struct opt_bool memlock_lifted;
	struct mr_opt_u64 memory_total, memory_available;
	const char *available_by;
};

extern const struct record bench_limits_record;

/** bench_limits_read() - read those of this process, the host and the first device */
void bench_limits_read(const struct bench_job *job, struct bench_limits *limits);

enum { BENCH_LIMITS = 5 };

/**
 * bench_limits_list() - list what limits a plan
 * @list: BENCH_LIMITS of them are set, in the order in which they decide
 *
 * Return: whether all are known that there are.
 */
bool bench_limits_list(const struct bench_limits *limits, const struct mr_bench_point *point,
		       const struct mr_forecast_plan *plan, struct mr_forecast_limit *list);

/* mrctl bench --plan: how long it takes to register much memory, and whether limits allow it. */

extern const struct record bench_forecast_record;

/** The usual columns of its table. */
#define BENCH_FORECAST_COLUMNS                                                                     \
	"call,device,memory,size,pieces,threads,time_ns,by,pinned_pages,entries,allowed,reason"

/** bench_forecast_print() - print a row for each piece size and number of threads, and the limits; @printed: rows */
void bench_forecast_print(struct bench_job *job, uint64_t *printed);

/* Pictures of what was measured, drawn by gnuplot: percentiles by size, and the distribution of the calls. */

/** bench_draw_check() - whether gnuplot can be run, where pictures are wanted.  Return: 0, or -errno with MR_ERROR_HOST. */
int bench_draw_check(const struct bench_args *args, struct mr_error *err);

/**
 * bench_draw() - with --plot print them as text, with --svg write them to a file of the kind of its ending
 *
 * Return: 0, or -errno with MR_ERROR_HOST; then a file that was there is as it was.
 */
int bench_draw(const struct bench_job *job, struct mr_error *err);

/* Documents of mrctl bench, read back. */

/**
 * bench_load() - read a document
 *
 * Return: json_tree_free() it; its rows are objects.  NULL with MR_ERROR_USAGE where the file is none.
 */
struct json_node *bench_load(const char *path, struct mr_error *err);

/** bench_device_of() - the first device that a document has measured; NULL: it names none */
const char *bench_device_of(const struct json_node *document);

/** bench_has_devices() - whether a document has measured several devices */
bool bench_has_devices(const struct json_node *document);

/** What makes a row another row than its neighbours; the last one is NULL. */
extern const char *const bench_row_keys[];

/** bench_find_row() - the row of a document that measures what @row does; NULL: it has none */
const struct json_node *bench_find_row(const struct json_node *document,
				       const struct json_node *row);

/**
 * bench_check_hosts() - check that two documents have measured on the same host and the same kind of device
 * Return: 0, or -EINVAL with MR_ERROR_USAGE: the first thing in which they differ.
 */
int bench_check_hosts(const struct json_node *old, const struct json_node *new,
		      struct mr_error *err);

/** bench_number() - a member that is a number from 0 to 1e18; 0 where it is none */
double bench_number(const struct json_node *node, const char *key);

/* The command line that measures what a document of mrctl bench has. */

/**
 * The words; all zeros before the first.
 *
 * A value is in the word of its option, and calls stand behind "--": no text of a document becomes an option.
 */
struct again_words {
	char *argv[3 * SWEEP_MAX]; /**< ends with NULL */
	size_t count;
	int error; /**< ENOMEM; E2BIG for more than bench measures at once; 0 */
};

/** again_words_of_rows() - measure all rows of @old; @args: its --seconds, --count and --rounds replace those of @old */
void again_words_of_rows(struct again_words *words, const struct json_node *old,
			 const struct bench_args *args);

/** again_words_of_host() - make a single call on the device of @old, which tells what the host is */
void again_words_of_host(struct again_words *words, const struct json_node *old);

/** again_words_release() - free them */
void again_words_release(struct again_words *words);

/* Measuring what a document of mrctl bench has once more, by mrctl itself in a process of its own. */

/**
 * bench_again() - measure what a document has
 * @old:    as of bench_load(); it stands in the file of the first operand
 * @new:    set to the document of the measurement, json_tree_free() it
 * @status: set to the exit status of the measurement, 128 + N where signal N has ended it
 *
 * From here on signals that end commands are blocked.  One that comes ends the measurement.
 *
 * Return: 0; -errno; or an exit status where there is no document, and the other process has told why.
 */
int bench_again(const struct invocation *invocation, const struct json_node *old,
		struct json_node **new, int *status, struct mr_error *err);

#endif
