// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <linux/capability.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <stddef.h>
#include <string.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/handlers/handlers.h"
#include "lib/sim/path/path.h"
#include "lib/sim/state/state.h"

#define FIRST_QPN     2 /* behind those of subnet management */
#define QPN_MASK      0xffffffu
#define PSN_MASK      0xffffffu
#define STANDARD_BITS (((uint32_t)IBV_QP_DEST_QPN << 1) - 1) /* IB_QP_ATTR_STANDARD_BITS */

/* ---- creation ------------------------------------------------------------------------------ */

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
	rc = read_flags(call, &request) ?: sim_create_queue(call, &request);
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

/* ---- changes ------------------------------------------------------------------------------- */

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
	return sim_check_path(profile, dest->port_num, dest->is_global, dest->sgid_index);
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
	const struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_CORE_OUT);
	struct ib_uverbs_ex_modify_qp_resp resp = { .response_length = sizeof(resp) };
	struct ib_uverbs_ex_modify_qp cmd;
	int rc = sim_write_request(call, &cmd, sizeof(cmd));

	if (!rc && cmd.base.attr_mask & ~STANDARD_BITS)
		rc = -EOPNOTSUPP;
	if (!rc)
		rc = modify_qp(call, &cmd.base);
	if (out && out->len < sizeof(resp))
		resp.response_length = out->len;
	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, resp);
}
