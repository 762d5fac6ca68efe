// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Other processes: whether they are running, their names, their descriptors. */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/host/process.h"
#include "tests/unit/unit.h"

TEST(the_socket_of_a_descriptor_is_its_inode)
{
	char folder[] = "/tmp/mrctl-test.XXXXXX", path[64];
	struct mr_process self;
	int sockets[2], file;
	struct stat st;

	assert_true(mr_process_open(getpid(), &self));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	assert_int_equal(fstat(sockets[0], &st), 0);
	assert_int_equal(mr_process_socket(&self, sockets[0]), st.st_ino);
	assert_int_not_equal(mr_process_socket(&self, sockets[1]), st.st_ino);
	close(sockets[1]);
	assert_int_equal(mr_process_socket(&self, sockets[1]), 0);
	/* a file whose name looks like a socket's */
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/socket:[%lu]", folder, (unsigned long)st.st_ino);
	file = open(path, O_CREAT | O_RDWR, 0600);
	assert_true(file >= 0);
	assert_int_equal(mr_process_socket(&self, file), 0);
	unlink(path);
	rmdir(folder);
	close(file);
	close(sockets[0]);
	mr_process_close(&self);
}

TEST(a_process_that_has_ended_is_not_confused_with_a_later_one)
{
	struct mr_process process;
	char command[16];
	pid_t pid = fork();

	if (!pid) {
		pause();
		_exit(0);
	}
	assert_true(mr_process_open(pid, &process));
	mr_process_command(&process, command);
	assert_true(command[0]);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(mr_process_pidfd(&process), -1);
	mr_process_command(&process, command);
	assert_string_equal(command, "");
	assert_int_equal(mr_process_socket(&process, 0), 0);
	mr_process_close(&process);
	assert_false(mr_process_open(pid, &process));
}

TEST(a_process_lives_until_it_is_a_zombie)
{
	uint64_t start = 0, again = 0, mine = 0;
	siginfo_t info;
	pid_t pid = fork();

	if (!pid) {
		prctl(PR_SET_NAME, "a) Z 1 (b");
		pause();
		_exit(0);
	}
	assert_int_equal(mr_process_life(getpid(), &mine), MR_PROCESS_LIVES);
	assert_int_equal(mr_process_life(pid, &start), MR_PROCESS_LIVES);
	assert_true(mine && start >= mine);
	assert_int_equal(mr_process_life(pid, &again), MR_PROCESS_LIVES);
	assert_int_equal(again, start);
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(mr_process_life(pid, &again), MR_PROCESS_ENDED);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_int_equal(mr_process_life(pid, &again), MR_PROCESS_ENDED);
}

TEST(a_thread_belongs_to_its_process)
{
	pid_t pid = fork();
	int status;

	assert_int_equal(mr_process_of_thread(getpid()), getpid());
	if (!pid) {
		prctl(PR_SET_NAME, "a\nTgid: 1");
		_exit(mr_process_of_thread(getpid()) == getpid() ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(mr_process_of_thread(pid), 0);
}

TEST(the_name_of_a_process_is_printed_without_control_characters)
{
	struct mr_process self;
	char command[16];
	int comm = open("/proc/self/comm", O_RDWR);

	assert_int_equal(write(comm, "a\033[31m\nb", 8), 8);
	close(comm);
	assert_true(mr_process_open(getpid(), &self));
	mr_process_command(&self, command);
	assert_string_equal(command, "a?[31m");
	mr_process_close(&self);
}
