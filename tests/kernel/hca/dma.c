/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Guest memory: the regions that QEMU shares by DMA_MAP, and queues in it. */
#include <errno.h>
#include <sys/mman.h>

#include "hca.h"

int dma_map(struct pci_function *f, uint64_t iova, uint64_t size, uint64_t off, int fd)
{
	if (!size)
		return EINVAL;
	for (int i = 0; i < N_DMA; i++) {
		struct dma_region *r = &f->dma[i];

		if (r->size)
			continue;
		r->host = NULL;
		if (fd >= 0) {
			r->host = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)off);
			if (r->host == MAP_FAILED)
				r->host = NULL;	/* read-only memory (a ROM): the device needs none */
		}
		r->iova = iova;
		r->size = size;
		return 0;
	}
	return ENOSPC;
}

void dma_unmap(struct pci_function *f, uint64_t iova, uint64_t size, bool all)
{
	for (int i = 0; i < N_DMA; i++) {
		struct dma_region *r = &f->dma[i];

		if (!r->size || (!all && (r->iova < iova || r->iova + r->size > iova + size)))
			continue;
		if (r->host)
			munmap(r->host, r->size);
		r->size = 0;
	}
}

void *dma_ptr_of(const struct pci_function *f, uint64_t iova, uint64_t len)
{
	for (int i = 0; i < N_DMA; i++) {
		const struct dma_region *r = &f->dma[i];

		if (r->size && r->host && iova >= r->iova && len <= r->size &&
		    iova - r->iova <= r->size - len)
			return r->host + (iova - r->iova);
	}
	return NULL;
}

void *dma_ptr(struct hca *h, uint64_t iova, uint64_t len)
{
	return dma_ptr_of(&h->fn[FN_HCA], iova, len);
}

int dma_read(struct hca *h, uint64_t iova, void *buf, uint64_t len)
{
	void *p = dma_ptr(h, iova, len);

	if (!p)
		return EFAULT;
	memcpy(buf, p, len);
	return 0;
}

/* pas: the list of page addresses in a create command, of which avail bytes were sent */
int ring_init(struct ring *r, const uint8_t *pas, uint64_t avail, unsigned page_shift,
	      uint32_t start, unsigned log_n, unsigned log_ent)
{
	uint64_t bytes = (1ull << (log_n + log_ent)) + start;
	uint64_t n = (bytes + (1ull << page_shift) - 1) >> page_shift;

	if (page_shift > 30 || n > avail / 8)
		return BAD_INP_LEN;
	r->pas = zalloc(n, sizeof(*r->pas));
	for (uint64_t i = 0; i < n; i++)
		r->pas[i] = be64(pas + 8 * i) & ~7ull;
	r->npas = (uint32_t)n;
	r->page_shift = page_shift;
	r->start = start;
	r->log_n = log_n;
	r->log_ent = log_ent;
	return OK;
}

void ring_free(struct ring *r)
{
	free(r->pas);
	memset(r, 0, sizeof(*r));
}

void *ring_at(struct hca *h, struct ring *r, uint32_t i)
{
	uint64_t b = r->start + ((uint64_t)(i & ((1u << r->log_n) - 1)) << r->log_ent);
	uint64_t pg = b >> r->page_shift;

	if (pg >= r->npas)
		return NULL;
	return dma_ptr(h, r->pas[pg] + (b & ((1ull << r->page_shift) - 1)), 1u << r->log_ent);
}
