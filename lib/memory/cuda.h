/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory of a GPU, which can be a dma-buf.  The CUDA driver makes it; its library is loaded at run time. */
#ifndef LIB_MEMORY_CUDA_H
#define LIB_MEMORY_CUDA_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/base.h"

/** Memory of a GPU, in its primary context. */
struct mr_cuda;

/**
 * mr_cuda_open() - allocate memory of a GPU and export it
 * @number: the GPU's ordinal (cuDeviceGet)
 * @size:   bytes, of a dma-buf a multiple of the page size; more may be allocated
 * @pcie:   map it for access by PCIe alone (CU_MEM_RANGE_FLAG_DMA_BUF_MAPPING_TYPE_PCIE)
 * @cuda:   set on success; mr_cuda_close() it
 * @fd:     set to the dma-buf's descriptor; NULL: it is not exported
 *
 * Return: 0, or -errno with MR_ERROR_HOST.  The message names the call that failed and its CUresult, the
 * hint the calls before it.  The errno is the one that comes nearest to the CUresult.
 */
int mr_cuda_open(int number, uint64_t size, bool pcie, struct mr_cuda **cuda, int *fd,
		 struct mr_error *err);

/** mr_cuda_address() - the memory's address in this process, which cannot read there */
uint64_t mr_cuda_address(const struct mr_cuda *cuda);

/** mr_cuda_steps() - the calls of mr_cuda_open(), each with its CUresult, as one line */
const char *mr_cuda_steps(const struct mr_cuda *cuda);

/** mr_cuda_close() - free the memory, even while the dma-buf is in use; @cuda may be NULL */
void mr_cuda_close(struct mr_cuda *cuda);

#endif
