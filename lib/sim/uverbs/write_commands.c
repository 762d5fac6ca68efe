// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Commands of the older ABI, which used write().  libibverbs passes them to the ioctl method INVOKE_WRITE,
 * to register memory among others (uverbs_std_types_device.c, uverbs_cmd.c).
 */
#include <errno.h>
#include <stddef.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>

#include "lib/sim/handlers/device.h"
#include "lib/sim/handlers/mr_write_commands.h"
#include "lib/sim/handlers/mw.h"
#include "lib/sim/handlers/pd.h"
#include "lib/sim/handlers/rereg.h"
#include "lib/sim/uverbs/write_commands.h"

/*
 * UAPI_DEF_WRITE_*(): the commands, with the least bytes of request and response.  Those of extended
 * commands are 0: they may be shorter than their structures.
 */
static const struct command {
	uint32_t number;
	uint16_t request;
	uint16_t response;
	enum mr_sim_call call; /* its name for faults */

	/* Carries the command out: 0, or -errno. */
	int (*run)(struct sim_call *call);

	/* UAPI_DEF_METHOD_NEEDS_FN(): whether the driver has the function for it; NULL: all drivers have. */
	bool (*is_supported)(const struct sim_call *call);
} commands[] = {
	{ IB_USER_VERBS_CMD_REG_MR, sizeof(struct ib_uverbs_reg_mr),
	  sizeof(struct ib_uverbs_reg_mr_resp), MR_SIM_REG_MR, sim_write_reg_mr, NULL },
	{ IB_USER_VERBS_CMD_REREG_MR, sizeof(struct ib_uverbs_rereg_mr),
	  sizeof(struct ib_uverbs_rereg_mr_resp), MR_SIM_REREG_MR, sim_write_rereg_mr,
	  sim_rereg_is_supported },
	{ IB_USER_VERBS_CMD_DEREG_MR, sizeof(struct ib_uverbs_dereg_mr), 0, MR_SIM_DEREG_MR,
	  sim_write_dereg_mr, NULL },
	{ IB_USER_VERBS_CMD_ALLOC_PD, sizeof(struct ib_uverbs_alloc_pd),
	  sizeof(struct ib_uverbs_alloc_pd_resp), MR_SIM_ALLOC_PD, sim_write_alloc_pd, NULL },
	{ IB_USER_VERBS_CMD_DEALLOC_PD, sizeof(struct ib_uverbs_dealloc_pd), 0, MR_SIM_DEALLOC_PD,
	  sim_write_dealloc_pd, NULL },
	{ IB_USER_VERBS_CMD_ALLOC_MW, sizeof(struct ib_uverbs_alloc_mw),
	  sizeof(struct ib_uverbs_alloc_mw_resp), MR_SIM_ALLOC_MW, sim_write_alloc_mw, NULL },
	{ IB_USER_VERBS_CMD_DEALLOC_MW, sizeof(struct ib_uverbs_dealloc_mw), 0, MR_SIM_DEALLOC_MW,
	  sim_write_dealloc_mw, NULL },
	{ IB_USER_VERBS_CMD_QUERY_DEVICE, sizeof(struct ib_uverbs_query_device),
	  sizeof(struct ib_uverbs_query_device_resp), MR_SIM_QUERY_DEVICE, sim_write_query_device,
	  NULL },
	{ IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED, 0, 0,
	  MR_SIM_QUERY_DEVICE, sim_write_query_device_ex, NULL },
};

/* uverbs.h uapi_get_method() */
static int find_command(uint64_t number, const struct command **command)
{
	size_t i;

	if (number & ~(uint64_t)(IB_USER_VERBS_CMD_FLAG_EXTENDED | IB_USER_VERBS_CMD_COMMAND_MASK))
		return -EINVAL;
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (commands[i].number == number) {
			*command = &commands[i];
			return 0;
		}
	}
	return -EOPNOTSUPP;
}

/* Whether request and response have at least the bytes that the command needs. */
static bool has_room(const struct command *command, const struct ib_uverbs_attr *in,
		     const struct ib_uverbs_attr *out)
{
	return (in ? in->len : 0) >= command->request && (out ? out->len : 0) >= command->response;
}

int sim_invoke_write(struct sim_call *call)
{
	const struct ib_uverbs_attr *in = sim_attr(call, UVERBS_ATTR_CORE_IN);
	const struct ib_uverbs_attr *out = sim_attr(call, UVERBS_ATTR_CORE_OUT);
	const struct command *command;
	int rc;

	rc = find_command(sim_attr_number(call, UVERBS_ATTR_WRITE_CMD), &command);
	if (rc)
		return rc;
	if (command->is_supported && !command->is_supported(call))
		return -EOPNOTSUPP;
	if (!has_room(command, in, out))
		return -ENOSPC;
	return command->run(call);
}

static const struct ib_uverbs_attr *find_attr(const struct ib_uverbs_ioctl_hdr *hdr, uint16_t id)
{
	size_t i;

	for (i = 0; i < hdr->num_attrs; i++)
		if (hdr->attrs[i].attr_id == id)
			return &hdr->attrs[i];
	return NULL;
}

/*
 * A command that is too short does not count: libibverbs begins with one, to find out whether the kernel has
 * INVOKE_WRITE, and a fault of the first call shall not be used up by it.
 */
enum mr_sim_call sim_invoke_write_call(const struct ib_uverbs_ioctl_hdr *hdr)
{
	const struct ib_uverbs_attr *number = find_attr(hdr, UVERBS_ATTR_WRITE_CMD);
	const struct command *command;

	if (!number || find_command(number->data, &command) ||
	    !has_room(command, find_attr(hdr, UVERBS_ATTR_CORE_IN),
		      find_attr(hdr, UVERBS_ATTR_CORE_OUT)))
		return MR_SIM_CALLS;
	return command->call;
}
