// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/mlx5dv.h>
#include <infiniband/verbs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/verbs/verbs.h"
#include "lib/verify/verify.h"

const struct mr_word mr_data_accesses[MR_DATA_ACCESSES + 1] = {
	[MR_DATA_LOCAL_READ] = MR_WORD("local-read", NULL),
	[MR_DATA_LOCAL_WRITE] = MR_WORD("local-write", NULL),
	[MR_DATA_REMOTE_READ] = MR_WORD("remote-read", NULL),
	[MR_DATA_REMOTE_WRITE] = MR_WORD("remote-write", NULL),
	[MR_DATA_REMOTE_ATOMIC] = MR_WORD("remote-atomic", NULL),
	[MR_DATA_MW_BIND] = MR_WORD("mw-bind", NULL),
	[MR_DATA_ACCESSES] = MR_WORD(NULL, NULL),
};

uint32_t mr_data_flag(enum mr_data_access access)
{
	static const uint32_t flags[] = {
		[MR_DATA_LOCAL_WRITE] = MR_ACCESS_LOCAL_WRITE,
		[MR_DATA_REMOTE_READ] = MR_ACCESS_REMOTE_READ,
		[MR_DATA_REMOTE_WRITE] = MR_ACCESS_REMOTE_WRITE,
		[MR_DATA_REMOTE_ATOMIC] = MR_ACCESS_REMOTE_ATOMIC,
		[MR_DATA_MW_BIND] = MR_ACCESS_MW_BIND,
	};

	return flags[access];
}

const struct mr_word mr_data_places[MR_PLACES + 1] = {
	[MR_PLACE_FIRST] = MR_WORD("first", NULL),
	[MR_PLACE_LAST] = MR_WORD("last", NULL),
	[MR_PLACE_BEYOND] = MR_WORD("beyond", NULL),
	[MR_PLACE_AT] = MR_WORD("at", NULL),
	MR_WORD(NULL, NULL),
};

#define ANSWER(status) [IBV_WC_##status] = MR_WORD(#status, NULL)

const struct mr_word mr_data_answers[MR_DATA_ANSWERS + 1] = {
	MR_WORD("ok", NULL),
	ANSWER(LOC_LEN_ERR),
	ANSWER(LOC_QP_OP_ERR),
	ANSWER(LOC_EEC_OP_ERR),
	ANSWER(LOC_PROT_ERR),
	ANSWER(WR_FLUSH_ERR),
	ANSWER(MW_BIND_ERR),
	ANSWER(BAD_RESP_ERR),
	ANSWER(LOC_ACCESS_ERR),
	ANSWER(REM_INV_REQ_ERR),
	ANSWER(REM_ACCESS_ERR),
	ANSWER(REM_OP_ERR),
	ANSWER(RETRY_EXC_ERR),
	ANSWER(RNR_RETRY_EXC_ERR),
	ANSWER(LOC_RDD_VIOL_ERR),
	ANSWER(REM_INV_RD_REQ_ERR),
	ANSWER(REM_ABORT_ERR),
	ANSWER(INV_EECN_ERR),
	ANSWER(INV_EEC_STATE_ERR),
	ANSWER(FATAL_ERR),
	ANSWER(RESP_TIMEOUT_ERR),
	ANSWER(GENERAL_ERR),
	ANSWER(TM_ERR),
	ANSWER(TM_RNDV_INCOMPLETE),
	[MR_DATA_OTHER_DATA] = MR_WORD("OTHER_DATA", NULL),
	[MR_DATA_TIMEOUT] = MR_WORD("TIMEOUT", NULL),
	[MR_DATA_NOT_TRIED] = MR_WORD("not-tried", NULL),
	[MR_DATA_ANSWERS] = MR_WORD(NULL, NULL),
};

const struct mr_word mr_data_skips[MR_SKIPS + 1] = {
	[MR_SKIP_NOTHING] = MR_WORD(NULL, NULL),
	[MR_SKIP_WRITE] = MR_WORD("--write is not given", NULL),
	[MR_SKIP_UNREAD] = MR_WORD("the bytes could not be read before", NULL),
	[MR_SKIP_ALIGN] = MR_WORD("the address is not a multiple of 8", NULL),
	[MR_SKIP_ATOMICS] = MR_WORD("the device has no atomic operations", NULL),
	[MR_SKIP_WINDOWS] = MR_WORD("the device has no memory windows", NULL),
	MR_WORD(NULL, NULL),
};

/* ---- queue pairs ---- */

static int find_port(struct mr_verifier *verifier, struct ibv_port_attr *port, struct mr_error *err)
{
	struct ibv_context *context = verifier->request.context;
	uint32_t *number = &verifier->request.port, last = *number ?: 1;
	struct ibv_device_attr device;
	int rc = ibv_query_device(context, &device);

	if (rc)
		return mr_fail(err, MR_ERROR_REFUSED, rc, "ibv_query_device", NULL);
	verifier->has_atomics = device.atomic_cap != IBV_ATOMIC_NONE;
	if (!*number)
		last = device.phys_port_cnt;
	for (*number = *number ?: 1; *number <= last; ++*number) {
		rc = ibv_query_port(context, (uint8_t)*number, port);
		if (rc)
			return mr_fail(err, MR_ERROR_REFUSED, rc, "ibv_query_port", "port %u",
				       *number);
		if (port->state == IBV_PORT_ACTIVE || port->state == IBV_PORT_ACTIVE_DEFER)
			return 0;
	}
	return mr_fail(err, MR_ERROR_REFUSED, ENETDOWN, "ibv_query_port", "port %u of %s is %s",
		       last, ibv_get_device_name(context->device), ibv_port_state_str(port->state));
}

/* Finds an address of the port.  InfiniBand requires a GID only where the subnet says so. */
static int find_address(struct mr_verifier *verifier, struct mr_error *err)
{
	static const union ibv_gid none;
	struct ibv_port_attr port = { .state = IBV_PORT_NOP };
	union ibv_gid gid = none;
	int rc = find_port(verifier, &port, err), index = 0;

	if (rc)
		return rc;
	verifier->mtu = port.active_mtu;
	verifier->lid = port.lid;
	verifier->is_global =
		port.link_layer == IBV_LINK_LAYER_ETHERNET || port.flags & IBV_QPF_GRH_REQUIRED;
	for (; verifier->is_global; index++) {
		if (index >= port.gid_tbl_len)
			return mr_fail(err, MR_ERROR_REFUSED, EADDRNOTAVAIL, "ibv_query_gid",
				       "port %u of %s has no GID", verifier->request.port,
				       ibv_get_device_name(verifier->request.context->device));
		if (!ibv_query_gid(verifier->request.context, (uint8_t)verifier->request.port,
				   index, &gid) &&
		    memcmp(&gid, &none, sizeof(gid)) != 0)
			break;
	}
	verifier->gid_index = (uint32_t)index;
	memcpy(verifier->gid, &gid, sizeof(gid));
	return 0;
}

static int modify(struct ibv_qp *qp, struct ibv_qp_attr *attr, int mask, const char *state,
		  struct mr_error *err)
{
	int rc = ibv_modify_qp(qp, attr, mask | IBV_QP_STATE);

	return rc ? mr_fail(err, MR_ERROR_REFUSED, rc, "ibv_modify_qp", "to %s", state) : 0;
}

static int connect_qp(const struct mr_verifier *verifier, struct ibv_qp *qp,
		      const struct ibv_qp *peer, struct mr_error *err)
{
	const uint8_t port = (uint8_t)verifier->request.port;
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = port,
		.qp_access_flags = IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |
				   (verifier->has_atomics ? IBV_ACCESS_REMOTE_ATOMIC : 0),
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = (enum ibv_mtu)verifier->mtu,
		.dest_qp_num = peer->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 1,
		.ah_attr = { .dlid = (uint16_t)verifier->lid,
			     .port_num = port,
			     .is_global = verifier->is_global,
			     .grh = { .sgid_index = (uint8_t)verifier->gid_index,
				      .hop_limit = 64 } },
	};
	/* 4.096 us << 15 is 134 ms, 4 times: an answer comes before the usual time is over. */
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS, .timeout = 15, .retry_cnt = 3, .max_rd_atomic = 1
	};
	int rc = modify(qp, &init, IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS, "INIT",
			err);

	memcpy(&rtr.ah_attr.grh.dgid, verifier->gid, sizeof(verifier->gid));
	if (!rc)
		rc = modify(qp, &rtr,
			    IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
				    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
			    "RTR", err);
	if (!rc)
		rc = modify(qp, &rts,
			    IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
				    IBV_QP_MAX_QP_RD_ATOMIC,
			    "RTS", err);
	return rc;
}

static void destroy_queues(struct mr_verifier *verifier)
{
	for (int i = 0; i < 2; i++) {
		if (verifier->qps[i])
			ibv_destroy_qp(verifier->qps[i]);
		verifier->qps[i] = NULL;
	}
}

/*
 * Makes both queue pairs, and connects them.  After an error they are made anew: a driver may move a queue pair to the state
 * ERR after it has reported the error, and after it was reset (rxe_comp.c).
 */
static int make_queues(struct mr_verifier *verifier, struct mr_error *err)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.send_cq = verifier->cq,
		.recv_cq = verifier->cq,
		.cap = { .max_send_wr = 2, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1 },
	};
	int rc;

	destroy_queues(verifier);
	for (int i = 0; i < 2; i++) {
		errno = 0;
		verifier->qps[i] = ibv_create_qp(verifier->request.pd, &init);
		if (!verifier->qps[i])
			return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_create_qp",
				       NULL);
	}
	rc = connect_qp(verifier, verifier->qps[0], verifier->qps[1], err);
	return rc ? rc : connect_qp(verifier, verifier->qps[1], verifier->qps[0], err);
}

/* A word of atomic operations has to fit as well. */
static size_t scratch_size(const struct mr_verifier *verifier)
{
	const uint64_t size = verifier->request.size;

	return size < sizeof(uint64_t) ? sizeof(uint64_t) : size;
}

static int make_scratch(struct mr_verifier *verifier, struct mr_error *err)
{
	const size_t size = scratch_size(verifier);
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return mr_fail(err, MR_ERROR_HOST, errno, "mmap", "%zu bytes for the copy", size);
	verifier->memory = memory;
	errno = 0;
	verifier->scratch = ibv_reg_mr(verifier->request.pd, memory, size,
				       IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ |
					       IBV_ACCESS_REMOTE_WRITE);
	return verifier->scratch ? 0
				 : mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_reg_mr",
					   "%zu bytes for the copy", size);
}

int mr_verifier_open(struct mr_verifier *verifier, const struct mr_verifier_request *request,
		     struct mr_error *err)
{
	int rc;

	*verifier = (struct mr_verifier){ .request = *request };
	rc = find_address(verifier, err);
	if (rc)
		return rc;
	errno = 0;
	verifier->cq = ibv_create_cq(request->context, 8, NULL, NULL, 0);
	if (!verifier->cq)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_create_cq", NULL);
	rc = make_queues(verifier, err);
	return rc ? rc : make_scratch(verifier, err);
}

void mr_verifier_close(struct mr_verifier *verifier)
{
	destroy_queues(verifier);
	if (verifier->cq)
		ibv_destroy_cq(verifier->cq);
	if (verifier->scratch)
		ibv_dereg_mr(verifier->scratch);
	if (verifier->memory)
		munmap(verifier->memory, scratch_size(verifier));
	*verifier = (struct mr_verifier){ .cq = NULL };
}

/* ---- operations ---- */

/*
 * Waits for the completion of the operation that was posted at @start.  After an error both queue pairs are made anew,
 * and completions that the old ones have left are skipped.
 * Return: 0, or -EINTR after a signal, or another -errno.
 */
static int complete(struct mr_verifier *verifier, uint64_t start, struct mr_data_row *row,
		    struct mr_error *err)
{
	struct ibv_wc wc = { .status = IBV_WC_SUCCESS };
	int count;

	for (;;) {
		count = ibv_poll_cq(verifier->cq, 1, &wc);
		if (count > 0 && wc.wr_id != verifier->posted)
			count = 0;
		row->elapsed_ns = mr_now_ns() - start;
		if (count || row->elapsed_ns >= verifier->request.timeout_ns || mr_interrupted())
			break;
		if (row->elapsed_ns > 100000)
			usleep(20);
	}
	if (count < 0)
		return mr_fail(err, MR_ERROR_REFUSED, EIO, "ibv_poll_cq", NULL);
	if (!count && mr_interrupted())
		return mr_fail_text(err, MR_ERROR_HOST, EINTR, "interrupted");
	row->answer = count ? wc.status : MR_DATA_TIMEOUT;
	row->has_vendor = count && wc.status;
	row->vendor = row->has_vendor ? wc.vendor_err : 0;
	return row->answer ? make_queues(verifier, err) : 0;
}

/* An operation between a range of a region, and the beginning of the scratch memory. */
struct operation {
	enum ibv_wr_opcode opcode;
	uint64_t local;  /* address of the side that posts */
	uint64_t remote; /* address of its peer */
	uint64_t length;
	uint32_t lkey, rkey;
};

static int post(struct mr_verifier *verifier, const struct operation *operation,
		struct mr_data_row *row, struct mr_error *err)
{
	struct ibv_sge sge = { .addr = operation->local,
			       .length = (uint32_t)operation->length,
			       .lkey = operation->lkey };
	struct ibv_send_wr wr = { .wr_id = ++verifier->posted,
				  .sg_list = &sge,
				  .num_sge = operation->length ? 1 : 0,
				  .opcode = operation->opcode,
				  .send_flags = IBV_SEND_SIGNALED },
			   *bad;
	uint64_t start;
	int rc;

	if (operation->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = operation->remote;
		wr.wr.atomic.rkey = operation->rkey;
		wr.wr.atomic.compare_add = 0;
	} else {
		wr.wr.rdma.remote_addr = operation->remote;
		wr.wr.rdma.rkey = operation->rkey;
	}
	start = mr_now_ns();
	rc = ibv_post_send(verifier->qps[0], &wr, &bad);
	return rc ? mr_fail(err, MR_ERROR_REFUSED, rc, "ibv_post_send", NULL)
		  : complete(verifier, start, row, err);
}

/* Makes the operation of a row, which only transfers. */
static int transfer(struct mr_verifier *verifier, const struct mr_data_region *region,
		    enum mr_data_access access, struct mr_data_row *row, struct mr_error *err)
{
	const uint64_t scratch = (uintptr_t)verifier->memory;
	const uint32_t lkey = verifier->scratch->lkey, rkey = verifier->scratch->rkey;
	const struct operation operations[] = {
		[MR_DATA_LOCAL_READ] = { IBV_WR_RDMA_WRITE, row->at, scratch, row->length,
					 region->lkey, rkey },
		[MR_DATA_LOCAL_WRITE] = { IBV_WR_RDMA_READ, row->at, scratch, row->length,
					  region->lkey, rkey },
		[MR_DATA_REMOTE_READ] = { IBV_WR_RDMA_READ, scratch, row->at, row->length, lkey,
					  region->rkey },
		[MR_DATA_REMOTE_WRITE] = { IBV_WR_RDMA_WRITE, scratch, row->at, row->length, lkey,
					   region->rkey },
		[MR_DATA_REMOTE_ATOMIC] = { IBV_WR_ATOMIC_FETCH_AND_ADD, scratch, row->at,
					    row->length, lkey, region->rkey },
	};

	return post(verifier, &operations[access], row, err);
}

/* Copies the range of a row by the process itself.  Return: whether that is possible. */
static bool copy_own(const struct mr_data_region *region, const struct mr_data_row *row, void *to)
{
	const struct iovec local = { to, row->length };
	const struct iovec remote = { (void *)(uintptr_t)(region->addr + (row->at - region->iova)),
				      row->length };

	return region->is_mapped &&
	       process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)row->length;
}

/* Whether the scratch memory has other bytes than the process finds at the place.  They may change between both reads. */
static bool has_other_data(const struct mr_verifier *verifier, const struct mr_data_region *region,
			   const struct mr_data_row *row)
{
	void *own = malloc(row->length);
	const bool differs = own && copy_own(region, row, own) &&
			     memcmp(own, verifier->memory, row->length) != 0;

	free(own);
	return differs;
}

/*
 * Makes the scratch memory hold what is at the place.  Behind the region, which the HCA must not read, the process reads
 * it itself.  Return: 1, 0 where it cannot be read, or -errno.
 */
static int read_before(struct mr_verifier *verifier, const struct mr_data_region *region,
		       const struct mr_data_row *row, struct mr_error *err)
{
	struct mr_data_row read = *row;
	int rc;

	if (!row->is_inside)
		return copy_own(region, row, verifier->memory);
	rc = transfer(verifier, region, MR_DATA_LOCAL_READ, &read, err);
	return rc ? rc : read.answer == MR_DATA_OK;
}

/*
 * Finds out whether the device checks the key of a write of length 0, by a key that does not grant it.  The InfiniBand
 * specification (C9-88) lets responders skip that check.
 */
static int probe_empty(struct mr_verifier *verifier, struct mr_error *err)
{
	struct mr_data_row row = { .answer = MR_DATA_OK };
	struct ibv_mr *mr;
	int rc;

	if (verifier->checks_empty != MR_UNKNOWN)
		return 0;
	errno = 0;
	mr = ibv_reg_mr(verifier->request.pd, verifier->memory, scratch_size(verifier),
			IBV_ACCESS_REMOTE_READ);
	if (!mr)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_reg_mr", NULL);
	rc = post(verifier,
		  &(struct operation){ .opcode = IBV_WR_RDMA_WRITE,
				       .remote = (uintptr_t)verifier->memory,
				       .rkey = mr->rkey },
		  &row, err);
	ibv_dereg_mr(mr);
	verifier->checks_empty = row.answer == IBV_WC_REM_ACCESS_ERR ? MR_YES : MR_NO;
	return rc;
}

/* Shows by a write of length 0 whether peers may write. */
static int write_empty(struct mr_verifier *verifier, const struct mr_data_region *region,
		       struct mr_data_row *row, struct mr_error *err)
{
	int rc = probe_empty(verifier, err);

	if (rc || verifier->checks_empty != MR_YES || row->place == MR_PLACE_BEYOND) {
		row->skip = MR_SKIP_WRITE;
		return rc;
	}
	row->is_probe = true;
	return post(verifier,
		    &(struct operation){
			    .opcode = IBV_WR_RDMA_WRITE, .remote = row->at, .rkey = region->rkey },
		    row, err);
}

/*
 * Object of libibverbs for a region that another process may have registered.  Providers have a larger struct around
 * theirs, but to bind a window they read only the members that bind_window() sets.  ibv_import_mr(3) makes one to which
 * libmlx5 binds no window.
 */
union region {
	struct ibv_mr mr;
	char room[512];
};

/* Binds a window that peers could read through, and frees it. */
static int bind_window(struct mr_verifier *verifier, const struct mr_data_region *region,
		       struct mr_data_row *row, struct mr_error *err)
{
	union region object = { .room = { 0 } };
	struct ibv_mw_bind bind = { .wr_id = ++verifier->posted,
				    .send_flags = IBV_SEND_SIGNALED,
				    .bind_info = { .mr = &object.mr,
						   .addr = row->at,
						   .length = row->length,
						   .mw_access_flags = IBV_ACCESS_REMOTE_READ } };
	struct ibv_mw *mw = ibv_alloc_mw(verifier->request.pd, IBV_MW_TYPE_1);
	uint64_t start = mr_now_ns();
	int rc = mw ? 0 : EOPNOTSUPP;

	object.mr = (struct ibv_mr){ .context = verifier->request.context,
				     .pd = verifier->request.pd,
				     .addr = (void *)(uintptr_t)region->iova,
				     .length = region->length,
				     .handle = region->handle,
				     .lkey = region->lkey,
				     .rkey = region->rkey };
	if (!rc)
		rc = ibv_bind_mw(verifier->qps[0], mw, &bind);
	if (rc == EOPNOTSUPP) {
		row->skip = MR_SKIP_WINDOWS;
		rc = 0;
	} else {
		rc = rc ? mr_fail(err, MR_ERROR_REFUSED, rc, "ibv_bind_mw", NULL)
			: complete(verifier, start, row, err);
	}
	if (mw)
		ibv_dealloc_mw(mw);
	return rc;
}

/* Whether all bytes that were to come still are @fill. */
static bool is_filled(const struct mr_verifier *verifier, uint8_t fill, uint64_t length)
{
	return verifier->memory[0] == fill &&
	       !memcmp(verifier->memory, verifier->memory + 1, length - 1);
}

/*
 * Reads the place of a row into the scratch memory.  Where that is as it was, other bytes are put there and it is read again:
 * so it is seen whether bytes have come.
 */
static int read_place(struct mr_verifier *verifier, const struct mr_data_region *region,
		      struct mr_data_row *row, struct mr_error *err)
{
	static const uint8_t fills[] = { 0x5a, 0xa5 };
	int rc = 0;

	for (size_t i = 0; !rc && i < sizeof(fills); i++) {
		memset(verifier->memory, fills[i], row->length);
		rc = transfer(verifier, region, row->access, row, err);
		if (rc || row->answer || !is_filled(verifier, fills[i], row->length))
			break;
		if (i + 1 == sizeof(fills))
			row->answer = MR_DATA_OTHER_DATA;
	}
	if (!rc && !row->answer && has_other_data(verifier, region, row))
		row->answer = MR_DATA_OTHER_DATA;
	return rc;
}

static int try(struct mr_verifier *verifier, const struct mr_data_region *region,
	       struct mr_data_row *row, struct mr_error *err)
{
	const bool is_atomic = row->access == MR_DATA_REMOTE_ATOMIC;
	int rc;

	if (row->access == MR_DATA_MW_BIND)
		return bind_window(verifier, region, row, err);
	if (row->access == MR_DATA_LOCAL_READ || row->access == MR_DATA_REMOTE_READ)
		return read_place(verifier, region, row, err);
	if (!verifier->request.writes && row->access == MR_DATA_REMOTE_WRITE)
		return write_empty(verifier, region, row, err);
	if (is_atomic && !verifier->has_atomics)
		row->skip = MR_SKIP_ATOMICS;
	else if (is_atomic && row->at % sizeof(uint64_t))
		row->skip = MR_SKIP_ALIGN;
	else if (!verifier->request.writes)
		row->skip = MR_SKIP_WRITE;
	if (row->skip)
		return 0;
	if (!is_atomic) {
		rc = read_before(verifier, region, row, err);
		if (rc <= 0) {
			row->skip = MR_SKIP_UNREAD;
			return rc;
		}
	}
	rc = transfer(verifier, region, row->access, row, err);
	row->wrote = !rc && !row->answer;
	return rc;
}

/*
 * Whether an answer is a refusal because of a key, and not of a path that does not work.  Linux 7.2's rxe completes an
 * operation that it refuses to post as flushed (rxe_comp.c flush_send_wqe()).
 */
static bool is_refusal(uint32_t answer)
{
	return 1U << answer & (1U << IBV_WC_WR_FLUSH_ERR | 1U << IBV_WC_LOC_QP_OP_ERR |
			       1U << IBV_WC_LOC_PROT_ERR | 1U << IBV_WC_MW_BIND_ERR |
			       1U << IBV_WC_LOC_ACCESS_ERR | 1U << IBV_WC_REM_INV_REQ_ERR |
			       1U << IBV_WC_REM_ACCESS_ERR | 1U << IBV_WC_REM_OP_ERR);
}

static bool is_inside(const struct mr_data_region *region, const struct mr_data_row *row)
{
	const uint64_t offset = row->at - region->iova;

	return row->at >= region->iova && offset < region->length &&
	       row->length <= region->length - offset;
}

int mr_verify(struct mr_verifier *verifier, const struct mr_data_region *region,
	      struct mr_data_row *row, struct mr_error *err)
{
	const uint32_t flag = mr_data_flag(row->access);
	int rc;

	row->granted = !flag || region->access & flag;
	row->is_inside = is_inside(region, row);
	row->skip = MR_SKIP_NOTHING;
	rc = try(verifier, region, row, err);
	if (row->skip)
		row->answer = MR_DATA_NOT_TRIED;
	if (rc || row->skip)
		return rc;
	row->agrees = (row->granted && row->is_inside ? row->answer == MR_DATA_OK
						      : is_refusal(row->answer))
			      ? MR_YES
			      : MR_NO;
	/* hw/mlx5/mr.c set_mkc_access_pd_addr_fields(): the key has no bit for windows, whose range counts when they are used */
	if (row->access == MR_DATA_MW_BIND && row->answer == MR_DATA_OK && row->agrees == MR_NO &&
	    mlx5dv_is_supported(verifier->request.context->device))
		row->agrees = MR_UNKNOWN;
	return 0;
}

bool mr_verify_place(const struct mr_data_region *region, uint64_t size, struct mr_data_row *row)
{
	const bool is_word = row->access == MR_DATA_REMOTE_ATOMIC;
	const uint64_t word = sizeof(uint64_t), end = region->iova + region->length;
	const uint64_t within = size < region->length ? size : region->length;

	row->length = is_word ? word : row->place == MR_PLACE_BEYOND ? size : within;
	switch (row->place) {
	case MR_PLACE_FIRST:
		row->at = is_word ? mr_round_up(region->iova, word) : region->iova;
		break;
	case MR_PLACE_LAST:
		row->at = is_word ? (end - word) & ~(word - 1) : end - within;
		break;
	default: /* an aligned word has at least its last byte there */
		row->at = is_word ? end & ~(word - 1) : end;
		break;
	}
	return row->place == MR_PLACE_BEYOND ? row->at + (row->length - 1) >= end
					     : is_inside(region, row);
}
