/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares the memory that is registered: its kinds, its mapping, and dma-bufs. */
#ifndef LIB_MEMORY_MEMORY_H
#define LIB_MEMORY_MEMORY_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/base.h"
#include "lib/host/host.h"

/** A file that was created, known by device and inode.  All zeros: none. */
struct mr_unfinished {
	const char *path; /**< or NULL */
	dev_t device;
	ino_t inode;
};

/**
 * mr_file_open_memfd() - make a memfd
 * @length: bytes
 * @flags:  of memfd_create(2), beside MFD_CLOEXEC
 *
 * Return: a descriptor, or -errno with MR_ERROR_HOST.
 */
int mr_file_open_memfd(uint64_t length, unsigned int flags, struct mr_error *err);

/** The dma-bufs behind a region: descriptors of memory that one driver shares with others. */
struct mr_cuda;

/** A closed descriptor.  It is not -1, because libmlx5 refuses -1 without asking the kernel. */
#define MR_DMABUF_CLOSED INT_MIN

enum mr_dmabuf_type {
	MR_DMABUF_FD,      /**< an inherited descriptor */
	MR_DMABUF_UDMABUF, /**< made of a memfd by /dev/udmabuf */
	MR_DMABUF_HEAP,    /**< made by /dev/dma_heap/NAME */
	MR_DMABUF_CUDA,    /**< made of a GPU's memory by the CUDA driver */
	MR_DMABUF_DM,      /**< made of memory on the RDMA device: see mr_dm_export() */
	MR_DMABUF_TYPES,   /**< how many there are */
};

/** A source of a dma-buf as the user names it: "fd:N", "udmabuf", "heap:NAME", "cuda:N". */
struct mr_dmabuf_source {
	enum mr_dmabuf_type type;
	const char *text; /**< as typed */
	const char *name; /**< of HEAP, else NULL */
	int number; /**< of FD: the descriptor, negative ones too, or MR_DMABUF_CLOSED; of CUDA: the device */
};

/** All sources, for help texts; the last one has no name. */
extern const struct mr_word mr_dmabuf_sources[MR_DMABUF_TYPES + 1];

/**
 * mr_dmabuf_source_parse() - read a SOURCE; @text must outlive @source
 *
 * A descriptor that is closed becomes MR_DMABUF_CLOSED.  Its number may be given to a file that mrctl
 * opens later, and the stack would then be asked to register that file.
 *
 * Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE.
 */
int mr_dmabuf_source_parse(const char *text, struct mr_dmabuf_source *source, struct mr_error *err);

/** mr_gpu_parse() - read the number of a GPU.  Return: 0, or -EINVAL/-ERANGE with MR_ERROR_USAGE. */
int mr_gpu_parse(const char *text, int *gpu, struct mr_error *err);

/** mr_dmabuf_source_size() - bytes of the dma-buf where @source is an FD; 0 where they are not known */
uint64_t mr_dmabuf_source_size(const struct mr_dmabuf_source *source);

/** A dma-buf that is wanted. */
struct mr_dmabuf_request {
	struct mr_dmabuf_source source;
	uint64_t size;    /**< bytes to make, rounded up to whole pages, at least one; not of FD */
	bool data_direct; /**< of CUDA: export it for PCIe, as Data Direct needs it */
};

/** An open dma-buf.  All zeros: none. */
struct mr_dmabuf {
	int fd;
	int memfd;            /**< of UDMABUF: the memory, or -1 */
	bool owned;           /**< mr_dmabuf_close() closes it; false for an inherited descriptor */
	uint64_t page_size;   /**< bytes of its pages, 0 where they are not known */
	struct mr_cuda *cuda; /**< of CUDA, or NULL */
};

/**
 * mr_dmabuf_open() - make the dma-buf, or take the inherited descriptor
 * @dmabuf: set on success; mr_dmabuf_close() it
 *
 * Whether an inherited descriptor is a dma-buf is not checked: the stack refuses another one.
 *
 * Return: 0, or -errno of the call that failed, with MR_ERROR_HOST.
 */
int mr_dmabuf_open(const struct mr_dmabuf_request *request, struct mr_dmabuf *dmabuf,
		   struct mr_error *err);

/**
 * mr_dmabuf_close() - close a dma-buf; nothing to do for one that is all zeros
 *
 * A region that is registered on it keeps the dma-buf alive; but memory of a GPU is freed all the same.
 */
void mr_dmabuf_close(struct mr_dmabuf *dmabuf);

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

/** The kinds.  A new one needs a row in mr_memory_kinds, and what mapping.c has of it. */
enum mr_memory_type {
	MR_MEMORY_ANON,
	MR_MEMORY_THP,
	MR_MEMORY_MEMFD,
	MR_MEMORY_HUGETLB,
	MR_MEMORY_FILE,
	MR_MEMORY_FILE_PRIVATE,
	MR_MEMORY_NONE,
	MR_MEMORY_READONLY,
	MR_MEMORY_UNMAPPED,
	MR_MEMORY_HOLE,
	MR_MEMORY_DEVICE,
	MR_MEMORY_CUDA,    /**< of a GPU, by the CUDA driver: this process cannot read it */
	MR_MEMORY_DM,      /**< memory on the RDMA device: nothing is mapped */
	MR_MEMORY_NULL_MR, /**< the null MR, which has no memory: nothing is mapped */
	MR_MEMORY_TYPES,   /**< how many there are */
};

/** A kind of memory as the user names it: "anon", "hugetlb:2M", "file:PATH". */
struct mr_memory_kind {
	enum mr_memory_type type;
	const char *text;          /**< as typed */
	const char *path;          /**< of FILE, FILE_PRIVATE and DEVICE, else NULL */
	uint64_t huge_size;        /**< of HUGETLB: bytes of a page, 0 for the system's default */
	int gpu;                   /**< of CUDA: the number of the GPU */
	struct mr_opt_u64 dm_size; /**< of DM: bytes to allocate; not known: as regions need */
};

/** All kinds, with their help, by enum mr_memory_type; the last one has no name. */
extern const struct mr_word mr_memory_kinds[MR_MEMORY_TYPES + 1];

/**
 * mr_memory_kind_parse() - read a KIND; @text must outlive @kind
 * Return: 0, or -EINVAL with MR_ERROR_USAGE.
 */
int mr_memory_kind_parse(const char *text, struct mr_memory_kind *kind, struct mr_error *err);

/** Memory that is wanted. */
struct mr_memory_request {
	struct mr_memory_kind kind;
	uint64_t length;        /**< bytes of the range to be registered */
	uint64_t offset;        /**< bytes from the start of the mapping to that range */
	struct mr_opt_u64 addr; /**< map it at this address, or fail */
	struct mr_opt_u64 node; /**< NUMA node of the pages */
	bool populate;          /**< fault the pages in now */
};

/** Mapped memory. */
struct mr_memory {
	uint64_t start;               /**< address of the range: the mapping's, plus the offset */
	uint64_t page_size;           /**< bytes of the pages behind it, base or huge ones */
	struct mr_cuda *cuda;         /**< of CUDA, or NULL */
	void *map;                    /**< the mapping, or NULL */
	uint64_t map_length;          /**< bytes */
	struct mr_unfinished created; /**< a file that was created for it, until it is kept */
};

/**
 * mr_memory_map() - map memory
 * @request: what is wanted
 * @memory:  set on success; mr_memory_unmap() it
 *
 * Nothing reserves the gap of the kinds unmapped and hole: a later mapping of this process may be put
 * there.  So a caller allocates what it needs for the registration before this call.
 *
 * Return: 0, or -errno of the call that failed, with MR_ERROR_HOST.
 */
int mr_memory_map(const struct mr_memory_request *request, struct mr_memory *memory,
		  struct mr_error *err);

/** mr_memory_shortage() - what mmap(2) is asked for, to find out which limit is too small where it fails */
void mr_memory_shortage(const struct mr_memory_request *request, struct mr_shortage *shortage);

/** mr_memory_keep_file() - keep a file that was created for the memory, because a region is on it now */
void mr_memory_keep_file(struct mr_memory *memory);

/**
 * mr_memory_unmap() - unmap the memory, whose regions are deregistered
 *
 * A file that was created for it is removed, unless it is kept.
 */
void mr_memory_unmap(struct mr_memory *memory);

#endif
