// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/verbs/calls.h"
#include "lib/verbs/dmah.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"

static int alloc_by_library(struct ibv_context *context, struct mr_dmah *dmah, struct mr_error *err)
{
	mr_alloc_dmah *alloc = (mr_alloc_dmah *)mr_symbol_find(MR_SYMBOL_ALLOC_DMAH, err);
	struct mr_dmah_attr attr = { .comp_mask = MR_DMAH_ATTR_PH, .ph = dmah->hints.ph };

	if (!alloc)
		return -err->errnum;
	if (dmah->hints.memory) {
		attr.comp_mask |= MR_DMAH_ATTR_CPU | MR_DMAH_ATTR_MEMORY;
		attr.cpu_id = dmah->hints.cpu;
		attr.tph_mem_type = (uint8_t)(dmah->hints.memory - MR_DMAH_VOLATILE);
	}
	errno = 0;
	dmah->dmah = alloc(context, &attr);
	dmah->handle = MR_NO_HANDLE;
	if (dmah->dmah)
		return 0;
	return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_alloc_dmah",
		       "cannot allocate a DMA handle");
}

int mr_dmah_alloc(const struct mr_registrar *registrar, const struct mr_dmah_hints *hints,
		  struct mr_dmah *dmah, struct mr_error *err)
{
	int rc;

	*dmah = (struct mr_dmah){ .hints = *hints };
	if (registrar->via == MR_VIA_LIBRARY)
		return alloc_by_library(registrar->context, dmah, err);
	rc = mr_uverbs_alloc_dmah(registrar->uverbs, hints, &dmah->handle, err);
	if (rc)
		mr_wrap(err, "cannot allocate a DMA handle");
	else
		dmah->uverbs = registrar->uverbs;
	return rc;
}

static int free_by_library(struct ibv_dmah *dmah, struct mr_error *err)
{
	mr_dealloc_dmah *dealloc = (mr_dealloc_dmah *)mr_symbol_find(MR_SYMBOL_DEALLOC_DMAH, err);
	int rc;

	if (!dealloc)
		return -err->errnum;
	errno = 0;
	rc = dealloc(dmah); /* the man page says that it is the errno */
	return rc ? mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : mr_call_errno(),
			    "ibv_dealloc_dmah", NULL)
		  : 0;
}

int mr_dmah_free(struct mr_dmah *dmah, struct mr_error *err)
{
	int rc = 0;

	if (dmah->dmah)
		rc = free_by_library(dmah->dmah, err);
	else if (dmah->uverbs)
		rc = mr_uverbs_free_dmah(dmah->uverbs, dmah->handle, err);
	if (!rc)
		*dmah = (struct mr_dmah){ .dmah = NULL };
	return rc;
}
