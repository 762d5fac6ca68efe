// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/base.h"
#include "lib/memory/cuda.h"

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
			mr_hint(err, "it comes with CUDA 11.7 and later");
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
	size_t used = strlen(cuda->steps);
	const char *name = NULL;

	if (cuda->get_error_name(result, &name) != SUCCESS || !name)
		name = "unknown CUresult";
	if (result != SUCCESS) {
		mr_fail_text(err, MR_ERROR_HOST, errno_of(result), "%s: %s (CUresult %d)", call,
			     name, result);
		err->call = call;
		if (used)
			mr_hint(err, "before it: %s", cuda->steps);
		return -err->errnum;
	}
	snprintf(cuda->steps + used, sizeof(cuda->steps) - used, "%s%s: %s", used ? ", " : "", call,
		 name);
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
	free(cuda); /* the library stays loaded: it has threads and handlers of its own */
}
