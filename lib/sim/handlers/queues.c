// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* CQs with their channels, SRQs and AHs, and what creating them has in common with creating QPs. */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <string.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/handlers/handlers.h"
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

int sim_create_queue(struct sim_call *call, struct sim_queue_request *request)
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
		rc = sim_create_queue(call, &request);
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
	rc = sim_create_queue(call, &request);
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

bool sim_has_port(const struct sim_profile *profile, uint8_t port)
{
	return port && port <= profile->attributes.phys_port_cnt;
}

int sim_check_path(const struct sim_profile *profile, uint8_t port, bool is_global,
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
	int rc = sim_write_request(call, &cmd, sizeof(cmd));

	if (!rc)
		rc = sim_call_create(call, UVERBS_OBJECT_AH, NULL);
	if (!rc)
		rc = sim_object_find(call->table, UVERBS_OBJECT_PD, cmd.pd_handle, &pd);
	if (!rc)
		rc = sim_check_path(call->profile, cmd.attr.port_num, cmd.attr.is_global,
				    cmd.attr.grh.sgid_index);
	if (rc)
		return rc;
	call->object->parent = cmd.pd_handle;
	if (call->profile->answer_ah)
		rc = call->profile->answer_ah(call);
	/* The answer is the handle alone: struct ib_uverbs_create_ah_resp. */
	return rc ?: SIM_PUT(call, UVERBS_ATTR_CORE_OUT, call->created);
}
