// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <stddef.h>

#include "lib/host/mlx5_status.h"

static const struct mr_mlx5_status statuses[] = {
	{ 0x00, "OK", 0, "done" },
	{ 0x01, "INT_ERR", EIO, "an error inside the firmware" },
	{ 0x02, "BAD_OP_ERR", EINVAL, "the firmware does not know the command" },
	{ 0x03, "BAD_PARAM_ERR", EINVAL, "a parameter of the command is wrong" },
	{ 0x04, "BAD_SYS_STATE_ERR", EIO, "the device is in a state in which it cannot do that" },
	{ 0x05, "BAD_RES_ERR", EINVAL, "an object that the command names does not exist" },
	{ 0x06, "RES_BUSY", EBUSY, "an object that the command names is in use" },
	{ 0x07, "NOT_READY", EAGAIN, "the firmware is not ready yet" },
	{ 0x08, "LIM_ERR", ENOMEM, "a limit of the device is exceeded" },
	{ 0x09, "BAD_RES_STATE_ERR", EINVAL,
	  "an object that the command names is in the wrong state" },
	{ 0x0a, "IX_ERR", EINVAL, "an index is out of range" },
	{ 0x0f, "NO_RES_ERR", EAGAIN, "the device has no such object left" },
	{ 0x10, "BAD_QP_STATE_ERR", EINVAL, "the queue pair is in the wrong state" },
	{ 0x30, "BAD_PKT_ERR", EINVAL, "a bad packet, which was dropped" },
	{ 0x40, "BAD_SIZE_OUTS_CQES_ERR", EINVAL, "too many completions are outstanding" },
	{ 0x50, "BAD_INP_LEN_ERR", EIO, "the command has a wrong length" },
	{ 0x51, "BAD_OUTP_LEN_ERR", EIO, "the answer has no room" },
};

const struct mr_mlx5_status *mr_mlx5_status(uint64_t status)
{
	for (size_t i = 0; i < sizeof(statuses) / sizeof(*statuses); i++)
		if (statuses[i].status == status)
			return &statuses[i];
	return NULL;
}

const char *mr_mlx5_status_name(uint64_t status)
{
	const struct mr_mlx5_status *row = mr_mlx5_status(status);

	return row ? row->name : NULL;
}
