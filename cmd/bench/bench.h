/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* mrctl bench: what its files share. */
#ifndef CMD_BENCH_BENCH_H
#define CMD_BENCH_BENCH_H

#include <string.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/bench/bench.h"
#include "lib/host/host.h"

/* ---- options ---- */

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

/** The regions of --occupied. */
struct sweep_occupied {
	uint64_t count; /**< 0: none */
	uint64_t bytes; /**< of each */
};

/** Sizes; a range has each size that is four times the one before. */
#define OPTION_CTYPE_sizes struct sweep
/** Numbers from 1; a range has each that is twice the one before, and its end. */
#define OPTION_CTYPE_counts struct sweep
/** Kinds of memory, one for each time the option is given. */
#define OPTION_CTYPE_memories struct sweep_memory
/** N,BYTES */
#define OPTION_CTYPE_occupied struct sweep_occupied
/** A part of something, in thousandths: "5%", "2.5%". */
#define OPTION_CTYPE_percent struct mr_opt_u64
/** The name of a file that ends in ".svg", ".png" or ".pdf", or an empty word. */
#define OPTION_CTYPE_plot const char *

extern const struct option_type option_type_sizes, option_type_counts, option_type_memories,
	option_type_occupied, option_type_percent, option_type_plot;

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
	struct mr_opt_u64 seconds;   /**< for each row, in nanoseconds */
	struct mr_opt_u64 calls;     /**< of each worker, for each row */
	const char *plot;            /**< file for pictures; empty: the terminal; or NULL */
	const char *svg;             /**< another file, or NULL */
	bool force;                  /**< the files may exist */
	struct mr_opt_u64 plan;      /**< bytes */
	bool compare;                /**< the operands are documents */
	struct mr_opt_u64 tolerance; /**< in thousandths */
	bool anyway;
};

/** bench_rounded() - the nearest whole number; 0 for a negative one; not known from 1e18 on */
static inline struct mr_opt_u64 bench_rounded(double value)
{
	return value < 1e18 ? known(value > 0 ? (uint64_t)(value + 0.5) : 0)
			    : (struct mr_opt_u64){ 0 };
}

/** State of the memory before each call: its pages are present. */
#define BENCH_STATE "populated"

/* ---- what is measured ---- */

/** The regions that exist during a measurement, and the direction in which their number changed. */
struct bench_level {
	uint64_t regions;
	uint64_t bytes;        /**< of each */
	const char *direction; /**< "ascending", "descending"; or NULL: there is one level */
};

/** The most levels of --occupied: up in quarters, and down again. */
#define BENCH_LEVELS 9

/** A point that is measured on each device. */
struct bench_setup {
	struct mr_bench_point point;
	size_t group; /**< the same for setups that differ in size alone */
	bool failed;  /**< no longer measured */
};

/** Facts that rows share which differ only in size. */
struct bench_group {
	const char *call;
	char device[96];    /**< "mlx5_0", or "mlx5_0 (simulated)" */
	const char *memory; /**< its kind, or the source of the dma-buf */
	const char *state;
	struct mr_opt_u64 threads, processes, occupied;
	const char *direction;
};

/** BENCH_GROUP_FIELDS() - the fields of @structure's member group */
#define BENCH_GROUP_FIELDS(structure)                                                              \
	FIELD_AS("call", structure, group.call, FIELD_STRING, FIELD_PUBLIC, "what is measured"),   \
		FIELD_AS("device", structure, group.device, FIELD_TEXT, 0,                         \
			 "RDMA device, and whether it is simulated"),                              \
		FIELD_AS("memory", structure, group.memory, FIELD_STRING, FIELD_MEMORY,            \
			 "kind of memory, or source of the dma-buf", .usual = "anon"),             \
		FIELD_AS("state", structure, group.state, FIELD_STRING, FIELD_PUBLIC,              \
			 "state of the memory before each call: populated", .usual = BENCH_STATE), \
		FIELD_AS("threads", structure, group.threads, FIELD_NUMBER, 0,                     \
			 "threads of each process", .usual = "1"),                                 \
		FIELD_AS("processes", structure, group.processes, FIELD_NUMBER, 0,                 \
			 "processes for each device", .usual = "1"),                               \
		FIELD_AS("occupied", structure, group.occupied, FIELD_NUMBER, 0,                   \
			 "regions that are already registered", .usual = "0"),                     \
		FIELD_AS("direction", structure, group.direction, FIELD_STRING, FIELD_PUBLIC,      \
			 "direction of occupied: ascending or descending")

/** The columns of those fields, for a table. */
#define BENCH_GROUP_COLUMNS "call,device,memory,state,threads,processes,occupied,direction"

/** A round of a row. */
struct bench_round {
	struct mr_opt_u64 p50_ns;     /**< mean of the medians of its workers */
	struct mr_opt_u64 slowest_ns; /**< the median of the slowest worker */
	struct mr_opt_u64 count;
};

/** The most rounds of a row. */
#define BENCH_ROUNDS_MAX 1000

/** A row: a setup at a level on one device, and its figures. */
struct bench_row {
	const struct bench_setup *setup;
	const struct bench_level *level;
	struct bench_group group;
	bool simulated;
	struct mr_opt_u64 size, access, occupied_bytes;
	const char *via;
	struct mr_opt_u64 count, first_ns;
	struct mr_opt_u64 min_ns, p50_ns, p90_ns, p99_ns, p999_ns, max_ns, mean_ns, slowest_ns;
	struct mr_opt_u64 outliers, bytes_per_s;
	struct mr_histogram histogram;
	struct bench_round *round;
	struct mr_histogram_bucket *bucket;
	struct list rounds, buckets; /**< of these */
};

extern const struct record bench_record, bench_round_record, bench_bucket_record, bench_plan_record;

/** Counters of the kernel about a device during a measurement. */
struct bench_counter {
	const char *device;
	const char *
		counter; /**< a command of the firmware; "frmr_free", "frmr_in_use": MRs of all pools */
	struct mr_opt_u64 before, after;
};

/** How it was measured. */
struct bench_method {
	struct mr_opt_u64 rounds, row_ns, calls, warm_up, clock_ns, elapsed_ns;
	bool interrupted;
};

/** Where it was measured: what figures of two hosts must have in common to be compared. */
struct bench_host {
	struct mr_processor processor;
	struct mr_rdma_device device;
	struct mr_iommu iommu;
	struct mr_meminfo memory;
	struct mr_fork fork;
	char thp[32];
};

extern const struct record bench_method_record, bench_host_record;

/* ---- a run, or a document of one ---- */

struct bench_job {
	const struct invocation *invocation;
	const struct bench_args *args;
	char *const *calls; /**< names; end with NULL */
	const char *device; /**< of -d, or NULL */
	struct answer answer;
	struct mr_environment environment; /**< of the first device */
	struct bench_method method;
	struct bench_host host;
	struct mr_bench_place *places; /**< devices; their names are freed */
	size_t device_count;
	struct bench_setup *setups;
	size_t setup_count;
	struct bench_level levels[BENCH_LEVELS];
	size_t level_count;
	struct bench_row *rows; /**< by level, setup and device; at last those that were measured */
	size_t row_count;
	struct bench_counter *counters;
	size_t counter_count;
	uint64_t done, total; /**< rounds of all rows */
	uint64_t start_ns;
};

/** bench_check() - check the options and calls of a job */
int bench_check(const struct bench_job *job, struct mr_error *err);

/**
 * bench_run() - measure what the command line says, with signals blocked; refusals are reported
 * @job: its members up to the answer are set; bench_release() it
 *
 * Return: 0, or -errno; with MR_ERROR_USAGE where the command line makes no sense.
 */
int bench_run(struct bench_job *job, struct mr_error *err);
void bench_release(struct bench_job *job);

static inline bool bench_same_group(const struct bench_row *left, const struct bench_row *right)
{
	return left->level == right->level && left->setup->group == right->setup->group &&
	       !strcmp(left->group.device, right->group.device);
}

/** bench_begins_group() - whether no row before that one is of its group */
bool bench_begins_group(const struct bench_job *job, const struct bench_row *row);

/** bench_print() - print what was measured.  Return: an exit status, or -errno. */
int bench_print(struct bench_job *job, struct mr_error *err);

/** bench_plot() - draw the pictures.  Return: 0, or -errno with MR_ERROR_HOST; then an existing file is unchanged. */
int bench_plot(const struct bench_job *job, struct mr_error *err);

/** bench_pieces() - the sizes of pieces of --plan: those of --sizes, or the usual ones */
void bench_pieces(const struct bench_args *args, struct sweep *pieces);

/** bench_read_host() - read the facts of this host and of the device of job->environment */
void bench_read_host(struct bench_job *job);

extern const struct command bench_compare;

/** Members of the document beside the rows; ends with one without key. */
extern const struct field bench_members[];

#endif
