// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <ctype.h>
#include <envz.h>
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

ssize_t mr_process_read(const struct mr_process *process, const char *name, char *text, size_t size)
{
	mr_auto_fd int fd = openat(process->folder, name, O_RDONLY | O_CLOEXEC);

	text[0] = '\0';
	return fd < 0 ? -errno : mr_recording_read_fd(fd, text, size);
}

void mr_process_command(const struct mr_process *process, char command[16])
{
	mr_process_read(process, "comm", command, 16);
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

static bool read_stat(const struct mr_process *process, struct mr_process_stat *stat)
{
	char line[1024] = "";

	mr_process_read(process, "stat", line, sizeof(line));
	return mr_process_stat_parse(line, stat);
}

bool mr_process_stat_read(pid_t pid, struct mr_process_stat *stat)
{
	struct mr_process process;
	bool is_read;

	*stat = (struct mr_process_stat){ .state = '?' };
	if (!mr_process_open(pid, &process))
		return false;
	is_read = read_stat(&process, stat);
	mr_process_close(&process);
	return is_read;
}

/* Reads the next figure of a text, and moves @text behind it. */
static bool next_figure(const char **text, int base, uint64_t *value)
{
	static const char unlimited[] = "unlimited";
	const char *digits = *text + strspn(*text, " \t");
	char *end;

	if (!strncmp(digits, unlimited, strlen(unlimited))) {
		*value = UINT64_MAX;
		*text = digits + strlen(unlimited);
		return true;
	}
	if (!isxdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*value = strtoull(digits, &end, base);
	*text = end;
	return end != digits && !errno && (!*end || mr_is_blank(*end));
}

bool mr_figures_take(const char *line, const struct mr_figure *rows, void *structure)
{
	bool is_of_use = false;

	for (const struct mr_figure *row = rows; row->name; row++) {
		const char *text = line + strlen(row->name);
		bool is_read = true;
		uint64_t value = 0;

		if (strncmp(line, row->name, strlen(row->name)) != 0)
			continue;
		is_of_use = true;
		for (int i = 0; is_read && i <= row->index; i++)
			is_read = next_figure(&text, row->base ?: 10, &value);
		if (is_read && value <= UINT64_MAX >> row->shift &&
		    (!row->shift || !strcmp(text, " kB")))
			*(struct mr_opt_u64 *)((char *)structure + row->offset) =
				(struct mr_opt_u64){ value << row->shift, true };
	}
	return is_of_use;
}

/* Replaces \040 and other escapes, which proc_pid_mountinfo(5) describes. */
static void unescape(char *text)
{
	char *to = text;
	unsigned int code;

	for (; *text; text++, to++) {
		*to = *text;
		if (*text == '\\' && sscanf(text + 1, "%3o", &code) == 1 &&
		    strspn(text + 1, "01234567") >= 3) {
			*to = (char)code;
			text += 3;
		}
	}
	*to = '\0';
}

bool mr_mount_parse(const char *line, struct mr_mount *mount)
{
	const char *rest = strstr(line, " - ");

	mount->options[0] = '\0';
	if (!rest ||
	    sscanf(line, "%*s %*s %u:%u %4095s %4095s", &mount->major, &mount->minor, mount->root,
		   mount->point) != 4 ||
	    sscanf(rest, " - %31s %*s %4095s", mount->type, mount->options) < 1)
		return false;
	unescape(mount->root);
	unescape(mount->point);
	mr_clean_text(mount->type, sizeof(mount->type));
	return true;
}

/* kill() is last, so that a process that ends meanwhile is reported as ended. */
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

/* Whether a path is a folder or below it. */
static bool is_below(const char *path, const char *folder)
{
	const size_t length = strlen(folder);

	return !strncmp(path, folder, length) && (!path[length] || path[length] == '/');
}

/* The same of any folder of a list, which ends with NULL. */
static bool is_below_any(const char *path, const char *const *folders)
{
	while (*folders && !is_below(path, *folders))
		folders++;
	return *folders;
}

/* ---- mounts ---- */

/* Whether a file is of the kernel or of the host's system: the longest prefix counts. */
static bool is_of_host(const char *path)
{
	static const char *const hosts[] = {
		"/proc",           "/sys", "/boot", "/lib/modules", "/usr/lib/modules", "/usr/src",
		"/usr/lib/kernel", NULL
	};
	static const char *const seen[] = { "/sys/class/infiniband", "/sys/class/infiniband_verbs",
					    "/sys/fs", NULL };

	return is_below_any(path, hosts) && !is_below_any(path, seen);
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

int mr_live_path(const struct mr_host *host, const char *path, char found[PATH_MAX])
{
	/* The parts of sysfs that libibverbs looks for below $SYSFS_PATH. */
	static const char *const moved[] = { "/sys/class/infiniband", "/sys/class/infiniband_verbs",
					     "/sys/module/ib_core", NULL };
	const char *own = getenv("SYSFS_PATH");
	char sysfs[PATH_MAX], seen[PATH_MAX], *moved_path = host->process ? seen : found;
	bool is_moved = is_below_any(path, moved);

	snprintf(sysfs, sizeof(sysfs), "%s", own ?: "");
	if (is_moved)
		is_moved = host->process ? mr_process_variable(host->process, "SYSFS_PATH", sysfs,
							       sizeof(sysfs)) > 0
					 : own != NULL;
	if (snprintf(moved_path, PATH_MAX, "%s%s", is_moved ? sysfs : "",
		     is_moved ? path + strlen("/sys") : path) >= PATH_MAX)
		return -ENAMETOOLONG;
	return host->process ? mr_seen_by(host, seen, found) : 0;
}

/* Opening must not wait, where something else is mounted over the file, or $SYSFS_PATH has a FIFO. */
int mr_live_open(const struct mr_host *host, const char *path)
{
	char found[PATH_MAX];
	mr_auto_fd int fd = -1;
	struct stat st;
	int rc;

	rc = mr_live_path(host, path, found);
	if (rc)
		return rc;
	fd = open(found, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!S_ISREG(st.st_mode))
		return S_ISDIR(st.st_mode) ? -EISDIR : -EINVAL;
	return mr_steal_fd(&fd);
}

int mr_live_stat(const struct mr_host *host, const char *path, struct stat *st)
{
	char found[PATH_MAX];
	int rc;

	rc = mr_live_path(host, path, found);
	if (rc)
		return rc;
	return stat(found, st) ? -errno : 0;
}

/* ---- environment ---- */

/*
 * A program is started with at most three quarters of 8 MiB (fs/exec.c).  But a process can make the kernel show
 * any memory of it as its environment (PR_SET_MM_MAP, prctl(2)): no more than this is read.
 */
#define ENVIRONMENT_MAX (8u << 20)

/* Looks at an environment that execve(2) may be replacing. */
#define LOOKS 8

/* Returns where the stack of its program begins, which each execve(2) draws anew; 0: not known, or not drawn yet. */
static uint64_t read_stack(const struct mr_process *process)
{
	struct mr_process_stat stat;

	return read_stat(process, &stat) && stat.code ? stat.stack : 0;
}

/*
 * execve(2) frees the memory that open(2) has found, and gives the process its new memory before it sets the places of
 * command line, environment and then code (fs/exec.c begin_new_exec(), fs/binfmt_elf.c load_elf_binary()).  So an
 * environment is empty only if the same program had its code before and its stack after.  A kernel thread, or a process
 * that has ended, has no program.
 */
int mr_process_find_variable(const struct mr_process *process, const char *name, char *value,
			     size_t size)
{
	char *environment = malloc(ENVIRONMENT_MAX);
	ssize_t got = environment ? -EAGAIN : -ENOMEM;
	char program[PATH_MAX];
	const char *found;
	bool is_found;

	value[0] = '\0';
	for (int i = 0; i < LOOKS && got == -EAGAIN; i++) {
		/* The first look suffices for most processes: only a later one finds it empty. */
		const uint64_t stack = i ? read_stack(process) : 0;

		got = mr_process_read(process, "environ", environment, ENVIRONMENT_MAX);
		if (!got && mr_process_link(process, "exe", program, sizeof(program)) &&
		    (!stack || stack != read_stack(process)))
			got = -EAGAIN;
	}
	found = got > 0 ? envz_get(environment, (size_t)got, name) : NULL;
	is_found = found;
	if (found && strlen(found) < size)
		strcpy(value, found);
	free(environment);
	return got < 0 ? (int)got : is_found;
}

int mr_process_variable(pid_t pid, const char *name, char *value, size_t size)
{
	struct mr_process process;
	int rc;

	value[0] = '\0';
	if (!mr_process_open(pid, &process))
		return -errno;
	rc = mr_process_find_variable(&process, name, value, size);
	mr_process_close(&process);
	return rc;
}

/* ---- threads ---- */

/* The last number of the line NSpid of a thread's status, which is that in its own PID namespace; 0: not known */
static uint32_t read_own_number(const struct mr_process *process, pid_t thread)
{
	char name[64], status[2048];
	const char *line;
	uint32_t number = 0;
	int used;

	snprintf(name, sizeof(name), "task/%d/status", (int)thread);
	mr_process_read(process, name, status, sizeof(status));
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
