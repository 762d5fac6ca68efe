/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * What another process of this machine sees, and has: its files, where its mounts are others; its environment.
 * What this user may not see of it is not known: it is never taken from this process instead.
 */
#ifndef LIB_HOST_OTHER_PROCESS_H
#define LIB_HOST_OTHER_PROCESS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** Whose facts are read: those of /proc/self, and of files as that process sees them. */
struct mr_viewer {
	pid_t process; /**< 0: this process */
	pid_t thread;  /**< of another process; 0: not known */
};

/**
 * mr_seen_by() - the path at which this process finds a file that another one sees
 * @path:  as that process sees it
 * @found: /proc/self is the folder of that process.  Devices, control groups and other files are found below its
 *         root, where that is another one or its mounts are.  What /proc and /sys have is the same for all.
 *
 * Return: 0; -ESRCH for the thread, where none is known; or -errno where it is not known what the process sees.
 */
int mr_seen_by(struct mr_viewer viewer, const char *path, char found[PATH_MAX]);

/**
 * mr_process_variable() - a variable of the environment that a process was started with (proc_pid_environ(5))
 * @value: set to it, or to an empty text where it is not set, or does not fit
 *
 * Return: 1 where it is set; 0 where it is not; -EAGAIN where the process is in the midst of execve(2), and has no
 * environment for a moment; or another -errno where the environment cannot be read.
 */
int mr_process_variable(pid_t process, const char *name, char *value, size_t size);

/**
 * mr_process_thread() - the number by which this process knows a thread of another one
 * @tid: as that process sees it; in a PID namespace of its own it has another number there
 *
 * Return: the number, or 0 where it is not known.
 */
pid_t mr_process_thread(pid_t process, uint32_t tid);

/** mr_process_own_thread() - the other way round: the number that the process sees, or 0 where it is not known */
uint32_t mr_process_own_thread(pid_t process, pid_t thread);

#endif
