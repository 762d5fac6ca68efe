// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/clock.h"
#include "lib/base/signals.h"
#include "lib/bench/bench.h"

/* The least that a worker measures, however little time there is. */
#define CALLS_MIN 3

/* What the processes share.  No process waits in it for one that may have been killed. */
struct mr_bench_shared {
	_Atomic uint32_t ready; /* workers that wait for the beginning, or have failed before */
	_Atomic uint64_t begin; /* mr_now_ns() of the beginning; 0: not yet */
	_Atomic bool stop;      /* a worker has failed, or a signal has come */
	struct mr_bench_worker workers[];
};

/* A worker, and where it works. */
struct station {
	const struct mr_bench_round *round;
	struct mr_bench_shared *shared;
	struct mr_bench_worker *worker;
	struct mr_bench_place *place;
	pthread_t thread;
};

/* ---- a worker ---- */

/* The samples are written where the caller may only read them. */
static uint64_t *samples_of(const struct mr_bench_worker *worker)
{
	return (uint64_t *)(uintptr_t)worker->samples;
}

static int warm_up(const struct station *station, struct mr_bench_work *work)
{
	struct mr_bench_worker *worker = station->worker;
	const uint64_t start = mr_now_ns();
	uint64_t ns;
	int rc = 0;

	for (uint64_t i = 0; !rc && i < station->round->warm_up; i++) {
		/* Long calls need no more than one. */
		if (i && station->round->ns && mr_now_ns() - start > station->round->ns / 4)
			break;
		rc = mr_bench_work_call(work, &ns, &worker->err);
		if (!rc && !i)
			worker->first_ns = ns;
	}
	return rc;
}

static uint64_t wait_for_beginning(struct mr_bench_shared *shared)
{
	uint64_t begin;

	atomic_fetch_add(&shared->ready, 1);
	while (!(begin = atomic_load(&shared->begin)) && !atomic_load(&shared->stop))
		sched_yield();
	return begin;
}

static bool is_enough(const struct station *station, uint64_t begin)
{
	const struct mr_bench_round *round = station->round;
	const uint64_t count = station->worker->count;

	if (count >= MR_BENCH_SAMPLES)
		return true;
	if (round->calls)
		return count >= round->calls;
	return count >= CALLS_MIN && mr_now_ns() - begin >= round->ns;
}

static int measure(const struct station *station, struct mr_bench_work *work, uint64_t begin)
{
	struct mr_bench_worker *worker = station->worker;
	uint64_t *samples = samples_of(worker);
	int rc = 0;

	while (!is_enough(station, begin) && !atomic_load(&station->shared->stop)) {
		if (mr_interrupted()) {
			atomic_store(&station->shared->stop, true);
			break;
		}
		rc = mr_bench_work_call(work, &samples[worker->count], &worker->err);
		if (rc)
			break;
		worker->count++;
	}
	worker->elapsed_ns = mr_now_ns() - begin;
	return rc;
}

static void work_at(struct station *station)
{
	struct mr_bench_worker *worker = station->worker;
	struct mr_bench_work work;
	uint64_t begin;
	int rc = mr_bench_work_open(&work, station->round->point, station->place, &worker->err);

	if (!rc)
		rc = warm_up(station, &work);
	if (rc)
		atomic_store(&station->shared->stop, true);
	begin = wait_for_beginning(station->shared);
	if (!rc && begin)
		rc = measure(station, &work, begin);
	if (rc)
		atomic_store(&station->shared->stop, true);
	worker->rc = rc;
	mr_bench_work_close(&work);
}

static void *run_thread(void *data)
{
	work_at(data);
	return NULL;
}

/* ---- threads of a process ---- */

static void fail_station(const struct station *station, int errnum, const char *call)
{
	struct mr_bench_worker *worker = station->worker;

	worker->rc = mr_fail(&worker->err, MR_ERROR_HOST, errnum, call, NULL);
	atomic_store(&station->shared->stop, true);
	atomic_fetch_add(&station->shared->ready, 1);
}

/* Begins once all workers of all processes are ready; called where one process runs them all. */
static void begin_when_ready(struct mr_bench_shared *shared, uint32_t workers)
{
	while (atomic_load(&shared->ready) < workers && !mr_interrupted())
		sched_yield();
	if (mr_interrupted())
		atomic_store(&shared->stop, true);
	atomic_store(&shared->begin, mr_now_ns());
}

/* Return: how many threads were started; the rest has failed. */
static uint32_t start_threads(struct station *stations, uint32_t count)
{
	uint32_t started = 0;
	int rc = 0;

	while (started < count && !rc) {
		rc = pthread_create(&stations[started].thread, NULL, run_thread,
				    &stations[started]);
		started += !rc;
	}
	for (uint32_t i = started; i < count; i++)
		fail_station(&stations[i], rc, "pthread_create");
	return started;
}

static void join_threads(struct station *stations, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++)
		pthread_join(stations[i].thread, NULL);
}

/* ---- processes ---- */

static void fail_all(struct station *stations, uint32_t count, const struct mr_error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		stations[i].worker->rc = -err->errnum;
		stations[i].worker->err = *err;
	}
	atomic_store(&stations->shared->stop, true);
	atomic_fetch_add(&stations->shared->ready, count);
}

/* A child has its own device: that of its parent belongs to the parent's address space. */
static void run_child(struct station *stations, uint32_t count)
{
	struct mr_bench_place place = { .name = stations->place->environment.device };
	struct mr_error err;

	if (mr_bench_place_open(&place, stations->place->kind, &err)) {
		fail_all(stations, count, &err);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		stations[i].place = &place;
	join_threads(stations, start_threads(stations, count));
	mr_bench_place_close(&place);
}

static pid_t start_child(struct station *stations, uint32_t count)
{
	const pid_t parent = getpid();
	const pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		run_child(stations, count);
	_exit(0);
}

/* A child that was killed is ready for ever, and has measured nothing. */
static void note_death(struct station *stations, uint32_t threads, int status)
{
	struct mr_error err;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	mr_fail_text(&err, MR_ERROR_HOST, ECHILD, "a process that measured was killed (signal %d)",
		     WIFSIGNALED(status) ? WTERMSIG(status) : 0);
	fail_all(stations, threads, &err);
}

static bool is_ready(const struct mr_bench_shared *shared, uint32_t workers)
{
	return atomic_load(&shared->ready) >= workers || atomic_load(&shared->stop);
}

/* Waits for the children, and has all begin once they are ready. */
static void wait_for_children(struct station *stations, pid_t *pids, uint32_t processes,
			      uint32_t threads)
{
	struct mr_bench_shared *shared = stations->shared;
	uint32_t left = 0;
	int status;
	pid_t pid;

	for (uint32_t i = 0; i < processes; i++)
		left += pids[i] > 0;
	while (left) {
		if (mr_interrupted())
			atomic_store(&shared->stop, true);
		if (!atomic_load(&shared->begin) && is_ready(shared, processes * threads))
			atomic_store(&shared->begin, mr_now_ns());
		for (uint32_t i = 0; i < processes; i++) {
			pid = pids[i] > 0 ? waitpid(pids[i], &status, WNOHANG) : 0;
			if (pid <= 0)
				continue;
			note_death(&stations[i * threads], threads, status);
			pids[i] = 0;
			left--;
		}
		usleep(200);
	}
}

static int run_processes(struct station *stations, uint32_t processes, uint32_t threads,
			 struct mr_error *err)
{
	pid_t *pids = calloc(processes, sizeof(*pids));
	int failed = 0;

	if (!pids)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (uint32_t i = 0; i < processes; i++) {
		pids[i] = failed ? 0 : start_child(&stations[i * threads], threads);
		if (pids[i] < 0)
			failed = errno;
		for (uint32_t j = 0; failed && j < threads; j++)
			fail_station(&stations[i * threads + j], failed, "fork");
	}
	wait_for_children(stations, pids, processes, threads);
	free(pids);
	return 0;
}

/* ---- a crew ---- */

int mr_bench_crew_open(struct mr_bench_crew *crew, uint32_t workers, struct mr_error *err)
{
	const size_t head = sizeof(*crew->shared) + workers * sizeof(*crew->workers);
	const size_t size = head + (size_t)workers * MR_BENCH_SAMPLES * sizeof(uint64_t);
	void *shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (shared == MAP_FAILED)
		return mr_fail(err, MR_ERROR_HOST, errno, "mmap",
			       "cannot map %zu bytes for the times of %u workers", size, workers);
	*crew = (struct mr_bench_crew){ .shared = shared, .size = size, .count = workers };
	crew->workers = crew->shared->workers;
	for (uint32_t i = 0; i < workers; i++)
		crew->workers[i].samples =
			(uint64_t *)((char *)shared + head) + (size_t)i * MR_BENCH_SAMPLES;
	return 0;
}

void mr_bench_crew_close(struct mr_bench_crew *crew)
{
	if (crew->shared)
		munmap(crew->shared, crew->size);
}

static void begin_round(struct mr_bench_crew *crew, const struct mr_bench_round *round,
			struct station *stations)
{
	const uint32_t of_place = round->processes * round->threads;

	atomic_store(&crew->shared->ready, 0);
	atomic_store(&crew->shared->begin, 0);
	atomic_store(&crew->shared->stop, false);
	for (uint32_t i = 0; i < crew->count; i++) {
		struct mr_bench_worker *worker = &crew->workers[i];

		*worker = (struct mr_bench_worker){ .place = i / of_place,
						    .samples = worker->samples };
		stations[i] = (struct station){ .round = round,
						.shared = crew->shared,
						.worker = worker,
						.place = &round->places[worker->place] };
	}
}

static void run_here(struct station *stations, uint32_t count)
{
	uint32_t started = start_threads(stations, count);

	begin_when_ready(stations->shared, count);
	join_threads(stations, started);
}

int mr_bench_crew_run(struct mr_bench_crew *crew, const struct mr_bench_round *round,
		      struct mr_error *err)
{
	const uint32_t processes = (uint32_t)round->place_count * round->processes;
	struct station *stations = calloc(crew->count, sizeof(*stations));
	int rc = 0;

	if (!stations)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	begin_round(crew, round, stations);
	if (processes > 1)
		rc = run_processes(stations, processes, round->threads, err);
	else
		run_here(stations, crew->count);
	for (uint32_t i = 0; !rc && i < crew->count; i++) {
		rc = crew->workers[i].rc;
		if (rc)
			*err = crew->workers[i].err;
	}
	free(stations);
	return rc;
}
