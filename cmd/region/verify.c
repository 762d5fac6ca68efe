// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Moves data through the keys of regions, and compares the answers with their access flags. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "cmd/cli/cli.h"
#include "cmd/output/output.h"
#include "cmd/region/region.h"
#include "lib/base/base.h"
#include "lib/session/session.h"
#include "lib/verify/verify.h"

#define TIMEOUT_NS     UINT64_C(2000000000)
#define SIZE_MAX_BYTES (UINT64_C(1) << 30)
/* Below this, the time of an operation shows the latency. */
#define RATE_MIN_BYTES              (UINT64_C(64) << 10)

#define VERIFIED(member, ...)       FIELD(struct verified, member, __VA_ARGS__)
#define OPERATION(key, member, ...) FIELD_AS(key, struct verified, data.member, __VA_ARGS__)

static const struct coloured_word disagreement[] = { { "no", COLOUR_BAD }, { NULL, COLOUR_PLAIN } };

static const struct field verified_fields[] = {
	VERIFIED(region, FIELD_NUMBER, 0, "id of the region"),
	VERIFIED(name, FIELD_TEXT, 0, "name of the region (--name)"),
	OPERATION("access", access, FIELD_WORD, FIELD_PUBLIC | FIELD_KNOWN, "kind of access",
		  .words = mr_data_accesses),
	OPERATION("place", place, FIELD_WORD, FIELD_PUBLIC | FIELD_KNOWN,
		  "place in the region: first, last, beyond or at", .words = mr_data_places),
	OPERATION("at", at, FIELD_HEX, FIELD_DETAIL, "I/O virtual address of the operation"),
	OPERATION("length", length, FIELD_NUMBER, FIELD_DETAIL, "bytes of the operation"),
	OPERATION("registered", granted, FIELD_BOOL, 0,
		  "whether the region was registered for this access"),
	OPERATION("answer", answer, FIELD_WORD, FIELD_PUBLIC | FIELD_KNOWN,
		  "ok, the status of the work completion, OTHER_DATA, TIMEOUT or not-tried",
		  .words = mr_data_answers),
	OPERATION("vendor_err", vendor, FIELD_HEX, FIELD_DETAIL,
		  "vendor_err of the work completion", KNOWN_BY(struct verified, data.has_vendor)),
	OPERATION("agrees", agrees, FIELD_TRISTATE, 0,
		  "whether the answer is that of the access flags and the range",
		  .colours = disagreement),
	VERIFIED(cause, FIELD_STRING, FIELD_PUBLIC, "id of the cause of a refusal"),
	OPERATION("reason", skip, FIELD_WORD, FIELD_PUBLIC | FIELD_DETAIL,
		  "reason why it was not tried", .words = mr_data_skips),
	OPERATION("wrote", wrote, FIELD_BOOL, FIELD_DETAIL,
		  "whether bytes that were read before were put back"),
	OPERATION("zero_length", is_probe, FIELD_BOOL, FIELD_DETAIL,
		  "whether an RDMA write of length 0 shows it"),
	OPERATION("elapsed_ns", elapsed_ns, FIELD_NUMBER, FIELD_DETAIL,
		  "time until the completion was polled"),
	VERIFIED(bytes_per_second, FIELD_NUMBER, 0, "bytes per second, of more than 64 KiB"),
	FIELD_END,
};
REPORTED const struct record verified_record = { "verified", verified_fields, "verified" };

const struct field verified_members[] = {
	DOCUMENT_LIST("verified", &verified_record, "with --verify: operations through the keys"),
	FIELD_END,
};

/* ---- one region ---- */

/* The reachable range of a region: of a relaxed one its whole pages. */
static struct mr_data_region region_of(const struct verify_target *target)
{
	const struct mr_entry *entry = &target->entry;
	struct mr_data_region region = {
		.iova = entry->iova,
		.length = entry->length,
		.lkey = entry->lkey,
		.rkey = entry->rkey,
		.access = entry->access,
		.handle = entry->handle,
		.addr = entry->addr,
		.is_mapped = target->is_own && mr_call_row(entry->call)->on == MR_ON_MEMORY,
	};

	if (entry->call != MR_REG_MR_RELAXED)
		return region;
	mr_extend_to_pages(mr_entry_page_size(entry), &region.addr, &region.length);
	region.iova -= entry->addr - region.addr;
	return region;
}

/* Fills what the causes of an answer need. */
static struct mr_refusal refusal_of(const struct verify_target *target,
				    const struct mr_data_region *region,
				    const struct mr_data_row *row)
{
	return (struct mr_refusal){
		.via = MR_VIA_LIBRARY,
		.uverbs = target->uverbs,
		.is_own = target->is_own,
		.region_known = true,
		.region_call = target->entry.call,
		.region_access = target->entry.access,
		.region_addr = region->addr,
		.region_length = region->length,
		.region_iova = region->iova,
		.data = row,
		.is_gone = target->is_gone,
		.is_inert = target->is_inert,
		.is_revoked = target->is_revoked,
	};
}

/* Finds the cause of a refusal as it was to be expected, which is no failure. */
static const char *cause_of(const struct verification *verification,
			    const struct mr_refusal *refusal)
{
	struct mr_refusal question = *refusal;
	struct mr_diagnosis diagnosis;

	if (verification->answer->invocation->global->why == WHY_NONE)
		return NULL;
	question.call = "ibv_poll_cq";
	question.environment = verification->answer->environment;
	mr_diagnose(&question, mr_this_host(), &diagnosis);
	return diagnosis.cause_count && diagnosis.causes[0].certainty >= MR_LIKELY
		       ? diagnosis.causes[0].cause->id
		       : NULL;
}

/* Reports an answer that disagrees with the access flags, or is none of --expect. */
static void fail_row(struct verification *verification, const struct verify_target *target,
		     const struct mr_refusal *refusal)
{
	const struct mr_data_row *row = refusal->data;
	const bool is_ok = row->granted && row->is_inside;
	const char *wanted = verification->args->expect.given ? "another answer"
			     : is_ok                          ? "ok"
							      : "a refusal";
	char vendor[32] = "";
	struct mr_error err;

	if (row->has_vendor)
		snprintf(vendor, sizeof(vendor), " (vendor_err 0x%x)", row->vendor);
	mr_fail_text(&err, MR_ERROR_REFUSED, 0,
		     "%s%s%s %s (%" PRIu64 " byte%s at 0x%" PRIx64 "): expected %s, got %s%s%s%s",
		     target->name ?: "", target->name ? ": " : "",
		     mr_data_accesses[row->access].name, mr_data_places[row->place].name,
		     row->length, row->length == 1 ? "" : "s", row->at, wanted,
		     mr_data_answers[row->answer].name, vendor, row->skip ? ": " : "",
		     row->skip ? mr_data_skips[row->skip].name : "");
	/* Nothing was refused where the cause of a refusal could be looked for. */
	err.call = row->answer != MR_DATA_OK && !row->skip ? "ibv_poll_cq" : NULL;
	verification->answer->undiagnosed = !err.call;
	verification->answer->refusal = *refusal;
	answer_fail(verification->answer, &err, target->index, target->entry.id, MR_VIA_LIBRARY);
	verification->answer->undiagnosed = false;
}

static int verify_row(struct verification *verification, const struct verify_target *target,
		      const struct mr_data_region *region, struct verified *row,
		      struct mr_error *err)
{
	const struct expect_option *expect = &verification->args->expect;
	const uint32_t wanted = expect->statuses | (expect->ok ? 1U << MR_DATA_OK : 0);
	struct verified *rows = verification->rows;
	struct mr_data_row *data = &row->data;
	struct mr_refusal refusal;
	int rc = mr_verify(&verification->verifier, region, data, err);

	if (rc)
		return rc;
	refusal = refusal_of(target, region, data);
	if (data->answer && !data->skip)
		row->cause = cause_of(verification, &refusal);
	if (!data->answer && data->length > RATE_MIN_BYTES && data->elapsed_ns)
		row->bytes_per_second =
			known((uint64_t)((double)data->length * 1e9 / (double)data->elapsed_ns));
	verification->writes += data->wrote;
	verification->unwritten += data->skip == MR_SKIP_WRITE;
	/* bytes behind the end that no one could put back are not asked for */
	if (expect->given && !(data->skip == MR_SKIP_UNREAD && data->place == MR_PLACE_BEYOND)
		    ? !(wanted >> data->answer & 1)
		    : data->agrees == MR_NO)
		fail_row(verification, target, &refusal);
	if (!rows || verification->count == verification->capacity) {
		verification->capacity = verification->capacity ? 2 * verification->capacity : 32;
		rows = reallocarray(rows, verification->capacity, sizeof(*rows));
		if (!rows)
			return mr_fail(err, MR_ERROR_HOST, ENOMEM, "reallocarray", NULL);
		verification->rows = rows;
	}
	rows[verification->count++] = *row;
	return 0;
}

/* Makes all operations about a region: each access at each place. */
static int verify_all(struct verification *verification, const struct verify_target *target,
		      struct mr_error *err)
{
	const struct verify_args *args = verification->args;
	const struct mr_data_region region = region_of(target);
	const uint64_t size = args->size.known ? args->size.value : 1;
	const enum mr_data_place first = args->at.known ? MR_PLACE_AT : MR_PLACE_FIRST;
	const enum mr_data_place last = args->at.known ? MR_PLACE_AT : MR_PLACE_BEYOND;
	int rc = 0;

	for (unsigned int access = 0; access < MR_DATA_ACCESSES; access++) {
		const uint32_t flag = mr_data_flag(access), given = args->access.bits;

		/* No flags are those of a local read. */
		if (args->access.given && (flag ? !(given & flag) : given))
			continue;
		for (unsigned int place = first; !rc && place <= last; place++) {
			struct verified row = { .region = { target->entry.id,
							    target->entry.id != 0 },
						.data = { .access = access, .place = place } };

			snprintf(row.name, sizeof(row.name), "%s", target->name ?: "");
			row.data.at = region.iova + args->at.value;
			row.data.length = access == MR_DATA_REMOTE_ATOMIC ? 8 : size;
			if (!args->at.known && !mr_verify_place(&region, size, &row.data))
				continue;
			rc = verify_row(verification, target, &region, &row, err);
		}
	}
	return rc;
}

static int open_verifier(struct verification *verification, const struct mr_device *device,
			 struct mr_error *err)
{
	const struct verify_args *args = verification->args;
	const struct mr_verifier_request request = {
		.context = device->context,
		.pd = device->pd,
		.size = args->size.known ? args->size.value : 1,
		.timeout_ns = args->timeout.known ? args->timeout.value : TIMEOUT_NS,
		.port = (uint32_t)args->port.value,
		.writes = args->write,
	};

	return mr_verifier_open(&verification->verifier, &request, err);
}

static int check_target(const struct verification *verification, const struct verify_target *target,
			struct mr_error *err)
{
	const struct mr_entry *entry = &target->entry;

	if (mr_region_kind(entry->call) != MR_KIND_MR || mr_region_is_null(entry->call))
		return mr_fail_text(err, MR_ERROR_HOST, EOPNOTSUPP,
				    "%s has no memory that a key leads to",
				    mr_region_is_null(entry->call) ? "the null MR" : "a umem");
	if (!entry->iova && entry->length == SIZE_MAX && !verification->args->at.known)
		return mr_fail_text(
			err, MR_ERROR_HOST, EOPNOTSUPP,
			"a region of all memory has no first byte: give mrctl verify --at "
			"ADDRESS --size SIZE");
	return 0;
}

void verification_add(struct verification *verification, const struct mr_device *device,
		      const struct verify_target *target)
{
	struct mr_error err;
	int rc = check_target(verification, target, &err);

	if (!rc)
		rc = open_verifier(verification, device, &err);
	if (!rc)
		rc = verify_all(verification, target, &err);
	mr_verifier_close(&verification->verifier);
	if (!rc)
		return;
	verification->interrupted |= err.errnum == EINTR;
	verification->stops |= verification->interrupted;
	verification->answer->refusal.uverbs = target->uverbs;
	verification->answer->refusal.context = device->context;
	answer_fail(verification->answer, &err, target->index, target->entry.id, MR_VIA_LIBRARY);
}

static void note_writes(const struct verification *verification)
{
	const struct answer *answer = verification->answer;

	if (answer->out.style->quiet)
		return;
	if (verification->unwritten)
		answer_note(answer,
			    "%" PRIu64 " operation%s that would write %s not tried: mrctl verify "
			    "--write tries %s",
			    verification->unwritten, verification->unwritten == 1 ? "" : "s",
			    verification->unwritten == 1 ? "was" : "were",
			    verification->unwritten == 1 ? "it" : "them");
	if (verification->writes)
		answer_note(answer, "%" PRIu64 " operation%s wrote what had been read just before",
			    verification->writes, verification->writes == 1 ? "" : "s");
}

void verification_print(struct verification *verification)
{
	const struct list list = LIST_OF(verified_record, verification->rows, verification->count);

	if (!verification->args)
		return;
	output_table(&verification->answer->out, "verified", &list, VERIFIED_COLUMNS);
	note_writes(verification);
}

void verification_release(struct verification *verification)
{
	free(verification->rows);
}

/* ---- new regions ---- */

/* The kernel's own path in a session has no device of libibverbs. */
void verification_begin(struct verification *verification, const struct verify_args *args,
			struct answer *answer, struct registrar *registrar)
{
	struct mr_error err;
	int rc = 0;

	verification->args = args;
	verification->answer = answer;
	if (!registrar->device.pd)
		rc = mr_session_device(registrar->session, registrar->pd_slot,
				       registrar->base.pd_handle, &registrar->device, &err);
	if (!rc)
		return;
	if (rc == -EOPNOTSUPP)
		mr_hint(&err, "use --verify outside of a session: env -u " MR_SESSION_VARIABLE);
	answer->undiagnosed = true; /* the remedy is another one than that of registering */
	answer_fail(answer, &err, 0, 0, MR_VIA_LIBRARY);
	answer->undiagnosed = false;
	verification->stops = true;
}

/* ---- the command ---- */

/* Gets the device and the protection domain of a region of the session. */
static int open_device(struct session_job *job, struct verify_target *target,
		       struct mr_device *device, uint32_t *pd_slot, struct mr_error *err)
{
	struct mr_session *session = job->session;
	struct mr_table_pd pd;
	int rc;

	if (!mr_table_pd(&session->table, target->entry.pd, &pd))
		return mr_fail_text(err, MR_ERROR_HOST, EINVAL,
				    "the protection domain of the region is not known");
	rc = mr_session_pd(session, pd.name, NULL, pd_slot, &pd, err);
	if (!rc)
		rc = mr_session_device(session, *pd_slot, pd.handle, device, err);
	if (rc != -EOPNOTSUPP || mr_session_is_private(session))
		return rc;
	job->answer.undiagnosed = true; /* the remedy is another one than that of registering */
	mr_hint(err,
		"a session of %s cannot be verified by another process; mrctl reg --verify and "
		"mrctl batch can, outside of the session (env -u " MR_SESSION_VARIABLE ")",
		job->answer.environment->provider);
	return rc;
}

/* Finds the facts of a region that are not in its entry. */
static int find_target(struct session_job *job, const char *word, struct verify_target *target,
		       struct mr_error *err)
{
	struct mr_session_region region = { .state = MR_STATE_UNKNOWN };
	struct mr_operand operand;
	int rc = mr_operand_find(job->session, word, &operand, err);

	if (rc)
		return rc;
	if (operand.type != MR_OPERAND_ENTRY)
		return mr_fail_text(
			err, MR_ERROR_ABSENT, ENOENT,
			"%s has no entry in the session, so its access flags are unknown", word);
	rc = mr_session_query(job->session, operand.slot, &region, err);
	if (rc < 0)
		return rc;
	target->entry = rc ? region.entry : operand.entry;
	if (target->entry.state == MR_ENTRY_PENDING || target->entry.in_doubt)
		return mr_fail_text(err, MR_ERROR_HOST, EBUSY,
				    "region %" PRIu64 " is being registered or changed",
				    target->entry.id);
	target->name = target->entry.name[0] ? target->entry.name : NULL;
	target->is_gone = !rc || region.state == MR_STATE_GONE;
	target->is_own = mr_session_is_private(job->session);
	target->is_revoked = mr_session_is_revoked(job->session, &target->entry) == MR_YES;
	target->is_inert = MR_NO;
	if (mr_registrant_needed(&target->entry) && !target->is_own) {
		const enum mr_tristate lives = mr_registrant_lives(job->session, &target->entry);

		target->is_inert = lives == MR_NO ? MR_YES : lives == MR_YES ? MR_NO : MR_UNKNOWN;
	}
	return 0;
}

static void verify_operand(struct verification *verification, struct session_job *job,
			   const char *word, uint64_t index)
{
	struct verify_target target = { .index = index, .uverbs = &job->session->uverbs };
	uint32_t pd_slot = MR_TABLE_PDS;
	struct mr_device device = { .context = NULL };
	struct mr_error err;
	int rc = find_target(job, word, &target, &err);

	if (!rc)
		rc = check_target(verification, &target, &err);
	if (!rc)
		rc = open_device(job, &target, &device, &pd_slot, &err);
	if (!rc)
		verification_add(verification, &device, &target);
	else
		answer_fail(&job->answer, &err, index, target.entry.id, MR_VIA_LIBRARY);
	job->answer.undiagnosed = false;
	mr_table_unlock_pd(&job->session->table, pd_slot);
	if (device.context)
		mr_session_release_device(job->session, &device);
}

static int verify_and_answer(struct session_job *job, struct mr_error *err)
{
	const struct verify_args *args = job->answer.invocation->args;
	struct verification verification = { .args = args, .answer = &job->answer };
	char **words = job->answer.invocation->operands;
	struct mr_table *table = &job->session->table;
	int rc = mr_table_begin_unnamed(table, err); /* no entry names the scratch region */

	if (rc)
		return rc;
	job->answer.lines = false;
	/* A signal would leave queue pairs in the session. */
	mr_signals_block();
	for (uint64_t i = 0; words[i] && !verification.interrupted; i++)
		verify_operand(&verification, job, words[i], i + 1);
	mr_table_end_unnamed(table);
	answer_begin(&job->answer);
	for (size_t i = 0; i < verification.count && answer_has_rows(&job->answer); i++)
		answer_row(&job->answer, &verification.rows[i]);
	answer_end_rows(&job->answer);
	rc = answer_end(&job->answer, verification.count, err);
	note_writes(&verification);
	verification_release(&verification);
	return rc ? rc : answer_status(&job->answer, verification.count, NULL);
}

static int check_verify(const struct invocation *invocation, struct mr_error *err)
{
	const struct verify_args *args = invocation->args;

	if (!invocation->operands[0])
		return mr_fail_usage(err, "name the regions to verify");
	if (context_check_operands(invocation, "works on", err))
		return -EINVAL;
	if (args->size.known && (!args->size.value || args->size.value > SIZE_MAX_BYTES))
		return mr_fail_usage(err, "--size accepts 1 to 1G");
	if (args->port.known && (!args->port.value || args->port.value > UINT8_MAX))
		return mr_fail_usage(err, "--port accepts 1 to 255");
	if (args->access.bits & ~(uint32_t)MR_DATA_FLAGS)
		return mr_fail_usage(err,
				     "--access accepts local-write, remote-write, remote-read, "
				     "remote-atomic, mw-bind, and none for local reads");
	return 0;
}

static int run_verify(const struct invocation *invocation, struct mr_error *err)
{
	const struct verify_args *args = invocation->args;

	return session_job_run(invocation, &args->expect, verify_and_answer, err);
}

static const struct option_spec options[] = {
	OPTION('a', "access", access, struct verify_args, access, "FLAG,...",
	       "try only what these grant; none: local reads (default: all)"),
	OPTION(0, "at", size, struct verify_args, at, "OFFSET",
	       "try OFFSET bytes into the region (default: both ends)"),
	OPTION('s', "size", size, struct verify_args, size, "SIZE",
	       "move SIZE bytes by each operation (default: 1)"),
	OPTION(0, "write", flag, struct verify_args, write, NULL,
	       "also write, putting back what was read"),
	OPTION(0, "port", number, struct verify_args, port, "N",
	       "use port N (default: the first that is active)"),
	OPTION(0, "timeout", seconds, struct verify_args, timeout, "SECONDS",
	       "wait at most SECONDS for each operation (default: 2)"),
	OPTION(0, "expect", expect, struct verify_args, expect, "ANSWER,...",
	       "exit with 0 only for these: ok, REM_ACCESS_ERR, ..."),
	OPTION_END,
};

static const struct option_group group = { "Verification", options };

const struct command command_verify = {
	.name = "verify",
	.operands = "REGION...",
	.summary = "show by data what the keys of regions grant",
	.description =
		"Moves data through the keys of a region, by each access and at its first byte, its "
		"last byte and the byte behind its end, and compares the answers with the access "
		"flags. Without --write, no memory is written. A REGION is an id, a name, lkey:KEY, "
		"rkey:KEY or mr:HANDLE.",
	.groups = (const struct option_group *const[]){ &group, NULL },
	.args_size = sizeof(struct verify_args),
	.record = &verified_record,
	.columns = VERIFIED_COLUMNS,
	.examples =
		(const char *const[]){
			"mrctl verify buf",
			"mrctl verify buf --access remote-write --write --expect REM_ACCESS_ERR",
			NULL },
	.check = check_verify,
	.run = run_verify,
};
