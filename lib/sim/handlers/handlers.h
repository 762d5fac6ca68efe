/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the handlers of methods and commands. */
#ifndef LIB_SIM_HANDLERS_HANDLERS_H
#define LIB_SIM_HANDLERS_HANDLERS_H

#include "lib/sim/call/call.h"

/** Methods of the ioctl. */
sim_handler sim_get_context, sim_query_context, sim_info_handles, sim_query_port,
	sim_query_gid_table, sim_query_gid_entry, sim_reg_mr, sim_reg_dmabuf_mr, sim_reg_dm_mr,
	sim_query_mr, sim_advise_mr, sim_create_cq, sim_destroy_cq, sim_create_srq, sim_destroy_srq,
	sim_create_qp, sim_destroy_qp, sim_mlx5_umem_reg, sim_mlx5_alloc_dm, sim_mlx5_query_dm,
	sim_mlx5_alloc_dmah;

/** Write commands. */
sim_handler sim_write_query_device, sim_write_query_device_ex, sim_write_alloc_pd,
	sim_write_alloc_mw, sim_write_reg_mr, sim_write_rereg_mr, sim_write_create_comp_channel,
	sim_write_req_notify_cq, sim_write_modify_srq, sim_write_query_srq, sim_write_modify_qp,
	sim_write_ex_modify_qp, sim_write_query_qp, sim_write_create_ah;

/** sim_rereg_is_supported() - whether the driver of the simulated kernel has a rereg_user_mr */
bool sim_rereg_is_supported(const struct sim_call *call);

/** sim_notify_is_supported() - whether programs have the kernel arm CQs */
bool sim_notify_is_supported(const struct sim_call *call);

/** sim_has_port() - rdma_is_port_valid() */
bool sim_has_port(const struct sim_profile *profile, uint64_t port);

#endif
