// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Moves data through regions of an RDMA device, between two QPs of this process, and compares the status of each work
 * completion with the InfiniBand specification: each operation with each combination of access flags, at the first and
 * the last bytes of the region and beyond, and what is wrong with keys, QPs and receive requests; then COUNT drawn
 * operations at drawn ranges of drawn regions.  The device is $DEVICE, or the first one, of a kernel $RELEASE (as
 * uname -r prints it); RoCE uses the GID at $GID_INDEX, or 0.  With $UNRELIABLE also connections and datagrams without
 * answers.
 * Usage: path-tool [COUNT [SEED]]
 * Prints each difference, and a line "CHECKS checks, DIFFERENCES differences".
 */
#include <errno.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#define LENGTH  8192u /* bytes of the region under test */
#define PIECE   8u    /* bytes that an operation moves */
#define MARGIN  128   /* bytes before the region under test, and behind it */
#define TESTED  (&memory.region[MARGIN])
#define SECONDS 60
#define QKEY    0x1234u
#define QP_ACCESS                                                                                  \
	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE |               \
	 IBV_ACCESS_REMOTE_ATOMIC)

static struct ibv_context *context;
static struct ibv_pd *pd, *other_pd;
static struct ibv_comp_channel *channel; /* of cqs[0] */
static struct ibv_cq *cqs[2];
static struct ibv_qp *qps[2]; /* the requester and the responder */
static struct ibv_port_attr port;
static struct ibv_mr *scratch;
static struct memory {
	uint64_t own[LENGTH / 8]; /* of the scratch region */
	unsigned char region[LENGTH + 2 * MARGIN];
} memory, model; /* the model has what the specification says */
static unsigned int checks, differences;
static bool is_rxe, is_old_rxe;

static void need(bool is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "path-tool: %s: %s\n", what, strerror(errno));
	exit(1);
}

/*
 * The status that rxe has in place of that of the specification: a request that fails on its own side is flushed (not
 * in Linux 6.1), and receive requests have one status for all errors.
 */
static unsigned int own_status(unsigned int status)
{
	return is_rxe && !is_old_rxe ? IBV_WC_WR_FLUSH_ERR : status;
}

static unsigned int receive_status(unsigned int status)
{
	return is_rxe ? IBV_WC_LOC_QP_OP_ERR : status;
}

static void expect(unsigned int expected, unsigned int got, const char *what)
{
	checks++;
	if (expected == got)
		return;
	differences++;
	printf("%s: expected %s, got %s\n", what, ibv_wc_status_str(expected),
	       ibv_wc_status_str(got));
}

/* ---- queues -------------------------------------------------------------------------------- */

static struct ibv_ah_attr path_to_self(void)
{
	struct ibv_ah_attr attr = { .dlid = port.lid, .port_num = 1 };
	const char *index = getenv("GID_INDEX");

	if (port.link_layer != IBV_LINK_LAYER_ETHERNET)
		return attr;
	attr.is_global = 1;
	attr.grh.hop_limit = 1;
	attr.grh.sgid_index = index ? (uint8_t)atoi(index) : 0;
	need(!ibv_query_gid(context, 1, attr.grh.sgid_index, &attr.grh.dgid), "ibv_query_gid");
	return attr;
}

/* Moves a QP of any type from its start to where it can send; its peer has the number @peer. */
static void connect_qp(struct ibv_qp *qp, uint32_t peer, unsigned int access)
{
	static const char *const names[] = { "RESET", "INIT", "RTR", "RTS" };
	const bool is_rc = qp->qp_type == IBV_QPT_RC, is_ud = qp->qp_type == IBV_QPT_UD;
	const int path = IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN;
	const int answers = IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_MAX_QP_RD_ATOMIC;
	const int masks[] = {
		[IBV_QPS_INIT] = IBV_QP_PKEY_INDEX | IBV_QP_PORT | (is_ud ? IBV_QP_QKEY : IBV_QP_ACCESS_FLAGS),
		[IBV_QPS_RTR] = (is_ud ? 0 : path) | (is_rc ? IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER : 0),
		[IBV_QPS_RTS] = IBV_QP_SQ_PSN | (is_rc ? answers : 0),
	};
	struct ibv_qp_attr attr = { .port_num = 1,
				    .qkey = QKEY,
				    .qp_access_flags = access,
				    .path_mtu = IBV_MTU_1024,
				    .dest_qp_num = peer,
				    .rq_psn = 7,
				    .sq_psn = 7,
				    .max_dest_rd_atomic = 1,
				    .max_rd_atomic = 1,
				    .min_rnr_timer = 1,
				    .timeout = 16,
				    .retry_cnt = 6,
				    .rnr_retry = 1,
				    .ah_attr = path_to_self() };

	for (unsigned int state = IBV_QPS_RESET; state <= IBV_QPS_RTS; state++) {
		attr.qp_state = state;
		need(!ibv_modify_qp(qp, &attr, IBV_QP_STATE | masks[state]), names[state]);
	}
}

static void create_qp(int side, enum ibv_qp_type type)
{
	struct ibv_qp_init_attr attr = { .cap = { 16, 16, 2, 2, 64 },
					 .qp_type = type,
					 .send_cq = cqs[side],
					 .recv_cq = cqs[side] };

	qps[side] = ibv_create_qp(pd, &attr);
	need(qps[side], "ibv_create_qp");
}

/* rxe may move a QP to ERR after it has reported the error, and after a reset (rxe_comp.c): it gets new ones. */
static void connect_both(unsigned int access)
{
	struct ibv_wc wc;

	for (int i = 0; i < 2 && is_rxe; i++) {
		need(!ibv_destroy_qp(qps[i]), "ibv_destroy_qp");
		create_qp(i, IBV_QPT_RC);
	}
	for (int i = 0; i < 2; i++)
		connect_qp(qps[i], qps[!i]->qp_num, access);
	for (int i = 0; i < 2; i++)
		while (ibv_poll_cq(cqs[i], 1, &wc) > 0)
			;
}

static struct ibv_wc wait_for(int side)
{
	const time_t end = time(NULL) + SECONDS;
	struct ibv_wc wc = { .status = IBV_WC_GENERAL_ERR };
	int count;

	do
		count = ibv_poll_cq(cqs[side], 1, &wc);
	while (!count && time(NULL) < end);
	need(count >= 0, "ibv_poll_cq");
	if (!count)
		wc.status = IBV_WC_RESP_TIMEOUT_ERR;
	return wc;
}

/* ---- operations ---------------------------------------------------------------------------- */

static struct ibv_sge range_of(const struct ibv_mr *mr, uint64_t offset, uint32_t length)
{
	return (struct ibv_sge){ (uintptr_t)mr->addr + offset, length, mr->lkey };
}

static void post(struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	errno = ibv_post_send(qps[0], wr, &bad);
	need(!errno, "ibv_post_send");
}

static void post_receive(struct ibv_sge *sge)
{
	struct ibv_recv_wr wr = { .wr_id = 99, .sg_list = sge, .num_sge = !!sge }, *bad;

	need(!ibv_post_recv(qps[1], &wr, &bad), "ibv_post_recv");
}

static struct ibv_send_wr request(enum ibv_wr_opcode opcode, struct ibv_sge *sge, uint64_t remote,
				  uint32_t rkey)
{
	struct ibv_send_wr wr = { .wr_id = 1,
				  .sg_list = sge,
				  .num_sge = !!sge,
				  .opcode = opcode,
				  .send_flags = IBV_SEND_SIGNALED };

	if (opcode == IBV_WR_ATOMIC_FETCH_AND_ADD || opcode == IBV_WR_ATOMIC_CMP_AND_SWP) {
		wr.wr.atomic.remote_addr = remote;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 5;
		wr.wr.atomic.swap = 9;
	} else {
		wr.wr.rdma.remote_addr = remote;
		wr.wr.rdma.rkey = rkey;
	}
	return wr;
}

static unsigned int status_of(struct ibv_send_wr *wr)
{
	post(wr);
	return wait_for(0).status;
}

/* An operation on the region, and the access flags that it needs besides being in range. */
static const struct operation {
	const char *name;
	enum ibv_wr_opcode opcode;
	bool is_remote; /* by the responder's key */
	bool is_receive;
	unsigned int access;
	unsigned int refusal;
} operations[] = {
	{ "local read", IBV_WR_RDMA_WRITE, false, false, 0, IBV_WC_LOC_PROT_ERR },
	{ "local read by send", IBV_WR_SEND, false, false, 0, IBV_WC_LOC_PROT_ERR },
	{ "local write", IBV_WR_RDMA_READ, false, false, IBV_ACCESS_LOCAL_WRITE,
	  IBV_WC_LOC_PROT_ERR },
	{ "local write by receive", IBV_WR_SEND, true, true, IBV_ACCESS_LOCAL_WRITE,
	  IBV_WC_REM_OP_ERR },
	{ "remote read", IBV_WR_RDMA_READ, true, false, IBV_ACCESS_REMOTE_READ,
	  IBV_WC_REM_ACCESS_ERR },
	{ "remote write", IBV_WR_RDMA_WRITE, true, false, IBV_ACCESS_REMOTE_WRITE,
	  IBV_WC_REM_ACCESS_ERR },
	{ "remote write with immediate", IBV_WR_RDMA_WRITE_WITH_IMM, true, false,
	  IBV_ACCESS_REMOTE_WRITE, IBV_WC_REM_ACCESS_ERR },
	{ "fetch and add", IBV_WR_ATOMIC_FETCH_AND_ADD, true, false, IBV_ACCESS_REMOTE_ATOMIC,
	  IBV_WC_REM_ACCESS_ERR },
	{ "compare and swap", IBV_WR_ATOMIC_CMP_AND_SWP, true, false, IBV_ACCESS_REMOTE_ATOMIC,
	  IBV_WC_REM_ACCESS_ERR },
};
#define OPERATIONS (sizeof(operations) / sizeof(operations[0]))

/* A region of the bytes behind the margin of `memory`; the address of the first one is `base`. */
struct tested {
	struct ibv_mr *mr;
	uint64_t base;
	unsigned int access;
	const char *kind;
};

static bool is_atomic(const struct operation *operation)
{
	return operation->access == IBV_ACCESS_REMOTE_ATOMIC;
}

/* Does with the model of the memory what an operation that succeeds does. */
static void apply(const struct operation *operation, unsigned char *region, size_t length)
{
	unsigned char *peer = (unsigned char *)(operation->is_remote ? &model.own[0] : &model.own[16]);
	uint64_t word;

	if (is_atomic(operation)) {
		memcpy(&word, region, 8);
		memcpy(peer, &word, 8);
		word = operation->opcode == IBV_WR_ATOMIC_FETCH_AND_ADD ? word + 5 :
		       word == 5					? 9 :
									  word;
		memcpy(region, &word, 8);
	} else if (operation->access & (IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)) {
		memcpy(region, peer, length);
	} else {
		memcpy(peer, region, length);
	}
}

static void fill_memory(bool has_words)
{
	for (size_t i = 0; i < sizeof(memory.region); i++)
		memory.region[i] = has_words ? (unsigned char)(i % 8 ? 0 : 5) : (unsigned char)random();
	for (size_t i = 0; i < sizeof(memory.own) / 8; i++)
		memory.own[i] = (uint64_t)random();
	model = memory;
}

/* Carries out an operation of `length` bytes at an offset of the region, and compares status and memory. */
static void try_operation(const struct operation *operation, const struct tested *tested, long at,
			  uint32_t length)
{
	struct ibv_sge in_region = { tested->base + (uint64_t)at, length, tested->mr->lkey };
	struct ibv_sge outside = { (uintptr_t)&memory.own[0], length, scratch->lkey };
	const uint64_t target = (uintptr_t)&memory.own[16];
	struct ibv_send_wr wr = request(operation->opcode,
					operation->is_remote ? &outside : &in_region,
					operation->is_remote ? in_region.addr : target,
					operation->is_remote ? tested->mr->rkey : scratch->rkey);
	struct ibv_sge receive = { target, length, scratch->lkey };
	const bool is_granted = at >= 0 && (size_t)at + length <= LENGTH &&
				(tested->access & operation->access) == operation->access;
	char what[128];

	snprintf(what, sizeof(what), "%s of %u at %ld, %s, access 0x%x", operation->name, length, at,
		 tested->kind, tested->access);
	/* the device has to find the pages anew */
	if (tested->access & IBV_ACCESS_ON_DEMAND)
		madvise((void *)(((uintptr_t)TESTED + 4095) & ~4095ul), LENGTH - 4096, MADV_DONTNEED);
	fill_memory(is_atomic(operation));
	if (is_granted)
		apply(operation, &model.region[MARGIN + at], length);
	if (operation->opcode == IBV_WR_SEND || operation->opcode == IBV_WR_RDMA_WRITE_WITH_IMM)
		post_receive(operation->is_receive ? &in_region : &receive);
	expect(is_granted	      ? IBV_WC_SUCCESS
	       : operation->access == IBV_ACCESS_LOCAL_WRITE || operation->is_remote
		       ? operation->refusal
		       : own_status(operation->refusal),
	       status_of(&wr), what);
	if (operation->is_receive)
		expect(is_granted ? IBV_WC_SUCCESS : receive_status(IBV_WC_LOC_PROT_ERR),
		       wait_for(1).status, what);
	else if (is_granted && (operation->opcode == IBV_WR_SEND ||
				operation->opcode == IBV_WR_RDMA_WRITE_WITH_IMM))
		expect(IBV_WC_SUCCESS, wait_for(1).status, what);
	checks++;
	if (memcmp(&memory, &model, sizeof(memory)) != 0) {
		differences++;
		printf("%s: the memory differs\n", what);
	}
	if (!is_granted)
		connect_both(QP_ACCESS);
}

static void try_access(unsigned int access)
{
	struct tested tested = { ibv_reg_mr(pd, TESTED, LENGTH, access), (uintptr_t)TESTED, access,
				 "region" };

	need(tested.mr, "ibv_reg_mr");
	for (size_t i = 0; i < OPERATIONS; i++) {
		try_operation(&operations[i], &tested, 0, PIECE);
		try_operation(&operations[i], &tested, LENGTH - PIECE, PIECE);
		try_operation(&operations[i], &tested,
			      LENGTH - PIECE + (is_atomic(&operations[i]) ? PIECE : 1), PIECE);
	}
	need(!ibv_dereg_mr(tested.mr), "ibv_dereg_mr");
}

static bool can_register(unsigned int access)
{
	return access & IBV_ACCESS_LOCAL_WRITE ||
	       !(access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC));
}

static long draw(long count)
{
	return random() % count;
}

/* Draws a region: its access flags, and the addresses of its bytes. */
static struct tested draw_region(bool has_odp)
{
	struct tested tested = { .base = (uintptr_t)TESTED, .kind = "region" };

	do
		tested.access = (unsigned int)draw(16);
	while (!can_register(tested.access));
	if (draw(4) == 0)
		tested.access |= IBV_ACCESS_RELAXED_ORDERING;
	if (draw(3) == 0) {
		tested.kind = "region with IOVA";
		tested.base = ((uint64_t)random() << 12) | ((uintptr_t)TESTED & 4095);
		tested.mr = ibv_reg_mr_iova(pd, TESTED, LENGTH, tested.base, tested.access);
	} else {
		/* rxe finds wrong pages where the IOVA is another one */
		if (has_odp && draw(4) == 0)
			tested.access |= IBV_ACCESS_ON_DEMAND;
		tested.mr = ibv_reg_mr(pd, TESTED, LENGTH, tested.access);
	}
	need(tested.mr, "ibv_reg_mr");
	return tested;
}

/* Tries drawn operations at drawn ranges: in the region, over its ends, outside. */
static void try_drawn(long count, bool has_odp)
{
	struct tested tested = { 0 };

	for (long i = 0; i < count; i++) {
		const struct operation *operation = &operations[draw(OPERATIONS)];
		const uint32_t length =
			is_atomic(operation) ? PIECE : (uint32_t)(1 + draw(draw(2) ? 16 : MARGIN));
		const long ends[] = { 0, LENGTH - (long)length, draw(LENGTH - (long)length),
				      draw(2 * MARGIN) - MARGIN, LENGTH - draw(MARGIN), LENGTH };
		long at = ends[draw(6)];

		if (i % 8 == 0) {
			need(!i || !ibv_dereg_mr(tested.mr), "ibv_dereg_mr");
			tested = draw_region(has_odp);
		}
		if (is_atomic(operation))
			at &= ~7L;
		try_operation(operation, &tested, at, length);
	}
	need(!count || !ibv_dereg_mr(tested.mr), "ibv_dereg_mr");
}

/* ---- what else can be wrong ---------------------------------------------------------------- */

static void try_keys(void)
{
	struct ibv_mr *other = ibv_reg_mr(other_pd, TESTED, LENGTH, QP_ACCESS);
	struct ibv_mr *freed = ibv_reg_mr(pd, TESTED, LENGTH, QP_ACCESS);
	struct ibv_sge sge = range_of(scratch, 0, PIECE), foreign;
	struct ibv_send_wr wr;
	uint32_t key;

	need(other && freed, "ibv_reg_mr");
	foreign = range_of(other, 0, PIECE);
	wr = request(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)TESTED, other->rkey);
	expect(IBV_WC_REM_ACCESS_ERR, status_of(&wr), "remote key of another PD");
	connect_both(QP_ACCESS);
	wr = request(IBV_WR_RDMA_WRITE, &foreign, sge.addr, scratch->rkey);
	expect(own_status(is_rxe ? IBV_WC_LOC_QP_OP_ERR : IBV_WC_LOC_PROT_ERR), status_of(&wr),
	       "local key of another PD");
	connect_both(QP_ACCESS);
	key = freed->rkey;
	need(!ibv_dereg_mr(freed), "ibv_dereg_mr");
	wr = request(IBV_WR_RDMA_READ, &sge, (uintptr_t)TESTED, key);
	expect(IBV_WC_REM_ACCESS_ERR, status_of(&wr), "key that was freed");
	connect_both(QP_ACCESS);
	wr = request(IBV_WR_RDMA_WRITE, NULL, 0, key);
	expect(IBV_WC_SUCCESS, status_of(&wr), "0 bytes with a key that was freed");
	need(!ibv_dereg_mr(other), "ibv_dereg_mr");
}

static void try_qp_access(void)
{
	struct ibv_sge sge = range_of(scratch, 0, PIECE);
	struct ibv_send_wr wr;

	connect_both(IBV_ACCESS_LOCAL_WRITE);
	wr = request(IBV_WR_RDMA_READ, &sge, (uintptr_t)memory.own, scratch->rkey);
	expect(IBV_WC_REM_INV_REQ_ERR, status_of(&wr), "QP without remote read");
	connect_both(IBV_ACCESS_LOCAL_WRITE);
	wr = request(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)memory.own, scratch->rkey);
	expect(IBV_WC_REM_INV_REQ_ERR, status_of(&wr), "QP without remote write");
	connect_both(QP_ACCESS);
	wr = request(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge, (uintptr_t)memory.own + 4, scratch->rkey);
	/* librxe refuses it */
	if (!is_rxe)
		expect(IBV_WC_REM_INV_REQ_ERR, status_of(&wr),
		       "atomic operation that is not aligned");
	connect_both(QP_ACCESS);
}

static void try_receives(void)
{
	struct ibv_sge sge = range_of(scratch, 0, 2 * PIECE), less = range_of(scratch, 64, PIECE);
	struct ibv_send_wr wr = request(IBV_WR_SEND, &sge, 0, 0);
	struct ibv_wc wc;

	expect(IBV_WC_RNR_RETRY_EXC_ERR, status_of(&wr), "send without a receive request");
	connect_both(QP_ACCESS);
	post_receive(&less);
	expect(is_rxe ? IBV_WC_REM_OP_ERR : IBV_WC_REM_INV_REQ_ERR, status_of(&wr),
	       "send of more than the receive request");
	expect(receive_status(IBV_WC_LOC_LEN_ERR), wait_for(1).status,
	       "receive of more than the request");
	connect_both(QP_ACCESS);

	memory.own[0] = 1234;
	wr.opcode = IBV_WR_SEND_WITH_IMM;
	wr.send_flags |= IBV_SEND_INLINE;
	wr.imm_data = 0x01020304;
	less.length = 2 * PIECE;
	post_receive(&less);
	expect(IBV_WC_SUCCESS, status_of(&wr), "send of inline data with immediate");
	wc = wait_for(1);
	expect(IBV_WC_SUCCESS, wc.status, "receive with immediate");
	need(wc.wr_id == 99 && wc.byte_len == 2 * PIECE && wc.imm_data == 0x01020304 &&
		     wc.wc_flags & IBV_WC_WITH_IMM && memory.own[8] == 1234,
	     "contents of the completion");
}

/* The first request fails, the others are flushed, also those that are not signalled, and later ones. */
static void try_flush(void)
{
	struct ibv_sge sge = range_of(scratch, 0, PIECE);
	struct ibv_send_wr wrs[3], late;
	static const unsigned int expected[] = { IBV_WC_REM_ACCESS_ERR, IBV_WC_WR_FLUSH_ERR,
						 IBV_WC_WR_FLUSH_ERR };

	for (uint64_t i = 0; i < 3; i++) {
		wrs[i] = request(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)memory.own,
				 i ? scratch->rkey : scratch->rkey ^ 0x5500);
		wrs[i].wr_id = i;
		wrs[i].send_flags = 0;
		wrs[i].next = i < 2 ? &wrs[i + 1] : NULL;
	}
	post_receive(&sge);
	post(&wrs[0]);
	for (uint64_t i = 0; i < 3; i++) {
		struct ibv_wc wc = wait_for(0);

		expect(expected[i], wc.status, "request after one that failed");
		need(wc.wr_id == i && wc.qp_num == qps[0]->qp_num, "wr_id");
	}
	expect(IBV_WC_WR_FLUSH_ERR, wait_for(1).status, "receive request of a QP that failed");
	late = request(IBV_WR_SEND, &sge, 0, 0);
	expect(IBV_WC_WR_FLUSH_ERR, status_of(&late), "request after the QP failed");
	connect_both(QP_ACCESS);
}

/* Many requests, of which only the last is signalled: the queue wraps. */
static void try_many(void)
{
	struct ibv_sge sge = range_of(scratch, 0, PIECE);

	for (uint64_t i = 0; i < 1000; i++) {
		struct ibv_send_wr wr =
			request(IBV_WR_ATOMIC_FETCH_AND_ADD, &sge, (uintptr_t)&memory.own[2], scratch->rkey);

		wr.send_flags = i % 8 == 7 ? IBV_SEND_SIGNALED : 0;
		wr.wr.atomic.compare_add = 1;
		if (!i)
			memory.own[2] = 0;
		if (i % 8 == 7)
			expect(IBV_WC_SUCCESS, status_of(&wr), "one of many requests");
		else
			post(&wr);
	}
	need(memory.own[2] == 1000 && memory.own[0] == 999, "sum of atomic operations");
}

static void try_large(void)
{
	const uint32_t size = 3u << 20;
	char *bytes = calloc(2, size);
	struct ibv_mr *mr = ibv_reg_mr(pd, bytes, 2 * (size_t)size, QP_ACCESS);
	struct ibv_sge sge;
	struct ibv_send_wr wr;

	need(bytes && mr, "memory");
	for (uint32_t i = 0; i < size; i++)
		bytes[i] = (char)(i * 7 + i / 4096);
	sge = range_of(mr, 0, size);
	wr = request(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)bytes + size, mr->rkey);
	expect(IBV_WC_SUCCESS, status_of(&wr), "write of 3 MiB");
	need(!memcmp(bytes, bytes + size, size), "data of 3 MiB");
	memset(bytes, 0, size);
	wr.opcode = IBV_WR_RDMA_READ;
	expect(IBV_WC_SUCCESS, status_of(&wr), "read of 3 MiB");
	need(!memcmp(bytes, bytes + size, size), "data of 3 MiB");
	/* the receiver has all data when it sees the immediate: the last byte, too */
	memset(bytes + size, 0, size);
	wr.opcode = IBV_WR_RDMA_WRITE_WITH_IMM;
	post_receive(NULL);
	post(&wr);
	expect(IBV_WC_SUCCESS, wait_for(1).status, "immediate of 3 MiB");
	need(bytes[2 * size - 1] == bytes[size - 1] && !memcmp(bytes, bytes + size, size),
	     "data of 3 MiB with immediate");
	expect(IBV_WC_SUCCESS, wait_for(0).status, "write of 3 MiB with immediate");
	need(!ibv_dereg_mr(mr), "ibv_dereg_mr");
	free(bytes);
}

static void try_window(void)
{
	struct ibv_mr *mr = ibv_reg_mr(pd, TESTED, LENGTH, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_MW_BIND);
	struct ibv_mw *mw = ibv_alloc_mw(pd, IBV_MW_TYPE_1);
	struct ibv_sge sge = range_of(scratch, 0, PIECE);
	struct ibv_mw_bind bind = {
		.send_flags = IBV_SEND_SIGNALED,
		.bind_info = { .mr = mr,
			       .addr = (uintptr_t)TESTED + 64,
			       .length = 64,
			       .mw_access_flags = IBV_ACCESS_REMOTE_WRITE },
	};
	struct ibv_send_wr wr;

	need(mr && mw && !ibv_bind_mw(qps[0], mw, &bind), "ibv_bind_mw");
	expect(IBV_WC_SUCCESS, wait_for(0).status, "bind of a window");
	wr = request(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)TESTED + 64, mw->rkey);
	expect(IBV_WC_SUCCESS, status_of(&wr), "write to a window");
	wr.wr.rdma.remote_addr += 60;
	/* rxe checks the range of the region alone */
	expect(is_rxe ? IBV_WC_SUCCESS : IBV_WC_REM_ACCESS_ERR, status_of(&wr),
	       "write beyond a window");
	connect_both(QP_ACCESS);
	wr = request(IBV_WR_RDMA_READ, &sge, (uintptr_t)TESTED + 64, mw->rkey);
	expect(IBV_WC_REM_ACCESS_ERR, status_of(&wr), "read of a window for writing");
	connect_both(QP_ACCESS);
	/* the driver of mlx5 does not tell its HCA of the flag */
	bind.bind_info.mr = scratch;
	bind.bind_info.addr = (uintptr_t)memory.own;
	bind.bind_info.mw_access_flags = 0;
	need(!ibv_bind_mw(qps[0], mw, &bind), "ibv_bind_mw");
	expect(is_rxe ? own_status(IBV_WC_MW_BIND_ERR) : IBV_WC_SUCCESS, wait_for(0).status,
	       "bind of a window to a region without mw-bind");
	connect_both(QP_ACCESS);
	need(!ibv_dealloc_mw(mw) && !ibv_dereg_mr(mr), "ibv_dealloc_mw");
}

/* Each arming of a CQ causes one event, and no arming none. */
static void try_events(void)
{
	struct ibv_sge sge = range_of(scratch, 0, PIECE);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)memory.own, scratch->rkey);
	struct pollfd polled = { .fd = channel->fd, .events = POLLIN };
	struct ibv_cq *cq;
	void *data;

	need(!poll(&polled, 1, 0), "no event of a CQ that was not armed");
	for (int i = 0; i < 3; i++) {
		need(!ibv_req_notify_cq(cqs[0], 0), "ibv_req_notify_cq");
		expect(IBV_WC_SUCCESS, status_of(&wr), "write that reports an event");
		need(poll(&polled, 1, SECONDS * 1000) == 1, "event of a CQ");
		need(!ibv_get_cq_event(channel, &cq, &data) && cq == cqs[0], "ibv_get_cq_event");
		ibv_ack_cq_events(cq, 1);
		expect(IBV_WC_SUCCESS, status_of(&wr), "write that reports no event");
		need(!poll(&polled, 1, 0), "one event of an arming");
	}
}

/* A QP that is its own peer, and one whose peer is gone. */
static void try_peers(void)
{
	struct ibv_sge sge = range_of(scratch, 0, PIECE);
	struct ibv_send_wr wr = request(IBV_WR_RDMA_WRITE, &sge, (uintptr_t)memory.own, scratch->rkey);
	unsigned int status;

	connect_both(QP_ACCESS);
	connect_qp(qps[0], qps[0]->qp_num, QP_ACCESS);
	expect(IBV_WC_SUCCESS, status_of(&wr), "write of a QP to itself");
	wr.wr.rdma.rkey ^= 0x5500;
	/* the responder of rxe may flush the request before its requester ends it */
	status = status_of(&wr);
	expect(is_rxe && status == IBV_WC_WR_FLUSH_ERR ? status : IBV_WC_REM_ACCESS_ERR, status,
	       "refused write of a QP to itself");
	connect_both(QP_ACCESS);
	need(!ibv_destroy_qp(qps[1]), "ibv_destroy_qp");
	wr.wr.rdma.rkey ^= 0x5500;
	expect(IBV_WC_RETRY_EXC_ERR, status_of(&wr), "write to a QP that is gone");
	need(!ibv_destroy_qp(qps[0]), "ibv_destroy_qp");
}

/* Requests end when they are sent.  One that the receiver refuses is lost, and the next one is not. */
static void try_unreliable(enum ibv_qp_type type)
{
	const bool is_datagram = type == IBV_QPT_UD;
	const uint32_t skip = is_datagram ? sizeof(struct ibv_grh) : 0;
	struct ibv_sge sge = range_of(scratch, 0, PIECE), large = range_of(scratch, 0, LENGTH);
	struct ibv_sge target = range_of(scratch, 64, skip + PIECE);
	struct ibv_send_wr lost = request(is_datagram ? IBV_WR_SEND : IBV_WR_RDMA_WRITE, &sge,
					  (uintptr_t)&memory.own[3], scratch->rkey ^ 0x5500);
	struct ibv_send_wr wr = request(IBV_WR_SEND_WITH_IMM, &sge, 0, 0);
	struct ibv_ah_attr path = path_to_self();
	struct ibv_ah *ah = ibv_create_ah(pd, &path);
	struct ibv_wc wc;

	need(ah, "ibv_create_ah");
	for (int i = 0; i < 2; i++)
		create_qp(i, type);
	for (int i = 0; i < 2; i++)
		connect_qp(qps[i], qps[!i]->qp_num, QP_ACCESS);
	if (is_datagram) {
		wr.wr.ud.ah = lost.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = lost.wr.ud.remote_qpn = qps[1]->qp_num;
		wr.wr.ud.remote_qkey = QKEY;
		lost.wr.ud.remote_qkey = QKEY + 1;
	}
	wr.imm_data = 7;
	memory.own[0] = memory.own[3] = 1;
	post_receive(&target);
	expect(IBV_WC_SUCCESS, status_of(&lost), "request that is lost");
	memory.own[0] = 2;
	expect(IBV_WC_SUCCESS, status_of(&wr), "request after one that was lost");
	wc = wait_for(1);
	expect(IBV_WC_SUCCESS, wc.status, "receive without an answer");
	need(wc.byte_len == skip + PIECE && memory.own[8 + skip / 8] == 2 && memory.own[3] == 1 &&
		     wc.imm_data == 7 && (!is_datagram || wc.src_qp == qps[0]->qp_num),
	     "contents of a message without an answer");
	wr.sg_list = &large;
	if (is_datagram) {
		expect(is_rxe ? IBV_WC_SUCCESS : IBV_WC_LOC_LEN_ERR, status_of(&wr),
		       "datagram that is too long");
	} else {
		post_receive(&target);
		expect(IBV_WC_SUCCESS, status_of(&wr), "send of more than the receive request");
		expect(receive_status(IBV_WC_LOC_LEN_ERR), wait_for(1).status,
		       "receive of more than the request");
		lost.opcode = IBV_WR_RDMA_READ;
		expect(IBV_WC_LOC_QP_OP_ERR, status_of(&lost), "read without answers");
	}
	need(!ibv_destroy_qp(qps[0]) && !ibv_destroy_qp(qps[1]) && !ibv_destroy_ah(ah), "ibv_destroy_qp");
}

static void open_device(void)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	const char *name = getenv("DEVICE"), *release = getenv("RELEASE");
	size_t i = 0;

	while (list && list[i] && name && strcmp(ibv_get_device_name(list[i]), name) != 0)
		i++;
	need(list && list[i], "no device");
	context = ibv_open_device(list[i]);
	need(context, "ibv_open_device");
	ibv_free_device_list(list);
	need(!ibv_query_port(context, 1, &port), "ibv_query_port");
	is_rxe = port.link_layer == IBV_LINK_LAYER_ETHERNET;
	is_old_rxe = is_rxe && release && !strncmp(release, "6.1.", 4);
	pd = ibv_alloc_pd(context);
	other_pd = ibv_alloc_pd(context);
	need(pd && other_pd, "ibv_alloc_pd");
	scratch = ibv_reg_mr(pd, memory.own, sizeof(memory.own), QP_ACCESS);
	channel = ibv_create_comp_channel(context);
	need(scratch && channel, "ibv_reg_mr, ibv_create_comp_channel");
	for (i = 0; i < 2; i++) {
		cqs[i] = ibv_create_cq(context, 64, NULL, i ? NULL : channel, 0);
		need(cqs[i], "ibv_create_cq");
		create_qp((int)i, IBV_QPT_RC);
	}
}

/* All combinations that can be registered. */
static void try_all_access(unsigned int added)
{
	for (unsigned int access = 0; access < 16; access++)
		if (can_register(access))
			try_access(access | added);
}

int main(int argc, char **argv)
{
	struct ibv_device_attr_ex attr;
	bool has_odp;

	open_device();
	need(!ibv_query_device_ex(context, NULL, &attr), "ibv_query_device_ex");
	connect_both(QP_ACCESS);
	try_all_access(0);
	/* rxe corrupts data of on-demand regions (tests/kernel/bugs.md) */
	has_odp = !is_rxe && attr.odp_caps.per_transport_caps.rc_odp_caps & IBV_ODP_SUPPORT_READ;
	if (has_odp)
		try_all_access(IBV_ACCESS_ON_DEMAND);
	try_keys();
	try_qp_access();
	try_receives();
	try_flush();
	try_many();
	try_large();
	try_window();
	try_events();
	srandom(argc > 2 ? (unsigned int)atoi(argv[2]) : 1);
	try_drawn(argc > 1 ? atol(argv[1]) : 0, has_odp);
	try_peers();
	if (getenv("UNRELIABLE")) {
		try_unreliable(IBV_QPT_UC);
		try_unreliable(IBV_QPT_UD);
	}
	printf("%u checks, %u differences\n", checks, differences);
	return differences != 0;
}
