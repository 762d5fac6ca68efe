/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
#ifndef LIB_SIM_BASE_PAGES_H
#define LIB_SIM_BASE_PAGES_H

#include <stdint.h>
#include <unistd.h>

/** Bytes of the huge pages that the access flag HUGETLB promises. */
#define SIM_HUGE_PAGE (UINT64_C(2) << 20)

/** sim_page_size() - bytes of a page of this machine */
static inline uint64_t sim_page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/** sim_round_down() - the start of the page that an address is in; sizes are powers of two */
static inline uint64_t sim_round_down(uint64_t addr, uint64_t page_size)
{
	return addr & ~(page_size - 1);
}

/** sim_round_up() - the first page boundary at or after an address; in the last page of all it is 0 */
static inline uint64_t sim_round_up(uint64_t addr, uint64_t page_size)
{
	return (addr + page_size - 1) & ~(page_size - 1);
}

/** sim_page_offset() - bytes between the start of the page that an address is in, and the address */
static inline uint64_t sim_page_offset(uint64_t addr)
{
	return addr & (sim_page_size() - 1);
}

#endif
