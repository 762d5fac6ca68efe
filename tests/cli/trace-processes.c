// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Does what programs do with regions, processes, threads, descriptors and signals.  A region has 4096 bytes.
 * Usage: trace-processes WHAT [ARG...]
 * A step registers a region, is refused another one, and deregisters the first.
 *   step               one step
 *   fork DEPTH         parent and child step before and after fork; children do so, too, as deep
 *   clone-vm           a child with its parent's memory, by clone(CLONE_VM | CLONE_VFORK), steps
 *   closed             closes all descriptors but the device's before each step, and before fork
 *   threads COUNT      8 threads, each COUNT steps; -1: until the process kills itself
 *   stopped COUNT      stops its parent, and makes COUNT steps
 *   small              a thread with the smallest stack steps, and runs true(1) with an empty environment
 *   filtered           installs a filter that kills for calls that the agent makes, by prctl(2), and steps, also in a
 *                      new thread; "filtered-syscall": by syscall(2)
 *   unreadable         runs programs whose path, environment or variable cannot be read
 *   signals COUNT      COUNT steps, while a timer's signals are handled
 *   exec HOW CMD ARG   runs CMD; HOW is the function's name; with "-" before it by an empty environment,
 *                      with "+" by all descriptors closed, with "v" before fork by vfork; "syscall": by syscall(2)
 *   filter CMD ARG     becomes CMD, whose socket(2) fails with EPERM
 *   await FILE TEXT    waits until FILE has TEXT, and opens no device
 * Who deregisters what was registered before fork:
 *   daemon             registers 3 regions and exits; its child deregisters them
 *   called             as daemon, by a child of the child, which makes a call
 *   forgets            as daemon, but the child leaves one
 *   silent             as daemon, but the child makes no call
 *   waits FILE         as daemon, but the child makes a call, writes its parent's pid to FILE, and waits until FILE
 *                      has no name any more
 *   both               a child deregisters what its parent has, which tries so again when it has ended
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Some tests need regions that a process leaves registered. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

enum { REGIONS = 3, SIZE = 4096, THREADS = 8, PATIENCE_S = 60 };

static struct ibv_context *context;
static struct ibv_pd *pd;
static char *memory;
static struct ibv_mr *regions[REGIONS];
static const char *what;

static bool is(const char *name)
{
	return !strcmp(what, name);
}

static void fail(const char *where)
{
	perror(where);
	exit(1);
}

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	if (!list || !list[0])
		fail("ibv_get_device_list");
	context = ibv_open_device(list[0]);
	pd = context ? ibv_alloc_pd(context) : NULL;
	/* shared: fork(2) would copy private memory, so that a child's region would be another one's */
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!pd || memory == MAP_FAILED)
		fail("ibv_alloc_pd");
	ibv_free_device_list(list);
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

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("child");
}

/* ---- steps ---- */

/* Checks what the calls return, and errno. */
static void step(void)
{
	struct ibv_mr *mr;

	errno = 77;
	mr = ibv_reg_mr(pd, memory, SIZE, IBV_ACCESS_LOCAL_WRITE);
	if (!mr || errno != 77)
		fail("ibv_reg_mr");
	if (ibv_reg_mr(pd, memory, SIZE, IBV_ACCESS_REMOTE_WRITE) || errno != EINVAL)
		fail("ibv_reg_mr, which is to be refused");
	if (ibv_dereg_mr(mr))
		fail("ibv_dereg_mr");
}

static void fork_and_step(long depth)
{
	pid_t pid;

	step();
	pid = new_child();
	if (!pid) {
		if (depth)
			fork_and_step(depth - 1);
		step();
		_exit(0);
	}
	step();
	wait_for(pid);
}

static void clone_vm(long count)
{
	pid_t pid;

	(void)count;
	step();
	pid = vfork(); /* clone(CLONE_VM | CLONE_VFORK) */
	if (!pid) {
		step();
		_exit(0);
	}
	wait_for(pid);
	step();
}

/* Closes all descriptors but the known ones, as daemons do. */
static void close_others(void)
{
	for (int fd = 3; fd < 1024; fd++)
		if (fd != context->cmd_fd && fd != context->async_fd)
			close(fd);
}

static void closed(long count)
{
	close_others();
	step();
	close_others();
	fork_and_step(count);
}

static atomic_long steps;

static void *step_often(void *count)
{
	for (long i = 0; i != (long)count; i++) {
		step();
		atomic_fetch_add(&steps, 1);
	}
	return NULL;
}

static void threads(long count)
{
	pthread_t list[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&list[i], NULL, step_often, (void *)count))
			fail("pthread_create");
	while (count < 0 && atomic_load(&steps) < 100)
		usleep(1000);
	if (count < 0)
		kill(getpid(), SIGKILL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(list[i], NULL);
}

static void stopped(long count)
{
	step();
	kill(getppid(), SIGSTOP);
	step_often((void *)count);
}

static void in_thread(void *(*run)(void *), size_t stack_size)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (pthread_attr_setstacksize(&attributes, stack_size) ||
	    pthread_create(&thread, &attributes, run, NULL) || pthread_join(thread, NULL))
		fail("pthread_create");
}

static void *step_and_run(void *unused)
{
	char path[] = "/bin/true", *command[] = { path, NULL }, *nothing[] = { NULL };
	pid_t pid;

	step();
	errno = posix_spawn(&pid, command[0], NULL, NULL, command, nothing);
	if (errno)
		fail("posix_spawn");
	wait_for(pid);
	pid = vfork();
	if (!pid) {
		execve(command[0], command, nothing);
		_exit(99);
	}
	wait_for(pid);
	return unused;
}

static void small(long count)
{
	(void)count;
	in_thread(step_and_run, (size_t)PTHREAD_STACK_MIN);
}

static void *one_more_step(void *unused)
{
	step();
	return unused;
}

static void install_filter(struct sock_fprog *program, bool by_prctl)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    (by_prctl ? prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program)
		      : (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, program)))
		fail("seccomp");
}

static void filtered(long count)
{
	static const int killed[] = {
		SYS_socket, SYS_connect, SYS_sendto, SYS_recvmsg, SYS_readlinkat,
#ifndef __SANITIZE_ADDRESS__ /* its threads ask for their number */
		SYS_gettid,
#endif
	};
	struct sock_filter filters[2 + 2 * sizeof(killed) / sizeof(*killed)] = { BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)) };
	struct sock_fprog program = { 1, filters };

	(void)count;
	for (size_t i = 0; i < sizeof(killed) / sizeof(*killed); i++) {
		filters[program.len++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, (unsigned int)killed[i], 0, 1);
		filters[program.len++] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	}
	filters[program.len++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	install_filter(&program, is("filtered"));
	step();
	in_thread(one_more_step, 1 << 20);
}

static void expect_fault(int rc)
{
	if (rc != -1 || errno != EFAULT)
		fail("execve of what cannot be read");
}

static void unreadable(long count)
{
	char *volatile bad = (char *)1; /* volatile: the compiler would warn */
	char path[] = "/bin/true", *command[] = { path, NULL }, *variables[] = { bad, NULL };

	(void)count;
	expect_fault(execve(bad, command, environ));
	expect_fault(execv(bad, command));
	expect_fault(execve(command[0], command, (char **)bad));
	expect_fault(execve(command[0], command, variables));
	step();
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	handled = handled + 1;
}

static void signals(long count)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	struct sigaction action = { .sa_handler = handle }; /* no SA_RESTART */

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		fail("setitimer");
	step_often((void *)count);
	if (!handled)
		fail("no signal came");
}

/* ---- exec ---- */

static int run_exec(const char *how, char **command, char **env)
{
	if (!strcmp(how, "syscall"))
		return (int)syscall(SYS_execve, command[0], command, env);
	if (!strcmp(how, "execv"))
		return execv(command[0], command);
	if (!strcmp(how, "execve"))
		return execve(command[0], command, env);
	if (!strcmp(how, "execvp"))
		return execvp(command[0], command);
	if (!strcmp(how, "execvpe"))
		return execvpe(command[0], command, env);
	if (!strcmp(how, "fexecve"))
		return fexecve(dup(9), command, env);
	if (!strcmp(how, "execveat"))
		return execveat(9, "", command, env, AT_EMPTY_PATH);
	if (!strcmp(how, "execl"))
		return execl(command[0], command[0], command[1], NULL);
	if (!strcmp(how, "execlp"))
		return execlp(command[0], command[0], command[1], NULL);
	if (!strcmp(how, "execle"))
		return execle(command[0], command[0], command[1], NULL, env);
	return -1;
}

static void exec_by(const char *how, char **command)
{
	const bool empty = *how == '-', close_all = *how == '+';
	char *nothing[] = { NULL }, **env = empty ? nothing : environ;
	const bool by_vfork = how[empty + close_all] == 'v';
	pid_t pid = -1;

	how += empty + close_all + by_vfork;
	if (empty)
		environ = env;
	if (close_all)
		close_others();
	if (!strncmp(how, "posix_spawn", 11)) {
		errno = (how[11] ? posix_spawnp : posix_spawn)(&pid, command[0], NULL, NULL,
							       command, env);
	} else {
		if (how[0] == 'f' || strstr(how, "at"))
			dup2(open(command[0], O_RDONLY | O_CLOEXEC), 9);
		pid = by_vfork ? vfork() : fork();
		if (!pid) {
			run_exec(how, command, env);
			_exit(99);
		}
	}
	wait_for(pid);
}

static int await_text(const char *path, const char *text)
{
	char found[4096];

	for (int i = 0; i < PATIENCE_S * 20; i++) {
		const int fd = open(path, O_RDONLY | O_CLOEXEC);
		const ssize_t got = read(fd, found, sizeof(found) - 1);

		close(fd);
		found[got > 0 ? got : 0] = '\0';
		if (strstr(found, text))
			return 0;
		usleep(50000);
	}
	return 1;
}

/* ---- regions that others deregister ---- */

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

/* Ends the parent.  The child goes on when it has ended.  Return: the parent's pid */
static pid_t leave_parent(void)
{
	pid_t parent = getpid();

	if (new_child())
		_exit(0);
	while (getppid() == parent)
		usleep(1000);
	return parent;
}

/* The file appears with the pid in it. */
static void wait_in_file(const char *path, pid_t parent)
{
	char new[4096];
	FILE *file;

	snprintf(new, sizeof(new), "%s.new", path);
	file = fopen(new, "we");
	if (!file || fprintf(file, "%d\n", (int)parent) < 0 || fclose(file) || rename(new, path))
		fail(path);
	while (!access(path, F_OK))
		usleep(10000);
}

static void run_daemon(const char *path)
{
	pid_t parent;

	register_all();
	parent = leave_parent();
	if (is("called"))
		ibv_dereg_mr(new_region());
	if (is("waits")) {
		ibv_dealloc_pd(ibv_alloc_pd(pd->context));
		wait_in_file(path, parent);
	}
	if (is("called"))
		leave_parent();
	if (is("silent"))
		return;
	deregister(is("forgets") ? REGIONS - 1 : REGIONS);
}

static void run_both(long count)
{
	pid_t child;

	register_all();
	child = new_child();
	if (!child) {
		deregister(REGIONS);
		_exit(0);
	}
	wait_for(child);
	for (int i = 0; i < REGIONS; i++)
		if (!ibv_dereg_mr(regions[i]))
			fail("ibv_dereg_mr of a region that is gone");
	(void)count;
}

static void one_step(long count)
{
	(void)count;
	step();
}

static const struct {
	const char *name;
	void (*run)(long count);
} counted[] = {
	{ "step", one_step },         { "fork", fork_and_step }, { "closed", closed },
	{ "threads", threads },       { "stopped", stopped },    { "signals", signals },
	{ "both", run_both },         { "clone-vm", clone_vm },  { "small", small },
	{ "unreadable", unreadable }, { "filtered", filtered },  { "filtered-syscall", filtered },
};

static int filter(char **command)
{
	struct sock_filter filters[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filters) / sizeof(*filters), filters };

	install_filter(&program, true);
	return execv(command[0], command);
}

int main(int argc, char **argv)
{
	what = argc > 1 ? argv[1] : "step";
	if (is("await") && argc > 3)
		return await_text(argv[2], argv[3]);
	if (is("filter") && argc > 2)
		return filter(argv + 2);
	open_device();
	for (size_t i = 0; i < sizeof(counted) / sizeof(*counted); i++)
		if (is(counted[i].name)) {
			counted[i].run(argc > 2 ? atol(argv[2]) : 0);
			return 0;
		}
	if (is("exec") && argc > 3)
		exec_by(argv[2], argv + 3);
	else
		run_daemon(argv[2]);
	return 0;
}
