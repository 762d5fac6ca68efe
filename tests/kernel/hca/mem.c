/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* The memory objects: memory keys and user memory (umem). */
#include "hca.h"

/* access modes of a memory key */
enum { PA = 0, MTT = 1, KLM = 2, KSM = 3, MEMIC = 5, CROSSING = 6 };

static uint32_t access_mode(const uint8_t *mkc)
{
	return GET(mkc, mkc__access_mode_4_2) << 2 | GET(mkc, mkc__access_mode_1_0);
}

static struct mkey *mkey_get(struct hca *h, uint32_t idx)
{
	return idx < 1u << LOG_MKEY ? h->mkey[idx] : NULL;
}

/* The memory key with this index and this variant (the lowest 8 bits), or NULL */
static struct mkey *mkey_of(struct hca *h, uint32_t key)
{
	struct mkey *m = mkey_get(h, key >> 8);

	return m && GET(m->mkc, mkc__mkey_7_0) == (key & 0xff) ? m : NULL;
}

static int refuse(struct cmd *c, int status, uint32_t syndrome, const char *why)
{
	c->syndrome = syndrome;
	note(c, "(%s)", why);
	return status;
}

/* Copies a list of pages from a command into out, unless one is not aligned to the page size. */
static int translations_check(struct hca *h, struct cmd *c, const uint8_t *list, uint64_t n, unsigned shift,
		     uint64_t *out)
{
	for (uint64_t i = 0; i < n; i++) {
		uint64_t e = be64(list + 8 * i);

		if (e & ((1ull << shift) - 1) & ~7ull)
			return refuse(c, BAD_PARAM, 0x10, "page address not aligned to the page size");
		if (!dma_ptr(h, e & ~7ull, 1ull << shift) && e & 3)
			note(c, "(page %lx is not guest memory)", e);
		out[i] = e;
	}
	return OK;
}

/* Checks the range that a DEVX key takes from a umem, which must be of the same user context. */
static int check_umem_range(struct hca *h, struct cmd *c, unsigned shift, uint64_t start, uint64_t len)
{
	uint32_t id = GET(c->in, create_mkey_in__mkey_umem_id);
	uint64_t off = GET64(c->in, create_mkey_in__mkey_umem_offset), size;

	note(c, "umem %u offset %lx", id, off);
	if (!id_used(&h->umem_id, id) || h->umem[id]->uid != c->uid)
		return refuse(c, BAD_RES, 0x30, "no such umem");
	size = (h->umem[id]->n << h->umem[id]->page_shift) - h->umem[id]->page_offset;
	if (shift > h->umem[id]->page_shift || off & ((1ull << shift) - 1))
		return refuse(c, BAD_PARAM, 0x31, "page size or offset");
	if (off + (start & ((1ull << shift) - 1)) + len > size)
		return refuse(c, BAD_PARAM, 0x32, "range leaves the umem");
	return OK;
}

int create_mkey(struct hca *h, struct cmd *c)
{
	const uint8_t *mkc = AT(c->in, create_mkey_in__memory_key_mkey_entry);
	const uint8_t *list = AT(c->in, create_mkey_in__klm_pas_mtt);
	uint32_t mode = access_mode(mkc);
	uint64_t start = GET64(mkc, mkc__start_addr), len = GET64(mkc, mkc__len), need;
	uint64_t octo = GET(mkc, mkc__translations_octword_size);
	uint64_t actual = GET(c->in, create_mkey_in__translations_octword_actual_size);
	uint32_t shift = GET(mkc, mkc__log_page_size), pd = GET(mkc, mkc__pd);
	bool is_free = GET(mkc, mkc__free), umem_valid = GET(c->in, create_mkey_in__mkey_umem_valid);
	uint32_t id, crossed = 0;
	int err = OK;

	note(c, "mode %u pd %u free %u umr_en %u access lr%u lw%u rr%u rw%u a%u ro%u%u start %lx "
	     "len %lx length64 %u log_page_size %u octwords %lu/%lu", mode, pd, is_free,
	     GET(mkc, mkc__umr_en), GET(mkc, mkc__lr),
	     GET(mkc, mkc__lw), GET(mkc, mkc__rr), GET(mkc, mkc__rw),
	     GET(mkc, mkc__a), GET(mkc, mkc__relaxed_ordering_write),
	     GET(mkc, mkc__relaxed_ordering_read), start, len,
	     GET(mkc, mkc__length64), shift, actual, octo);
	if (mode > KSM && mode != MEMIC && mode != CROSSING)
		return refuse(c, BAD_PARAM, 1, "access mode");
	if (mode == CROSSING) {		/* the field names the crossed key instead */
		note(c, "crosses to key %lx", octo);
		if (!mkey_of(h, (uint32_t)octo))
			return refuse(c, BAD_RES, 0xb, "no such crossed key");
		crossed = (uint32_t)octo;
		octo = 0;
	}
	if (!id_used(&h->pd, pd))
		return refuse(c, BAD_RES, 2, "no such pd");
	if (len && start + len - 1 < start)
		return refuse(c, BAD_PARAM, 3, "range wraps");
	if (mode == MEMIC && !memic_holds(start, len))
		return refuse(c, BAD_PARAM, 0xa, "range leaves the memory on the device");
	if (actual > octo)
		return refuse(c, BAD_PARAM, 4, "more translations than the key has room for");
	if (octo > 1u << 24)
		return refuse(c, LIM_ERR, 9, "translation list too large");
	if (!umem_valid && bytes_left(c, list) < actual * 16)
		return refuse(c, BAD_INP_LEN, 5, "translation list length");
	if (mode == MTT && (shift < 12 || shift > 31))
		return refuse(c, BAD_PARAM, 6, "page size");
	if (umem_valid && (err = check_umem_range(h, c, shift, start, len)) != OK)
		return err;
	if (mode == MTT && !umem_valid && !is_free && len && !GET(mkc, mkc__length64)) {
		need = ((start & ((1ull << shift) - 1)) + len + (1ull << shift) - 1) >> shift;
		if (need > actual * 2)
			return refuse(c, BAD_PARAM, 7, "too few translations for the length");
	}
	id = id_alloc(&h->mkey_id);
	if (!id)
		return refuse(c, LIM_ERR, 8, "no memory key left");
	struct mkey *m = zalloc(1, sizeof(*m));
	memcpy(m->mkc, mkc, sizeof(m->mkc));
	m->uid = c->uid;
	m->crossed = crossed;
	m->is_data_direct = GET(c->in, create_mkey_in__data_direct);
	m->n_translations = octo * 2;
	m->translations = zalloc(m->n_translations + 1, sizeof(*m->translations));
	if (umem_valid)
		h->umem[m->umem = GET(c->in, create_mkey_in__mkey_umem_id)]->refs++;
	else if (mode == MTT && !is_free)
		err = translations_check(h, c, list, actual * 2, shift, m->translations);
	if (err) {
		id_free(&h->mkey_id, id);
		free(m->translations);
		free(m);
		return err;
	}
	h->mkey[id] = m;
	SET(c->out, create_mkey_out__mkey_index, id);
	note(c, "mkey %x", id << 8 | GET(mkc, mkc__mkey_7_0));
	return OK;
}

int query_mkey(struct hca *h, struct cmd *c)
{
	struct mkey *m = mkey_get(h, GET(c->in, query_mkey_in__mkey_index));

	if (!m)
		return BAD_RES;
	memcpy(AT(c->out, query_mkey_out__memory_key_mkey_entry), m->mkc, sizeof(m->mkc));
	for (uint32_t i = 0; i < 4 && i < m->n_translations; i++)
		put64(AT(c->out, query_mkey_out__bsf0_klm0_pas_mtt0_1) + 8 * i, m->translations[i]);
	return OK;
}

int destroy_mkey(struct hca *h, struct cmd *c)
{
	uint32_t id = GET(c->in, destroy_mkey_in__mkey_index);
	struct mkey *m = mkey_get(h, id);

	if (!m)
		return BAD_RES;
	note(c, "mkey %x", id << 8 | GET(m->mkc, mkc__mkey_7_0));
	if (m->n_windows)
		return refuse(c, RES_BUSY, 0xc, "memory windows are bound to it");
	window_unbind(h, m);
	if (m->umem && h->umem[m->umem])
		h->umem[m->umem]->refs--;
	free(m->translations);
	free(m);
	h->mkey[id] = NULL;
	id_free(&h->mkey_id, id);
	return OK;
}

/* The device forgets that a memory window is bound to a key. */
void window_unbind(struct hca *h, struct mkey *window)
{
	struct mkey *m = mkey_get(h, window->bound_to >> 8);

	if (m && m->n_windows)
		m->n_windows--;
	window->bound_to = 0;
}

/* Binds a window of this PD to a key; returns why not, or NULL */
const char *window_bind(struct hca *h, struct mkey *window, uint32_t pd, uint32_t key)
{
	struct mkey *m = mkey_of(h, key);

	if (access_mode(window->mkc) != KLM || GET(window->mkc, mkc__pd) != pd)
		return "no window of this PD";
	if (!m || GET(m->mkc, mkc__free) || GET(m->mkc, mkc__pd) != pd)
		return "no key of this PD to bind to";
	window_unbind(h, window);
	window->bound_to = key;
	if (!h->ignores_windows)
		m->n_windows++;
	return NULL;
}

/* Whether a key lets a word be accessed; P_NONE, or why not */
static uint32_t check_access(const struct mkey *m, uint64_t va, uint64_t size, int how)
{
	uint64_t base, len;

	if (!m)
		return P_NO_KEY;
	if (GET(m->mkc, mkc__free))
		return P_FREE;
	if (!(how & A_ATOMIC ? GET(m->mkc, mkc__a) :
	      how == A_READ ? GET(m->mkc, mkc__lr) :
	      how == A_WRITE ? GET(m->mkc, mkc__lw) :
	      how == A_REMOTE ? GET(m->mkc, mkc__rr) : GET(m->mkc, mkc__rw)))
		return P_ACCESS;
	/* addresses of memory on the device begin at 0 */
	base = access_mode(m->mkc) == MEMIC ? 0 : GET64(m->mkc, mkc__start_addr);
	len = GET64(m->mkc, mkc__len);
	if (!GET(m->mkc, mkc__length64) &&
	    (va < base || va - base > len || len - (va - base) < size))
		return P_RANGE;
	return P_NONE;
}

static uint8_t *translate(struct hca *h, const struct mkey *m, uint64_t va, int how, uint32_t *route);

/* The byte at va of a key of mode KSM, whose entries are a key and an address in it: of the Data Direct function, or
 * of the regions that an implicit one consists of */
static uint8_t *translate_by_keys(struct hca *h, const struct mkey *m, uint64_t va, int how, uint32_t *route)
{
	uint32_t shift = GET(m->mkc, mkc__log_page_size);
	uint64_t page = (va >> shift) - (GET64(m->mkc, mkc__start_addr) >> shift);
	const struct mkey *pages;

	if (page * 2 + 1 >= m->n_translations)
		return NULL;
	pages = mkey_of(h, (uint32_t)m->translations[page * 2]);
	if (!pages || GET(pages->mkc, mkc__free))
		return NULL;
	if (access_mode(pages->mkc) == MTT)
		return translate(h, pages, m->translations[page * 2 + 1] + (va & ((1ull << shift) - 1)), how, route);
	if (!pages->is_data_direct || access_mode(pages->mkc) != PA)
		return NULL;
	*route = GET(pages->mkc, mkc__relaxed_ordering_write) ? R_DATA_DIRECT_RELAXED : R_DATA_DIRECT;
	return data_direct_ptr(h, m->translations[page * 2 + 1] + (va & ((1ull << shift) - 1)), 1);
}

/* The byte at va of a key that covers it; NULL: no page is there, or it does not allow this access */
static uint8_t *translate(struct hca *h, const struct mkey *m, uint64_t va, int how, uint32_t *route)
{
	uint32_t shift = GET(m->mkc, mkc__log_page_size);
	uint64_t page, entry;

	if (access_mode(m->mkc) == MEMIC)
		return h->memic + (GET64(m->mkc, mkc__start_addr) - MEMIC_START) + va;
	if (access_mode(m->mkc) == KSM)
		return translate_by_keys(h, m, va, how, route);
	*route = R_HCA;
	if (access_mode(m->mkc) == PA)
		return dma_ptr(h, va, 1);
	page = (va >> shift) - (GET64(m->mkc, mkc__start_addr) >> shift);
	entry = page < m->n_translations ? m->translations[page] : 0;
	/* bit 0: the page may be read, bit 1: written */
	if (!(entry & (how & A_WRITE ? 2 : 1)))
		return NULL;
	return dma_ptr(h, (entry & ~7ull) + (va & ((1ull << shift) - 1)), 1);
}

/* The key that a window is bound to; changes the address to the one in it.  A window that begins at 0 has
 * addresses of its own. */
static struct mkey *bound_key(struct hca *h, const struct mkey *window, uint64_t *va)
{
	*va += window->translations[1] - GET64(window->mkc, mkc__start_addr);
	return mkey_of(h, window->bound_to);
}

uint32_t mkey_access(struct hca *h, uint32_t key, uint32_t pd, uint64_t va, uint64_t len, int how, void *b,
		     uint32_t *route)
{
	struct mkey *m = mkey_of(h, key);
	uint32_t reason = check_access(m, va, len, how), *first = route, other;
	bool crosses;

	*route = R_NONE;
	if (!reason && pd && GET(m->mkc, mkc__pd) != pd)
		reason = P_ACCESS;
	if (reason)
		return reason;
	if (m->bound_to) {		/* what the peer may do is the window's: the key has its local rights */
		m = bound_key(h, m, &va);
		how &= A_WRITE;
		reason = check_access(m, va, len, how);
		if (reason)
			return reason;
	}
	crosses = access_mode(m->mkc) == CROSSING;
	if (crosses) {
		m = mkey_of(h, m->crossed);
		reason = check_access(m, va, len, how);
		if (reason)
			return reason;
	}
	if (m->umem || (crosses ? access_mode(m->mkc) != KSM :
			access_mode(m->mkc) == KLM || (access_mode(m->mkc) > KSM && access_mode(m->mkc) != MEMIC)))
		return P_MODE;
	/* pages are contiguous inside; first all are looked for */
	for (int copies = 0; copies <= (b ? 1 : 0); copies++)
		for (uint64_t done = 0, n; done < len; done += n, first = &other) {
			uint8_t *p = translate(h, m, va + done, how, copies ? &other : first);

			n = PAGE - (va + done) % PAGE;
			if (n > len - done)
				n = len - done;
			if (!p)
				return P_PAGE;
			if (copies && how & A_WRITE)
				memcpy(p, (uint8_t *)b + done, n);
			else if (copies)
				memcpy((uint8_t *)b + done, p, n);
		}
	return P_NONE;
}

int special_contexts(struct hca *h, struct cmd *c)
{
	(void)h;
	SET(c->out, query_special_contexts_out__resd_lkey, 0x100);
	SET(c->out, query_special_contexts_out__null_mkey, 0x200);
	SET(c->out, query_special_contexts_out__dump_fill_mkey, 0x300);
	SET(c->out, query_special_contexts_out__terminate_scatter_list_mkey, 0x400);
	return OK;
}

int create_umem(struct hca *h, struct cmd *c)
{
	const uint8_t *u = AT(c->in, create_umem_in__umem), *list = AT(u, umem__mtt);
	uint32_t shift = GET(u, umem__log_page_size) + 12, off = GET(u, umem__page_offset);
	uint64_t n = GET64(u, umem__num_of_mtt);
	uint32_t id;
	int err;

	note(c, "log_page_size %u page_offset %u num_of_mtt %lu ats %u", shift, off, n,
	     GET(u, umem__ats));
	if (!id_used(&h->uctx, c->uid))
		return refuse(c, BAD_RES, 0x20, "no such uid");
	if (!n || shift > 31 || off >= 1ull << shift)
		return refuse(c, BAD_PARAM, 0x21, "page size or count");
	if (bytes_left(c, list) / 8 < n)
		return refuse(c, BAD_INP_LEN, 0x22, "list shorter than num_of_mtt");
	id = id_alloc(&h->umem_id);
	if (!id)
		return refuse(c, LIM_ERR, 0x23, "no umem left");
	struct umem *m = zalloc(1, sizeof(*m));
	m->mtt = zalloc(n, sizeof(*m->mtt));
	err = translations_check(h, c, list, n, shift, m->mtt);
	if (err) {
		id_free(&h->umem_id, id);
		free(m->mtt);
		free(m);
		return err;
	}
	m->uid = c->uid;
	m->n = n;
	m->page_shift = shift;
	m->page_offset = off;
	h->umem[id] = m;
	SET(c->out, create_umem_out__umem_id, id);
	note(c, "access %lu umem %u", m->mtt[0] & 3, id);
	return OK;
}

int destroy_umem(struct hca *h, struct cmd *c)
{
	uint32_t id = GET(c->in, destroy_umem_in__umem_id);

	note(c, "umem %u", id);
	if (!id_used(&h->umem_id, id))
		return BAD_RES;
	if (h->umem[id]->uid != c->uid)
		return refuse(c, BAD_RES, 0x24, "another uid's umem");
	if (h->umem[id]->refs)
		return refuse(c, BAD_RES_STATE, 0x25, "a memory key lies on it");
	free(h->umem[id]->mtt);
	free(h->umem[id]);
	h->umem[id] = NULL;
	id_free(&h->umem_id, id);
	return OK;
}
