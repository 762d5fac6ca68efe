// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <rdma/ib_user_verbs.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/call/call.h"
#include "lib/sim/handlers/handlers.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/state/state.h"

#define DMABUF_ACCESS                                                                              \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_READ |                             \
	 IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                          \
	 IB_UVERBS_ACCESS_RELAXED_ORDERING)

/* In each method the attribute of the rkey follows that of the lkey. */
_Static_assert(UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY == UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY + 1 &&
		       UVERBS_ATTR_REG_DM_MR_RESP_RKEY == UVERBS_ATTR_REG_DM_MR_RESP_LKEY + 1 &&
		       SIM_ATTR_REG_MR_RESP_RKEY == SIM_ATTR_REG_MR_RESP_LKEY + 1,
	       "attributes");
#define BY_STRUCTURE                                                                               \
	0 /* in place of the attribute of the lkey: the write command answers by its structure */

static int read_access(struct sim_call *call, uint16_t id, uint32_t allowed,
		       struct sim_mr_request *request)
{
	int rc = sim_attr_flags(call, id, allowed, &request->mr.access);

	return rc ? rc : sim_access_check(call, request->mr.access);
}

/*
 * Answers the keys of the new MR, by @lkey and the next attribute or BY_STRUCTURE, and stores in the reserved object
 * what was registered: the pages become its own.
 */
static int finish_mr(struct sim_call *call, struct sim_object *mr, uint32_t key, uint16_t lkey)
{
	const struct ib_uverbs_reg_mr_resp resp = { call->created, key, key };
	int rc = lkey == BY_STRUCTURE
			 ? SIM_PUT(call, UVERBS_ATTR_CORE_OUT, resp)
			 : SIM_COPY(call, lkey, key) ?: SIM_COPY(call, (uint16_t)(lkey + 1), key);

	if (rc)
		return rc;
	mr->key = key;
	mr->mm = sim_account_commit(call->table, mr->pinned);
	call->table->objects[call->created] = *mr;
	return 0;
}

/*
 * An MR of an exported dma-buf keeps the device's pages from being allocated again.  With a DMA handle such dma-bufs are
 * not modelled.
 */
static int keep_exported_pages(const struct sim_call *call, struct sim_mr_request *request)
{
	uint32_t pages;
	int rc;

	if (!request->dmabuf.export.table)
		return 0;
	rc = request->has_dmah ? -EOPNOTSUPP
			       : sim_export_pages(call->table, &request->dmabuf.export, &pages);
	if (!rc && pages) {
		request->mr.flags |= SIM_MR_DM_EXPORT;
		request->mr.exported_pages = pages;
	}
	return rc;
}

/*
 * Registers by the driver, with the table unlocked.  The kernel holds a reference to the PD all the time.  Here it is
 * looked up again afterwards: it may be gone.  @lkey: as of finish_mr()
 */
static int register_mr(struct sim_call *call, struct sim_mr_request *request, uint16_t lkey)
{
	struct sim_object *object;
	uint32_t key;
	int rc;

	sim_call_unlock(call);
	rc = call->profile->reg_mr(request);
	rc = sim_call_relock(call, rc, request->mr.pinned);
	if (rc)
		return rc;
	/* The methods do not store them either, as the write command does: QUERY_MR answers zeros. */
	if (request->range_unset && lkey != BY_STRUCTURE)
		request->mr.flags |= SIM_MR_HIDES_RANGE;
	key = call->profile->make_key(call->table, request->key_variant);
	rc = sim_object_find(call->table, UVERBS_OBJECT_PD, request->mr.parent, &object);
	if (!rc && request->has_dmah)
		rc = sim_object_find(call->table, SIM_OBJECT_DMAH, request->dmah, &object);
	if (!rc)
		rc = keep_exported_pages(call, request);
	if (!rc && request->has_dmah)
		request->mr.dmah = request->dmah;
	if (!rc)
		rc = finish_mr(call, &request->mr, key, lkey);
	if (rc) {
		sim_account_cancel(request->mr.pinned);
		sim_key_free(call->table, key);
	}
	return rc;
}

/* UVERBS_METHOD_REG_DMABUF_MR */
int sim_reg_dmabuf_mr(struct sim_call *call)
{
	struct sim_mr_request request = {
		.kernel = call->table->kernel,
		.is_dmabuf = true,
		.mr.parent = (uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE),
		.mr.addr = sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_OFFSET),
		.mr.length = sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_LENGTH),
		.mr.iova = sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_IOVA),
		.fd = (int)(uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DMABUF_MR_FD),
	};
	uint32_t of_driver;
	int rc;

	/* rxe has no reg_user_mr_dmabuf */
	if (!call->profile->has_dmabuf)
		return -EOPNOTSUPP;
	if (!sim_same_page_offset(request.mr.addr, request.mr.iova))
		return -EINVAL;
	rc = read_access(call, UVERBS_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, DMABUF_ACCESS, &request);
	if (!rc)
		rc = sim_attr_flags(call, SIM_ATTR_REG_DMABUF_MR_DRIVER_FLAGS,
				    SIM_DRIVER_DATA_DIRECT, &of_driver);
	if (rc)
		return rc;
	request.data_direct = of_driver & SIM_DRIVER_DATA_DIRECT;
	return register_mr(call, &request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY);
}

/* Fills in the range: memory by its address, or a dma-buf by its descriptor and an offset. */
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
	request->mr.addr = addr ? addr->data : offset->data;
	return sim_same_page_offset(request->mr.addr, request->mr.iova) ? 0 : -EINVAL;
}

/* UVERBS_METHOD_REG_MR */
int sim_reg_mr(struct sim_call *call)
{
	const struct ib_uverbs_attr *dmah = sim_attr(call, SIM_ATTR_REG_MR_DMA_HANDLE);
	struct sim_mr_request request = {
		.kernel = call->table->kernel,
		.mr.parent = (uint32_t)sim_attr_number(call, SIM_ATTR_REG_MR_PD_HANDLE),
		.mr.length = sim_attr_number(call, SIM_ATTR_REG_MR_LENGTH),
		.mr.iova = sim_attr_number(call, SIM_ATTR_REG_MR_IOVA),
		.has_dmah = dmah,
		.dmah = dmah ? (uint32_t)dmah->data : 0,
	};
	int rc = read_memory(call, &request);

	if (!rc)
		rc = read_access(call, SIM_ATTR_REG_MR_ACCESS_FLAGS,
				 request.is_dmabuf ? DMABUF_ACCESS : SIM_ACCESS_KNOWN, &request);
	return rc ? rc : register_mr(call, &request, SIM_ATTR_REG_MR_RESP_LKEY);
}

#define BAR_OFFSET 0x1fc0000u /* bytes from the start of the device's BAR to its memory */
#define DM_MR_ACCESS                                                                               \
	(IB_UVERBS_ACCESS_LOCAL_WRITE | IB_UVERBS_ACCESS_REMOTE_WRITE |                            \
	 IB_UVERBS_ACCESS_REMOTE_READ | IB_UVERBS_ACCESS_REMOTE_ATOMIC |                           \
	 IB_UVERBS_ACCESS_ZERO_BASED)

/* uverbs_std_types_mr.c UVERBS_METHOD_DM_MR_REG, mlx5_ib_reg_dm_mr() */
int sim_reg_dm_mr(struct sim_call *call)
{
	const uint64_t offset = sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_OFFSET);
	const uint32_t handle = (uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_DM_HANDLE);
	const struct sim_object *dm = &call->table->objects[handle];
	const uint32_t dm_length = (uint32_t)dm->length; /* 32 bits, as in struct ib_dm */
	struct sim_object mr = {
		.parent = (uint32_t)sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_PD_HANDLE),
		.addr = offset,
		.length = sim_attr_number(call, UVERBS_ATTR_REG_DM_MR_LENGTH),
		/* for QUERY_MR: the region itself is zero-based */
		.iova = BAR_OFFSET + (dm->addr << SIM_DM_PAGE_SHIFT) + offset,
		.flags = SIM_MR_DM,
		.dm = handle,
	};
	int rc = sim_attr_flags(call, UVERBS_ATTR_REG_DM_MR_ACCESS_FLAGS, SIM_ACCESS_KNOWN,
				&mr.access);

	if (!rc && !(mr.access & IB_UVERBS_ACCESS_ZERO_BASED))
		rc = -EINVAL;
	if (!rc)
		rc = sim_access_check(call, mr.access);
	if (!rc && (offset > dm_length || mr.length > dm_length - offset))
		rc = -EINVAL;
	if (!rc && mr.access & ~(uint32_t)DM_MR_ACCESS)
		rc = -EINVAL;
	return rc ? rc
		  : finish_mr(call, &mr, call->profile->make_key(call->table, SIM_KEY_OF_DEVICE),
			      UVERBS_ATTR_REG_DM_MR_RESP_LKEY);
}

/* UVERBS_METHOD_QUERY_MR */
int sim_query_mr(struct sim_call *call)
{
	const struct sim_object *mr = call->object;
	const bool is_hidden = mr->flags & SIM_MR_HIDES_RANGE;
	const uint64_t length = is_hidden ? 0 : mr->length, iova = is_hidden ? 0 : mr->iova;

	return SIM_PUT(call, UVERBS_ATTR_QUERY_MR_RESP_LKEY, mr->key)
		       ?: SIM_PUT(call, UVERBS_ATTR_QUERY_MR_RESP_RKEY, mr->key)
		       ?: SIM_PUT(call, UVERBS_ATTR_QUERY_MR_RESP_LENGTH, length)
		       ?: SIM_PUT(call, UVERBS_ATTR_QUERY_MR_RESP_IOVA, iova);
}

/* uverbs_cmd.c ib_uverbs_reg_mr() */
int sim_write_reg_mr(struct sim_call *call)
{
	struct sim_mr_request request;
	struct ib_uverbs_reg_mr cmd;
	struct sim_object *pd;
	int rc = sim_write_request(call, &cmd, sizeof(cmd));

	if (!rc && !sim_same_page_offset(cmd.start, cmd.hca_va))
		rc = -EINVAL;
	rc = rc ?: sim_call_create(call, UVERBS_OBJECT_MR, NULL)
		     ?: sim_access_check(call, cmd.access_flags)
		     ?: sim_object_find(call->table, UVERBS_OBJECT_PD, cmd.pd_handle, &pd);
	if (rc)
		return rc;
	request = (struct sim_mr_request){
		.kernel = call->table->kernel,
		.mr.parent = cmd.pd_handle,
		.mr.addr = cmd.start,
		.mr.length = cmd.length,
		.mr.iova = cmd.hca_va,
		.mr.access = cmd.access_flags,
	};
	return register_mr(call, &request, BY_STRUCTURE);
}

/* rdma/ib_verbs.h enum ib_mr_rereg_flags */
#define REREG_TRANS     1u
#define REREG_PD        2u
#define REREG_ACCESS    4u
#define REREG_SUPPORTED (REREG_TRANS | REREG_PD | REREG_ACCESS)

/*
 * umem.c ib_umem_check_rereg(): an MR whose pages are pinned for reading cannot get write access.  The MR that Data
 * Direct gives has no umem.
 */
static int check_writable(const struct sim_table *table, const struct ib_uverbs_rereg_mr *cmd,
			  const struct sim_object *mr)
{
	return cmd->flags & REREG_ACCESS && !(cmd->flags & REREG_TRANS) &&
			       sim_access_writable(cmd->access_flags) &&
			       !(mr->flags & (SIM_MR_WRITABLE | SIM_MR_DATA_DIRECT)) &&
			       sim_has_change(table->kernel, SIM_REREG_CHECK)
		       ? -EACCES
		       : 0;
}

static int check_command(const struct sim_call *call, const struct ib_uverbs_rereg_mr *cmd,
			 struct sim_object *old)
{
	const struct sim_table *table = call->table;
	struct sim_object *mr, *pd;
	int rc;

	if (cmd->flags & ~REREG_SUPPORTED)
		return -EOPNOTSUPP;
	if (!cmd->flags ||
	    (cmd->flags & REREG_TRANS && !sim_same_page_offset(cmd->start, cmd->hca_va)))
		return -EINVAL;
	rc = sim_object_find(table, UVERBS_OBJECT_MR, cmd->mr_handle, &mr);
	if (!rc && mr->flags & SIM_MR_DM)
		rc = -EINVAL;
	if (!rc && cmd->flags & REREG_ACCESS)
		rc = sim_access_check(call, cmd->access_flags);
	if (!rc && cmd->flags & REREG_PD)
		rc = sim_object_find(table, UVERBS_OBJECT_PD, cmd->pd_handle, &pd);
	/* the driver may make a new MR, which for a moment is one more object */
	if (!rc && !sim_object_has_room(table))
		rc = -EAGAIN;
	if (!rc)
		rc = check_writable(table, cmd, mr);
	if (!rc)
		*old = *mr;
	return rc;
}

static bool is_unchanged(const struct sim_object *mr, const struct sim_object *old)
{
	return mr->key == old->key && mr->addr == old->addr && mr->length == old->length &&
	       mr->iova == old->iova && mr->access == old->access && mr->parent == old->parent &&
	       mr->mm == old->mm && mr->pinned == old->pinned;
}

/*
 * Change the MR as the driver allowed.  The kernel holds a lock of the MR from the start of the command, and
 * answers EBUSY to other calls that would change or destroy it.  Here the table was unlocked meanwhile:
 * EBUSY is the answer if another call was faster.
 */
static int change_mr(struct sim_call *call, const struct ib_uverbs_rereg_mr *cmd,
		     const struct sim_rereg *rereg, struct ib_uverbs_rereg_mr_resp *resp)
{
	const struct sim_mr_request *request = &rereg->request;
	struct sim_table *table = call->table;
	struct sim_object *mr, *pd, changed = rereg->old;
	int rc;

	if (sim_object_find(table, UVERBS_OBJECT_MR, cmd->mr_handle, &mr) ||
	    !is_unchanged(mr, &rereg->old))
		return -EBUSY;
	if (cmd->flags & REREG_PD) {
		rc = sim_object_find(table, UVERBS_OBJECT_PD, cmd->pd_handle, &pd);
		if (rc)
			return rc;
		changed.parent = cmd->pd_handle;
	}
	changed.access = request->mr.access;
	if (rereg->new_key)
		changed.key = call->profile->make_key(table, request->key_variant);
	if (rereg->translate) {
		changed.addr = request->mr.addr;
		changed.length = request->mr.length;
		changed.iova = request->mr.iova;
		changed.flags = request->mr.flags;
		changed.pinned = request->mr.pinned;
		changed.mm = sim_account_commit(table, request->mr.pinned);
	}
	if (rereg->new_key)
		changed.key_pages = request->mr.key_pages;
	sim_object_change(table, cmd->mr_handle, &changed);
	/* with a new key the driver makes a new MR, and rdma_assign_uobject() makes it the newest */
	if (rereg->new_key) {
		sim_object_renew(table, cmd->mr_handle);
		sim_key_free(table, rereg->old.key);
	}
	if (rereg->translate)
		sim_account_release(table, rereg->old.mm, rereg->old.pinned);
	resp->lkey = changed.key;
	resp->rkey = changed.key;
	return 0;
}

bool sim_rereg_is_supported(const struct sim_call *call)
{
	return sim_has_change(call->table->kernel, call->profile->rereg_since);
}

int sim_write_rereg_mr(struct sim_call *call)
{
	struct ib_uverbs_rereg_mr_resp resp = { 0 };
	struct sim_rereg rereg = { .request.kernel = call->table->kernel };
	struct sim_object *mr = &rereg.request.mr;
	struct ib_uverbs_rereg_mr cmd;
	int rc = sim_write_request(call, &cmd, sizeof(cmd));

	if (!rc)
		rc = check_command(call, &cmd, &rereg.old);
	if (rc)
		return rc;
	rereg.translate = cmd.flags & REREG_TRANS;
	rereg.given =
		(struct sim_object){ .addr = cmd.start, .length = cmd.length, .iova = cmd.hca_va };
	*mr = rereg.translate ? rereg.given
			      : (struct sim_object){ .addr = rereg.old.addr,
						     .length = rereg.old.length,
						     .iova = rereg.old.iova };
	mr->access = cmd.flags & REREG_ACCESS ? cmd.access_flags : rereg.old.access;
	sim_call_unlock(call);
	rc = call->profile->rereg_mr(&rereg);
	rc = sim_call_relock(call, rc, mr->pinned);
	if (rc)
		return rc;
	rc = change_mr(call, &cmd, &rereg, &resp);
	if (rc) {
		sim_account_cancel(mr->pinned);
		return rc;
	}
	return SIM_PUT(call, UVERBS_ATTR_CORE_OUT, resp);
}

/* ib_umem_odp_map_dma_and_lock(): fault whole pages in; with HUGETLB all of them must be huge */
static int fetch_pages(enum mr_sim_kernel kernel, uint64_t kind, const struct sim_object *mr,
		       uint64_t addr, uint64_t length)
{
	const uint64_t page_size = sim_mr_page_size(mr);
	uint64_t start = sim_round_down(addr, page_size);
	uint64_t size = sim_round_up(addr - start + length, page_size);
	int rc = 0;

	if (kind != IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		rc = sim_umem_touch(kernel, start, size,
				    kind == IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_WRITE);
	if (rc || !(mr->access & IB_UVERBS_ACCESS_HUGETLB))
		return rc;
	return sim_umem_check_odp(kernel, addr, length, mr->access);
}

/* ib_umem_odp_map_dma_and_lock(): the memory went with the process.  A zombie has none either. */
static bool has_memory(pid_t process)
{
	char path[32], target[1];

	if (process == getpid())
		return true;
	snprintf(path, sizeof(path), "/proc/%d/exe", (int)process);
	return readlink(path, target, sizeof(target)) >= 0 || errno != ENOENT;
}

static int prefetch(struct sim_call *call, const struct sim_advice *advice, struct sim_object mr,
		    const struct ib_uverbs_sge *part)
{
	uint64_t addr;
	int rc;

	if (mr.flags & SIM_MR_DMABUF && part->addr < mr.iova)
		return -EFAULT;
	if (mr.flags & SIM_MR_DMABUF)
		return sim_export_is_revoked(call->table, &mr) ? -ENODEV : 0;
	rc = call->profile->prefetch_address(&mr, part, &addr);
	if (!rc && !has_memory(mr.owner))
		rc = -EINVAL;
	if (rc)
		return rc;
	sim_call_unlock(call);
	rc = fetch_pages(call->table->kernel, advice->kind, &mr, addr, part->length);
	return sim_call_relock(call, rc, 0);
}

/* uverbs_std_types_mr.c UVERBS_METHOD_ADVISE_MR */
int sim_advise_mr(struct sim_call *call)
{
	struct sim_advice advice = {
		.kind = sim_attr_number(call, UVERBS_ATTR_ADVISE_MR_ADVICE),
		.pd = sim_attr_number(call, UVERBS_ATTR_ADVISE_MR_PD_HANDLE),
	};
	const struct ib_uverbs_sge *list;
	uint32_t flags;
	size_t size, i;
	int rc;

	if (!sim_has_change(call->table->kernel, call->profile->odp_since))
		return -EOPNOTSUPP;
	rc = sim_attr_flags(call, UVERBS_ATTR_ADVISE_MR_FLAGS, IB_UVERBS_ADVISE_MR_FLAG_FLUSH,
			    &flags);
	if (rc)
		return rc;
	advice.flush = flags & IB_UVERBS_ADVISE_MR_FLAG_FLUSH;
	list = sim_attr_data(call, UVERBS_ATTR_ADVISE_MR_SGE_LIST, &size);
	if (size % sizeof(*list))
		return -EINVAL;
	if (advice.kind > IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT)
		return -EOPNOTSUPP;
	for (i = 0; i < size / sizeof(*list) && !rc; i++) {
		const struct sim_object *mr = sim_key_find(call->table, list[i].lkey);

		if (mr && mr->type != UVERBS_OBJECT_MR)
			mr = NULL;
		rc = call->profile->check_prefetch(&advice, mr);
		if (!rc && mr && advice.flush)
			rc = prefetch(call, &advice, *mr, &list[i]);
	}
	return rc;
}
