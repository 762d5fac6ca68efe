// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * What programs do with processes, threads, descriptors and signals while they register.
 * Usage: trace-processes WHAT [CMD ARG...]
 *   step               registers and deregisters one region
 *   fork               a child registers by what its parent has opened, and so does the parent
 *   grandchildren      as fork, two deep, and all at once
 *   clone-vm           a child with its parent's memory, by clone(CLONE_VM | CLONE_VFORK), registers
 *   closed             closes all descriptors but the device's before each step, and before fork
 *   threads COUNT      8 threads, each COUNT times
 *   killed             8 threads register until the process kills itself
 *   signals COUNT      COUNT times, while a timer's signals are handled
 *   exec HOW CMD ARG   runs CMD; HOW is the function's name; with "-" before it by an empty environment,
 *                      with "+" by all descriptors closed, with "v" before fork by vfork; "syscall": by syscall(2)
 *   await FILE TEXT    waits until FILE has TEXT, and opens no device
 *   filter CMD ARG     becomes CMD, whose socket(2) fails with EPERM
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static struct ibv_context *context;
static struct ibv_pd *pd;
static char *memory;

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);

	context = list && list[0] ? ibv_open_device(list[0]) : NULL;
	pd = context ? ibv_alloc_pd(context) : NULL;
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (!pd || memory == MAP_FAILED)
		fail("ibv_alloc_pd");
	ibv_free_device_list(list);
}

/* Register, be refused, and deregister, and check what the calls return, and errno. */
static void step(void)
{
	struct ibv_mr *mr;

	errno = 77;
	mr = ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE);
	if (!mr || errno != 77)
		fail("ibv_reg_mr");
	if (ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_REMOTE_WRITE) || errno != EINVAL)
		fail("ibv_reg_mr, which is to be refused");
	if (ibv_dereg_mr(mr))
		fail("ibv_dereg_mr");
}

static void wait_for(pid_t pid)
{
	int status;

	if (pid < 0 || waitpid(pid, &status, 0) != pid || status)
		fail("child");
}

static int fork_and_step(int depth)
{
	pid_t pid;

	step();
	pid = fork();
	if (!pid) {
		if (depth)
			fork_and_step(depth - 1);
		step();
		_exit(0);
	}
	step();
	wait_for(pid);
	return 0;
}

static int clone_vm(void)
{
	pid_t pid;

	step();
	pid = vfork(); /* clone(CLONE_VM | CLONE_VFORK) */
	if (!pid) {
		step();
		_exit(0);
	}
	wait_for(pid);
	step();
	return 0;
}

/* What daemons do: all descriptors are closed but those that are known. */
static void close_others(void)
{
	for (int fd = 3; fd < 1024; fd++)
		if (fd != context->cmd_fd && fd != context->async_fd)
			close(fd);
}

static int closed(void)
{
	close_others();
	step();
	close_others();
	return fork_and_step(0);
}

static void *step_often(void *count)
{
	for (long i = 0; i != (long)count; i++)
		step();
	return NULL;
}

enum { THREADS = 8 };

static int threads(long count)
{
	pthread_t list[THREADS];

	for (int i = 0; i < THREADS; i++)
		if (pthread_create(&list[i], NULL, step_often, (void *)count))
			fail("pthread_create");
	if (count < 0)
		usleep(20000), kill(getpid(), SIGKILL);
	for (int i = 0; i < THREADS; i++)
		pthread_join(list[i], NULL);
	return 0;
}

static volatile sig_atomic_t handled;

static void handle(int signal)
{
	(void)signal;
	handled = handled + 1;
}

static int signals(long count)
{
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	struct sigaction action = { .sa_handler = handle }; /* no SA_RESTART */

	if (sigaction(SIGALRM, &action, NULL) || setitimer(ITIMER_REAL, &often, NULL))
		fail("setitimer");
	step_often((void *)count);
	if (!handled)
		fail("no signal came");
	return 0;
}

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

static int exec_by(const char *how, char **command)
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
	if (!strcmp(how, "posix_spawn") || !strcmp(how, "posix_spawnp")) {
		errno = (strlen(how) == 11 ? posix_spawn : posix_spawnp)(&pid, command[0], NULL,
									 NULL, command, env);
	} else {
		if (strstr(how, "exec") && (how[0] == 'f' || strstr(how, "at")))
			dup2(open(command[0], O_RDONLY | O_CLOEXEC), 9);
		pid = by_vfork ? vfork() : fork();
		if (!pid) {
			run_exec(how, command, env);
			_exit(99);
		}
	}
	wait_for(pid);
	return 0;
}

static int await_text(const char *path, const char *text)
{
	char found[4096];

	for (int i = 0; i < 200; i++) {
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

static int filter(char **command)
{
	struct sock_filter filters[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_socket, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof(filters) / sizeof(*filters), filters };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
		fail("prctl");
	return execv(command[0], command);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "step";
	const long count = argc > 2 ? atol(argv[2]) : 0;

	if (!strcmp(what, "await") && argc > 3)
		return await_text(argv[2], argv[3]);
	if (!strcmp(what, "filter") && argc > 2)
		return filter(argv + 2);
	open_device();
	if (!strcmp(what, "fork"))
		return fork_and_step(0);
	if (!strcmp(what, "grandchildren"))
		return fork_and_step(2);
	if (!strcmp(what, "clone-vm"))
		return clone_vm();
	if (!strcmp(what, "closed"))
		return closed();
	if (!strcmp(what, "threads"))
		return threads(count);
	if (!strcmp(what, "killed"))
		return threads(-1);
	if (!strcmp(what, "signals"))
		return signals(count);
	if (!strcmp(what, "exec") && argc > 3)
		return exec_by(argv[2], argv + 3);
	step();
	return 0;
}
