// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/memory/memory.h"

#define UDMABUF_NODE "/dev/udmabuf"
#define HEAPS        "/dev/dma_heap"

const struct mr_word mr_dmabuf_sources[MR_DMABUF_TYPES + 1] = {
	[MR_DMABUF_FD] = MR_WORD("fd:N", "descriptor N, which the command inherits"),
	[MR_DMABUF_UDMABUF] =
		MR_WORD("udmabuf", "a memfd that " UDMABUF_NODE " makes a dma-buf of"),
	[MR_DMABUF_HEAP] = MR_WORD("heap:NAME", "memory of the dma-heap " HEAPS "/NAME"),
	[MR_DMABUF_CUDA] = MR_WORD("cuda:N", "memory of GPU N, by the CUDA driver"),
	[MR_DMABUF_DM] = MR_WORD("dm", "memory on the RDMA device (ibv_dm_export_dmabuf_fd)"),
	[MR_DMABUF_TYPES] = { .name = NULL },
};

int mr_gpu_parse(const char *text, int *gpu, struct mr_error *err)
{
	uint64_t number;
	int rc = mr_parse_u64(text, INT_MAX, &number, err);

	if (!rc)
		*gpu = (int)number;
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
		return mr_fail_usage(err, "invalid dma-buf '%s': the form is %s", text,
				     mr_dmabuf_sources[found].name);
	*source = (struct mr_dmabuf_source){ .type = (enum mr_dmabuf_type)found, .text = text };
	if (!argument)
		return 0;
	if (source->type == MR_DMABUF_FD)
		return parse_descriptor(argument, source, err);
	if (source->type == MR_DMABUF_CUDA)
		return mr_gpu_parse(argument, &source->number, err);
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

int mr_file_open_memfd(uint64_t length, unsigned int flags, struct mr_error *err)
{
	mr_auto_fd int fd = mr_memfd_create("mrctl", MFD_CLOEXEC | flags);

	if (fd < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "memfd_create", NULL);
	if (ftruncate(fd, (off_t)length))
		return mr_fail(err, MR_ERROR_HOST, errno, "ftruncate",
			       "cannot make a memfd of %" PRIu64 " bytes", length);
	return mr_steal_fd(&fd);
}

static int open_udmabuf(uint64_t size, struct mr_dmabuf *dmabuf, struct mr_error *err)
{
	mr_auto_fd int node = open(UDMABUF_NODE, O_RDWR | O_CLOEXEC), memfd = -1;
	struct udmabuf_create create = { .flags = UDMABUF_FLAGS_CLOEXEC, .size = size };

	if (node < 0)
		return mr_fail(err, MR_ERROR_HOST, errno, "open", "cannot use " UDMABUF_NODE);
	memfd = mr_file_open_memfd(size, MFD_ALLOW_SEALING, err);
	if (memfd < 0)
		return memfd;
	/* UDMABUF_CREATE takes only a memfd that cannot shrink under it. */
	if (fcntl(memfd, F_ADD_SEALS, F_SEAL_SHRINK))
		return mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_ADD_SEALS)",
			       "cannot seal a memfd");
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
				    "memory on the device is exported as a dma-buf for each "
				    "command that registers it");
	if (!size) /* it exceeded 64 bits: use the largest size, which the host refuses */
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

#define LIBRARY "libcuda.so.1"

/* Constants of <cuda.h>, where CUresult is an enum and CUdevice an int. */
enum {
	SUCCESS = 0,
	INVALID_VALUE = 1,
	OUT_OF_MEMORY = 2,
	NO_DEVICE = 100,
	INVALID_DEVICE = 101,
	NOT_SUPPORTED = 801,
	RANGE_HANDLE_TYPE_DMA_BUF_FD = 1,
	RANGE_FLAG_MAPPING_TYPE_PCIE = 1,
};

/* The driver allocates memory in pieces of 64 KiB, on all GPUs, and exports whole ones. */
#define GRANULE (UINT64_C(64) << 10)

struct mr_cuda {
	int device;
	void *context;   /* the device's primary one, or NULL */
	uint64_t memory; /* CUdeviceptr, or 0 */
	char steps[400]; /* the calls that succeeded, each with its CUresult */
	int (*get_error_name)(int result, const char **name);
	int (*init)(unsigned int flags);
	int (*device_get)(int *device, int number);
	int (*context_retain)(void **context, int device);
	int (*context_release)(int device);
	int (*context_set)(void *context);
	int (*mem_alloc)(uint64_t *memory, size_t size);
	int (*mem_free)(uint64_t memory);
	int (*export)(void *handle, uint64_t memory, size_t size, int type,
		      unsigned long long flags);
};

static const struct symbol {
	const char *name;
	size_t offset;
} symbols[] = {
	{ "cuGetErrorName", offsetof(struct mr_cuda, get_error_name) },
	{ "cuInit", offsetof(struct mr_cuda, init) },
	{ "cuDeviceGet", offsetof(struct mr_cuda, device_get) },
	{ "cuDevicePrimaryCtxRetain", offsetof(struct mr_cuda, context_retain) },
	{ "cuDevicePrimaryCtxRelease_v2", offsetof(struct mr_cuda, context_release) },
	{ "cuCtxSetCurrent", offsetof(struct mr_cuda, context_set) },
	{ "cuMemAlloc_v2", offsetof(struct mr_cuda, mem_alloc) },
	{ "cuMemFree_v2", offsetof(struct mr_cuda, mem_free) },
	{ "cuMemGetHandleForAddressRange", offsetof(struct mr_cuda, export) }, /* CUDA 11.7 */
};

static int load_library(struct mr_cuda *cuda, bool exports, struct mr_error *err)
{
	void *library = dlopen(LIBRARY, RTLD_NOW);

	if (!library) {
		mr_fail_text(err, MR_ERROR_HOST, ENODEV, "no CUDA driver: dlopen: %s", dlerror());
		err->call = "dlopen";
		mr_hint(err, LIBRARY " comes with the driver of NVIDIA's GPUs");
		return -ENODEV;
	}
	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		void *found = dlsym(library, symbols[i].name);

		if (!found && !exports && symbols[i].offset == offsetof(struct mr_cuda, export))
			continue;
		if (!found) {
			mr_fail(err, MR_ERROR_HOST, ENOSYS, symbols[i].name,
				"the installed " LIBRARY " lacks the function");
			mr_hint(err, "the function comes with CUDA 11.7 and later");
			return -ENOSYS;
		}
		memcpy((char *)cuda + symbols[i].offset, &found, sizeof(found));
	}
	return 0;
}

static int errno_of(int result)
{
	switch (result) {
	case INVALID_VALUE:
		return EINVAL;
	case OUT_OF_MEMORY:
		return ENOMEM;
	case NO_DEVICE:
	case INVALID_DEVICE:
		return ENODEV;
	case NOT_SUPPORTED:
		return EOPNOTSUPP;
	default:
		return EIO;
	}
}

/* Adds a call that succeeded to the steps.  Return: 0, or -errno with a message where it failed. */
static int record_step(struct mr_cuda *cuda, const char *call, int result, struct mr_error *err)
{
	const char *name = NULL;

	if (cuda->get_error_name(result, &name) != SUCCESS || !name)
		name = "unknown CUresult";
	if (result != SUCCESS) {
		mr_fail_text(err, MR_ERROR_HOST, errno_of(result), "%s: %s (CUresult %d)", call,
			     name, result);
		err->call = call;
		if (cuda->steps[0])
			mr_hint(err, "before it: %s", cuda->steps);
		return -err->errnum;
	}
	mr_text_add(cuda->steps, sizeof(cuda->steps), ", ", "%s: %s", call, name);
	return 0;
}

static int allocate_and_export(struct mr_cuda *cuda, int number, uint64_t size, bool pcie, int *fd,
			       struct mr_error *err)
{
	uint64_t whole = mr_round_up(size, GRANULE);
	int rc = record_step(cuda, "cuInit", cuda->init(0), err);

	if (!rc)
		rc = record_step(cuda, "cuDeviceGet", cuda->device_get(&cuda->device, number), err);
	if (!rc)
		rc = record_step(cuda, "cuDevicePrimaryCtxRetain",
				 cuda->context_retain(&cuda->context, cuda->device), err);
	if (!rc)
		rc = record_step(cuda, "cuCtxSetCurrent", cuda->context_set(cuda->context), err);
	if (!rc)
		rc = record_step(cuda, "cuMemAlloc",
				 cuda->mem_alloc(&cuda->memory, whole ? whole : SIZE_MAX), err);
	if (!rc && fd)
		rc = record_step(cuda, "cuMemGetHandleForAddressRange",
				 cuda->export(fd, cuda->memory, size, RANGE_HANDLE_TYPE_DMA_BUF_FD,
					      pcie ? RANGE_FLAG_MAPPING_TYPE_PCIE : 0),
				 err);
	return rc;
}

int mr_cuda_open(int number, uint64_t size, bool pcie, struct mr_cuda **cuda, int *fd,
		 struct mr_error *err)
{
	struct mr_cuda *new = calloc(1, sizeof(*new));
	int rc;

	if (!new)
		return mr_fail(err, MR_ERROR_HOST, ENOMEM, "calloc", NULL);
	rc = load_library(new, fd, err);
	if (!rc)
		rc = allocate_and_export(new, number, size, pcie, fd, err);
	if (rc)
		mr_cuda_close(new);
	else
		*cuda = new;
	return rc;
}

uint64_t mr_cuda_address(const struct mr_cuda *cuda)
{
	return cuda->memory;
}

const char *mr_cuda_steps(const struct mr_cuda *cuda)
{
	return cuda->steps;
}

void mr_cuda_close(struct mr_cuda *cuda)
{
	if (!cuda)
		return;
	if (cuda->memory)
		cuda->mem_free(cuda->memory);
	if (cuda->context)
		cuda->context_release(cuda->device);
	free(cuda); /* the library stays loaded: it has threads and handlers */
}
