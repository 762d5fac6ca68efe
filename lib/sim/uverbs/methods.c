// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The methods that are modelled, with the attributes that each accepts, as in the kernel's
 * uverbs_std_types*.c and hw/mlx5/devx.c, dm.c, main.c, std_types.c.
 */
#include <errno.h>
#include <stddef.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/sim/base/abi.h"
#include "lib/sim/call/object_types.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/devices/mlx5.h"
#include "lib/sim/devices/mlx5_mmap.h"
#include "lib/sim/devices/rxe.h"
#include "lib/sim/handlers/advise.h"
#include "lib/sim/handlers/cq.h"
#include "lib/sim/handlers/device.h"
#include "lib/sim/handlers/devx_umem.h"
#include "lib/sim/handlers/dm.h"
#include "lib/sim/handlers/dmah.h"
#include "lib/sim/handlers/mr_methods.h"
#include "lib/sim/uverbs/methods.h"
#include "lib/sim/uverbs/write_commands.h"

#define ATTR(id_, kind_, min_, max_, mandatory_)                                                   \
	{                                                                                          \
		.id = (id_), .kind = (kind_), .mandatory = (mandatory_), .min = (min_),            \
		.max = (max_)                                                                      \
	}
#define IN(id, size, mandatory)    ATTR(id, SIM_ATTR_IN, size, size, mandatory)
#define IN_ANY(id, min, mandatory) ATTR(id, SIM_ATTR_IN, min, UINT16_MAX, mandatory)
#define IN_CONST(id)               ATTR(id, SIM_ATTR_IN, 8, 8, true)
#define RAW_FD(id)                 ATTR(id, SIM_ATTR_RAW_FD, 0, 0, false)
#define IN_FLAGS(id)               ATTR(id, SIM_ATTR_IN, 4, 8, false)
#define IN_FLAGS_SINCE(id_, change_)                                                               \
	{                                                                                          \
		.id = (id_), .kind = SIM_ATTR_IN, .min = 4, .max = 8, .since = (change_)           \
	}
#define OUT(id, size, mandatory)    ATTR(id, SIM_ATTR_OUT, size, size, mandatory)
#define OUT_ANY(id, min, mandatory) ATTR(id, SIM_ATTR_OUT, min, UINT16_MAX, mandatory)
#define OBJECT(id, kind, type)      ATTR(id, kind, type, 0, true)
#define DRIVER_DATA                 IN_ANY(UVERBS_ATTR_UHW_IN, 0, false), OUT_ANY(UVERBS_ATTR_UHW_OUT, 0, false)

/* Attributes that all drivers accept; a method's row adds those of its driver. */
#define REG_DMABUF_ATTRS                                                                           \
	OBJECT(UVERBS_ATTR_REG_DMABUF_MR_HANDLE, SIM_ATTR_NEW, UVERBS_OBJECT_MR),                  \
		OBJECT(UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, SIM_ATTR_USE, UVERBS_OBJECT_PD),       \
		IN(UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, true),                                     \
		IN(UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, true),                                     \
		IN(UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, true),                                       \
		IN(UVERBS_ATTR_REG_DMABUF_MR_FD, 4, true),                                         \
		IN_FLAGS(UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS),                                  \
		OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, true),                                 \
		OUT(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, true)

/* UVERBS_ATTR_STRUCT(): bytes of a structure up to the end of a member */
#define UP_TO(structure, member) (offsetof(structure, member) + sizeof(((structure *)NULL)->member))

#define METHOD_OF(since_, driver_, object_, method_, call_, handle_, ...)                          \
	{                                                                                          \
		.driver = (driver_), .object = (object_), .method = (method_), .since = (since_),  \
		.call = (call_), .handle = (handle_),                                              \
		.count = sizeof((struct sim_attr_spec[]){ __VA_ARGS__ }) /                         \
			 sizeof(struct sim_attr_spec),                                             \
		.attrs = { __VA_ARGS__ },                                                          \
	}

#define METHOD(...)      METHOD_OF(SIM_ALWAYS, RDMA_DRIVER_UNKNOWN, __VA_ARGS__)
#define MLX5_METHOD(...) METHOD_OF(SIM_ALWAYS, RDMA_DRIVER_MLX5, __VA_ARGS__)
#define RXE_METHOD(...)  METHOD_OF(SIM_ALWAYS, RDMA_DRIVER_RXE, __VA_ARGS__)

static const struct sim_method methods[] = {
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INVOKE_WRITE, MR_SIM_CALLS, sim_invoke_write,
	       IN_CONST(UVERBS_ATTR_WRITE_CMD), IN_ANY(UVERBS_ATTR_CORE_IN, 4, false),
	       OUT_ANY(UVERBS_ATTR_CORE_OUT, 0, false), DRIVER_DATA),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_MR_DESTROY, MR_SIM_DEREG_MR, NULL,
	       OBJECT(UVERBS_ATTR_DESTROY_MR_HANDLE, SIM_ATTR_DESTROY, UVERBS_OBJECT_MR)),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_QUERY_MR, MR_SIM_QUERY_MR, sim_query_mr,
	       OBJECT(UVERBS_ATTR_QUERY_MR_HANDLE, SIM_ATTR_USE, UVERBS_OBJECT_MR),
	       OUT(UVERBS_ATTR_QUERY_MR_RESP_LKEY, 4, true),
	       OUT(UVERBS_ATTR_QUERY_MR_RESP_RKEY, 4, true),
	       OUT(UVERBS_ATTR_QUERY_MR_RESP_LENGTH, 8, true),
	       OUT(UVERBS_ATTR_QUERY_MR_RESP_IOVA, 8, false)),
	METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_ADVISE_MR, MR_SIM_ADVISE_MR, sim_advise_mr,
	       OBJECT(UVERBS_ATTR_ADVISE_MR_PD_HANDLE, SIM_ATTR_USE, UVERBS_OBJECT_PD),
	       IN_CONST(UVERBS_ATTR_ADVISE_MR_ADVICE),
	       ATTR(UVERBS_ATTR_ADVISE_MR_FLAGS, SIM_ATTR_IN, 4, 8, true),
	       IN_ANY(UVERBS_ATTR_ADVISE_MR_SGE_LIST, sizeof(struct ib_uverbs_sge), true)),
	MLX5_METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, MR_SIM_REG_DMABUF_MR,
		    sim_reg_dmabuf_mr, REG_DMABUF_ATTRS,
		    IN_FLAGS_SINCE(SIM_ATTR_REG_DMABUF_MR_DRIVER_FLAGS, SIM_DATA_DIRECT)),
	RXE_METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR, MR_SIM_REG_DMABUF_MR,
		   sim_rxe_reg_dmabuf_mr, REG_DMABUF_ATTRS),
	METHOD_OF(SIM_REG_MR, RDMA_DRIVER_UNKNOWN, UVERBS_OBJECT_MR, SIM_METHOD_REG_MR,
		  MR_SIM_REG_MR, sim_reg_mr,
		  OBJECT(SIM_ATTR_REG_MR_HANDLE, SIM_ATTR_NEW, UVERBS_OBJECT_MR),
		  OBJECT(SIM_ATTR_REG_MR_PD_HANDLE, SIM_ATTR_USE, UVERBS_OBJECT_PD),
		  ATTR(SIM_ATTR_REG_MR_DMA_HANDLE, SIM_ATTR_USE, SIM_OBJECT_DMAH, 0, false),
		  IN(SIM_ATTR_REG_MR_IOVA, 8, true), IN(SIM_ATTR_REG_MR_LENGTH, 8, true),
		  ATTR(SIM_ATTR_REG_MR_ACCESS_FLAGS, SIM_ATTR_IN, 4, 8, true),
		  IN(SIM_ATTR_REG_MR_ADDR, 8, false), IN(SIM_ATTR_REG_MR_FD_OFFSET, 8, false),
		  RAW_FD(SIM_ATTR_REG_MR_FD), OUT(SIM_ATTR_REG_MR_RESP_LKEY, 4, true),
		  OUT(SIM_ATTR_REG_MR_RESP_RKEY, 4, true), DRIVER_DATA),
	MLX5_METHOD(UVERBS_OBJECT_MR, UVERBS_METHOD_DM_MR_REG, MR_SIM_REG_DM_MR, sim_reg_dm_mr,
		    OBJECT(UVERBS_ATTR_REG_DM_MR_HANDLE, SIM_ATTR_NEW, UVERBS_OBJECT_MR),
		    OBJECT(UVERBS_ATTR_REG_DM_MR_PD_HANDLE, SIM_ATTR_USE, UVERBS_OBJECT_PD),
		    OBJECT(UVERBS_ATTR_REG_DM_MR_DM_HANDLE, SIM_ATTR_USE, UVERBS_OBJECT_DM),
		    IN(UVERBS_ATTR_REG_DM_MR_OFFSET, 8, true),
		    IN(UVERBS_ATTR_REG_DM_MR_LENGTH, 8, true),
		    IN_FLAGS(UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS),
		    OUT(UVERBS_ATTR_REG_DM_MR_RESP_LKEY, 4, true),
		    OUT(UVERBS_ATTR_REG_DM_MR_RESP_RKEY, 4, true)),
	MLX5_METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC, MR_SIM_ALLOC_DM, sim_mlx5_alloc_dm,
		    OBJECT(UVERBS_ATTR_ALLOC_DM_HANDLE, SIM_ATTR_NEW, UVERBS_OBJECT_DM),
		    IN(UVERBS_ATTR_ALLOC_DM_LENGTH, 8, true),
		    IN(UVERBS_ATTR_ALLOC_DM_ALIGNMENT, 4, true),
		    OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, 8, true),
		    OUT(MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, 2, false),
		    ATTR(MLX5_IB_ATTR_ALLOC_DM_REQ_TYPE, SIM_ATTR_IN, 8, 8, false)),
	MLX5_METHOD(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_FREE, MR_SIM_FREE_DM, NULL,
		    OBJECT(UVERBS_ATTR_FREE_DM_HANDLE, SIM_ATTR_DESTROY, UVERBS_OBJECT_DM)),
	MLX5_METHOD(UVERBS_OBJECT_DM, MLX5_IB_METHOD_DM_QUERY, MR_SIM_CALLS, sim_mlx5_query_dm,
		    OBJECT(MLX5_IB_ATTR_QUERY_DM_REQ_HANDLE, SIM_ATTR_USE, UVERBS_OBJECT_DM),
		    OUT(MLX5_IB_ATTR_QUERY_DM_RESP_START_OFFSET, 8, true),
		    OUT(MLX5_IB_ATTR_QUERY_DM_RESP_PAGE_INDEX, 2, true),
		    OUT(MLX5_IB_ATTR_QUERY_DM_RESP_LENGTH, 8, true)),
	METHOD_OF(SIM_DMAH, RDMA_DRIVER_MLX5, SIM_OBJECT_DMAH, SIM_METHOD_DMAH_ALLOC,
		  MR_SIM_ALLOC_DMAH, sim_mlx5_alloc_dmah,
		  OBJECT(SIM_ATTR_ALLOC_DMAH_HANDLE, SIM_ATTR_NEW, SIM_OBJECT_DMAH),
		  IN(SIM_ATTR_ALLOC_DMAH_CPU_ID, 4, false),
		  ATTR(SIM_ATTR_ALLOC_DMAH_MEMORY, SIM_ATTR_ENUM, 0, SIM_DMAH_MEMORIES, false),
		  IN(SIM_ATTR_ALLOC_DMAH_PH, 1, false)),
	METHOD_OF(SIM_DMAH, RDMA_DRIVER_MLX5, SIM_OBJECT_DMAH, SIM_METHOD_DMAH_FREE,
		  MR_SIM_FREE_DMAH, NULL,
		  OBJECT(SIM_ATTR_FREE_DMAH_HANDLE, SIM_ATTR_DESTROY, SIM_OBJECT_DMAH)),
	METHOD_OF(SIM_DMABUF_EXPORT, RDMA_DRIVER_MLX5, SIM_OBJECT_DMABUF, SIM_METHOD_DMABUF_ALLOC,
		  MR_SIM_EXPORT_DMABUF, sim_mlx5_export_dmabuf,
		  OBJECT(SIM_ATTR_EXPORT_FD, SIM_ATTR_NEW_FD, SIM_OBJECT_DMABUF),
		  IN(SIM_ATTR_EXPORT_OFFSET, 8, true)),
	METHOD(UVERBS_OBJECT_PD, UVERBS_METHOD_PD_DESTROY, MR_SIM_DEALLOC_PD, NULL,
	       OBJECT(UVERBS_ATTR_DESTROY_PD_HANDLE, SIM_ATTR_DESTROY, UVERBS_OBJECT_PD)),
	METHOD(UVERBS_OBJECT_MW, UVERBS_METHOD_MW_DESTROY, MR_SIM_DEALLOC_MW, NULL,
	       OBJECT(UVERBS_ATTR_DESTROY_MW_HANDLE, SIM_ATTR_DESTROY, UVERBS_OBJECT_MW)),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_GET_CONTEXT, MR_SIM_GET_CONTEXT, sim_get_context,
	       OUT(UVERBS_ATTR_GET_CONTEXT_NUM_COMP_VECTORS, 4, false),
	       OUT(UVERBS_ATTR_GET_CONTEXT_CORE_SUPPORT, 8, false), DRIVER_DATA),
	MLX5_METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, MR_SIM_QUERY_CONTEXT,
		    sim_query_context, OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4, false),
		    OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8, false),
		    OUT_ANY(MLX5_IB_ATTR_QUERY_CONTEXT_RESP_UCTX,
			    UP_TO(struct mlx5_ib_alloc_ucontext_resp, dump_fill_mkey), true)),
	RXE_METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_QUERY_CONTEXT, MR_SIM_QUERY_CONTEXT,
		   sim_query_context, OUT(UVERBS_ATTR_QUERY_CONTEXT_NUM_COMP_VECTORS, 4, false),
		   OUT(UVERBS_ATTR_QUERY_CONTEXT_CORE_SUPPORT, 8, false)),
	METHOD(UVERBS_OBJECT_DEVICE, UVERBS_METHOD_INFO_HANDLES, MR_SIM_INFO_HANDLES,
	       sim_info_handles, IN_CONST(UVERBS_ATTR_INFO_OBJECT_ID),
	       OUT(UVERBS_ATTR_INFO_TOTAL_HANDLES, 4, false),
	       OUT_ANY(UVERBS_ATTR_INFO_HANDLES_LIST, 4, false)),
	METHOD(UVERBS_OBJECT_ASYNC_EVENT, UVERBS_METHOD_ASYNC_EVENT_ALLOC, MR_SIM_ALLOC_EVENT, NULL,
	       OBJECT(UVERBS_ATTR_ASYNC_EVENT_ALLOC_FD_HANDLE, SIM_ATTR_NEW_FD,
		      UVERBS_OBJECT_ASYNC_EVENT)),
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
		    OBJECT(MLX5_IB_ATTR_QUERY_PD_HANDLE, SIM_ATTR_USE, UVERBS_OBJECT_PD),
		    OUT(MLX5_IB_ATTR_QUERY_PD_RESP_PDN, 4, true)),
	MLX5_METHOD(MLX5_IB_OBJECT_DEVX, MLX5_IB_METHOD_DEVX_OTHER, MR_SIM_DEVX,
		    sim_mlx5_devx_other, IN_ANY(MLX5_IB_ATTR_DEVX_OTHER_CMD_IN, 16, true),
		    OUT_ANY(MLX5_IB_ATTR_DEVX_OTHER_CMD_OUT, 16, true)),
	METHOD_OF(SIM_DATA_DIRECT, RDMA_DRIVER_MLX5, UVERBS_OBJECT_DEVICE,
		  SIM_METHOD_DATA_DIRECT_PATH, MR_SIM_CALLS, sim_mlx5_data_direct_path,
		  OUT_ANY(SIM_ATTR_DATA_DIRECT_PATH, 0, true)),
	MLX5_METHOD(
		MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_REG, MR_SIM_UMEM_REG,
		sim_mlx5_umem_reg,
		OBJECT(MLX5_IB_ATTR_DEVX_UMEM_REG_HANDLE, SIM_ATTR_NEW, MLX5_IB_OBJECT_DEVX_UMEM),
		IN(MLX5_IB_ATTR_DEVX_UMEM_REG_ADDR, 8, true),
		IN(MLX5_IB_ATTR_DEVX_UMEM_REG_LEN, 8, true),
		RAW_FD(MLX5_IB_ATTR_DEVX_UMEM_REG_DMABUF_FD),
		IN_FLAGS(MLX5_IB_ATTR_DEVX_UMEM_REG_ACCESS),
		IN(MLX5_IB_ATTR_DEVX_UMEM_REG_PGSZ_BITMAP, 8, false),
		OUT(MLX5_IB_ATTR_DEVX_UMEM_REG_OUT_ID, 4, true)),
	MLX5_METHOD(MLX5_IB_OBJECT_DEVX_UMEM, MLX5_IB_METHOD_DEVX_UMEM_DEREG, MR_SIM_UMEM_DEREG,
		    NULL,
		    OBJECT(MLX5_IB_ATTR_DEVX_UMEM_DEREG_HANDLE, SIM_ATTR_DESTROY,
			   MLX5_IB_OBJECT_DEVX_UMEM)),
	MLX5_METHOD(UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_CREATE, MR_SIM_CALLS, sim_mlx5_create_cq,
		    OBJECT(UVERBS_ATTR_CREATE_CQ_HANDLE, SIM_ATTR_NEW, UVERBS_OBJECT_CQ),
		    IN(UVERBS_ATTR_CREATE_CQ_CQE, 4, true),
		    IN(UVERBS_ATTR_CREATE_CQ_USER_HANDLE, 8, true),
		    RAW_FD(UVERBS_ATTR_CREATE_CQ_COMP_CHANNEL),
		    IN(UVERBS_ATTR_CREATE_CQ_COMP_VECTOR, 4, true),
		    IN_FLAGS(UVERBS_ATTR_CREATE_CQ_FLAGS),
		    OUT(UVERBS_ATTR_CREATE_CQ_RESP_CQE, 4, true),
		    RAW_FD(UVERBS_ATTR_CREATE_CQ_EVENT_FD), DRIVER_DATA),
	MLX5_METHOD(
		UVERBS_OBJECT_CQ, UVERBS_METHOD_CQ_DESTROY, MR_SIM_CALLS, sim_mlx5_destroy_cq,
		OBJECT(UVERBS_ATTR_DESTROY_CQ_HANDLE, SIM_ATTR_DESTROY, UVERBS_OBJECT_CQ),
		OUT(UVERBS_ATTR_DESTROY_CQ_RESP, sizeof(struct ib_uverbs_destroy_cq_resp), true)),
	MLX5_METHOD(MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_ALLOC, MR_SIM_ALLOC_UAR,
		    sim_mlx5_alloc_uar,
		    OBJECT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_HANDLE, SIM_ATTR_NEW, MLX5_IB_OBJECT_UAR),
		    IN_CONST(MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE),
		    OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, 8, true),
		    OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, 4, true),
		    OUT(MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, 4, true)),
	MLX5_METHOD(
		MLX5_IB_OBJECT_UAR, MLX5_IB_METHOD_UAR_OBJ_DESTROY, MR_SIM_DEALLOC_UAR, NULL,
		OBJECT(MLX5_IB_ATTR_UAR_OBJ_DESTROY_HANDLE, SIM_ATTR_DESTROY, MLX5_IB_OBJECT_UAR)),
};

static bool is_method_for(const struct sim_method *row, const struct sim_call *call,
			  uint16_t object, uint16_t method)
{
	return row->object == object && row->method == method &&
	       (row->driver == RDMA_DRIVER_UNKNOWN || row->driver == call->profile->driver_id) &&
	       sim_has_change(call->table->kernel, row->since) && sim_is_object_type(call, object);
}

int sim_method_find(struct sim_call *call, uint16_t object, uint16_t method)
{
	size_t i;

	for (i = 0; i < sizeof(methods) / sizeof(methods[0]); i++) {
		if (is_method_for(&methods[i], call, object, method)) {
			call->method = &methods[i];
			return 0;
		}
	}
	return sim_is_unmodelled_method(call, object, method) ? -EOPNOTSUPP : -EPROTONOSUPPORT;
}
