// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/verbs/verbs.h"

/* The code of libibverbs for a change that failed, or an empty text. */
static const char *code_of(const struct mr_inquiry *inquiry)
{
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;

	return failure && failure->code ? failure->code : "";
}

/* Whether the region is to have other memory. */
static bool changes_memory(const struct mr_rereg_request *rereg)
{
	return rereg->changes & MR_CHANGE_TRANSLATION;
}

/* Access flags that mlx5 changes without a new key: hw/mlx5/mr.c can_use_umr_rereg_access() */
#define CHANGED_IN_PLACE                                                                           \
	(MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ |                  \
	 MR_ACCESS_REMOTE_ATOMIC | MR_ACCESS_RELAXED_ORDERING)

/*
 * Rules that Linux 7.2 introduced, and stable kernels within their series (6.12.107 has them, earlier 6.12
 * and 6.1.192 have not): only the releases 7.2 and later show that they exist.
 */
static bool is_since_7_2(struct mr_inquiry *inquiry)
{
	return mr_inquiry_is_since(inquiry, 7, 2);
}

/* Whether the change adds the right to write to pages that were pinned for reading, as far as is known. */
static enum mr_tristate makes_writable(const struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (!(refusal->rereg->changes & MR_CHANGE_ACCESS) || changes_memory(refusal->rereg) ||
	    !(mr_inquiry_access(inquiry) & MR_WRITING) || refusal->region_access & MR_WRITING)
		return MR_NO;
	if (!refusal->pinned_access.known)
		return MR_UNKNOWN;
	return refusal->pinned_access.value & MR_WRITING ? MR_NO : MR_YES;
}

/* core/umem.c ib_umem_check_rereg(), which each driver calls by itself */
static void look_at_read_only(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool is_read =
		mr_inquiry_is_driver(inquiry, "mlx5") || mr_inquiry_is_driver(inquiry, "rxe");
	const enum mr_tristate writable = makes_writable(inquiry);
	const uint32_t access = mr_inquiry_access(inquiry);

	if (!(refusal->rereg->changes & MR_CHANGE_ACCESS))
		return;
	mr_evidence_hex(suspicion, "access_before", refusal->region_access);
	if (refusal->pinned_access.known)
		mr_evidence_hex(suspicion, "access_pinned", refusal->pinned_access.value);
	if (writable == MR_NO)
		mr_rule_out(
			suspicion,
			"the change adds no write access to pages that were pinned for reading");
	else
		mr_suspect(suspicion,
			   mr_certain_if(writable == MR_YES && is_read && is_since_7_2(inquiry)),
			   "the region's pages were pinned for reading alone (access 0x%" PRIx32
			   "), and the change would let the device write to them (0x%" PRIx32 ")",
			   refusal->region_access, access);
}

/* ---- what drivers can change ---- */

static void look_at_rxe(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;

	if (failure && failure->lacks != MR_REREG_OF_NONE)
		return;
	if (!changes_memory(inquiry->refusal->rereg))
		mr_rule_out(suspicion, "the memory does not change");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "rxe changes the access and the PD of a region, but not its memory");
}

/* The driver makes a region of all memory again, with the same translation. */
static bool is_made_anew(const struct mr_refusal *refusal, uint32_t access)
{
	return access & MR_ACCESS_ON_DEMAND && !refusal->region_addr &&
	       refusal->region_length == UINT64_MAX;
}

/* hw/mlx5/mr.c mlx5_ib_rereg_user_mr().  Linux 6.1 was seen to answer EFAULT. */
static void look_at_in_place(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_call_row *row = mr_call_row(refusal->region_call);
	const uint32_t before = refusal->region_access, after = mr_inquiry_access(inquiry);
	const uint32_t others = (before ^ after) & ~(uint32_t)CHANGED_IN_PLACE;
	const bool is_dmabuf = mr_region_is_dmabuf(refusal->region_call);
	/* Without fixed pages mlx5 cannot make a new key for the translation without a new one. */
	const bool has_no_pages = before & MR_ACCESS_ON_DEMAND || is_dmabuf;

	/* mlx5_ib_rereg_user_mr() looks at mr->data_direct first of all. */
	if (row->data_direct) {
		mr_evidence_text(suspicion, "call", "%s", row->name);
		mr_suspect(suspicion, MR_CERTAIN, "mlx5 does not change regions with Data Direct");
		return;
	}
	if (changes_memory(refusal->rereg))
		return;
	mr_evidence_hex(suspicion, "access_before", before);
	mr_evidence_hex(suspicion, "access", after);
	if (!others || !has_no_pages || is_made_anew(refusal, after))
		mr_rule_out(suspicion, "mlx5 can change this access in place, or by a new key");
	else /* Write access is checked earlier, with another errno. */
		mr_suspect(suspicion,
			   mr_certain_if(is_since_7_2(inquiry) && makes_writable(inquiry) == MR_NO),
			   "mlx5 cannot change the access flags 0x%" PRIx32
			   " of a region %s, unless its memory changes, too",
			   others, is_dmabuf ? "on a dma-buf" : "on demand");
}

/*
 * mlx5_ib_rereg_user_mr() before the rule above: the region is registered again at its address, with the memory of
 * the calling process.
 */
static void look_at_process(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const uint32_t before = refusal->region_access, after = mr_inquiry_access(inquiry);
	const uint64_t addr = refusal->region_addr;
	struct mr_mapping next;

	if (changes_memory(refusal->rereg) || !((before ^ after) & ~(uint32_t)CHANGED_IN_PLACE) ||
	    !(before & MR_ACCESS_ON_DEMAND) || is_since_7_2(inquiry) ||
	    is_made_anew(refusal, after))
		return;
	mr_evidence_hex(suspicion, "access_before", before);
	mr_evidence_hex(suspicion, "addr", addr);
	if (mr_mapping_find(inquiry->host, addr, &next) && next.start <= addr)
		mr_rule_out(suspicion, "the process has memory at 0x%" PRIx64, addr);
	else
		mr_suspect(
			suspicion, MR_LIKELY,
			"for these access flags mlx5 registers the memory of the process at 0x%" PRIx64
			" again, and nothing is mapped there",
			addr);
}

/* ---- libibverbs ---- */

static void look_at_imported(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	if (!inquiry->refusal->rereg_failure->imported)
		mr_rule_out(suspicion, "the process itself registered the region");
	else
		mr_suspect(
			suspicion, MR_CERTAIN,
			"libibverbs changes only regions that its own process registered; another "
			"process registered this one");
	if (inquiry->refusal->region_known && mr_region_is_dm(inquiry->refusal->region_call))
		mr_suspect_remedy(suspicion,
				  "register another region, and deregister this one: the kernel "
				  "does not change regions on memory of the device, either");
}

static void look_at_memory(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;

	if (!changes_memory(rereg))
		return;
	mr_evidence_hex(suspicion, "addr", rereg->addr);
	mr_evidence_number(suspicion, "length", rereg->length);
	if (rereg->addr && rereg->length)
		mr_rule_out(suspicion, "it has an address, and %" PRIu64 " bytes", rereg->length);
	else
		mr_suspect(
			suspicion, MR_CERTAIN,
			"the change of the translation has %s, which libibverbs does not pass on",
			rereg->length ? "the address 0" : "no length");
}

static void look_at_unrequested_access(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;

	if (!rereg->access || rereg->changes & MR_CHANGE_ACCESS)
		return;
	mr_evidence_hex(suspicion, "access", rereg->access);
	mr_suspect(suspicion, MR_CERTAIN,
		   "the call has access flags (0x%" PRIx32 "), and the flag that would change "
		   "them is not set",
		   rereg->access);
}

/* The code shows that madvise(2) failed; other causes find the reason. */
static void look_at_fork(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	static const struct {
		const char *code, *text;
	} rows[] = {
		{ "IBV_REREG_MR_ERR_DONT_FORK_NEW",
		  "libibverbs could not protect the new memory from child processes" },
		{ "IBV_REREG_MR_ERR_DO_FORK_OLD",
		  "the region has changed, but libibverbs could not lift the protection of the "
		  "old memory" },
		{ "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW",
		  "the change was refused, and libibverbs could not lift the protection of the "
		  "new memory: the errno is that of the second failure" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(code_of(inquiry), rows[i].code))
			mr_suspect(suspicion, MR_LIKELY, "%s (madvise)", rows[i].text);
}

/* ---- ib_uverbs ---- */

/* ib_uverbs answers EOPNOTSUPP to unknown flags and EINVAL to none, before it looks the region up. */
static void look_at_flags(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;
	const bool by_library = !strcmp(code_of(inquiry), "IBV_REREG_MR_ERR_INPUT");
	const int errnum = inquiry->refusal->errnum;

	if (by_library)
		suspicion->layer = MR_LAYER_LIBIBVERBS;
	if (rereg->changes && !(rereg->changes & ~(uint32_t)MR_CHANGES))
		mr_rule_out(suspicion, "the flags are known: 0x%" PRIx32, rereg->changes);
	else if (!by_library && code_of(inquiry)[0] &&
		 strcmp(code_of(inquiry), "IBV_REREG_MR_ERR_CMD") != 0)
		return;
	else if (!rereg->changes)
		mr_suspect(suspicion, errnum == EINVAL ? MR_CERTAIN : MR_POSSIBLE,
			   "no flag is set");
	else
		mr_suspect(suspicion, by_library || errnum == EOPNOTSUPP ? MR_CERTAIN : MR_POSSIBLE,
			   "the flags 0x%" PRIx32 " have bits that %s does not know",
			   rereg->changes, by_library ? "libibverbs" : "the kernel");
}

/* ---- drivers that change no regions; for providers see MR-PROVIDER-OPERATION ---- */

static void look_at_driver(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	static const enum mr_certainty of_age[] = {
		[MR_UNKNOWN] = MR_LIKELY,
		[MR_NO] = MR_CERTAIN,
		[MR_YES] = MR_POSSIBLE,
	};
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;
	const struct mr_kernel_version *kernel = mr_inquiry_kernel(inquiry);
	enum mr_certainty certainty = MR_LIKELY;

	if (!failure || failure->lacks == MR_REREG_OF_PROVIDER) /* the kernel was not called */
		return;
	if (mr_inquiry_is_driver(inquiry, "rxe"))
		certainty = of_age[mr_inquiry_kernel_since(inquiry, 6, 5)];
	mr_evidence_text(suspicion, "empty_change", "EOPNOTSUPP");
	if (kernel)
		mr_evidence_text(suspicion, "kernel", "%u.%u", kernel->major, kernel->minor);
	/* After another errno it is unknown whether the kernel has the command. */
	if (inquiry->refusal->errnum == EOPNOTSUPP
		    ? failure->lacks != MR_REREG_OF_KERNEL || mr_inquiry_is_driver(inquiry, "mlx5")
		    : certainty != MR_CERTAIN)
		mr_rule_out(suspicion, "the driver changes regions");
	else
		mr_suspect(
			suspicion, certainty,
			"this kernel's driver does not support changes: it refuses even an empty "
			"one");
}

static void look_at_users(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool is_of_dm = mr_inquiry_is_call(inquiry, "ibv_free_dm") ||
			      mr_inquiry_is_call(inquiry, "ioctl(DM_FREE)");
	const bool is_of_pd = mr_inquiry_is_call(inquiry, "ibv_dealloc_pd") ||
			      mr_inquiry_is_call(inquiry, "ioctl(PD_DESTROY)");
	const char *owner = inquiry->host->process ? "process" : "session";
	const char *where = is_of_dm ? "on this memory of the device" : "in this protection domain";
	const uint64_t users = refusal->users.value;

	if (strcmp(suspicion->cause->id, "MR-DM-BUSY") ? !is_of_pd : !is_of_dm)
		return;
	if (is_of_pd && refusal->pd)
		mr_evidence_text(suspicion, "pd", "%s", refusal->pd);
	if (is_of_dm && refusal->handle_known)
		mr_evidence_number(suspicion, "handle", refusal->handle);
	if (refusal->users.known)
		mr_evidence_number(suspicion, "regions", users);
	if (refusal->users.known && users)
		mr_suspect(suspicion, MR_CERTAIN, "%" PRIu64 " region%s of this %s %s still %s",
			   users, users == 1 ? "" : "s", owner, users == 1 ? "is" : "are", where);
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "no region of this %s is %s; objects of other programs may be there",
			   owner, where);
}

/* sw/rxe/rxe_mr.c rxe_dereg_mr(): EINVAL, for this reason alone. */
static void look_at_window(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool known = refusal->region_known, rxe = mr_inquiry_is_driver(inquiry, "rxe");
	const bool can_be_bound = refusal->region_access & MR_ACCESS_MW_BIND;

	if (refusal->errnum != (rxe ? EINVAL : EBUSY) || refusal->handle_kind != MR_KIND_MR)
		return;
	if (!rxe)
		suspicion->layer = MR_LAYER_FIRMWARE;
	if (known)
		mr_evidence_hex(suspicion, "access", refusal->region_access);
	else
		mr_evidence_number(suspicion, "handle", refusal->handle);
	/* rxe_mw.c rxe_check_bind_mw() looks at the flag; libmlx5 and the kernel's mlx5_ib do not */
	if (rxe && known && !can_be_bound)
		mr_rule_out(suspicion,
			    "the region was registered without mw-bind, which windows require");
	else
		mr_suspect(suspicion, mr_likely_if(rxe && known),
			   "a memory window may be bound to the region%s",
			   known && can_be_bound ? ", which was registered with mw-bind" : "");
}

/*
 * Asks the kernel again whether there is such an MR.  EIO and other errnos prove nothing.  The simulated HCA
 * and the kernel both answer ENOENT, and EINVAL for the number of another kind of object.
 */
static void look_at_handle(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	struct mr_uverbs_mr mr = { .handle = refusal->handle };
	int rc;

	/* lib/session/look.c has queried the kernel, after another call was refused. */
	if (refusal->kind == MR_ERROR_ABSENT) {
		mr_evidence_text(suspicion, "call", "%s", refusal->call);
		mr_suspect(suspicion, inquiry->operation == MR_OP_QUERY ? MR_LIKELY : MR_CERTAIN,
			   "this session has no such object: the handle is free, or belongs to "
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
			   "the kernel has no MR with the handle %" PRIu32 " now", refusal->handle);
}

#include "lib/diagnose/causes/changes.inc"
