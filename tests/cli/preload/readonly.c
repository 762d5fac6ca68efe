// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Preloaded into programs that register memory: while a region is registered, the whole pages of its memory can only
 * be read.  READONLY is the number of bytes from which on regions are changed so.
 */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* RTLD_NEXT would not find it in a program whose plugins have loaded it for themselves, as those of UCX. */
#define REAL(name) ((__typeof__(name) *)dlsym(dlopen("libibverbs.so.1", RTLD_LAZY), #name))

void *ibv_reg_mr(void *pd, void *addr, size_t length, int access);
void *ibv_reg_mr_iova(void *pd, void *addr, size_t length, uint64_t iova, int access);
void *ibv_reg_mr_iova2(void *pd, void *addr, size_t length, uint64_t iova, unsigned int access);
void *ibv_reg_buf_mr(void *pd, void *buf, void *addr, size_t length, int access);

/* These functions call one another. */
static __thread unsigned int depth;

static void protect(const void *addr, size_t length, int rights)
{
	const char *least = getenv("READONLY");
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	const uintptr_t begin = ((uintptr_t)addr + page - 1) / page * page;
	const uintptr_t end = ((uintptr_t)addr + length) / page * page;

	if (!depth && least && length >= strtoull(least, NULL, 10) && begin < end &&
	    mprotect((void *)begin, end - begin, rights))
		abort();
}

/* The program may free its memory afterwards, which writes. */
#define WITH_READ_ONLY(addr, length, call)                                                         \
	({                                                                                         \
		protect(addr, length, PROT_READ);                                                  \
		depth++;                                                                           \
		void *region = call;                                                               \
		depth--;                                                                           \
		protect(addr, length, PROT_READ | PROT_WRITE);                                     \
		region;                                                                            \
	})

void *ibv_reg_mr(void *pd, void *addr, size_t length, int access)
{
	return WITH_READ_ONLY(addr, length, REAL(ibv_reg_mr)(pd, addr, length, access));
}

void *ibv_reg_mr_iova(void *pd, void *addr, size_t length, uint64_t iova, int access)
{
	return WITH_READ_ONLY(addr, length, REAL(ibv_reg_mr_iova)(pd, addr, length, iova, access));
}

void *ibv_reg_mr_iova2(void *pd, void *addr, size_t length, uint64_t iova, unsigned int access)
{
	return WITH_READ_ONLY(addr, length, REAL(ibv_reg_mr_iova2)(pd, addr, length, iova, access));
}

void *ibv_reg_buf_mr(void *pd, void *buf, void *addr, size_t length, int access)
{
	return WITH_READ_ONLY(addr, length, REAL(ibv_reg_buf_mr)(pd, buf, addr, length, access));
}
