// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>

#include "lib/diagnose/causes/causes.h"

/* Finds the answer of the firmware, proven or in the kernel's log, and adds it to the evidence; false: there is none. */
static bool find_answer(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion,
			struct mr_firmware_answer *answer)
{
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);
	const struct mr_mlx5_log_line *line = proven ? NULL : mr_inquiry_mlx5_log(inquiry);
	const char *status;

	if (proven)
		*answer = proven->firmware;
	if (proven ? !answer->command[0] || !answer->status.known
		   : !line || !mr_firmware_answer_take(answer, line, inquiry->refusal->errnum))
		return false;
	status = mr_mlx5_status_name(answer->status.value);
	mr_evidence_text(suspicion, "command", "%s", answer->command);
	if (status)
		mr_evidence_text(suspicion, "status", "%s", status);
	if (answer->syndrome.known)
		mr_evidence_hex(suspicion, "syndrome", answer->syndrome.value);
	return true;
}

/*
 * A command that is not known, of which it is proven that the firmware refused it: its status is one of those that
 * become the errno.
 */
static void look_by_errno(const struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);
	const char *function = mr_inquiry_function(inquiry);

	if (!function || proven->layers != MR_IN_LAYER(FIRMWARE) || proven->firmware.command[0] ||
	    strncmp(function, "mlx5_cmd_", 9) != 0)
		return;
	for (const char *status = suspicion->cause->statuses; *status; status++) {
		const struct mr_mlx5_status *row = mr_mlx5_status((unsigned char)*status);

		if (!row || row->errnum != inquiry->refusal->errnum)
			continue;
		mr_evidence_text(suspicion, "function", "%s", function);
		mr_suspect(suspicion, MR_CERTAIN,
			   "the firmware refused a command, with a status such as %s (%s)",
			   row->name, row->meaning);
		return;
	}
}

/* Whether the firmware refuses to destroy a umem because an object is on it (MR-UMEM-BUSY). */
static bool is_umem_in_use(const struct mr_firmware_answer *given)
{
	return !strcmp(given->command, "DESTROY_UMEM") &&
	       (given->status.value == 0x06 || given->status.value == 0x09);
}

/* Whether the firmware has answered by a status of the cause. */
static void look_at_statuses(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const bool is_proven = mr_inquiry_proof(inquiry);
	const struct mr_mlx5_status *row;
	struct mr_firmware_answer answer;

	if (!find_answer(inquiry, suspicion, &answer)) {
		look_by_errno(inquiry, suspicion);
		return;
	}
	row = mr_mlx5_status(answer.status.value);
	if (!mr_cause_has_status(suspicion->cause, answer.status.value) || !row ||
	    is_umem_in_use(&answer))
		return;
	mr_suspect(suspicion, mr_certain_if(is_proven),
		   "the firmware %s %s by %s (%s), syndrome 0x%08" PRIx64,
		   is_proven ? "refused" : "has just refused", answer.command, row->name,
		   row->meaning, answer.syndrome.value);
}

static void look_at_umem(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	const bool is_proven = mr_inquiry_proof(inquiry);
	struct mr_firmware_answer answer;

	if (refusal->handle_kind != MR_KIND_UMEM || refusal->kind == MR_ERROR_ABSENT)
		return;
	if (!find_answer(inquiry, suspicion, &answer)) {
		mr_suspect(suspicion, MR_POSSIBLE,
			   "a DEVX object on the umem (a key, a queue) may still exist");
		return;
	}
	if (!is_umem_in_use(&answer))
		return;
	mr_suspect(suspicion, mr_certain_if(is_proven),
		   "the firmware %s DESTROY_UMEM by %s: a DEVX object (a key, a queue) is on the "
		   "umem",
		   is_proven ? "refused" : "has just refused",
		   mr_mlx5_status_name(answer.status.value));
}

/*
 * A device that takes keys only with relaxed ordering refuses others.  Which one does so is a capability that only
 * DEVX shows (mkc_order_write_after_write_ro_only), so this stays a possibility.
 */
static void look_at_relaxed_only(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t access = mr_inquiry_access(inquiry);
	struct mr_firmware_answer answer;

	if (!find_answer(inquiry, suspicion, &answer) ||
	    strcmp(answer.command, "CREATE_MKEY") != 0 || answer.status.value != 0x03)
		return;
	if (access & MR_ACCESS_RELAXED_ORDERING)
		mr_rule_out(suspicion, "the access has relaxed-ordering");
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "the firmware refused a key without relaxed-ordering, which some "
			   "firmware requires");
}

/* A work request that changes a key (UMR) has failed: that comes out as EFAULT though the memory is fine. */
static void look_at_umr(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *function = mr_inquiry_function(inquiry);
	const struct mr_mlx5_log_line *line =
		mr_inquiry_proof(inquiry) ? NULL : mr_inquiry_mlx5_log(inquiry);

	if (line && line->age_ns <= MR_MLX5_LOG_RECENT_NS && !strcmp(line->command, "UMR")) {
		mr_evidence_number(suspicion, "status", line->status);
		mr_suspect(suspicion, MR_LIKELY,
			   "the kernel's log reports that a work request that writes the key "
			   "(UMR) has just failed; the memory is not the cause");
	} else if (function && !strcmp(function, "mlx5r_umr_post_send_wait")) {
		mr_evidence_text(suspicion, "function", "%s", function);
		mr_suspect(suspicion, MR_CERTAIN,
			   "the device failed a work request that writes the key (UMR); the memory "
			   "is not the cause");
	}
}

/* The command did not get to the firmware, or no answer came: cmd_exec() itself has failed. */
static void look_at_commands(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const char *function = mr_inquiry_function(inquiry);

	if (!function || strcmp(function, "cmd_exec") != 0)
		return;
	mr_evidence_text(suspicion, "function", "%s", function);
	mr_suspect(suspicion, MR_CERTAIN, "%s",
		   inquiry->refusal->errnum == ETIMEDOUT
			   ? "the firmware did not answer a command in time"
			   : "mlx5_core sent no command: the device is in an error state, or is "
			     "being reset");
}

/* Memory of the host that the firmware has: where it cannot get more, it refuses what needs it. */
static void look_at_pages(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct mr_firmware_answer answer;
	struct mr_rdma_device device;

	if (!find_answer(inquiry, suspicion, &answer) ||
	    (answer.status.value != 0x08 && answer.status.value != 0x0f))
		return;
	mr_rdma_device_read_place(inquiry->host, inquiry->environment->device, &device);
	if (!device.fw_pages.known || !device.fw_pages.value)
		return;
	mr_evidence_number(suspicion, "fw_pages", device.fw_pages.value);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "the firmware uses %" PRIu64
		   " pages of the host, and may not get more pages for keys",
		   device.fw_pages.value);
}

#define ON_OBJECTS                                                                                 \
	(MR_ON(QUEUE) | MR_ON(ALLOC_PD) | MR_ON(ALLOC_DM) | MR_ON(REG) | MR_ON_DMABUFS |           \
	 MR_ON(REG_DM) | MR_ON(NULL_MR) | MR_ON(UMEM) | MR_ON(REREG))
#define ON_ANYTHING (ON_OBJECTS | MR_ON(OPEN) | MR_ON(IMPORT) | MR_ON(DEREG) | MR_ON(FREE))

#include "lib/diagnose/causes/firmware.inc"
