/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares sessions: opening, finding and ending them, their regions, and the changes of these. */
#ifndef LIB_SESSION_SESSION_H
#define LIB_SESSION_SESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"
#include "lib/memory/memory.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/**
 * A session: regions that outlive the command that registered them, without a daemon.
 *
 * It is one descriptor: the receiving end of a socket pair whose other end is closed, with one
 * message in its queue that carries the uverbs command descriptor of an open device and the
 * session table.  Commands look at the message without taking it (MSG_PEEK) and get duplicates
 * of both.  As long as one process holds the descriptor the kernel keeps everything alive.
 */
struct mr_session_library;

/** Name of the environment variable that names the session. */
#define MR_SESSION_VARIABLE "MRCTL_SESSION"

/** Name of the protection domain that every session begins with. */
#define MR_DEFAULT_PD "default"

/** An open session. */
struct mr_session {
	struct mr_uverbs uverbs;
	struct mr_table table;
	struct mr_table_device device;
	struct mr_handles umems;            /**< umems, as the kernel listed them last */
	struct mr_registrant self;          /**< this process; all zeros before it is needed */
	struct mr_session_library *library; /**< kept from call to call; or NULL */
};

/** mr_session_is_private() - whether it is the session of a batch, which no other process has */
static inline bool mr_session_is_private(const struct mr_session *session)
{
	return session->table.is_private;
}

/** mr_session_describe() - fill in the facts of a device that the table records; @device->pid_namespace becomes 0 */
void mr_session_describe(const struct mr_environment *environment, struct mr_table_device *device);

/**
 * mr_session_create() - open a session on an open device
 * @device: its context's descriptor and PD become the session's
 * @fd:     set to the session's descriptor: 100 or above, inherited by programs
 *
 * Return: 0 or -errno.
 */
int mr_session_create(const struct mr_device *device, const struct mr_environment *environment,
		      int *fd, struct mr_error *err);

/**
 * mr_session_open_private() - open a device as a session of this process alone, as a batch does
 * @name:        the device, or NULL for the only one there is
 * @environment: filled as by mr_device_open()
 *
 * Return: 0 or -errno.
 */
int mr_session_open_private(const char *name, struct mr_session *session,
			    struct mr_environment *environment, struct mr_error *err);

/**
 * mr_session_open() - join a session
 * @where: "fd:N" or "N", an inherited descriptor; "pid:N", one that process N holds
 *
 * The content of a session is untrusted: its descriptors are checked to be those of a device and a table.
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no session, MR_ERROR_USAGE for a malformed
 * @where.
 */
int mr_session_open(const char *where, struct mr_session *session, struct mr_error *err);

/** mr_session_close() - leave a session: its regions stay; a private session ends, and its regions with it */
void mr_session_close(struct mr_session *session);

/**
 * mr_session_peek() - join the session of a descriptor, but leave its device unchecked
 *
 * The table is checked.  The device must not be used before mr_session_check_device().
 *
 * Return: 0, or -errno: -ENOTCONN where the descriptor is no session.
 */
int mr_session_peek(int fd, struct mr_session *session, struct mr_error *err);

/**
 * mr_session_check_device() - check that the session's device is an RDMA device that this process can use
 *
 * Whoever opened the session can have put any descriptor there.  No ioctl may be sent to one that is not of a
 * uverbs device: to another driver its number could mean anything.
 *
 * Return: 0, or -errno with MR_ERROR_ABSENT where it is none.
 */
int mr_session_check_device(const struct mr_session *session, struct mr_error *err);

/** mr_session_environment() - fill in kernel, rdma-core, and the device as the session knows it */
void mr_session_environment(const struct mr_session *session, struct mr_environment *environment);

/**
 * mr_session_allow_joining() - let processes of the same user take descriptors out of this process
 *
 * Yama allows that to ancestors of this process alone otherwise (kernel.yama.ptrace_scope).
 */
int mr_session_allow_joining(struct mr_error *err);

/**
 * mr_session_locate() - find the descriptor of the session that a user names
 * @where:    "fd:N" or "N", inherited by this process; "pid:N", held by process N, or by the one
 *            that N has joined in turn
 * @fd:       set to the descriptor
 * @borrowed: set to the same where it is a duplicate of another process's descriptor: the caller closes it
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a malformed word, MR_ERROR_ABSENT where there is no
 * such descriptor or process, MR_ERROR_HOST where taking it is not allowed.
 */
int mr_session_locate(const char *where, int *fd, int *borrowed, struct mr_error *err);

/** How a process holds a session, in the order in which holders are asked for the descriptor. */
enum mr_holder_role {
	MR_HOLDER_DETACHED, /**< the process that `mrctl session --detach` started: it only sleeps */
	MR_HOLDER_PROGRAM,  /**< it has inherited the descriptor */
	MR_HOLDER_COMMAND,  /**< a command of mrctl that has the table of the session open */
};

/** Their names: "detached", "program", "command". */
extern const struct mr_word mr_holder_roles[];

/**
 * mr_holder_is_detached() - whether a process is one that `mrctl session --detach` started
 *
 * Such a process runs `mrctl session --hold`, and is the leader of a session in the sense of setsid(2), which
 * no job of a shell is.
 */
bool mr_holder_is_detached(const struct mr_process *process);

/*
 * The sessions of this machine that this user can see.
 *
 * No list of them is kept.  A session is found by a process whose environment names its descriptor
 * (MRCTL_SESSION=fd:N), and is identified by the inode of that socket.
 */

/** A process that holds a session. */
struct mr_holder {
	pid_t pid;
	uid_t uid;
	enum mr_holder_role role;
	int fd; /**< its descriptor of the session; -1 of a command, which has only the table */
	char command[16];
};

/** A session that was found. */
struct mr_found_session {
	uint64_t socket; /**< inode of its descriptor */
	struct mr_holder *holders;
	size_t holder_count;
	pid_t pid;  /**< the holder by which it was joined; or the first one, where none was */
	bool known; /**< its table was read, so that the members up to @table_inode are set */
	struct mr_table_device device; /**< name and provider may be empty */
	uint64_t regions;              /**< how many are in the table */
	uint64_t bytes;                /**< their lengths together; null MRs have none */
	dev_t table_dev;
	ino_t table_inode;
	bool joinable;
	struct mr_error refusal; /**< why it is not joinable */
};

struct mr_sessions {
	struct mr_found_session *list;
	size_t count;
	bool incomplete; /**< the time was over before all processes were searched */
};

/**
 * Called with a region of a session that was found.  The session's socket, device and pid are known; the other members
 * are not set yet.  The entry is untrusted: another holder can have written it.
 */
typedef void mr_found_region(const struct mr_found_session *session, const struct mr_entry *entry,
			     void *data);

/**
 * mr_sessions_find() - find the sessions that this user can see
 * @ns:    nanoseconds after which the search ends
 * @found: set; mr_sessions_release() it, also after a failure
 * @visit: called with each region of each session, or NULL
 *
 * Processes whose environment this user cannot read are not seen.  This process counts as a holder only where
 * it is the only one.  Nothing in a session is changed, and no call is made on its device.
 *
 * Return: 0 or -errno.
 */
int mr_sessions_find(uint64_t ns, struct mr_sessions *found, mr_found_region *visit, void *data,
		     struct mr_error *err);
void mr_sessions_release(struct mr_sessions *found);

/** mr_sessions_by_fd() - the session of which @fd is the descriptor; or NULL */
struct mr_found_session *mr_sessions_by_fd(const struct mr_sessions *found, int fd);

/**
 * mr_session_end() - end a session that only its detached holder holds
 * @ns: how long to wait for its end, in nanoseconds
 *
 * The signal is sent by a pidfd, so that it does not hit another process that gets the holder's number meanwhile.
 *
 * Return: 0 where it has ended; -EBUSY where others hold it, -ETIMEDOUT, or another -errno.
 */
int mr_session_end(const struct mr_found_session *session, uint64_t ns, struct mr_error *err);

/*
 * Objects of libibverbs for a session: its device, its PDs and, for a private session, its regions.
 *
 * A process that runs many commands on a session imports the device once, and keeps it here.
 *
 * A private session is that of a batch outside of a session: on a device that this process has opened,
 * with a table that no other process has.  The struct ibv_mr of each of its regions is kept as well, as a
 * region must be changed and deregistered by the one that registered it.
 */

/** Memory, dma-buf and DMA handle below regions of a private session.  It stays as long as one of them exists. */
struct mr_backing {
	struct mr_memory memory;
	struct mr_dmabuf dmabuf;
	struct mr_dmah dmah; /**< DMA handle, or none */
	uint64_t users; /**< regions on it; and whoever has made it, until mr_backing_hand_over() */
};

/** mr_backing_new() - an empty backing, whose only user is the caller.  Return: NULL where memory is short. */
struct mr_backing *mr_backing_new(void);

/**
 * mr_backing_hand_over() - leave @memory and @dmabuf to the regions on them
 * @backing: the caller no longer uses it; NULL: no region stays on them, so they are unmapped and closed
 * @dmabuf:  or NULL
 */
void mr_backing_hand_over(struct mr_backing *backing, struct mr_memory *memory,
			  struct mr_dmabuf *dmabuf);

/** mr_backing_keep_dmah() - leave a DMA handle to the regions that use it; @dmah: becomes none */
void mr_backing_keep_dmah(struct mr_backing *backing, struct mr_session *session,
			  struct mr_dmah *dmah);

/** A region of a private session. */
struct mr_held {
	struct mr_region region;
	struct mr_backing *backing; /**< or NULL */
	bool broken; /**< ibv_rereg_mr(3) has left it unusable, and no later change has mended that */
};

struct mr_session_library {
	struct mr_device device;          /**< without PD; not open before the first use */
	struct ibv_pd *pds[MR_TABLE_PDS]; /**< by their slot in the table, or NULL */
	struct mr_held *held;             /**< of a private session, by slot */
	uint32_t capacity;                /**< slots that @held has room for */
};

/** mr_session_keep_library() - keep the device and the PDs that are imported from here on.  Return: 0 or -errno. */
int mr_session_keep_library(struct mr_session *session, struct mr_error *err);

/**
 * mr_session_device() - get the session's device and a protection domain of it, for calls of libibverbs
 * @pd_slot, @pd_handle: of the protection domain; MR_NO_HANDLE: none is wanted
 * @device:              set on success; mr_session_release_device() it
 *
 * They are imported, unless the session keeps them already.
 *
 * Return: as mr_device_import().
 */
int mr_session_device(struct mr_session *session, uint32_t pd_slot, uint32_t pd_handle,
		      struct mr_device *device, struct mr_error *err);

/** mr_session_release_device() - close it, unless the session keeps it */
void mr_session_release_device(const struct mr_session *session, struct mr_device *device);

/** mr_session_held() - what is kept of the region in that slot; NULL where the session is not private */
struct mr_held *mr_session_held(const struct mr_session *session, uint32_t slot);

/** mr_session_via() - the path by which this process deregisters a region */
enum mr_via mr_session_via(const struct mr_session *session, uint32_t slot);

/** mr_session_close_library() - close the device and all that was kept */
void mr_session_close_library(struct mr_session *session);

/** mr_held_move() - a region is on other memory now; @backing: or NULL */
void mr_held_move(struct mr_held *held, struct mr_backing *backing);

/**
 * mr_registrant_needed() - whether the entry's region reaches nothing without the process that registered it
 *
 * The access flags of the entry do not show that.  Where they alone were changed, pages that were pinned stay
 * pinned (mlx5_ib_rereg_user_mr() and rxe_rereg_user_mr() keep the umem).
 */
bool mr_registrant_needed(const struct mr_entry *entry);

/**
 * mr_registrant_start() - the start of a process as an entry keeps it
 * @ticks: of mr_process_life()
 *
 * Return: the low 32 bits, or 1 where these are 0.  They come again after 497 days.
 */
uint32_t mr_registrant_start(uint64_t ticks);

/**
 * mr_registrant_note() - note in @entry that this process has registered the region, or given it new memory
 *
 * Nothing is noted of a region that does not need its process.  The start is 0 where this process is in another
 * PID namespace than that in which the session was opened.
 */
void mr_registrant_note(struct mr_session *session, struct mr_entry *entry);

/**
 * mr_registrant_lives() - whether the process that registered the entry's region still exists
 *
 * Return: MR_UNKNOWN where it cannot be seen: it or this process is of another PID namespace than that
 * in which the session was opened, or it is hidden (hidepid, proc(5)).
 */
enum mr_tristate mr_registrant_lives(struct mr_session *session, const struct mr_entry *entry);

/** A set of handles; all zeros: it is empty.  mr_handle_set_release() makes it empty again. */
struct mr_handle_set {
	uint64_t *words; /**< a bit for each handle */
	uint32_t count;
};
void mr_handle_set_release(struct mr_handle_set *set);

/**
 * mr_session_has_umem() - whether the kernel has a umem with that handle
 *
 * INFO_HANDLES lists the newest MR_UVERBS_INFO_MAX umems.  Where there may be more, a handle that
 * is neither free nor an MR's is taken for a umem's.  This does no harm: the kernel refuses to deregister an
 * object of another type as a umem.
 *
 * Return: 1, 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_session_has_umem(struct mr_session *session, uint32_t handle, struct mr_error *err);

/**
 * mr_session_is_revoked() - whether the entry's region is one of Data Direct that was revoked since
 *
 * Return: MR_NO also where the binding at registration is not known, and there is a function now; MR_UNKNOWN where
 * that of today cannot be found out.
 */
enum mr_tristate mr_session_is_revoked(const struct mr_session *session,
				       const struct mr_entry *entry);

/**
 * mr_entry_fill() - fill in what is known of a region once it is registered
 * @entry: has its call, name, memory, memory_of, page_shift and PD already
 */
void mr_entry_fill(struct mr_entry *entry, const struct mr_region_request *request,
		   const struct mr_region *region, enum mr_via via);

/**
 * mr_session_register() - register a region that stays
 * @registrar: path and PD
 * @request:   what to register
 * @entry:     what the table is to note: name, memory, memory_of (a GPU or not), page_shift, pd; the rest is
 *             set
 *
 * The entry is PENDING in the table before the kernel is asked, and LIVE afterwards.
 *
 * Return: 0; -errno with MR_ERROR_REFUSED where the stack refuses; or another -errno, as of mr_table_add().
 */
int mr_session_register(struct mr_session *session, const struct mr_registrar *registrar,
			const struct mr_region_request *request, struct mr_entry *entry,
			struct mr_error *err);

/**
 * mr_session_deregister() - ask the kernel to destroy an entry's region (mr_uverbs_destroy())
 * @slot:  its slot in the table
 * @id:    its id; another entry in that slot is left alone
 * @only_deferred: MR_ERROR_ABSENT where it is no relaxed region that is deferred
 * @entry: set to a copy of the entry, once it is claimed
 * @ns:    set to the nanoseconds that the kernel took; or NULL
 *
 * The kernel reuses handles: before an MR is destroyed by its handle, the kernel is asked whether
 * it is still the entry's region.  For a umem it reports only that the handle is a umem's.
 *
 * Return: 0; 1 with @err where the region is destroyed, but its entry stays, or the memory on the device
 * below it; or -errno: MR_ERROR_REFUSED where the kernel refuses, and the region is still there;
 * MR_ERROR_ABSENT where it had gone before, and the entry is removed.
 */
int mr_session_deregister(struct mr_session *session, uint32_t slot, uint64_t id,
			  bool only_deferred, struct mr_entry *entry, uint64_t *ns,
			  struct mr_error *err);

/**
 * mr_session_pd() - find a protection domain by its name, and use it
 * @made:    NULL: there has to be one of that name; else one is allocated (ALLOC_PD) where there is none, and this set
 * @pd_slot: set to its slot in the table
 * @pd:      set to a copy
 *
 * No other process deallocates it until mr_table_unlock_pd().
 *
 * Return: 0, -ENOENT with MR_ERROR_ABSENT where there is none, or another -errno.
 */
int mr_session_pd(struct mr_session *session, const char *name, bool *made, uint32_t *pd_slot,
		  struct mr_table_pd *pd, struct mr_error *err);

/**
 * mr_session_recover_pds() - remove PDs that a process was deallocating when it was killed, and the kernel has no more
 * Return: 0, or -errno where the table cannot be locked.
 */
int mr_session_recover_pds(struct mr_session *session, struct mr_error *err);

/**
 * mr_session_dealloc_pd() - deallocate a PD
 * Return: 0; -EBUSY where something is in it, or another process uses it; or another -errno.
 */
int mr_session_dealloc_pd(struct mr_session *session, const char *name, struct mr_error *err);

/** The state of a region, by the table and the kernel. */
enum mr_session_state {
	MR_STATE_LIVE,
	MR_STATE_PENDING,  /**< another process is registering, changing or deregistering it */
	MR_STATE_IN_DOUBT, /**< a process was killed while it did so */
	MR_STATE_DEFERRED, /**< relaxed and deregistered; it exists until it is invalidated */
	MR_STATE_SUSPECT,  /**< the kernel has it, and has refused to change it */
	MR_STATE_BROKEN,   /**< of a private session: ibv_rereg_mr(3) has left it unusable */
	MR_STATE_GONE,     /**< the kernel has no such region (any more) */
	MR_STATE_UNKNOWN,  /**< the kernel cannot be asked; EIO: the device has gone */
};

/** A region by the table and the kernel. */
struct mr_session_region {
	struct mr_entry entry; /**< a copy of what the table says */
	enum mr_session_state state;
	/**
	 * The kernel's answer about an MR that is LIVE, DEFERRED, SUSPECT or IN_DOUBT; its handle is MR_NO_HANDLE
	 * where the kernel was not asked.  An entry in doubt that was never registered has no handle to ask for.
	 */
	struct mr_uverbs_mr kernel;
};

/**
 * mr_session_compare() - under the lock: compare an entry with the kernel
 * @fresh:  ask the kernel anew, as the region is about to be destroyed or changed; else a umem that it
 *          listed before is taken to exist still
 * @region: its entry is that of the slot; what the kernel says is set
 * @err:    set where the kernel cannot be asked: why
 *
 * A region is GONE only where the kernel says so.  A call that fails for another reason says nothing of it.
 */
enum mr_session_state mr_session_compare(struct mr_session *session, uint32_t slot, bool fresh,
					 struct mr_session_region *region, struct mr_error *err);

/**
 * mr_session_query() - get an entry, and compare it with the kernel (QUERY_MR; for umems INFO_HANDLES)
 * @region: set where there is an entry
 * @err:    also set where the state is UNKNOWN: why
 *
 * Return: 1; 0 where there is no entry in that slot; or -errno.
 */
int mr_session_query(struct mr_session *session, uint32_t slot, struct mr_session_region *region,
		     struct mr_error *err);

/**
 * mr_session_query_next() - mr_session_query() of the next entries, under one lock for all of them
 * @slot:    the first slot to look at; set to the one behind the last that was looked at
 * @regions: set for the entries that are found
 * @room:    how many regions there may be
 * @err:     also set where the state of the last one is UNKNOWN: why.  Only the last one can be.
 *
 * Return: how many were found; 0 where there are no more entries; or -errno.
 */
int mr_session_query_next(struct mr_session *session, uint32_t *slot,
			  struct mr_session_region *regions, int room, struct mr_error *err);

/**
 * mr_session_claim() - under the table's lock: keep other processes off an entry
 * @slot:   its slot in the table
 * @id:     its id; another entry in that slot is left alone
 * @region: set; where the entry is claimed its state is LIVE, DEFERRED, BROKEN, IN_DOUBT, SUSPECT, GONE, or
 *          UNKNOWN where the device has gone
 * @err:    also set where the state is UNKNOWN: why
 *
 * mr_session_unclaim() gives the claim up.
 *
 * Return: 0, or -errno where there is no such entry, another process has claimed it, or the kernel cannot be
 * asked.
 */
int mr_session_claim(struct mr_session *session, uint32_t slot, uint64_t id,
		     struct mr_session_region *region, struct mr_error *err);

/** mr_session_unclaim() - give up the claim, and the table's lock where it is held */
void mr_session_unclaim(struct mr_session *session, uint32_t slot);

/** mr_session_fail_gone() - the error for an entry whose region the kernel does not have.  Return: -ENOENT. */
int mr_session_fail_gone(const struct mr_entry *entry, struct mr_error *err);

/**
 * mr_session_find_object() - ask the kernel for an object
 * @mr: set to what the kernel says; of a umem or DM only to the handle
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is none of that kind.
 */
int mr_session_find_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			   struct mr_uverbs_mr *mr, struct mr_error *err);

/**
 * mr_session_blame_object() - find out whether the kernel has refused a call because there is no such object
 * @err: the refusal; where there is no such object it becomes MR_ERROR_ABSENT, and its message says so
 *
 * Return: -errno of the refusal.
 */
int mr_session_blame_object(struct mr_session *session, enum mr_region_kind kind, uint32_t handle,
			    struct mr_error *err);

/**
 * mr_session_count_uars() - count the UARs that other processes have in the session, or have left behind
 *
 * A command that works through the library has one while it runs.  The UAR stays where the command is
 * killed, or where the kernel refuses to free it, which libmlx5 does not report.
 *
 * Return: 0, or -errno with MR_ERROR_REFUSED.
 */
int mr_session_count_uars(const struct mr_session *session, uint32_t *count, struct mr_error *err);

/** The object that a REGION names. */
enum mr_operand_type {
	MR_OPERAND_ENTRY,  /**< a region that has an entry in the table */
	MR_OPERAND_OBJECT, /**< an object by its handle, which no entry names: it may not exist */
	MR_OPERAND_PD,     /**< a protection domain */
};

struct mr_operand {
	enum mr_operand_type type;
	enum mr_region_kind kind;  /**< of OBJECT */
	enum mr_table_index index; /**< what @number is, or MR_BY_NAME */
	uint64_t number;           /**< id, key or handle; of OBJECT its handle */
	const char *name;          /**< of a region or PD, where it was named so */
	uint32_t slot;             /**< of ENTRY */
	struct mr_entry entry;     /**< of ENTRY: a copy; else its id is 0 */
};

/**
 * mr_operand_parse() - read a REGION, and look nothing up
 * Return: 0, or -errno with MR_ERROR_USAGE.
 */
int mr_operand_parse(const char *text, struct mr_operand *operand, struct mr_error *err);

/**
 * mr_operand_find() - find what @text names
 * @text: an id, a name, lkey:0x…, rkey:0x…, mr:HANDLE, umem:HANDLE, dm:HANDLE or pd:NAME
 *
 * It takes the table's lock for a moment.  The table is not scanned: it has an index for each of these.
 *
 * Return: 0, or -errno: MR_ERROR_USAGE for a malformed text, MR_ERROR_ABSENT where no entry has that id, name
 * or key.
 */
int mr_operand_find(struct mr_session *session, const char *text, struct mr_operand *operand,
		    struct mr_error *err);

/**
 * Called for an object that was deregistered, or could not be.
 * @err: NULL, or why the object still exists
 */
typedef void mr_unlisted_gone(void *data, enum mr_region_kind kind,
			      const struct mr_uverbs_mr *object, struct mr_error *err);

/** How many of the objects are left alone, and why. */
struct mr_unlisted_left {
	uint64_t busy;        /**< another process is registering: they may be its own */
	uint64_t interrupted; /**< a signal has come (mr_interrupted()) */
};

/**
 * mr_session_deregister_unlisted() - deregister regions, umems and memory on the device that no entry names
 * @call: called for each that was deregistered, or could not be
 * @left: set
 *
 * Commands that were killed have left these objects, or other programs in the session have made them.  The object
 * of a command that is running, and has yet to note it, is left alone.
 *
 * Return: 0, or -errno where the kernel or the table cannot be asked: some objects may be left then.
 */
int mr_session_deregister_unlisted(struct mr_session *session, mr_unlisted_gone *call, void *data,
				   struct mr_unlisted_left *left, struct mr_error *err);

/** Called with a region that no entry names; of a umem or DM only the handle is known. */
typedef void mr_unlisted(void *data, enum mr_region_kind kind, const struct mr_uverbs_mr *region);

/**
 * mr_session_each_unlisted() - call @call for each region, umem and DM that no entry names
 * @listed: MRs that the kernel has and entries name, as was found out just before; the kernel is not asked for them
 *          again
 *
 * INFO_HANDLES lists at most MR_UVERBS_INFO_MAX handles.  Where there may be more MRs, all numbers are tried
 * one by one.  This is not possible for umems: where there may be more of these, the call ends with -EOVERFLOW.
 *
 * Return: 0 or -errno.
 */
int mr_session_each_unlisted(struct mr_session *session, const struct mr_handle_set *listed,
			     mr_unlisted *call, void *data, struct mr_error *err);

/** mr_session_note_listed() - add a region to @listed, where it is an MR that the kernel has.  Return: 0 or -ENOMEM. */
int mr_session_note_listed(struct mr_handle_set *listed, const struct mr_session_region *region,
			   struct mr_error *err);

/*
 * Relaxed regions, by the contract of Solaris' ibv_reg_mr_relaxed(3).  Such a region reaches to the
 * boundaries of its pages.  Deregistering it only marks it; marked regions are invalidated later, many at
 * once.
 *
 * All processes of a session share one pool of relaxed regions, which is in the session's table.  A marked
 * region is never given to a later registration.  It stays reachable by its keys, and its pages pinned,
 * until one of these comes:
 *  - its time is over, and a command that writes to the session calls mr_relaxed_expire();
 *  - as many are marked as the watermark of the pool says;
 *  - the pool is full, and another one is to be registered;
 *  - mr_flush_relaxed_mr();
 *  - the end of the session.
 */

/** How long a marked region is left alone by default, in nanoseconds. */
#define MR_RELAXED_DEFER_NS UINT64_C(1000000000)

/**
 * mr_reg_mr_relaxed() - register a relaxed region that stays: mr_session_register() of whole pages
 * @request: of call MR_REG_MR_RELAXED, with the page_size of the memory
 *
 * Return: as mr_session_register(); -EAGAIN with MR_ERROR_RELAXED where the pool is full, and no
 * marked region could be invalidated.
 */
int mr_reg_mr_relaxed(struct mr_session *session, const struct mr_registrar *registrar,
		      const struct mr_region_request *request, struct mr_entry *entry,
		      struct mr_error *err);

/**
 * mr_dereg_mr_relaxed() - mark a relaxed region
 * @slot:     its slot in the table
 * @id:       its id; another entry in that slot is left alone
 * @defer_ns: nanoseconds from now until its age alone invalidates it
 * @deferred: set on success: false where it is invalid already, as it was the one that reached the watermark
 *
 * Return: 0, or -errno: -EALREADY with MR_ERROR_RELAXED for one that is marked, MR_ERROR_ABSENT for one
 * that had gone.
 */
int mr_dereg_mr_relaxed(struct mr_session *session, uint32_t slot, uint64_t id, uint64_t defer_ns,
			bool *deferred, struct mr_error *err);

/**
 * Called for each region that was invalidated, or could not be.
 * @entry: the region; NULL where @err is not about one
 * @ns:    nanoseconds that the kernel took
 * @err:   NULL, or why the region still exists
 */
typedef void mr_flushed(void *data, const struct mr_entry *entry, uint64_t ns,
			struct mr_error *err);

/** Instead of the slot of a PD: all PDs. */
#define MR_ALL_PDS UINT32_MAX

/**
 * mr_flush_relaxed_mr() - invalidate the regions of a PD that are marked
 * @pd:   slot of the PD in the table, or MR_ALL_PDS
 * @call: called for each; or NULL
 * @left: set to how many stay marked because a signal has come (mr_interrupted())
 *
 * It waits for regions that other processes are invalidating.  A region that cannot be invalidated stays
 * marked.
 *
 * Return: 0, or -errno of the first failure: -EINTR where a signal has come and regions are left.  @call is
 * called once for all that are left.
 */
int mr_flush_relaxed_mr(struct mr_session *session, uint32_t pd, mr_flushed *call, void *data,
			uint64_t *left, struct mr_error *err);

/**
 * mr_relaxed_expire() - invalidate the marked regions whose time is over
 *
 * A region that cannot be invalidated stays marked, and mr_relaxed_overdue() counts it.
 */
void mr_relaxed_expire(struct mr_session *session);

/**
 * mr_relaxed_overdue() - count marked regions that could not be invalidated, by this process or others
 * @first: set to one of them where there are any
 *
 * Return: how many there are.
 */
uint32_t mr_relaxed_overdue(struct mr_session *session, struct mr_entry *first);

/** A change of a region. */
struct mr_session_rereg {
	uint32_t slot; /**< its slot in the table; MR_NO_SLOT for one that no entry names */
	struct mr_registrar registrar; /**< path and PD; by MR_VIA_LIBRARY it is imported */
	/** The change; its length and IOVA matter even if they do not change. */
	struct mr_rereg_request request;
	/** The known properties of the region; keys, length and IOVA are the kernel's. */
	struct mr_entry before;
	/**
	 * In: @before, with what the kernel does not know of the changed region: memory, page_shift, pd, call.
	 * Out: the region, also where the call fails.
	 */
	struct mr_entry after;
	struct mr_rereg_failure failure; /**< set */
};

/**
 * mr_session_begin_rereg() - claim a region, so that it can be changed
 * @job: its slot is known; @before is set.  Where no entry names the region, the caller puts its handle into that,
 *       and facts that the kernel does not report become doubtful
 * @id:  another entry in that slot is left alone
 *
 * No other process can claim it until mr_session_rereg(), mr_session_unclaim() or the end of this process.
 *
 * Return: 0, or -errno: MR_ERROR_ABSENT where there is no such region (any more).
 */
int mr_session_begin_rereg(struct mr_session *session, struct mr_session_rereg *job, uint64_t id,
			   struct mr_error *err);

/**
 * mr_session_rereg() - change a region that is claimed, and note that in the table
 *
 * The entry is IN_DOUBT before the kernel is asked.  After a refusal that leaves open whether the region is as it
 * was, the region is suspect until a change of the same kind succeeds.
 *
 * Return: 0, or -errno: MR_ERROR_REFUSED when the stack refuses.
 */
int mr_session_rereg(struct mr_session *session, struct mr_session_rereg *job,
		     struct mr_error *err);

#endif
