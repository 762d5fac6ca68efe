/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The kernel's RDMA netlink (drivers/infiniband/core/nldev.c), by libmnl: asking, and receiving answers.
 *
 * Nothing that is received is trusted: messages and attributes are taken only as far as they lie within
 * what was received, and texts are cut.
 */
#ifndef LIB_NLDEV_NLDEV_H
#define LIB_NLDEV_NLDEV_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"

/** More than the kernel fills with one message of a dump (32 KiB, net/netlink/af_netlink.c). */
#define MR_NLDEV_RECEIVE 65536
/** Requests that are sent at once by mr_nldev_ask_each(). */
#define MR_NLDEV_BATCH 64

/** A connection to the kernel. */
struct mr_nldev {
	int fd;
	uint32_t port;     /**< netlink's name of this end; 0: answers do not name it */
	uint32_t sequence; /**< of the request before */
	/** Opens a socket: returns it, or -errno. */
	int (*connect)(void *data, uint32_t *port);
	void *data;
	char *buffer; /**< MR_NLDEV_BATCH slots of MR_NLDEV_SLOT bytes, which is more than MR_NLDEV_RECEIVE */
};

/** Larger than an answer that is no dump: NLMSG_DEFAULT_SIZE of the kernel's include/linux/netlink.h */
#define MR_NLDEV_SLOT 8192

/**
 * mr_nldev_open() - connect to the RDMA netlink of the kernel
 *
 * Return: 0, or -errno with MR_ERROR_ABSENT where the kernel has none (EPROTONOSUPPORT), else with
 * MR_ERROR_HOST.  mr_nldev_close() it.
 */
int mr_nldev_open(struct mr_nldev *nl, struct mr_error *err);

/** mr_nldev_open_by() - the same by another function to get the socket; @nl->connect keeps it */
int mr_nldev_open_by(struct mr_nldev *nl, int (*connect)(void *data, uint32_t *port), void *data,
		     struct mr_error *err);

/** mr_nldev_close() - nothing happens where it is not open: where all members are 0, or after a failure */
void mr_nldev_close(struct mr_nldev *nl);

/** mr_nldev_reopen() - give up a dump that is not read to its end: connect anew.  Return: 0 or -errno. */
int mr_nldev_reopen(struct mr_nldev *nl, struct mr_error *err);

/** What to ask. */
struct mr_nldev_question {
	const char *call; /**< its name for messages: "RDMA_NLDEV_CMD_RES_GET" */
	uint16_t command;
	bool dump;
	bool has_device;    /**< @device is sent */
	uint32_t device;    /**< its index */
	uint16_t of;        /**< RDMA_NLDEV_ATTR_STAT_RES is sent, with this; 0: it is not */
	uint16_t attribute; /**< one more attribute, a u32; 0: none */
	uint32_t value;
};

/**
 * Takes an answer; returns MNL_CB_OK; MNL_CB_ERROR with errno; or MNL_CB_STOP where it has enough of a dump, after
 * which mr_nldev_reopen() is due.
 */
typedef int mr_nldev_take(const struct nlmsghdr *message, void *data);

/**
 * mr_nldev_ask() - ask, and take all answers
 * @restart: called before a dump is repeated, as something has changed meanwhile: forget what was taken; or NULL
 *
 * Return: 0, or -errno: -EINTR where a dump was disturbed each time, -ENODEV with MR_ERROR_ABSENT
 * where there is no such device.
 */
int mr_nldev_ask(struct mr_nldev *nl, const struct mr_nldev_question *question, mr_nldev_take *take,
		 void (*restart)(void *data), void *data, struct mr_error *err);

/**
 * mr_nldev_ask_each() - ask the same of several objects at once
 * @question: its attribute names an object; its value is not used
 * @values:   of that attribute, at most MR_NLDEV_BATCH
 * @take:     called once for each of @values, with @n, its number there; @message is the answer, or NULL
 *            where there is no such object
 *
 * Return: 0, or -errno as mr_nldev_ask().
 */
int mr_nldev_ask_each(struct mr_nldev *nl, const struct mr_nldev_question *question,
		      const uint32_t *values, unsigned int count,
		      void (*take)(const struct nlmsghdr *message, unsigned int n, void *data),
		      void *data, struct mr_error *err);

#endif
