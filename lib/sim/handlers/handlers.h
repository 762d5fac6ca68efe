/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the handlers of methods and commands. */
#ifndef LIB_SIM_HANDLERS_HANDLERS_H
#define LIB_SIM_HANDLERS_HANDLERS_H

#include <stdbool.h>

#include "lib/sim/call/call.h"

/* Methods of the ioctl: as handle() of struct sim_method. */
int sim_reg_dmabuf_mr(struct sim_call *call);
int sim_reg_mr(struct sim_call *call);
int sim_query_mr(struct sim_call *call);

/* Write commands: as run() in uverbs/write_commands.c. */
int sim_write_reg_mr(struct sim_call *call);

/** sim_rereg_is_supported() - whether the driver of the simulated kernel has a rereg_user_mr */
bool sim_rereg_is_supported(const struct sim_call *call);

/** sim_write_rereg_mr() - the write command REREG_MR: as run() in uverbs/write_commands.c */
int sim_write_rereg_mr(struct sim_call *call);

/** sim_advise_mr() - the ioctl method ADVISE_MR: as handle() of struct sim_method */
int sim_advise_mr(struct sim_call *call);

/* Methods of the ioctl: as handle() of struct sim_method. */
int sim_mlx5_create_cq(struct sim_call *call);
int sim_mlx5_destroy_cq(struct sim_call *call);

/** sim_mlx5_umem_reg() - the ioctl method DEVX_UMEM_REG: as handle() of struct sim_method */
int sim_mlx5_umem_reg(struct sim_call *call);

/* Methods of the ioctl: as handle() of struct sim_method. */
int sim_mlx5_alloc_dm(struct sim_call *call);
int sim_mlx5_query_dm(struct sim_call *call);
int sim_reg_dm_mr(struct sim_call *call);

/** sim_mlx5_alloc_dmah() - UVERBS_METHOD_DMAH_ALLOC, of mlx5: 0 or -errno */
int sim_mlx5_alloc_dmah(struct sim_call *call);

/* Write commands: as run() in uverbs/write_commands.c. */
int sim_write_alloc_mw(struct sim_call *call);

/* Write commands: as run() in uverbs/write_commands.c. */
int sim_write_alloc_pd(struct sim_call *call);

/* Methods of the ioctl: as handle() of struct sim_method. */
int sim_get_context(struct sim_call *call);
int sim_query_context(struct sim_call *call);
int sim_info_handles(struct sim_call *call);
int sim_query_port(struct sim_call *call);
int sim_query_gid_table(struct sim_call *call);
int sim_query_gid_entry(struct sim_call *call);

/* Write commands: as run() in uverbs/write_commands.c. */
int sim_write_query_device(struct sim_call *call);
int sim_write_query_device_ex(struct sim_call *call);

#endif
