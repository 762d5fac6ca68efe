// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Why a region cannot be changed: rules of ibv_rereg_mr(3) itself (libibverbs/verbs.c), and of ib_uverbs
 * (drivers/infiniband/core/uverbs_cmd.c ib_uverbs_rereg_mr()).  What is wrong with new memory is looked at by the
 * causes of registering it.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/causes/changes.h"
#include "lib/diagnose/causes/tables.h"

/* Whether libibverbs refused before it asked the provider. */
static bool is_refused_by_library(const struct mr_inquiry *inquiry)
{
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;

	return failure && failure->code && !strcmp(failure->code, "IBV_REREG_MR_ERR_INPUT");
}

static void add_code(const struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;

	if (failure && failure->code)
		mr_evidence_text(suspicion, "code", "%s", failure->code);
	if (inquiry->refusal->rereg)
		mr_evidence_hex(suspicion, "flags", inquiry->refusal->rereg->changes);
}

/* ---- libibverbs ---- */

static void look_at_imported(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;

	if (!is_refused_by_library(inquiry))
		return;
	if (!failure->imported) {
		mr_rule_out(suspicion, "the process itself registered the region");
		return;
	}
	add_code(inquiry, suspicion);
	mr_suspect(suspicion, MR_CERTAIN,
		   "libibverbs changes only regions that its own process registered, and another "
		   "one registered this");
	if (inquiry->refusal->region_known && mr_region_is_dm(inquiry->refusal->region_call))
		mr_suspect_remedy(suspicion,
				  "register another region, and deregister this one: the "
				  "kernel changes none on memory of the device, either");
}

static void look_at_kind(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const unsigned int call = refusal->region_call;

	if (!is_refused_by_library(inquiry) || !refusal->region_known ||
	    refusal->rereg_failure->imported)
		return;
	if (!mr_region_has_offset(call) && !mr_region_is_null(call)) {
		mr_rule_out(suspicion, "%s registers memory of the process",
			    mr_call_row(call)->name);
		return;
	}
	add_code(inquiry, suspicion);
	mr_evidence_text(suspicion, "registered_by", "%s", mr_call_row(call)->name);
	mr_suspect(suspicion, MR_CERTAIN,
		   "libibverbs changes no region on %s (%s), only those on memory of the process",
		   mr_region_is_dmabuf(call) ? "a dma-buf"
		   : mr_region_is_dm(call)   ? "memory of the device"
					     : "nothing",
		   mr_call_row(call)->name);
}

static void look_at_memory(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;

	if (!is_refused_by_library(inquiry) || !rereg || !mr_changes_memory(rereg))
		return;
	if (rereg->addr && rereg->length) {
		mr_rule_out(suspicion, "it has an address, and %" PRIu64 " bytes", rereg->length);
		return;
	}
	add_code(inquiry, suspicion);
	mr_evidence_hex(suspicion, "addr", rereg->addr);
	mr_evidence_number(suspicion, "length", rereg->length);
	mr_suspect(suspicion, MR_CERTAIN,
		   "the change of the translation has %s, which libibverbs does not pass on",
		   rereg->length ? "the address 0" : "no length");
}

static void look_at_unasked_access(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;

	if (!is_refused_by_library(inquiry) || !rereg || !rereg->access ||
	    rereg->changes & MR_CHANGE_ACCESS)
		return;
	add_code(inquiry, suspicion);
	mr_evidence_hex(suspicion, "access", rereg->access);
	mr_suspect(suspicion, MR_CERTAIN,
		   "the call has access flags (0x%" PRIx32 "), and the flag that would change "
		   "them is not set",
		   rereg->access);
}

/* The code tells that it failed.  Why madvise(2) failed is the matter of other causes. */
static void look_at_fork(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	static const struct {
		const char *code, *text;
	} rows[] = {
		{ "IBV_REREG_MR_ERR_DONT_FORK_NEW",
		  "libibverbs could not keep the new memory from child processes" },
		{ "IBV_REREG_MR_ERR_DO_FORK_OLD",
		  "the region has changed, and libibverbs could not give the old memory back to "
		  "child processes" },
		{ "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW",
		  "the change was refused, and libibverbs could not give the new memory back to "
		  "child processes, whose errno this is" },
	};
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;

	for (size_t i = 0; failure && failure->code && i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(failure->code, rows[i].code) != 0)
			continue;
		add_code(inquiry, suspicion);
		mr_suspect(suspicion, MR_LIKELY, "%s (madvise)", rows[i].text);
	}
}

/* ---- ib_uverbs ---- */

/* Of flags that it does not know ib_uverbs says EOPNOTSUPP, of none at all EINVAL, before it looks at the region. */
static void look_at_flags(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;
	const uint32_t known = MR_CHANGES;
	const int errnum = inquiry->refusal->errnum;

	if (!rereg)
		return;
	if (rereg->changes && !(rereg->changes & ~known)) {
		mr_rule_out(suspicion, "the flags are known: 0x%" PRIx32, rereg->changes);
		return;
	}
	add_code(inquiry, suspicion);
	if (is_refused_by_library(inquiry))
		suspicion->layer = MR_LAYER_LIBIBVERBS;
	else if (!mr_change_reached_kernel(inquiry))
		return;
	if (!rereg->changes)
		mr_suspect(suspicion, errnum == EINVAL ? MR_CERTAIN : MR_POSSIBLE,
			   "no flag says what to change");
	else if (is_refused_by_library(inquiry))
		mr_suspect(suspicion, MR_CERTAIN,
			   "the flags 0x%" PRIx32 " have bits that libibverbs does not know",
			   rereg->changes);
	else
		mr_suspect(suspicion, errnum == EOPNOTSUPP ? MR_CERTAIN : MR_POSSIBLE,
			   "the flags 0x%" PRIx32 " have bits that the kernel does not know",
			   rereg->changes);
}

static void look_at_dm(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;

	if (!mr_change_reached_kernel(inquiry) || !refusal->region_known ||
	    !mr_region_is_dm(refusal->region_call) ||
	    (refusal->rereg && refusal->rereg->changes & ~(uint32_t)MR_CHANGES))
		return;
	mr_evidence_text(suspicion, "registered_by", "%s", mr_call_row(refusal->region_call)->name);
	mr_suspect(suspicion, MR_CERTAIN,
		   "the region is on memory of the device (%s), and the kernel changes no such "
		   "region",
		   mr_call_row(refusal->region_call)->name);
}

/* ---- drivers that change no regions.  Of providers MR-PROVIDER-OPERATION tells. ---- */

static void look_at_driver(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;
	static const enum mr_certainty of_age[] = {
		[MR_UNKNOWN] = MR_LIKELY,
		[MR_NO] = MR_CERTAIN,
		[MR_YES] = MR_POSSIBLE,
	};
	const struct mr_kernel_version *kernel = mr_inquiry_kernel(inquiry);
	enum mr_certainty certainty = MR_LIKELY;

	if (!failure || !mr_change_reached_kernel(inquiry))
		return;
	if (mr_inquiry_is_driver(inquiry, "rxe"))
		certainty = of_age[mr_inquiry_kernel_since(inquiry, 6, 5)];
	/* Of another errno it was not found out whether the kernel has the command. */
	if (inquiry->refusal->errnum == EOPNOTSUPP
		    ? failure->lacks != MR_REREG_OF_KERNEL || mr_inquiry_is_driver(inquiry, "mlx5")
		    : certainty != MR_CERTAIN) {
		mr_rule_out(suspicion, "the driver changes regions");
		return;
	}
	mr_evidence_text(suspicion, "empty_change", "EOPNOTSUPP");
	if (kernel)
		mr_evidence_text(suspicion, "kernel", "%u.%u", kernel->major, kernel->minor);
	mr_suspect(suspicion, certainty,
		   "this kernel's driver changes no regions at all: it does not even know a change "
		   "of nothing");
}

#define LIBRARY_SOURCE "ibv_rereg_mr(3); rdma-core libibverbs/verbs.c ibv_rereg_mr()"

const struct mr_cause mr_causes_of_rereg[] = {
	{ .id = "MR-REREG-IMPORTED",
	  .subject = "change of another process's region by libibverbs",
	  .operations = MR_ON(REREG),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_COMMON,
	  .look = look_at_imported,
	  .what = "libibverbs changes only MRs of the type that ibv_reg_mr makes.  An MR that "
		  "ibv_import_mr has made of another process's region is of another type.",
	  .recognise = "The call returns IBV_REREG_MR_ERR_INPUT, and the MR was imported.",
	  .remedy = "use --via kernel, which does without libibverbs",
	  .sources = LIBRARY_SOURCE ", ibv_import_mr(3)" },
	{ .id = "MR-REREG-KIND",
	  .subject = "change of a region that is on no memory of the process",
	  .operations = MR_ON(REREG),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_kind,
	  .what = "libibverbs changes no MR of a dma-buf, of memory on the device, and no null MR.",
	  .recognise =
		  "The call returns IBV_REREG_MR_ERR_INPUT, and the MR was made by another call "
		  "than ibv_reg_mr.",
	  .remedy = "register another region, and deregister this one; or try --via kernel",
	  .sources = LIBRARY_SOURCE },
	{ .id = "MR-REREG-DRIVER",
	  .subject = "driver that changes no regions",
	  .operations = MR_ON(REREG),
	  .errnums = { EOPNOTSUPP },
	  .is_of_request = true,
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_driver,
	  .what = "Not each driver can change regions; mlx5, mlx4, hns and irdma can, rxe since Linux "
		  "6.5.  Without one that can ib_uverbs does not have the command.",
	  .recognise = "Also a change of nothing answers EOPNOTSUPP, which is EINVAL elsewhere.",
	  .remedy = "register another region, and deregister this one",
	  .sources = "drivers/infiniband/core/uverbs_cmd.c UAPI_DEF_METHOD_NEEDS_FN("
		     "rereg_user_mr)" },
	{ .id = "MR-REREG-FLAGS",
	  .subject = "flags of a change",
	  .operations = MR_ON(REREG),
	  .errnums = { EINVAL, EOPNOTSUPP },
	  .is_of_request = true,
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_flags,
	  .what = "The flags of ibv_rereg_mr are any of CHANGE_TRANSLATION (1), CHANGE_PD (2) and "
		  "CHANGE_ACCESS (4), and at least one.",
	  .recognise = "The flags of the call.",
	  .remedy = "say what is to change: translation, pd, access",
	  .sources = LIBRARY_SOURCE "; drivers/infiniband/core/uverbs_cmd.c "
				    "ib_uverbs_rereg_mr()" },
	{ .id = "MR-REREG-MEMORY",
	  .subject = "change of the translation without memory",
	  .operations = MR_ON(REREG),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_memory,
	  .what = "A change of the translation needs an address and a length that are not 0.",
	  .recognise = "The call returns IBV_REREG_MR_ERR_INPUT, and one of both is 0.",
	  .remedy = "give the new memory an address and a length",
	  .sources = LIBRARY_SOURCE },
	{ .id = "MR-REREG-ACCESS",
	  .subject = "access flags that are not to change",
	  .operations = MR_ON(REREG),
	  .errnums = { EINVAL },
	  .is_of_request = true,
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_unasked_access,
	  .what = "Access flags were given without IBV_REREG_MR_CHANGE_ACCESS.",
	  .recognise =
		  "The call returns IBV_REREG_MR_ERR_INPUT; the flags lack 4, and the access is "
		  "not 0.",
	  .remedy = "add the flag access, or give the access 0",
	  .sources = LIBRARY_SOURCE },
	{ .id = "MR-REREG-FORK",
	  .subject = "fork protection of changed memory",
	  .operations = MR_ON(REREG),
	  .errnums = { 0 },
	  .layer = MR_LAYER_LIBIBVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_fork,
	  .what = "With fork protection (ibv_fork_init) libibverbs keeps registered memory from child "
		  "processes by madvise(2), and gives it back when it is not registered any more.  "
		  "One of both failed.",
	  .recognise = "The code of the call: IBV_REREG_MR_ERR_DONT_FORK_NEW, DO_FORK_OLD or "
		       "CMD_AND_DO_FORK_NEW.",
	  .remedy =
		  "look at the mappings (mrctl explain MR-MAP-COUNT) and at huge pages; kernels since "
		  "5.13 with rdma-core 35 and later need no fork protection",
	  .sources = LIBRARY_SOURCE ", libibverbs/memory.c ibv_madvise_range()" },
	{ .id = "MR-REREG-DM",
	  .subject = "change of a region on memory of the device",
	  .operations = MR_ON(REREG),
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_UVERBS,
	  .frequency = MR_RARE,
	  .look = look_at_dm,
	  .what = "ib_uverbs refuses to change an MR of memory on the device, before it asks the "
		  "driver.",
	  .recognise = "The region was registered by ibv_reg_dm_mr.",
	  .remedy = "register another region, and deregister this one",
	  .sources = "drivers/infiniband/core/uverbs_cmd.c ib_uverbs_rereg_mr()" },
	{ .id = NULL },
};
