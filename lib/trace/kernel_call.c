// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <string.h>

#include "lib/trace/kernel_call.h"
#include "lib/trace/wire/queues.h"

/* Of UVERBS_METHOD_REG_MR and of mlx5, from later versions of the headers; as in lib/verbs/uverbs.c */
enum { METHOD_REG_MR = 5 };
enum { REG_MR_IOVA = 3, REG_MR_ADDR, REG_MR_LENGTH, REG_MR_ACCESS, REG_MR_FD, REG_MR_FD_OFFSET };
/* Page sizes that mlx5dv_devx_umem_reg() asks for: all from 4 KiB (providers/mlx5/verbs.c) */
#define ALL_PAGES             (~UINT64_C(4095))
#define MLX5_REG_DMABUF_FLAGS (1U << UVERBS_ID_NS_SHIFT)
#define EXTENDED              IB_USER_VERBS_CMD_FLAG_EXTENDED

#define METHOD(object_, method_, call_, ...)                                                       \
	{                                                                                          \
		.object = (object_), .method = (method_), .call = MR_TRACED_##call_, __VA_ARGS__   \
	}
#define OF_DM(name)     UVERBS_ATTR_REG_DM_MR_##name + 1
#define OF_DMABUF(name) UVERBS_ATTR_REG_DMABUF_MR_##name + 1
#define OF_UMEM(name)   MLX5_IB_ATTR_DEVX_UMEM_REG_##name + 1

const struct mr_kernel_method mr_kernel_methods[MR_KERNEL_METHODS] = {
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, CALL_COUNT),
	METHOD(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, IBV_DEALLOC_PD),
	METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, IBV_ALLOC_DM,
	       .length = UVERBS_ATTR_ALLOC_DM_LENGTH + 1),
	METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, IBV_FREE_DM,
	       .handle = UVERBS_ATTR_FREE_DM_HANDLE + 1),
	METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, IBV_CREATE_CQ),
	METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, IBV_CREATE_QP),
	METHOD(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, IBV_CREATE_SRQ),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, IBV_REG_DM_MR, .addr = OF_DM(OFFSET),
	       .length = OF_DM(LENGTH), .access = OF_DM(ACCESS_FLAGS)),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, IBV_DEREG_MR,
	       .handle = UVERBS_ATTR_DESTROY_MR_HANDLE + 1),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, IBV_ADVISE_MR,
	       .access = UVERBS_ATTR_ADVISE_MR_ADVICE + 1,
	       .flags = UVERBS_ATTR_ADVISE_MR_FLAGS + 1),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, IBV_REG_DMABUF_MR,
	       .addr = OF_DMABUF(OFFSET), .length = OF_DMABUF(LENGTH),
	       .access = OF_DMABUF(ACCESS_FLAGS), .iova = OF_DMABUF(IOVA), .fd = OF_DMABUF(FD),
	       .flags = MLX5_REG_DMABUF_FLAGS + 1),
	METHOD(UVERBS_OBJECT_MR, METHOD_REG_MR, IBV_REG_MR_EX, .addr = REG_MR_ADDR + 1,
	       .length = REG_MR_LENGTH + 1, .access = REG_MR_ACCESS + 1, .iova = REG_MR_IOVA + 1,
	       .fd = REG_MR_FD + 1),
	METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, MLX5DV_DEVX_UMEM_REG,
	       .addr = OF_UMEM(ADDR), .length = OF_UMEM(LEN), .access = OF_UMEM(ACCESS),
	       .fd = OF_UMEM(DMABUF_FD), .pages = OF_UMEM(PGSZ_BITMAP)),
	METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, MLX5DV_DEVX_UMEM_DEREG,
	       .handle = MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE + 1),
};

const uint32_t mr_kernel_commands[MR_KERNEL_COMMANDS] = {
	IB_USER_VERBS_CMD_ALLOC_PD,  IB_USER_VERBS_CMD_DEALLOC_PD, IB_USER_VERBS_CMD_REG_MR,
	IB_USER_VERBS_CMD_REREG_MR,  IB_USER_VERBS_CMD_DEREG_MR,   IB_USER_VERBS_CMD_CREATE_CQ,
	IB_USER_VERBS_CMD_CREATE_QP, IB_USER_VERBS_CMD_CREATE_SRQ, IB_USER_VERBS_CMD_CREATE_XSRQ,
};

/* @number: of an attribute, plus 1.  Return: its place; MR_KERNEL_ATTRIBUTES where it was not given, or not copied */
static size_t find(const struct mr_kernel_event *event, unsigned int number)
{
	size_t i = 0;

	while (i < MR_KERNEL_ATTRIBUTES &&
	       (i >= event->attributes || event->attribute[i].id + 1U != number))
		i++;
	return i;
}

/* Reads a number, which is in the attribute itself; 0 where there is none.  Return: @flag, or 0 where there is none */
static uint32_t read_number(const struct mr_kernel_event *event, unsigned int number,
			    uint64_t *value, uint32_t flag)
{
	const size_t place = find(event, number);

	*value = 0;
	if (place == MR_KERNEL_ATTRIBUTES)
		return 0;
	*value = event->attribute[place].data;
	if (event->attribute[place].length == sizeof(uint32_t))
		*value &= UINT32_MAX;
	return flag;
}

static void read_advised(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	const size_t place = find(event, UVERBS_ATTR_ADVISE_MR_SGE_LIST + 1);
	struct ib_uverbs_sge range;

	if (place == MR_KERNEL_ATTRIBUTES)
		return;
	memcpy(&range, event->block[place], sizeof(range));
	record->addr = range.addr;
	record->length = range.length;
	record->lkey = range.lkey;
	record->range_count = event->attribute[place].length / (uint32_t)sizeof(range);
}

static void read_queue(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	const size_t place = find(event, UVERBS_ATTR_CREATE_QP_CAP + 1);
	uint64_t number;

	if (record->call == MR_TRACED_IBV_CREATE_CQ) {
		read_number(event, UVERBS_ATTR_CREATE_CQ_CQE + 1, &number, 0);
		record->queue_bytes = mr_trace_cq_bytes((uint32_t)number);
	} else if (record->call == MR_TRACED_IBV_CREATE_SRQ) {
		read_number(event, UVERBS_ATTR_CREATE_SRQ_MAX_WR + 1, &number, 0);
		record->queue_bytes = mr_trace_srq_bytes((uint32_t)number);
	} else if (place < MR_KERNEL_ATTRIBUTES) {
		struct ib_uverbs_qp_cap cap;

		memcpy(&cap, event->block[place], sizeof(cap));
		read_number(event, UVERBS_ATTR_CREATE_QP_TYPE + 1, &number, 0);
		record->queue_bytes = mr_trace_qp_bytes(&(struct mr_trace_qp){
			.type = (uint32_t)number,
			.max_send_wr = cap.max_send_wr,
			.max_recv_wr = cap.max_recv_wr,
			.max_recv_sge = cap.max_recv_sge,
			.has_srq = find(event, UVERBS_ATTR_CREATE_QP_SRQ_HANDLE + 1) <
				   MR_KERNEL_ATTRIBUTES,
		});
	}
}

static void read_method(const struct mr_kernel_event *event, const struct mr_kernel_method *method,
			struct mr_trace_record *record)
{
	uint64_t access, fd, flags, handle;
	const bool has_flags = read_number(event, method->flags, &flags, 1);

	record->call = method->call;
	if (!read_number(event, method->addr, &record->addr, 1) &&
	    method->call == MR_TRACED_IBV_REG_MR_EX)
		read_number(event, REG_MR_FD_OFFSET + 1, &record->addr, 0);
	read_number(event, method->length, &record->length, 0);
	read_number(event, method->access, &access, 0);
	read_number(event, method->handle, &handle, 0);
	record->flags |=
		read_number(event, method->iova, &record->iova, MR_TRACE_HAS_IOVA) |
		read_number(event, method->fd, &fd, MR_TRACE_HAS_FD) |
		read_number(event, method->pages, &record->page_sizes, MR_TRACE_HAS_PAGE_SIZES);
	record->access = (uint32_t)access;
	record->fd = (int32_t)fd;
	record->call_flags = (uint32_t)flags;
	record->handle = (uint32_t)handle;
	if (has_flags && record->call == MR_TRACED_IBV_REG_DMABUF_MR)
		record->call = MR_TRACED_MLX5DV_REG_DMABUF_MR;
	if (record->page_sizes == ALL_PAGES)
		record->flags &= ~(uint32_t)MR_TRACE_HAS_PAGE_SIZES;
	if (record->flags & (MR_TRACE_HAS_PAGE_SIZES | MR_TRACE_HAS_FD) &&
	    record->call == MR_TRACED_MLX5DV_DEVX_UMEM_REG)
		record->call = MR_TRACED_MLX5DV_DEVX_UMEM_REG_EX;
	if (record->call == MR_TRACED_IBV_ADVISE_MR)
		read_advised(event, record);
	if (mr_traced_call_row(record->call)->effect == MR_TRACED_CREATES)
		read_queue(event, record);
}

static void read_reg(const struct ib_uverbs_reg_mr *in, struct mr_trace_record *record)
{
	const bool has_iova = in->start != in->hca_va;

	record->call = has_iova ? MR_TRACED_IBV_REG_MR_IOVA : MR_TRACED_IBV_REG_MR;
	record->flags |= has_iova ? MR_TRACE_HAS_IOVA : 0;
	record->addr = in->start;
	record->length = in->length;
	record->iova = in->hca_va;
	record->access = in->access_flags;
}

static void read_rereg(const struct ib_uverbs_rereg_mr *in, struct mr_trace_record *record)
{
	record->call = MR_TRACED_IBV_REREG_MR;
	record->call_flags = in->flags;
	record->handle = in->mr_handle;
	record->addr = in->start;
	record->length = in->length;
	record->access = in->access_flags;
	record->result = IBV_REREG_MR_ERR_CMD; /* of libibverbs, where the kernel refuses */
}

static void read_qp(const struct ib_uverbs_create_qp *in, struct mr_trace_record *record)
{
	record->queue_bytes = mr_trace_qp_bytes(&(struct mr_trace_qp){
		.type = in->qp_type,
		.max_send_wr = in->max_send_wr,
		.max_recv_wr = in->max_recv_wr,
		.max_recv_sge = in->max_recv_sge,
		.has_srq = in->is_srq,
	});
}

/* Reads a command; the request of an extended one, which has the same number, is another one and is not read. */
static bool read_command(uint64_t command, const void *request, struct mr_trace_record *record)
{
	union {
		struct ib_uverbs_reg_mr reg;
		struct ib_uverbs_rereg_mr rereg;
		struct ib_uverbs_dereg_mr dereg;
		struct ib_uverbs_create_cq cq;
		struct ib_uverbs_create_qp qp;
		struct ib_uverbs_create_srq srq;
		struct ib_uverbs_create_xsrq xsrq;
		uint8_t bytes[MR_KERNEL_BLOCK];
	} in;

	memcpy(&in, request, sizeof(in));
	switch (command) {
	case IB_USER_VERBS_CMD_REG_MR:
		read_reg(&in.reg, record);
		return true;
	case IB_USER_VERBS_CMD_REREG_MR:
		read_rereg(&in.rereg, record);
		return true;
	case IB_USER_VERBS_CMD_DEREG_MR:
		record->call = MR_TRACED_IBV_DEREG_MR;
		record->handle = in.dereg.mr_handle;
		return true;
	case IB_USER_VERBS_CMD_ALLOC_PD:
	case IB_USER_VERBS_CMD_DEALLOC_PD:
		record->call = command == IB_USER_VERBS_CMD_ALLOC_PD ? MR_TRACED_IBV_ALLOC_PD
								     : MR_TRACED_IBV_DEALLOC_PD;
		return true;
	case IB_USER_VERBS_CMD_CREATE_CQ:
	case EXTENDED | IB_USER_VERBS_CMD_CREATE_CQ:
		record->call = MR_TRACED_IBV_CREATE_CQ;
		if (!(command & EXTENDED))
			record->queue_bytes = mr_trace_cq_bytes(in.cq.cqe);
		return true;
	case IB_USER_VERBS_CMD_CREATE_QP:
	case EXTENDED | IB_USER_VERBS_CMD_CREATE_QP:
		record->call = MR_TRACED_IBV_CREATE_QP;
		if (!(command & EXTENDED))
			read_qp(&in.qp, record);
		return true;
	case IB_USER_VERBS_CMD_CREATE_SRQ:
	case IB_USER_VERBS_CMD_CREATE_XSRQ:
		record->call = MR_TRACED_IBV_CREATE_SRQ;
		record->queue_bytes = mr_trace_srq_bytes(
			command == IB_USER_VERBS_CMD_CREATE_SRQ ? in.srq.max_wr : in.xsrq.max_wr);
		return true;
	default:
		return false;
	}
}

/* A request of up to 8 bytes is in the attribute itself. */
static bool read_invoked(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	const size_t place = find(event, UVERBS_ATTR_CORE_IN + 1);
	uint8_t request[MR_KERNEL_BLOCK] = { 0 };
	uint64_t command;

	if (place == MR_KERNEL_ATTRIBUTES ||
	    !read_number(event, UVERBS_ATTR_WRITE_CMD + 1, &command, 1))
		return false;
	if (event->attribute[place].length > sizeof(uint64_t))
		memcpy(request, event->block[place], sizeof(request));
	else
		memcpy(request, &event->attribute[place].data, sizeof(uint64_t));
	return read_command(command, request, record);
}

bool mr_kernel_call_read(const struct mr_kernel_event *event, struct mr_trace_record *record)
{
	memset(record, 0, sizeof(*record));
	record->begin_ns = event->begin_ns;
	record->elapsed_ns = event->end_ns - event->begin_ns;
	if (event->result < 0 && event->result >= -4095)
		record->errnum = record->kernel_errnum = -(int32_t)event->result;
	record->kernel_calls = 1;
	record->flags = MR_TRACE_KERNEL_SEEN;
	if (event->is_write)
		return read_command(event->size | ((uint64_t)event->object << 16 & EXTENDED),
				    event->block[0], record);
	for (size_t i = 0; i < MR_KERNEL_METHODS; i++) {
		const struct mr_kernel_method *method = &mr_kernel_methods[i];

		if (method->object != event->object || method->method != event->method)
			continue;
		if (method->call == MR_TRACED_CALL_COUNT)
			return read_invoked(event, record);
		read_method(event, method, record);
		return true;
	}
	return false;
}
