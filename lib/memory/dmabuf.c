// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/memory/cuda.h"
#include "lib/memory/dmabuf.h"
#include "lib/memory/file.h"

#define UDMABUF_NODE "/dev/udmabuf"
#define HEAPS        "/dev/dma_heap"

const struct mr_word mr_dmabuf_sources[MR_DMABUF_TYPES + 1] = {
	[MR_DMABUF_FD] = MR_WORD("fd:N", "descriptor N, which the command inherits"),
	[MR_DMABUF_UDMABUF] =
		MR_WORD("udmabuf", "a memfd that " UDMABUF_NODE " makes a dma-buf of"),
	[MR_DMABUF_HEAP] = MR_WORD("heap:NAME", "made by the dma-heap " HEAPS "/NAME"),
	[MR_DMABUF_CUDA] = MR_WORD("cuda:N", "memory of GPU N, by the CUDA driver"),
	[MR_DMABUF_DM] = MR_WORD("dm", "memory on the RDMA device (ibv_dm_export_dmabuf_fd)"),
	[MR_DMABUF_TYPES] = { .name = NULL },
};

static int parse_gpu(const char *text, struct mr_dmabuf_source *source, struct mr_error *err)
{
	uint64_t number;
	int rc = mr_parse_u64(text, INT_MAX, &number, err);

	if (!rc)
		source->number = (int)number;
	return rc;
}

/* Negative numbers are accepted: programs pass the -1 of a failed export on, and the stack refuses it. */
static int parse_descriptor(const char *text, struct mr_dmabuf_source *source, struct mr_error *err)
{
	const bool negative = *text == '-';
	uint64_t number;
	int rc = mr_parse_u64(text + negative, (uint64_t)INT_MAX + negative, &number, err);

	if (rc)
		return rc;
	source->number = (int)(negative ? -(int64_t)number : (int64_t)number);
	if (source->number >= 0 && fcntl(source->number, F_GETFD) < 0)
		source->number = MR_DMABUF_CLOSED;
	return 0;
}

int mr_dmabuf_source_parse(const char *text, struct mr_dmabuf_source *source, struct mr_error *err)
{
	const char *argument;
	int found = mr_word_with_argument(mr_dmabuf_sources, "dma-buf", text, &argument, err);

	if (found < 0)
		return found;
	/* The name of a heap becomes part of a path. */
	if (argument && strchr(argument, '/'))
		return mr_fail_argument(&mr_dmabuf_sources[found], "dma-buf", text, err);
	*source = (struct mr_dmabuf_source){ .type = (enum mr_dmabuf_type)found, .text = text };
	if (!argument)
		return 0;
	if (source->type == MR_DMABUF_FD)
		return parse_descriptor(argument, source, err);
	if (source->type == MR_DMABUF_CUDA)
		return parse_gpu(argument, source, err);
	source->name = argument;
	return 0;
}

uint64_t mr_dmabuf_source_size(const struct mr_dmabuf_source *source)
{
	struct stat st;

	if (source->type != MR_DMABUF_FD || fstat(source->number, &st))
		return 0;
	return (uint64_t)st.st_size; /* the kernel's dma_buf_getfile() sets it */
}

/* ---- udmabuf ---- */

/* UDMABUF_CREATE takes only a memfd that cannot shrink under it: one with F_SEAL_SHRINK. */
static int open_sealed_memfd(uint64_t size, struct mr_error *err)
{
	mr_auto_fd int fd = mr_file_open_memfd(size, MFD_ALLOW_SEALING, err);

	if (fd < 0)
		return fd;
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK))
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_ADD_SEALS)",
			       "cannot seal a memfd");
	return mr_steal_fd(&fd);
}

static int open_udmabuf(uint64_t size, struct mr_dmabuf *dmabuf, struct mr_error *err)
{
	mr_auto_fd int node = open(UDMABUF_NODE, O_RDWR | O_CLOEXEC), memfd = -1;
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = size };

	if (node < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot use " UDMABUF_NODE);
	memfd = open_sealed_memfd(size, err);
	if (memfd < 0)
		return memfd;
	create.memfd = (uint32_t)memfd;
	dmabuf->fd = ioctl(node, UDMABUF_CREATE, &create);
	if (dmabuf->fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "ioctl(UDMABUF_CREATE)",
			       "cannot make a udmabuf of %" PRIu64 " bytes", size);
	dmabuf->memfd = mr_steal_fd(&memfd);
	dmabuf->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	return 0;
}

/* ---- dma-heaps ---- */

static int open_heap(const char *name, uint64_t size, struct mr_dmabuf *dmabuf,
		     struct mr_error *err)
{
	struct dma_heap_allocation_data allocation = { .len = size,
						       .fd_flags = O_RDWR | O_CLOEXEC };
	const uint64_t memory_size =
		(uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
	char path[PATH_MAX];
	mr_auto_fd int heap = -1;

	snprintf(path, sizeof(path), HEAPS "/%s", name);
	heap = open(path, O_RDWR | O_CLOEXEC);
	if (heap < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot use '%.128s'", path);
	/* Linux 7.2 does not check the size: it uses up all memory, and then kills processes. */
	if (size > memory_size)
		return mr_fail_text(err, MR_ERROR_HOST, ENOMEM,
				    "a dma-heap cannot give %" PRIu64
				    " bytes: this machine has %" PRIu64,
				    size, memory_size);
	if (ioctl(heap, DMA_HEAP_IOCTL_ALLOC, &allocation))
		return mr_fail(err, MR_ERROR_HOST, errno, "ioctl(DMA_HEAP_IOCTL_ALLOC)",
			       "cannot make a dma-buf of %" PRIu64 " bytes", size);
	dmabuf->fd = (int)allocation.fd;
	return 0;
}

int mr_dmabuf_open(const struct mr_dmabuf_request *request, struct mr_dmabuf *dmabuf,
		   struct mr_error *err)
{
	const struct mr_dmabuf_source *source = &request->source;
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t size = mr_round_up(request->size ? request->size : 1, page);
	int rc = 0;

	*dmabuf = (struct mr_dmabuf){ .memfd = -1 };
	if (source->type == MR_DMABUF_FD) {
		dmabuf->fd = source->number;
		return 0;
	}
	if (source->type == MR_DMABUF_DM)
		return mr_fail_text(err, MR_ERROR_HOST, EOPNOTSUPP,
				    "of memory on the device one dma-buf is made for each command "
				    "that registers it");
	if (!size) /* it did not fit in 64 bits: the largest size, which the host refuses */
		size = -page;
	if (source->type == MR_DMABUF_UDMABUF)
		rc = open_udmabuf(size, dmabuf, err);
	else if (source->type == MR_DMABUF_HEAP)
		rc = open_heap(source->name, size, dmabuf, err);
	else
		rc = mr_cuda_open(source->number, size, request->data_direct, &dmabuf->cuda,
				  &dmabuf->fd, err);
	dmabuf->owned = !rc;
	return rc;
}

void mr_dmabuf_close(struct mr_dmabuf *dmabuf)
{
	if (dmabuf->owned) {
		close(dmabuf->fd);
		if (dmabuf->memfd >= 0)
			close(dmabuf->memfd);
		mr_cuda_close(dmabuf->cuda);
	}
	dmabuf->owned = false;
}
