// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/host/host.h"
#include "lib/verbs/verbs.h"

/** A refusal by the firmware, and how sure it is. */
struct answer {
	struct mr_firmware_answer given;
	bool is_proven;
};

/* The answer that the kernel has written to its log within the last seconds, with the errno of the call. */
static bool find_in_log(struct mr_inquiry *inquiry, struct mr_firmware_answer *given)
{
	const struct mr_mlx5_log_line *line = mr_inquiry_mlx5_log(inquiry);

	if (!line || line->age_ns > MR_MLX5_LOG_RECENT_NS ||
	    line->errnum != inquiry->refusal->errnum)
		return false;
	memcpy(given->command, line->command, sizeof(given->command));
	given->status = (struct mr_opt_u64){ line->status, true };
	given->syndrome = (struct mr_opt_u64){ line->syndrome, true };
	given->errnum = line->errnum;
	return true;
}

/* What the firmware has answered; false: it is not known to have answered. */
static bool find_answer(struct mr_inquiry *inquiry, struct answer *answer)
{
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);

	if (!mr_inquiry_is_driver(inquiry, "mlx5"))
		return false;
	answer->is_proven = proven != NULL;
	if (!proven)
		return find_in_log(inquiry, &answer->given);
	answer->given = proven->firmware;
	return proven->firmware.command[0] && proven->firmware.status.known;
}

static void add_evidence(const struct mr_firmware_answer *given, struct mr_suspicion *suspicion)
{
	const char *status = mr_mlx5_status_name(given->status.value);

	mr_evidence_text(suspicion, "command", "%s", given->command);
	if (status)
		mr_evidence_text(suspicion, "status", "%s", status);
	if (given->syndrome.known)
		mr_evidence_hex(suspicion, "syndrome", given->syndrome.value);
}

/*
 * A command that is not known, of which it is proven that the firmware refused it: its status is one of those that
 * become the errno.
 */
static void look_by_errno(const struct mr_inquiry *inquiry, struct mr_suspicion *suspicion,
			  const uint64_t *statuses)
{
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);
	const int errnum = inquiry->refusal->errnum;
	const char *function = proven ? mr_proven_function(proven) : NULL;

	if (!function || proven->layers != MR_IN_LAYER(FIRMWARE) || proven->firmware.command[0] ||
	    strncmp(function, "mlx5_cmd_", 9) != 0)
		return;
	for (; *statuses != UINT64_MAX; statuses++) {
		const struct mr_mlx5_status *row = mr_mlx5_status(*statuses);

		if (!row || row->errnum != errnum)
			continue;
		mr_evidence_text(suspicion, "function", "%s", function);
		mr_suspect(suspicion, MR_CERTAIN,
			   "the firmware refused a command, by a status such as %s (%s)", row->name,
			   row->meaning);
		return;
	}
}

/* Whether the firmware refuses to destroy a umem because an object is on it (MR-UMEM-BUSY). */
static bool is_umem_in_use(const struct mr_firmware_answer *given)
{
	return !strcmp(given->command, "DESTROY_UMEM") &&
	       (given->status.value == 0x06 || given->status.value == 0x09);
}

/* Suspects the cause where the firmware has answered by one of its @statuses, which end with UINT64_MAX. */
static void look_for_statuses(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion,
			      const uint64_t *statuses)
{
	struct answer answer = { .is_proven = false };
	const struct mr_mlx5_status *row;

	if (!find_answer(inquiry, &answer)) {
		look_by_errno(inquiry, suspicion, statuses);
		return;
	}
	while (*statuses != UINT64_MAX && *statuses != answer.given.status.value)
		statuses++;
	row = mr_mlx5_status(answer.given.status.value);
	if (*statuses == UINT64_MAX || !row || is_umem_in_use(&answer.given))
		return;
	add_evidence(&answer.given, suspicion);
	mr_suspect(suspicion, answer.is_proven ? MR_CERTAIN : MR_LIKELY,
		   "the firmware %s %s by %s (%s), syndrome 0x%08" PRIx64,
		   answer.is_proven ? "refused" : "has just refused", answer.given.command,
		   row->name, row->meaning, answer.given.syndrome.value);
}

#define STATUSES(...)                                                                              \
	(const uint64_t[])                                                                         \
	{                                                                                          \
		__VA_ARGS__, UINT64_MAX                                                            \
	}

static void look_at_limits(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	look_for_statuses(inquiry, suspicion, STATUSES(0x08));
}

static void look_at_resources(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	look_for_statuses(inquiry, suspicion, STATUSES(0x07, 0x0f));
}

static void look_at_busy(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	look_for_statuses(inquiry, suspicion, STATUSES(0x06));
}

static void look_at_parameters(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	look_for_statuses(inquiry, suspicion,
			  STATUSES(0x02, 0x03, 0x05, 0x09, 0x0a, 0x10, 0x30, 0x40));
}

static void look_at_internal_errors(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	look_for_statuses(inquiry, suspicion, STATUSES(0x01, 0x04, 0x50, 0x51));
}

static void look_at_umem(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_refusal *refusal = inquiry->refusal;
	struct answer answer = { .is_proven = false };

	if (refusal->handle_kind != MR_KIND_UMEM || refusal->kind == MR_ERROR_ABSENT)
		return;
	mr_evidence_number(suspicion, "handle", refusal->handle);
	if (!find_answer(inquiry, &answer)) {
		mr_suspect(suspicion, MR_POSSIBLE,
			   "a DEVX object that was made on the umem (a key, a queue) may be there "
			   "still");
		return;
	}
	if (!is_umem_in_use(&answer.given))
		return;
	add_evidence(&answer.given, suspicion);
	mr_suspect(suspicion, answer.is_proven ? MR_CERTAIN : MR_LIKELY,
		   "the firmware %s DESTROY_UMEM by %s: a DEVX object (a key, a queue) is on the "
		   "umem",
		   answer.is_proven ? "refused" : "has just refused",
		   mr_mlx5_status_name(answer.given.status.value));
}

/*
 * A device that takes keys only with relaxed ordering refuses others.  Which one does so is a capability that only
 * DEVX shows (mkc_order_write_after_write_ro_only), so this stays a possibility.
 */
static void look_at_relaxed_only(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const uint32_t access = mr_inquiry_access(inquiry);
	struct answer answer = { .is_proven = false };

	if (!find_answer(inquiry, &answer) || strcmp(answer.given.command, "CREATE_MKEY") != 0 ||
	    answer.given.status.value != 0x03)
		return;
	add_evidence(&answer.given, suspicion);
	mr_evidence_hex(suspicion, "access", access);
	if (access & MR_ACCESS_RELAXED_ORDERING)
		mr_rule_out(suspicion, "relaxed-ordering was asked for");
	else
		mr_suspect(suspicion, MR_POSSIBLE,
			   "the firmware refused a key without relaxed-ordering, which some "
			   "firmware demands");
}

/* A work request that changes a key (UMR) has failed: that comes out as EFAULT though the memory is fine. */
static void look_at_umr(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);
	const char *function = proven ? mr_proven_function(proven) : NULL;
	const struct mr_mlx5_log_line *line = proven ? NULL : mr_inquiry_mlx5_log(inquiry);

	if (line && line->age_ns <= MR_MLX5_LOG_RECENT_NS && !strcmp(line->command, "UMR")) {
		mr_evidence_number(suspicion, "status", line->status);
		mr_suspect(suspicion, MR_LIKELY,
			   "the kernel's log tells that a work request by which mlx5 writes the "
			   "key (UMR) has just failed; the memory is not at fault");
	}
	if (!function || strcmp(function, "mlx5r_umr_post_send_wait") != 0)
		return;
	mr_evidence_text(suspicion, "function", "%s", function);
	mr_suspect(suspicion, MR_CERTAIN,
		   "the device failed a work request by which mlx5 writes the key (UMR); the "
		   "memory is not at fault");
}

/* The command did not get to the firmware, or no answer came: cmd_exec() itself has failed. */
static void look_at_commands(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	const struct mr_proven *proven = mr_inquiry_proof(inquiry);
	const char *function = proven ? mr_proven_function(proven) : NULL;
	const int errnum = inquiry->refusal->errnum;

	if (!function || strcmp(function, "cmd_exec") != 0)
		return;
	mr_evidence_text(suspicion, "function", "%s", function);
	if (errnum == ETIMEDOUT)
		mr_suspect(suspicion, MR_CERTAIN, "the firmware did not answer a command in time");
	else
		mr_suspect(suspicion, MR_CERTAIN,
			   "mlx5_core sent no command: the device is in an error state, or is "
			   "being reset");
}

/* Memory of the host that the firmware has: where it cannot get more, it refuses what needs it. */
static void look_at_pages(struct mr_inquiry *inquiry, struct mr_suspicion *suspicion)
{
	struct answer answer = { .is_proven = false };
	struct mr_rdma_device device;

	if (!find_answer(inquiry, &answer) ||
	    (answer.given.status.value != 0x08 && answer.given.status.value != 0x0f))
		return;
	mr_rdma_device_read_place(inquiry->host, inquiry->refusal->environment->device, &device);
	if (!device.fw_pages.known || !device.fw_pages.value)
		return;
	add_evidence(&answer.given, suspicion);
	mr_evidence_number(suspicion, "fw_pages", device.fw_pages.value);
	mr_suspect(suspicion, MR_POSSIBLE,
		   "the firmware has %" PRIu64 " pages of the host and may want more for keys than "
		   "it gets",
		   device.fw_pages.value);
}

#define ON_OBJECTS                                                                                 \
	(MR_ON(QUEUE) | MR_ON(ALLOC_PD) | MR_ON(ALLOC_DM) | MR_ON(REG) | MR_ON_DMABUFS |           \
	 MR_ON(REG_DM) | MR_ON(NULL_MR) | MR_ON(UMEM) | MR_ON(REREG))
#define ON_ANYTHING (ON_OBJECTS | MR_ON(OPEN) | MR_ON(IMPORT) | MR_ON(DEREG) | MR_ON(FREE))

#define RECOGNISE                                                                                  \
	"The kernel's log has a line of mlx5_cmd_out_err with the command, the status and the "    \
	"syndrome; mlx5_core counts it in debugfs (mlx5/PCI/commands/COMMAND/failed).  "           \
	"--why prove makes it certain."
#define CMD_C "drivers/net/ethernet/mellanox/mlx5/core/cmd.c "

const struct mr_cause mr_causes_of_firmware[] = {
	{ .id = "MR-FW-LIMIT",
	  .driver = "mlx5",
	  .subject = "limit of the device (LIM_ERR)",
	  .operations = ON_OBJECTS | MR_ON(OPEN) | MR_ON(IMPORT),
	  .errnums = { ENOMEM },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_limits,
	  .what = "The firmware of an mlx5 device refuses by LIM_ERR (\"limits exceeded\"): it has "
		  "as many keys, translations, UARs or other objects as it can have.  mlx5_core makes "
		  "ENOMEM of that, as if memory were short.",
	  .recognise = RECOGNISE,
	  .remedy = "register fewer or larger regions, on huge pages, and deregister what is not "
		    "used; rdma resource show tells who has them",
	  .sources = CMD_C "cmd_status_to_err(); openucx/ucx#6264; openucx/ucx#7861" },
	{ .id = "MR-FW-RESOURCES",
	  .driver = "mlx5",
	  .subject = "no resources left in the device (NO_RES_ERR)",
	  .operations = ON_OBJECTS | MR_ON(OPEN) | MR_ON(IMPORT),
	  .errnums = { EAGAIN },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_resources,
	  .what = "The firmware of an mlx5 device refuses by NO_RES_ERR (\"no resources\"): it has "
		  "no key left, often after many processes were killed.  mlx5_core makes EAGAIN of "
		  "that, but trying again does not help as long as nothing is freed.",
	  .recognise = RECOGNISE,
	  .remedy = "deregister what is not used (rdma resource show tells who has it); else "
		    "reload mlx5_core, or restart the host",
	  .sources = CMD_C "cmd_status_to_err(); kvcache-ai/Mooncake#1765; openucx/ucx#5291" },
	{ .id = "MR-FW-BUSY",
	  .driver = "mlx5",
	  .subject = "object in use by the device (RES_BUSY)",
	  .operations = ON_OBJECTS | MR_ON(DEREG) | MR_ON(FREE),
	  .errnums = { EBUSY },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_RARE,
	  .look = look_at_busy,
	  .what = "The firmware of an mlx5 device refuses by RES_BUSY: the object is in use still, "
		  "such as a key by a memory window or a queue.",
	  .recognise = RECOGNISE,
	  .remedy = "destroy first what uses it: memory windows, queues, DEVX objects",
	  .sources = CMD_C "cmd_status_to_err()" },
	{ .id = "MR-UMEM-BUSY",
	  .driver = "mlx5",
	  .subject = "object on a umem",
	  .operations = MR_ON(DEREG),
	  .errnums = { EINVAL, EBUSY },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_umem,
	  .what = "A umem is not deregistered as long as a DEVX object uses it: a key, a queue.",
	  .recognise = "The program made objects with the number of the umem (umem_id).",
	  .remedy = "destroy the objects first (mlx5dv_devx_obj_destroy)",
	  .sources = "mlx5dv_devx_umem_reg(3); drivers/infiniband/hw/mlx5/devx.c "
		     "devx_umem_cleanup()" },
	{ .id = "MR-FW-UMR",
	  .driver = "mlx5",
	  .subject = "work request for a key (UMR) that the device failed",
	  .operations = ON_OBJECTS | MR_ON(DEREG),
	  .errnums = { EFAULT, EIO, EINVAL },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_RARE,
	  .look = look_at_umr,
	  .what = "mlx5 writes keys by work requests to the device (UMR).  Where the device fails "
		  "one, the registration fails with EFAULT, as if the memory were bad.",
	  .recognise = "The kernel's log has \"reg umr failed\".  --why prove shows "
		       "mlx5r_umr_post_send_wait as the function that refused.",
	  .remedy = "try again; if it stays, update the firmware, or reset the device",
	  .sources = "drivers/infiniband/hw/mlx5/umr.c mlx5r_umr_post_send_wait()" },
	{ .id = "MR-FW-COMMANDS",
	  .driver = "mlx5",
	  .subject = "commands that do not reach the firmware",
	  .operations = ON_ANYTHING,
	  .errnums = { EIO, ETIMEDOUT, ENXIO, ECANCELED },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_RARE,
	  .look = look_at_commands,
	  .what = "mlx5_core could not send a command to the firmware, or got no answer: the "
		  "device is in an error state (\"internal error\"), is being reset, or hangs.",
	  .recognise = "The kernel's log has lines of mlx5_core about health, timeouts or "
		       "\"internal error\".",
	  .remedy = "look at dmesg and devlink health; wait for the recovery, or reset the device",
	  .sources = CMD_C "cmd_exec(), mlx5_cmd_is_down()" },
	{ .id = "MR-FW-INTERNAL",
	  .driver = "mlx5",
	  .subject = "error inside the firmware",
	  .operations = ON_ANYTHING,
	  .errnums = { EIO },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_RARE,
	  .look = look_at_internal_errors,
	  .what = "The firmware of an mlx5 device refuses by INT_ERR, BAD_SYS_STATE_ERR or a wrong "
		  "length of the command: an error of its own, or of the driver.",
	  .recognise = RECOGNISE,
	  .remedy = "update firmware and driver to versions that belong together, or reset the "
		    "device; NVIDIA's support reads the syndrome",
	  .sources = CMD_C "cmd_status_to_err()" },
	{ .id = "MR-FW-REFUSED",
	  .driver = "mlx5",
	  .subject = "parameter or object that the firmware refuses",
	  .operations = ON_ANYTHING,
	  .errnums = { EINVAL },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_RARE,
	  .look = look_at_parameters,
	  .what = "The firmware of an mlx5 device refuses a command that the kernel has found to "
		  "be right: BAD_PARAM_ERR, BAD_RES_ERR, IX_ERR and others.",
	  .recognise = RECOGNISE,
	  .remedy =
		  "try other access flags and page sizes (mrctl --why try); NVIDIA's support reads "
		  "the syndrome",
	  .sources = CMD_C "cmd_status_to_err()" },
	{ .id = "MR-FW-RELAXED-ONLY",
	  .driver = "mlx5",
	  .subject = "firmware that takes keys only with relaxed ordering",
	  .operations = MR_ON(REG) | MR_ON_DMABUFS | MR_ON(REREG),
	  .errnums = { EINVAL, EIO },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_RARE,
	  .look = look_at_relaxed_only,
	  .what = "Some firmware refuses keys without relaxed ordering "
		  "(mkc_order_write_after_write_ro_only).",
	  .recognise = "The same registration with relaxed-ordering succeeds.",
	  .remedy = "add relaxed-ordering to the access",
	  .sources = "openucx/ucx#11649" },
	{ .id = "MR-FW-PAGES",
	  .driver = "mlx5",
	  .subject = "memory of the firmware",
	  .operations = ON_OBJECTS,
	  .errnums = { ENOMEM, EAGAIN },
	  .layer = MR_LAYER_FIRMWARE,
	  .frequency = MR_OCCASIONAL,
	  .look = look_at_pages,
	  .what = "The firmware keeps its tables in pages of the host (ICM).  Each region takes "
		  "some on each device; those of a virtual function count for the host.",
	  .recognise = "/sys/class/infiniband/DEVICE/fw_pages grows with each region, up to the "
		       "refusal.",
	  .remedy = "register on fewer devices, or fewer and larger regions; with UCX set "
		    "UCX_IB_PCI_RELAXED_ORDERING=auto",
	  .sources = "drivers/net/ethernet/mellanox/mlx5/core/pagealloc.c; openucx/ucx#7861; "
		     "ai-dynamo/nixl#1012" },
	{ .id = NULL },
};
