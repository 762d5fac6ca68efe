/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Memory on the device (MEMIC): a part of BAR0 that the driver hands out in pages. */
#include "hca.h"

enum { UNIT = 64 };	/* bytes; sizes and alignments are multiples of it */

static uint32_t page_of(uint64_t addr)
{
	return (uint32_t)((addr - MEMIC_START) / PAGE);
}

bool memic_holds(uint64_t addr, uint64_t len)
{
	return addr >= MEMIC_START && len <= MEMIC_SIZE && addr - MEMIC_START <= MEMIC_SIZE - len;
}

void memic_caps(uint8_t *b)
{
	SET(b, device_mem_cap__memic, 1);
	SET(b, device_mem_cap__log_min_memic_alloc_size, 6);
	SET(b, device_mem_cap__log_max_memic_addr_alignment, 6);
	SET(b, device_mem_cap__memic_bar_start_addr, MEMIC_START);
	SET(b, device_mem_cap__memic_bar_size, MEMIC_SIZE);
	SET(b, device_mem_cap__max_memic_size, MEMIC_MAX);
}

int alloc_memic(struct hca *h, struct cmd *c)
{
	uint64_t start = GET64(c->in, alloc_memic_in__range_start_addr);
	uint32_t range = GET(c->in, alloc_memic_in__range_size);
	uint32_t size = GET(c->in, alloc_memic_in__memic_size);
	uint32_t align = GET(c->in, alloc_memic_in__log_memic_addr_alignment);

	note(c, "range %lx/%x size %u alignment %u", start, range, size, align);
	if (!memic_holds(start, range) || start % PAGE || range % PAGE)
		return BAD_PARAM;
	if (!size || size % UNIT || size > range || size > MEMIC_MAX || align > 6)
		return BAD_PARAM;
	for (uint32_t p = page_of(start); p < page_of(start) + range / PAGE; p++)
		if (h->memic_size[p])
			return NO_RES;
	if (start % ((uint64_t)UNIT << align))
		return NO_RES;
	h->memic_size[page_of(start)] = size;
	h->n_memic++;
	SET(c->out, alloc_memic_out__memic_start_addr, start);
	note(c, "memic %lx", start);
	return OK;
}

int dealloc_memic(struct hca *h, struct cmd *c)
{
	uint64_t start = GET64(c->in, dealloc_memic_in__memic_start_addr);

	note(c, "memic %lx", start);
	if (!memic_holds(start, 1) || start % PAGE || !h->memic_size[page_of(start)] ||
	    h->memic_size[page_of(start)] != GET(c->in, dealloc_memic_in__memic_size))
		return BAD_RES;
	h->memic_size[page_of(start)] = 0;
	h->n_memic--;
	return OK;
}
