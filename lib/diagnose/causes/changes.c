// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* What drivers can change of a region that is there, and of the access to pages that are pinned. */
#include "lib/diagnose/causes/changes.h"

#include <errno.h>
#include <inttypes.h>

#include "lib/diagnose/causes/tables.h"
#include "lib/host/processes.h"
#include "lib/verbs/verbs.h"

/* include/rdma/ib_verbs.h ib_access_writable() */
#define WRITES                                                                                     \
	(MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC |                \
	 MR_ACCESS_MW_BIND)

/* What mlx5 changes without a new key: hw/mlx5/mr.c can_use_umr_rereg_access() */
#define CHANGED_IN_PLACE                                                                           \
	(MR_ACCESS_LOCAL_WRITE | MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_READ |                  \
	 MR_ACCESS_REMOTE_ATOMIC | MR_ACCESS_RELAXED_ORDERING)

/*
 * Rules that came with Linux 7.2, and to stable kernels in the midst of their series (6.12.107 has them, earlier 6.12
 * and 6.1.192 have not): only of 7.2 and later the release tells that they are there.
 */
static bool is_since_7_2(struct mr_inquiry *inquiry)
{
	return mr_inquiry_kernel_since(inquiry, 7, 2) == MR_YES;
}

/* Whether the change adds the right to write to pages that were pinned for reading, as far as is known. */
static enum mr_tristate makes_writable(const struct mr_inquiry *inquiry)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (!(refusal->rereg->changes & MR_CHANGE_ACCESS) || mr_changes_memory(refusal->rereg) ||
	    !(mr_inquiry_access(inquiry) & WRITES) || refusal->region_access & WRITES)
		return MR_NO;
	if (!refusal->pinned_access.known)
		return MR_UNKNOWN;
	return refusal->pinned_access.value & WRITES ? MR_NO : MR_YES;
}

/* core/umem.c ib_umem_check_rereg(), which each driver calls by itself */
static void look_at_read_only(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const uint32_t access = mr_inquiry_access(inquiry);
	const bool is_read =
		mr_inquiry_is_driver(inquiry, "mlx5") || mr_inquiry_is_driver(inquiry, "rxe");
	enum mr_tristate writable;

	if (!mr_change_reached_kernel(inquiry) || !refusal->rereg || !refusal->region_known ||
	    !(refusal->rereg->changes & MR_CHANGE_ACCESS))
		return;
	writable = makes_writable(inquiry);
	mr_evidence_hex(suspicion, "access_before", refusal->region_access);
	if (refusal->pinned_access.known)
		mr_evidence_hex(suspicion, "access_pinned", refusal->pinned_access.value);
	mr_evidence_hex(suspicion, "access", access);
	if (writable == MR_NO) {
		mr_rule_out(suspicion,
			    "the change adds no right to write to pages that were pinned "
			    "for reading");
		return;
	}
	mr_suspect(suspicion,
		   writable == MR_YES && is_read && is_since_7_2(inquiry) ? MR_CERTAIN : MR_LIKELY,
		   "the region's pages were pinned for reading alone (access 0x%" PRIx32
		   "), and the change would let the device write to them (0x%" PRIx32 ")",
		   refusal->region_access, access);
}

/* ---- what drivers can change ---- */

/* sw/rxe/rxe_verbs.c rxe_rereg_user_mr() */
static void look_at_rxe(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;

	if (!rereg || !mr_change_reached_kernel(inquiry) || !mr_inquiry_is_driver(inquiry, "rxe") ||
	    (failure && failure->lacks != MR_REREG_OF_NONE))
		return;
	if (!mr_changes_memory(rereg)) {
		mr_rule_out(suspicion, "the memory is to stay");
		return;
	}
	mr_evidence_hex(suspicion, "flags", rereg->changes);
	mr_suspect(suspicion, MR_CERTAIN,
		   "rxe changes the access and the PD of a region, but not its memory");
}

/* Whether the region's translation is of no fixed pages: mlx5 cannot make a new key for it without a new one. */
static bool has_no_pages(const struct mr_refusal *refusal)
{
	return refusal->region_access & MR_ACCESS_ON_DEMAND ||
	       mr_region_is_dmabuf(refusal->region_call);
}

/* A region of all memory is made anew, with the translation that it has. */
static bool is_made_anew(const struct mr_refusal *refusal, uint32_t access)
{
	return access & MR_ACCESS_ON_DEMAND && !refusal->region_addr &&
	       refusal->region_length == UINT64_MAX;
}

/* hw/mlx5/mr.c mlx5_ib_rereg_user_mr().  Linux 6.1 was seen to answer EFAULT. */
static void look_at_in_place(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const uint32_t before = refusal->region_access, after = mr_inquiry_access(inquiry);
	const uint32_t others = (before ^ after) & ~(uint32_t)CHANGED_IN_PLACE;

	if (!mr_change_reached_kernel(inquiry) || !refusal->rereg || !refusal->region_known ||
	    !mr_inquiry_is_driver(inquiry, "mlx5"))
		return;
	/* mlx5_ib_rereg_user_mr() looks at mr->data_direct first of all. */
	if (mr_call_row(refusal->region_call)->data_direct) {
		mr_evidence_text(suspicion, "call", "%s", mr_call_row(refusal->region_call)->name);
		mr_suspect(suspicion, MR_CERTAIN, "mlx5 changes no regions of Data Direct");
		return;
	}
	if (mr_changes_memory(refusal->rereg))
		return;
	if (!others || !has_no_pages(refusal) || is_made_anew(refusal, after)) {
		mr_rule_out(suspicion, "mlx5 can change this access in place, or by a new key");
		return;
	}
	mr_evidence_hex(suspicion, "access_before", before);
	mr_evidence_hex(suspicion, "access", after);
	/* That of writing is looked at before, and answered otherwise. */
	mr_suspect(
		suspicion,
		is_since_7_2(inquiry) && makes_writable(inquiry) == MR_NO ? MR_CERTAIN : MR_LIKELY,
		"mlx5 cannot change the access flags 0x%" PRIx32 " of a region %s, unless its "
		"memory changes, too",
		others, mr_region_is_dmabuf(refusal->region_call) ? "on a dma-buf" : "on demand");
}

static bool note_mapping(const struct mr_mapping *mapping, void *data)
{
	*(struct mr_mapping *)data = *mapping;
	return false;
}

/* Whether nothing is mapped at an address of this process. */
static bool is_unmapped(struct mr_host *host, uint64_t addr)
{
	struct mr_mapping next = { .start = UINT64_MAX };

	return !mr_mappings_walk(host, addr, note_mapping, &next) && next.start > addr;
}

/*
 * mlx5_ib_rereg_user_mr() before the rule above: the region is registered anew, from the address that it has, in the
 * memory of the process that calls.
 */
static void look_at_process(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const uint32_t before = refusal->region_access, after = mr_inquiry_access(inquiry);
	const bool in_place = !((before ^ after) & ~(uint32_t)CHANGED_IN_PLACE);

	if (!mr_change_reached_kernel(inquiry) || !refusal->rereg || !refusal->region_known ||
	    !mr_inquiry_is_driver(inquiry, "mlx5") || mr_changes_memory(refusal->rereg) ||
	    in_place || !(before & MR_ACCESS_ON_DEMAND) || is_since_7_2(inquiry) ||
	    is_made_anew(refusal, after))
		return;
	mr_evidence_hex(suspicion, "access_before", before);
	mr_evidence_hex(suspicion, "access", after);
	mr_evidence_hex(suspicion, "addr", refusal->region_addr);
	if (is_unmapped(inquiry->host, refusal->region_addr))
		mr_suspect(
			suspicion, MR_LIKELY,
			"for these access flags mlx5 takes the memory of the process at 0x%" PRIx64
			" anew, and nothing is mapped there",
			refusal->region_addr);
	else
		mr_rule_out(suspicion, "the process has memory at 0x%" PRIx64,
			    refusal->region_addr);
}

const struct mr_cause mr_causes_of_changes[] = {
	{ .id = "MR-REREG-READ-ONLY",
	  .subject = "pages that were pinned for reading",
	  .operations = MR_ON(REREG),
	  .errnums = { EACCES },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_read_only,
	  .what = "Memory that is registered without any right to write is pinned for reading.  A "
		  "change of the access alone cannot let the device write to those pages.  Linux "
		  "looks at that from 7.2 on, and in newer releases of earlier series.",
	  .recognise = "The access before has none of local-write, remote-write, remote-atomic and "
		       "mw-bind, the new one has, and the memory stays.",
	  .remedy =
		  "change the memory with the access (give its address and length again), or register "
		  "it anew",
	  .sources = "drivers/infiniband/core/umem.c ib_umem_check_rereg()" },
	{ .id = "MR-REREG-RXE",
	  .driver = "rxe",
	  .subject = "change of memory on rxe",
	  .operations = MR_ON(REREG),
	  .errnums = { EOPNOTSUPP },
	  .is_of_request = true,
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_rxe,
	  .what = "rxe changes the access and the PD of a region only.",
	  .recognise = "A device of rdma_rxe, and the flag translation.",
	  .remedy = "register another region, and deregister this one",
	  .sources = "drivers/infiniband/sw/rxe/rxe_verbs.c rxe_rereg_user_mr()" },
	{ .id = "MR-REREG-IN-PLACE",
	  .driver = "mlx5",
	  .subject = "access that mlx5 cannot change in place",
	  .operations = MR_ON(REREG),
	  .errnums = { EOPNOTSUPP },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_in_place,
	  .what = "mlx5 changes local-write, remote-write, remote-read, remote-atomic and "
		  "relaxed-ordering in place.  For other flags it makes a new key, which it cannot do "
		  "for regions on a part of the memory on demand, or on a dma-buf.  Linux answers so "
		  "from 7.2 on, and in newer releases of earlier series.",
	  .recognise = "The flags that change, and how the region was registered.",
	  .remedy = "register another region, and deregister this one",
	  .sources = "drivers/infiniband/hw/mlx5/mr.c mlx5_ib_rereg_user_mr(), "
		     "can_use_umr_rereg_access()" },
	{ .id = "MR-REREG-PROCESS",
	  .subject = "change of another process's region on demand",
	  .operations = MR_ON(REREG),
	  .errnums = { EFAULT },
	  .layer = MR_LAYER_DRIVER,
	  .frequency = MR_RARE,
	  .look = look_at_process,
	  .what = "Before Linux 7.2 mlx5 makes a region on demand anew for access flags that it "
		  "cannot change in place.  It then takes the memory that the calling process has "
		  "at the region's address, and not that of the process that registered it.",
	  .recognise = "The region was registered on demand by another process, and the file maps "
		       "of the calling process in /proc has nothing at its address.",
	  .remedy = "register another region, and deregister this one",
	  .sources = "drivers/infiniband/hw/mlx5/mr.c mlx5_ib_rereg_user_mr()" },
	{ .id = NULL },
};
