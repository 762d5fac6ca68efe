/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the profiles of simulated devices. */
#ifndef LIB_SIM_DEVICES_DEVICES_H
#define LIB_SIM_DEVICES_DEVICES_H

#include "lib/sim/call/call.h"

extern const struct sim_profile sim_mlx5_profile;

/** Methods of the ioctl that only one driver has. */
sim_handler sim_mlx5_query_pd, sim_mlx5_devx_other, sim_mlx5_data_direct_path, sim_mlx5_alloc_uar,
	sim_mlx5_export_dmabuf;

/** Functions of struct sim_profile: devices/mlx5_queues.c. */
int sim_mlx5_create_queue(struct sim_call *call, struct sim_queue_request *request);
int sim_mlx5_answer_queue(const struct sim_call *call, const struct sim_queue_request *request);
int sim_mlx5_check_qp(const struct sim_call *call, const struct ib_uverbs_modify_qp *cmd,
		      uint8_t from, uint8_t to);
int sim_mlx5_modify_srq(const struct sim_call *call, struct sim_srq *srq,
			const struct ib_uverbs_modify_srq *cmd);

/** sim_profile_of() - the profile of a kind of device, or NULL for MR_SIM_PROFILES */
const struct sim_profile *sim_profile_of(enum mr_sim_profile kind);

#endif
