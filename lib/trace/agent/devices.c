// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Wrappers of the functions about devices, protection domains and fork protection. */
#include <errno.h>
#include <infiniband/mlx5dv.h>

#include "lib/trace/agent/call.h"
#include "lib/trace/agent/table.h"

static struct ibv_context *end_of_open(struct call *call, const struct ibv_device *device,
				       struct ibv_context *context)
{
	call->record.object = (uintptr_t)context;
	if (device)
		call_note_device(call, device);
	if (context) {
		call_note_context(call, context);
		table_replace(context);
	}
	call_end(call, !context, 0);
	return context;
}

TRACED(struct ibv_context *, ibv_open_device, (struct ibv_device * device))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_OPEN_DEVICE, CALLER))
		return REAL(ibv_open_device)(device);
	return end_of_open(&call, device, REAL(ibv_open_device)(device));
}

TRACED(struct ibv_context *, mlx5dv_open_device,
       (struct ibv_device * device, struct mlx5dv_context_attr *attr))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_MLX5DV_OPEN_DEVICE, CALLER))
		return REAL(mlx5dv_open_device)(device, attr);
	return end_of_open(&call, device, REAL(mlx5dv_open_device)(device, attr));
}

TRACED(struct ibv_context *, ibv_import_device, (int fd))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_IMPORT_DEVICE, CALLER))
		return REAL(ibv_import_device)(fd);
	return end_of_open(&call, NULL, REAL(ibv_import_device)(fd));
}

TRACED(int, ibv_close_device, (struct ibv_context * context))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_IBV_CLOSE_DEVICE, CALLER))
		return REAL(ibv_close_device)(context);
	call_note_context(&call, context);
	call.record.object = (uintptr_t)context;
	table_forget(context);
	rc = REAL(ibv_close_device)(context);
	call_end(&call, rc, rc);
	return rc;
}

static struct ibv_pd *end_of_pd(struct call *call, struct ibv_context *context, struct ibv_pd *pd)
{
	call_note_pd(call, pd);
	call_note_context(call, context);
	call->record.object = (uintptr_t)pd;
	call_end(call, !pd, 0);
	return pd;
}

TRACED(struct ibv_pd *, ibv_alloc_pd, (struct ibv_context * context))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_ALLOC_PD, CALLER))
		return REAL(ibv_alloc_pd)(context);
	return end_of_pd(&call, context, REAL(ibv_alloc_pd)(context));
}

TRACED(struct ibv_pd *, ibv_import_pd, (struct ibv_context * context, uint32_t handle))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_IMPORT_PD, CALLER))
		return REAL(ibv_import_pd)(context, handle);
	call.record.pd_handle = handle;
	return end_of_pd(&call, context, REAL(ibv_import_pd)(context, handle));
}

TRACED(int, ibv_dealloc_pd, (struct ibv_pd * pd))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_IBV_DEALLOC_PD, CALLER))
		return REAL(ibv_dealloc_pd)(pd);
	call_note_pd(&call, pd);
	call.record.object = (uintptr_t)pd;
	rc = REAL(ibv_dealloc_pd)(pd);
	call_end(&call, rc, rc);
	return rc;
}

TRACED(void, ibv_unimport_pd, (struct ibv_pd * pd))
{
	struct call call;

	if (!call_begin(&call, MR_TRACED_IBV_UNIMPORT_PD, CALLER)) {
		REAL(ibv_unimport_pd)(pd);
		return;
	}
	call_note_pd(&call, pd);
	call.record.object = (uintptr_t)pd;
	REAL(ibv_unimport_pd)(pd);
	call_end(&call, false, 0);
}

TRACED(int, ibv_fork_init, (void))
{
	struct call call;
	int rc;

	if (!call_begin(&call, MR_TRACED_IBV_FORK_INIT, CALLER))
		return REAL(ibv_fork_init)();
	rc = REAL(ibv_fork_init)();
	call_end(&call, rc, rc);
	return rc;
}
