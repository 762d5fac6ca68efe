/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Constants of the uverbs ABI that the headers of rdma-core 44 lack. */
#ifndef LIB_SIM_BASE_ABI_H
#define LIB_SIM_BASE_ABI_H

_Static_assert(sizeof(void *) == 8, "the simulated HCA needs a 64-bit machine");

/* enum ib_uverbs_access_flags */
#define SIM_ACCESS_FLUSH_GLOBAL     (1u << 8)
#define SIM_ACCESS_FLUSH_PERSISTENT (1u << 9)

/* enum uverbs_methods_mr: UVERBS_METHOD_REG_MR and its UVERBS_ATTR_REG_MR_... */
#define SIM_METHOD_REG_MR            5
#define SIM_ATTR_REG_MR_HANDLE       0
#define SIM_ATTR_REG_MR_PD_HANDLE    1
#define SIM_ATTR_REG_MR_DMA_HANDLE   2
#define SIM_ATTR_REG_MR_IOVA         3
#define SIM_ATTR_REG_MR_ADDR         4
#define SIM_ATTR_REG_MR_LENGTH       5
#define SIM_ATTR_REG_MR_ACCESS_FLAGS 6
#define SIM_ATTR_REG_MR_FD           7
#define SIM_ATTR_REG_MR_FD_OFFSET    8
#define SIM_ATTR_REG_MR_RESP_LKEY    9
#define SIM_ATTR_REG_MR_RESP_RKEY    10

/* UVERBS_OBJECT_DMAH, UVERBS_METHOD_DMAH_..., and their UVERBS_ATTR_... */
#define SIM_OBJECT_DMAH            17
#define SIM_METHOD_DMAH_ALLOC      0
#define SIM_METHOD_DMAH_FREE       1
#define SIM_ATTR_ALLOC_DMAH_HANDLE 0
#define SIM_ATTR_ALLOC_DMAH_CPU_ID 1
#define SIM_ATTR_ALLOC_DMAH_MEMORY 2
#define SIM_ATTR_ALLOC_DMAH_PH     3
#define SIM_ATTR_FREE_DMAH_HANDLE  0
#define SIM_DMAH_MEMORIES          2 /* enum tph_mem_type */

/* UVERBS_OBJECT_DMABUF, UVERBS_METHOD_DMABUF_ALLOC and its UVERBS_ATTR_ALLOC_DMABUF_... */
#define SIM_OBJECT_DMABUF       18
#define SIM_METHOD_DMABUF_ALLOC 0
#define SIM_ATTR_EXPORT_FD      0
#define SIM_ATTR_EXPORT_OFFSET  1

/* MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, MLX5_IB_UAPI_REG_DMABUF_ACCESS_DATA_DIRECT */
#define SIM_ATTR_REG_DMABUF_MR_DRIVER_FLAGS 0x1000
#define SIM_DRIVER_DATA_DIRECT              1u

/* MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH, MLX5_IB_ATTR_GET_DATA_DIRECT_SYSFS_PATH */
#define SIM_METHOD_DATA_DIRECT_PATH 0x1001
#define SIM_ATTR_DATA_DIRECT_PATH   0x1000

#endif
