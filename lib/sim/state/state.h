/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the state that the processes of a simulated device share, and that of each of them. */
#ifndef LIB_SIM_STATE_STATE_H
#define LIB_SIM_STATE_STATE_H

#include <errno.h>
#include <pthread.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "lib/simulator/spec.h"

/**
 * The object table of a context: a sealed memfd.  The descriptor of the context that a program has is a
 * descriptor of this memfd.  So objects live exactly as long as the open file: across fork, exec,
 * SCM_RIGHTS and the death of the process that made them.
 */
#define SIM_MAGIC     "mrctl sim table"
#define SIM_VERSION   11
#define SIM_NO_HANDLE UINT32_MAX

/**
 * One object.  Its handle is its index in the table.  @type is stored last when an object is made, and
 * first when it is deleted: an object exists if and only if its @type is not 0.  Members that are "derived" can
 * be computed from the types and from the list of all objects that header->newest and @older form.
 */
struct sim_object {
	uint16_t type;   /**< number of the uverbs object; 0 (UVERBS_OBJECT_DEVICE): none */
	uint16_t flags;  /**< MR: SIM_MR_... */
	uint32_t parent; /**< handle of the object that it keeps busy, or SIM_NO_HANDLE */
	uint32_t users;  /**< number of objects whose parent this one is: derived */
	uint32_t key;    /**< MR: lkey and rkey; umem: its id */
	uint64_t
		addr; /**< MR, umem: start of the memory; MW: IOVA in its MR; DM: number of its first page */
	uint64_t length; /**< MR, umem, DM, MW: bytes; MW: 0: it is not bound */
	uint64_t
		iova; /**< MR, MW: as in the verbs; DM, UAR: random id, by which dma-bufs name it */
	uint32_t mm;  /**< MR, umem: the address space that is charged for @pinned */

	/**
	 * MR: pages that its key can hold; SIM_MR_ODP: the process whose memory it is of; SIM_MR_DM: the DM;
	 * SIM_MR_DM_EXPORT: first page << 16 | count; SIM_MR_DMAH, which never changes its memory: the DMA handle;
	 * CQ, SRQ, QP: number of its struct sim_queue; MW that is bound: the key of the MR
	 */
	union {
		uint32_t key_pages;
		pid_t owner;
		uint32_t dm;
		uint32_t exported_pages;
		uint32_t dmah;
		uint32_t queue;
		uint32_t mr_key;
	};
	uint32_t pinned; /**< MR, umem, CQ, SRQ, QP: pages */
	uint32_t access; /**< MR, umem, MW: enum ib_uverbs_access_flags */
	uint32_t older;  /**< the object made before this one, or SIM_NO_HANDLE */
	uint32_t newer;  /**< the object made after it, or SIM_NO_HANDLE: derived */
};

#define SIM_MR_WRITABLE    1u   /**< its memory is pinned for writing: umem->writable */
#define SIM_MR_ODP         2u   /**< nothing is pinned: umem->is_odp */
#define SIM_MR_DMABUF      4u   /**< of a dma-buf: umem->is_dmabuf */
#define SIM_MR_DATA_DIRECT 8u   /**< through the Data Direct device: mr->data_direct */
#define SIM_MR_DM          16u  /**< of a DM: mr->dm */
#define SIM_MR_DM_EXPORT   32u  /**< of a dma-buf that was exported from a DM */
#define SIM_MR_DMAH        64u  /**< with a DMA handle: mr->dmah */
#define SIM_MR_HIDES_RANGE 128u /**< QUERY_MR answers zeros for length and IOVA */

#define SIM_FREED_KEYS     1024
#define SIM_QUEUES         8192 /* CQs, SRQs and QPs of a table */

/** Start of the file.  A zero bit is a free handle, so that new pages of the file need no preparation. */
struct sim_header {
	char magic[16];
	uint32_t version;
	uint32_t kind;        /**< of its device: enum mr_sim_profile */
	uint32_t kernel;      /**< enum mr_sim_kernel */
	uint64_t id;          /**< random */
	pthread_mutex_t lock; /**< robust and shared between processes: guards all below */
	uint64_t guard;       /**< ~id, unless the lock was overwritten */
	uint32_t capacity;    /**< number of objects that the file has room for */
	bool damaged;         /**< a holder of @lock was killed: what is derived may be wrong */
	bool has_context;     /**< GET_CONTEXT has succeeded */
	bool has_devx;        /**< GET_CONTEXT asked for DEVX */
	uint8_t cqe_version;  /**< mlx5: the one that GET_CONTEXT agreed on */
	uint8_t next_key;     /**< rxe: low 8 bits of the next key */
	uint32_t taken;       /**< number of handles that are taken: derived */
	uint32_t max_objects; /**< limit of @taken, as of an rdma cgroup */
	uint32_t key_index;   /**< index of the last key that was new */
	bool keys_went_round; /**< indexes of keys have begun anew: some may be taken */
	uint32_t freed_count; /**< elements of @freed_keys */
	uint32_t freed_keys
		[SIM_FREED_KEYS]; /**< keys to use again, the last one first; 0: was used */
	uint32_t umem_id;         /**< mlx5: id of the last umem */
	uint32_t newest;          /**< the object made last, or SIM_NO_HANDLE */
	uint32_t changing; /**< object that is being overwritten by @change, or SIM_NO_HANDLE */
	struct sim_object change;
	bool has_queues;                       /**< a record of a queue was made */
	uint64_t rings_size;                   /**< bytes of all rings that were allocated */
	uint64_t used_queues[SIM_QUEUES / 64]; /**< bit i: record i has an object: derived */
	uint64_t full3;                        /**< bit i: full2[i] has no zero bit */
	uint64_t full2[64]; /**< bit j of word i: full1[64 i + j] has no zero bit; and so on */
	uint64_t full1[64 * 64];
	uint64_t used[64 * 64 * 64]; /**< bit j of word i: handle 64 i + j is taken */
};

/** Where the memory of the device is in the file: between the header and the objects. */
#define SIM_ALIGNMENT 0x10000 /* a multiple of every page size */
#define SIM_DM_START                                                                               \
	((sizeof(struct sim_header) + SIM_ALIGNMENT - 1) / SIM_ALIGNMENT * SIM_ALIGNMENT)
#define SIM_DM_SIZE (256u << 10)

/** Where the records of queues are: behind the memory of the device. */
#define SIM_QUEUES_START (SIM_DM_START + SIM_DM_SIZE)
#define SIM_QUEUE_SIZE   512u /* bytes of a record */

/** Where the objects are: behind the records; and the rings that programs map: behind the last object. */
#define SIM_OBJECTS_START (SIM_QUEUES_START + SIM_QUEUES * SIM_QUEUE_SIZE)
#define SIM_MAX_OBJECTS   (64u * 64 * 64 * 64) /* as many as the bitmaps have bits */
#define SIM_RINGS_START   (SIM_OBJECTS_START + SIM_MAX_OBJECTS * sizeof(struct sim_object))

/** A table as it is mapped in this process. */
struct sim_table {
	struct sim_header *header;
	struct sim_object *objects; /**< valid while the table is locked */
	uint32_t mapped;            /**< number of elements of @objects */
	struct sim_queue *queues;   /**< SIM_QUEUES records; NULL while the table has had none */
	enum mr_sim_profile kind;   /**< of its device */
	enum mr_sim_kernel kernel;
	int fd; /**< a descriptor of its file */
};

/**
 * sim_table_create() - make an empty table
 * @kind:    of its device
 * @cloexec: whether exec closes the descriptor
 *
 * Return: a descriptor of its file for the program, which can only read; or -ENOMEM, -EMFILE, -ENFILE.
 */
int sim_table_create(enum mr_sim_profile kind, bool cloexec);

/** sim_reopen() - open the file of a descriptor once more, with flags of open(2): a descriptor, or -errno */
int sim_reopen(int fd, int flags);

/** sim_table_mmap() - mmap(2) of a part of a table's file, which a descriptor that only reads is of */
void *sim_table_mmap(int fd, void *addr, size_t length, int prot, int flags, off_t start);

/** sim_table_map_part() - map a part of a table's file, shared: 0 or -errno */
int sim_table_map_part(int fd, size_t start, size_t length, void **address);

/**
 * sim_table_allocate() - have the pages of a part of the file allocated
 * @start:  bytes from the start of the file
 * @length: bytes
 *
 * Return: 0, -ENOMEM, or -errno of sim_reopen().
 */
int sim_table_allocate(int fd, off_t start, size_t length);

/**
 * sim_table_probe() - recognize the descriptor of a table by its seals and first bytes
 * @kind: set to the kind of its device, or to MR_SIM_PROFILES if it is no table
 *
 * Return: 0, or -errno if the descriptor cannot be examined.
 */
int sim_table_probe(int fd, enum mr_sim_profile *kind);

/**
 * sim_table_map() - map the header of a table; sim_table_unmap() it
 * @table: set; its objects are mapped by sim_table_lock()
 *
 * Return: 0, -EBADF if @fd is no table, or -errno.
 */
int sim_table_map(struct sim_table *table, int fd);
void sim_table_unmap(struct sim_table *table);

/**
 * sim_object_find() - look an object up by its handle
 * @type:   number of the uverbs object
 * @handle: any number from user space
 * @object: set to the object, also if it has another type
 *
 * Return: 0, -ENOENT for a handle that is free, -EINVAL for an object of another type.
 */
static inline int sim_object_find(const struct sim_table *table, uint32_t type, uint64_t handle,
				  struct sim_object **object)
{
	if (handle >= table->mapped || !table->objects[handle].type)
		return -ENOENT;
	*object = &table->objects[handle];
	return (*object)->type == type ? 0 : -EINVAL;
}

/** sim_object_handle() - the handle of an object: its index in the table */
static inline uint32_t sim_object_handle(const struct sim_table *table,
					 const struct sim_object *object)
{
	return (uint32_t)(object - table->objects);
}

/** sim_object_newest() - the object made last, or NULL; sim_object_older() leads to all others */
static inline const struct sim_object *sim_object_newest(const struct sim_table *table)
{
	return table->header->newest == SIM_NO_HANDLE ? NULL
						      : &table->objects[table->header->newest];
}

/** sim_object_older() - the object made before this one, or NULL */
static inline const struct sim_object *sim_object_older(const struct sim_table *table,
							const struct sim_object *object)
{
	return object->older == SIM_NO_HANDLE ? NULL : &table->objects[object->older];
}

/** sim_object_has_room() - whether the limit of objects allows one more */
bool sim_object_has_room(const struct sim_table *table);

/**
 * sim_object_reserve() - reserve the lowest free handle for a new object
 * @object: set to the object, empty; the next reservation may move it
 *
 * Follow with sim_object_commit() or sim_object_cancel() before unlocking: until then no object has the
 * handle, and a repair of the table frees it.
 *
 * Return: 0, -ENOMEM, or -EAGAIN: the limit is reached (rdmacg_try_charge()).
 */
int sim_object_reserve(struct sim_table *table, uint32_t *handle, struct sim_object **object);

/** sim_object_commit() - make a reserved object exist; from now on it keeps its @parent busy */
void sim_object_commit(struct sim_table *table, uint32_t handle, uint32_t type);

/** sim_object_cancel() - free a reserved handle */
void sim_object_cancel(struct sim_table *table, uint32_t handle);

/**
 * sim_object_change() - give an object other contents: all of them or, if the caller is killed, none
 * @contents: copied but for type, users and the links of the list
 */
void sim_object_change(struct sim_table *table, uint32_t handle, const struct sim_object *contents);

/** sim_object_renew() - make an object the newest of the list */
void sim_object_renew(struct sim_table *table, uint32_t handle);

/** sim_object_delete() - free an object and its handle */
void sim_object_delete(struct sim_table *table, uint32_t handle);

/** The variant of keys that the device itself gives out: one that was freed is not used again at once. */
#define SIM_KEY_OF_DEVICE 0x80

/** sim_key_find() - the MR or MW with a key, or NULL */
struct sim_object *sim_key_find(const struct sim_table *table, uint32_t key);

/**
 * sim_key_index() - the next index that no key has: indexes are used in turn
 * @first: the lowest index, not 0
 */
uint32_t sim_key_index(struct sim_table *table, uint32_t first);

/** sim_key_reuse() - take the key of a variant that was freed last, among the SIM_FREED_KEYS last ones; or 0 */
uint32_t sim_key_reuse(struct sim_table *table, uint8_t variant);

/** sim_key_free() - keep a key, which no object has any more, for sim_key_reuse(); not those of SIM_KEY_OF_DEVICE */
void sim_key_free(struct sim_table *table, uint32_t key);

struct sim_file;
struct sim_service;

#define SIM_SHARES 256
#define SIM_SLOTS  256

/** Pages of this address space that are pinned by the objects of one table. */
struct sim_share {
	uint64_t table; /**< id of its header */
	uint64_t pages; /**< 0: the share is unused */
	int fd;         /**< a descriptor by which the table was seen */
};

/**
 * Pages of this address space that are pinned: the kernel's mm->pinned_vm.  A new address space
 * (fork, exec) has none.
 */
struct sim_account {
	uint32_t mm;     /**< random number of this address space in the tables; 0: not yet drawn */
	uint64_t pinned; /**< sum of the shares */
	uint64_t pending; /**< pages charged that no object has yet */
	bool incomplete;  /**< a table got no share, and @pinned lacks its pages */
	ino_t user_ns;    /**< inode of the user namespace; 0: not yet looked up */
	struct sim_share shares[SIM_SHARES];
};

/** A simulated descriptor of this process. */
struct sim_slot {
	int fd;
	dev_t dev; /**< with @ino: the file that fd was of */
	ino_t ino;
	struct sim_file *file; /**< NULL: the slot is empty */
};

/** State of the simulator in this process; all zeros in a new one and in a forked child. */
struct sim_process {
	pthread_mutex_t lock; /**< guards the account and the slots, and is never held long */
	struct sim_account account;
	struct sim_slot slots[SIM_SLOTS];
	uint64_t calls[MR_SIM_CALLS]; /**< how often each was made, if it has faults */
	struct sim_service
		*service; /**< the thread of the data path: lib/sim/path; NULL: there was none */
};

/** sim_process_lock() - lock and return what is remembered for this process; sim_process_unlock() it */
struct sim_process *sim_process_lock(void);
void sim_process_unlock(struct sim_process *process);

/** sim_process_count() - count a call of this process; returns how many there were, with this one */
uint64_t sim_process_count(enum mr_sim_call call);

/** The table behind a simulated descriptor, mapped into this process. */
struct sim_file {
	struct sim_table table;
	uint32_t refs; /**< guarded by the process lock */
};

/**
 * sim_file_get() - find the table behind a descriptor; sim_file_put() it
 * @file: set to it, or to NULL if @fd is not simulated
 *
 * This costs one fstat() if the descriptor is known, and a few system calls more if it is not.
 *
 * Return: 0, or -errno if @fd cannot be examined or its table cannot be mapped.  The caller must then
 * fail, and not carry its call out on the memfd.
 */
int sim_file_get(int fd, struct sim_file **file);
void sim_file_put(struct sim_file *file);

/** sim_file_forget() - forget a descriptor that is about to be closed */
void sim_file_forget(int fd);

/** sim_file_probe() - as sim_table_probe(), but cheaper: @st is what libc's fstat() has stored for @fd */
int sim_file_probe(int fd, const struct stat *st, enum mr_sim_profile *kind);

/**
 * sim_table_lock() - lock the table; all functions of objects need it
 *
 * If the last holder was killed, the table is repaired.  Objects that others have added are mapped.
 *
 * Return: 0, -ENOMEM, -EIO if the table was overwritten, -ETIMEDOUT if another process holds the lock
 * for half a minute.
 */
int sim_table_lock(struct sim_table *table);
void sim_table_unlock(struct sim_table *table);

/** sim_is_capable() - the kernel's capable(): whether this process has a capability (CAP_...) on the machine */
bool sim_is_capable(unsigned int capability);

/**
 * sim_account_charge() - count pages that are about to be pinned; no table may be locked
 * @limit: bytes that this process may have pinned
 *
 * Follow with sim_account_commit() or sim_account_cancel().
 *
 * Return: 0, or -ENOMEM where they would exceed the limit and CAP_IPC_LOCK is missing.
 */
int sim_account_charge(uint64_t pages, rlim_t limit);

/** sim_account_cancel() - uncount pages that were charged, and became those of no object */
void sim_account_cancel(uint64_t pages);

/**
 * sim_account_commit() - make charged pages those of an object
 * @table: locked, has the object
 *
 * Return: the address space that is charged, for @mm of the object.
 */
uint32_t sim_account_commit(const struct sim_table *table, uint64_t pages);

/**
 * sim_account_release() - uncount the pages of an object that is gone
 * @table: locked, had the object
 * @mm:    of the object; pages of another address space are none of this process
 */
void sim_account_release(const struct sim_table *table, uint32_t mm, uint64_t pages);

/** sim_account_pinned() - bytes that this process has pinned by all its simulated devices; no table may be locked */
uint64_t sim_account_pinned(void);

/** The effect of faults on a call. */
struct sim_fault {
	int error;        /**< -errno to answer in place of carrying it out; 0: carry it out */
	int signal_after; /**< signal for the caller when it was carried out; 0: none */
};

/** sim_fault_wanted() - whether MRCTL_SIM_FAULT has a fault for a call */
bool sim_fault_wanted(enum mr_sim_call call);

/**
 * sim_fault_enter() - count a call, and delay, stop or kill the caller if that was asked for
 * @call: MR_SIM_CALLS: a call that has no faults
 *
 * No table may be locked: other processes would wait for one that was stopped.
 *
 * Return: what is left to do; sim_fault_leave() it where @error is 0.
 */
struct sim_fault sim_fault_enter(enum mr_sim_call call);

/** sim_fault_leave() - stop or kill the caller if that was asked for, after the call was carried out */
void sim_fault_leave(const struct sim_fault *fault);

/* ---- records of CQs, SRQs and QPs ---- */

/** Entries of a queue. */
struct sim_ring {
	/** mlx5: address in the memory of the owner; rxe: bytes from the start of the table's file to its struct rxe_queue_buf */
	uint64_t start;
	uint64_t size;  /**< bytes from @start on; 0: there is no such queue */
	uint32_t count; /**< number of entries: a power of 2 */
	uint32_t shift; /**< log2 of the bytes of an entry */
};

/** Completions that a CQ reports by an event in its channel. */
enum sim_cq_notify {
	SIM_CQ_QUIET,
	SIM_CQ_SOLICITED, /**< the next one that is solicited or an error */
	SIM_CQ_NEXT,
};

struct sim_cq {
	struct sim_ring ring;
	uint64_t
		doorbell; /**< mlx5: address of the record with the consumer index and the arming */
	uint64_t user_handle; /**< for events in the channel */
	uint32_t cqe;         /**< greatest number of completions, as answered */
	uint32_t notify;      /**< rxe: enum sim_cq_notify; mlx5 has it in the doorbell record */
	int channel; /**< the owner's descriptor of the channel, which can be written; -1: none */
	uint64_t
		channel_ino; /**< inode of the channel: else the descriptor is of another file now */
	uint32_t comp_events; /**< number of events in the channel */
	uint32_t produced;    /**< number of completions that were added */
	uint32_t solicited;   /**< @produced after the last one that is solicited or an error */
	uint32_t notified;    /**< mlx5: @produced at the last event */
	uint32_t
		reported; /**< mlx5: the arming that was answered by an event; rxe: an event is due */
};

struct sim_srq {
	struct sim_ring ring;
	uint64_t doorbell; /**< mlx5 */
	uint64_t user_handle;
	uint32_t number;   /**< SRQN */
	uint32_t received; /**< number of work requests that are done */
	uint32_t next;     /**< mlx5: entry of the next one */
	struct ib_uverbs_query_srq_resp attr;
};

/** Progress of the data path of an RC QP; all zeros in RESET. */
struct sim_progress {
	int socket;        /**< the owner's descriptor, plus 1; 0: none */
	uint32_t sent;     /**< index of the send queue: work requests before it are done */
	uint32_t received; /**< index of the receive queue */
	uint32_t psn;      /**< of the request at @sent */
	uint32_t expected; /**< PSN of the peer's next request */
	bool is_waiting;   /**< the request at @sent was sent */
	uint8_t retries;   /**< that were used up */
	uint8_t rnr_retries;
	uint64_t due;    /**< time to send it again, in nanoseconds; 0: at once */
	uint64_t result; /**< of the peer's last atomic operation */
};

struct sim_qp {
	struct sim_ring sq, rq; /**< @rq: none with an SRQ */
	uint64_t doorbell;      /**< mlx5: address of the record with the producer indexes */
	uint64_t user_handle;
	uint32_t number; /**< QPN: no other QP of this machine's simulated devices has it */
	uint32_t type;   /**< enum ib_uverbs_qp_type */
	uint32_t send_cq, recv_cq; /**< handles, or SIM_NO_HANDLE */
	uint32_t srq;              /**< handle, or SIM_NO_HANDLE */
	uint32_t user_index;       /**< mlx5: for the CQEs, with CQE version 1 */
	/** State, path, timers, access flags and limits (qp_state: enum ibv_qp_state); sq_sig_all is there, too. */
	struct ib_uverbs_query_qp_resp attr;
	struct sim_progress path;
};

/** The record of a CQ, SRQ or QP; member @queue of its struct sim_object is the number of the record. */
struct sim_queue {
	uint32_t object; /**< handle */
	pid_t owner;     /**< process that made it, whose memory the ring is in */
	uint64_t
		doorbell_page; /**< mlx5: page of the doorbell record; other queues may have theirs in it */
	bool pins_doorbell; /**< the @pinned pages of the object have that page, too */
	union {
		struct sim_cq cq;
		struct sim_srq srq;
		struct sim_qp qp;
		uint8_t room[SIM_QUEUE_SIZE - 24];
	};
};

/** sim_has_queue() - whether an object is of a type that has a record */
static inline bool sim_has_queue(const struct sim_object *object)
{
	return object->type == UVERBS_OBJECT_CQ || object->type == UVERBS_OBJECT_SRQ ||
	       object->type == UVERBS_OBJECT_QP;
}

/** sim_queues_map() - map the records, unless they are: 0 or -errno; sim_table_lock() does */
int sim_queues_map(struct sim_table *table);

/**
 * sim_queue_reserve() - reserve a record for an object that is being made; the table is locked
 * @object: gets the number of the record
 * @queue:  set to the record, with handle and owner and else zeros
 *
 * Call sim_queue_release() if the object is not made after all.  sim_object_delete() does, and frees the rings.
 *
 * Return: 0, or -ENOMEM.
 */
int sim_queue_reserve(struct sim_table *table, struct sim_object *object, struct sim_queue **queue);
void sim_queue_release(struct sim_table *table, const struct sim_object *object);

/** sim_queue_keep() - reserve the record that an object has, while a table is repaired */
void sim_queue_keep(struct sim_table *table, const struct sim_object *object);

/** sim_queue_of() - the record of a CQ, SRQ or QP; the table is locked */
struct sim_queue *sim_queue_of(const struct sim_table *table, const struct sim_object *object);

/** sim_queue_find() - find the record of an object by type and handle: 0, or as sim_object_find(); the table is locked */
int sim_queue_find(const struct sim_table *table, uint32_t type, uint64_t handle,
		   struct sim_queue **queue);

/** sim_queue_next() - the record behind this one, or with NULL the first; NULL: there is none; the table is locked */
struct sim_queue *sim_queue_next(const struct sim_table *table, const struct sim_queue *queue);

/** sim_queue_is_used() - whether QPs use a CQ or SRQ; the table is locked */
bool sim_queue_is_used(const struct sim_table *table, uint32_t handle);

/** sim_doorbell_sharer() - find another queue of a process with the same doorbell page, or NULL; the table is locked */
struct sim_queue *sim_doorbell_sharer(const struct sim_table *table, const struct sim_queue *queue);

/**
 * sim_doorbell_hand_over() - make the doorbell page of a queue that is to be deleted one of another queue's pages
 *
 * Return: pages of the queue's object that are not to be uncounted.
 */
uint32_t sim_doorbell_hand_over(const struct sim_table *table, const struct sim_object *object);

/**
 * sim_ring_allocate() - have the table's file hold a ring that programs map, all zeros
 * @ring: @size bytes; @start is set
 *
 * Return: 0, or as sim_table_allocate().
 */
int sim_ring_allocate(struct sim_table *table, struct sim_ring *ring);

/** sim_ring_free() - give the memory of a ring of the table's file back */
void sim_ring_free(const struct sim_table *table, const struct sim_ring *ring);

/** sim_queue_free_rings() - give the memory of all rings of a record back; rings of programs stay */
void sim_queue_free_rings(const struct sim_table *table, uint16_t type,
			  const struct sim_queue *queue);

/** sim_ring_find() - find the ring of the table's file that starts there, or NULL; the table is locked */
const struct sim_ring *sim_ring_find(const struct sim_table *table, uint64_t start);

/** sim_ring_map() - map a ring of the table's file into this process: NULL if that fails; munmap() it */
void *sim_ring_map(const struct sim_table *table, const struct sim_ring *ring);

/**
 * sim_cq_open_channel() - open the channel of a CQ of this process, not to block
 *
 * An event is a struct ib_uverbs_comp_event_desc with the @user_handle of the CQ.  Count it in @comp_events, with the
 * table locked.
 *
 * Return: a descriptor, or -errno.
 */
int sim_cq_open_channel(const struct sim_cq *cq);

#endif
