// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <infiniband/verbs.h>
#include <stdio.h>
#include <string.h>

#include "lib/diagnose/diagnose.h"
#include "lib/diagnose/trial/trial.h"
#include "lib/verbs/device.h"
#include "lib/verbs/verbs.h"

/* The operations with access flags, with a range, and on memory of this process. */
#define ON_ACCESS (ON_MEMORY | MR_ON(REG_DM) | MR_ON_DMABUFS)
#define ON_RANGE  ON_ACCESS
#define ON_MEMORY (MR_ON(REG) | MR_ON(UMEM) | MR_ON(REREG))
#define ON_MRS    (MR_ON(REG) | MR_ON(REG_DM) | MR_ON(NULL_MR) | MR_ON(REG_DMABUF) | MR_ON(REREG))

/* What others may write the device may write as well (ib_check_mr_access()). */
#define NEEDS_LOCAL_WRITE (MR_ACCESS_REMOTE_WRITE | MR_ACCESS_REMOTE_ATOMIC)

static bool drop_flag(struct mr_variant *variant)
{
	const uint32_t access = variant->bench->request.access;

	variant->request.access &= ~variant->row->flag;
	return access & variant->row->flag &&
	       !(variant->row->flag == MR_ACCESS_LOCAL_WRITE && access & NEEDS_LOCAL_WRITE);
}

static bool drop_other_flags(struct mr_variant *variant)
{
	uint32_t named = 0;

	for (const struct mr_word *flag = mr_access_flags; flag->name; flag++)
		named |= (uint32_t)flag->bit;
	variant->request.access &= named;
	return variant->bench->request.access & ~named;
}

static bool add_local_write(struct mr_variant *variant)
{
	variant->request.access |= MR_ACCESS_LOCAL_WRITE;
	return !(variant->bench->request.access & MR_ACCESS_LOCAL_WRITE);
}

static bool add_on_demand(struct mr_variant *variant)
{
	struct mr_attributes attributes;
	struct mr_error ignored;

	variant->request.access |= MR_ACCESS_ON_DEMAND;
	return !(variant->bench->request.access & MR_ACCESS_ON_DEMAND) &&
	       !mr_attributes_query(variant->bench->context, &attributes, &ignored) &&
	       attributes.odp.general & IBV_ODP_SUPPORT;
}

static bool halve(struct mr_variant *variant)
{
	uint64_t *length = &variant->request.length;

	*length /= 2;
	if (*length > variant->bench->page)
		*length -= *length % variant->bench->page;
	return *length;
}

static bool cut_to_page(struct mr_variant *variant)
{
	const uint64_t length =
		variant->bench->page - variant->bench->request.addr % variant->bench->page;

	variant->request.length = length;
	/* Of two pages the half is one. */
	return length < variant->bench->request.length &&
	       variant->bench->request.length != 2 * variant->bench->page;
}

static bool align(struct mr_variant *variant)
{
	const struct mr_region_request *asked = &variant->bench->request;
	struct mr_region_request *request = &variant->request;

	mr_extend_to_pages(variant->bench->page, &request->addr, &request->length);
	request->iova -= asked->addr - request->addr;
	return request->addr != asked->addr || request->length != asked->length;
}

/* Whether so much memory may be made; if not, @variant says why. */
static bool is_affordable(uint64_t bytes, struct mr_variant *variant)
{
	if (bytes <= variant->bench->available)
		return true;
	snprintf(variant->reason, sizeof(variant->reason), "it takes %s, and half of %s is %s",
		 MR_SIZE(bytes), variant->bench->available_by, MR_SIZE(variant->bench->available));
	return false;
}

/* Memory of the same length, which begins as far behind the border of a page. */
static bool replace_memory(struct mr_variant *variant)
{
	const struct mr_memory_request wanted = {
		.kind = { .type = MR_MEMORY_ANON, .text = "anon" },
		.length = variant->bench->request.length,
		.offset = variant->bench->request.addr % variant->bench->page,
	};
	struct mr_error err;

	if (!is_affordable(wanted.length, variant))
		return true;
	if (!wanted.length)
		return false;
	if (mr_memory_map(&wanted, &variant->memory, &err))
		snprintf(variant->reason, sizeof(variant->reason), "%.120s", err.text);
	variant->request.addr = variant->memory.start;
	return true;
}

static bool set_iova(struct mr_variant *variant)
{
	variant->request.iova = variant->bench->request.addr;
	return mr_call_row(variant->bench->request.call)->iova == MR_IOVA_GIVEN &&
	       variant->bench->request.iova != variant->bench->request.addr;
}

static bool clear_offset(struct mr_variant *variant)
{
	variant->request.addr = 0;
	return variant->bench->request.addr;
}

static bool replace_dmabuf(struct mr_variant *variant)
{
	const struct mr_region_request *asked = &variant->bench->request;
	struct mr_dmabuf_request wanted = { .source = { .type = MR_DMABUF_UDMABUF },
					    .size = asked->addr + asked->length };
	struct mr_error err;

	if (wanted.size < asked->length)
		return false; /* the range is beyond all dma-bufs */
	if (!is_affordable(wanted.size, variant))
		return true;
	if (mr_dmabuf_open(&wanted, &variant->dmabuf, &err))
		snprintf(variant->reason, sizeof(variant->reason), "%.120s", err.text);
	variant->request.fd = variant->dmabuf.fd;
	return true;
}

/* A call in place of another. */
struct replacement {
	enum mr_region_call call, by;
};

static bool replace_call(const struct replacement *table, size_t count, struct mr_variant *variant)
{
	for (size_t i = 0; i < count; i++)
		if (table[i].call == variant->request.call) {
			variant->request.call = table[i].by;
			return true;
		}
	return false;
}

static bool avoid_data_direct(struct mr_variant *variant)
{
	static const struct replacement plain[] = { { MR_DV_REG_DMABUF_MR, MR_REG_DMABUF_MR } };

	return replace_call(plain, 1, variant);
}

static bool allow_page_sizes(struct mr_variant *variant)
{
	static const struct replacement any[] = { { MR_UMEM_REG_EX, MR_UMEM_REG },
						  { MR_UMEM_REG_EX_DMABUF, MR_UMEM_REG_DMABUF } };

	return replace_call(any, 2, variant);
}

static void name_call(struct mr_variant *variant)
{
	const char *name = mr_region_call_name(variant->request.call, variant->registrar.via);

	snprintf(variant->words, sizeof(variant->words), "by %s", name ? name : "it");
}

/* ibv_reg_mr_ex(3) in place of the older calls, or the older call in its place.  To the kernel it is all one. */
static bool use_other_call(struct mr_variant *variant)
{
	static const struct replacement older[] = { { MR_REG_MR_EX, MR_REG_MR },
						    { MR_REG_MR_EX_IOVA, MR_REG_MR_IOVA },
						    { MR_REG_MR_EX_FD, MR_REG_DMABUF_MR } };
	const enum mr_region_call ex = mr_call_row(variant->bench->request.call)->ex;
	enum mr_symbol symbol;
	struct mr_error ignored;
	bool is_other = replace_call(older, 3, variant);

	if (!is_other && ex) {
		variant->request.call = ex;
		is_other = true;
	}
	name_call(variant);
	symbol = mr_call_row(variant->request.call)->symbol;
	return is_other && variant->bench->base.via == MR_VIA_LIBRARY &&
	       (symbol == MR_SYMBOL_NONE || mr_symbol_find(symbol, &ignored));
}

/* Memory on the device by the kernel's own call is unknown to the library. */
static bool use_other_path(struct mr_variant *variant)
{
	const bool library = variant->bench->base.via == MR_VIA_KERNEL;
	const struct mr_region_request *asked = &variant->bench->request;

	variant->registrar.via = library ? MR_VIA_LIBRARY : MR_VIA_KERNEL;
	name_call(variant);
	if (asked->call == MR_REG_MR_RELAXED)
		snprintf(variant->words, sizeof(variant->words), "by %s",
			 mr_region_call_name(MR_REG_MR, variant->registrar.via));
	return !(asked->dm && asked->dm->allocated && library && !asked->dm->dm) &&
	       (library || mr_region_call_name(asked->call, MR_VIA_KERNEL));
}

static bool use_other_pd(struct mr_variant *variant)
{
	struct mr_device device = { .context = variant->bench->context };
	struct mr_error err;

	if (mr_device_alloc_pd(&device, &err)) {
		snprintf(variant->reason, sizeof(variant->reason), "%.120s", err.text);
		return true;
	}
	variant->pd = variant->registrar.pd = device.pd;
	variant->registrar.pd_handle = device.pd->handle;
	return true;
}

#define WITHOUT(name, bit)                                                                         \
	{                                                                                          \
		"without-" name, "without " name, ON_ACCESS, (bit), drop_flag                      \
	}

const struct mr_change_row mr_changes[MR_TRY_CHANGES] = {
	[MR_TRY_UNCHANGED] = { "unchanged", "unchanged", 0, 0, NULL },
	[MR_TRY_OWN_CONTEXT] = { "own-context", "in a context of its own", 0, 0, NULL },
	[MR_TRY_ANEW] = { "anew", "registered anew", 0, 0, NULL },
	[MR_TRY_NO_LOCAL_WRITE] = WITHOUT("local-write", MR_ACCESS_LOCAL_WRITE),
	[MR_TRY_NO_REMOTE_WRITE] = WITHOUT("remote-write", MR_ACCESS_REMOTE_WRITE),
	[MR_TRY_NO_REMOTE_READ] = WITHOUT("remote-read", MR_ACCESS_REMOTE_READ),
	[MR_TRY_NO_REMOTE_ATOMIC] = WITHOUT("remote-atomic", MR_ACCESS_REMOTE_ATOMIC),
	[MR_TRY_NO_MW_BIND] = WITHOUT("mw-bind", MR_ACCESS_MW_BIND),
	[MR_TRY_NO_ZERO_BASED] = WITHOUT("zero-based", MR_ACCESS_ZERO_BASED),
	[MR_TRY_NO_ON_DEMAND] = WITHOUT("on-demand", MR_ACCESS_ON_DEMAND),
	[MR_TRY_NO_HUGETLB] = WITHOUT("hugetlb", MR_ACCESS_HUGETLB),
	[MR_TRY_NO_FLUSH_GLOBAL] = WITHOUT("flush-global", MR_ACCESS_FLUSH_GLOBAL),
	[MR_TRY_NO_FLUSH_PERSISTENT] = WITHOUT("flush-persistent", MR_ACCESS_FLUSH_PERSISTENT),
	[MR_TRY_NO_RELAXED_ORDERING] = WITHOUT("relaxed-ordering", MR_ACCESS_RELAXED_ORDERING),
	[MR_TRY_NO_OTHER_FLAGS] = { "without-other-flags", "without flags that have no name",
				    ON_ACCESS, 0, drop_other_flags },
	[MR_TRY_LOCAL_WRITE] = { "local-write", "with local-write", ON_ACCESS, 0, add_local_write },
	[MR_TRY_ON_DEMAND] = { "on-demand", "with on-demand", MR_ON(REG) | MR_ON(REREG), 0,
			       add_on_demand },
	[MR_TRY_HALF] = { "half", "with half the length", ON_RANGE, 0, halve },
	[MR_TRY_PAGE] = { "one-page", "with one page", ON_RANGE, 0, cut_to_page },
	[MR_TRY_ALIGNED] = { "aligned", "with whole pages", ON_RANGE, 0, align },
	[MR_TRY_FRESH_MEMORY] = { "fresh-memory", "with fresh memory", ON_MEMORY, 0,
				  replace_memory },
	[MR_TRY_IOVA] = { "iova", "with the address as iova", ON_RANGE, 0, set_iova },
	[MR_TRY_OFFSET_0] = { "offset-0", "at offset 0", MR_ON_DMABUFS | MR_ON(REG_DM), 0,
			      clear_offset },
	[MR_TRY_UDMABUF] = { "udmabuf", "with a udmabuf", MR_ON_DMABUFS, 0, replace_dmabuf },
	[MR_TRY_NO_DATA_DIRECT] = { "without-data-direct", "without Data Direct", MR_ON(REG_DMABUF),
				    0, avoid_data_direct },
	[MR_TRY_ANY_PAGE_SIZE] = { "any-page-size", "with any page size",
				   MR_ON(UMEM) | MR_ON(UMEM_DMABUF), 0, allow_page_sizes },
	[MR_TRY_OTHER_CALL] = { "other-call", "by the other call", ON_MRS & ~MR_ON(REREG), 0,
				use_other_call },
	[MR_TRY_OTHER_PATH] = { "other-path", "by the other path", MR_ON_ALL, 0, use_other_path },
	[MR_TRY_OTHER_PD] = { "other-pd", "in another PD", ON_MRS, 0, use_other_pd },
};

bool mr_variant_init(struct mr_variant *variant, const struct mr_bench *bench,
		     const struct mr_change_row *row)
{
	*variant = (struct mr_variant){
		.bench = bench, .row = row, .request = bench->request, .registrar = bench->base
	};
	return !row->change || (row->operations >> bench->operation & 1 && row->change(variant));
}

void mr_variant_release(struct mr_variant *variant)
{
	if (variant->memory.map)
		mr_memory_unmap(&variant->memory);
	mr_dmabuf_close(&variant->dmabuf);
	if (variant->pd)
		ibv_dealloc_pd(variant->pd);
}
