// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The ioctl methods REG_MR, REG_DMABUF_MR and QUERY_MR: uverbs_std_types_mr.c.  Newer libraries register
 * memory by REG_MR, older ones by the write command of that name (mr_write_commands.c).
 */
#include <errno.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>

#include "lib/sim/base/abi.h"
#include "lib/sim/call/profile.h"
#include "lib/sim/call/registration.h"
#include "lib/sim/handlers/mr_methods.h"
#include "lib/sim/memory/device_memory.h"
#include "lib/sim/state/account.h"
#include "lib/sim/state/keys.h"
#include "lib/sim/state/objects.h"

#define DMABUF_ACCESS                                                                              \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_READ |                             \
	 IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                          \
	 IB_UVERBS_ACCESS_RELAXED_ORDERING)

/* Ids of the attributes that REG_MR and REG_DMABUF_MR have in common, but number differently. */
struct attr_ids {
	uint16_t pd, lkey, rkey;
};

static int read_access(struct sim_call *call, uint16_t id, uint32_t allowed,
		       struct sim_mr_request *request)
{
	int rc;

	rc = sim_attr_flags(call, id, allowed, &request->access);
	return rc ? rc : sim_access_check(call, request->access);
}

/* An MR of an exported dma-buf keeps the device's pages from being allocated again. */
static int keep_exported_pages(const struct sim_table *table, struct sim_mr_request *request)
{
	uint32_t pages;
	int rc;

	rc = sim_export_pages(table, &request->dmabuf.export, &pages);
	if (!rc && pages) {
		request->flags |= SIM_MR_DM_EXPORT;
		request->exported_pages = pages;
	}
	return rc;
}

static int register_mr(struct sim_call *call, struct sim_mr_request *request,
		       const struct attr_ids *ids)
{
	uint32_t pd = (uint32_t)sim_attr_number(call, ids->pd), key;
	struct sim_object *object;
	int rc;

	rc = sim_driver_reg_mr(call, request);
	if (rc)
		return rc;
	/* The methods do not store them either, as the write command does: QUERY_MR answers zeros. */
	if (request->range_unset) {
		request->length = 0;
		request->iova = 0;
	}
	key = call->profile->make_key(call->table, request->key_variant);
	rc = sim_object_find(call->table, UVERBS_OBJECT_PD, pd, &object);
	if (!rc && request->has_dmah)
		rc = sim_object_find(call->table, SIM_OBJECT_DMAH, request->dmah, &object);
	if (!rc && request->has_dmah && request->dmabuf.export.table)
		rc = -EOPNOTSUPP; /* is not modelled */
	if (!rc && request->dmabuf.export.table)
		rc = keep_exported_pages(call->table, request);
	if (!rc)
		rc = sim_attr_copy(call, ids->lkey, &key, sizeof(key));
	if (!rc)
		rc = sim_attr_copy(call, ids->rkey, &key, sizeof(key));
	if (rc) {
		sim_account_cancel(request->pinned);
		sim_key_free(call->table, key);
	} else {
		sim_mr_fill(call->table, call->created, pd, key, request);
	}
	if (!rc && request->has_dmah)
		call->table->objects[call->created].dmah = request->dmah;
	return rc;
}

/* UVERBS_METHOD_REG_DMABUF_MR */
int sim_reg_dmabuf_mr(struct sim_call *call)
{
	static const struct attr_ids ids = {
		.pd = UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE,
		.lkey = UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY,
		.rkey = UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY,
	};
	struct sim_mr_request request = {
		.kernel = call->table->kernel,
		.is_dmabuf = true,
		.addr = sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_OFFSET),
		.length = sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_LENGTH),
		.iova = sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_IOVA),
		.fd = (int)(uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_FD),
	};
	uint32_t of_driver;
	int rc;

	if (!sim_same_page_offset(request.addr, request.iova))
		return -EINVAL;
	rc = read_access(call, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, DMABUF_ACCESS, &request);
	if (!rc)
		rc = sim_attr_flags(call, SIM_ATTR_REG_DMABUF_MR_DRIVER_FLAGS,
				    SIM_DRIVER_DATA_DIRECT, &of_driver);
	if (rc)
		return rc;
	request.data_direct = of_driver & SIM_DRIVER_DATA_DIRECT;
	return register_mr(call, &request, &ids);
}

/* What to register: memory by its address, or a dma-buf by its descriptor and an offset. */
static int read_memory(struct sim_call *call, struct sim_mr_request *request)
{
	const struct ib_uverbs_attr *fd = sim_attr(call, SIM_ATTR_REG_MR_FD);
	const struct ib_uverbs_attr *addr = sim_attr(call, SIM_ATTR_REG_MR_ADDR);
	const struct ib_uverbs_attr *offset = sim_attr(call, SIM_ATTR_REG_MR_FD_OFFSET);

	if (fd && !call->profile->has_dmabuf)
		return -EOPNOTSUPP;
	if (!addr == !offset || !fd != !offset)
		return -EINVAL;
	request->is_dmabuf = fd;
	request->fd = fd ? (int)fd->data_s64 : -1;
	request->addr = addr ? addr->data : offset->data;
	return sim_same_page_offset(request->addr, request->iova) ? 0 : -EINVAL;
}

/* UVERBS_METHOD_REG_MR */
int sim_reg_mr(struct sim_call *call)
{
	static const struct attr_ids ids = {
		.pd = SIM_ATTR_REG_MR_PD_HANDLE,
		.lkey = SIM_ATTR_REG_MR_RESP_LKEY,
		.rkey = SIM_ATTR_REG_MR_RESP_RKEY,
	};
	struct sim_mr_request request = {
		.kernel = call->table->kernel,
		.length = sim_attr_number(call, SIM_ATTR_REG_MR_LENGTH),
		.iova = sim_attr_number(call, SIM_ATTR_REG_MR_IOVA),
	};
	const struct ib_uverbs_attr *dmah = sim_attr(call, SIM_ATTR_REG_MR_DMA_HANDLE);
	int rc;

	request.has_dmah = dmah;
	request.dmah = dmah ? (uint32_t)dmah->data : 0;

	rc = read_memory(call, &request);
	if (!rc)
		rc = read_access(call, SIM_ATTR_REG_MR_ACCESS_FLAGS,
				 request.is_dmabuf ? DMABUF_ACCESS : SIM_ACCESS_KNOWN, &request);
	return rc ? rc : register_mr(call, &request, &ids);
}

/* UVERBS_METHOD_QUERY_MR */
int sim_query_mr(struct sim_call *call)
{
	const struct sim_object *mr = call->object;
	int rc;

	rc = sim_attr_put(call, UVERBS_ATTR_QUERY_MR_RESP_LKEY, &mr->key, sizeof(mr->key));
	if (!rc)
		rc = sim_attr_put(call, UVERBS_ATTR_QUERY_MR_RESP_RKEY, &mr->key, sizeof(mr->key));
	if (!rc)
		rc = sim_attr_put(call, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, &mr->length,
				  sizeof(mr->length));
	if (!rc)
		rc = sim_attr_put(call, UVERBS_ATTR_QUERY_MR_RESP_IOVA, &mr->iova,
				  sizeof(mr->iova));
	return rc;
}
