// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Stands in for the CUDA driver (libcuda.so.1) on machines without a GPU: exports memory as a dma-buf
 * of the simulated HCA.  CUDA_FAIL=CALL:RESULT lets a call fail.  Calls that free or export something
 * are written to standard error.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MEMORY 0x7f0000200000ull

/* Returns the answer of a call: 0, or that of CUDA_FAIL. */
static int result(const char *call)
{
	const char *fail = getenv("CUDA_FAIL");
	size_t length = strlen(call);

	if (!fail || strncmp(fail, call, length) != 0 || fail[length] != ':')
		return 0;
	return atoi(fail + length + 1);
}

int cuGetErrorName(int error, const char **name)
{
	*name = !error ? "CUDA_SUCCESS" : error == 100 ? "CUDA_ERROR_NO_DEVICE" : NULL;
	return *name ? 0 : 1;
}

int cuInit(unsigned int flags)
{
	return flags ? 1 : result("cuInit");
}

int cuDeviceGet(int *device, int ordinal)
{
	*device = ordinal + 40;
	return ordinal ? 101 : result("cuDeviceGet");
}

int cuDevicePrimaryCtxRetain(void **context, int device)
{
	*context = device == 40 ? (void *)"context" : NULL;
	return result("cuDevicePrimaryCtxRetain");
}

int cuDevicePrimaryCtxRelease_v2(int device)
{
	fprintf(stderr, "cuda: release %d\n", device);
	return 0;
}

int cuCtxSetCurrent(void *context)
{
	return context ? result("cuCtxSetCurrent") : 1;
}

int cuMemAlloc_v2(uint64_t *memory, size_t size)
{
	int rc = size % 65536 ? 1 : result("cuMemAlloc");

	if (!rc)
		*memory = MEMORY;
	return rc;
}

int cuMemFree_v2(uint64_t memory)
{
	fprintf(stderr, "cuda: free 0x%llx\n", (unsigned long long)memory);
	return 0;
}

int cuMemGetHandleForAddressRange(void *handle, uint64_t memory, size_t size, int type,
				  unsigned long long flags)
{
	int fd, rc = result("cuMemGetHandleForAddressRange");

	if (rc || memory != MEMORY || type != 1 || size % 4096)
		return rc ? rc : 1;
	fprintf(stderr, "cuda: export %zu bytes, flags %llu\n", size, flags);
	fd = memfd_create("mrctl-dmabuf cuda", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)size))
		return 999;
	memcpy(handle, &fd, sizeof(fd));
	return 0;
}
