// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

#ifndef SYS_pidfd_open
#define SYS_pidfd_open 434
#endif

bool mr_process_open(pid_t pid, struct mr_process *process)
{
	char path[32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d", (int)pid);
	*process = (struct mr_process){ .pid = pid };
	process->folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (process->folder < 0)
		return false;
	if (fstat(process->folder, &st)) {
		mr_process_close(process);
		return false;
	}
	process->uid = st.st_uid;
	return true;
}

void mr_process_close(struct mr_process *process)
{
	close(process->folder);
	process->folder = -1;
}

/*
 * pidfd_open() takes a number, which another process may have by now.  Then the process whose folder
 * this is has ended, and the folder has no files any more: that is checked after the call.
 */
int mr_process_pidfd(const struct mr_process *process)
{
	mr_auto_fd int fd = (int)syscall(SYS_pidfd_open, process->pid, 0);

	if (fd < 0 || faccessat(process->folder, "comm", F_OK, 0))
		return -1;
	return mr_steal_fd(&fd);
}

ssize_t mr_process_read(const struct mr_process *process, const char *name, char *buffer,
			size_t size)
{
	mr_auto_fd int fd = openat(process->folder, name, O_RDONLY | O_CLOEXEC);
	size_t used = 0;
	ssize_t got;

	if (fd < 0)
		return -1;
	do {
		got = read(fd, buffer + used, size - used);
		used += got > 0 ? (size_t)got : 0;
	} while (got > 0 && used < size);
	return got < 0 ? -1 : (ssize_t)used;
}

FILE *mr_process_environment(uint64_t pid)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/environ", pid);
	return fopen(path, "re");
}

void mr_process_command(const struct mr_process *process, char command[16])
{
	ssize_t got = mr_process_read(process, "comm", command, 15);

	command[got > 0 ? got : 0] = '\0';
	command[strcspn(command, "\n")] = '\0';
	mr_clean_text(command, 16);
}

bool mr_process_link(const struct mr_process *process, const char *name, char *target, size_t size)
{
	ssize_t got = readlinkat(process->folder, name, target, size);

	if (got < 0 || (size_t)got >= size)
		return false;
	target[got] = '\0';
	return true;
}

bool mr_process_stat_link(const struct mr_process *process, const char *name, struct stat *st)
{
	return !fstatat(process->folder, name, st, 0);
}

/* proc_pid_readlink() of the kernel: a socket is "socket:[INODE]", and the path of a file begins with "/". */
uint64_t mr_process_socket(const struct mr_process *process, int fd)
{
	char name[32], target[64], end;
	uint64_t inode;

	snprintf(name, sizeof(name), "fd/%d", fd);
	if (!mr_process_link(process, name, target, sizeof(target)) ||
	    sscanf(target, "socket:[%" SCNu64 "%c", &inode, &end) != 2 || end != ']')
		return 0;
	return inode;
}

/* Reads the beginning of a file in the folder of a process. */
static bool read_text(pid_t pid, const char *name, char *text, size_t size)
{
	struct mr_process process;
	ssize_t got;

	text[0] = '\0';
	if (!mr_process_open(pid, &process))
		return false;
	got = mr_process_read(&process, name, text, size - 1);
	mr_process_close(&process);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* Fields 3, 4, 22, 26 and 28; the name before them may hold brackets. */
bool mr_process_stat_parse(const char *line, struct mr_process_stat *stat)
{
	const char *rest = strrchr(line, ')');
	int parent = 0;

	*stat = (struct mr_process_stat){ .state = '?' };
	if (!rest || sscanf(rest + 1,
			    " %c %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
			    "%*s %*s %" SCNu64 " %*s %*s %*s %" SCNu64 " %*s %" SCNu64,
			    &stat->state, &parent, &stat->start, &stat->code, &stat->stack) != 5)
		return false;
	stat->parent = parent;
	return true;
}

bool mr_process_stat_read(pid_t pid, struct mr_process_stat *stat)
{
	char line[1024];

	read_text(pid, "stat", line, sizeof(line));
	return mr_process_stat_parse(line, stat);
}

/* kill() comes last, so that a process that ends meanwhile counts as ended. */
enum mr_process_life mr_process_life(pid_t pid, uint64_t *start)
{
	struct mr_process_stat stat;

	if (mr_process_stat_read(pid, &stat)) {
		*start = stat.start;
		return stat.state == 'Z' || stat.state == 'X' ? MR_PROCESS_ENDED : MR_PROCESS_LIVES;
	}
	return kill(pid, 0) && errno == ESRCH ? MR_PROCESS_ENDED : MR_PROCESS_UNSEEN;
}

/* In a container /proc may be that of the host: then this process has another number there. */
uint32_t mr_process_namespace(void)
{
	char number[32] = "";
	struct stat st;

	if (readlink("/proc/self", number, sizeof(number) - 1) <= 0 ||
	    strtol(number, NULL, 10) != getpid() || stat("/proc/self/ns/pid", &st))
		return 0;
	return (uint32_t)st.st_ino;
}

DIR *mr_process_folder(void)
{
	return opendir("/proc");
}

int mr_process_next_number(DIR *folder)
{
	struct mr_error ignored;
	struct dirent *entry;
	uint64_t number;

	while ((entry = readdir(folder)))
		if (isdigit((unsigned char)entry->d_name[0]) &&
		    !mr_parse_u64(entry->d_name, INT_MAX, &number, &ignored))
			return (int)number;
	return -1;
}

/* Bytes of an environment that are looked at: a process can point the kernel at any of its memory. */
#define ENVIRONMENT_MAX (UINT64_C(4) << 20)

/* Whether a path is a folder or below it. */
static bool is_below(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

/* ---- mounts ---- */

/* Whether a file is of the kernel or of the host's system: the longest prefix counts. */
static bool is_of_host(const char *path)
{
	static const char *const hosts[] = {
		"/proc",    "/sys",           "/boot", "/lib/modules", "/usr/lib/modules",
		"/usr/src", "/usr/lib/kernel"
	};
	static const char *const seen[] = { "/sys/class/infiniband", "/sys/class/infiniband_verbs",
					    "/sys/fs" };

	for (size_t i = 0; i < sizeof(seen) / sizeof(*seen); i++)
		if (is_below(path, seen[i]))
			return false;
	for (size_t i = 0; i < sizeof(hosts) / sizeof(*hosts); i++)
		if (is_below(path, hosts[i]))
			return true;
	return false;
}

/* Whether the process has the mounts and the root of this one.  Return: 1, 0 or -errno. */
static int shares_root(const struct mr_host *host, const char *root)
{
	char link[64], own[64], others[64];
	struct stat own_root, others_root;
	ssize_t got, got_own;

	snprintf(link, sizeof(link), "/proc/%d/ns/mnt", (int)host->process);
	got = readlink(link, others, sizeof(others));
	if (got < 0)
		return -errno;
	got_own = readlink("/proc/self/ns/mnt", own, sizeof(own));
	if (got_own < 0 || stat("/", &own_root) || stat(root, &others_root))
		return -errno;
	return got == got_own && !memcmp(own, others, (size_t)got) &&
	       own_root.st_dev == others_root.st_dev && own_root.st_ino == others_root.st_ino;
}

int mr_seen_by(const struct mr_host *host, const char *path, char found[PATH_MAX])
{
	static const char self[] = "/proc/self", thread[] = "/proc/thread-self";
	const char *rest = path;
	char folder[64] = "";
	int shares;

	if (is_below(path, thread)) {
		if (!host->thread)
			return -ESRCH;
		snprintf(folder, sizeof(folder), "/proc/%d/task/%d", (int)host->process,
			 (int)host->thread);
		rest += strlen(thread);
	} else if (is_below(path, self)) {
		snprintf(folder, sizeof(folder), "/proc/%d", (int)host->process);
		rest += strlen(self);
	} else if (!is_of_host(path)) {
		snprintf(folder, sizeof(folder), "/proc/%d/root", (int)host->process);
		shares = shares_root(host, folder);
		if (shares < 0)
			return shares;
		if (shares)
			folder[0] = '\0';
	}
	return snprintf(found, PATH_MAX, "%s%s", folder, rest) < PATH_MAX ? 0 : -ENAMETOOLONG;
}

/* ---- environment ---- */

/* Reads "NAME=VALUE" up to its NUL, as much of it as fits.  Return: false at the end. */
static bool read_variable(FILE *file, char *text, size_t size, bool *is_cut, uint64_t *bytes)
{
	size_t length = 0;
	int c;

	*is_cut = false;
	while ((c = getc_unlocked(file)) > 0 && ++*bytes < ENVIRONMENT_MAX) {
		if (length < size - 1)
			text[length++] = (char)c;
		else
			*is_cut = true;
	}
	text[length] = '\0';
	return c != EOF || length;
}

/*
 * The looks at an empty environment.  One is, though the process has a command line, if execve(2) took
 * away the memory between open(2) and read(2), or has come just from the one to the other.
 */
#define LOOKS 8

/* Why a process has an empty environment. */
enum emptiness {
	HAS_NO_PROGRAM, /* a kernel thread, or one that has ended */
	IS_IN_EXEC,
	HAS_COMMAND_LINE,
};

/*
 * execve(2) gives the process its new memory before it tells where command line and environment are in it
 * (fs/exec.c begin_new_exec(), fs/binfmt_elf.c create_elf_tables()), so that both are empty in between.
 */
static enum emptiness why_empty(pid_t pid)
{
	enum emptiness why = HAS_NO_PROGRAM;
	struct mr_process process;
	char text[PATH_MAX];

	if (!mr_process_open(pid, &process))
		return why;
	if (mr_process_link(&process, "exe", text, sizeof(text)))
		why = mr_process_read(&process, "cmdline", text, 1) ? HAS_COMMAND_LINE : IS_IN_EXEC;
	mr_process_close(&process);
	return why;
}

/* Return: as of mr_process_variable(), but 0 in the midst of execve(2).  @bytes: how many there were. */
static int look_for(pid_t process, const char *name, char *value, size_t size, uint64_t *bytes)
{
	mr_auto_file FILE *file = mr_process_environment((uint64_t)process);
	const size_t length = strlen(name);
	char text[PATH_MAX + 64];
	bool is_cut;

	value[0] = '\0';
	*bytes = 0;
	if (!file)
		return -errno;
	while (*bytes < ENVIRONMENT_MAX &&
	       read_variable(file, text, sizeof(text), &is_cut, bytes)) {
		++*bytes;
		if (strncmp(text, name, length) != 0 || text[length] != '=')
			continue;
		if (!is_cut && strlen(text + length + 1) < size)
			strcpy(value, text + length + 1);
		return 1;
	}
	return ferror(file) ? -EIO : 0;
}

int mr_process_variable(pid_t process, const char *name, char *value, size_t size)
{
	enum emptiness why = HAS_COMMAND_LINE;
	uint64_t bytes;
	int rc = 0;

	for (int i = 0; i < LOOKS && why == HAS_COMMAND_LINE; i++) {
		rc = look_for(process, name, value, size, &bytes);
		if (rc || bytes)
			return rc;
		why = why_empty(process);
	}
	return why == IS_IN_EXEC ? -EAGAIN : 0;
}

/* ---- threads ---- */

/* The last number of the line NSpid of a thread's status, which is that in its own PID namespace; 0: not known */
static uint32_t read_own_number(const struct mr_process *process, pid_t thread)
{
	char name[64], status[2048];
	const char *line;
	uint32_t number = 0;
	ssize_t got;
	int used;

	snprintf(name, sizeof(name), "task/%d/status", (int)thread);
	got = mr_process_read(process, name, status, sizeof(status) - 1);
	status[got > 0 ? got : 0] = '\0';
	line = strstr(status, "\nNSpid:");
	if (!line)
		return 0;
	for (line += strlen("\nNSpid:"); sscanf(line, " %" SCNu32 "%n", &number, &used) == 1;)
		if (*(line += used) == '\n')
			break;
	return number;
}

pid_t mr_process_thread(pid_t process, uint32_t tid)
{
	struct mr_process folder;
	char name[64];
	DIR *tasks;
	pid_t found = 0;
	int number;

	if (!tid || !mr_process_open(process, &folder))
		return 0;
	snprintf(name, sizeof(name), "/proc/%d/task", (int)process);
	tasks = opendir(name);
	while (tasks && !found && (number = mr_process_next_number(tasks)) > 0)
		if (read_own_number(&folder, number) == tid)
			found = number;
	if (tasks)
		closedir(tasks);
	mr_process_close(&folder);
	return found;
}
