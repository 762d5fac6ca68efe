/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * A session: regions that outlive the command that registered them, without a daemon.
 *
 * It is one descriptor: the receiving end of a socket pair whose other end is closed, with one
 * message in its queue that carries the uverbs command descriptor of an open device and the
 * session table.  Commands look at the message without taking it (MSG_PEEK) and get duplicates
 * of both.  As long as one process holds the descriptor the kernel keeps everything alive.
 */
#ifndef LIB_SESSION_REGIONS_H
#define LIB_SESSION_REGIONS_H

#include "lib/session/table/table.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/uverbs.h"

struct mr_device;
struct mr_environment;
struct mr_session_library;

/** Name of the environment variable that says where the session is. */
#define MR_SESSION_VARIABLE "MRCTL_SESSION"

/** Name of the protection domain that every session begins with. */
#define MR_DEFAULT_PD "default"

struct mr_session {
	struct mr_uverbs uverbs;
	struct mr_table table;
	struct mr_table_device device;
	uint32_t *umems; /**< handles of umems that the kernel listed last; or NULL */
	uint32_t umem_count;
	struct mr_registrant self;          /**< this process; all zeros before it is needed */
	struct mr_session_library *library; /**< kept from call to call; or NULL */
};

/** mr_session_describe() - what a table is to know of a device */
void mr_session_describe(const struct mr_environment *environment, struct mr_table_device *device);

/**
 * mr_session_create() - make a session of an open device
 * @device: its context's descriptor and PD become the session's
 * @fd:     set to the session's descriptor: 100 or above, inherited by programs
 *
 * Return: 0 or -errno.
 */
int mr_session_create(const struct mr_device *device, const struct mr_environment *environment,
		      int *fd, struct mr_error *err);

/**
 * mr_session_open() - join a session
 * @where: "fd:N" or "N", an inherited descriptor; "pid:N", one that process N holds
 *
 * Nothing that comes out of it is trusted: the descriptors are checked for what they are.
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no session, MR_ERROR_USAGE for a malformed
 * @where.
 */
int mr_session_open(const char *where, struct mr_session *session, struct mr_error *err);
void mr_session_close(struct mr_session *session);

/**
 * mr_session_peek() - what mr_session_open() does with a descriptor, but for the device
 *
 * The table is checked.  Of the device nothing may be asked before mr_session_check_device().
 *
 * Return: 0, or -errno: -ENOTCONN where the descriptor is no session.
 */
int mr_session_peek(int fd, struct mr_session *session, struct mr_error *err);

/**
 * mr_session_check_device() - whether it is an RDMA device, and can be used by this process
 *
 * Whoever made the session chose its descriptor: before any ioctl it must prove to be a uverbs device.
 */
int mr_session_check_device(const struct mr_session *session, struct mr_error *err);

/** mr_session_environment() - kernel, rdma-core and what the session knows of its device */
void mr_session_environment(const struct mr_session *session, struct mr_environment *environment);

/** mr_session_allow_joining() - let same-user processes take the descriptor (Yama) after exec */
int mr_session_allow_joining(struct mr_error *err);

/**
 * mr_session_pd() - a protection domain by name
 * @create: allocate it (ioctl ALLOC_PD) where there is none of that name
 * @place:  set to its place in the table
 *
 * No other process deallocates it until mr_session_leave_pd().
 */
int mr_session_pd(struct mr_session *session, const char *name, bool create, uint32_t *place,
		  struct mr_table_pd *pd, struct mr_error *err);

/** mr_session_leave_pd() - it may be deallocated; nothing happens where @place is none */
void mr_session_leave_pd(const struct mr_session *session, uint32_t place);

/** mr_session_settle_pds() - forget PDs that went with a process that was killed meanwhile */
int mr_session_settle_pds(struct mr_session *session, struct mr_error *err);

/** mr_session_dealloc_pd() - deallocate an empty PD; the kernel answers EBUSY for another */
int mr_session_dealloc_pd(struct mr_session *session, const char *name, struct mr_error *err);

/**
 * mr_session_register() - register a region that stays
 * @registrar: path and PD
 * @request:   what to register
 * @entry:     what the table is to know: name, memory, page_size, pd; the rest is filled
 *
 * The table says "pending" before the kernel is asked and "live" afterwards.
 */
int mr_session_register(struct mr_session *session, const struct mr_registrar *registrar,
			const struct mr_region_request *request, struct mr_entry *entry,
			struct mr_error *err);

/** What became of a region, by the table and the kernel. */
enum mr_session_state {
	MR_STATE_LIVE,
	MR_STATE_PENDING,  /**< another process is registering, changing or deregistering it */
	MR_STATE_IN_DOUBT, /**< a process was killed while it did so */
	MR_STATE_DEFERRED, /**< relaxed, deregistered, and there until it is invalidated */
	MR_STATE_SUSPECT,  /**< the kernel has it, and has refused to change it */
	MR_STATE_BROKEN,   /**< of a private session: ibv_rereg_mr(3) has left it unusable */
	MR_STATE_GONE,     /**< the kernel has no such region (any more) */
	MR_STATE_UNKNOWN,  /**< the kernel cannot be asked; by EIO: the device has gone */
};

/**
 * mr_session_agrees() - whether a region of the kernel is the entry's
 *
 * Where a change was not noted the new keys are not known, but the length and IOVA that it was to have.
 */
bool mr_session_agrees(const struct mr_entry *entry, const struct mr_uverbs_mr *kernel);

/**
 * mr_session_look() - an entry, compared with the kernel (QUERY_MR; for umems INFO_HANDLES)
 * @entry:  set to a copy
 * @state:  set
 * @kernel: set to what the kernel says of an MR where the state is LIVE, DEFERRED, SUSPECT or
 *          IN_DOUBT; in doubt an entry that is PENDING has no handle to ask for
 * @err:    also filled where the state is UNKNOWN: why
 *
 * Return: 1, 0 where there is no entry in that place, or -errno.
 */
int mr_session_look(struct mr_session *session, uint32_t slot, struct mr_entry *entry,
		    enum mr_session_state *state, struct mr_uverbs_mr *kernel,
		    struct mr_error *err);

/**
 * mr_session_claim() - take an entry in hand, under the table's lock
 * @slot:   its place in the table
 * @id:     its id; another one in that place is left alone
 * @entry:  set to a copy
 * @state:  set where it is ours: LIVE, DEFERRED, IN_DOUBT, SUSPECT, GONE, or UNKNOWN where the device has gone
 * @kernel: set as by mr_session_look()
 * @err:    also filled where the state is UNKNOWN
 *
 * Return: 0, and mr_session_unclaim() gives it up; -errno where it is not there, in another
 * process's hands, or the kernel cannot be asked.
 */
int mr_session_claim(struct mr_session *session, uint32_t slot, uint64_t id, struct mr_entry *entry,
		     enum mr_session_state *state, struct mr_uverbs_mr *kernel,
		     struct mr_error *err);

/** mr_session_unclaim() - give up claim and lock */
void mr_session_unclaim(struct mr_session *session, uint32_t slot);

/** mr_session_fail_gone() - the error for an entry whose region the kernel does not have */
int mr_session_fail_gone(const struct mr_entry *entry, struct mr_error *err);

/**
 * mr_session_deregister() - ask the kernel to destroy an entry's region (mr_region_destroy())
 * @slot:  its place in the table
 * @id:    its id; another one in that place is left alone
 * @entry: set to the copy by which it is done, once it is claimed
 * @ns:    set to the time that the kernel took; or NULL
 *
 * Before it destroys by handle the kernel must agree on what that handle is: it may have been
 * given out again.  Of a umem the kernel tells no more than that the handle is a umem's.
 *
 * Return: 0; 1 with @err where it is destroyed, but its entry or the memory on the device that it was
 * on stays; or -errno: MR_ERROR_REFUSED when the kernel refuses, and the region is still there;
 * MR_ERROR_ABSENT when it had gone before, and the entry is removed.
 */
int mr_session_deregister(struct mr_session *session, uint32_t slot, uint64_t id,
			  struct mr_entry *entry, uint64_t *ns, struct mr_error *err);

/** mr_session_invalidate() - the same for a relaxed region that is marked; another is left alone */
int mr_session_invalidate(struct mr_session *session, uint32_t slot, uint64_t id,
			  struct mr_entry *entry, uint64_t *ns, struct mr_error *err);

/**
 * mr_session_has_umem() - whether the kernel has a umem with that handle
 *
 * INFO_HANDLES lists the newest MR_UVERBS_INFO_MAX umems.  Where there may be more, a handle that
 * is neither free nor an MR's is taken for a umem's; the kernel refuses to deregister any other.
 *
 * Return: 1, 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_session_has_umem(struct mr_session *session, uint32_t handle, struct mr_error *err);

/** Called with a region that no entry names; of a umem or DM only the handle is known. */
typedef void mr_unlisted(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *region);

/**
 * mr_session_unlisted() - regions of the session that no entry names
 * @call: called for each
 *
 * One INFO_HANDLES where that can answer completely, else a walk over handle numbers; for umems,
 * which cannot be asked for one by one, there is none, and the error says so.
 */
int mr_session_unlisted(struct mr_session *session, mr_unlisted *call, void *data,
			struct mr_error *err);

#endif
