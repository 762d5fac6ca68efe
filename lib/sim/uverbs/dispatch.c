// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <limits.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <stddef.h>
#include <sys/eventfd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/devices/devices.h"
#include "lib/sim/handlers/handlers.h"
#include "lib/sim/state/state.h"
#include "lib/sim/uverbs/uverbs.h"

/* Types of attributes: the kernel's enum uverbs_attr_type. */
enum sim_attr_kind {
	SIM_ATTR_IN,      /* data from the caller, inline up to 8 bytes */
	SIM_ATTR_ENUM,    /* a value of an enumeration, below @max, without data */
	SIM_ATTR_OUT,     /* a buffer of the caller for data */
	SIM_ATTR_USE,     /* handle of an object */
	SIM_ATTR_DESTROY, /* handle of an object to destroy; the method's first attribute */
	SIM_ATTR_NEW,     /* gets the handle of a new object */
	SIM_ATTR_NEW_FD,  /* gets a new descriptor */
	SIM_ATTR_RAW_FD,  /* a descriptor of any file */
};

/*
 * UAPI_DEF_WRITE_*(): the commands, with the least bytes of request and response.  The sizes of extended
 * commands are 0: they may be shorter than their structures.
 */
static const struct command {
	uint32_t number;
	uint16_t request;
	uint16_t response;
	enum mr_sim_call call; /* its name for faults */

	sim_handler *run; /* NULL: it destroys the object whose handle is its request */

	/* UAPI_DEF_METHOD_NEEDS_FN(): whether the driver has the function for it; NULL: all drivers have. */
	bool (*is_supported)(const struct sim_call *call);
	uint16_t destroys; /* type of the object */
} commands[] = {
#define COMMAND(NAME, name, ...)                                                                   \
	{                                                                                          \
		.number = IB_USER_VERBS_CMD_##NAME, .request = sizeof(struct ib_uverbs_##name),    \
		.call = MR_SIM_##NAME, __VA_ARGS__                                                 \
	}
#define ANSWERED(NAME, name, ...)                                                                  \
	COMMAND(NAME, name, .response = sizeof(struct ib_uverbs_##name##_resp),                    \
		.run = sim_write_##name, __VA_ARGS__)
	ANSWERED(REG_MR, reg_mr, ),
	ANSWERED(REREG_MR, rereg_mr, .is_supported = sim_rereg_is_supported),
	COMMAND(DEREG_MR, dereg_mr, .destroys = UVERBS_OBJECT_MR),
	ANSWERED(ALLOC_PD, alloc_pd, ),
	COMMAND(DEALLOC_PD, dealloc_pd, .destroys = UVERBS_OBJECT_PD),
	ANSWERED(ALLOC_MW, alloc_mw, ),
	COMMAND(DEALLOC_MW, dealloc_mw, .destroys = UVERBS_OBJECT_MW),
	ANSWERED(CREATE_COMP_CHANNEL, create_comp_channel, ),
	COMMAND(REQ_NOTIFY_CQ, req_notify_cq, .run = sim_write_req_notify_cq,
		.is_supported = sim_notify_is_supported),
	COMMAND(MODIFY_SRQ, modify_srq, .run = sim_write_modify_srq),
	ANSWERED(QUERY_SRQ, query_srq, ),
	COMMAND(MODIFY_QP, modify_qp, .run = sim_write_modify_qp),
	{ .number = IB_USER_VERBS_EX_CMD_MODIFY_QP | IB_USER_VERBS_CMD_FLAG_EXTENDED,
	  .call = MR_SIM_MODIFY_QP,
	  .run = sim_write_ex_modify_qp },
	ANSWERED(QUERY_QP, query_qp, ),
	ANSWERED(CREATE_AH, create_ah, ),
	ANSWERED(QUERY_DEVICE, query_device, ),
	{ .number = IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
	  .call = MR_SIM_QUERY_DEVICE,
	  .run = sim_write_query_device_ex },
};

/* uverbs.h uapi_get_method() */
static int find_command(uint64_t number, const struct command **command)
{

	if (number & ~(uint64_t)(IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_CMD_COMMAND_MASK))
		return -EINVAL;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].number == number) {
			*command = &commands[i];
			return 0;
		}
	}
	return -EOPNOTSUPP;
}

/* Whether request and response have at least the bytes that the command needs. */
static bool has_room(const struct command *command, const struct ib_uverbs_attr *in,
		     const struct ib_uverbs_attr *out)
{
	return (in ? in->len : 0) >= command->request && (out ? out->len : 0) >= command->response;
}

_Static_assert(sizeof(struct ib_uverbs_dereg_mr) == sizeof(uint32_t) &&
		       sizeof(struct ib_uverbs_dealloc_pd) == sizeof(uint32_t) &&
		       sizeof(struct ib_uverbs_dealloc_mw) == sizeof(uint32_t),
	       "requests that are a handle");

/* Returns the ioctl method INVOKE_WRITE, which carries a write command out: 0, or -errno. */
static int sim_invoke_write(struct sim_call *call)
{
	const struct ib_uverbs_attr *in = sim_attr(call, UVERBS_ATTR_CORE_IN);
	const struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_CORE_OUT);
	const struct command *command;
	struct sim_object *object;
	uint32_t handle;
	int rc = find_command(sim_attr_number(call, UVERBS_ATTR_WRITE_CMD), &command);

	if (rc)
		return rc;
	if (command->is_supported && !command->is_supported(call))
		return -EOPNOTSUPP;
	if (!has_room(command, in, out))
		return -ENOSPC;
	if (command->run)
		return command->run(call);
	/* ib_uverbs_dereg_mr() and its like: the requests of all of them are a handle */
	rc = sim_write_request(call, &handle, sizeof(handle));
	if (!rc)
		rc = sim_object_find(call->table, command->destroys, handle, &object);
	return rc ? rc : sim_destroy_object(call->table, object);
}

static const struct ib_uverbs_attr *find_attr(const struct ib_uverbs_ioctl_hdr *hdr, uint16_t id)
{
	for (size_t i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

/*
 * A command that is too short does not count: libibverbs begins with one, to find out whether the kernel has
 * INVOKE_WRITE, and a fault of the first call shall not be used up by it.
 */
static enum mr_sim_call sim_invoke_write_call(const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *number = find_attr(hdr, UVERBS_ATTR_WRITE_CMD);
	const struct command *command;

	if (!number || find_command(number->data, &command) ||
	    !has_room(command, find_attr(hdr, UVERBS_ATTR_CORE_IN),
		      find_attr(hdr, UVERBS_ATTR_CORE_OUT)))
		return MR_SIM_CALLS;
	return command->call;
}

#define ATTR_OF(since_, mlx5_only_, id_, kind_, min_, max_, mandatory_)                            \
	{                                                                                          \
		.id = (id_), .kind = (kind_), .mandatory = (mandatory_), .min = (min_),            \
		.max = (max_), .mlx5_only = (mlx5_only_), .since = (since_)                        \
	}
#define ATTR(...)                   ATTR_OF(SIM_ALWAYS, false, __VA_ARGS__)
#define IN(id, size, mandatory)     ATTR(id, SIM_ATTR_IN, size, size, mandatory)
#define IN_ANY(id, min, mandatory)  ATTR(id, SIM_ATTR_IN, min, UINT16_MAX, mandatory)
#define IN_CONST(id)                ATTR(id, SIM_ATTR_IN, 8, 8, true)
#define RAW_FD(id)                  ATTR(id, SIM_ATTR_RAW_FD, 0, 0, false)
#define IN_FLAGS(id)                ATTR(id, SIM_ATTR_IN, 4, 8, false)
#define OUT(id, size, mandatory)    ATTR(id, SIM_ATTR_OUT, size, size, mandatory)
#define OUT_ANY(id, min, mandatory) ATTR(id, SIM_ATTR_OUT, min, UINT16_MAX, mandatory)
#define NEW(id, type)               ATTR(id, SIM_ATTR_NEW, type, 0, true)
#define NEW_FD(id, type)            ATTR(id, SIM_ATTR_NEW_FD, type, 0, true)
#define USE(id, type)               ATTR(id, SIM_ATTR_USE, type, 0, true)
#define MAY_USE(id, type)           ATTR(id, SIM_ATTR_USE, type, 0, false)
#define DESTROY(id, type)           ATTR(id, SIM_ATTR_DESTROY, type, 0, true)
#define DRIVER_DATA                 IN_ANY(UVERBS_ATTR_UHW_IN, 0, false), OUT_ANY(UVERBS_ATTR_UHW_OUT, 0, false)

/* UVERBS_ATTR_STRUCT(): bytes of a structure up to the end of a member */
#define UP_TO(structure, member) (offsetof(structure, member) + sizeof(((structure *)NULL)->member))

#define METHOD_OF(since_, mlx5_only_, object_, method_, call_, handle_, ...)                       \
	{                                                                                          \
		.mlx5_only = (mlx5_only_), .object = (object_), .method = (method_),               \
		.since = (since_), .call = (call_), .handle = (handle_),                           \
		.count = sizeof((struct sim_attr_spec[]){ __VA_ARGS__ }) /                         \
			 sizeof(struct sim_attr_spec),                                             \
		.attrs = { __VA_ARGS__ },                                                          \
	}

#define METHOD(...)      METHOD_OF(SIM_ALWAYS, false, __VA_ARGS__)
#define MLX5_METHOD(...) METHOD_OF(SIM_ALWAYS, true, __VA_ARGS__)

/* A method that does nothing but to destroy an object */
#define DESTROYING(object, method, call, id) METHOD(object, method, call, NULL, DESTROY(id, object))

static const struct sim_method methods[] = {
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, MR_SIM_CALLS, sim_invoke_write,
	       IN_CONST(UVERBS_ATTR_WRITE_CMD), IN_ANY(UVERBS_ATTR_CORE_IN, 4, false),
	       OUT_ANY(UVERBS_ATTR_CORE_OUT, 0, false), DRIVER_DATA),
	DESTROYING(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, MR_SIM_DEREG_MR,
		   UVERBS_ATTR_DESTROY_MR_HANDLE),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, MR_SIM_QUERY_MR, sim_query_mr,
	       USE(UVERBS_ATTR_QUERY_MR_HANDLE, UVERBS_OBJECT_MR),
	       OUT(UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, true),
	       OUT(UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, true),
	       OUT(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, true),
	       OUT(UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8, false)),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, MR_SIM_ADVISE_MR, sim_advise_mr,
	       USE(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, UVERBS_OBJECT_PD),
	       IN_CONST(UVERBS_ATTR_ADVISE_MR_ADVICE),
	       ATTR(UVERBS_ATTR_ADVISE_MR_FLAGS, SIM_ATTR_IN, 4, 8, true),
	       IN_ANY(UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(struct ib_uverbs_sge), true)),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, MR_SIM_REG_DMABUF_MR,
	       sim_reg_dmabuf_mr, NEW(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, UVERBS_OBJECT_MR),
	       USE(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, UVERBS_OBJECT_PD),
	       IN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, true),
	       IN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, true),
	       IN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, true),
	       IN(UVERBS_ATTR_REG_DMABUF_MR_FD, 4, true),
	       IN_FLAGS(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS),
	       OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, true),
	       OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, true),
	       ATTR_OF(SIM_DATA_DIRECT, true, SIM_ATTR_REG_DMABUF_MR_DRIVER_FLAGS, SIM_ATTR_IN, 4,
		       8, false)),
	METHOD_OF(SIM_REG_MR, false, UVERBS_OBJECT_MR, SIM_METHOD_REG_MR, MR_SIM_REG_MR, sim_reg_mr,
		  NEW(SIM_ATTR_REG_MR_HANDLE, UVERBS_OBJECT_MR),
		  USE(SIM_ATTR_REG_MR_PD_HANDLE, UVERBS_OBJECT_PD),
		  MAY_USE(SIM_ATTR_REG_MR_DMA_HANDLE, SIM_OBJECT_DMAH),
		  IN(SIM_ATTR_REG_MR_IOVA, 8, true), IN(SIM_ATTR_REG_MR_LENGTH, 8, true),
		  ATTR(SIM_ATTR_REG_MR_ACCESS_FLAGS, SIM_ATTR_IN, 4, 8, true),
		  IN(SIM_ATTR_REG_MR_ADDR, 8, false), IN(SIM_ATTR_REG_MR_FD_OFFSET, 8, false),
		  RAW_FD(SIM_ATTR_REG_MR_FD), OUT(SIM_ATTR_REG_MR_RESP_LKEY, 4, true),
		  OUT(SIM_ATTR_REG_MR_RESP_RKEY, 4, true), DRIVER_DATA),
	MLX5_METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, MR_SIM_REG_DM_MR, sim_reg_dm_mr,
		    NEW(UVERBS_ATTR_REG_DM_MR_HANDLE, UVERBS_OBJECT_MR),
		    USE(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, UVERBS_OBJECT_PD),
		    USE(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, UVERBS_OBJECT_DM),
		    IN(UVERBS_ATTR_REG_DM_MR_OFFSET, 8, true),
		    IN(UVERBS_ATTR_REG_DM_MR_LENGTH, 8, true),
		    IN_FLAGS(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS),
		    OUT(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4, true),
		    OUT(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4, true)),
	METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, MR_SIM_ALLOC_DM, sim_mlx5_alloc_dm,
	       NEW(UVERBS_ATTR_ALLOC_DM_HANDLE, UVERBS_OBJECT_DM),
	       IN(UVERBS_ATTR_ALLOC_DM_LENGTH, 8, true),
	       IN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, true),
	       OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, true),
	       OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2, false),
	       ATTR(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, SIM_ATTR_IN, 8, 8, false)),
	DESTROYING(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, MR_SIM_FREE_DM,
		   UVERBS_ATTR_FREE_DM_HANDLE),
	METHOD(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, MR_SIM_CALLS, sim_mlx5_query_dm,
	       USE(MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, UVERBS_OBJECT_DM),
	       OUT(MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, 8, true),
	       OUT(MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, 2, true),
	       OUT(MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, 8, true)),
	METHOD(SIM_OBJECT_DMAH, SIM_METHOD_DMAH_ALLOC, MR_SIM_ALLOC_DMAH, sim_mlx5_alloc_dmah,
	       NEW(SIM_ATTR_ALLOC_DMAH_HANDLE, SIM_OBJECT_DMAH),
	       IN(SIM_ATTR_ALLOC_DMAH_CPU_ID, 4, false),
	       ATTR(SIM_ATTR_ALLOC_DMAH_MEMORY, SIM_ATTR_ENUM, 0, SIM_DMAH_MEMORIES, false),
	       IN(SIM_ATTR_ALLOC_DMAH_PH, 1, false)),
	DESTROYING(SIM_OBJECT_DMAH, SIM_METHOD_DMAH_FREE, MR_SIM_FREE_DMAH,
		   SIM_ATTR_FREE_DMAH_HANDLE),
	METHOD(SIM_OBJECT_DMABUF, SIM_METHOD_DMABUF_ALLOC, MR_SIM_EXPORT_DMABUF,
	       sim_mlx5_export_dmabuf, NEW_FD(SIM_ATTR_EXPORT_FD, SIM_OBJECT_DMABUF),
	       IN(SIM_ATTR_EXPORT_OFFSET, 8, true)),
	DESTROYING(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, MR_SIM_DEALLOC_PD,
		   UVERBS_ATTR_DESTROY_PD_HANDLE),
	DESTROYING(UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, MR_SIM_DEALLOC_MW,
		   UVERBS_ATTR_DESTROY_MW_HANDLE),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, MR_SIM_GET_CONTEXT, sim_get_context,
	       OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4, false),
	       OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 8, false), DRIVER_DATA),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, MR_SIM_QUERY_CONTEXT,
	       sim_query_context, OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4, false),
	       OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8, false),
	       ATTR_OF(SIM_ALWAYS, true, MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX, SIM_ATTR_OUT,
		       UP_TO(struct mlx5_ib_alloc_ucontext_resp, dump_fill_mkey), UINT16_MAX,
		       true)),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES, MR_SIM_INFO_HANDLES,
	       sim_info_handles, IN_CONST(UVERBS_ATTR_INFO_OBJECT_ID),
	       OUT(UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, false),
	       OUT_ANY(UVERBS_ATTR_INFO_HANDLES_LIST, 4, false)),
	METHOD(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, MR_SIM_ALLOC_EVENT, NULL,
	       NEW_FD(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, UVERBS_OBJECT_ASYNC_EVENT)),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_PORT, MR_SIM_QUERY_PORT, sim_query_port,
	       IN_CONST(UVERBS_ATTR_QUERY_PORT_PORT_NUM),
	       OUT_ANY(UVERBS_ATTR_QUERY_PORT_RESP, sizeof(struct ib_uverbs_query_port_resp_ex),
		       true)),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_TABLE, MR_SIM_QUERY_GID,
	       sim_query_gid_table, IN_CONST(UVERBS_ATTR_QUERY_GID_TABLE_ENTRY_SIZE),
	       IN_FLAGS(UVERBS_ATTR_QUERY_GID_TABLE_FLAGS),
	       OUT_ANY(UVERBS_ATTR_QUERY_GID_TABLE_RESP_ENTRIES, 0, true),
	       OUT(UVERBS_ATTR_QUERY_GID_TABLE_RESP_NUM_ENTRIES, 8, true)),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_GID_ENTRY, MR_SIM_QUERY_GID,
	       sim_query_gid_entry, IN_CONST(UVERBS_ATTR_QUERY_GID_ENTRY_PORT),
	       IN_CONST(UVERBS_ATTR_QUERY_GID_ENTRY_GID_INDEX),
	       IN_FLAGS(UVERBS_ATTR_QUERY_GID_ENTRY_FLAGS),
	       OUT_ANY(UVERBS_ATTR_QUERY_GID_ENTRY_RESP_ENTRY, sizeof(struct ib_uverbs_gid_entry),
		       true)),
	MLX5_METHOD(UVERBS_OBJECT_PD, MLX5_IB_METHOD_PD_QUERY, MR_SIM_QUERY_PD, sim_mlx5_query_pd,
		    USE(MLX5_IB_ATTR_QUERY_PD_HANDLE, UVERBS_OBJECT_PD),
		    OUT(MLX5_IB_ATTR_QUERY_PD_RESP_PDN, 4, true)),
	METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, MR_SIM_DEVX, sim_mlx5_devx_other,
	       IN_ANY(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, 16, true),
	       OUT_ANY(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, 16, true)),
	METHOD_OF(SIM_DATA_DIRECT, true, UVERBS_OBJECT_DEVICE, SIM_METHOD_DATA_DIRECT_PATH,
		  MR_SIM_CALLS, sim_mlx5_data_direct_path,
		  OUT_ANY(SIM_ATTR_DATA_DIRECT_PATH, 0, true)),
	METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, MR_SIM_UMEM_REG,
	       sim_mlx5_umem_reg, NEW(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, MLX5_IB_OBJECT_DEVX_UMEM),
	       IN(MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 8, true),
	       IN(MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 8, true),
	       RAW_FD(MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD),
	       IN_FLAGS(MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS),
	       IN(MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, 8, false),
	       OUT(MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4, true)),
	DESTROYING(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, MR_SIM_UMEM_DEREG,
		   MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE),
	METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, MR_SIM_CREATE_CQ, sim_create_cq,
	       NEW(UVERBS_ATTR_CREATE_CQ_HANDLE, UVERBS_OBJECT_CQ),
	       IN(UVERBS_ATTR_CREATE_CQ_CQE, 4, true),
	       IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, true),
	       RAW_FD(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL),
	       IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, true),
	       IN_FLAGS(UVERBS_ATTR_CREATE_CQ_FLAGS), OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, true),
	       RAW_FD(UVERBS_ATTR_CREATE_CQ_EVENT_FD), DRIVER_DATA),
	METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, MR_SIM_DESTROY_CQ, sim_destroy_cq,
	       DESTROY(UVERBS_ATTR_DESTROY_CQ_HANDLE, UVERBS_OBJECT_CQ),
	       OUT(UVERBS_ATTR_DESTROY_CQ_RESP, sizeof(struct ib_uverbs_destroy_cq_resp), true)),
	METHOD(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_CREATE, MR_SIM_CREATE_SRQ, sim_create_srq,
	       NEW(UVERBS_ATTR_CREATE_SRQ_HANDLE, UVERBS_OBJECT_SRQ),
	       USE(UVERBS_ATTR_CREATE_SRQ_PD_HANDLE, UVERBS_OBJECT_PD),
	       IN_CONST(UVERBS_ATTR_CREATE_SRQ_TYPE),
	       IN(UVERBS_ATTR_CREATE_SRQ_USER_HANDLE, 8, true),
	       IN(UVERBS_ATTR_CREATE_SRQ_MAX_WR, 4, true),
	       IN(UVERBS_ATTR_CREATE_SRQ_MAX_SGE, 4, true),
	       IN(UVERBS_ATTR_CREATE_SRQ_LIMIT, 4, true),
	       MAY_USE(UVERBS_ATTR_CREATE_SRQ_CQ_HANDLE, UVERBS_OBJECT_CQ),
	       IN(UVERBS_ATTR_CREATE_SRQ_MAX_NUM_TAGS, 4, false),
	       RAW_FD(UVERBS_ATTR_CREATE_SRQ_EVENT_FD),
	       OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_WR, 4, true),
	       OUT(UVERBS_ATTR_CREATE_SRQ_RESP_MAX_SGE, 4, true),
	       OUT(UVERBS_ATTR_CREATE_SRQ_RESP_SRQ_NUM, 4, false), DRIVER_DATA),
	METHOD(UVERBS_OBJECT_SRQ, UVERBS_METHOD_SRQ_DESTROY, MR_SIM_DESTROY_SRQ, sim_destroy_srq,
	       DESTROY(UVERBS_ATTR_DESTROY_SRQ_HANDLE, UVERBS_OBJECT_SRQ),
	       OUT(UVERBS_ATTR_DESTROY_SRQ_RESP, sizeof(struct ib_uverbs_destroy_srq_resp), true)),
	METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_CREATE, MR_SIM_CREATE_QP, sim_create_qp,
	       NEW(UVERBS_ATTR_CREATE_QP_HANDLE, UVERBS_OBJECT_QP),
	       MAY_USE(UVERBS_ATTR_CREATE_QP_PD_HANDLE, UVERBS_OBJECT_PD),
	       MAY_USE(UVERBS_ATTR_CREATE_QP_SRQ_HANDLE, UVERBS_OBJECT_SRQ),
	       MAY_USE(UVERBS_ATTR_CREATE_QP_SEND_CQ_HANDLE, UVERBS_OBJECT_CQ),
	       MAY_USE(UVERBS_ATTR_CREATE_QP_RECV_CQ_HANDLE, UVERBS_OBJECT_CQ),
	       IN(UVERBS_ATTR_CREATE_QP_USER_HANDLE, 8, true),
	       IN_ANY(UVERBS_ATTR_CREATE_QP_CAP, sizeof(struct ib_uverbs_qp_cap), true),
	       IN_CONST(UVERBS_ATTR_CREATE_QP_TYPE), IN_FLAGS(UVERBS_ATTR_CREATE_QP_FLAGS),
	       IN(UVERBS_ATTR_CREATE_QP_SOURCE_QPN, 4, false),
	       RAW_FD(UVERBS_ATTR_CREATE_QP_EVENT_FD),
	       OUT_ANY(UVERBS_ATTR_CREATE_QP_RESP_CAP, sizeof(struct ib_uverbs_qp_cap), true),
	       OUT(UVERBS_ATTR_CREATE_QP_RESP_QP_NUM, 4, true), DRIVER_DATA),
	METHOD(UVERBS_OBJECT_QP, UVERBS_METHOD_QP_DESTROY, MR_SIM_DESTROY_QP, sim_destroy_qp,
	       DESTROY(UVERBS_ATTR_DESTROY_QP_HANDLE, UVERBS_OBJECT_QP),
	       OUT(UVERBS_ATTR_DESTROY_QP_RESP, sizeof(struct ib_uverbs_destroy_qp_resp), true)),
	DESTROYING(UVERBS_OBJECT_AH, UVERBS_METHOD_AH_DESTROY, MR_SIM_DESTROY_AH,
		   UVERBS_ATTR_DESTROY_AH_HANDLE),
	METHOD(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, MR_SIM_ALLOC_UAR,
	       sim_mlx5_alloc_uar, NEW(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, MLX5_IB_OBJECT_UAR),
	       IN_CONST(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE),
	       OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, 8, true),
	       OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4, true),
	       OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, 4, true)),
	DESTROYING(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, MR_SIM_DEALLOC_UAR,
		   MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE),
};

/* Returns whether the call's device and kernel have a method or an attribute. */
static bool is_for(const struct sim_call *call, bool mlx5_only, enum sim_change since)
{
	return (!mlx5_only || call->profile->driver_id == RDMA_DRIVER_MLX5) &&
	       sim_has_change(call->table->kernel, since);
}

/*
 * Looks up a method of the call's device and kernel. Return: 0, -EOPNOTSUPP for a method that the kernel
 * has and the simulator does not model, -EPROTONOSUPPORT for one that the kernel does not have either.
 */
static int sim_method_find(struct sim_call *call, uint16_t object, uint16_t method)
{
	for (size_t i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		const struct sim_method *row = &methods[i];

		if (row->object == object && row->method == method &&
		    is_for(call, row->mlx5_only, row->since) && sim_is_object_type(call, object)) {
			call->method = row;
			return 0;
		}
	}
	return sim_is_unmodelled_method(call, object, method) ? -EOPNOTSUPP : -EPROTONOSUPPORT;
}

/* ---- attributes ---------------------------------------------------------------------------- */

/* uverbs_process_attr() */
static int check_data(const struct sim_attr_spec *spec, const struct ib_uverbs_attr *attr)
{
	if (spec->kind == SIM_ATTR_ENUM && attr->attr_data.enum_data.elem_id >= spec->max)
		return -EOPNOTSUPP;
	if (spec->kind == SIM_ATTR_ENUM)
		return attr->attr_data.enum_data.reserved || attr->len ? -EINVAL : 0;
	if (attr->len < spec->min || attr->len > spec->max)
		return -EINVAL;
	if (attr->attr_data.reserved)
		return -EINVAL;
	if (spec->kind == SIM_ATTR_IN && !sim_attr_is_inline(attr) && sim_is_null(attr->data))
		return -EFAULT;
	return 0;
}

/*
 * Make the descriptor that a method creates.  Nothing can ever be read from it: events of QPs and of the
 * port, which the kernel reports by it, never occur here.
 */
static int new_fd(struct sim_call *call, struct ib_uverbs_attr *attr)
{
	int rc, fd;

	rc = sim_need_context(call->table);
	if (rc)
		return rc;
	fd = eventfd(0, EFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	call->created = (uint32_t)fd;
	attr->data_s64 = fd;
	return 0;
}

static int check_object(struct sim_call *call, const struct sim_attr_spec *spec,
			struct ib_uverbs_attr *attr)
{
	if (attr->attr_data.reserved || attr->len)
		return -EINVAL;
	switch (spec->kind) {
	case SIM_ATTR_NEW:
		return sim_call_create(call, spec->min, attr);
	case SIM_ATTR_NEW_FD:
		return new_fd(call, attr);
	case SIM_ATTR_RAW_FD:
		return attr->data_s64 < INT_MIN || attr->data_s64 > INT_MAX ? -EINVAL : 0;
	default:
		/* rdma_lookup_get_uobject(): the device may have no objects of the type */
		if (attr->data_s64 < 0 || !sim_is_object_type(call, spec->min))
			return -EINVAL;
		return sim_object_find(call->table, spec->min, attr->data, &call->object);
	}
}

/* uverbs_set_attr() */
static int accept_attr(struct sim_call *call, struct ib_uverbs_attr *attr)
{
	const struct sim_attr_spec *specs = call->method->attrs;
	size_t i;
	int rc;

	for (i = 0; i < call->method->count; i++)
		if (specs[i].id == attr->attr_id &&
		    is_for(call, specs[i].mlx5_only, specs[i].since))
			break;
	if (i == call->method->count)
		return attr->flags & UVERBS_ATTR_F_MANDATORY ? -EPROTONOSUPPORT : 0;
	if (call->attrs[i])
		return -EINVAL;
	rc = specs[i].kind <= SIM_ATTR_OUT ? check_data(&specs[i], attr)
					   : check_object(call, &specs[i], attr);
	if (!rc)
		call->attrs[i] = attr;
	return rc;
}

static int accept_attrs(struct sim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct sim_attr_spec *specs = call->method->attrs;
	int rc;

	for (size_t i = 0; i < hdr->num_attrs; i++) {
		rc = accept_attr(call, &hdr->attrs[i]);
		if (rc)
			return rc;
	}
	for (size_t i = 0; i < call->method->count; i++)
		if (specs[i].mandatory && !call->attrs[i] &&
		    is_for(call, specs[i].mlx5_only, specs[i].since))
			return -EINVAL;
	return 0;
}

/* ---- methods ------------------------------------------------------------------------------- */

/* Carries a method out.  Its new object exists if it succeeds; else the handle or descriptor is freed. */
static int run_method(struct sim_call *call, struct ib_uverbs_ioctl_hdr *hdr)
{
	const uint8_t kind = call->method->attrs[0].kind;
	struct ib_uverbs_attr *driver_out;
	int rc = accept_attrs(call, hdr);

	if (!rc && kind == SIM_ATTR_DESTROY && call->object)
		rc = sim_destroy_object(call->table, call->object);
	if (!rc && call->method->handle)
		rc = call->method->handle(call);
	if (rc && kind == SIM_ATTR_NEW_FD && call->attrs[0])
		sim_libc()->close((int)call->created);
	if (rc && call->creates)
		sim_object_cancel(call->table, call->created);
	else if (call->creates)
		sim_object_commit(call->table, call->created, call->creates);
	/* The kernel flags the driver's answer as valid even if the driver wrote none. */
	driver_out = sim_attr(call, UVERBS_ATTR_UHW_OUT);
	if (!rc && driver_out)
		driver_out->flags |= UVERBS_ATTR_F_VALID_OUTPUT;
	return rc;
}

int sim_uverbs_ioctl(struct sim_table *table, struct ib_uverbs_ioctl_hdr *hdr)
{
	struct sim_call call = { .table = table, .profile = sim_profile_of(table->kind) };
	struct sim_fault fault;
	int rc;

	if (sim_is_null((uintptr_t)hdr))
		return -EFAULT;
	if (hdr->length > sim_page_size() ||
	    hdr->length != sizeof(*hdr) + hdr->num_attrs * sizeof(hdr->attrs[0]))
		return -EINVAL;
	if (hdr->reserved1 || hdr->reserved2)
		return -EPROTONOSUPPORT;
	if (hdr->driver_id != call.profile->driver_id)
		return -EINVAL;
	rc = sim_method_find(&call, hdr->object_id, hdr->method_id);
	if (rc)
		return rc;
	fault = sim_fault_enter(call.method->handle == sim_invoke_write ? sim_invoke_write_call(hdr)
									: call.method->call);
	if (fault.error)
		return fault.error;
	rc = sim_table_lock(table);
	if (!rc) {
		rc = run_method(&call, hdr);
		if (!call.unlocked)
			sim_table_unlock(table);
	}
	sim_fault_leave(&fault);
	return rc;
}
