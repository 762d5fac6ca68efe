// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Calls that are measured, and the workers that make them. */
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/bench/bench.h"
#include "lib/session/session.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

int mr_bench_place_open(struct mr_bench_place *place, enum mr_region_kind kind,
			struct mr_error *err)
{
	int rc;

	*place = (struct mr_bench_place){ .name = place->name,
					  .kind = kind,
					  .most_occupied = place->most_occupied };
	mr_environment_init(&place->environment);
	rc = kind == MR_KIND_UMEM
		     ? mr_device_open_alone(place->name, true, &place->device, &place->environment,
					    err)
		     : mr_device_open(place->name, &place->device, &place->environment, err);
	if (!rc)
		place->uverbs =
			mr_device_uverbs(&place->device, &place->environment, &place->pd_handle);
	return rc;
}

static struct mr_registrar registrar_of(struct mr_bench_place *place, enum mr_via via)
{
	if (via == MR_VIA_KERNEL)
		return (struct mr_registrar){ .via = via,
					      .uverbs = &place->uverbs,
					      .pd_handle = place->pd_handle };
	return (struct mr_registrar){ .via = via,
				      .context = place->device.context,
				      .pd = place->device.pd };
}

static int map_occupied(struct mr_bench_place *place, uint64_t bytes, struct mr_error *err)
{
	const struct mr_memory_request request = { .kind = { .type = MR_MEMORY_ANON,
							     .text = "anon" },
						   .length = bytes,
						   .populate = true };
	int rc = mr_memory_map(&request, &place->occupied_memory, err);

	if (rc)
		return rc;
	/* A child of fork(2) would get copies of pages that are pinned. */
	madvise(place->occupied_memory.map, place->occupied_memory.map_length, MADV_DONTFORK);
	place->occupied = calloc(place->most_occupied, sizeof(*place->occupied));
	return place->occupied ? 0 : mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
}

int mr_bench_place_occupy(struct mr_bench_place *place, uint64_t count, uint64_t bytes,
			  struct mr_error *err)
{
	const struct mr_registrar registrar = registrar_of(place, MR_VIA_LIBRARY);
	struct mr_region_request request = {
		.call = place->kind == MR_KIND_UMEM ? MR_UMEM_REG : MR_REG_MR,
		.length = bytes,
		.access = IBV_ACCESS_LOCAL_WRITE,
	};
	uint64_t *now = &place->occupied_count;
	int rc = count && !place->occupied ? map_occupied(place, bytes, err) : 0;

	request.addr = place->occupied_memory.start;
	while (!rc && *now > count) {
		rc = mr_region_deregister(&registrar, &place->occupied[*now - 1], err);
		*now -= !rc;
	}
	while (!rc && *now < count && !mr_interrupted()) {
		rc = mr_region_register(&registrar, &request, &place->occupied[*now], err);
		*now += !rc;
	}
	return rc;
}

void mr_bench_place_close(struct mr_bench_place *place)
{
	struct mr_error ignored;

	/* Regions that cannot be deregistered end with the device's file. */
	mr_bench_place_occupy(place, 0, 0, &ignored);
	free(place->occupied);
	place->occupied = NULL;
	place->occupied_count = 0;
	mr_device_close(&place->device);
	mr_memory_unmap(&place->occupied_memory);
}

/* A worker, where it works, and the arguments of its calls. */
struct mr_bench_work {
	const struct mr_bench_round *round;
	struct mr_bench_workers *shared;
	struct mr_bench_worker *worker;
	struct mr_bench_place *place;
	pthread_t thread;
	struct mr_registrar registrar;
	struct mr_memory memory;
	struct mr_memory other; /* of cases that change a region's memory */
	struct mr_dmabuf dmabuf;
	struct mr_region_request request;
	struct mr_region region;    /* live: it is registered now */
	struct mr_session *session; /* of relaxed regions: the worker's own */
	struct mr_entry entry;      /* of the relaxed region */
};

/* ---- memory ---- */

static int get_memory(struct mr_bench_work *work, struct mr_error *err)
{
	const struct mr_bench_point *point = work->round->point;
	const struct mr_dmabuf_request dmabuf = { .source = point->from, .size = point->size };
	const struct mr_memory_request request = { .kind = point->memory,
						   .length = point->size,
						   .populate = true };
	int rc;

	if (mr_region_is_dmabuf(work->request.call)) {
		rc = mr_dmabuf_open(&dmabuf, &work->dmabuf, err);
		work->request.fd = work->dmabuf.fd;
		return rc;
	}
	rc = mr_memory_map(&request, &work->memory, err);
	if (!rc && point->what->two_memories)
		rc = mr_memory_map(&request, &work->other, err);
	work->request.addr = work->request.iova = work->memory.start;
	work->request.page_size = work->memory.page_size;
	return rc;
}

/* ---- steps ---- */

static int register_region(struct mr_bench_work *work, struct mr_error *err)
{
	return mr_region_register(&work->registrar, &work->request, &work->region, err);
}

static int deregister_region(struct mr_bench_work *work, struct mr_error *err)
{
	return work->region.live ? mr_region_deregister(&work->registrar, &work->region, err) : 0;
}

static int measure_register(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	int rc = register_region(work, err);

	*ns = work->region.elapsed_ns;
	return rc;
}

static int measure_deregister(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	int rc = deregister_region(work, err);

	*ns = work->region.dereg_elapsed_ns;
	return rc;
}

/* The region goes to and fro between two memories. */
static int measure_rereg(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	const struct mr_memory memory = work->memory;
	const struct mr_rereg_request request = { .changes = MR_CHANGE_TRANSLATION,
						  .addr = work->other.start,
						  .length = work->request.length,
						  .iova = work->other.start,
						  .origin = MR_ORIGIN_PLAIN };
	struct mr_rereg_failure failure = { .old = MR_OLD_UNTOUCHED };
	int rc = mr_region_rereg(&work->registrar, &request, &work->region, &failure, err);

	*ns = work->region.elapsed_ns;
	if (!rc) {
		work->memory = work->other;
		work->other = memory;
	}
	return rc;
}

static int measure_advise(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	static const struct mr_advice advice = { .text = "prefetch-write,flush",
						 .advice = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE,
						 .flags = IBV_ADVISE_MR_FLAG_FLUSH };
	const struct mr_advice_range range = { .addr = work->region.iova,
					       .length = work->region.length,
					       .lkey = work->region.lkey };

	return mr_advise(&work->registrar, &advice, &range, ns, err);
}

static int measure_relaxed(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	const uint64_t start = mr_now_ns();
	int rc;

	work->entry = (struct mr_entry){ .pd = work->entry.pd };
	rc = mr_reg_mr_relaxed(work->session, &work->registrar, &work->request, &work->entry, err);
	*ns = mr_now_ns() - start;
	return rc;
}

/* One region exists at a time, so that each call does the same. */
static int flush_relaxed(struct mr_bench_work *work, struct mr_error *err)
{
	const uint32_t slot = mr_table_find(&work->session->table, MR_BY_ID, work->entry.id, NULL);
	uint64_t left;
	bool deferred;
	int rc = mr_dereg_mr_relaxed(work->session, slot, work->entry.id, MR_RELAXED_DEFER_NS,
				     &deferred, err);

	return rc ? rc : mr_flush_relaxed_mr(work->session, MR_ALL_PDS, NULL, NULL, &left, err);
}

const struct mr_bench_case mr_bench_cases[] = {
	{ .name = "reg",
	  .call = MR_REG_MR,
	  .registers = true,
	  .measure = measure_register,
	  .after = deregister_region },
	{ .name = "reg-iova",
	  .call = MR_REG_MR_IOVA,
	  .registers = true,
	  .measure = measure_register,
	  .after = deregister_region },
	{ .name = "reg-dmabuf",
	  .call = MR_REG_DMABUF_MR,
	  .measure = measure_register,
	  .after = deregister_region },
	{ .name = "rereg",
	  .call = MR_REG_MR,
	  .two_memories = true,
	  .begin = register_region,
	  .measure = measure_rereg },
	{ .name = "umem",
	  .call = MR_UMEM_REG,
	  .registers = true,
	  .measure = measure_register,
	  .after = deregister_region },
	{ .name = "advise",
	  .call = MR_REG_MR,
	  .access = MR_ACCESS_ON_DEMAND,
	  .before = register_region,
	  .measure = measure_advise,
	  .after = deregister_region },
	{ .name = "dereg",
	  .call = MR_REG_MR,
	  .before = register_region,
	  .measure = measure_deregister },
	{ .name = "relaxed",
	  .call = MR_REG_MR_RELAXED,
	  .private_session = true,
	  .measure = measure_relaxed,
	  .after = flush_relaxed },
	{ .name = NULL },
};

const struct mr_bench_case *mr_bench_case_find(const char *name)
{
	for (const struct mr_bench_case *what = mr_bench_cases; what->name; what++)
		if (!strcmp(what->name, name))
			return what;
	return NULL;
}

/* ---- a worker's work ---- */

/* Sessions are not thread-safe, so each worker has its own. */
static int open_session(struct mr_bench_work *work, struct mr_error *err)
{
	struct mr_table_pd pd = { .handle = MR_NO_HANDLE };
	struct mr_environment environment;
	struct mr_device device;
	uint32_t pd_slot;
	bool made;
	int rc;

	work->session = calloc(1, sizeof(*work->session));
	if (!work->session)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	rc = mr_session_open_private(work->place->environment.device, work->session, &environment,
				     err);
	if (rc) {
		free(work->session);
		work->session = NULL;
		return rc;
	}
	rc = mr_session_pd(work->session, MR_DEFAULT_PD, &made, &pd_slot, &pd, err);
	if (!rc)
		rc = mr_session_device(work->session, pd_slot, pd.handle, &device, err);
	if (rc)
		return rc;
	work->entry.pd = (uint16_t)pd_slot;
	work->registrar = (struct mr_registrar){ .via = MR_VIA_LIBRARY,
						 .context = device.context,
						 .pd = device.pd };
	return 0;
}

static int open_work(struct mr_bench_work *work, struct mr_error *err)
{
	const struct mr_bench_point *point = work->round->point;
	const struct mr_bench_case *what = point->what;
	int rc = 0;

	work->registrar = registrar_of(work->place, point->via);
	work->request = (struct mr_region_request){ .call = what->call,
						    .length = point->size,
						    .access = point->access };
	if (what->private_session)
		rc = open_session(work, err);
	if (!rc)
		rc = get_memory(work, err);
	if (!rc && what->begin)
		rc = what->begin(work, err);
	return rc;
}

static int make_call(struct mr_bench_work *work, uint64_t *ns, struct mr_error *err)
{
	const struct mr_bench_case *what = work->round->point->what;
	int rc = what->before ? what->before(work, err) : 0;

	if (!rc)
		rc = what->measure(work, ns, err);
	if (!rc && what->after)
		rc = what->after(work, err);
	return rc;
}

static void close_work(struct mr_bench_work *work)
{
	struct mr_error ignored;

	/* A region that cannot be deregistered ends with the device's file. */
	deregister_region(work, &ignored);
	if (work->session)
		mr_session_close(work->session);
	free(work->session);
	mr_dmabuf_close(&work->dmabuf);
	mr_memory_unmap(&work->memory);
	mr_memory_unmap(&work->other);
}

/* ---- workers ---- */

/* The least that a worker measures, however little time there is. */
#define CALLS_MIN 3

/* Makes warm-up calls, whose time is added to @spent.  Long calls need no more than one. */
static int warm_up(struct mr_bench_work *work, uint64_t count, uint64_t *spent)
{
	struct mr_bench_worker *worker = work->worker;
	const uint64_t limit = work->round->ns ? work->round->ns / 4 : UINT64_MAX;
	uint64_t start, ns;
	int rc = 0;

	for (uint64_t i = 0; !rc && i < count && *spent <= limit; i++) {
		start = mr_now_ns();
		rc = make_call(work, &ns, &worker->err);
		*spent += mr_now_ns() - start;
		if (!rc && !worker->first_ns)
			worker->first_ns = ns;
	}
	return rc;
}

static bool is_enough(const struct mr_bench_work *work, uint64_t begin)
{
	const struct mr_bench_round *round = work->round;
	const uint64_t count = work->worker->count;

	if (count >= MR_BENCH_SAMPLES)
		return true;
	if (round->calls)
		return count >= round->calls;
	return count >= CALLS_MIN && mr_now_ns() - begin >= round->ns;
}

static int measure(struct mr_bench_work *work)
{
	struct mr_bench_worker *worker = work->worker;
	const uint64_t begin = mr_now_ns();
	int rc = 0;

	while (!rc && !is_enough(work, begin) && !atomic_load(&work->shared->stop)) {
		if (mr_interrupted()) {
			atomic_store(&work->shared->stop, true);
			break;
		}
		rc = make_call(work, &worker->samples[worker->count], &worker->err);
		worker->count += !rc;
	}
	return rc;
}

static void *work_at(void *data)
{
	struct mr_bench_work *work = data;
	struct mr_bench_workers *shared = work->shared;
	uint64_t spent = 0;
	int rc = open_work(work, &work->worker->err);

	if (!rc)
		rc = warm_up(work, 1, &spent);
	if (rc)
		atomic_store(&shared->stop, true);
	atomic_fetch_add(&shared->ready, 1);
	while (atomic_load(&shared->ready) < shared->count && !atomic_load(&shared->stop))
		sched_yield();
	/* Make one more warm-up call: the first one after the wait takes ten times as long as others. */
	if (!rc && !atomic_load(&shared->stop))
		rc = warm_up(work, MR_BENCH_WARM_UP - 1, &spent);
	if (!rc)
		rc = measure(work);
	if (rc)
		atomic_store(&shared->stop, true);
	work->worker->rc = rc;
	close_work(work);
	return NULL;
}

/* ---- threads of a process ---- */

/* Ends workers that could not begin. */
static void fail(struct mr_bench_work *works, uint32_t count, const struct mr_error *err)
{
	for (uint32_t i = 0; i < count; i++) {
		works[i].worker->rc = -err->errnum;
		works[i].worker->err = *err;
	}
	atomic_store(&works->shared->stop, true);
	atomic_fetch_add(&works->shared->ready, count);
}

/* Runs workers to their end. */
static void run_threads(struct mr_bench_work *works, uint32_t count)
{
	uint32_t started = 0;
	struct mr_error err;
	int rc = 0;

	while (started < count && !rc) {
		rc = pthread_create(&works[started].thread, NULL, work_at, &works[started]);
		started += !rc;
	}
	if (rc) {
		mr_fail(&err, MR_ERROR_HOST, rc, "pthread_create", NULL);
		fail(&works[started], count - started, &err);
	}
	while (started)
		pthread_join(works[--started].thread, NULL);
}

/* ---- processes ---- */

/* A child has its own device: that of its parent belongs to the parent's address space. */
static pid_t start_child(struct mr_bench_work *works, uint32_t count)
{
	struct mr_bench_place place = { .name = works->place->environment.device };
	const pid_t parent = getpid();
	const pid_t pid = fork();
	struct mr_error err;

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
	if (mr_bench_place_open(&place, works->place->kind, &err)) {
		fail(works, count, &err);
		_exit(0);
	}
	for (uint32_t i = 0; i < count; i++)
		works[i].place = &place;
	run_threads(works, count);
	mr_bench_place_close(&place);
	_exit(0);
}

/* Waits for the children; a signal ends their work. */
static void wait_for_children(struct mr_bench_work *works, pid_t *pids, uint32_t processes,
			      uint32_t threads)
{
	struct mr_error err;
	uint32_t left = 0;
	int status;

	for (uint32_t i = 0; i < processes; i++)
		left += pids[i] > 0;
	while (left) {
		if (mr_interrupted())
			atomic_store(&works->shared->stop, true);
		for (uint32_t i = 0; i < processes; i++) {
			if (pids[i] <= 0 || waitpid(pids[i], &status, WNOHANG) <= 0)
				continue;
			pids[i] = 0;
			left--;
			if (WIFEXITED(status) && !WEXITSTATUS(status))
				continue;
			/* A killed child is treated as ready, and has no measurements. */
			mr_fail_text(&err, MR_ERROR_HOST, ECHILD,
				     "a measuring process was killed (signal %d)",
				     WIFSIGNALED(status) ? WTERMSIG(status) : 0);
			fail(&works[i * threads], threads, &err);
		}
		usleep(200);
	}
}

static int run_processes(struct mr_bench_work *works, uint32_t processes, uint32_t threads,
			 struct mr_error *err)
{
	pid_t *pids = calloc(processes, sizeof(*pids));
	struct mr_error failed = { .errnum = 0 };

	if (!pids)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (uint32_t i = 0; i < processes; i++) {
		if (!mr_error_is_set(&failed))
			pids[i] = start_child(&works[i * threads], threads);
		if (pids[i] < 0)
			mr_fail(&failed, MR_ERROR_HOST, errno, "fork", NULL);
		if (mr_error_is_set(&failed))
			fail(&works[i * threads], threads, &failed);
	}
	wait_for_children(works, pids, processes, threads);
	free(pids);
	return 0;
}

/* ---- a round ---- */

int mr_bench_run(const struct mr_bench_round *round, struct mr_bench_workers **workers,
		 struct mr_error *err)
{
	const uint32_t threads = round->point->threads;
	const uint32_t processes = (uint32_t)round->place_count * round->point->processes;
	const uint32_t count = processes * threads;
	const size_t head = sizeof(**workers) + count * sizeof(*(*workers)->list);
	const size_t size = head + (size_t)count * MR_BENCH_SAMPLES * sizeof(uint64_t);
	struct mr_bench_work *works;
	char *shared;
	int rc = 0;

	*workers = NULL;
	if (!count) /* never, which an analyser cannot see */
		return 0;
	shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		return mr_fail(err, MR_ERROR_HOST, errno, "mmap",
			       "cannot map %zu bytes for the times of %u workers", size, count);
	*workers = (struct mr_bench_workers *)shared;
	(*workers)->size = size;
	(*workers)->count = count;
	works = calloc(count, sizeof(*works));
	if (!works)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	for (uint32_t i = 0; i < count; i++) {
		struct mr_bench_worker *worker = &(*workers)->list[i];

		worker->samples = (uint64_t *)(shared + head) + (size_t)i * MR_BENCH_SAMPLES;
		worker->place = i / (round->point->processes * threads);
		works[i] = (struct mr_bench_work){ .round = round,
						   .shared = *workers,
						   .worker = worker,
						   .place = &round->places[worker->place] };
	}
	if (processes > 1)
		rc = run_processes(works, processes, threads, err);
	else
		run_threads(works, count);
	for (uint32_t i = 0; !rc && i < count; i++) {
		rc = (*workers)->list[i].rc;
		if (rc)
			*err = (*workers)->list[i].err;
	}
	free(works);
	return rc;
}

void mr_bench_workers_release(struct mr_bench_workers *workers)
{
	if (workers)
		munmap(workers, workers->size);
}
