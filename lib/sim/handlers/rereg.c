// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The write command REREG_MR, which changes a memory region: uverbs_cmd.c ib_uverbs_rereg_mr(). */
#include <errno.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "lib/sim/call/profile.h"
#include "lib/sim/call/registration.h"
#include "lib/sim/handlers/rereg.h"
#include "lib/sim/memory/pin.h"
#include "lib/sim/state/account.h"
#include "lib/sim/state/keys.h"
#include "lib/sim/state/objects.h"

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

static int check_command(const struct ib_uverbs_rereg_mr *cmd)
{
	if (!cmd->flags)
		return -EINVAL;
	if (cmd->flags & ~REREG_SUPPORTED)
		return -EOPNOTSUPP;
	if (cmd->flags & REREG_TRANS && !sim_same_page_offset(cmd->start, cmd->hca_va))
		return -EINVAL;
	return 0;
}

static int check_objects(const struct sim_call *call, const struct ib_uverbs_rereg_mr *cmd,
			 struct sim_rereg *rereg)
{
	const struct sim_table *table = call->table;
	struct sim_object *mr, *pd;
	int rc;

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
		rereg->old = *mr;
	return rc;
}

static struct sim_mr_request make_request(const struct sim_table *table,
					  const struct ib_uverbs_rereg_mr *cmd,
					  const struct sim_object *old)
{
	struct sim_mr_request request = {
		.kernel = table->kernel,
		.addr = old->addr,
		.length = old->length,
		.iova = old->iova,
		.access = cmd->flags & REREG_ACCESS ? cmd->access_flags : old->access,
	};

	if (cmd->flags & REREG_TRANS) {
		request.addr = cmd->start;
		request.length = cmd->length;
		request.iova = cmd->hca_va;
	}
	return request;
}

static int driver_rereg_mr(struct sim_call *call, struct sim_rereg *rereg)
{
	int rc;

	sim_call_unlock(call);
	rc = call->profile->rereg_mr(rereg);
	return sim_call_relock(call, rc, rereg->request.pinned);
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
	changed.access = request->access;
	if (rereg->new_key)
		changed.key = call->profile->make_key(table, request->key_variant);
	if (rereg->translate) {
		changed.addr = request->addr;
		changed.length = request->length;
		changed.iova = request->iova;
		changed.flags = request->flags;
		changed.pinned = request->pinned;
		changed.mm = sim_account_commit(table, request->pinned);
	}
	if (rereg->new_key)
		changed.key_pages = request->key_pages;
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
	struct sim_rereg rereg = { 0 };
	struct ib_uverbs_rereg_mr cmd;
	int rc;

	rc = sim_write_request(call, &cmd, sizeof(cmd));
	if (!rc)
		rc = check_command(&cmd);
	if (!rc)
		rc = check_objects(call, &cmd, &rereg);
	if (rc)
		return rc;
	rereg.translate = cmd.flags & REREG_TRANS;
	rereg.given_addr = cmd.start;
	rereg.given_length = cmd.length;
	rereg.given_iova = cmd.hca_va;
	rereg.request = make_request(call->table, &cmd, &rereg.old);
	rc = driver_rereg_mr(call, &rereg);
	if (rc)
		return rc;
	rc = change_mr(call, &cmd, &rereg, &resp);
	if (rc) {
		sim_account_cancel(rereg.request.pinned);
		return rc;
	}
	return sim_attr_put(call, UVERBS_ATTR_CORE_OUT, &resp, sizeof(resp));
}
