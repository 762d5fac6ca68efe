// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CQs with their channels, SRQs, QPs and AHs. */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <linux/capability.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/handlers/handlers.h"
#include "lib/sim/path/path.h"
#include "lib/sim/state/state.h"

/* ---- creation ------------------------------------------------------------------------------ */

/* Checks that an object, which the table may have lost while it was unlocked, exists. */
static int check_object(const struct sim_call *call, uint32_t type, uint32_t handle)
{
	struct sim_object *object;

	return handle == SIM_NO_HANDLE ? 0 : sim_object_find(call->table, type, handle, &object);
}

static int check_objects(const struct sim_call *call, const struct sim_queue_request *request)
{
	const struct sim_qp *qp = &request->queue.qp;
	int rc = check_object(call, UVERBS_OBJECT_PD, request->pd);

	if (rc || request->type != UVERBS_OBJECT_QP)
		return rc;
	return check_object(call, UVERBS_OBJECT_CQ, qp->send_cq)
		       ?: check_object(call, UVERBS_OBJECT_CQ, qp->recv_cq)
		       ?: check_object(call, UVERBS_OBJECT_SRQ, qp->srq);
}

/* Makes the record of a queue that the driver has created, and answers the driver's data. */
static int make_record(struct sim_call *call, struct sim_queue_request *request)
{
	struct sim_object *object = &call->table->objects[call->created];
	struct sim_queue *queue;
	int rc = check_objects(call, request) ?: sim_queue_reserve(call->table, object, &queue);

	if (rc)
		return rc;
	request->queue.object = queue->object;
	request->queue.owner = queue->owner;
	if (request->type == UVERBS_OBJECT_SRQ)
		request->queue.srq.number = call->created + 1;
	*queue = request->queue;
	rc = call->profile->answer_queue(call, request);
	if (rc)
		sim_queue_release(call->table, object);
	return rc;
}

static int create_queue(struct sim_call *call, struct sim_queue_request *request)
{
	struct sim_object *object;
	int rc = call->profile->create_queue(call, request);

	if (rc)
		return rc;
	rc = make_record(call, request);
	if (rc) {
		sim_account_cancel(request->pinned);
		sim_queue_free_rings(call->table, request->type, &request->queue);
		return rc;
	}
	object = &call->table->objects[call->created];
	object->parent = request->pd;
	object->pinned = request->pinned;
	object->mm = sim_account_commit(call->table, request->pinned);
	return 0;
}

/* ---- completion channels ------------------------------------------------------------------- */

/* ib_uverbs_create_comp_channel(): the program reads events from a pipe */
int sim_write_create_comp_channel(struct sim_call *call)
{
	int ends[2], fd, rc = sim_need_context(call->table);

	if (rc)
		return rc;
	if (pipe2(ends, O_CLOEXEC))
		return -errno;
	/* The program gets the lowest number that was free, as from the kernel. */
	fd = sim_reopen(ends[0], O_RDWR);
	rc = fd < 0 ? fd : dup3(fd, ends[0], O_CLOEXEC) < 0 ? -errno : 0;
	if (fd >= 0)
		sim_libc()->close(fd);
	sim_libc()->close(ends[1]);
	if (!rc)
		rc = SIM_PUT(call, UVERBS_ATTR_CORE_OUT, ends[0]);
	if (rc)
		sim_libc()->close(ends[0]);
	return rc;
}

static int set_channel(const struct sim_call *call, struct sim_cq *cq)
{
	const struct ib_uverbs_attr *fd = sim_attr(call, UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL);
	struct stat st;

	cq->channel = fd ? (int)fd->data_s64 : -1;
	if (!fd)
		return 0;
	if (sim_libc()->fstat(cq->channel, &st) || !S_ISFIFO(st.st_mode))
		return -EBADF; /* lookup_get_fd_uobject() */
	cq->channel_ino = st.st_ino;
	return 0;
}

/*
 * Removes the events of a CQ that no one has read: ib_uverbs_release_ucq().  libibverbs waits until the program has
 * acknowledged all others.
 */
static void remove_events(struct sim_cq *cq)
{
	struct ib_uverbs_comp_event_desc events[512];
	const int fd = cq->comp_events ? sim_cq_open_channel(cq) : -EBADF;
	ssize_t length = fd < 0 ? -1 : read(fd, events, sizeof(events));
	size_t count = length < 0 ? 0 : (size_t)length / sizeof(events[0]);

	for (size_t i = 0; i < count; i++) {
		if (events[i].cq_handle == cq->user_handle)
			cq->comp_events--;
		else if (write(fd, &events[i], sizeof(events[i])) < 0)
			break;
	}
	if (fd >= 0)
		sim_libc()->close(fd);
}

/* ---- CQs ----------------------------------------------------------------------------------- */

/* uverbs_std_types_cq.c UVERBS_METHOD_CQ_CREATE */
int sim_create_cq(struct sim_call *call)
{
	struct sim_queue_request request = {
		.type = UVERBS_OBJECT_CQ,
		.pd = SIM_NO_HANDLE,
		.queue.cq.cqe = (uint32_t)sim_attr_number(call, UVERBS_ATTR_CREATE_CQ_CQE),
		.queue.cq.user_handle = sim_attr_number(call, UVERBS_ATTR_CREATE_CQ_USER_HANDLE),
	};
	const uint32_t known =
		IB_UVERBS_CQ_FLAGS_TIMESTAMP_COMPLETION | IB_UVERBS_CQ_FLAGS_IGNORE_OVERRUN;
	int rc = sim_attr_flags(call, UVERBS_ATTR_CREATE_CQ_FLAGS, known, &request.flags);

	if (!rc)
		rc = set_channel(call, &request.queue.cq);
	if (!rc &&
	    (uint32_t)sim_attr_number(call, UVERBS_ATTR_CREATE_CQ_COMP_VECTOR) >= SIM_COMP_VECTORS)
		rc = -EINVAL;
	if (!rc)
		rc = create_queue(call, &request);
	return rc ?: SIM_COPY(call, UVERBS_ATTR_CREATE_CQ_RESP_CQE, request.queue.cq.cqe);
}

/* The CQ is deleted, but its record is as it was. */
int sim_destroy_cq(struct sim_call *call)
{
	struct sim_cq *cq = &sim_queue_of(call->table, call->object)->cq;
	struct ib_uverbs_destroy_cq_resp resp = { 0 };

	remove_events(cq);
	resp.comp_events_reported = cq->comp_events;
	return SIM_COPY(call, UVERBS_ATTR_DESTROY_CQ_RESP, resp);
}

/* rxe_register_device(), uverbs_cmd_mask: programs of mlx5 arm CQs without the kernel */
bool sim_notify_is_supported(const struct sim_call *call)
{
	return call->profile->kind == MR_SIM_RXE;
}

/* rxe_req_notify_cq() */
int sim_write_req_notify_cq(struct sim_call *call)
{
	struct ib_uverbs_req_notify_cq cmd;
	struct sim_queue *queue;
	int rc = sim_write_request(call, &cmd, sizeof(cmd))
			 ?: sim_queue_find(call->table, UVERBS_OBJECT_CQ, cmd.cq_handle, &queue);

	if (!rc && queue->cq.notify != SIM_CQ_NEXT)
		queue->cq.notify = cmd.solicited_only ? SIM_CQ_SOLICITED : SIM_CQ_NEXT;
	return rc;
}

/* ---- SRQs ---------------------------------------------------------------------------------- */

/* uverbs_std_types_srq.c UVERBS_METHOD_SRQ_CREATE; neither XRC nor tag matching is modelled */
int sim_create_srq(struct sim_call *call)
{
	const uint64_t type = sim_attr_number(call, UVERBS_ATTR_CREATE_SRQ_TYPE);
	struct sim_queue_request request = {
		.type = UVERBS_OBJECT_SRQ,
		.pd = (uint32_t)sim_attr_number(call, UVERBS_ATTR_CREATE_SRQ_PD_HANDLE),
		.queue.srq.user_handle = sim_attr_number(call, UVERBS_ATTR_CREATE_SRQ_USER_HANDLE),
	};
	struct ib_uverbs_query_srq_resp *attr = &request.queue.srq.attr;
	int rc;

	if (type != IB_UVERBS_SRQT_BASIC)
		return type <= IB_UVERBS_SRQT_TM ? -EOPNOTSUPP : -EINVAL;
	attr->max_wr = (uint32_t)sim_attr_number(call, UVERBS_ATTR_CREATE_SRQ_MAX_WR);
	attr->max_sge = (uint32_t)sim_attr_number(call, UVERBS_ATTR_CREATE_SRQ_MAX_SGE);
	attr->srq_limit = (uint32_t)sim_attr_number(call, UVERBS_ATTR_CREATE_SRQ_LIMIT);
	rc = create_queue(call, &request);
	return rc ?: SIM_COPY(call, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, attr->max_wr)
			     ?: SIM_COPY(call, UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, attr->max_sge);
}

int sim_destroy_srq(struct sim_call *call)
{
	static const struct ib_uverbs_destroy_srq_resp resp;

	return SIM_COPY(call, UVERBS_ATTR_DESTROY_SRQ_RESP, resp);
}

int sim_write_modify_srq(struct sim_call *call)
{
	struct ib_uverbs_modify_srq cmd;
	struct sim_queue *queue;
	int rc = sim_write_request(call, &cmd, sizeof(cmd))
			 ?: sim_queue_find(call->table, UVERBS_OBJECT_SRQ, cmd.srq_handle, &queue);

	return rc ?: call->profile->modify_srq(call, &queue->srq, &cmd);
}

int sim_write_query_srq(struct sim_call *call)
{
	struct ib_uverbs_query_srq cmd;
	struct sim_queue *queue;
	int rc = sim_write_request(call, &cmd, sizeof(cmd))
			 ?: sim_queue_find(call->table, UVERBS_OBJECT_SRQ, cmd.srq_handle, &queue);

	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, queue->srq.attr);
}

/* ---- paths and AHs --------------------------------------------------------------------------- */

bool sim_has_port(const struct sim_profile *profile, uint64_t port)
{
	return port && port <= profile->attributes.phys_port_cnt;
}

static int check_path(const struct sim_profile *profile, uint8_t port, bool is_global,
		      uint8_t sgid_index)
{
	const bool is_roce = profile->port.link_layer == IBV_LINK_LAYER_ETHERNET;

	if (!sim_has_port(profile, port) || (is_roce && !is_global))
		return -EINVAL;
	if (!is_global)
		return 0;
	if (sgid_index >= profile->port.gid_tbl_len)
		return -EINVAL;
	return sgid_index ? -ENODATA : 0; /* there is one GID */
}

/* ib_uverbs_create_ah(), rdma_create_user_ah() */
int sim_write_create_ah(struct sim_call *call)
{
	struct ib_uverbs_create_ah cmd;
	struct sim_object *pd;
	int rc = sim_write_request(call, &cmd, sizeof(cmd))
			 ?: sim_call_create(call, UVERBS_OBJECT_AH, NULL)
			 ?: sim_object_find(call->table, UVERBS_OBJECT_PD, cmd.pd_handle, &pd)
			 ?: check_path(call->profile, cmd.attr.port_num, cmd.attr.is_global,
					   cmd.attr.grh.sgid_index);

	if (rc)
		return rc;
	call->object->parent = cmd.pd_handle;
	if (call->profile->answer_ah)
		rc = call->profile->answer_ah(call);
	/* The answer is the handle alone: struct ib_uverbs_create_ah_resp. */
	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, call->created);
}

#define FIRST_QPN     2 /* behind those of subnet management */
#define QPN_MASK      0xffffffu
#define PSN_MASK      0xffffffu
#define STANDARD_BITS (((uint32_t)IBV_QP_DEST_QPN << 1) - 1) /* IB_QP_ATTR_STANDARD_BITS */

/* ---- QPs ------------------------------------------------------------------------------ */

static bool has_qp(const struct sim_table *table, uint32_t number)
{
	const struct sim_queue *queue;

	for (queue = sim_queue_next(table, NULL); queue; queue = sim_queue_next(table, queue))
		if (table->objects[queue->object].type == UVERBS_OBJECT_QP &&
		    queue->qp.number == number)
			return true;
	return false;
}

/* Draws a number that QPs of other contexts hardly have. */
static uint32_t new_number(const struct sim_table *table)
{
	uint32_t number;

	do {
		number = (uint32_t)sim_random() & QPN_MASK;
	} while (number < FIRST_QPN || has_qp(table, number));
	return number;
}

/* The handle of an object that the caller may leave out. */
static uint32_t handle_of(const struct sim_call *call, uint16_t id)
{
	const struct ib_uverbs_attr *attr = sim_attr(call, id);

	return attr ? (uint32_t)attr->data : SIM_NO_HANDLE;
}

/* Neither XRC nor raw packets nor types of the driver's own are modelled. */
static int check_type(uint64_t type)
{
	switch (type) {
	case IB_UVERBS_QPT_RC:
	case IB_UVERBS_QPT_UC:
	case IB_UVERBS_QPT_UD:
		return 0;
	case IB_UVERBS_QPT_RAW_PACKET:
		return sim_is_capable(CAP_NET_RAW) ? -EOPNOTSUPP : -EPERM;
	case IB_UVERBS_QPT_XRC_INI:
	case IB_UVERBS_QPT_XRC_TGT:
	case IB_UVERBS_QPT_DRIVER:
		return -EOPNOTSUPP;
	default:
		return -EINVAL;
	}
}

/* check_creation_flags(): offloads are for datagrams, and those of raw packets for these alone */
static int read_flags(const struct sim_call *call, struct sim_queue_request *request)
{
	const uint32_t offloads =
		IB_UVERBS_QP_CREATE_BLOCK_MULTICAST_LOOPBACK | IB_UVERBS_QP_CREATE_SCATTER_FCS |
		IB_UVERBS_QP_CREATE_CVLAN_STRIPPING | IB_UVERBS_QP_CREATE_PCI_WRITE_END_PADDING;
	const uint32_t raw = IB_UVERBS_QP_CREATE_SCATTER_FCS | IB_UVERBS_QP_CREATE_CVLAN_STRIPPING;
	int rc = sim_attr_flags(call, UVERBS_ATTR_CREATE_QP_FLAGS,
				offloads | IB_UVERBS_QP_CREATE_SQ_SIG_ALL, &request->flags);

	request->queue.qp.attr.sq_sig_all = !!(request->flags & IB_UVERBS_QP_CREATE_SQ_SIG_ALL);
	request->flags &= offloads;
	if (!rc && request->flags &&
	    (request->queue.qp.type != IB_UVERBS_QPT_UD || request->flags & raw))
		rc = -EINVAL;
	if (!rc && sim_attr(call, UVERBS_ATTR_CREATE_QP_SOURCE_QPN))
		rc = -EOPNOTSUPP;
	return rc;
}

/* uverbs_std_types_qp.c UVERBS_METHOD_QP_CREATE */
int sim_create_qp(struct sim_call *call)
{
	const uint64_t type = sim_attr_number(call, UVERBS_ATTR_CREATE_QP_TYPE);
	struct sim_queue_request request = {
		.type = UVERBS_OBJECT_QP,
		.pd = handle_of(call, UVERBS_ATTR_CREATE_QP_PD_HANDLE),
	};
	struct sim_qp *qp = &request.queue.qp;
	size_t length;
	int rc = check_type(type);

	if (rc)
		return rc;
	memcpy(&request.cap, sim_attr_data(call, UVERBS_ATTR_CREATE_QP_CAP, &length),
	       sizeof(request.cap));
	qp->type = (uint32_t)type;
	qp->user_handle = sim_attr_number(call, UVERBS_ATTR_CREATE_QP_USER_HANDLE);
	qp->send_cq = handle_of(call, UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE);
	qp->recv_cq = handle_of(call, UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE);
	qp->srq = handle_of(call, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE);
	qp->number = new_number(call->table);
	/* uverbs_attr_get_obj() of what the caller left out */
	if (request.pd == SIM_NO_HANDLE || qp->send_cq == SIM_NO_HANDLE ||
	    qp->recv_cq == SIM_NO_HANDLE)
		return -ENOENT;
	rc = read_flags(call, &request) ?: create_queue(call, &request);
	return rc ?: SIM_PUT(call, UVERBS_ATTR_CREATE_QP_RESP_CAP, request.cap)
			     ?: SIM_COPY(call, UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, qp->number);
}

int sim_destroy_qp(struct sim_call *call)
{
	static const struct ib_uverbs_destroy_qp_resp resp;

	sim_path_end(call->table, sim_queue_of(call->table, call->object));
	return SIM_COPY(call, UVERBS_ATTR_DESTROY_QP_RESP, resp);
}

int sim_write_query_qp(struct sim_call *call)
{
	struct ib_uverbs_query_qp cmd;
	struct sim_queue *queue;
	int rc = sim_write_request(call, &cmd, sizeof(cmd))
			 ?: sim_queue_find(call->table, UVERBS_OBJECT_QP, cmd.qp_handle, &queue);

	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, queue->qp.attr);
}

/* ---- changes of QPs ------------------------------------------------------------------------------- */

enum transport { RC, UC, UD, TRANSPORTS };

/* Attributes that a change of state needs, and those that it may have, of RC, UC and UD. */
static const struct transition {
	uint8_t from, to;
	uint32_t required[TRANSPORTS];
	uint32_t optional[TRANSPORTS];
} transitions[] = {
#define OPT_CONNECTED (IBV_QP_ALT_PATH | IBV_QP_ACCESS_FLAGS)
#define OPT_UC        (OPT_CONNECTED | IBV_QP_CUR_STATE | IBV_QP_PATH_MIG_STATE)
#define OPT_RC        (OPT_UC | IBV_QP_MIN_RNR_TIMER)
#define OPT_UD        (IBV_QP_CUR_STATE | IBV_QP_QKEY)
	{ IBV_QPS_RESET,
	  IBV_QPS_INIT,
	  { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	    IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	    IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY },
	  { 0 } },
	{ IBV_QPS_INIT,
	  IBV_QPS_INIT,
	  { 0 },
	  { IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	    IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS,
	    IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY } },
	{ IBV_QPS_INIT,
	  IBV_QPS_RTR,
	  { IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
		    IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER,
	    IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN, 0 },
	  { OPT_CONNECTED | IBV_QP_PKEY_INDEX, OPT_CONNECTED | IBV_QP_PKEY_INDEX,
	    IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
	{ IBV_QPS_RTR,
	  IBV_QPS_RTS,
	  { IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN |
		    IBV_QP_MAX_QP_RD_ATOMIC,
	    IBV_QP_SQ_PSN, IBV_QP_SQ_PSN },
	  { OPT_RC, OPT_UC, OPT_UD } },
	{ IBV_QPS_RTS, IBV_QPS_RTS, { 0 }, { OPT_RC, OPT_UC, OPT_UD } },
	{ IBV_QPS_RTS,
	  IBV_QPS_SQD,
	  { 0 },
	  { IBV_QP_EN_SQD_ASYNC_NOTIFY, IBV_QP_EN_SQD_ASYNC_NOTIFY, IBV_QP_EN_SQD_ASYNC_NOTIFY } },
	{ IBV_QPS_SQD, IBV_QPS_RTS, { 0 }, { OPT_RC, OPT_UC, OPT_UD } },
	{ IBV_QPS_SQD,
	  IBV_QPS_SQD,
	  { 0 },
	  { OPT_CONNECTED | IBV_QP_PATH_MIG_STATE | IBV_QP_MIN_RNR_TIMER | IBV_QP_PKEY_INDEX |
		    IBV_QP_AV | IBV_QP_PORT | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		    IBV_QP_MAX_QP_RD_ATOMIC | IBV_QP_MAX_DEST_RD_ATOMIC,
	    OPT_CONNECTED | IBV_QP_PATH_MIG_STATE | IBV_QP_PKEY_INDEX | IBV_QP_AV,
	    IBV_QP_PKEY_INDEX | IBV_QP_QKEY } },
	{ IBV_QPS_SQE,
	  IBV_QPS_RTS,
	  { 0 },
	  { 0, IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS, IBV_QP_CUR_STATE | IBV_QP_QKEY } },
};

/* core/verbs.c ib_modify_qp_is_ok() */
static bool is_transition(uint32_t type, uint8_t from, uint8_t to, uint32_t mask)
{
	const enum transport transport = type == IB_UVERBS_QPT_RC   ? RC
					 : type == IB_UVERBS_QPT_UC ? UC
								    : UD;
	uint32_t required = 0, optional = 0;
	bool valid = to == IBV_QPS_RESET || (to == IBV_QPS_ERR && from != IBV_QPS_RESET);

	if (mask & IBV_QP_CUR_STATE && from != IBV_QPS_RTR && from != IBV_QPS_RTS &&
	    from != IBV_QPS_SQD && from != IBV_QPS_SQE)
		return false;
	for (size_t i = 0; i < sizeof(transitions) / sizeof(transitions[0]); i++) {
		if (transitions[i].from != from || transitions[i].to != to)
			continue;
		valid = true;
		required = transitions[i].required[transport];
		optional = transitions[i].optional[transport];
	}
	return valid && (mask & required) == required &&
	       !(mask & ~(required | optional | IBV_QP_STATE));
}

static int check_dest(const struct sim_profile *profile, const struct ib_uverbs_qp_dest *dest)
{
	return check_path(profile, dest->port_num, dest->is_global, dest->sgid_index);
}

/* uverbs_cmd.c modify_qp(): checks of the core, which may add the port to the command */
static int check_command(const struct sim_call *call, const struct sim_qp *qp,
			 struct ib_uverbs_modify_qp *cmd)
{
	const struct sim_profile *profile = call->profile;
	const uint32_t mask = cmd->attr_mask;
	const bool to_rtr = mask & IBV_QP_STATE && cmd->qp_state == IBV_QPS_RTR;

	if ((mask & IBV_QP_PORT && !sim_has_port(profile, cmd->port_num)) ||
	    (mask & IBV_QP_AV && !sim_has_port(profile, cmd->dest.port_num)) ||
	    (mask & IBV_QP_AV && to_rtr && cmd->dest.port_num != qp->attr.port_num) ||
	    (mask & IBV_QP_AV && mask & IBV_QP_PORT && cmd->port_num != cmd->dest.port_num) ||
	    (mask & IBV_QP_ALT_PATH && (!sim_has_port(profile, cmd->alt_port_num) ||
					cmd->alt_port_num != cmd->alt_dest.port_num)) ||
	    (mask & IBV_QP_CUR_STATE && cmd->cur_qp_state > IBV_QPS_ERR) ||
	    (mask & IBV_QP_STATE && cmd->qp_state > IBV_QPS_ERR))
		return -EINVAL;
	if (mask & IBV_QP_AV && !to_rtr) {
		cmd->attr_mask |= IBV_QP_PORT;
		cmd->port_num = cmd->dest.port_num;
	}
	/* core/verbs.c _ib_modify_qp(): alternate paths are for InfiniBand alone */
	if (mask & IBV_QP_ALT_PATH && profile->port.link_layer == IBV_LINK_LAYER_ETHERNET)
		return -EINVAL;
	return (mask & IBV_QP_AV ? check_dest(profile, &cmd->dest) : 0)
		       ?: (mask & IBV_QP_ALT_PATH ? check_dest(profile, &cmd->alt_dest) : 0);
}

static void set_attributes(struct ib_uverbs_query_qp_resp *attr,
			   const struct ib_uverbs_modify_qp *cmd)
{
#define SET(bit, member)                                                                           \
	do {                                                                                       \
		if (cmd->attr_mask & (bit))                                                        \
			attr->member = cmd->member;                                                \
	} while (0)
	SET(IBV_QP_ACCESS_FLAGS, qp_access_flags);
	SET(IBV_QP_PKEY_INDEX, pkey_index);
	SET(IBV_QP_PORT, port_num);
	SET(IBV_QP_QKEY, qkey);
	SET(IBV_QP_AV, dest);
	SET(IBV_QP_PATH_MTU, path_mtu);
	SET(IBV_QP_TIMEOUT, timeout);
	SET(IBV_QP_RETRY_CNT, retry_cnt);
	SET(IBV_QP_RNR_RETRY, rnr_retry);
	SET(IBV_QP_RQ_PSN, rq_psn);
	SET(IBV_QP_ALT_PATH, alt_dest);
	SET(IBV_QP_ALT_PATH, alt_pkey_index);
	SET(IBV_QP_ALT_PATH, alt_port_num);
	SET(IBV_QP_ALT_PATH, alt_timeout);
	SET(IBV_QP_MIN_RNR_TIMER, min_rnr_timer);
	SET(IBV_QP_SQ_PSN, sq_psn);
	SET(IBV_QP_PATH_MIG_STATE, path_mig_state);
	SET(IBV_QP_DEST_QPN, dest_qp_num);
	SET(IBV_QP_STATE, qp_state);
#undef SET
	attr->rq_psn &= PSN_MASK; /* _ib_modify_qp() */
	attr->sq_psn &= PSN_MASK;
	/* log_sra_max and log_rra_max; rxe_qp_from_attr() */
	if (cmd->attr_mask & IBV_QP_MAX_QP_RD_ATOMIC)
		attr->max_rd_atomic =
			(uint8_t)(cmd->max_rd_atomic ? sim_round_up_to_power(cmd->max_rd_atomic)
						     : 0);
	if (cmd->attr_mask & IBV_QP_MAX_DEST_RD_ATOMIC)
		attr->max_dest_rd_atomic =
			(uint8_t)(cmd->max_dest_rd_atomic
					  ? sim_round_up_to_power(cmd->max_dest_rd_atomic)
					  : 0);
	attr->cur_qp_state = attr->qp_state;
}

static int modify_qp(struct sim_call *call, struct ib_uverbs_modify_qp *cmd)
{
	struct ib_uverbs_query_qp_resp old;
	struct sim_queue *queue;
	struct sim_qp *qp;
	uint8_t from, to;
	int rc = sim_queue_find(call->table, UVERBS_OBJECT_QP, cmd->qp_handle, &queue);

	if (rc)
		return rc;
	qp = &queue->qp;
	rc = check_command(call, qp, cmd);
	if (rc)
		return rc;
	from = cmd->attr_mask & IBV_QP_CUR_STATE ? cmd->cur_qp_state : qp->attr.qp_state;
	to = cmd->attr_mask & IBV_QP_STATE ? cmd->qp_state : from;
	if (!is_transition(qp->type, from, to, cmd->attr_mask))
		return -EINVAL;
	rc = call->profile->check_qp(call, cmd, from, to);
	if (rc)
		return rc;
	old = qp->attr;
	set_attributes(&qp->attr, cmd);
	if (cmd->attr_mask & IBV_QP_STATE)
		rc = sim_path_change(call->table, queue);
	if (rc)
		qp->attr = old;
	return rc;
}

int sim_write_modify_qp(struct sim_call *call)
{
	struct ib_uverbs_modify_qp cmd;
	int rc = sim_write_request(call, &cmd, sizeof(cmd));

	if (!rc && cmd.attr_mask & ~STANDARD_BITS)
		rc = -EOPNOTSUPP;
	return rc ?: modify_qp(call, &cmd);
}

/* ib_uverbs_ex_modify_qp(); no device limits rates */
int sim_write_ex_modify_qp(struct sim_call *call)
{
	const struct ib_uverbs_ex_modify_qp_resp resp = {
		.response_length = sim_attr_fit(call, UVERBS_ATTR_CORE_OUT, sizeof(resp)),
	};
	struct ib_uverbs_ex_modify_qp cmd;
	int rc = sim_write_request(call, &cmd, sizeof(cmd));

	if (!rc && cmd.base.attr_mask & ~STANDARD_BITS)
		rc = -EOPNOTSUPP;
	if (!rc)
		rc = modify_qp(call, &cmd.base);
	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, resp);
}
