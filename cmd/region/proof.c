// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <inttypes.h>
#include <stdio.h>

#include "cmd/output/output.h"
#include "cmd/region/proof.h"
#include "lib/host/host.h"
#include "lib/host/processes.h"

static const struct field link_fields[] = {
	FIELD(struct link_row, function, FIELD_STRING, FIELD_PUBLIC, "function of the kernel"),
	FIELD(struct link_row, layer, FIELD_STRING, FIELD_PUBLIC, "layer that it belongs to"),
	FIELD_AS("errno", struct link_row, errno_name, FIELD_STRING, FIELD_PUBLIC,
		 "what it returned"),
	FIELD_END,
};
REPORTED static const struct record link_record = { "function", link_fields, NULL };

static const struct field firmware_fields[] = {
	FIELD(struct firmware_row, command, FIELD_STRING, FIELD_PUBLIC,
	      "command that the firmware refused"),
	FIELD(struct firmware_row, status, FIELD_STRING, FIELD_PUBLIC, "its status"),
	FIELD(struct firmware_row, syndrome, FIELD_HEX, 0, "its number of the reason"),
	FIELD_AS("errno", struct firmware_row, errno_name, FIELD_STRING, FIELD_PUBLIC,
		 "what mlx5_core made of it"),
	FIELD_END,
};
REPORTED static const struct record firmware_record = { "firmware", firmware_fields, NULL };

static const struct field proof_fields[] = {
	FIELD(struct proof_row, refused_by, FIELD_STRING, FIELD_PUBLIC,
	      "function of the kernel that refused"),
	FIELD(struct proof_row, user_space, FIELD_BOOL, 0,
	      "whether libibverbs or its provider refused"),
	FIELD(struct proof_row, functions, FIELD_LIST, 0,
	      "functions that returned an error, the outermost first"),
	FIELD(struct proof_row, firmware, FIELD_ONE, 0, "what the firmware refused"),
	FIELD(struct proof_row, note, FIELD_STRING, FIELD_PROSE, "why nothing is proven"),
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

/*
 * A filter may answer system calls in the place of the RDMA stack (seccomp).  Where that is not known, nothing is
 * proven by what the stack did not do.
 */
static bool is_filtered(void)
{
	struct mr_process_status status;

	return mr_process_status_read(mr_this_host(), "self", &status) || !status.seccomp.known ||
	       status.seccomp.value != 0;
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
		.device = refusal->environment->device,
		.provider = refusal->environment->provider,
		.is_simulated = refusal->environment->simulated,
		.by_library =
			refusal->via == MR_VIA_LIBRARY && asking & 1U << mr_operation_of(refusal),
	};

	if (!is_wanted(invocation))
		return NULL;
	question.is_filtered = is_filtered();
	mr_proof_read(invocation->proof, &question, proven);
	return proven;
}

void proof_fill(struct proof_row *row, const struct mr_proven *proven)
{
	const struct mr_chain *chain = &proven->chain;
	const struct mr_firmware_answer *answer = &proven->firmware;

	for (size_t i = 0; i < chain->count; i++)
		row->links[i] = (struct link_row){ chain->links[i].function->name,
						   mr_layer_name(chain->links[i].function->layer),
						   mr_errno_name(chain->links[i].errnum) };
	row->functions =
		(struct list){ &link_record, row->links, chain->count, sizeof(*row->links) };
	row->answer = (struct firmware_row){
		.command = answer->command,
		.status = answer->status.known ? mr_mlx5_status_name(answer->status.value) : NULL,
		.syndrome = answer->syndrome,
		.errno_name = answer->errnum ? mr_errno_name(answer->errnum) : NULL,
	};
	row->firmware = (struct list){ &firmware_record, &row->answer, answer->command[0] != '\0',
				       sizeof(row->answer) };
	row->refused_by = mr_proven_function(proven);
	row->user_space = proven->in_user_space;
	row->note = proven->note;
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
	size_t used = 0;

	for (enum mr_layer each = MR_LAYER_MEMORY; each < MR_LAYERS; each++) {
		const char *name = outermost(chain, each);

		if (name && used < sizeof(above))
			used += (size_t)snprintf(above + used, sizeof(above) - used, "%s%s",
						 used ? " and " : ", below ", name);
	}
	report_detail("proved: %s returned %s%s%s%s%s", last->function->name,
		      mr_errno_name(last->errnum), above, layer ? " [" : "", layer ? layer : "",
		      layer ? "]" : "");
}

static void report_firmware(const struct mr_firmware_answer *answer)
{
	const char *status =
		answer->status.known ? mr_mlx5_status_name(answer->status.value) : NULL;

	if (answer->syndrome.known)
		report_detail("proved: the firmware refused %s: %s, syndrome 0x%08" PRIx64,
			      answer->command, status ? status : "unknown status",
			      answer->syndrome.value);
	else
		report_detail("proved: the firmware refused %s: %s", answer->command,
			      status ? status : "unknown status");
}

void proof_report(const struct mr_proven *proven)
{
	if (proven->chain.count)
		report_chain(proven);
	if (proven->firmware.command[0])
		report_firmware(&proven->firmware);
	if (proven->in_user_space)
		report_detail("proved: the kernel did not refuse; libibverbs or its provider did");
	if (proven->note)
		report_detail("not proved: %s", proven->note);
}
