// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/trial.h"
#include "lib/host/host.h"

/* The proof, with the members that only the document has. */
struct proof {
	struct mr_proven proven;
	const char *refused_by;
	const char *status; /* of the firmware */
	struct list functions, firmware;
};

static const struct field try_fields[] = {
	FIELD_AS("change", struct mr_try, id, FIELD_STRING, FIELD_PROSE | FIELD_KNOWN,
		 "the change"),
	FIELD_AS("answer", struct mr_try, errnum, FIELD_ERRNO, FIELD_PUBLIC | FIELD_OK,
		 "ok or an errno", KNOWN_BY(struct mr_try, made)),
	FIELD(struct mr_try, elapsed_ns, FIELD_NUMBER, 0, "time that the call took",
	      KNOWN_BY(struct mr_try, made)),
	FIELD(struct mr_try, reason, FIELD_TEXT, FIELD_PROSE,
	      "reason why the call was not made, or a remark"),
	FIELD_END,
};
REPORTED const struct record try_record = { "try", try_fields, NULL };

#define FIELD_OF_FUNCTION(key, member, ...)                                                        \
	FIELD_BEHIND(key, struct mr_chain_link, function, struct mr_kernel_function, member,       \
		     __VA_ARGS__)

static const struct field link_fields[] = {
	FIELD_OF_FUNCTION("function", name, FIELD_STRING, FIELD_PUBLIC | FIELD_KNOWN,
			  "function of the kernel"),
	FIELD_OF_FUNCTION("layer", layer, FIELD_WORD, FIELD_PUBLIC, "layer of the function",
			  .words = mr_layers),
	FIELD_AS("errno", struct mr_chain_link, errnum, FIELD_ERRNO, FIELD_PUBLIC | FIELD_KNOWN,
		 "errno that it returned"),
	FIELD_END,
};
REPORTED static const struct record link_record = { "function", link_fields, NULL };

static const struct field firmware_fields[] = {
	FIELD_AS("command", struct proof, proven.firmware.command, FIELD_TEXT,
		 FIELD_PUBLIC | FIELD_KNOWN, "command that the firmware refused"),
	FIELD(struct proof, status, FIELD_STRING, FIELD_PUBLIC, "status of the command"),
	FIELD_AS("syndrome", struct proof, proven.firmware.syndrome, FIELD_HEX, 0,
		 "syndrome: the firmware's number of the reason"),
	FIELD_AS("errno", struct proof, proven.firmware.errnum, FIELD_ERRNO, FIELD_PUBLIC,
		 "errno that mlx5_core returned for the status"),
	FIELD_END,
};
REPORTED static const struct record firmware_record = { "firmware", firmware_fields, NULL };

static const struct field proof_fields[] = {
	FIELD(struct proof, refused_by, FIELD_STRING, FIELD_PUBLIC,
	      "function of the kernel that refused"),
	FIELD_AS("user_space", struct proof, proven.in_user_space, FIELD_BOOL, 0,
		 "whether libibverbs or its provider refused"),
	FIELD(struct proof, functions, FIELD_LIST, FIELD_KNOWN,
	      "functions that returned an error, the outermost first", .record = &link_record),
	FIELD(struct proof, firmware, FIELD_ONE, 0, "command that the firmware refused",
	      .record = &firmware_record),
	FIELD_AS("note", struct proof, proven.note, FIELD_STRING, FIELD_PROSE,
		 "reason why nothing is proven"),
	FIELD_END,
};
REPORTED const struct record proof_record = { "proof", proof_fields, NULL };

static bool is_wanted(const struct invocation *invocation)
{
	return invocation->global->why == WHY_PROVE && invocation->proof;
}

void proof_mark(const struct invocation *invocation, const char *device)
{
	if (is_wanted(invocation))
		mr_proof_mark(invocation->proof, device && device[0] ? device : NULL);
}

void proof_end(const struct invocation *invocation)
{
	if (is_wanted(invocation))
		mr_proof_end(invocation->proof);
}

const struct mr_proven *proof_read(const struct invocation *invocation,
				   const struct mr_refusal *refusal, struct mr_proven *proven)
{
	/* Calls of libibverbs on an open device, which reach the kernel by ioctl and write only. */
	const uint32_t asking = MR_ON(ALLOC_PD) | MR_ON(ALLOC_DM) | MR_ON(ALLOC_DMAH) | MR_ON(REG) |
				MR_ON_DMABUFS | MR_ON(REG_DM) | MR_ON(NULL_MR) | MR_ON(UMEM) |
				MR_ON(REREG) | MR_ON(ADVISE) | MR_ON(DEREG) | MR_ON(FREE);
	struct mr_proof_question question = {
		.errnum = refusal->errnum,
		.environment = refusal->environment,
		.by_library =
			refusal->via == MR_VIA_LIBRARY && asking & 1U << mr_operation_of(refusal),
	};
	struct mr_process_status status;

	if (!is_wanted(invocation) || !refusal->errnum)
		return NULL;
	/*
	 * A filter may answer system calls in the place of the RDMA stack (seccomp).  Where that is not known, nothing is
	 * proven by what the stack did not do.
	 */
	question.is_filtered = mr_process_status_read(mr_this_host(), "self", &status) ||
			       !status.seccomp.known || status.seccomp.value != 0;
	mr_proof_read(invocation->proof, &question, proven);
	return proven;
}

/* The outermost function of that layer above the one that refused; NULL: there is none */
static const char *outermost(const struct mr_chain *chain, enum mr_layer layer)
{
	for (size_t i = 0; i + 1 < chain->count; i++)
		if (chain->links[i].function->layer == layer)
			return chain->links[i].function->name;
	return NULL;
}

static void report_chain(const struct mr_proven *proven)
{
	const struct mr_chain *chain = &proven->chain;
	const struct mr_chain_link *last = &chain->links[chain->count - 1];
	const char *layer = mr_layer_name(proven->layer);
	char above[256] = "";

	for (enum mr_layer each = MR_LAYER_MEMORY; each < MR_LAYERS; each++) {
		const char *name = outermost(chain, each);

		if (name)
			mr_text_add(above, sizeof(above), " and ", "%s%s", *above ? "" : ", below ",
				    name);
	}
	report_detail("proved: %s returned %s%s%s%s%s", last->function->name,
		      mr_errno_name(last->errnum), above, layer ? " [" : "", layer ? layer : "",
		      layer ? "]" : "");
}

/* Prints it below the message of the refusal. */
static void proof_report(const struct proof *proof)
{
	const struct mr_proven *proven = &proof->proven;
	const struct mr_firmware_answer *firmware = &proven->firmware;
	char syndrome[40] = "";

	if (proven->chain.count)
		report_chain(proven);
	if (firmware->syndrome.known)
		snprintf(syndrome, sizeof(syndrome), ", syndrome 0x%08" PRIx64,
			 firmware->syndrome.value);
	if (firmware->command[0])
		report_detail("proved: the firmware refused %s: %s%s", firmware->command,
			      proof->status ?: "unknown status", syndrome);
	if (proven->in_user_space)
		report_detail("proved: the kernel did not refuse; libibverbs or its provider did");
	if (proven->note)
		report_detail("not proved: %s", proven->note);
}

/* Causes that are only possible: a message names at most this many. */
#define POSSIBLE_MAX 3

static const struct field cause_fields[] = {
	FIELD_BEHIND("id", struct mr_suspicion, cause, struct mr_cause, id, FIELD_STRING,
		     FIELD_PUBLIC | FIELD_KNOWN, "id of the cause"),
	FIELD(struct mr_suspicion, certainty, FIELD_WORD, FIELD_PUBLIC | FIELD_KNOWN,
	      "certain, likely or possible", .words = mr_certainties),
	FIELD_AS("cause", struct mr_suspicion, text, FIELD_TEXT, FIELD_PROSE | FIELD_KNOWN,
		 "the cause, with its figures"),
	FIELD_FACTS(struct mr_suspicion, ),
	FIELD(struct mr_suspicion, remedy, FIELD_TEXT, FIELD_PROSE, "remedy"),
	FIELD_BEHIND("source", struct mr_suspicion, cause, struct mr_cause, sources, FIELD_STRING,
		     FIELD_PUBLIC, "files of the kernel, manual pages and threads"),
	FIELD_END,
};
REPORTED const struct record cause_record = { "cause", cause_fields, NULL };

static const struct field ruled_out_fields[] = {
	FIELD_BEHIND("id", struct mr_ruled_out, cause, struct mr_cause, id, FIELD_STRING,
		     FIELD_PUBLIC | FIELD_KNOWN, "id of the cause"),
	FIELD(struct mr_ruled_out, reason, FIELD_TEXT, FIELD_PROSE | FIELD_KNOWN,
	      "fact that excludes the cause"),
	FIELD_END,
};
REPORTED const struct record ruled_out_record = { "ruled_out", ruled_out_fields, NULL };

struct why {
	unsigned int users;
	bool is_answer;    /* the RDMA stack answered this process: the call can be repeated */
	bool can_be_tried; /* with changes */
	bool can_be_proven;
	bool has_tries; /* the call was tried with changes */
	struct mr_tries tries;
	char tried[640]; /* the results of the tries, as a sentence */
	struct mr_diagnosis diagnosis;
	bool has_proof;
	struct proof proof;
};

struct why *why_of_diagnosis(const struct mr_diagnosis *diagnosis)
{
	struct why *why = calloc(1, sizeof(*why));

	if (!why)
		return NULL;
	why->users = 1;
	if (diagnosis)
		why->diagnosis = *diagnosis;
	return why;
}

static void proof_init(struct proof *proof, const struct mr_proven *proven)
{
	const struct mr_firmware_answer *firmware = &proof->proven.firmware;
	const struct mr_chain *chain = &proof->proven.chain;

	proof->proven = *proven;
	proof->refused_by = mr_proven_function(&proof->proven);
	proof->status = firmware->status.known ? mr_mlx5_status_name(firmware->status.value) : NULL;
	proof->functions = LIST_OF(link_record, chain->links, chain->count);
	proof->firmware = LIST_OF(firmware_record, proof, firmware->command[0] != '\0');
}

static const char *call_of(const struct mr_error *err)
{
	return err->call ? err->call : err->shown_by;
}

/*
 * Whether causes can be known: the RDMA stack has answered, or mrctl's own relaxed mode, or a call that is known
 * could not be prepared or made.
 */
bool why_is_wanted(const struct global_args *global, const struct mr_error *err)
{
	if (global->why == WHY_NONE)
		return false;
	return mr_error_is_answer(err->kind, call_of(err)) || err->kind == MR_ERROR_RELAXED ||
	       (err->kind == MR_ERROR_HOST && mr_operations_of_name(call_of(err)));
}

struct why *why_of_error(const struct global_args *global, const struct mr_error *err,
			 struct mr_refusal *refusal)
{
	struct why *why = why_is_wanted(global, err) ? why_of_diagnosis(NULL) : NULL;

	if (!why)
		return NULL;
	refusal->call = call_of(err);
	refusal->errnum = err->errnum;
	refusal->kind = err->kind;
	if (!refusal->device)
		refusal->device = global->device;
	why->has_tries = global->why == WHY_TRY;
	if (why->has_tries) {
		mr_tries_make(refusal, &why->tries);
		mr_tries_text(&why->tries, why->tried, sizeof(why->tried));
		refusal->tries = &why->tries;
	}
	why->has_proof = refusal->proven != NULL;
	if (why->has_proof)
		proof_init(&why->proof, refusal->proven);
	mr_diagnose(refusal, mr_this_host(), &why->diagnosis);
	why->is_answer = mr_error_is_answer(err->kind, refusal->call);
	why->can_be_tried = why->is_answer && !why->has_tries && mr_tries_exist(refusal);
	why->can_be_proven = why->is_answer && !why->has_proof &&
			     !(refusal->environment && refusal->environment->simulated);
	/* Any command may fail to open a file, for which no cause adds to the errno. */
	if (why->diagnosis.cause_count || why->is_answer || refusal->mapping || refusal->dmabuf)
		return why;
	why_release(why);
	return NULL;
}

void why_print(const struct global_args *global, const char *command, const struct mr_error *err)
{
	struct mr_environment environment;
	struct mr_refusal refusal = { .via = MR_VIA_LIBRARY,
				      .environment = &environment,
				      .try_ns = MR_TRIES_NS };
	struct why *why;

	report_error(command, err);
	if (!why_is_wanted(global, err))
		return;
	mr_environment_init(&environment);
	environment.simulated = mr_is_simulated(mr_this_host());
	mr_environment_find(&environment);
	why = why_of_error(global, err, &refusal);
	if (why)
		why_report(why, global->style.verbose);
	why_release(why);
}

struct why *why_share(struct why *why)
{
	if (why)
		why->users++;
	return why;
}

void why_release(struct why *why)
{
	if (why && !--why->users)
		free(why);
}

struct found why_found(const struct why *why)
{
	static const struct why none;
	const struct why *of = why ?: &none;
	const struct mr_diagnosis *diagnosis = &of->diagnosis;

	return (struct found){
		.layer = mr_layer_name(diagnosis->layer),
		.causes = LIST_OF(cause_record, diagnosis->causes, diagnosis->cause_count),
		.ruled_out =
			LIST_OF(ruled_out_record, diagnosis->ruled_out, diagnosis->ruled_out_count),
		.proof = LIST_OF(proof_record, &of->proof, of->has_proof),
		.tried = of->has_tries ? of->tried : NULL,
		.tries = LIST_OF(try_record, of->tries.list, of->tries.count),
		.tries_ns = of->tries.elapsed_ns,
	};
}

const struct mr_cause *why_first(const struct why *why)
{
	return why && why->diagnosis.cause_count ? why->diagnosis.causes[0].cause : NULL;
}

static void report_cause(const struct mr_suspicion *suspicion, const char *word, bool verbose)
{
	const struct mr_evidence *end = suspicion->evidence + suspicion->evidence_count;

	report_detail("%s: %s [%s, %s]", word, suspicion->text,
		      mr_certainties[suspicion->certainty].name, suspicion->cause->id);
	for (const struct mr_evidence *e = suspicion->evidence; verbose && e < end; e++)
		if (e->is_number)
			report_detail("  %s: %" PRIu64, e->name, e->number);
		else
			report_detail("  %s: %s", e->name, e->text);
	report_detail("try: %s", suspicion->remedy);
}

static void report_unknown(const struct why *why, bool verbose)
{
	const struct mr_diagnosis *diagnosis = &why->diagnosis;
	char names[256] = "";

	for (size_t i = 0; i < diagnosis->ruled_out_count; i++)
		mr_text_add(names, sizeof(names), ", ", "%s", diagnosis->ruled_out[i].cause->id);
	report_detail("because: not known%s%s%s", names[0] ? "; ruled out: " : "", names,
		      names[0] && !verbose ? " (-v shows why)" : "");
	if (why->can_be_tried || why->can_be_proven)
		report_detail(
			"try: %s%s%s",
			why->can_be_tried
				? "--why try, which repeats the call with one change at a time"
				: "",
			why->can_be_tried && why->can_be_proven ? "; or " : "",
			why->can_be_proven
				? "as root --why prove, which finds the function of the kernel "
				  "that refuses"
				: "");
}

void why_report(const struct why *why, bool verbose)
{
	const struct mr_diagnosis *diagnosis = &why->diagnosis;
	const enum mr_certainty best =
		diagnosis->cause_count ? diagnosis->causes[0].certainty : MR_RULED_OUT;

	if (why->has_proof)
		proof_report(&why->proof);
	if (!diagnosis->cause_count)
		report_unknown(why, verbose);
	for (size_t i = 0; i < diagnosis->cause_count; i++) {
		const struct mr_suspicion *suspicion = &diagnosis->causes[i];

		if (!verbose && (suspicion->certainty < best || i >= POSSIBLE_MAX))
			break;
		report_cause(suspicion, i ? "or" : "because", verbose);
	}
	if (why->has_tries)
		report_detail("tried: %s", why->tried);
	for (size_t i = 0; verbose && i < diagnosis->ruled_out_count; i++)
		report_detail("not: %s [%s]", diagnosis->ruled_out[i].reason,
			      diagnosis->ruled_out[i].cause->id);
}

struct mr_refusal refusal_of_object(const struct mr_session *session, enum mr_region_kind kind,
				    uint32_t handle)
{
	return (struct mr_refusal){
		.uverbs = &session->uverbs,
		.handle_known = handle != MR_NO_HANDLE,
		.handle_kind = kind,
		.handle = handle,
	};
}

void refusal_set_region(struct mr_refusal *refusal, const struct mr_entry *entry)
{
	refusal->handle_known = entry->handle != MR_NO_HANDLE;
	refusal->handle_kind = mr_region_kind(entry->call);
	refusal->handle = entry->handle;
	refusal->region_known = !entry->in_doubt; /* nothing is certain about an unlisted one */
	refusal->region_call = entry->call;
	refusal->region_access = entry->access;
	refusal->region_addr = entry->addr;
	refusal->region_length = entry->length;
	refusal->region_iova = entry->iova;
}

struct mr_refusal refusal_of_entry(const struct mr_session *session, const struct mr_entry *entry)
{
	struct mr_refusal refusal = { .uverbs = &session->uverbs };

	refusal_set_region(&refusal, entry);
	refusal.pinned_access =
		(struct mr_opt_u64){ entry->pinned_access,
				     !entry->in_doubt && entry->call != MR_REG_MR_RELAXED &&
					     !mr_call_row(entry->call)->data_direct &&
					     entry->memory_of != MR_MEMORY_OF_RDMA_DEVICE };
	return refusal;
}
