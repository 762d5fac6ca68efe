// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Regions that are registered before fork, and deregistered by whoever is left.  Each region has 4096 bytes.
 * Usage: trace-forks WHAT [FILE]
 *   daemon    registers 3 regions and exits; its child deregisters them
 *   twice     as daemon, by a child of the child, which makes no call itself
 *   called    as twice, and the child makes a call
 *   forgets   as daemon, but the child leaves one
 *   silent    as daemon, but the child makes no call
 *   waits     as daemon, but the child makes a call, creates FILE, and waits until something is in it
 *   child     a child deregisters what its parent, which waits for it, has registered
 *   both      as child, and the parent tries to deregister them again
 *   own       parent and child register one region each after fork, and only the child deregisters its own
 *   change    as daemon, but the child changes each region to half its size first
 *   serial    3 times: a child registers a region, and leaves it to its own child, which deregisters it
 */
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child leaves registered is what the tests are about. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

enum { REGIONS = 3, SIZE = 4096 };

static struct ibv_pd *pd;
static char *memory;
static struct ibv_mr *regions[REGIONS];

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = list && list[0] ? ibv_open_device(list[0]) : NULL;

	pd = context ? ibv_alloc_pd(context) : NULL;
	/* of no child's own: a region of memory that fork copies would be another one's */
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!pd || memory == MAP_FAILED)
		fail("ibv_alloc_pd");
	ibv_free_device_list(list);
}

static struct ibv_mr *new_region(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, memory, SIZE, IBV_ACCESS_LOCAL_WRITE);

	if (!mr)
		fail("ibv_reg_mr");
	return mr;
}

static void register_all(void)
{
	for (int i = 0; i < REGIONS; i++)
		regions[i] = new_region();
}

static void deregister(int count)
{
	for (int i = 0; i < count; i++)
		if (ibv_dereg_mr(regions[i]))
			fail("ibv_dereg_mr");
}

static pid_t new_child(void)
{
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	return pid;
}

static void wait_for(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status)
		fail("child");
}

/* Leaves its parent, which ends at once, and waits long enough for a tracer to see that. */
static void leave_parent(void)
{
	pid_t parent = getpid();

	if (new_child())
		_exit(0);
	while (getppid() == parent)
		usleep(1000);
	usleep(100000);
}

static void change(void)
{
	for (int i = 0; i < REGIONS; i++)
		if (ibv_rereg_mr(regions[i], IBV_REREG_MR_CHANGE_TRANSLATION, NULL, memory,
				 SIZE / 2, 0))
			fail("ibv_rereg_mr");
}

static void wait_for_file(const char *path)
{
	struct stat stat;
	int fd = open(path, O_CREAT | O_RDONLY, 0600);

	if (fd < 0)
		fail(path);
	while (!fstat(fd, &stat) && !stat.st_size)
		usleep(10000);
}

static int run_daemon(const char *what, const char *path)
{
	register_all();
	leave_parent();
	if (!strcmp(what, "called"))
		ibv_dereg_mr(new_region());
	if (!strcmp(what, "waits")) {
		ibv_dealloc_pd(ibv_alloc_pd(pd->context));
		wait_for_file(path);
	}
	if (!strcmp(what, "twice") || !strcmp(what, "called"))
		leave_parent();
	if (!strcmp(what, "silent"))
		return 0;
	if (!strcmp(what, "change"))
		change();
	deregister(!strcmp(what, "forgets") ? REGIONS - 1 : REGIONS);
	return 0;
}

static int run_child(bool both)
{
	pid_t child;

	register_all();
	child = new_child();
	if (!child) {
		deregister(REGIONS);
		return 0;
	}
	wait_for(child);
	for (int i = 0; both && i < REGIONS; i++)
		if (!ibv_dereg_mr(regions[i]))
			fail("ibv_dereg_mr of a region that is gone");
	return 0;
}

static int run_own(void)
{
	int ready[2], registered;
	struct ibv_mr *mr;
	pid_t child;
	char byte = 0;

	registered = pipe(ready);
	child = new_child();
	mr = new_region(); /* at the same address in both, as the child's heap is a copy */
	if (child) {
		registered = (int)write(ready[1], &byte, 1);
		wait_for(child);
		return registered != 1;
	}
	registered = (int)read(ready[0], &byte, 1);
	if (registered != 1 || ibv_dereg_mr(mr))
		fail("ibv_dereg_mr");
	return 0;
}

static int run_serial(void)
{
	for (int i = 0; i < REGIONS; i++) {
		pid_t child = new_child();

		if (!child) {
			regions[0] = new_region();
			child = new_child();
			if (!child)
				deregister(1);
			else
				wait_for(child);
			_exit(0);
		}
		wait_for(child);
	}
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "daemon";

	open_device();
	if (!strcmp(what, "child") || !strcmp(what, "both"))
		return run_child(!strcmp(what, "both"));
	if (!strcmp(what, "own"))
		return run_own();
	if (!strcmp(what, "serial"))
		return run_serial();
	return run_daemon(what, argv[2]);
}
