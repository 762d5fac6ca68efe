// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Completion queues, into which nothing ever completes: the kernel's drivers/infiniband/core/uverbs_std_types_cq.c and
 * hw/mlx5/cq.c mlx5_ib_create_cq().  Their buffers are pinned.  The page of the doorbell, which the queues of a process
 * share, is not charged.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/mlx5-abi.h>

#include "lib/sim/handlers/cq.h"
#include "lib/sim/memory/pin.h"
#include "lib/sim/state/account.h"

#define MAX_CQE ((1U << 22) - 1) /* as sim_mlx5_profile answers */

static uint64_t round_up_power_of_2(uint64_t number)
{
	uint64_t power = 1;

	while (power < number)
		power <<= 1;
	return power;
}

/* create_cq_user(): checks the request, and pins the buffer with the table unlocked. */
static int pin_buffer(struct sim_call *call, uint32_t cqe, uint32_t *pinned)
{
	struct mlx5_ib_create_cq request = { 0 };
	size_t length;
	const void *in = sim_attr_data(call, UVERBS_ATTR_UHW_IN, &length);
	int rc;

	if (length < offsetof(struct mlx5_ib_create_cq, flags) || !in)
		return -EINVAL;
	memcpy(&request, in, length < sizeof(request) ? length : sizeof(request));
	if (request.cqe_size != 64 && request.cqe_size != 128)
		return -EINVAL;
	sim_call_unlock(call);
	rc = sim_umem_pin(call->table->kernel, request.buf_addr,
			  round_up_power_of_2((uint64_t)cqe + 1) * request.cqe_size,
			  IB_UVERBS_ACCESS_LOCAL_WRITE, pinned);
	return sim_call_relock(call, rc, *pinned);
}

int sim_mlx5_create_cq(struct sim_call *call)
{
	const uint32_t cqe = (uint32_t)sim_attr_number(call, UVERBS_ATTR_CREATE_CQ_CQE);
	struct mlx5_ib_create_cq_resp resp = { 0 };
	uint32_t pinned = 0, created;
	struct sim_object *object;
	int rc = cqe && cqe <= MAX_CQE ? pin_buffer(call, cqe, &pinned) : -EINVAL;

	if (rc)
		return rc;
	resp.cqn = call->created + 1;
	created = (uint32_t)round_up_power_of_2((uint64_t)cqe + 1) - 1;
	rc = sim_attr_put(call, UVERBS_ATTR_UHW_OUT, &resp, sizeof(resp));
	if (!rc)
		rc = sim_attr_copy(call, UVERBS_ATTR_CREATE_CQ_RESP_CQE, &created, sizeof(created));
	if (rc) {
		sim_account_cancel(pinned);
		return rc;
	}
	object = &call->table->objects[call->created];
	object->pinned = pinned;
	object->mm = sim_account_commit(call->table, pinned);
	return 0;
}

int sim_mlx5_destroy_cq(struct sim_call *call)
{
	static const struct ib_uverbs_destroy_cq_resp resp;

	return sim_attr_copy(call, UVERBS_ATTR_DESTROY_CQ_RESP, &resp, sizeof(resp));
}
