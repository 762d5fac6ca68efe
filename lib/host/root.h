/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * Where facts about a host are read: /proc, /sys, /dev, /boot, and what system calls answer.  All other
 * files of lib/host read through these functions, so a check works on this machine and on a recording alike.
 *
 * A recording is a folder.  A file stands below it at its own path; of one that was read by line, the lines that
 * were of use.  What is no file stands below its folder "calls", as text:
 *   calls/PATH.list      the names in a folder, one a line; without it, those that the recording has there
 *   calls/PATH.link      what a link points to
 *   calls/PATH.stat      "mode=100600 uid=0 gid=0 device=231:192"; without it, the type of what stands at PATH
 *   calls/PATH.open      "ok": a device could be opened for reading and writing
 *   calls/NAME.answer    the answer of mr_host_ask()
 *   calls/PATH.KIND.error  the errno, by name, with which that failed; KIND "read": that of reading the file
 * What is not there has failed with ENOENT.  Below a recording no symbolic link is followed.
 */
#ifndef LIB_HOST_ROOT_H
#define LIB_HOST_ROOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/base.h"
#include "lib/host/other_process.h"

struct mr_recorder;

/** What facts are about: bits of mr_host.reads. */
enum mr_host_reads {
	MR_READ_HOST = 1 << 0,    /**< the host, its kernel and devices */
	MR_READ_PROCESS = 1 << 1, /**< the process or one above it: limits, rights, libraries */
	MR_READ_MEMORY = 1 << 2,  /**< what the process has mapped */
};

/** A host: this machine, or a recording of one. */
struct mr_host {
	int recording; /**< descriptor of the folder of a recording; -1: this machine */
	struct mr_recorder *recorder; /**< records all that is read; NULL: none does */
	uint32_t reads;               /**< what was read since its owner has set this to 0 */
	/**
	 * Of this machine: whose facts /proc/self has, and all that is asked about "the process"; 0: this process.
	 * Of another one that is read which it lets this user see.  The rest is not known, and never that of this
	 * process.
	 */
	pid_t process;
	pid_t thread; /**< of that process, whose facts /proc/thread-self has; 0: not known */
};

/** mr_host_viewer() - whose facts are read */
static inline struct mr_viewer mr_host_viewer(const struct mr_host *host)
{
	return (struct mr_viewer){ host->process, host->thread };
}

/** A host that is this machine, and of which nothing is recorded. */
#define MR_THIS_HOST                                                                               \
	{                                                                                          \
		.recording = -1                                                                    \
	}

/** mr_this_host() - the same, for those who are not told which host */
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
 * personal is read by mr_host_lines(), or by the function that mr_host_ask() calls.
 *
 * Below $SYSFS_PATH of the process, where libibverbs looks for devices, are /sys/class/infiniband,
 * /sys/class/infiniband_verbs and /sys/module/ib_core of this machine.
 *
 * Return: the bytes read; or -errno: -ENOENT where a recording does not have the file, -EISDIR and -EINVAL
 * where it is a folder, or neither that nor a regular file, -EINVAL for a path that is not as it should be.
 */
ssize_t mr_host_read(struct mr_host *host, char *text, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** mr_host_line() - read the first line of a file, without its newline; false where there is none, or it is empty */
bool mr_host_line(struct mr_host *host, char *line, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** mr_host_number() - read the number that a file begins with, decimal or 0x...; false where there is none */
bool mr_host_number(struct mr_host *host, uint64_t *value, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/**
 * mr_host_lines() - read a file line by line
 * @path: absolute
 * @take: called with each line, without its newline, cut at 4095 bytes; returns whether it was of use
 *
 * Only lines that were of use are recorded, so that a recording has no more than is needed.  So @take must
 * not count the others: that is for mr_host_ask().
 *
 * Return: 0, or -errno, also in the middle of the file: -EFBIG for one of more than 64 MiB.
 */
int mr_host_lines(struct mr_host *host, const char *path,
		  bool (*take)(const char *line, void *data), void *data);

/**
 * mr_host_list() - call @take with the name of each entry of a folder, but not those that begin with "." or
 * have a newline
 *
 * The order is that of strcmp().
 *
 * Return: how many there are, or -errno.
 */
int mr_host_list(struct mr_host *host, void (*take)(const char *name, void *data), void *data,
		 const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** mr_host_exists() - whether there is such a file, folder or device */
bool mr_host_exists(struct mr_host *host, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** mr_host_link() - read what a symbolic link points to; false where it is none, or does not fit */
bool mr_host_link(struct mr_host *host, char *target, size_t size, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/** What stat(2) tells of a file. */
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

/**
 * mr_host_ask() - what a system call or a library answers, as text
 * @name:   of the question, such as "uname"; it may have folders: "device/mlx5_0/odp"
 * @answer: writes the answer of this machine, a text of at most 64 KiB, best one line; returns 0, or -errno
 *          where there is none
 * @data:   for @answer
 * @text:   set to the answer, cut where it does not fit; or to an empty text
 *
 * Return: 0, or -errno.
 */
int mr_host_ask(struct mr_host *host, const char *name,
		int (*answer)(void *data, char *text, size_t size), void *data, char *text,
		size_t size);

#endif
