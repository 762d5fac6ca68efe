// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <stdio.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/session/table/table.h"
#include "lib/verify/verify.h"

/*
 * Applies the results of tries to a cause.  A cause is likely if the call succeeds with a change that cures it.  It
 * is ruled out if the call is refused as before with all such changes, unless it is certain: a call can be refused
 * for two reasons at once.  If the unchanged call succeeds now, a cause is possible at most.
 */
static void weigh_tries(const struct mr_tries *tries, struct mr_suspicion *suspicion)
{
	const struct mr_try *first = tries->list, *passed = NULL, *refused = NULL;
	bool is_other = false;

	if (suspicion->certainty <= MR_RULED_OUT)
		return;
	if (tries->count && first->made && !first->errnum && first->change != MR_TRY_ANEW) {
		const enum mr_certainty most = mr_likely_if(first->change != MR_TRY_UNCHANGED);

		if (suspicion->certainty > most)
			passed = first;
		if (suspicion->certainty > most)
			suspicion->certainty = most;
	}
	for (size_t i = 0; tries->is_refused_again && !passed && i < tries->count; i++) {
		const struct mr_try *try = &tries->list[i];

		if (!try->made || !(suspicion->cause->cured_by >> try->change & 1))
			continue;
		if (!try->errnum)
			passed = try;
		refused = try;
		is_other |= try->errnum != first->errnum;
	}
	if (passed)
		mr_evidence_text(suspicion, "tried", "%s the call succeeds", passed->words);
	if (passed && suspicion->certainty == MR_POSSIBLE && passed != first)
		suspicion->certainty = MR_LIKELY;
	if (!passed && refused && !is_other && suspicion->certainty != MR_CERTAIN)
		mr_rule_out(suspicion, "%s the call is refused as well", refused->words);
}

/* In the order in which a call meets them. */
static const struct mr_cause *const mr_causes[] = {
	mr_causes_of_opening,
	mr_causes_of_nodes,
	mr_causes_of_devx,
	mr_causes_of_preparing,
	mr_causes_of_libraries,
	mr_causes_of_fork_protection,
	mr_causes_of_rereg,
	mr_causes_of_uverbs,
	mr_causes_of_drivers,
	mr_causes_of_device_memory,
	mr_causes_of_dma_handles,
	mr_causes_of_odp,
	mr_causes_of_advice,
	mr_causes_of_dmabufs,
	mr_causes_of_exporters,
	mr_causes_of_umems,
	mr_causes_of_changes,
	mr_causes_of_ranges,
	mr_causes_of_control_groups,
	mr_causes_of_memlock,
	mr_causes_of_limits,
	mr_causes_of_mappings,
	mr_causes_of_gpu_memory,
	mr_causes_of_huge_pages,
	mr_causes_of_firmware,
	mr_causes_of_freeing,
	mr_causes_of_sandboxes,
	mr_causes_of_data,
	NULL,
};

const struct mr_cause *mr_cause_next(const struct mr_cause *cause)
{
	const struct mr_cause *const *table = mr_causes;

	if (cause && cause[1].id)
		return cause + 1;
	while (cause && *table++ != cause->table)
		;
	return *table;
}

const struct mr_cause *mr_cause_find(const char *id, size_t length)
{
	const struct mr_cause *cause = mr_cause_next(NULL);

	while (cause && !mr_word_is(id, length, cause->id))
		cause = mr_cause_next(cause);
	return cause;
}

/*
 * Causes that are equally certain stay in the order in which the call meets them, and only the first obstacle is certain.
 * Tables of drivers and of memory also have rules of ib_uverbs, which come first.
 */
static void keep_cause(struct mr_diagnosis *diagnosis, struct mr_suspicion *suspicion)
{
	struct mr_suspicion *first = diagnosis->causes, later;
	size_t place;

	if (suspicion->certainty == MR_CERTAIN && diagnosis->cause_count &&
	    first->certainty == MR_CERTAIN) {
		if (suspicion->layer == MR_LAYER_UVERBS && first->layer > MR_LAYER_UVERBS) {
			later = *first;
			*first = *suspicion;
			*suspicion = later;
		}
		suspicion->certainty = MR_POSSIBLE; /* the call failed before it came to this */
	}
	for (place = diagnosis->cause_count; place; place--)
		if (diagnosis->causes[place - 1].certainty >= suspicion->certainty)
			break;
	if (place == MR_DIAGNOSIS_CAUSES)
		return;
	if (diagnosis->cause_count < MR_DIAGNOSIS_CAUSES)
		diagnosis->cause_count++;
	memmove(&diagnosis->causes[place + 1], &diagnosis->causes[place],
		(diagnosis->cause_count - place - 1) * sizeof(*suspicion));
	diagnosis->causes[place] = *suspicion;
}

/*
 * Lowers the certainty of what was read of another process or time than that of the call.  Another process was
 * refused: the mappings of this one show nothing about that one.  Its limits and rights may be those of that one, as
 * both have the
 * same user, or may not.  Facts about the host hold for both, if the other one has run on it.  Or the process was
 * looked at after its call: what it has now may not be what the call has met.
 */
static void lower_certainty(const struct mr_refusal *refusal, uint32_t reads,
			    struct mr_suspicion *suspicion)
{
	enum mr_certainty most = MR_CERTAIN;

	if (refusal->has_gone_on && reads & MR_READ_MEMORY && suspicion->certainty == MR_RULED_OUT)
		suspicion->certainty = MR_UNRELATED;
	if (refusal->has_gone_on && reads & (MR_READ_MEMORY | MR_READ_PROCESS))
		most = MR_LIKELY;
	if (refusal->is_of_other_process) {
		if (reads & MR_READ_MEMORY ||
		    (reads & MR_READ_PROCESS && suspicion->certainty == MR_RULED_OUT))
			most = MR_UNRELATED;
		else if (reads & MR_READ_PROCESS)
			most = MR_POSSIBLE;
		else if (reads & MR_READ_HOST)
			most = MR_LIKELY;
	}
	if (suspicion->certainty > most)
		suspicion->certainty = most;
}

/*
 * Rules a cause out where it is proven that another layer refused, or that the calls of libibverbs to the kernel exclude.
 * The open(2) of a device is not among them.  Fork protection comes before them; of other causes in user space some are
 * those of what the kernel is asked for.
 */
static void weigh_layer(const struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const enum mr_tristate by_kernel = inquiry->refusal->by_kernel;
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);
	const char *function = mr_inquiry_function(inquiry);
	const char *layer = mr_layer_name(suspicion->layer);

	if (suspicion->certainty <= MR_RULED_OUT || suspicion->layer == MR_LAYER_UNKNOWN)
		return;
	if (proven && !(proven->layers & 1U << suspicion->layer)) {
		if (function)
			mr_rule_out(suspicion, "%s refused, which does not belong to the layer %s",
				    function, layer);
		else
			mr_rule_out(
				suspicion,
				"the kernel did not refuse, so its layer %s did not refuse either",
				layer);
		return;
	}
	if (1U << inquiry->operation & (MR_ON(FIND) | MR_ON(OPEN) | MR_ON(IMPORT)))
		return;
	if (by_kernel == MR_NO && suspicion->layer >= MR_LAYER_UVERBS)
		mr_rule_out(suspicion,
			    "the kernel refused no call of libibverbs, so its layer %s did not "
			    "refuse either",
			    layer);
	else if (by_kernel == MR_YES && suspicion->cause->table == mr_causes_of_fork_protection)
		mr_rule_out(suspicion, "the kernel itself refused");
}

/* Answers of a check of keys, for which a cause about the region is possible. */
static const uint32_t key_checks = 1U << IBV_WC_WR_FLUSH_ERR | 1U << IBV_WC_LOC_PROT_ERR |
				   1U << IBV_WC_REM_ACCESS_ERR | 1U << IBV_WC_LOC_QP_OP_ERR |
				   1U << IBV_WC_MW_BIND_ERR | 1U << IBV_WC_LOC_ACCESS_ERR |
				   1U << IBV_WC_REM_OP_ERR | 1U << IBV_WC_REM_INV_REQ_ERR;

/*
 * Whether all facts that a cause needs are known, by the bits of enum mr_need.  It queries the device and the kernel
 * if necessary.
 */
static bool knows(struct mr_inquiry *inquiry, uint64_t needs)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_rereg_failure *failure = refusal->rereg_failure;
	const struct mr_region_request *request = refusal->request;
	const struct mr_data_row *data = refusal->data;
	const struct mr_advice *advice = refusal->advice;
	const struct mr_dmabuf_file *dmabuf =
		needs & (MR_NEEDS(DMABUF) | MR_NEEDS(EXPORTER)) ? mr_inquiry_dmabuf(inquiry) : NULL;
	const bool has_range = mr_inquiry_range(inquiry, &inquiry->range);
	const bool known[] = {
		[MR_NEED_REQUEST] = request,
		[MR_NEED_REREG] = refusal->rereg,
		[MR_NEED_REGION] = refusal->region_known,
		[MR_NEED_RANGE] = has_range,
		[MR_NEED_PINNED] = has_range && !mr_inquiry_is_on_demand(inquiry),
		[MR_NEED_ON_DEMAND] = mr_inquiry_is_on_demand(inquiry),
		[MR_NEED_OBSTACLE] = needs & MR_NEEDS(OBSTACLE) && mr_obstacle_find(inquiry),
		[MR_NEED_DMABUF] = dmabuf,
		[MR_NEED_EXPORTER] = dmabuf && dmabuf->is_dmabuf && dmabuf->exporter[0],
		[MR_NEED_MAPPING] = refusal->mapping,
		[MR_NEED_PATH] =
			refusal->mapping && !refusal->dmabuf && refusal->mapping->kind.path,
		[MR_NEED_CHANGE] = !failure || !failure->code ||
				   !strcmp(failure->code, "IBV_REREG_MR_ERR_CMD"),
		[MR_NEED_INPUT] = failure && failure->code &&
				  !strcmp(failure->code, "IBV_REREG_MR_ERR_INPUT"),
		[MR_NEED_ADVICE] = advice,
		[MR_NEED_DEVICE] = inquiry->environment->device[0],
		[MR_NEED_UVERBS] = refusal->uverbs,
		[MR_NEED_LIBRARY] = refusal->via == MR_VIA_LIBRARY,
		[MR_NEED_ATTRIBUTES] =
			needs & MR_NEEDS(ATTRIBUTES) && mr_inquiry_attributes(inquiry),
		[MR_NEED_KERNEL] = needs & MR_NEEDS(KERNEL) && mr_inquiry_kernel(inquiry),
		[MR_NEED_MLX5] = mr_inquiry_is_driver(inquiry, "mlx5"),
		[MR_NEED_RXE] = mr_inquiry_is_driver(inquiry, "rxe"),
		[MR_NEED_DATA_DIRECT] = mr_inquiry_is_data_direct(inquiry),
		[MR_NEED_HINTS] = refusal->hints && refusal->hints->memory,
		[MR_NEED_PLACE] = needs & MR_NEEDS(PLACE) && mr_inquiry_place(inquiry)->is_listed,
		[MR_NEED_HANDLE] = refusal->handle_known,
		[MR_NEED_OTHER_PROCESS] = refusal->is_of_other_process,
		[MR_NEED_DATA] = data,
		[MR_NEED_KEY_CHECK] = data && key_checks >> data->answer & 1,
		[MR_NEED_INSIDE] = data && data->answer && data->granted && data->is_inside,
		[MR_NEED_DMABUF_REGION] = mr_region_is_dmabuf(refusal->region_call),
		[MR_NEED_GRANTED] = data && data->granted,
		[MR_NEED_ATOMIC] = data && data->access == MR_DATA_REMOTE_ATOMIC,
		[MR_NEED_WINDOW] = data && data->access == MR_DATA_MW_BIND,
		[MR_NEED_FLUSHED] = data && data->answer == IBV_WC_WR_FLUSH_ERR,
		[MR_NEED_UNANSWERED] = data && (data->answer == IBV_WC_RETRY_EXC_ERR ||
						data->answer == IBV_WC_RNR_RETRY_EXC_ERR ||
						data->answer == MR_DATA_TIMEOUT),
		[MR_NEED_GONE] = refusal->is_gone,
		[MR_NEED_REVOKED] = refusal->is_revoked,
		[MR_NEED_INERT] = refusal->is_inert == MR_YES,
		[MR_NEED_ALIVE] = refusal->is_inert == MR_NO,
		[MR_NEED_DM_REGION] = mr_region_is_dm(refusal->region_call),
		[MR_NEED_MEMORY_REGION] = !mr_region_has_offset(refusal->region_call) &&
					  !mr_region_is_null(refusal->region_call),
		[MR_NEED_OWN_REGION] = failure && !failure->imported,
		[MR_NEED_DMAH_REGION] = mr_call_row(refusal->region_call)->dmah,
		[MR_NEED_DMAH] = request && mr_call_row(request->call)->dmah,
		[MR_NEED_KNOWN_CHANGES] =
			!refusal->rereg || !(refusal->rereg->changes & ~(uint32_t)MR_CHANGES),
		[MR_NEED_ODP] = inquiry->attributes.odp.general & IBV_ODP_SUPPORT,
		[MR_NEED_KNOWN_ADVICE] =
			advice && advice->advice <= IB_UVERBS_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT,
		[MR_NEED_KNOWN_ADVICE_FLAGS] =
			advice && !(advice->flags & ~(uint32_t)IB_UVERBS_ADVISE_MR_FLAG_FLUSH),
		[MR_NEED_KNOWN_KERNEL] =
			needs & MR_NEEDS(KNOWN_KERNEL) && mr_inquiry_kernel_is_known(inquiry),
		[MR_NEED_SINCE_6_2] =
			needs & MR_NEEDS(SINCE_6_2) && mr_inquiry_is_since(inquiry, 6, 2),
		[MR_NEED_BEFORE_5_13] = needs & MR_NEEDS(BEFORE_5_13) &&
					mr_inquiry_kernel_since(inquiry, 5, 13) == MR_NO,
		[MR_NEED_BEFORE_6_6] = needs & MR_NEEDS(BEFORE_6_6) &&
				       mr_inquiry_kernel_since(inquiry, 6, 6) == MR_NO,
		[MR_NEED_SOFTWARE] = mr_inquiry_is_software(inquiry),
		[MR_NEED_UNKNOWN_DRIVER] = refusal->uverbs && refusal->via == MR_VIA_KERNEL &&
					   !mr_driver_find(refusal->uverbs->driver_id)->provider[0],
		[MR_NEED_NO_DMABUFS] = refusal->uverbs && refusal->via == MR_VIA_KERNEL &&
				       mr_driver_find(refusal->uverbs->driver_id)->lacks_dmabufs,
		[MR_NEED_UNKNOWN_ATTRIBUTES] =
			refusal->unknown_attributes && refusal->by_kernel != MR_YES,
		[MR_NEED_NO_KERNEL] = refusal->by_kernel == MR_NO,
		[MR_NEED_POOL] = refusal->kind == MR_ERROR_RELAXED && refusal->pool,
		[MR_NEED_FIXED] = refusal->mapping && refusal->mapping->addr.known,
		[MR_NEED_DEVX_DEVICE] = mr_inquiry_is_call(inquiry, "mlx5dv_open_device"),
		[MR_NEED_IMPORTED_DEVICE] = mr_inquiry_is_call(inquiry, "ibv_import_device") &&
					    inquiry->environment->provider[0],
		[MR_NEED_PCIE_EXPORT] = !strncmp(inquiry->dmabuf.exporter, "nvidia", 6) &&
					!mr_inquiry_is_data_direct(inquiry),
	};

	for (size_t need = 0; need < sizeof(known); need++)
		if (needs >> need & 1 && !known[need])
			return false;
	return true;
}

/* A fact of a call. */
struct fact {
	const char *name;
	enum { TEXT, NUMBER, HEX } form;
	uint64_t number;
	const char *text; /* NULL: it is not known */
};

/* Adds a sentence, in which the facts take the place of their names. */
static void say(const struct mr_saying *saying, const struct fact *facts,
		struct mr_suspicion *suspicion)
{
	char text[sizeof(suspicion->text)] = "";
	const struct fact *fact;
	size_t length;

	for (const char *at = saying->text; *at; at += length) {
		length = strcspn(at, "{");
		mr_text_add(text, sizeof(text), "", "%.*s", (int)length, at);
		if (!at[length])
			continue;
		at += length + 1;
		length = strcspn(at, "}");
		for (fact = facts; !mr_word_is(at, length, fact->name);)
			fact++;
		if (fact->form == TEXT)
			mr_text_add(text, sizeof(text), "", "%s", fact->text);
		else
			mr_text_add(text, sizeof(text), "",
				    fact->form == HEX ? "0x%" PRIx64 : "%" PRIu64, fact->number);
		length++;
	}
	mr_suspect(suspicion, saying->certainty, "%s", text);
}

/* Adds the facts that the row shows, all of which are known where it has what it needs, and its sentence. */
static void show_facts(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const struct mr_region_request *request = inquiry->request;
	const uint64_t length = request ? request->length : inquiry->range.length;
	const struct mr_rereg_failure *failure = refusal->rereg_failure;
	const struct mr_rereg_request *rereg = refusal->rereg;
	const struct mr_advice *advice = refusal->advice;
	const struct mr_memory_request *mapping = refusal->mapping;
	const struct mr_table_pool *pool = refusal->pool;
	const char *region_call = mr_call_row(refusal->region_call)->name;
	const char *shows = suspicion->cause->shows ?: "";
	const struct mr_saying *saying = suspicion->cause->says;
	char kernel[24];
	const struct fact facts[] = {
		{ "provider", TEXT, 0, inquiry->environment->provider },
		{ "device", TEXT, 0,
		  inquiry->has_place                ? inquiry->place.device
		  : inquiry->environment->device[0] ? inquiry->environment->device
						    : "this device" },
		{ "node", TEXT, 0, inquiry->place.node.path },
		{ "exporter", TEXT, 0, inquiry->dmabuf.exporter },
		{ "kernel", TEXT, 0, kernel },
		{ "code", TEXT, 0, failure ? failure->code : NULL },
		{ "registered_by", TEXT, 0, region_call },
		{ "region_call", TEXT, 0, region_call },
		{ "memory", TEXT, 0, refusal->memory ?: "" },
		{ "state", TEXT, 0,
		  refusal->is_revoked || refusal->is_inert == MR_YES ? "inert" : NULL },
		{ "atomic", TEXT, 0,
		  strstr(shows, "atomic") && mr_inquiry_attributes(inquiry)
			  ? mr_atomic_name(inquiry->attributes.atomic)
			  : NULL },
		{ "right", TEXT, 0,
		  refusal->data ? mr_data_accesses[refusal->data->access].name : NULL },
		{ "flags", HEX,
		  rereg    ? rereg->changes
		  : advice ? advice->flags
			   : 0,
		  NULL },
		{ "access", HEX, mr_inquiry_access(inquiry), NULL },
		{ "odp_general_caps", HEX, inquiry->attributes.odp.general, NULL },
		{ "iova", HEX, request ? request->iova : 0, NULL },
		{ "address", HEX, mapping ? mapping->addr.value : inquiry->range.addr, NULL },
		{ "unknown_attributes", HEX, refusal->unknown_attributes, NULL },
		{ "advice", NUMBER, advice ? advice->advice : 0, NULL },
		{ "length", NUMBER, length, NULL },
		{ "asked", NUMBER, length, NULL },
		{ "max_dm_size", NUMBER, inquiry->attributes.max_dm_size, NULL },
		{ "handle", NUMBER, refusal->handle, NULL },
		{ "driver_id", NUMBER, refusal->uverbs ? refusal->uverbs->driver_id : 0, NULL },
		{ "limit", NUMBER, pool ? pool->limit : 0, NULL },
		{ "relaxed", NUMBER, pool ? pool->relaxed : 0, NULL },
		{ "deferred", NUMBER, pool ? pool->marked : 0, NULL },
	};

	snprintf(kernel, sizeof(kernel), "%u.%u", inquiry->kernel.major, inquiry->kernel.minor);
	for (size_t i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		if (!strstr(shows, facts[i].name))
			continue;
		else if (facts[i].form == HEX)
			mr_evidence_hex(suspicion, facts[i].name, facts[i].number);
		else if (facts[i].form == NUMBER)
			mr_evidence_number(suspicion, facts[i].name, facts[i].number);
		else if (facts[i].text)
			mr_evidence_text(suspicion, facts[i].name, "%s", facts[i].text);
	while (saying->text && !knows(inquiry, saying->needs))
		saying++;
	if (saying->text)
		say(saying, facts, suspicion);
}

void mr_cause_look(struct mr_inquiry *inquiry, const struct mr_cause *cause,
		   struct mr_suspicion *suspicion)
{
	const char *const *call = cause->prepared_by;

	*suspicion = (struct mr_suspicion){ .cause = cause, .layer = cause->layer };
	while (*call && !mr_inquiry_is_call(inquiry, *call))
		call++;
	if ((!*call && cause->prepared_by[0] && inquiry->operation == MR_OP_PREPARE) ||
	    (cause->driver && !mr_inquiry_is_driver(inquiry, cause->driver)) ||
	    (cause->needs_access && !(mr_inquiry_access(inquiry) & cause->needs_access)) ||
	    !knows(inquiry, cause->needs))
		return;
	show_facts(inquiry, suspicion);
	if (cause->look)
		cause->look(inquiry, suspicion);
}

/*
 * Whether a row of @table before @cause is certain to refuse the call with another errno.  A release shows only with
 * EPROTONOSUPPORT what its kernel lacks, as enterprise kernels have what newer ones brought.
 */
static bool is_refused_by(struct mr_inquiry *inquiry, const struct mr_cause *table,
			  const struct mr_cause *cause)
{
	const unsigned int operation = 1U << inquiry->operation;
	struct mr_suspicion other;

	for (const struct mr_cause *row = table; row->id && row != cause; row++) {
		if (!(row->operations & operation) ||
		    mr_cause_speaks_for(row, operation, EPROTONOSUPPORT) ||
		    mr_cause_speaks_for(row, operation, inquiry->refusal->errnum))
			continue;
		mr_cause_look(inquiry, row, &other);
		if (other.certainty == MR_CERTAIN)
			return true;
	}
	return false;
}

/*
 * Whether ib_uverbs refuses the call with another errno before it comes to @cause: that errno would have come, so it is
 * not known why this one did.  Refusals of libibverbs, and the lack of a driver's function, come before.
 */
static bool is_refused_before(struct mr_inquiry *inquiry, const struct mr_suspicion *suspicion)
{
	const struct mr_cause *cause = suspicion->cause;
	const struct mr_rereg_request *rereg = inquiry->refusal->rereg;
	/* It looks at the flags of a change before all else. */
	const bool has_refused_flags =
		rereg && (!rereg->changes || rereg->changes & ~(uint32_t)MR_CHANGES);
	const bool is_of_rereg = cause->table == mr_causes_of_rereg;
	const bool is_of_uverbs = cause->table == mr_causes_of_uverbs;

	if (suspicion->layer < MR_LAYER_UVERBS || cause->table == mr_causes_of_freeing)
		return false;
	if (inquiry->operation == MR_OP_REREG &&
	    (is_refused_by(inquiry, mr_causes_of_rereg, cause) ||
	     (!is_of_rereg && has_refused_flags) ||
	     (!is_of_rereg && !is_of_uverbs &&
	      is_refused_by(inquiry, mr_causes_of_changes, cause))))
		return true;
	return !is_of_rereg &&
	       (suspicion->layer > MR_LAYER_UVERBS || is_of_uverbs ||
		cause->table == mr_causes_of_changes) &&
	       is_refused_by(inquiry, mr_causes_of_uverbs, cause);
}

/* Whether the code of ibv_rereg_mr(3) shows that the call did not come to @cause.  Causes of changes check it themselves. */
static bool is_excluded_by_code(const struct mr_inquiry *inquiry, const struct mr_cause *cause)
{
	const struct mr_rereg_failure *failure = inquiry->refusal->rereg_failure;
	const char *code = failure ? failure->code : NULL;
	const bool is_fork = cause->table == mr_causes_of_fork_protection;

	if (!code || cause->table == mr_causes_of_rereg || cause->table == mr_causes_of_changes)
		return false;
	if (!strcmp(code, "IBV_REREG_MR_ERR_CMD"))
		return is_fork;
	return !is_fork || !strcmp(code, "IBV_REREG_MR_ERR_INPUT");
}

/* Whether a filter of system calls (MR-SECCOMP) may have answered the ioctl with this errno, before the kernel looked. */
static bool may_be_filtered(struct mr_inquiry *inquiry, enum mr_layer layer)
{
	const struct mr_cause *filter = mr_causes_of_sandboxes;
	struct mr_suspicion suspicion;

	if (layer < MR_LAYER_UVERBS || mr_inquiry_proof(inquiry) ||
	    1U << inquiry->operation & (MR_ON(OPEN) | MR_ON(IMPORT) | MR_ON(PREPARE)) ||
	    !mr_cause_speaks_for(filter, 1U << inquiry->operation, inquiry->refusal->errnum) ||
	    mr_is_simulated(inquiry->host))
		return false;
	mr_cause_look(inquiry, filter, &suspicion);
	return suspicion.certainty > MR_RULED_OUT;
}

static void evaluate(struct mr_inquiry *inquiry, const struct mr_cause *cause,
		     struct mr_diagnosis *diagnosis)
{
	struct mr_ruled_out *ruled_out = &diagnosis->ruled_out[diagnosis->ruled_out_count];
	struct mr_suspicion suspicion;

	if (is_excluded_by_code(inquiry, cause))
		return;
	mr_cause_look(inquiry, cause, &suspicion);
	lower_certainty(inquiry->refusal, inquiry->host->reads, &suspicion);
	if (suspicion.certainty >= MR_LIKELY && is_refused_before(inquiry, &suspicion))
		suspicion.certainty = MR_POSSIBLE;
	if (suspicion.certainty == MR_CERTAIN && may_be_filtered(inquiry, suspicion.layer))
		suspicion.certainty = MR_LIKELY;
	if (inquiry->refusal->tries)
		weigh_tries(inquiry->refusal->tries, &suspicion);
	weigh_layer(inquiry, &suspicion);
	if (!suspicion.remedy[0])
		mr_suspect_remedy(&suspicion, "%s", cause->remedy);
	if (suspicion.certainty > MR_RULED_OUT)
		keep_cause(diagnosis, &suspicion);
	if (suspicion.certainty != MR_RULED_OUT ||
	    diagnosis->ruled_out_count == MR_DIAGNOSIS_RULED_OUT)
		return;
	diagnosis->ruled_out_count++;
	ruled_out->cause = cause;
	snprintf(ruled_out->reason, sizeof(ruled_out->reason), "%.*s",
		 (int)sizeof(ruled_out->reason) - 1, suspicion.text);
}

void mr_diagnose(const struct mr_refusal *refusal, struct mr_host *host,
		 struct mr_diagnosis *diagnosis)
{
	struct mr_inquiry inquiry;

	mr_inquiry_init(&inquiry, refusal, host);
	*diagnosis = (struct mr_diagnosis){ .layer = MR_LAYER_UNKNOWN };
	for (const struct mr_cause *cause = mr_cause_next(NULL); cause;
	     cause = mr_cause_next(cause)) {
		/* A completion has a status, and no errno. */
		if (!mr_cause_speaks_for(cause, 1U << inquiry.operation, refusal->errnum) ||
		    (!refusal->errnum && cause->errnums[0]))
			continue;
		if (refusal->is_of_other_process || refusal->has_gone_on) {
			/* each reads by itself, so that it is known what it has read */
			mr_inquiry_init(&inquiry, refusal, host);
			host->reads = 0;
		}
		evaluate(&inquiry, cause, diagnosis);
	}
	/* If memory or a dma-buf could not be made, no layer of the RDMA stack was called. */
	if (diagnosis->cause_count && diagnosis->causes[0].certainty >= MR_LIKELY &&
	    inquiry.operation != MR_OP_PREPARE)
		diagnosis->layer = diagnosis->causes[0].layer;
	else if (mr_inquiry_proof(&inquiry))
		diagnosis->layer = refusal->proven->layer;
}
