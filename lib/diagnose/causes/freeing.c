// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Why an object is not destroyed.  ib_uverbs answers EBUSY where another object was made on it
 * (drivers/infiniband/core/uverbs_std_types.c, ib_destroy_usecnt()), ENOENT where there is none of that number.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/verbs/uverbs.h"
#include "lib/verbs/verbs.h"

static bool frees_pd(const struct mr_inquiry *inquiry)
{
	const char *call = inquiry->refusal->call;

	return !strcmp(call, "ibv_dealloc_pd") || !strcmp(call, "ioctl(PD_DESTROY)");
}

/* Whether it is memory on the device that is freed, not a region or a PD. */
static bool frees_dm(const struct mr_inquiry *inquiry)
{
	const char *call = inquiry->refusal->call;

	return !strcmp(call, "ibv_free_dm") || !strcmp(call, "ioctl(DM_FREE)");
}

static void suspect_users(const struct mr_inquiry *inquiry, const char *where,
			  struct mr_suspicion *suspicion)
{
	const struct mr_opt_u64 *users = &inquiry->refusal->users;
	const char *owner = inquiry->host->process ? "process" : "session";

	if (users->known)
		mr_evidence_number(suspicion, "regions", users->value);
	if (users->known && users->value)
		mr_suspect(suspicion, MR_CERTAIN, "%" PRIu64 " region%s of this %s %s still %s",
			   users->value, users->value == 1 ? "" : "s", owner,
			   users->value == 1 ? "is" : "are", where);
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "no region of this %s is %s; what other programs made may be", owner,
			   where);
}

static void look_at_pd(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (!frees_pd(inquiry))
		return;
	if (inquiry->refusal->pd)
		mr_evidence_text(suspicion, "pd", "%s", inquiry->refusal->pd);
	suspect_users(inquiry, "in this protection domain", suspicion);
}

static void look_at_dm(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (!frees_dm(inquiry))
		return;
	if (inquiry->refusal->handle_known)
		mr_evidence_number(suspicion, "handle", inquiry->refusal->handle);
	suspect_users(inquiry, "on this memory of the device", suspicion);
}

/* sw/rxe/rxe_mr.c rxe_dereg_mr(): EINVAL, for this reason alone. */
static void look_at_window(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool rxe = mr_inquiry_is_driver(inquiry, "rxe");

	if (refusal->errnum != (rxe ? EINVAL : EBUSY) || refusal->handle_kind != MR_KIND_MR)
		return;
	if (!rxe)
		suspicion->layer = MR_LAYER_FIRMWARE;
	if (refusal->region_known)
		mr_evidence_hex(suspicion, "access", refusal->region_access);
	else
		mr_evidence_number(suspicion, "handle", refusal->handle);
	/* rxe_mw.c rxe_check_bind_mw() looks at the flag; libmlx5 and the kernel's mlx5_ib do not */
	if (rxe && refusal->region_known && !(refusal->region_access & MR_ACCESS_MW_BIND)) {
		mr_rule_out(suspicion, "the region was registered without mw-bind, which windows "
				       "need");
		return;
	}
	mr_suspect(suspicion, rxe && refusal->region_known ? MR_LIKELY : MR_POSSIBLE,
		   "a memory window may be bound to the region%s",
		   refusal->region_known && refusal->region_access & MR_ACCESS_MW_BIND
			   ? ", which was registered with mw-bind"
			   : "");
}

/*
 * Asks the kernel again whether there is such an MR.  EIO and other errnos tell nothing.  The simulated HCA
 * and the kernel both answer ENOENT, and EINVAL for the number of another kind of object.
 */
static void look_at_handle(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	struct mr_uverbs_mr mr = { .handle = refusal->handle };
	int rc;

	/* lib/session/objects.c has asked the kernel for it, after another call was refused. */
	if (refusal->kind == MR_ERROR_ABSENT) {
		mr_evidence_text(suspicion, "call", "%s", refusal->call);
		mr_suspect(
			suspicion, inquiry->operation == MR_OP_QUERY ? MR_LIKELY : MR_CERTAIN,
			"there is no such object in this session: its number is free, or that of "
			"another kind of object");
		return;
	}
	if (refusal->errnum != ENOENT || !refusal->uverbs || refusal->is_opened_anew ||
	    !refusal->handle_known || refusal->handle_kind != MR_KIND_MR)
		return;
	rc = mr_uverbs_query_mr(refusal->uverbs, refusal->handle, &mr, NULL);
	mr_evidence_number(suspicion, "handle", refusal->handle);
	if (!rc)
		mr_rule_out(suspicion, "the kernel has an MR with the handle %" PRIu32,
			    refusal->handle);
	else if (rc == -ENOENT)
		mr_suspect(suspicion, MR_CERTAIN,
			   "the kernel has no MR with the handle %" PRIu32 " (any more)",
			   refusal->handle);
}

/* rdma_core.c uverbs_try_lock_object(): EBUSY where another call uses the object at that moment. */
static void look_at_call(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (!refusal->handle_known)
		return;
	mr_evidence_number(suspicion, "handle", refusal->handle);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "another call may have been at work on it at that moment, of this or another "
		   "process");
}

const struct mr_cause mr_causes_of_freeing[] = {
	{ .id = "MR-PD-BUSY",
	  .subject = "users of a protection domain",
	  .operations = MR_ON(FREE),
	  .errnums = { EBUSY },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_COMMON,
	  .look = look_at_pd,
	  .what = "A protection domain is deallocated only when nothing is in it any more: no region, "
		  "queue pair, address handle or memory window.",
	  .recognise =
		  "mrctl stat shows the regions with their pd; rdma resource show pd shows the "
		  "number of users.",
	  .remedy = "deregister first what is in it: mrctl stat shows regions and their pd",
	  .sources = "ibv_dealloc_pd(3); drivers/infiniband/core/uverbs_std_types.c "
		     "uverbs_free_pd(); linux-rdma/perftest#77" },
	{ .id = "MR-DM-BUSY",
	  .subject = "regions on memory of the device",
	  .operations = MR_ON(FREE),
	  .errnums = { EBUSY },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_dm,
	  .what = "Memory on the device is freed only when no region is on it any more.",
	  .recognise = "mrctl stat shows regions of ibv_reg_dm_mr.",
	  .remedy = "deregister the regions on it first",
	  .sources = "ibv_free_dm(3); drivers/infiniband/core/uverbs_std_types_dm.c "
		     "uverbs_free_dm()" },
	{ .id = "MR-MW-BOUND",
	  .subject = "memory window that is bound",
	  .operations = MR_ON(DEREG),
	  .errnums = { EINVAL, EBUSY },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_window,
	  .what = "A region is not deregistered as long as a memory window is bound to it.  rxe "
		  "answers EINVAL; firmware of mlx5 may answer that the key is busy (EBUSY).",
	  .recognise = "The region was registered with mw-bind, and the program binds windows.",
	  .remedy = "invalidate or deallocate the windows first (ibv_dealloc_mw)",
	  .sources = "ibv_dereg_mr(3); drivers/infiniband/sw/rxe/rxe_mr.c rxe_dereg_mr()" },
	{ .id = "MR-HANDLE",
	  .subject = "handle of a region that has gone",
	  .operations = MR_ON(DEREG) | MR_ON(REREG) | MR_ON(FREE) | MR_ON(QUERY),
	  .errnums = { ENOENT, EINVAL },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_handle,
	  .what = "The kernel has no object of that number in this context: it was destroyed already.",
	  .recognise = "The kernel answers ENOENT when it is asked about the handle.",
	  .remedy = "nothing is left to do; mrctl stat shows what there is",
	  .sources = "drivers/infiniband/core/rdma_core.c rdma_lookup_get_uobject()" },
	{ .id = "MR-HANDLE-BUSY",
	  .subject = "another call at work on the object",
	  .operations = MR_ON(DEREG) | MR_ON(REREG) | MR_ON(FREE),
	  .errnums = { EBUSY },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_call,
	  .what = "ib_uverbs locks an object while a call uses it, and answers EBUSY to a call that "
		  "would change or destroy it meanwhile.",
	  .recognise = "It works when it is tried again.",
	  .remedy = "try it again; if it stays busy, something was made on the object",
	  .sources = "drivers/infiniband/core/rdma_core.c uverbs_try_lock_object()" },
	{ .id = NULL },
};
