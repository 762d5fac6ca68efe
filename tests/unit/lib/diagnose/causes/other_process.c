// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The diagnosis of a refusal in another process.  Each state is that of a child, which diagnoses itself, and which
 * the parent diagnoses, too: both must come to the same.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "lib/diagnose/causes/diagnosis.h"
#include "lib/host/address_space.h"
#include "lib/verbs/access.h"
#include "tests/unit/unit.h"

#define PAGE  ((uint64_t)sysconf(_SC_PAGESIZE))
#define WRITE MR_ACCESS_LOCAL_WRITE
#define KIB   UINT64_C(1024)

/* What the child tells the parent. */
struct told {
	bool is_made;  /* the child could get into the state */
	char path[32]; /* of a file that it has made */
	struct mr_region_request request;
	struct mr_diagnosis diagnosis;
};

/* A state, and the refusal in it. */
struct state {
	bool (*make)(struct mr_region_request *request); /* in the child; false: it cannot */
	const char *kernel;                              /* that has refused */
	int errnum;
	const char *id; /* of the first cause */
};

static struct told *told;

static void diagnose(const struct state *state, struct mr_host *host,
		     struct mr_diagnosis *diagnosis)
{
	struct mr_environment environment = { .provider = "mlx5", .rdma_core = "44.0" };
	const struct mr_refusal refusal = { .call = mr_call_row(told->request.call)->name,
					    .errnum = state->errnum,
					    .kind = MR_ERROR_REFUSED,
					    .via = MR_VIA_LIBRARY,
					    .environment = &environment,
					    .request = &told->request };

	snprintf(environment.simulated_kernel, sizeof(environment.simulated_kernel), "%s",
		 state->kernel);
	mr_diagnose(&refusal, host, diagnosis);
}

/* Starts a child in a state; it is there when this returns. */
static pid_t start(const struct state *state)
{
	struct mr_host here = MR_THIS_HOST;
	char byte = 0;
	int ready[2];
	pid_t child;

	assert_int_equal(pipe(ready), 0);
	*told = (struct told){ .path = "/tmp/mrctl-other-XXXXXX" };
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		told->request =
			(struct mr_region_request){ .call = MR_REG_MR, .access = WRITE, .fd = -1 };
		told->is_made = state->make(&told->request);
		if (told->is_made)
			diagnose(state, &here, &told->diagnosis);
		if (write(ready[1], &byte, 1) == 1)
			pause();
		_exit(0);
	}
	close(ready[1]);
	assert_int_equal(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return child;
}

static void end(pid_t child)
{
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, NULL, 0), child);
	unlink(told->path);
}

static void assert_same_evidence(const char *id, const struct mr_suspicion *own,
				 const struct mr_suspicion *others)
{
	assert_equal_for(id, others->evidence_count, own->evidence_count);
	for (size_t i = 0; i < own->evidence_count; i++) {
		assert_string_equal(others->evidence[i].name, own->evidence[i].name);
		assert_true(others->evidence[i].is_number == own->evidence[i].is_number);
		if (own->evidence[i].is_number)
			assert_equal_for(own->evidence[i].name, others->evidence[i].number,
					 own->evidence[i].number);
		else
			assert_string_equal(others->evidence[i].text, own->evidence[i].text);
	}
}

/* The memory that is available differs from moment to moment, so only the first cause's figures are compared. */
static void assert_same(const struct mr_diagnosis *own, const struct mr_diagnosis *others)
{
	assert_int_equal(others->layer, own->layer);
	assert_int_equal(others->cause_count, own->cause_count);
	for (size_t i = 0; i < own->cause_count; i++) {
		assert_string_equal(others->causes[i].cause->id, own->causes[i].cause->id);
		assert_equal_for(own->causes[i].cause->id, others->causes[i].certainty,
				 own->causes[i].certainty);
	}
	assert_int_equal(others->ruled_out_count, own->ruled_out_count);
	for (size_t i = 0; i < own->ruled_out_count; i++)
		assert_string_equal(others->ruled_out[i].cause->id, own->ruled_out[i].cause->id);
	assert_string_equal(others->causes[0].text, own->causes[0].text);
	assert_string_equal(others->causes[0].remedy, own->causes[0].remedy);
	assert_same_evidence(own->causes[0].cause->id, &own->causes[0], &others->causes[0]);
}

/* Both come to the same, with @id as the first cause.  Return: false where the state cannot be made here. */
static bool compare(const struct state *state)
{
	struct mr_host host = MR_THIS_HOST;
	static struct mr_diagnosis diagnosis;
	const pid_t child = start(state);

	if (!told->is_made) {
		end(child);
		return false;
	}
	host.process = host.thread = child;
	diagnose(state, &host, &diagnosis);
	end(child);
	assert_true(told->diagnosis.cause_count > 0);
	assert_string_equal(told->diagnosis.causes[0].cause->id, state->id);
	assert_same(&told->diagnosis, &diagnosis);
	return true;
}

/* ---- states ---- */

static void *map(uint64_t length, int rights, int flags)
{
	return mmap(NULL, length, rights, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

static bool use(struct mr_region_request *request, void *addr, uint64_t length)
{
	request->addr = (uintptr_t)addr;
	request->length = length;
	return addr != MAP_FAILED;
}

static bool lower(rlim_t bytes)
{
	const struct rlimit limit = { bytes, bytes };
	struct mr_host here = MR_THIS_HOST;

	return !setrlimit(RLIMIT_MEMLOCK, &limit) &&
	       (geteuid() || (!setgroups(0, NULL) && !setgid(65534) && !setuid(65534))) &&
	       !prctl(PR_SET_DUMPABLE, 1) && mr_memlock_is_lifted(&here) == MR_NO;
}

static bool have_low_limit(struct mr_region_request *request)
{
	return lower(64 * KIB) &&
	       use(request, map(1024 * KIB, PROT_READ | PROT_WRITE, 0), 1024 * KIB);
}

static bool have_no_limit(struct mr_region_request *request)
{
	return lower(0) && use(request, map(PAGE, PROT_READ | PROT_WRITE, 0), PAGE);
}

static bool have_hole(struct mr_region_request *request)
{
	char *memory = map(3 * PAGE, PROT_READ | PROT_WRITE, 0);

	return use(request, memory, 3 * PAGE) && !munmap(memory + PAGE, PAGE);
}

static bool have_nothing(struct mr_region_request *request)
{
	char *memory = map(64 * PAGE, PROT_READ | PROT_WRITE, 0);

	return use(request, memory + 16 * PAGE, PAGE) && !munmap(memory, 64 * PAGE);
}

static bool have_read_only(struct mr_region_request *request)
{
	return use(request, map(PAGE, PROT_READ, 0), PAGE);
}

static bool have_no_access(struct mr_region_request *request)
{
	request->access = 0;
	return use(request, map(PAGE, PROT_NONE, 0), PAGE);
}

static bool have_file_end(struct mr_region_request *request)
{
	const int file = mkstemp(told->path);

	return file >= 0 && !ftruncate(file, 1) &&
	       use(request, mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE, file, 0), 4 * PAGE) &&
	       (request->access = 0, true);
}

static bool have_secret(struct mr_region_request *request)
{
	const int fd = (int)syscall(447 /* memfd_secret */, 0);

	return fd >= 0 && !ftruncate(fd, (off_t)PAGE) &&
	       use(request, mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0), PAGE);
}

static bool find_vvar(const struct mr_mapping *mapping, void *data)
{
	struct mr_region_request *request = data;

	if (strcmp(mapping->path, "[vvar]") != 0)
		return true;
	request->addr = mapping->start;
	request->length = PAGE;
	return false;
}

/* Memory of the kernel that every process has mapped, without pages that could be pinned. */
static bool have_device(struct mr_region_request *request)
{
	struct mr_host here = MR_THIS_HOST;

	request->access = 0;
	return !mr_mappings_walk(&here, 0, find_vvar, request) && request->addr;
}

static bool have_pipe(struct mr_region_request *request)
{
	int fds[2];

	request->call = MR_REG_DMABUF_MR;
	request->length = PAGE;
	if (pipe(fds))
		return false;
	/* A number that this test has not open: its own descriptor would tell of something else. */
	request->fd = 77;
	return dup2(fds[0], request->fd) == request->fd;
}

TEST(a_refusal_is_explained_from_outside_as_from_inside)
{
	static const struct state states[] = {
		{ have_low_limit, "7.2", ENOMEM, "MR-MEMLOCK" },
		{ have_no_limit, "7.2", EPERM, "MR-MEMLOCK-ZERO" },
		{ have_hole, "7.2", EFAULT, "MR-RANGE-HOLE" },
		{ have_nothing, "7.2", EFAULT, "MR-RANGE-UNMAPPED" },
		{ have_read_only, "7.2", EFAULT, "MR-READ-ONLY" },
		{ have_no_access, "7.2", EFAULT, "MR-PROT-NONE" },
		{ have_file_end, "7.2", EFAULT, "MR-FILE-END" },
		{ have_secret, "7.2", EFAULT, "MR-SECRET-MEMORY" },
		{ have_device, "7.2", EFAULT, "MR-PFN-MAPPING" },
		{ have_pipe, "7.2", EINVAL, "MR-DMABUF-FILE" },
	};
	unsigned int made = 0;

	for (size_t i = 0; i < ARRAY_SIZE(states); i++)
		made += compare(&states[i]);
	assert_true(made >= 7); /* secret memory, [vvar] or lower limits may not be had */
}

static int map_room(void **state __attribute__((unused)))
{
	told = mmap(NULL, sizeof(*told), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return told == MAP_FAILED;
}

ALL_TESTS(map_room, NULL)
