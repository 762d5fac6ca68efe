/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the records of CQs, SRQs and QPs, which the processes of a simulated device share. */
#ifndef LIB_SIM_STATE_QUEUES_H
#define LIB_SIM_STATE_QUEUES_H

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/sim/state/state.h"

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
