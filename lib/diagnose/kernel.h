/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Checks of the group "kernel". */
#ifndef LIB_DIAGNOSE_KERNEL_H
#define LIB_DIAGNOSE_KERNEL_H

#include "lib/diagnose/finding.h"

/** mr_check_kernel() - MR-KERNEL: whether the kernel is new enough for all ways to register */
void mr_check_kernel(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_kernel_config() - MR-KERNEL-CONFIG: options that the kernel was built with */
void mr_check_kernel_config(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_modules() - MR-MODULES: whether the RDMA modules of the hardware are loaded */
void mr_check_modules(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_peer_memory() - MR-PEER-MEMORY: whether memory of a GPU can be registered */
void mr_check_peer_memory(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_udmabuf() - MR-UDMABUF: dma-bufs of ordinary memory, with which dma-buf regions can be tried */
void mr_check_udmabuf(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_dma_heap() - MR-DMA-HEAP: the same from the system heap */
void mr_check_dma_heap(const struct mr_question *question, struct mr_finding *finding);

/** mr_check_fork() - MR-FORK: whether registered memory survives fork(2) */
void mr_check_fork(const struct mr_question *question, struct mr_finding *finding);

#endif
