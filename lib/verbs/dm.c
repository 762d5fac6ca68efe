// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>

#include "lib/memory/memory.h"
#include "lib/verbs/calls.h"
#include "lib/verbs/dm.h"
#include "lib/verbs/symbols.h"
#include "lib/verbs/uverbs.h"

static int alloc_by_library(struct ibv_context *context, uint64_t length, struct mr_dm *dm,
			    struct mr_error *err)
{
	struct ibv_alloc_dm_attr attr = { .length = length };
	struct ibv_dm *new;

	errno = 0;
	new = ibv_alloc_dm(context, &attr);
	if (!new) {
		mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_alloc_dm",
			"cannot allocate %" PRIu64 " bytes of memory on the device", length);
		return -err->errnum;
	}
	*dm = (struct mr_dm){ .dm = new, .handle = new->handle, .allocated = true };
	return 0;
}

static int alloc_by_kernel(const struct mr_uverbs *uverbs, uint64_t length, struct mr_dm *dm,
			   struct mr_error *err)
{
	int rc = mr_uverbs_alloc_dm(uverbs, length, &dm->handle, err);

	dm->allocated = !rc;
	if (rc)
		mr_wrap(err, "cannot allocate %" PRIu64 " bytes of memory on the device", length);
	return rc;
}

int mr_dm_alloc(const struct mr_registrar *registrar, uint64_t length, struct mr_dm *dm,
		struct mr_error *err)
{
	*dm = (struct mr_dm){ .dm = NULL };
	if (registrar->via == MR_VIA_KERNEL)
		return alloc_by_kernel(registrar->uverbs, length, dm, err);
	return alloc_by_library(registrar->context, length, dm, err);
}

int mr_dm_free(const struct mr_registrar *registrar, struct mr_dm *dm, struct mr_error *err)
{
	int rc = 0;

	if (dm->dm) {
		errno = 0;
		rc = ibv_free_dm(dm->dm);
		if (rc) /* the man page says that it is the errno */
			rc = mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : mr_call_errno(),
				     "ibv_free_dm", NULL);
	} else if (dm->allocated) {
		rc = mr_uverbs_free_dm(registrar->uverbs, dm->handle, err);
	}
	if (!rc)
		*dm = (struct mr_dm){ .dm = NULL };
	return rc;
}

void mr_dm_forget(struct mr_dm *dm)
{
	if (dm->dm)
		ibv_unimport_dm(dm->dm);
	*dm = (struct mr_dm){ .dm = NULL };
}

int mr_dm_export(const struct mr_dm *dm, struct mr_dmabuf *dmabuf, struct mr_error *err)
{
	mr_dm_export_fd *export = (mr_dm_export_fd *)mr_symbol_find(MR_SYMBOL_DM_EXPORT, err);
	int fd;

	if (!export)
		return -err->errnum;
	if (!dm->dm) {
		mr_fail(err, MR_ERROR_HOST, EOPNOTSUPP, "ibv_dm_export_dmabuf_fd",
			"only the library makes a dma-buf of memory on the device");
		mr_hint(err, "use --via library");
		return -EOPNOTSUPP;
	}
	errno = 0;
	fd = export(dm->dm);
	if (fd < 0) {
		mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_dm_export_dmabuf_fd", NULL);
		return -err->errnum;
	}
	*dmabuf = (struct mr_dmabuf){ .fd = fd, .memfd = -1, .owned = true };
	return 0;
}
