/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares memory as the simulated kernel sees it: pinning, dma-bufs and device memory. */
#ifndef LIB_SIM_MEMORY_MEMORY_H
#define LIB_SIM_MEMORY_MEMORY_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/sim/state/state.h"
#include "lib/simulator/spec.h"

/**
 * sim_umem_pin() - charge and fault in the pages that ib_umem_get() would pin; no table may be locked
 * @kernel: whose rules hold
 * @addr:   of the memory
 * @length: bytes
 * @access: enum ib_uverbs_access_flags
 * @pages:  set to the number of pages charged
 *
 * The memory is checked as in the kernel, but not really pinned.
 *
 * Return: 0, -EINVAL, -EPERM, -ENOMEM, -EFAULT.
 */
int sim_umem_pin(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t access,
		 uint32_t *pages);

/** sim_access_writable() - ib_access_writable(): whether access flags need memory that can be written */
bool sim_access_writable(uint32_t access);

/** sim_umem_check_odp() - check memory as ib_umem_odp_get(): 0, -EOVERFLOW, -EINVAL; nothing is pinned */
int sim_umem_check_odp(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t access);

/** sim_umem_touch() - fault pages in, as a page fault of the device: 0, -EFAULT, -EPERM, -ENOMEM */
int sim_umem_touch(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, bool writable);

/** sim_umem_is_huge() - whether all of the memory is in huge pages; false if the kernel does not report it */
bool sim_umem_is_huge(uint64_t addr, uint64_t length);

/** The object of the device from whose pages a dma-buf was exported: a DM or a UAR. */
struct sim_export {
	uint64_t table; /**< id of the header of its table; 0: the dma-buf is of other memory */
	uint64_t id;    /**< its iova */
};

/** Facts about a dma-buf that its registration needs. */
struct sim_dmabuf {
	bool scattered; /**< its pages are not contiguous */
	struct sim_export export;
};

/** sim_dmabuf_export() - make a dma-buf of pages of the device, @size bytes: its descriptor, or -errno */
int sim_dmabuf_export(const struct sim_export *export, uint64_t size);

/**
 * sim_dmabuf_get() - check a dma-buf as ib_umem_dmabuf_get() does
 * @offset: bytes from its start
 * @length: bytes
 * @dmabuf: set
 *
 * Return: 0, -EBADF, or -EINVAL for what is no dma-buf and for a range that is not in it.
 */
int sim_dmabuf_get(int fd, uint64_t offset, uint64_t length, struct sim_dmabuf *dmabuf);

/**
 * sim_dmabuf_node_open() - open a device node that makes dma-bufs
 * @path:  may be NULL
 * @flags: of open(2), of which O_CLOEXEC counts
 * @fd:    set to the descriptor or -errno
 *
 * Return: false for any other path, and where the environment asks for no simulated device.
 */
bool sim_dmabuf_node_open(const char *path, int flags, int *fd);

/**
 * sim_dmabuf_node_ioctl() - serve an ioctl of such a node
 * @answer: set to what ioctl() returns, or to -errno
 *
 * Return: false for any other descriptor or request.
 */
bool sim_dmabuf_node_ioctl(int fd, unsigned long request, void *arg, int *answer);

/** Bytes that can be allocated at once. */
#define SIM_DM_MAX (128u << 10)

/** log2 of the page size of the HCA, which does not depend on that of the machine. */
#define SIM_DM_PAGE_SHIFT 12

/**
 * sim_dm_allocate() - find free pages, and have the table's file hold them
 * @length:    bytes
 * @alignment: log2 of bytes
 * @first:     set to the first page
 *
 * Return: 0, -EINVAL for a length or alignment that no device has, or -ENOMEM.
 */
int sim_dm_allocate(const struct sim_table *table, uint64_t length, uint32_t alignment,
		    uint64_t *first);

/** sim_dm_file_offset() - bytes from the start of the table's file to a page */
off_t sim_dm_file_offset(uint64_t page);

/**
 * sim_dm_find() - find the DM that begins with a page
 * @size: set to the bytes of its pages
 *
 * Return: the DM, or NULL.
 */
const struct sim_object *sim_dm_find(const struct sim_table *table, uint64_t page, uint64_t *size);

/**
 * sim_export_pages() - find the pages that an MR of an exported dma-buf keeps from being allocated
 * @pages: set as exported_pages of struct sim_object; to 0 if they are not of a DM of this context
 *
 * Return: 0, or -ENODEV if the object is gone that the dma-buf was exported from.
 */
int sim_export_pages(const struct sim_table *table, const struct sim_export *export,
		     uint32_t *pages);

/** sim_export_is_revoked() - whether an MR is of a dma-buf whose DM is gone */
bool sim_export_is_revoked(const struct sim_table *table, const struct sim_object *mr);

#endif
