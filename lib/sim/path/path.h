/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the data path: work requests of QPs, which a thread of the process executes. */
#ifndef LIB_SIM_PATH_PATH_H
#define LIB_SIM_PATH_PATH_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/sim/state/state.h"

#define SIM_PATH_SGES   64
#define SIM_PATH_INLINE 1024 /* bytes */

/* GUIDs of the nodes, locally administered; that of the port is one more, and its GID has this prefix */
#define SIM_MLX5_GUID  UINT64_C(0x020000fffe6d7263)
#define SIM_RXE_GUID   UINT64_C(0x020000fffe727865)
#define SIM_GID_PREFIX (UINT64_C(0xfe80) << 48)

struct sim_sge {
	uint64_t addr;
	uint32_t length;
	uint32_t key;
};

enum sim_op {
	SIM_OP_NOP,
	SIM_OP_SEND,
	SIM_OP_WRITE,
	SIM_OP_READ,
	SIM_OP_COMPARE_SWAP,
	SIM_OP_FETCH_ADD,
	SIM_OP_BIND,
	SIM_OP_UNKNOWN,
};

/** A work request, whatever the format of the device is. */
struct sim_work {
	enum sim_op op;
	uint8_t opcode; /**< of the device, for the completion */
	uint64_t id;    /**< rxe: wr_id */
	bool signalled;
	bool solicited;
	bool has_imm;
	bool has_grh;               /**< a datagram has a global route */
	uint32_t imm;               /**< big-endian */
	uint32_t destination, qkey; /**< of a datagram */
	uint32_t rkey;
	uint64_t remote;           /**< address for @rkey */
	uint64_t operand, compare; /**< what an atomic operation swaps or adds, and compares */
	uint32_t blocks;           /**< by which the index of the queue advances */
	uint32_t index;            /**< receive: for the completion */
	uint32_t next;             /**< receive from an SRQ of mlx5: entry of the next one */
	struct sim_bind {
		uint32_t old_key, new_key, mr_key, access;
		uint64_t addr, length;
	} bind;
	uint32_t inline_length;
	uint32_t sges; /**< number of elements of @sge */

	/* The rest stays as it is when a request is cleared. */
	struct sim_sge sge[SIM_PATH_SGES];
	uint8_t inline_data[SIM_PATH_INLINE];
};

/** sim_work_clear() - begin with an unknown request of one block, without data */
static inline void sim_work_clear(struct sim_work *work)
{
	memset(work, 0, offsetof(struct sim_work, sge));
	work->op = SIM_OP_UNKNOWN;
	work->blocks = 1;
}

/** The meaning of an opcode of a device. */
struct sim_opcode {
	uint32_t number;
	enum sim_op op;
	bool has_imm;
};

/** sim_work_set_opcode() - set the opcode, and its meaning unless that is unknown */
static inline void sim_work_set_opcode(struct sim_work *work, uint32_t number,
				       const struct sim_opcode *opcodes, size_t count)
{
	work->opcode = (uint8_t)number;
	for (size_t i = 0; i < count; i++)
		if (opcodes[i].number == number) {
			work->op = opcodes[i].op;
			work->has_imm = opcodes[i].has_imm;
		}
}

struct sim_completion {
	enum ibv_wc_status status;
	bool is_receive;
	enum sim_op op; /**< of the sender */
	uint8_t opcode; /**< of struct sim_work */
	bool solicited;
	bool has_imm;
	bool has_grh;
	uint32_t imm;
	uint32_t source; /**< QPN of the sender */
	uint32_t length;
	uint32_t index; /**< of the work request in its queue */
	uint64_t id;    /**< of struct sim_work */
};

/** A kind of device: the formats of its queues.  The table is locked. */
struct sim_path_device {
	uint32_t
		null_key; /**< key of memory that discards writes and reads as zeros; 0: there is none */

	/** A request whose QP failed before the answer counts as flushed, and since SIM_RXE_FLUSH one that fails on
	 * its own side, too. */
	bool flushes_failed;
	enum ibv_wc_status bad_receive;   /**< of all receive requests that fail; 0: each its own */
	uint64_t guid;                    /**< of the port */
	uint32_t mtu;                     /**< bytes of a datagram */
	enum ibv_wc_status long_datagram; /**< of a datagram with more bytes, which is not sent */

	/** Reads the next work request of a queue: 1, or 0 without one.  @srq: of the QP, or NULL */
	int (*fetch_send)(const struct sim_table *table, const struct sim_qp *qp,
			  struct sim_work *work);
	int (*fetch_receive)(const struct sim_table *table, const struct sim_qp *qp,
			     const struct sim_srq *srq, struct sim_work *work);

	/** Lets the program use the room of the next work request again, or of all; NULL: it counts completions. */
	void (*free_entries)(const struct sim_table *table, const struct sim_ring *ring, bool all);

	/** Adds a completion to a CQ. */
	void (*complete)(const struct sim_table *table, const struct sim_qp *qp, struct sim_cq *cq,
			 const struct sim_completion *completion);

	/** Whether a CQ that has a channel is to report an event now; disarms the CQ. */
	bool (*is_armed)(struct sim_cq *cq);
};

extern const struct sim_path_device sim_path_mlx5, sim_path_rxe;

/** sim_mlx5_disarm() - have a new CQ report no event before the program arms it */
void sim_mlx5_disarm(struct sim_cq *cq);

/* ---- memory.c ------------------------------------------------------------------------------ */

/** Memory behind a key. */
struct sim_extent {
	enum {
		SIM_EXTENT_OWN, /**< memory of this process at @addr */
		SIM_EXTENT_DEVICE, /**< memory of the device: @addr is bytes from the start of the table's file */
		SIM_EXTENT_NONE, /**< memory that this process cannot reach: reads are zeros, and writes have no effect */
	} kind;
	uint64_t addr;
	uint64_t length;
};

/** sim_own_read(), sim_own_write() - copy memory of this process: false where it is not mapped */
bool sim_own_read(uint64_t addr, void *data, size_t length);
bool sim_own_write(uint64_t addr, const void *data, size_t length);

/**
 * sim_key_access() - find the memory behind a key; the table is locked
 * @pd:     handle of the QP's PD
 * @access: enum ib_uverbs_access_flags that the key must grant; 0: local read
 * @extent: set
 *
 * Return: 0, -EINVAL if the PD has no such key, or -EACCES.
 */
int sim_key_access(const struct sim_table *table, uint32_t pd, const struct sim_sge *range,
		   uint32_t access, struct sim_extent *extent);

/** sim_extent_read(), sim_extent_write() - copy all of an extent */
void sim_extent_read(const struct sim_table *table, const struct sim_extent *extent, void *data);
void sim_extent_write(const struct sim_table *table, const struct sim_extent *extent,
		      const void *data);

/** sim_key_bind() - bind a memory window, or unbind it with length 0: 0, or -EACCES; the table is locked */
int sim_key_bind(struct sim_table *table, uint32_t pd, const struct sim_bind *bind);

/* ---- wire.c -------------------------------------------------------------------------------- */

/** A datagram from one QP to another; its data is in a memfd if it is long. */
struct sim_message {
	uint32_t source, psn;
	uint8_t type; /**< of the QP: enum ib_uverbs_qp_type */
	uint8_t is_answer;
	uint8_t op; /**< enum sim_op */
	uint8_t has_imm;
	uint8_t has_grh;
	uint8_t solicited;
	uint32_t qkey; /**< of a datagram */
	uint32_t imm;
	uint32_t rkey;
	uint32_t status; /**< answer: enum ibv_wc_status */
	uint64_t remote;
	uint64_t length; /**< bytes of data, also of those that are to be read */
	uint64_t operand, compare;
	uint64_t result; /**< answer: what an atomic operation found; RNR: nanoseconds to wait */
	uint32_t has_data;
};

#define SIM_WIRE_BYTES (32u << 10) /* bytes of data in the datagram itself */

/** Data of a message. */
struct sim_payload {
	uint8_t *bytes;
	size_t length;
	int fd; /**< memfd; -1: @bytes are in a buffer of the caller */
};

/** sim_payload_make() - make room for data: false without memory; sim_payload_free() it */
bool sim_payload_make(struct sim_payload *payload, size_t length, uint8_t buffer[SIM_WIRE_BYTES]);
void sim_payload_free(struct sim_payload *payload);

/** sim_wire_open() - make the socket of a QP: a descriptor, or -errno; -EADDRINUSE: another process has such a QP */
int sim_wire_open(const struct sim_table *table, uint32_t qpn);

/** sim_wire_send() - send to a QP: 0 or -errno; -ECONNREFUSED: there is no such QP */
int sim_wire_send(const struct sim_table *table, int socket, uint32_t qpn,
		  const struct sim_message *message, const struct sim_payload *payload);

/** sim_wire_receive() - receive one message and its data, which sim_payload_free() frees: 1, or 0 without one */
int sim_wire_receive(int socket, struct sim_message *message, struct sim_payload *payload,
		     uint8_t buffer[SIM_WIRE_BYTES]);

/* ---- engine.c ------------------------------------------------------------------------------ */

/** sim_path_device_of() - the formats of the queues of a table's device */
const struct sim_path_device *sim_path_device_of(const struct sim_table *table);

/** Room of a thread for data. */
struct sim_path_buffers {
	uint8_t sent[SIM_WIRE_BYTES];
	uint8_t received[SIM_WIRE_BYTES];
};

/** sim_path_step() - execute what a QP of this process has to do now: whether it was anything */
bool sim_path_step(struct sim_table *table, struct sim_queue *queue,
		   struct sim_path_buffers *buffers);

/** sim_path_is_active() - whether a QP of this process needs the thread */
bool sim_path_is_active(const struct sim_table *table, const struct sim_queue *queue);

/* ---- service.c ----------------------------------------------------------------------------- */

/**
 * sim_path_change() - follow the change of a QP's state; the table is locked
 * @queue: the QP, with its new attributes
 *
 * Return: 0, or -errno.
 */
int sim_path_change(struct sim_table *table, struct sim_queue *queue);

/** sim_path_end() - end the data path of a QP that is destroyed or reset; the table is locked */
void sim_path_end(const struct sim_table *table, struct sim_queue *queue);

#endif
