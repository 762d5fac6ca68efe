// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Facts of this process and of a child. */
#include <sched.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "lib/host/host.h"
#include "lib/host/reading.h"
#include "tests/unit/one_host.h"

/* Only its folder is used here. */
EACH_TEST(set_up, tear_down)

static struct mr_host host = MR_THIS_HOST;

/* Ends the process that host is of. */
static void end(void)
{
	end_child(host.process);
	host = (struct mr_host)MR_THIS_HOST;
}

static char *const sleeping[] = { (char[]){ "sleep" }, (char[]){ "100" }, NULL };

/* Starts a program with an environment, as /proc shows only that with which it was started. */
static void start_program(const char *program, char *const *arguments, char *const *environment)
{
	int closed_by_exec[2];
	char byte, none[1];

	assert_int_equal(pipe2(closed_by_exec, O_CLOEXEC), 0);
	host.process = fork();
	assert_true(host.process >= 0);
	if (!host.process) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execve(program, arguments, environment);
		_exit(1);
	}
	close(closed_by_exec[1]);
	assert_int_equal(read(closed_by_exec[0], &byte, 1), 0);
	close(closed_by_exec[0]);
	/* Its descriptors are closed before it has its environment. */
	while (mr_process_variable(host.process, "", none, sizeof(none)) == -EAGAIN)
		usleep(1000);
}

/* ---- the folder of a child in /proc, and its threads ---- */

static bool get_name(void)
{
	return !prctl(PR_SET_NAME, "traced");
}

TEST(facts_of_self_are_those_of_the_child)
{
	struct mr_mlx5_log_line log_line;
	char line[64], found[PATH_MAX];
	struct mr_cpus cpus;

	assert_int_equal(mr_host_open_device(&host, "/dev/null"), 0);
	host.process = start_child(get_name);
	assert_true(mr_host_line(&host, line, sizeof(line), "/proc/self/comm"));
	assert_string_equal(line, "traced");
	assert_true(mr_host_link(&host, line, sizeof(line), "/proc/self/ns/mnt"));
	/* "/proc/selfish" is no folder of a process, and other files are those of the host. */
	assert_true(mr_host_exists(&host, "/proc/self") && mr_host_exists(&host, "/proc/meminfo"));
	assert_false(mr_host_exists(&host, "/proc/selfish"));
	/* With the same mounts a file is the same one, but a device is not opened in its place. */
	assert_int_equal(mr_seen_by(&host, "/dev/null", found), 0);
	assert_string_equal(found, "/dev/null");
	assert_int_equal(mr_host_open_device(&host, "/dev/null"), -ENODATA);
	/* A thread that is not known has no facts. */
	mr_cpus_read(&host, &cpus);
	assert_string_equal(cpus.allowed, "");
	assert_int_equal(mr_mlx5_log_read(&host, "none", &log_line), -ENOENT);
	host.thread = host.process;
	mr_cpus_read(&host, &cpus);
	assert_true(cpus.allowed[0]);
	end();
}

static bool be_first_of_namespace(void)
{
	pid_t child;

	if ((geteuid() && unshare(CLONE_NEWUSER)) || unshare(CLONE_NEWPID))
		return false;
	child = fork();
	if (child > 0) {
		waitpid(child, NULL, 0);
		_exit(0);
	}
	return !child && getpid() == 1;
}

TEST(files_of_the_host_are_the_same_for_a_process_in_a_container)
{
	static const char *const same[] = { "/proc/stat",	  "/sys/module",   "/boot/config",	"/lib/modules/6.1",
					    "/usr/lib/modules/6", "/usr/src/6.12", "/usr/lib/kernel/6" };
	static const char *const other[] = { "/usr/lib/kernels", "/sys/class/infiniband/mlx5_0", "/sys/fs/cgroup", "/etc" };
	const struct mr_host nobody = { .recording = -1, .process = INT_MAX };
	char found[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(same); i++) {
		assert_equal_for(same[i], mr_seen_by(&nobody, same[i], found), 0);
		assert_string_equal(found, same[i]);
	}
	for (size_t i = 0; i < ARRAY_SIZE(other); i++)
		assert_equal_for(other[i], mr_seen_by(&nobody, other[i], found), -ENOENT);
}

TEST(a_thread_is_found_by_its_number_in_its_own_namespace)
{
	char path[64], text[64] = "";
	FILE *file;
	int inner;

	host.process = start_child(be_first_of_namespace);
	if (!host.process)
		skip();
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)host.process, (int)host.process);
	file = fopen(path, "re");
	assert_true(file && fgets(text, sizeof(text), file) && !fclose(file));
	inner = (int)strtol(text, NULL, 10);
	assert_int_equal(mr_process_thread(inner, 1), inner);
	assert_int_equal(mr_process_thread(inner, 2), 0);
	assert_int_equal(mr_process_thread(host.process, (uint32_t)host.process), host.process);
	kill(inner, SIGKILL);
	end();
	assert_int_equal(mr_process_thread(0x7ffffff0, 1), 0);
}

/* ---- its environment ---- */

TEST(variables_are_those_that_a_program_was_started_with)
{
	char *const environment[] = { (char[]){ "RDMAV_FORK_SAFEX=1" },
				      (char[]){ "A" },
				      (char[]){ "EMPTY=" },
				      (char[]){ "RDMAV_FORK_SAFE=1" },
				      (char[]){ "LONG=0123456789" },
				      NULL };
	static const struct {
		const char *name, *value; /* NULL: there is none; "" too where there is no room */
	} rows[] = {
		{ "RDMAV_FORK_SAFE", "1" }, { "EMPTY", "" }, { "LONG", "" }, { "A", NULL }, { "ONLY_HERE", NULL }
	};
	struct mr_fork fork_asked;
	char value[8];

	setenv("ONLY_HERE", "1", 1);
	start_program("/bin/sleep", sleeping, environment);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		assert_equal_for(rows[i].name, mr_process_variable(host.process, rows[i].name, value, 8),
				 rows[i].value ? 1 : 0);
		if (rows[i].value)
			assert_string_equal(value, rows[i].value);
	}
	mr_fork_read(&host, &fork_asked);
	assert_true(fork_asked.is_requested);
	end();
	mr_fork_read(&host, &fork_asked);
	assert_false(fork_asked.is_requested);
	assert_true(mr_process_variable(0x7ffffff0, "A", value, 8) < 0);
}

/*
 * The environment is empty for a moment of each execve(2), which is longer where it is large, and goes with the old
 * memory where it was open.  Below valgrind a look is so slow that it sees little else.
 */
TEST(a_variable_is_not_missed_while_its_process_executes_programs)
{
	char *const again[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "eval \"$AGAIN\"" }, NULL };
	static char others[20000][8], *environment[ARRAY_SIZE(others) + 2];
	const int looks = getenv("WRAP") ? 50 : 5000;
	int found = 0;
	char value[64];

	environment[0] = (char[]){ "AGAIN=exec sh -c 'eval \"$AGAIN\"'" };
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		snprintf(others[i], sizeof(others[i]), "V%zu=", i);
		environment[i + 1] = others[i];
	}
	start_program("/bin/sh", again, environment);
	for (int i = 0; i < looks; i++) {
		const int rc = mr_process_variable(host.process, "AGAIN", value, sizeof(value));

		assert_true(rc == 1 || rc == -EAGAIN);
		found += rc == 1;
	}
	end();
	assert_true(found > 0 || getenv("WRAP"));
}

TEST(a_program_without_environment_has_no_variable)
{
	char *const none[] = { NULL };
	char value[8];

	start_program("/bin/sleep", sleeping, none);
	assert_int_equal(mr_process_variable(host.process, "A", value, sizeof(value)), 0);
	end();
}

TEST(variables_that_ask_for_fork_protection)
{
	struct mr_fork none, asked;

	unsetenv("RDMAV_FORK_SAFE");
	setenv("IBV_FORK_SAFE", "0", 1);
	mr_fork_read(mr_this_host(), &none);
	setenv("IBV_FORK_SAFE", "1", 1);
	setenv("RDMAV_HUGEPAGES_SAFE", "0", 1); /* libibverbs does not look at the value */
	mr_fork_read(mr_this_host(), &asked);
	assert_true(!none.is_requested && !none.huge_pages && asked.is_requested && asked.huge_pages);
	unsetenv("IBV_FORK_SAFE");
	unsetenv("RDMAV_HUGEPAGES_SAFE");
}

/* ---- its descriptors and mappings ---- */

static bool fill_descriptors(void)
{
	struct rlimit limit = { 64, 64 };

	if (setrlimit(RLIMIT_NOFILE, &limit))
		return false;
	while (open("/dev/null", O_RDONLY) >= 0)
		;
	return !close(10) && !close(11);
}

TEST(descriptors_that_are_free_are_counted)
{
	struct mr_descriptors descriptors;

	host.process = start_child(fill_descriptors);
	if (!host.process)
		skip(); /* below valgrind, which has limits of its own */
	assert_int_equal(mr_descriptors_try(&host, &descriptors), 0);
	assert_int_equal(descriptors.error, EMFILE);
	assert_int_equal(descriptors.limit, 64);
	end();
	assert_int_equal(mr_descriptors_try(&host, &descriptors), 0);
	assert_int_equal(descriptors.error, 0);
}

static bool have_descriptor_and_mappings(void)
{
	const int fd = open("/dev/zero", O_PATH | O_CLOEXEC);

	for (int i = 0; i < 100; i++)
		if (mmap(NULL, mr_page_size(mr_this_host()), i % 2 ? PROT_READ : PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED)
			return false;
	return fd >= 0 && dup2(fd, 77) == 77;
}

TEST(descriptors_and_mappings_are_its_own)
{
	const uint64_t own = mr_mappings_used(&host).value;
	struct mr_dmabuf_file file;

	host.process = start_child(have_descriptor_and_mappings);
	assert_int_equal(mr_dmabuf_file_read(&host, 77, &file), 0);
	assert_true(file.is_path);
	assert_string_equal(file.target, "/dev/zero");
	assert_true(mr_mappings_used(&host).value > own + 50);
	end();
	assert_int_equal(mr_dmabuf_file_read(&host, 77, &file), -ENOENT);
}

/* ---- processes by number ---- */

TEST(the_socket_of_a_descriptor_is_its_inode)
{
	struct mr_process self;
	int sockets[2], file;
	char path[128];
	struct stat st;

	assert_true(mr_process_open(getpid(), &self));
	assert_int_equal(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, sockets), 0);
	assert_int_equal(fstat(sockets[0], &st), 0);
	assert_int_equal(mr_process_socket(&self, sockets[0]), st.st_ino);
	assert_int_not_equal(mr_process_socket(&self, sockets[1]), st.st_ino);
	close(sockets[1]);
	assert_int_equal(mr_process_socket(&self, sockets[1]), 0);
	/* a file whose name looks like a socket's */
	snprintf(path, sizeof(path), "%s/socket:[%lu]", recorded.folder, (unsigned long)st.st_ino);
	file = open(path, O_CREAT | O_RDWR, 0600);
	assert_true(file >= 0);
	assert_int_equal(mr_process_socket(&self, file), 0);
	close(file);
	close(sockets[0]);
	mr_process_close(&self);
}

static bool get_odd_name(void)
{
	return !prctl(PR_SET_NAME, "a)\033Z\nTgid: 1");
}

TEST(a_process_lives_until_it_is_a_zombie_and_is_not_confused_with_a_later_one)
{
	uint64_t begin = 0, again = 0, mine = 0;
	struct mr_process process;
	char command[16];
	siginfo_t info;
	pid_t pid;

	pid = host.process = start_child(get_odd_name);
	assert_true(mr_process_open(pid, &process));
	mr_process_command(&process, command);
	assert_string_equal(command, "a)?Z");
	assert_int_equal(mr_process_life(getpid(), &mine), MR_PROCESS_LIVES);
	assert_int_equal(mr_process_life(pid, &begin), MR_PROCESS_LIVES);
	assert_true(mine && begin >= mine);
	assert_int_equal(mr_process_life(pid, &again), MR_PROCESS_LIVES);
	assert_int_equal(again, begin);
	assert_int_equal(mr_process_of_thread(pid), pid);
	assert_int_equal(mr_process_of_thread(getpid()), getpid());
	kill(pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT), 0);
	assert_int_equal(mr_process_life(pid, &again), MR_PROCESS_ENDED);
	end();
	assert_int_equal(mr_process_life(pid, &again), MR_PROCESS_ENDED);
	assert_int_equal(mr_process_of_thread(pid), 0);
	assert_int_equal(mr_process_pidfd(&process), -1);
	mr_process_command(&process, command);
	assert_string_equal(command, "");
	assert_int_equal(mr_process_socket(&process, 0), 0);
	mr_process_close(&process);
	assert_false(mr_process_open(pid, &process));
}

/* ---- what is recorded of this process and kernel ---- */

TEST(facts_are_filtered_before_they_are_recorded)
{
	char words[256], path[256];
	struct mr_error err;

	snprintf(path, sizeof(path), "%s/copy", recorded.folder);
	assert_int_equal(mr_host_open(&host, NULL, path, &err), 0);
	assert_true(mr_mappings_used(&host).value > 3);
	assert_int_equal(mr_kernel_words(&host, words, sizeof(words)), 0);
	assert_null(strstr(words, "root="));
	assert_null(strstr(words, "console="));
	assert_int_not_equal(mr_kernel_has_symbol(&host, "mrctl_has_no_such_symbol"), MR_YES);
	assert_int_equal(mr_host_close(&host, &err), 0);
	strcat(path, "/proc");
	assert_int_not_equal(access(path, F_OK), 0);
}
