// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The facts of a child, which are others than those of this process. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "lib/host/cpus.h"
#include "lib/host/descriptors.h"
#include "lib/host/dmabuf_file.h"
#include "lib/host/fork.h"
#include "lib/host/mappings.h"
#include "lib/host/page.h"
#include "lib/host/root.h"
#include "tests/unit/unit.h"

#define USER 65534

static struct mr_host host = MR_THIS_HOST;
static int ready[2];

static void tell(char byte)
{
	if (write(ready[1], &byte, 1) != 1)
		_exit(1);
}

/* Starts a child that host is of from now on; false: it could not @prepare. */
static bool start(bool (*prepare)(void))
{
	pid_t child;
	char byte;

	assert_int_equal(pipe(ready), 0);
	child = fork();
	assert_true(child >= 0);
	if (!child) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		tell(prepare() ? 'y' : 'n');
		pause();
		_exit(0);
	}
	host.process = child;
	assert_int_equal(read(ready[0], &byte, 1), 1);
	return byte == 'y';
}

static void end(void)
{
	kill(host.process, SIGKILL);
	waitpid(host.process, NULL, 0);
	close(ready[0]);
	close(ready[1]);
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
	ready[0] = ready[1] = -1;
	/* Its descriptors are closed before it has its environment. */
	while (mr_process_variable(host.process, "", none, sizeof(none)) == -EAGAIN)
		usleep(1000);
}

/* ---- its folder in /proc ---- */

static bool get_name(void)
{
	return !prctl(PR_SET_NAME, "traced");
}

TEST(self_is_the_other_process)
{
	char line[64], own[64];

	assert_true(mr_host_line(&host, own, sizeof(own), "/proc/self/comm"));
	assert_true(start(get_name));
	assert_true(mr_host_line(&host, line, sizeof(line), "/proc/self/comm"));
	assert_string_equal(line, "traced");
	assert_string_not_equal(line, own);
	assert_true(mr_host_exists(&host, "/proc/self"));
	assert_true(mr_host_link(&host, line, sizeof(line), "/proc/self/ns/mnt"));
	/* "/proc/selfish" is no folder of a process, and other files are those of the host. */
	assert_false(mr_host_exists(&host, "/proc/selfish"));
	assert_true(mr_host_exists(&host, "/proc/meminfo"));
	end();
}

TEST(a_thread_that_is_not_known_has_no_facts)
{
	struct mr_cpus cpus;

	assert_true(start(get_name));
	mr_cpus_read(&host, &cpus);
	assert_string_equal(cpus.allowed, "");
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

TEST(a_thread_is_found_by_its_number_in_its_own_namespace)
{
	char path[64], text[64] = "";
	FILE *file;
	int inner = 0;

	if (!start(be_first_of_namespace)) {
		end();
		skip();
	}
	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)host.process,
		 (int)host.process);
	file = fopen(path, "re");
	if (file && fgets(text, sizeof(text), file))
		inner = (int)strtol(text, NULL, 10);
	if (file)
		fclose(file);
	assert_true(inner > 0);
	assert_int_equal(mr_process_thread(inner, 1), inner);
	assert_int_equal(mr_process_thread(inner, 2), 0);
	assert_int_equal(mr_process_thread(host.process, (uint32_t)host.process), host.process);
	kill(inner, SIGKILL);
	end();
	assert_int_equal(mr_process_thread(0x7ffffff0, 1), 0);
}

/* ---- its environment ---- */

TEST(variables_are_those_that_it_was_started_with)
{
	char *const environment[] = { (char[]){ "RDMAV_FORK_SAFEX=1" },
				      (char[]){ "A" },
				      (char[]){ "EMPTY=" },
				      (char[]){ "RDMAV_FORK_SAFE=1" },
				      (char[]){ "LONG=0123456789" },
				      NULL };
	char value[8];
	struct mr_fork fork_asked;

	setenv("ONLY_HERE", "1", 1);
	start_program("/bin/sleep", sleeping, environment);
	assert_int_equal(mr_process_variable(host.process, "RDMAV_FORK_SAFE", value, 8), 1);
	assert_string_equal(value, "1");
	assert_int_equal(mr_process_variable(host.process, "EMPTY", value, 8), 1);
	assert_string_equal(value, "");
	assert_int_equal(mr_process_variable(host.process, "LONG", value, 8), 1);
	assert_string_equal(value, "");
	assert_int_equal(mr_process_variable(host.process, "A", value, 8), 0);
	assert_int_equal(mr_process_variable(host.process, "ONLY_HERE", value, 8), 0);
	mr_fork_read(&host, &fork_asked);
	assert_true(fork_asked.is_asked);
	end();
	mr_fork_read(&host, &fork_asked);
	assert_false(fork_asked.is_asked);
	assert_true(mr_process_variable(0x7ffffff0, "A", value, 8) < 0);
}

/* The environment is empty for a moment of each execve(2), and goes with the old memory where it was open. */
TEST(a_variable_is_not_missed_while_its_process_executes_programs)
{
	char *const again[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char[]){ "eval \"$AGAIN\"" },
				NULL };
	char *const environment[] = { (char[]){ "AGAIN=exec sh -c 'eval \"$AGAIN\"'" }, NULL };
	int found = 0, missed = 0;
	char value[64];

	start_program("/bin/sh", again, environment);
	for (int i = 0; i < 20000; i++) {
		const int rc = mr_process_variable(host.process, "AGAIN", value, sizeof(value));

		found += rc == 1;
		missed += !rc;
	}
	end();
	assert_true(found > 0);
	assert_int_equal(missed, 0);
}

TEST(sysfs_is_where_its_libibverbs_looks_for_it)
{
	char folder[] = "/tmp/mrctl-sysfs-XXXXXX", variable[64], path[128], line[16];
	char *const environment[] = { variable, NULL };
	FILE *file;

	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/class", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/class/infiniband", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/class/infiniband/x", folder);
	file = fopen(path, "we");
	assert_non_null(file);
	assert_true(fputs("theirs\n", file) >= 0 && !fclose(file));
	snprintf(variable, sizeof(variable), "SYSFS_PATH=%s", folder);
	start_program("/bin/sleep", sleeping, environment);
	assert_true(mr_host_line(&host, line, sizeof(line), "/sys/class/infiniband/x"));
	assert_string_equal(line, "theirs");
	end();
	assert_false(mr_host_exists(&host, "/sys/class/infiniband/x"));
	unlink(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	rmdir(folder);
}

/* ---- its mounts ---- */

static char mounted[] = "/tmp/mrctl-mount-XXXXXX";

static bool mount_own(void)
{
	char path[64];
	int fd;

	if ((geteuid() && unshare(CLONE_NEWUSER)) || unshare(CLONE_NEWNS) ||
	    mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("tmpfs", mounted, "tmpfs", 0, NULL))
		return false;
	snprintf(path, sizeof(path), "%s/file", mounted);
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	return fd >= 0 && write(fd, "theirs\n", 7) == 7 && !close(fd);
}

TEST(files_are_those_below_its_own_mounts)
{
	struct mr_host_status status;
	char line[16], found[PATH_MAX], expected[64];

	assert_non_null(mkdtemp(mounted));
	if (!start(mount_own)) {
		end();
		rmdir(mounted);
		skip();
	}
	assert_true(mr_host_line(&host, line, sizeof(line), "%s/file", mounted));
	assert_string_equal(line, "theirs");
	assert_int_equal(mr_host_stat(&host, &status, "%s/file", mounted), 0);
	assert_int_equal(mr_seen_by(mr_host_viewer(&host), "/dev/null", found), 0);
	snprintf(expected, sizeof(expected), "/proc/%d/%s", (int)host.process,
		 "root"
		 "/dev/null");
	assert_string_equal(found, expected);
	/* The kernel is the same one. */
	assert_int_equal(mr_seen_by(mr_host_viewer(&host), "/sys/module", found), 0);
	assert_string_equal(found, "/sys/module");
	end();
	assert_false(mr_host_exists(&host, "%s/file", mounted));
	rmdir(mounted);
}

TEST(with_the_same_mounts_a_file_is_the_same_one)
{
	char found[PATH_MAX];

	assert_true(start(get_name));
	assert_int_equal(mr_seen_by(mr_host_viewer(&host), "/dev/null", found), 0);
	assert_string_equal(found, "/dev/null");
	end();
}

/* ---- what only it could do, or has ---- */

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

	if (!start(fill_descriptors)) { /* below valgrind, which has limits of its own */
		end();
		skip();
	}
	assert_int_equal(mr_descriptors_try(&host, &descriptors), 0);
	assert_int_equal(descriptors.error, EMFILE);
	assert_int_equal(descriptors.limit, 64);
	end();
	assert_int_equal(mr_descriptors_try(&host, &descriptors), 0);
	assert_int_equal(descriptors.error, 0);
}

static bool open_path(void)
{
	const int fd = open("/dev/zero", O_PATH | O_CLOEXEC);

	return fd >= 0 && dup2(fd, 77) == 77;
}

TEST(a_descriptor_is_that_of_the_other_process)
{
	struct mr_dmabuf_file file;

	assert_true(start(open_path));
	assert_int_equal(mr_dmabuf_file_read(&host, 77, &file), 0);
	assert_true(file.is_path);
	assert_string_equal(file.target, "/dev/zero");
	end();
	assert_int_equal(mr_dmabuf_file_read(&host, 77, &file), -ENOENT);
}

TEST(no_device_is_opened_in_its_place)
{
	assert_int_equal(mr_host_open_device(&host, "/dev/null"), 0);
	assert_true(start(get_name));
	assert_int_equal(mr_host_open_device(&host, "/dev/null"), -ENODATA);
	end();
}

static bool have_more_mappings(void)
{
	for (int i = 0; i < 100; i++)
		if (mmap(NULL, mr_page_size(mr_this_host()),
			 i % 2 ? PROT_READ : PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			 -1, 0) == MAP_FAILED)
			return false;
	return true;
}

TEST(its_own_mappings_are_counted)
{
	const uint64_t own = mr_mappings_used(&host).value;

	assert_true(start(have_more_mappings));
	assert_true(mr_mappings_used(&host).value > own + 50);
	end();
}

/* Of this user's processes the kernel hides those that may not be dumped: proc(5), prctl(2). */
static bool hide(void)
{
	return (geteuid() || (!setgroups(0, NULL) && !setgid(USER) && !setuid(USER))) &&
	       !prctl(PR_SET_DUMPABLE, 0);
}

/* Return: what is wrong, or 0. */
static int look_without_rights(void)
{
	struct mr_descriptors descriptors;
	char found[PATH_MAX], line[64];

	if (!geteuid() && (setgroups(0, NULL) || setgid(USER) || setuid(USER)))
		return 1;
	if (mr_seen_by(mr_host_viewer(&host), "/dev/null", found) != -EACCES)
		return 2;
	if (mr_host_exists(&host, "/dev/null") || mr_mappings_used(&host).known)
		return 3;
	if (mr_process_variable(host.process, "PATH", line, sizeof(line)) != -EACCES)
		return 4;
	if (!mr_descriptors_try(&host, &descriptors))
		return 5;
	return mr_host_line(&host, line, sizeof(line), "/proc/self/status") ? 0 : 6;
}

TEST(what_is_hidden_is_not_taken_from_this_process)
{
	int status;
	pid_t looker;

	assert_true(start(hide));
	looker = fork();
	assert_true(looker >= 0);
	if (!looker)
		_exit(look_without_rights());
	assert_int_equal(waitpid(looker, &status, 0), looker);
	end();
	assert_int_equal(status, 0);
}
