/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares verification: operations of a queue pair that show what the keys of a region grant, and up to which byte. */
#ifndef LIB_VERIFY_VERIFY_H
#define LIB_VERIFY_VERIFY_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/verbs/verbs.h"

struct ibv_cq;
struct ibv_mr;
struct ibv_qp;

/** Accesses to a region, each by an operation of its own. */
enum mr_data_access {
	MR_DATA_LOCAL_READ,    /**< the region is the source of an RDMA write */
	MR_DATA_LOCAL_WRITE,   /**< it is the target of an RDMA read */
	MR_DATA_REMOTE_READ,   /**< RDMA read through the rkey */
	MR_DATA_REMOTE_WRITE,  /**< RDMA write through the rkey */
	MR_DATA_REMOTE_ATOMIC, /**< fetch and add through the rkey */
	MR_DATA_MW_BIND,       /**< a memory window is bound to the region */
	MR_DATA_ACCESSES,      /**< how many there are */
};

/** Their names. */
extern const struct mr_word mr_data_accesses[MR_DATA_ACCESSES + 1];

/** Flags that grant an access. */
#define MR_DATA_FLAGS                                                                              \
	(MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ |                  \
	 MR_ACCESS_REMOTE_ATOMIC | MR_ACCESS_MW_BIND)

/** mr_data_flag() - the access flag that grants an access; 0 for a local read, which is always granted */
uint32_t mr_data_flag(enum mr_data_access access);

/** Places in a region. */
enum mr_data_place {
	MR_PLACE_FIRST,  /**< the first bytes */
	MR_PLACE_LAST,   /**< the last bytes */
	MR_PLACE_BEYOND, /**< the bytes behind the end */
	MR_PLACE_AT,     /**< bytes that the user chose */
	MR_PLACES,       /**< how many there are */
};

extern const struct mr_word mr_data_places[MR_PLACES + 1];

/** Answers: enum ibv_wc_status, and these behind the last of them. */
enum {
	MR_DATA_OK = 0,
	MR_DATA_OTHER_DATA = 24, /**< other bytes came than the process finds there, or none */
	MR_DATA_TIMEOUT,         /**< no completion came in time */
	MR_DATA_NOT_TRIED,       /**< the operation was not posted */
	MR_DATA_ANSWERS,         /**< how many there are */
};

/** Their names: "ok", "LOC_PROT_ERR", "REM_ACCESS_ERR". */
extern const struct mr_word mr_data_answers[MR_DATA_ANSWERS + 1];

/** Why an operation was not tried. */
enum mr_data_skip {
	MR_SKIP_NOTHING,
	MR_SKIP_WRITE,   /**< it changes memory, and writing is not allowed */
	MR_SKIP_UNREAD,  /**< what is there could not be read, so it could not be put back */
	MR_SKIP_ALIGN,   /**< an atomic operation requires a multiple of 8 */
	MR_SKIP_ATOMICS, /**< the device has no atomic operations */
	MR_SKIP_WINDOWS, /**< the device has no memory windows */
	MR_SKIPS,
};

extern const struct mr_word mr_data_skips[MR_SKIPS + 1];

/** A region, as the HCA knows it. */
struct mr_data_region {
	uint64_t iova;   /**< first reachable byte */
	uint64_t length; /**< reachable bytes */
	uint32_t handle, lkey, rkey;
	uint32_t access; /**< enum ibv_access_flags that it was registered for */
	uint64_t addr;   /**< of the first byte in this process */
	bool is_mapped;  /**< @addr is known: it is memory of this process */
};

/** An operation, and its answer. */
struct mr_data_row {
	enum mr_data_access access;
	enum mr_data_place place;
	uint64_t at;     /**< the I/O virtual address */
	uint64_t length; /**< bytes */
	bool granted;    /**< the access flags include it */
	bool is_inside;  /**< all bytes are in the region */
	uint32_t answer; /**< enum ibv_wc_status, or one of the others */
	bool has_vendor; /**< the completion had an error */
	uint32_t vendor; /**< vendor_err of the completion */
	bool wrote;      /**< bytes that were read before were put back */
	bool is_probe;   /**< a write of length 0 has shown it */
	enum mr_data_skip skip;
	uint64_t elapsed_ns;
	enum mr_tristate agrees; /**< the answer is that of the access flags and the range */
};

/** Describes a verifier. */
struct mr_verifier_request {
	struct ibv_context *context;
	struct ibv_pd *pd;   /**< that of the regions */
	uint64_t size;       /**< bytes of the largest operation */
	uint64_t timeout_ns; /**< for each operation */
	uint32_t port;       /**< 0: the first one that is active */
	bool writes;         /**< memory may be written, with what is there */
};

/** Two connected queue pairs on the device of a region, and memory of their own. */
struct mr_verifier {
	struct mr_verifier_request request;
	struct ibv_cq *cq;
	struct ibv_qp *qps[2]; /**< the one that operations are posted to, and its peer */
	struct ibv_mr *scratch;
	uint8_t *memory; /**< of @scratch */
	uint32_t lid;    /**< of the port */
	uint8_t gid[16];
	uint32_t gid_index, mtu;
	bool is_global, has_atomics, has_windows;
	uint64_t posted;               /**< operations so far; the number of the last one */
	enum mr_tristate checks_empty; /**< the device checks the key of a write of length 0 */
};

/**
 * mr_verifier_open() - make the queue pairs, and connect them
 * @verifier: mr_verifier_close() it in either case
 *
 * Return: 0, or -errno: of the call that was refused; -ENETDOWN of ibv_query_port where no port is active,
 * -EADDRNOTAVAIL of ibv_query_gid where the port has no GID.
 */
int mr_verifier_open(struct mr_verifier *verifier, const struct mr_verifier_request *request,
		     struct mr_error *err);

/** mr_verifier_close() - destroy all that mr_verifier_open() has made */
void mr_verifier_close(struct mr_verifier *verifier);

/**
 * mr_verify() - make one operation
 * @row: access, place, at and length are known; the rest is set
 *
 * Nothing in the memory is changed: a write puts back what was just read, and an atomic operation adds 0.
 *
 * Return: 0, whatever the answer; or -errno where the operation could not be made.
 */
int mr_verify(struct mr_verifier *verifier, const struct mr_data_region *region,
	      struct mr_data_row *row, struct mr_error *err);

/**
 * mr_verify_place() - the address and length of an operation at a place
 * @size: bytes of the operation; of FIRST and LAST at most the whole region
 *
 * An atomic operation takes an aligned word of 8 bytes.
 *
 * Return: whether the region has such a place.
 */
bool mr_verify_place(const struct mr_data_region *region, uint64_t size, struct mr_data_row *row);

#endif
