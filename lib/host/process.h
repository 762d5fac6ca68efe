/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Other processes, as /proc shows them.  What they can write there is not trusted: texts are cut and
 * cleaned, and files that their links name are not opened.
 */
#ifndef LIB_HOST_PROCESS_H
#define LIB_HOST_PROCESS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>

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
 * mr_process_read() - read a file of its folder
 * @name: "comm"
 * Return: bytes read into @buffer, at most @size; -1 with errno.
 */
ssize_t mr_process_read(const struct mr_process *process, const char *name, char *buffer,
			size_t size);

/** mr_process_environment() - open the environment that a process was started with; NULL with errno */
FILE *mr_process_environment(uint64_t pid);

/** mr_process_link() - read the target of a link in its folder; false where it cannot be read, or does not fit */
bool mr_process_link(const struct mr_process *process, const char *name, char *target, size_t size);

/** mr_process_stat_link() - stat(2) of what a link in its folder leads to, such as "exe"; false with errno */
bool mr_process_stat_link(const struct mr_process *process, const char *name, struct stat *st);

/** mr_process_socket() - inode of the socket that its descriptor @fd refers to; 0 where it is no socket */
uint64_t mr_process_socket(const struct mr_process *process, int fd);

/** mr_process_of_thread() - the process that a thread belongs to; 0 where there is no such thread */
pid_t mr_process_of_thread(pid_t thread);

/** What /proc/PID/stat tells of a process (proc_pid_stat(5)). */
struct mr_process_stat {
	char state;
	pid_t parent;
	uint64_t start; /**< clock ticks since the machine was booted */
	uint64_t code,
		stack; /**< addresses of its program, also after fork(2); @stack 0: this user may not know */
};

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

#endif
