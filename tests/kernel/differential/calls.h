/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The calls.  Each draws its arguments, is made, and adds its name, arguments and answer to the line. */
#ifndef TESTS_KERNEL_DIFFERENTIAL_CALLS_H
#define TESTS_KERNEL_DIFFERENTIAL_CALLS_H

#include "tests/kernel/differential/state.h"

/** draw_call() - make one of the calls */
void draw_call(void);

/* region_calls.c */
void reg_mr_by_write(void);
void reg_mr_by_method(void);
void reg_dmabuf_mr(void);
void rereg_mr(void);
void dereg_mr(void);
void query_mr(void);
void advise_mr(void);

/** reg_dmabuf_mr_of() - register a dma-buf; @name: what the line calls the descriptor */
void reg_dmabuf_mr_of(int fd, const char *name);

/* umem_calls.c */
void reg_umem(void);
void dereg_umem(void);

/** reg_umem_of() - register a dma-buf as a umem, or memory if @fd is NO_FD; @name: as above */
void reg_umem_of(int fd, const char *name);
#define NO_FD INT32_MIN

/* dm_calls.c */
void alloc_dm(void);
void free_dm(void);
void query_dm(void);
void reg_dm_mr(void);
void export_dm(void);

/* dmah_calls.c */
void alloc_dmah(void);
void free_dmah(void);

/* other_calls.c */
void alloc_pd_by_write(void);
void destroy_pd(void);
void list_handles(void);
void query_for_import(void);
void bare_call(void);

/**
 * destroy_object() - destroy an object, mostly one that there is
 * @command: the older command that does so, which is drawn in some of the calls; 0: there is none
 */
void destroy_object(enum type type, uint16_t object, uint16_t method, uint64_t command);

#endif
