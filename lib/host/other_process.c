// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/host/other_process.h"
#include "lib/host/process.h"

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
static int shares_root(struct mr_viewer viewer, const char *root)
{
	char link[64], own[64], others[64];
	struct stat own_root, others_root;
	ssize_t got, got_own;

	snprintf(link, sizeof(link), "/proc/%d/ns/mnt", (int)viewer.process);
	got = readlink(link, others, sizeof(others));
	if (got < 0)
		return -errno;
	got_own = readlink("/proc/self/ns/mnt", own, sizeof(own));
	if (got_own < 0 || stat("/", &own_root) || stat(root, &others_root))
		return -errno;
	return got == got_own && !memcmp(own, others, (size_t)got) &&
	       own_root.st_dev == others_root.st_dev && own_root.st_ino == others_root.st_ino;
}

int mr_seen_by(struct mr_viewer viewer, const char *path, char found[PATH_MAX])
{
	static const char self[] = "/proc/self", thread[] = "/proc/thread-self";
	const char *rest = path;
	char folder[64] = "";
	int shares;

	if (is_below(path, thread)) {
		if (!viewer.thread)
			return -ESRCH;
		snprintf(folder, sizeof(folder), "/proc/%d/task/%d", (int)viewer.process,
			 (int)viewer.thread);
		rest += strlen(thread);
	} else if (is_below(path, self)) {
		snprintf(folder, sizeof(folder), "/proc/%d", (int)viewer.process);
		rest += strlen(self);
	} else if (!is_of_host(path)) {
		snprintf(folder, sizeof(folder), "/proc/%d/root", (int)viewer.process);
		shares = shares_root(viewer, folder);
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

uint32_t mr_process_own_thread(pid_t process, pid_t thread)
{
	struct mr_process folder;
	uint32_t number;

	if (!mr_process_open(process, &folder))
		return 0;
	number = read_own_number(&folder, thread);
	mr_process_close(&folder);
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
