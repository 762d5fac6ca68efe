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
#include "lib/host/process.h"

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

	if (!mr_process_open(pid, &process))
		return false;
	got = mr_process_read(&process, name, text, size - 1);
	mr_process_close(&process);
	text[got > 0 ? got : 0] = '\0';
	return got > 0;
}

/* The line with the name of the process comes before; the kernel escapes newlines in the name. */
pid_t mr_process_of_thread(pid_t thread)
{
	char text[1024];
	const char *line =
		read_text(thread, "status", text, sizeof(text)) ? strstr(text, "\nTgid:") : NULL;
	int process = 0;

	return line && sscanf(line, " Tgid: %d", &process) == 1 ? process : 0;
}

/* Fields 3, 4, 22, 26 and 28; the name before them may hold brackets. */
bool mr_process_stat_read(pid_t pid, struct mr_process_stat *stat)
{
	char line[1024];
	const char *rest = read_text(pid, "stat", line, sizeof(line)) ? strrchr(line, ')') : NULL;
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
