/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the one way to /proc, /sys and /dev, of this host or a recording, and what is read of processes. */
#ifndef LIB_HOST_READING_H
#define LIB_HOST_READING_H

#include <dirent.h>
#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "lib/base/base.h"

/** A process.  Its open folder in /proc is never that of another one, even if that has the same number. */
struct mr_process {
	pid_t pid;
	uid_t uid;  /**< owner of its folder */
	int folder; /**< descriptor of that folder */
};

/** mr_process_open() - open the folder of a process in /proc; false where there is none, or it is hidden */
bool mr_process_open(pid_t pid, struct mr_process *process);
void mr_process_close(struct mr_process *process);

/** mr_process_pidfd() - pidfd_open(2); -1 where that fails, or the process has ended */
int mr_process_pidfd(const struct mr_process *process);

/** mr_process_command() - its name (comm), in printable characters; empty where the process has ended */
void mr_process_command(const struct mr_process *process, char command[16]);

/**
 * mr_process_read() - read the beginning of a file of its folder
 * @name: "comm"
 * @text: set to at most @size - 1 bytes, and a NUL
 *
 * Return: bytes, or -errno.
 */
ssize_t mr_process_read(const struct mr_process *process, const char *name, char *text,
			size_t size);

/** mr_process_link() - read the target of a link in its folder; false where it cannot be read, or does not fit */
bool mr_process_link(const struct mr_process *process, const char *name, char *target, size_t size);

/** mr_process_stat_link() - stat(2) of what a link in its folder leads to, such as "exe"; false with errno */
bool mr_process_stat_link(const struct mr_process *process, const char *name, struct stat *st);

/** mr_process_socket() - inode of the socket that its descriptor @fd refers to; 0 where it is no socket */
uint64_t mr_process_socket(const struct mr_process *process, int fd);

/** mr_process_of_thread() - the process that a thread belongs to; 0 where there is no such thread */
pid_t mr_process_of_thread(pid_t thread);

/** Facts of /proc/PID/stat (proc_pid_stat(5)). */
struct mr_process_stat {
	char state;
	pid_t parent;
	uint64_t start; /**< clock ticks since the machine was booted */
	uint64_t code,
		stack; /**< addresses of its program, also after fork(2); @stack 0: this user may not know */
};

/** mr_process_stat_parse() - read the line of that file; false where it is none */
bool mr_process_stat_parse(const char *line, struct mr_process_stat *stat);

/** mr_process_stat_read() - Return: false where there is no such process, or /proc hides it. */
bool mr_process_stat_read(pid_t pid, struct mr_process_stat *stat);

/** Whether there is a process with some number, as far as known. */
enum mr_process_life {
	MR_PROCESS_UNSEEN, /**< there is one, but /proc hides it (hidepid, proc(5)), or it cannot be read */
	MR_PROCESS_LIVES,
	MR_PROCESS_ENDED, /**< there is none; or it has ended, and its parent has not waited for it yet */
};

/**
 * mr_process_life() - whether there is a process with that number
 * @start: with MR_PROCESS_LIVES, set to its start in clock ticks since the machine was booted: where the
 *         same number has another start, it is another process
 */
enum mr_process_life mr_process_life(pid_t pid, uint64_t *start);

/**
 * mr_process_namespace() - inode of the PID namespace of this process
 * Return: 0 where it is not known, or /proc shows the numbers of another namespace.
 */
uint32_t mr_process_namespace(void);

/** mr_process_folder() - /proc, opened for mr_process_next_number(); closedir() it; NULL with errno */
DIR *mr_process_folder(void);

/** mr_process_next_number() - the next entry of a folder, such as /proc, that is a number; -1 at the end */
int mr_process_next_number(DIR *folder);

struct mr_host;

/**
 * mr_seen_by() - the path at which this process finds a file that another one sees
 * @host:  whose process is that other one
 * @path:  as that process sees it
 * @found: /proc/self is the folder of that process.  Devices, control groups and other files are found below its
 *         root, where that is another one or its mounts are.  Files of /proc and /sys are the same for all.
 *
 * Return: 0; -ESRCH for the thread, where none is known; or -errno where it is not known what the process sees.
 */
int mr_seen_by(const struct mr_host *host, const char *path, char found[PATH_MAX]);

/**
 * mr_process_variable() - a variable of the environment that a process was started with (proc_pid_environ(5))
 * @value: set to it, or to an empty text where it is not set, or does not fit
 *
 * Return: 1 where it is set; 0 where it is not; -EAGAIN where the process is in the midst of execve(2), and has no
 * environment for a moment; or another -errno where the environment cannot be read.
 */
int mr_process_variable(pid_t pid, const char *name, char *value, size_t size);

/** mr_process_find_variable() - the same of a process whose folder is open */
int mr_process_find_variable(const struct mr_process *process, const char *name, char *value,
			     size_t size);

/**
 * mr_process_thread() - the number by which this process knows a thread of another one
 * @tid: as that process sees it; in a PID namespace of its own it has another number there
 *
 * Return: the number, or 0 where it is not known.
 */
pid_t mr_process_thread(pid_t process, uint32_t tid);

/** mr_path_clean() - simplify a path, so that each file has one path.  Return: 0 or -EINVAL. */
int mr_path_clean(char *path);

/** mr_name_is_shown() - whether a text can be the name of a file that is not hidden, and is one line */
bool mr_name_is_shown(const char *name);

/**
 * mr_names_read() - read the names in a folder that are shown, in the order of strcmp()
 * @names: set to one name a line; to be freed
 *
 * Return: 0 or -errno.
 */
int mr_names_read(int parent, const char *folder, char **names);

/**
 * mr_recording_parent() - open the folder of a file of the recording, without following links
 * @below: path of the file below @folder
 * @last:  set to its name, in @below
 *
 * Return: a descriptor, or -errno.
 */
int mr_recording_parent(int folder, const char *below, bool make, const char **last);

/** mr_recording_read_fd() - read at most @size - 1 bytes, and end them with a NUL.  Return: bytes, or -errno. */
ssize_t mr_recording_read_fd(int fd, char *text, size_t size);

/**
 * mr_recording_write() - write a file of the recording and @end after it, unless it exists
 * @below: path below @folder
 *
 * Return: 0 or -errno.
 */
int mr_recording_write(int folder, const char *below, const char *text, size_t length,
		       const char *end);

/** Subjects of facts: bits of mr_host.reads. */
enum mr_host_reads {
	MR_READ_HOST = 1 << 0,    /**< the host, its kernel and devices */
	MR_READ_PROCESS = 1 << 1, /**< the process or one above it: limits, rights, libraries */
	MR_READ_MEMORY = 1 << 2,  /**< what the process has mapped */
};

/** A host: this machine, or a recording of one. */
struct mr_host {
	int recording; /**< descriptor of the folder of a recording; -1: this machine */
	struct mr_recorder *recorder; /**< records all that is read first; NULL: none does */
	uint32_t reads;               /**< what was read since its owner has set this to 0 */
	/**
	 * On this machine: the process that /proc/self and "the process" mean; 0: this process.
	 * Facts that another process does not let this user see are unknown, and never replaced by those of this
	 * process.
	 */
	pid_t process;
	pid_t thread; /**< of that process, whose facts /proc/thread-self has; 0: not known */
};

/** A host that is this machine, and of which nothing is recorded. */
#define MR_THIS_HOST                                                                               \
	{                                                                                          \
		.recording = -1                                                                    \
	}

/** mr_this_host() - the same, for callers without a host */
struct mr_host *mr_this_host(void);

/**
 * mr_host_open() - get ready to read facts
 * @root: the folder of a recording, or NULL for this machine
 * @copy: a folder that does not exist or is empty, to record all that is read; or NULL
 *
 * Return: 0, or -errno with MR_ERROR_HOST.  mr_host_close() it.
 */
int mr_host_open(struct mr_host *host, const char *root, const char *copy, struct mr_error *err);

/** mr_host_close() - Return: 0, or the first -errno of recording, with MR_ERROR_HOST. */
int mr_host_close(struct mr_host *host, struct mr_error *err);

/** mr_host_is_live() - whether facts are those of this machine */
static inline bool mr_host_is_live(const struct mr_host *host)
{
	return host->recording < 0;
}

/** mr_host_unrecorded() - the same host and process, of which nothing is recorded */
static inline struct mr_host mr_host_unrecorded(const struct mr_host *host)
{
	return (struct mr_host){ .recording = host->recording,
				 .process = host->process,
				 .thread = host->thread };
}

/**
 * mr_host_read() - read the beginning of a file
 * @text: set to at most @size - 1 bytes, at most 1 MiB, and a NUL; to an empty text where the file cannot be read
 * @fmt:  its absolute path, without ".."
 *
 * The file is recorded whole, up to 1 MiB, however small @size is.  A file that may hold something secret or
 * personal is read by mr_host_lines(), or by the function that mr_host_query() calls.
 *
 * Below $SYSFS_PATH of the process, where libibverbs looks for devices, are /sys/class/infiniband,
 * /sys/class/infiniband_verbs and /sys/module/ib_core of this machine.
 *
 * Return: the bytes read; or -errno: -ENOENT where a recording does not have the file, -EISDIR and -EINVAL
 * where it is a folder, or neither that nor a regular file, -EINVAL for a path that is not as required.
 */
ssize_t mr_host_read(struct mr_host *host, char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** mr_host_line() - read the first line of a file, without its newline; false where there is none, or it is empty */
bool mr_host_line(struct mr_host *host, char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** mr_host_number() - read the number that a file begins with, decimal or 0x...; false where there is none */
bool mr_host_number(struct mr_host *host, uint64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** mr_host_opt_number() - the same, as a number that may not be known */
struct mr_opt_u64 mr_host_opt_number(struct mr_host *host, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/**
 * mr_host_lines() - read a file line by line
 * @take: called with each line, without its newline, cut at 4095 bytes; returns whether it was of use
 *
 * Only lines that were of use are recorded, so that a recording has no more than is needed.  So @take must
 * not count the others: that is for mr_host_query().
 *
 * Return: 0, or -errno, also in the middle of the file: -EFBIG for one of more than 64 MiB.
 */
int mr_host_lines(struct mr_host *host, bool (*take)(const char *line, void *data), void *data,
		  const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** A line "NAME FIGURES" of a file, and the member that figure number @index is for. */
struct mr_figure {
	const char *name; /**< with all that is before the figures: "VmSize:" */
	size_t offset;    /**< of a struct mr_opt_u64 */
	int index;
	int base;           /**< 0: decimal */
	unsigned int shift; /**< 10: the figure is in kB, which follows it */
};

/** MR_FIGURE() - a row for a member of a structure; further members of the row may follow */
#define MR_FIGURE(structure, name_, member, ...)                                                   \
	{                                                                                          \
		.name = (name_), .offset = CHECKED_OFFSET(structure, member, struct mr_opt_u64),   \
		__VA_ARGS__                                                                        \
	}

/**
 * mr_figures_take() - set the members of @structure that a line is for; "unlimited" is UINT64_MAX
 * @rows: the last one has no name
 *
 * Return: whether the line has one of the names.
 */
bool mr_figures_take(const char *line, const struct mr_figure *rows, void *structure);

/** mr_host_figures() - mr_figures_take() of each line of a file.  Return: as mr_host_lines(). */
int mr_host_figures(struct mr_host *host, const struct mr_figure *rows, void *structure,
		    const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** A line of /proc/PID/mountinfo (proc_pid_mountinfo(5)). */
struct mr_mount {
	unsigned int major, minor; /**< of the device */
	char root[4096];           /**< what of the file system is mounted */
	char point[4096];          /**< where */
	char type[32];             /**< of the file system */
	char options[4096];        /**< of the file system, as they are written there */
};

/** mr_mount_parse() - false where the line is none of a mount */
bool mr_mount_parse(const char *line, struct mr_mount *mount);

/**
 * mr_host_list() - call @take with the name of each entry of a folder, but not those that begin with "." or
 * have a newline
 * @take: or NULL
 *
 * The order is that of strcmp(), or of a recording.
 *
 * Return: how many there are, or -errno.
 */
int mr_host_list(struct mr_host *host, void (*take)(const char *name, void *data), void *data,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/**
 * mr_host_names() - read the names of a folder, as mr_host_list()
 * @names: set to them, for argz_next(3); to be freed
 * @size:  bytes of @names
 *
 * Return: how many there are, or -errno.
 */
int mr_host_names(struct mr_host *host, char **names, size_t *size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** mr_host_exists() - whether there is such a file, folder or device */
bool mr_host_exists(struct mr_host *host, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mr_host_link() - read what a symbolic link points to; false where it is none, or does not fit */
bool mr_host_link(struct mr_host *host, char *target, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** mr_host_link_end() - the last part of what a link points to; an empty text where there is none, or it does not fit */
void mr_host_link_end(struct mr_host *host, char *end, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** Facts of stat(2) about a file. */
struct mr_host_status {
	uint32_t mode; /**< type and permission, as st_mode */
	uint32_t uid, gid;
	uint32_t major, minor; /**< of a device */
};

/** mr_host_stat() - Return: 0, or -errno. */
int mr_host_stat(struct mr_host *host, struct mr_host_status *status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * mr_host_open_device() - whether this user may open a device for reading and writing
 *
 * It is opened, and closed at once: access(2) does not know of the device rules of a control group.
 *
 * Return: 0, or -errno; -ENODATA for another process, as this one cannot open files in its place.
 */
int mr_host_open_device(struct mr_host *host, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** Writes what this machine answers, a text of at most @size bytes.  Return: 0, or -errno where there is none. */
typedef int mr_answer(const struct mr_host *host, void *data, char *text, size_t size);

/**
 * mr_host_query() - the answer of a system call or a library, as text
 * @answer: of this machine, at most 64 KiB, best one line
 * @data:   for @answer
 * @text:   set to the answer, cut where it does not fit; or to an empty text
 * @fmt:    name of the question, such as "uname"; it may have folders: "device/mlx5_0/odp"
 *
 * Return: 0, or -errno.
 */
int mr_host_query(struct mr_host *host, mr_answer *answer, void *data, char *text, size_t size,
		  const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/** mr_live_path() - where this process finds a file that the process of @host sees.  Return: 0 or -errno. */
int mr_live_path(const struct mr_host *host, const char *path, char found[PATH_MAX]);

/** mr_live_open() - open a file to read it.  Return: a descriptor, or -errno; it is no FIFO, folder or device. */
int mr_live_open(const struct mr_host *host, const char *path);

/** mr_live_stat() - Return: 0 or -errno. */
int mr_live_stat(const struct mr_host *host, const char *path, struct stat *st);

/** Counts of packed or unpacked files. */
struct mr_recording_tally {
	uint64_t files, bytes;
	uint64_t left_out; /**< files beyond the limits, or that cannot be read or made */
};

/**
 * mr_recording_pack() - call @take with each file of a recording, in the order of strcmp()
 * @folder: of the recording.  Links are not followed, and only regular files are read
 * @take:   called with the path in the recording, "/proc/self/limits", and the text up to the first NUL; returns 0,
 *          or -errno to end it
 *
 * Return: 0 or -errno with MR_ERROR_HOST.
 */
int mr_recording_pack(const char *folder,
		      int (*take)(void *data, const char *path, const char *text), void *data,
		      struct mr_recording_tally *tally, struct mr_error *err);

/**
 * mr_recording_unpack() - write a file of a recording
 * @folder: descriptor of its folder, which is this process's own
 * @path:   in the recording, from anywhere.  One that leaves the folder, or that cannot be made beside those which
 *          are there, is left out
 *
 * Return: 0 or -errno, where nothing more can be written.
 */
int mr_recording_unpack(int folder, const char *path, const char *text,
			struct mr_recording_tally *tally);

/** A folder of this process below $TMPDIR, or /tmp. */
struct mr_temporary_folder {
	char path[PATH_MAX]; /**< empty: there is none */
	int fd;              /**< of the folder */
};

/** mr_temporary_folder_make() - Return: 0 or -errno with MR_ERROR_HOST. */
int mr_temporary_folder_make(struct mr_temporary_folder *folder, struct mr_error *err);

/** mr_temporary_folder_remove() - remove it with all that it holds, or do nothing where there is none */
void mr_temporary_folder_remove(struct mr_temporary_folder *folder);

/** CAP_IPC_LOCK of capabilities(7), as a bit: memory may be pinned beyond RLIMIT_MEMLOCK */
#define MR_CAP_IPC_LOCK (UINT64_C(1) << 14)

/** CAP_DAC_OVERRIDE of capabilities(7), as a bit: files may be opened whatever their permission is */
#define MR_CAP_DAC_OVERRIDE (UINT64_C(1) << 1)

enum { MR_STATUS_GROUPS = 64 /**< groups of a process that are looked at */ };

/** A process.  Members that its file lacks are unknown. */
struct mr_process_status {
	char name[16];                     /**< its command, in printable characters */
	struct mr_opt_u64 process;         /**< of a thread: number of its process (Tgid) */
	struct mr_opt_u64 parent;          /**< its number; 0: none that can be seen from here */
	struct mr_opt_u64 uid, gid;        /**< effective ones */
	uint32_t groups[MR_STATUS_GROUPS]; /**< supplementary ones */
	unsigned int group_count;
	struct mr_opt_u64 permitted, effective, bounding; /**< capabilities, one bit each */
	struct mr_opt_u64 no_new_privs; /**< 1: set-user-ID programs do not count */
	struct mr_opt_u64 threads;
	struct mr_opt_u64 seccomp; /**< 0: off, 1: strict, 2: system calls are filtered */
	struct mr_opt_u64 mapped;  /**< bytes of its address space */
	struct mr_opt_u64 data;    /**< bytes of it that are private and writable */
	struct mr_opt_u64 pinned;  /**< bytes that drivers pinned for it; RDMA counts these */
	struct mr_opt_u64 locked;  /**< bytes that mlock(2) locked; RDMA does not count these */
};

/**
 * mr_process_status_read() - read the status of a process
 * @process: its number, or "self"
 *
 * Return: 0, or -errno.
 */
int mr_process_status_read(struct mr_host *host, const char *process,
			   struct mr_process_status *status);

/** mr_process_may_write() - whether the permission bits of a file let a process read and write it */
bool mr_process_may_write(const struct mr_process_status *process,
			  const struct mr_host_status *file);

/**
 * mr_process_start() - read when a process was started (field 22 of /proc/PID/stat, proc_pid_stat(5))
 * @process: its number
 *
 * Return: clock ticks since the machine was booted; unknown where the process has ended.
 */
struct mr_opt_u64 mr_process_start(struct mr_host *host, const char *process);

/** mr_process_ticks() - the time now, in the unit of mr_process_start() */
uint64_t mr_process_ticks(void);

/**
 * mr_namespace_is_first() - whether a namespace of the process is the initial one
 * @type: "user", "pid" or "cgroup"
 *
 * Their inodes have fixed numbers: include/linux/proc_ns.h of the kernel.  For "user", uid_map answers where
 * the inode cannot be read.
 */
enum mr_tristate mr_namespace_is_first(struct mr_host *host, const char *type);

/** In the unit of the limit; UINT64_MAX: unlimited. */
struct mr_rlimit {
	uint64_t soft; /**< the one that counts */
	uint64_t hard; /**< up to which the process may raise the other */
};

#define MR_MEMLOCK "Max locked memory"

/**
 * mr_rlimit_read() - read a limit of a process
 * @process: its number, or "self"
 * @name:    of the line, such as MR_MEMLOCK (fs/proc/base.c lnames)
 * @limit:   set; to 0 where it cannot be read
 *
 * Return: 0, or -errno; -EINVAL where the file does not have it.
 */
int mr_rlimit_read(struct mr_host *host, const char *process, const char *name,
		   struct mr_rlimit *limit);

/** In printable characters; empty: not known. */
struct mr_unit {
	char name[128];     /**< "slurmd.service", "docker-0123456789ab"; else the group's path */
	char container[65]; /**< the whole id of a container */
	char service[128];  /**< of systemd, the innermost one: "containerd.service" */
};

/**
 * mr_unit_read() - find the unit of a process
 * @process: its number, or "self"
 *
 * Return: 0, or -errno where the process has ended, or its control group cannot be read.
 */
int mr_unit_read(struct mr_host *host, const char *process, struct mr_unit *unit);

/**
 * mr_sandbox_is_gvisor() - whether the kernel is that of gVisor, by its version
 * @version: set to that
 */
bool mr_sandbox_is_gvisor(struct mr_host *host, char *version, size_t size);

/**
 * mr_group_name() - the name of a group of the host
 * @name: set to it, or to its number where it has none
 */
void mr_group_name(struct mr_host *host, uint32_t gid, char *name, size_t size);

/** Settings of fork protection in the environment of this process. */
struct mr_fork {
	/** RDMAV_FORK_SAFE or IBV_FORK_SAFE is set: children do not inherit the pages of regions. */
	bool is_requested;
	bool huge_pages; /**< RDMAV_HUGEPAGES_SAFE is set: the size of pages is looked up, which is slow */
};

/** mr_fork_read() - libibverbs/init.c ibverbs_init() and libibverbs/memory.c ibv_fork_init() read the same */
void mr_fork_read(struct mr_host *host, struct mr_fork *fork);

#endif
