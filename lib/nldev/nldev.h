/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what RDMA netlink reports: devices, and the MRs of all processes. */
#ifndef LIB_NLDEV_NLDEV_H
#define LIB_NLDEV_NLDEV_H

#include <libmnl/libmnl.h>
#include <rdma/rdma_netlink.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"

/*
 * The kernel's RDMA netlink (drivers/infiniband/core/nldev.c), by libmnl: asking, and receiving answers.
 *
 * Nothing that is received is trusted: messages and attributes are taken only as far as they lie within
 * what was received, and texts are cut.
 */

/** More than the kernel fills with one message of a dump (32 KiB, net/netlink/af_netlink.c). */
#define MR_NLDEV_RECEIVE 65536
/** Requests that are sent at once by mr_nldev_query_each(). */
#define MR_NLDEV_BATCH 64

/** A connection to the kernel. */
struct mr_nldev {
	struct mnl_socket *socket;
	uint32_t sequence; /**< of the request before */
	char *buffer;      /**< MR_NLDEV_RECEIVE bytes */
};

/**
 * mr_nldev_open() - connect to the RDMA netlink of the kernel
 *
 * Return: 0, or -errno with MR_ERROR_ABSENT where the kernel has none (EPROTONOSUPPORT), else with
 * MR_ERROR_HOST.  mr_nldev_close() it.
 */
int mr_nldev_open(struct mr_nldev *nl, struct mr_error *err);

/** mr_nldev_close() - nothing happens where it is not open: where all members are 0, or after a failure */
void mr_nldev_close(struct mr_nldev *nl);

/** mr_nldev_reopen() - give up a dump that is not read to its end: connect anew.  Return: 0 or -errno. */
int mr_nldev_reopen(struct mr_nldev *nl, struct mr_error *err);

/** A question. */
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
 * mr_nldev_query() - ask, and take all answers
 * @count: of the list that @take adds to, reset before a dump is repeated, as something has changed meanwhile; or NULL
 *
 * Return: 0, or -errno: -EINTR where a dump was disturbed each time, -ENODEV with MR_ERROR_ABSENT
 * where there is no such device.
 */
int mr_nldev_query(struct mr_nldev *nl, const struct mr_nldev_question *question,
		   mr_nldev_take *take, void *data, size_t *count, struct mr_error *err);

/**
 * mr_nldev_query_each() - ask the same of several objects at once
 * @question: its attribute names an object; its value is not used
 * @values:   of that attribute, at most MR_NLDEV_BATCH
 * @take:     called once for each of @values, with @n, its number there; @message is the answer, or NULL
 *            where there is no such object
 *
 * Return: 0, or -errno as mr_nldev_query().
 */
int mr_nldev_query_each(struct mr_nldev *nl, const struct mr_nldev_question *question,
			const uint32_t *values, unsigned int count,
			void (*take)(const struct nlmsghdr *message, unsigned int n, void *data),
			void *data, struct mr_error *err);

/**
 * Numbers of the kernel's include/uapi/rdma/rdma_netlink.h that are newer than the headers of Debian 12.
 * Source: rdma-core 64, kernel-headers/rdma/rdma_netlink.h.
 */
enum {
	MR_NLDEV_CMD_FRMR_POOLS_GET = 29,

	MR_NLDEV_ATTR_FRMR_POOLS = 105,            /* nested */
	MR_NLDEV_ATTR_FRMR_POOL_ENTRY = 106,       /* nested */
	MR_NLDEV_ATTR_FRMR_POOL_KEY = 107,         /* nested */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_ATS = 108,     /* u8 */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_ACCESS = 109,  /* u32 */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_VENDOR = 110,  /* u64 */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_BLOCKS = 111,  /* u64 */
	MR_NLDEV_ATTR_FRMR_POOL_QUEUE = 112,       /* u32 */
	MR_NLDEV_ATTR_FRMR_POOL_MAX_IN_USE = 113,  /* u64 */
	MR_NLDEV_ATTR_FRMR_POOL_IN_USE = 114,      /* u64 */
	MR_NLDEV_ATTR_FRMR_POOL_PINNED = 116,      /* u32 */
	MR_NLDEV_ATTR_FRMR_POOL_KEY_KERNEL = 117,  /* u64 */
	MR_NLDEV_ATTR_RES_SUMMARY_ENTRY_MAX = 118, /* u64 */
};

/** MR_EACH_ATTRIBUTE() - loop over the attributes of a message, as far as they lie within it */
#define MR_EACH_ATTRIBUTE(attribute, message)                                                      \
	MR_EACH_ATTRIBUTE_OF(attribute, mnl_nlmsg_get_payload(message),                            \
			     mnl_nlmsg_get_payload_len(message))

/** MR_EACH_NESTED() - loop over the attributes that are nested in another */
#define MR_EACH_NESTED(attribute, table)                                                           \
	MR_EACH_ATTRIBUTE_OF(attribute, mnl_attr_get_payload(table),                               \
			     mnl_attr_get_payload_len(table))

/* As mnl_attr_for_each_payload(), whose distance of two pointers becomes an int without a cast (-Wconversion). */
#define MR_EACH_ATTRIBUTE_OF(attribute, payload, size)                                             \
	for ((attribute) = (payload);                                                              \
	     mnl_attr_ok(attribute,                                                                \
			 (int)((const char *)(payload) + (size) - (const char *)(attribute)));     \
	     (attribute) = mnl_attr_next(attribute))

/** mr_attribute_number() - its value, where it is as long as a u8, u32 or u64; else unknown */
struct mr_opt_u64 mr_attribute_number(const struct nlattr *attribute);

/** mr_attribute_u32() - its value where it is a u32; false: it is not, and @value is left alone */
bool mr_attribute_u32(const struct nlattr *attribute, uint32_t *value);

/** mr_attribute_text() - copy its text, cut to @size - 1 bytes */
void mr_attribute_text(const struct nlattr *attribute, char *text, size_t size);

/** mr_attribute_is() - whether its text is @word */
bool mr_attribute_is(const struct nlattr *attribute, const char *word);

/** mr_nldev_copies_on_fork() - ask whether fork(2) copies pinned pages, as it does since Linux 5.13.  Return: 0 or -errno. */
int mr_nldev_copies_on_fork(struct mr_nldev *nl, bool *copies, struct mr_error *err);

/** A device, as the kernel numbers it. */
struct mr_nldev_device {
	uint32_t index; /**< never used again until the machine is booted */
	char name[64];
};

struct mr_nldev_devices {
	struct mr_nldev_device *list; /**< in the order of their indexes */
	size_t count;
};

/**
 * mr_nldev_devices() - list the devices that this network namespace sees
 * @devices: mr_nldev_devices_release() it, also after a failure
 */
int mr_nldev_devices(struct mr_nldev *nl, struct mr_nldev_devices *devices, struct mr_error *err);
void mr_nldev_devices_release(struct mr_nldev_devices *devices);

/** mr_nldev_device_by_name() - the device of that name; or NULL */
const struct mr_nldev_device *mr_nldev_device_by_name(const struct mr_nldev_devices *devices,
						      const char *name);

/**
 * mr_nldev_open_device() - connect to the RDMA netlink of the kernel to ask about one device
 * @index: set to its index
 *
 * Return: 0; or -errno, -ENODEV where there is no such device, and nothing is open.
 */
int mr_nldev_open_device(struct mr_nldev *nl, const char *name, uint32_t *index,
			 struct mr_error *err);

/** How many objects of a kind a device has in use. */
struct mr_nldev_count {
	char kind[20]; /**< as the kernel names it: "qp", "cq", "mr", "pd", "ctx", "srq", "cm_id" */
	uint64_t count;
	struct mr_opt_u64 max; /**< unknown where the kernel does not say */
};

/** Room for the kinds that a kernel may have. */
#define MR_NLDEV_KINDS 16

struct mr_nldev_summary {
	struct mr_nldev_count kinds[MR_NLDEV_KINDS];
	size_t count;
};

/**
 * mr_nldev_summary() - ask how many objects a device has (RDMA_NLDEV_CMD_RES_GET)
 * @device: its index
 *
 * Objects that the kernel itself made are included.
 *
 * Return: 0 or -errno.
 */
int mr_nldev_summary(struct mr_nldev *nl, uint32_t device, struct mr_nldev_summary *summary,
		     struct mr_error *err);

/** mr_nldev_summary_of() - how many of @kind there are; unknown where the kernel does not count them */
struct mr_opt_u64 mr_nldev_summary_of(const struct mr_nldev_summary *summary, const char *kind);

/** A pool of MRs that the kernel keeps for the next registration of their kind (FRMR). */
struct mr_nldev_pool {
	struct mr_opt_u64 blocks;        /**< DMA blocks that an MR of it has room for */
	struct mr_opt_u64 access;        /**< access flags of its MRs that cannot be changed */
	struct mr_opt_u64 ats;           /**< 1: its MRs use address translation services */
	struct mr_opt_u64 vendor;        /**< the rest of its key, which the driver made */
	struct mr_opt_u64 kernel_vendor; /**< known: its MRs are the kernel's own */
	struct mr_opt_u64 free;          /**< MRs in it */
	struct mr_opt_u64 in_use;        /**< MRs of it that are registered */
	struct mr_opt_u64 max_in_use;    /**< the most that were registered at a time */
	struct mr_opt_u64 pinned;        /**< MRs that it is configured to keep */
};

struct mr_nldev_pools {
	struct mr_nldev_pool *list;
	size_t count;
};

/**
 * mr_nldev_pools() - list the FRMR pools of a device (RDMA_NLDEV_CMD_FRMR_POOLS_GET)
 * @device: its index
 * @pools:  mr_nldev_pools_release() it, also after a failure
 *
 * Return: 0; -EOPNOTSUPP where the kernel has no such pools (before Linux 7.1), or no such device; or another -errno.
 */
int mr_nldev_pools(struct mr_nldev *nl, uint32_t device, struct mr_nldev_pools *pools,
		   struct mr_error *err);
void mr_nldev_pools_release(struct mr_nldev_pools *pools);

/** All MRs of a device, from the kernel's RDMA netlink. */
enum mr_nldev_odp {
	MR_NLDEV_ODP_UNTOLD, /**< the driver says nothing: of mlx5 such an MR is pinned */
	MR_NLDEV_ODP_EXPLICIT,
	MR_NLDEV_ODP_IMPLICIT,
};

/** An MR.  There may be a million of them. */
struct mr_nldev_mr {
	uint64_t length;
	uint32_t mrn;        /**< the kernel's number for it, used again after 2^32 others */
	uint32_t lkey, rkey; /**< where @has_keys */
	uint32_t pdn;        /**< of its PD, where @has_pdn */
	/**
	 * The process that registered it, by its number in this PID namespace; 0: the process has ended, or it is
	 * not in this PID namespace, or the MR is the kernel's.
	 */
	uint32_t pid;
	bool has_keys; /**< the kernel reports them with CAP_NET_ADMIN */
	bool has_pdn;
	bool has_counters;
	bool begins_part; /**< the dump may have skipped MRs before it */
	uint8_t odp;      /**< enum mr_nldev_odp */
	char kernel[19];  /**< the kernel's module that made it, cut; empty: a process did */
	/** Counters of ODP since the registration; where @has_counters. */
	uint64_t page_faults, page_invalidations, page_prefetch;
};

struct mr_nldev_mrs {
	struct mr_nldev_mr *list; /**< in the order of mrn */
	size_t count;
	size_t room; /**< elements that @list has room for */
	/** Number that the kernel counts after the list; unknown: it does not report it. */
	struct mr_opt_u64 counted;
};

/**
 * mr_nldev_mrs() - list all MRs of a device, in a time that is linear in their number
 * @device: its index
 * @mrs:    mr_nldev_mrs_release() it, also after a failure
 *
 * A dump of the kernel begins its walk anew for each part that it sends, so its time is quadratic, and it skips
 * as many MRs as vanish between two parts.  So only the first parts of a dump are used, and numbers that are
 * missing between two parts are asked for one by one.  So are those that follow, unless the dump has listed as many
 * as there were before it, until as many MRs were found as the kernel counts.  Where that takes longer than a dump, as the numbers have large gaps, the rest is dumped.
 * So each MR that exists all the time is found, unless numbers have large gaps and other MRs vanish
 * meanwhile: then @mrs->counted is likely to be larger than @mrs->count.
 *
 * Return: 0 or -errno.
 */
int mr_nldev_mrs(struct mr_nldev *nl, uint32_t device, struct mr_nldev_mrs *mrs,
		 struct mr_error *err);
void mr_nldev_mrs_release(struct mr_nldev_mrs *mrs);

/**
 * mr_nldev_count_faults() - set the counters of the MRs that use ODP (RDMA_NLDEV_CMD_STAT_GET)
 *
 * Counters stay unknown for MRs that have vanished, or whose driver has none.
 *
 * Return: 0 or -errno.
 */
int mr_nldev_count_faults(struct mr_nldev *nl, uint32_t device, struct mr_nldev_mrs *mrs,
			  struct mr_error *err);

#endif
