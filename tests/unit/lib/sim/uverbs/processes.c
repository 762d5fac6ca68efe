// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Contexts that several processes and threads use, also after an exec or a kill. */
#include <pthread.h>
#include <signal.h>

#include "tests/unit/lib/sim/device.h"

static int register_and_die(struct device *device)
{
	EXPECT(!reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL));
	return 0;
}

TEST_WITH(objects_outlive_the_process_that_made_them, open_device, close_device)
{
	struct device *device = *state;
	struct mr mr;

	in_child(register_and_die, device);
	assert_int_equal(query(device->fd, device->pd + 1, &mr), 0);
	assert_int_equal(mr.length, PAGE);
	assert_int_equal(dealloc_pd(device->fd, device->pd), EBUSY);
	assert_int_equal(dereg(device->fd, device->pd + 1), 0);
}

/* Preload the simulator by an open descriptor: may_lock() changes the user, whom its path may be closed to. */
static int preload_by_descriptor(void)
{
	char *list = strdup(getenv("LD_PRELOAD")), path[64];
	int fd;

	EXPECT(list);
	fd = open(strtok(list, ": "), O_RDONLY);
	free(list);
	EXPECT(fd >= 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	EXPECT(!setenv("LD_PRELOAD", path, 1));
	return 0;
}

static int exec_query(struct device *device)
{
	char fd[16], handle[16];

	snprintf(fd, sizeof(fd), "%d", device->fd);
	snprintf(handle, sizeof(handle), "%u", device->pd + 1);
	EXPECT(!fcntl(device->fd, F_SETFD, 0));
	EXPECT(!preload_by_descriptor());
	EXPECT(!may_lock(10));
	EXPECT(!reg(device->fd, device->pd, device->memory, 10 * PAGE, LOCAL, NULL));
	execl("/proc/self/exe", "processes", fd, handle, NULL);
	return __LINE__ % 255 + 1;
}

/* Runs after exec: the process still has the objects, but none of the pages that it has pinned. */
static int after_exec(int fd, uint32_t handle)
{
	struct mr mr;

	EXPECT(!query(fd, handle, &mr));
	EXPECT(mr.length == 10 * PAGE);
	EXPECT(!reg(fd, handle - 1, map(10 * PAGE, PROT_READ | PROT_WRITE), 10 * PAGE, LOCAL,
		    NULL));
	return dereg(fd, handle);
}

/* Takes over a program that exec() has started so; libc gives constructors the arguments. */
__attribute__((constructor)) static void continue_after_exec(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[0], "processes"))
		_exit(after_exec(atoi(argv[1]), (uint32_t)atoi(argv[2])));
}

TEST_WITH(objects_survive_exec_and_the_account_does_not, open_device, close_device)
{
	if (getenv("WRAP")) /* valgrind does not follow this exec */
		skip();
	in_child(exec_query, *state);
}

static int receive_and_register(int socket)
{
	int fd = receive_fd(socket);

	EXPECT(!dereg(fd, 1));
	EXPECT(!reg(fd, 0, map(PAGE, PROT_READ | PROT_WRITE), PAGE, LOCAL, NULL));
	return 0;
}

TEST(a_descriptor_can_be_sent_to_another_process)
{
	struct device sender;
	int ends[2];
	struct mr mr;
	pid_t pid;

	(void)state;
	assert_int_equal(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	pid = fork(); /* before the context is open: the child gets it by the message alone */
	if (!pid)
		_exit(receive_and_register(ends[0]));

	sender.fd = open_context();
	assert_int_equal(alloc_pd(sender.fd, &sender.pd), 0);
	assert_int_equal(reg(sender.fd, 0, map(PAGE, PROT_READ | PROT_WRITE), PAGE, LOCAL, NULL),
			 0);
	assert_true(send_fd(ends[1], sender.fd));
	assert_child_succeeds(pid);
	assert_int_equal(query(sender.fd, 1, &mr), 0);
	close(sender.fd);
	close(ends[0]);
	close(ends[1]);
}

static void *register_often(void *argument)
{
	struct device *device = argument;
	uint32_t mr, pd;
	uintptr_t i;
	int own;

	for (i = 0; i < 2000; i++) {
		if (reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr) ||
		    dereg(device->fd, mr))
			return (void *)(i + 1);
		if (i % 10)
			continue;
		own = open_context();
		if (alloc_pd(own, &pd) || reg(own, pd, device->memory, 2 * PAGE, LOCAL, NULL) ||
		    close(own))
			return (void *)(i + 1);
	}
	return NULL;
}

static int register_in_threads(struct device *device)
{
	pthread_t threads[4];
	void *failed;
	size_t i;

	EXPECT(!may_lock(12));
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		EXPECT(!pthread_create(&threads[i], NULL, register_often, device));
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		EXPECT(!pthread_join(threads[i], &failed));
		EXPECT(!failed);
	}
	EXPECT(!reg(device->fd, device->pd, device->memory, 12 * PAGE, LOCAL, NULL));
	EXPECT(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL) == ENOMEM);
	return 0;
}

TEST_WITH(threads_can_register_at_once, open_device, close_device)
{
	in_child(register_in_threads, *state);
}

TEST_WITH(a_kill_leaves_a_context_that_works, open_device, close_device)
{
	struct device *device = *state;
	uint32_t mr;
	pid_t pid;
	int i;

	for (i = 0; i < 100; i++) {
		pid = fork();
		while (!pid)
			if (reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr) ||
			    dereg(device->fd, mr))
				_exit(1);
		usleep((useconds_t)(i * 17 % 900));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		/* the process was killed with one region or with none */
		if (dereg(device->fd, device->pd + 1))
			assert_int_equal(errno, ENOENT);
		assert_int_equal(dealloc_pd(device->fd, device->pd), 0);
		assert_int_equal(alloc_pd(device->fd, &device->pd), 0);
	}
}
