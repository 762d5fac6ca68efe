// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* mrctl umem --try-page-sizes */
#include <errno.h>
#include <inttypes.h>

#include "cmd/region/answer.h"
#include "cmd/region/overdue.h"
#include "cmd/region/row.h"
#include "cmd/register/registrar.h"
#include "cmd/umem/try_page_sizes.h"
#include "lib/base/base.h"
#include "lib/session/table/table.h"
#include "lib/verbs/verbs.h"

/* The page sizes that are tried: these and the powers of two between them, in bytes. */
#define FIRST_SIZE 4096u
#define LAST_SIZE  (1u << 30)

/* A run of --try-page-sizes: umems on the same memory, one after the other. */
struct trial {
	const struct register_args *args;
	struct register_plan plan;
	struct registrar registrar;
	struct context_room room;
	struct mr_memory memory;
	struct mr_dmabuf dmabuf;
	struct answer answer;
	uint64_t accepted; /* sizes that the stack accepted */
};

/* The driver considers no page larger than the umem needs (devx.c devx_umem_find_best_pgsize()). */
static bool is_tried(const struct trial *trial, uint64_t size)
{
	return size == FIRST_SIZE || (size <= LAST_SIZE && size / 2 < trial->plan.memory.size);
}

static void print_result(struct trial *trial, const struct mr_region_request *request,
			 const struct mr_region *region, int errnum)
{
	const struct mr_region refused = { .addr = request->addr,
					   .length = request->length,
					   .handle = MR_NO_HANDLE };
	const struct region_facts facts = {
		.region = errnum ? &refused : region,
		.call = request->call,
		.via = trial->registrar.base.via,
		.access = request->access,
		.memory = trial->plan.memory.mapping.kind.text,
		.page_size = trial->memory.page_size,
		.page_sizes = request->page_sizes,
		.on_gpu = register_plan_is_on_gpu(&trial->plan),
	};
	struct region_row row;

	region_row_describe(&row, &facts);
	row.state = errnum ? "refused" : region->live ? "live" : "deregistered";
	row.answer = errnum ? mr_errno_name(errnum) : "ok";
	if (errnum) {
		row.umem_id.known = row.elapsed_ns.known = row.dereg_elapsed_ns.known = false;
		row.needs_process.known = false;
	}
	answer_row(&trial->answer, &row);
}

static void set_refusal(struct trial *trial, const struct mr_region_request *request)
{
	trial->answer.refusal = (struct mr_refusal){
		.registrar = &trial->registrar.base,
		.context = trial->registrar.device.context,
		.uverbs = registrar_is_open(&trial->registrar) ? &trial->registrar.uverbs : NULL,
		.mapping = trial->memory.map ? NULL : &trial->plan.memory.mapping,
		.dmabuf = mr_region_is_dmabuf(trial->plan.call) ? &trial->plan.dmabuf : NULL,
		.request = request,
		.memory = trial->plan.memory.mapping.kind.text,
	};
}

/* Return: 0, or the errno of the refusal. */
static int try_size(struct trial *trial, const struct mr_region_request *request,
		    struct mr_error *refusal)
{
	const struct mr_registrar *registrar = &trial->registrar.base;
	struct mr_region region = { .live = false };
	int rc = mr_region_register(registrar, request, &region, refusal);
	struct mr_error err;

	if (!rc)
		mr_memory_keep_file(&trial->memory);
	if (!rc && mr_region_deregister(registrar, &region, &err))
		answer_fail(&trial->answer, &err, 0, 0, registrar->via);
	print_result(trial, request, &region, -rc);
	return -rc;
}

static void tell_request(const void *data)
{
	const struct request *request = data;

	report_detail("asked for %" PRIu64 " bytes at 0x%" PRIx64 " of %s %s",
		      request->length.value,
		      request->offset.known ? request->offset.value : request->addr.value,
		      request->offset.known ? "dma-buf" : "memory", request->memory);
}

/*
 * The refusal of a size is a result here, and no failure.  If all sizes are refused, the reason is another one,
 * as 4 KiB always fit: then the command has failed, and reports the refusal of 4 KiB.
 */
static void try_sizes(struct trial *trial)
{
	const enum mr_via via = trial->registrar.base.via;
	const bool dmabuf = mr_region_is_dmabuf(trial->plan.call);
	struct mr_region_request request = {
		.call = trial->plan.call,
		.addr = trial->memory.start,
		.length = trial->plan.memory.size,
		.access = trial->plan.access,
		.fd = trial->dmabuf.fd,
	};
	struct mr_error first = { .kind = MR_ERROR_REFUSED }, err;

	/* A signal between the two calls for a umem would leave it in the session. */
	context_block_signals(trial->answer.invocation);
	for (uint64_t size = FIRST_SIZE; is_tried(trial, size); size *= 2) {
		if (mr_interrupted()) {
			mr_fail_text(&err, MR_ERROR_HOST, EINTR, "interrupted");
			answer_fail(&trial->answer, &err, 0, 0, via);
			return;
		}
		request.page_sizes = size;
		if (!try_size(trial, &request, size == FIRST_SIZE ? &first : &err))
			trial->accepted++;
	}
	if (trial->accepted)
		return;
	request.page_sizes = FIRST_SIZE;
	set_refusal(trial, &request);
	trial->answer.request = (struct request){
		.memory = trial->plan.memory.mapping.kind.text,
		.addr = { request.addr, !dmabuf },
		.offset = { request.addr, dmabuf },
		.length = known(request.length),
		.access = known(request.access),
		.access_bits = known(request.access),
		.page_sizes = known(FIRST_SIZE),
	};
	trial->answer.tell = tell_request;
	trial->answer.tell_data = &trial->answer.request;
	answer_fail(&trial->answer, &first, 0, 0, via);
}

static int prepare_trial(struct trial *trial, struct mr_error *err)
{
	const struct registrar_request request = { .invocation = trial->answer.invocation,
						   .kind = MR_KIND_UMEM,
						   .via = trial->plan.via,
						   .room = &trial->room };
	int rc = registrar_open(&trial->registrar, &request, err);

	trial->answer.environment = trial->registrar.environment;
	trial->answer.in_session = context_session(trial->answer.invocation) != NULL;
	if (!rc && trial->registrar.in_session)
		rc = mr_table_begin_unnamed(&trial->registrar.session->table, err);
	if (!rc)
		rc = mr_memory_map(&trial->plan.memory.mapping, &trial->memory, err);
	if (rc || !mr_region_is_dmabuf(trial->plan.call))
		return rc;
	rc = mr_dmabuf_open(&trial->plan.dmabuf, &trial->dmabuf, err);
	trial->memory.page_size = trial->dmabuf.page_size;
	return rc;
}

static int run_trial(struct trial *trial, struct mr_error *err)
{
	struct answer *answer = &trial->answer;
	const struct global_args *global = answer->invocation->global;
	int rc = prepare_trial(trial, err);

	if (rc && err->kind == MR_ERROR_USAGE)
		return rc;
	answer->lines = false;
	answer->out.usual_columns =
		REGION_COLUMNS(page_sizes, answer, elapsed_ns, dereg_elapsed_ns);
	if (rc) {
		set_refusal(trial, NULL);
		answer_fail(answer, err, 0, 0, trial->registrar.base.via);
		mr_error_clear(err); /* it is in the answer */
	}
	answer_begin(answer);
	if (!rc)
		try_sizes(trial);
	if (trial->registrar.in_session)
		mr_table_end_unnamed(&trial->registrar.session->table);
	answer_end_rows(answer);
	rc = answer_end(answer, trial->accepted, err);
	if (rc)
		return rc;
	if (trial->accepted && !global->style.quiet && !global->style.json &&
	    !global->style.no_headings)
		report_note(answer->invocation->command->name,
			    "that a size is taken does not prove that the HCA uses it: where the "
			    "memory is contiguous the driver goes down to one that fits");
	if (trial->registrar.in_session)
		overdue_report(answer->invocation, trial->registrar.session);
	return answer_status(answer, trial->accepted, NULL);
}

int umem_try_page_sizes(const struct invocation *invocation, const struct register_call *call,
			struct mr_error *err)
{
	struct trial trial = { .args = invocation->args };
	int rc = register_plan_init(&trial.plan, trial.args, call, err);

	if (rc)
		return rc;
	rc = answer_init(&trial.answer, invocation, NULL, NULL, 1, err);
	if (!rc)
		rc = run_trial(&trial, err);
	mr_dmabuf_close(&trial.dmabuf);
	mr_memory_unmap(&trial.memory);
	registrar_close(&trial.registrar);
	answer_release(&trial.answer);
	return rc;
}
