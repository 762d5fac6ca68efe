// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <dlfcn.h>
#include <errno.h>

#include "tests/unit/lib/diagnose/trial/library.h"

struct fake_library library;

static struct ibv_mr *library_register(struct ibv_pd *pd, uint64_t addr, uint64_t length,
				       uint64_t iova, uint32_t access)
{
	assert_non_null(pd);
	library.calls++;
	errno = library.rule ? library.rule(addr, length, iova, access) : 0;
	if (errno)
		return NULL;
	library.mrs++;
	return &library.mr;
}

#undef ibv_reg_mr
#undef ibv_reg_mr_iova
struct ibv_mr *ibv_reg_mr(struct ibv_pd *pd, void *addr, size_t length, int access)
{
	return library_register(pd, (uintptr_t)addr, length, (uintptr_t)addr, (uint32_t)access);
}

struct ibv_mr *ibv_reg_mr_iova(struct ibv_pd *pd, void *addr, size_t length, uint64_t iova,
			       int access)
{
	return library_register(pd, (uintptr_t)addr, length, iova, (uint32_t)access);
}

int ibv_dereg_mr(struct ibv_mr *mr)
{
	assert_ptr_equal(mr, &library.mr);
	if (!library.dereg_errno)
		library.mrs--;
	return library.dereg_errno;
}

struct ibv_pd *ibv_alloc_pd(struct ibv_context *context)
{
	assert_non_null(context);
	errno = library.pd_errno;
	if (errno)
		return NULL;
	library.pds++;
	return &library.pd;
}

int ibv_dealloc_pd(struct ibv_pd *pd)
{
	assert_ptr_equal(pd, &library.pd);
	library.pds--;
	return 0;
}

/* The device tells nothing of itself. */
int ibv_query_device(struct ibv_context *context, struct ibv_device_attr *attributes)
{
	(void)context;
	(void)attributes;
	return EOPNOTSUPP;
}

/* Newer functions, which are looked up while a program runs, would be those of the real one. */
void *dlopen(const char *file, int mode)
{
	(void)file;
	(void)mode;
	return NULL;
}

int library_reset(void **state)
{
	(void)state;
	memset(&library, 0, sizeof(library));
	return 0;
}
