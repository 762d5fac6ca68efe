// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <string.h>

#include "lib/diagnose/causes/refusal.h"

/* A call by its name, and what it does. */
struct operation_row {
	const char *call;
	uint32_t operations;      /* bits of all that it can be */
	enum mr_operation plain;  /* without a request that tells */
	enum mr_operation dmabuf; /* with a request for a dma-buf */
};

#define ONE(call_, operation)                                                                      \
	{                                                                                          \
		(call_), MR_ON(operation), MR_OP_##operation, MR_OP_##operation                    \
	}
#define TWO(call_, plain_, dmabuf_)                                                                \
	{                                                                                          \
		(call_), MR_ON(plain_) | MR_ON(dmabuf_), MR_OP_##plain_, MR_OP_##dmabuf_           \
	}

static const struct operation_row rows[] = {
	ONE("mmap", PREPARE),
	ONE("mbind", PREPARE),
	ONE("madvise", PREPARE),
	ONE("memfd_create", PREPARE),
	ONE("ftruncate", PREPARE),
	ONE("shmget", PREPARE),
	ONE("fallocate", PREPARE),
	ONE("posix_fallocate", PREPARE),
	ONE("open", PREPARE),
	ONE("ioctl(UDMABUF_CREATE)", PREPARE),
	ONE("ioctl(DMA_HEAP_IOCTL_ALLOC)", PREPARE),
	ONE("ibv_get_device_list", FIND),
	ONE("stat", FIND),
	ONE("ibv_open_device", OPEN),
	ONE("mlx5dv_open_device", OPEN),
	ONE("ibv_import_device", IMPORT),
	ONE("ibv_import_pd", IMPORT),
	ONE("ibv_import_mr", IMPORT),
	ONE("mlx5dv_devx_umem_import", IMPORT),
	ONE("ibv_alloc_pd", ALLOC_PD),
	ONE("ioctl(ALLOC_PD)", ALLOC_PD),
	ONE("ibv_alloc_dm", ALLOC_DM),
	ONE("ioctl(DM_ALLOC)", ALLOC_DM),
	ONE("ibv_alloc_dmah", ALLOC_DMAH),
	ONE("ioctl(DMAH_ALLOC)", ALLOC_DMAH),
	ONE("ibv_dm_export_dmabuf_fd", EXPORT),
	ONE("mlx5dv_devx_umem_export", EXPORT),
	ONE("ibv_reg_mr", REG),
	ONE("ibv_reg_mr_iova", REG),
	ONE("ibv_reg_mr_iova2", REG),
	TWO("ibv_reg_mr_ex", REG, REG_DMABUF),
	ONE("mr_reg_mr_relaxed", REG),
	ONE("ioctl(REG_MR)", REG),
	ONE("ibv_reg_dmabuf_mr", REG_DMABUF),
	ONE("mlx5dv_reg_dmabuf_mr", REG_DMABUF),
	ONE("ioctl(REG_DMABUF_MR)", REG_DMABUF),
	ONE("ibv_reg_dm_mr", REG_DM),
	ONE("ioctl(DM_MR_REG)", REG_DM),
	ONE("ibv_alloc_null_mr", NULL_MR),
	ONE("mlx5dv_devx_umem_reg", UMEM),
	TWO("mlx5dv_devx_umem_reg_ex", UMEM, UMEM_DMABUF),
	TWO("ioctl(DEVX_UMEM_REG)", UMEM, UMEM_DMABUF),
	ONE("ibv_rereg_mr", REREG),
	ONE("ioctl(REREG_MR)", REREG),
	ONE("ibv_advise_mr", ADVISE),
	ONE("ioctl(ADVISE_MR)", ADVISE),
	ONE("ibv_dereg_mr", DEREG),
	ONE("mr_dereg_mr_relaxed", DEREG),
	ONE("ioctl(MR_DESTROY)", DEREG),
	ONE("mlx5dv_devx_umem_dereg", DEREG),
	ONE("ioctl(DEVX_UMEM_DEREG)", DEREG),
	ONE("ibv_dealloc_pd", FREE),
	ONE("ioctl(PD_DESTROY)", FREE),
	ONE("ibv_free_dm", FREE),
	ONE("ioctl(DM_FREE)", FREE),
	ONE("ibv_dealloc_dmah", FREE),
	ONE("ioctl(DMAH_FREE)", FREE),
	ONE("ibv_create_cq", QUEUE),
	ONE("ibv_create_cq_ex", QUEUE),
	ONE("ibv_create_qp", QUEUE),
	ONE("ibv_create_qp_ex", QUEUE),
	ONE("ibv_create_srq", QUEUE),
	ONE("ibv_create_srq_ex", QUEUE),
	ONE("mlx5dv_create_cq", QUEUE),
	ONE("mlx5dv_create_qp", QUEUE),
	ONE("rdma_create_qp", QUEUE),
	ONE("rdma_create_srq", QUEUE),
	ONE("ioctl(QUERY_MR)", QUERY),
	ONE("ioctl(INFO_HANDLES)", QUERY),
	ONE("ioctl(QUERY_CONTEXT)", QUERY),
	ONE("ibv_query_device_ex", QUERY),
};

static const struct operation_row *find_row(const char *call)
{
	for (size_t i = 0; call && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].call, call))
			return &rows[i];
	return NULL;
}

enum mr_operation mr_operation_of(const struct mr_refusal *refusal)
{
	const struct operation_row *row = find_row(refusal->call);

	if (!row)
		return MR_OP_OTHER;
	return refusal->request && mr_region_is_dmabuf(refusal->request->call) ? row->dmabuf
									       : row->plain;
}

const char *mr_call_name(size_t index)
{
	return index < sizeof(rows) / sizeof(*rows) ? rows[index].call : NULL;
}

const char *mr_operation_name(enum mr_operation operation)
{
	const char *other = NULL;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].plain == operation)
			return rows[i].call;
		if (rows[i].dmabuf == operation && !other)
			other = rows[i].call;
	}
	return other;
}

uint32_t mr_operations_of_name(const char *call)
{
	const struct operation_row *row = find_row(call);

	return row ? row->operations : 0;
}
