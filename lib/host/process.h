/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Other processes, by /proc.  What they say of themselves is untrusted: texts are cut and cleaned,
 * and no file of theirs is opened.
 */
#ifndef LIB_HOST_PROCESS_H
#define LIB_HOST_PROCESS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** A process; its folder in /proc stays that one's, even when its number is given out again. */
struct mr_process {
	pid_t pid;
	uid_t uid;  /**< owner of its folder */
	int folder; /**< descriptor of it */
};

/** mr_process_open() - open the folder of a process in /proc; Return: whether there is such a process */
bool mr_process_open(pid_t pid, struct mr_process *process);
void mr_process_close(struct mr_process *process);

/** mr_process_pidfd() - pidfd_open(2); Return: -1 with errno, also where it has ended */
int mr_process_pidfd(const struct mr_process *process);

/** mr_process_command() - its name (comm), of printable characters; empty where it has ended */
void mr_process_command(const struct mr_process *process, char command[16]);

/**
 * mr_process_read() - a file of its folder
 * Return: bytes read into @buffer, at most @size; -1 with errno.
 */
ssize_t mr_process_read(const struct mr_process *process, const char *name, char *buffer,
			size_t size);

/** mr_process_link() - the target of a link in its folder; Return: whether it could be read and fits */
bool mr_process_link(const struct mr_process *process, const char *name, char *target, size_t size);

/** mr_process_socket() - inode of the socket that its descriptor @fd is, or 0 */
uint64_t mr_process_socket(const struct mr_process *process, int fd);

/** mr_process_of_thread() - the process that a thread belongs to; Return: 0 where there is no such thread */
pid_t mr_process_of_thread(pid_t thread);

/** What is known of whether a process of some number is there. */
enum mr_process_life {
	MR_PROCESS_UNSEEN, /**< it is there, and hidden (hidepid, proc(5)), or cannot be read */
	MR_PROCESS_LIVES,
	MR_PROCESS_ENDED, /**< also where its parent has not waited for it yet */
};

/**
 * mr_process_life() - whether there is a process of that number
 * @start: with MR_PROCESS_LIVES, when it was started, in ticks since the machine was: the same number
 *	   with another time is another process
 */
enum mr_process_life mr_process_life(pid_t pid, uint64_t *start);

/**
 * mr_process_namespace() - inode of the PID namespace of this process
 * Return: 0 where it is not known, or /proc shows the numbers of another one.
 */
uint32_t mr_process_namespace(void);

/** mr_process_next_number() - the next entry of a folder, such as /proc, whose name is a number; or -1 */
int mr_process_next_number(DIR *folder);

#endif
