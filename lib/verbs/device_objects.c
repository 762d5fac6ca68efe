// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Allocates what a registration may use of the device: device memory and DMA handles. */
#include <errno.h>
#include <infiniband/verbs.h>
#include <inttypes.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>

#include "lib/memory/memory.h"
#include "lib/verbs/verbs.h"

/* struct ibv_dmah_init_attr of rdma-core 59, with room for members of later releases. */
struct mr_dmah_attr {
	uint32_t comp_mask; /* MR_DMAH_ATTR_... */
	uint32_t cpu_id;
	uint8_t ph;           /* processing hint */
	uint8_t tph_mem_type; /* 0: volatile, 1: persistent */
	uint64_t later[8];
};

/* enum ibv_dmah_init_attr_mask */
#define MR_DMAH_ATTR_CPU    (1u << 0)
#define MR_DMAH_ATTR_PH     (1u << 1)
#define MR_DMAH_ATTR_MEMORY (1u << 2)

typedef int mr_dm_export_fd(struct ibv_dm *dm);
typedef struct ibv_dmah *mr_alloc_dmah(struct ibv_context *context, struct mr_dmah_attr *attr);
typedef int mr_dealloc_dmah(struct ibv_dmah *handle);

/* Without device memory the kernel answers EPROTONOSUPPORT. */
static int alloc_dm_by_kernel(const struct mr_uverbs *uverbs, uint64_t length, struct mr_dm *dm,
			      struct mr_error *err)
{
	struct mr_ioctl request = mr_ioctl_new(UVERBS_OBJECT_DM, UVERBS_METHOD_DM_ALLOC);
	const uint32_t alignment = 0;
	uint64_t offset;
	uint16_t page;
	int rc;

	mr_ioctl_add_handle(&request, UVERBS_ATTR_ALLOC_DM_HANDLE, 0);
	MR_IOCTL_IN(&request, UVERBS_ATTR_ALLOC_DM_LENGTH, length);
	MR_IOCTL_IN(&request, UVERBS_ATTR_ALLOC_DM_ALIGNMENT, alignment);
	/* mlx5_ib answers where a program can map the memory, which mrctl does not do. */
	if (uverbs->driver_id == RDMA_DRIVER_MLX5) {
		MR_IOCTL_OUT(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_START_OFFSET, offset);
		MR_IOCTL_OUT(&request, MLX5_IB_ATTR_ALLOC_DM_RESP_PAGE_INDEX, page);
	}
	rc = mr_ioctl_create(uverbs, &request, "ioctl(DM_ALLOC)", &dm->handle, err);
	dm->allocated = !rc;
	return rc;
}

int mr_dm_alloc(const struct mr_registrar *registrar, uint64_t length, struct mr_dm *dm,
		struct mr_error *err)
{
	struct ibv_alloc_dm_attr attr = { .length = length };
	int rc = 0;

	*dm = (struct mr_dm){ .dm = NULL };
	errno = 0;
	if (registrar->via == MR_VIA_KERNEL)
		rc = alloc_dm_by_kernel(registrar->uverbs, length, dm, err);
	else if ((dm->dm = ibv_alloc_dm(registrar->context, &attr)))
		*dm = (struct mr_dm){ dm->dm, dm->dm->handle, true };
	else
		rc = mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_alloc_dm", NULL);
	if (rc)
		mr_wrap(err, "cannot allocate %" PRIu64 " bytes of memory on the device", length);
	return rc;
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
		rc = mr_uverbs_destroy(registrar->uverbs, MR_KIND_DM, dm->handle, err);
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
			"a dma-buf of memory on the device requires the library");
		mr_hint(err, "use --via library");
		return -EOPNOTSUPP;
	}
	errno = 0;
	fd = export(dm->dm);
	if (fd < 0)
		return mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_dm_export_dmabuf_fd",
			       NULL);
	*dmabuf = (struct mr_dmabuf){ .fd = fd, .memfd = -1, .owned = true };
	return 0;
}

static int alloc_dmah_by_library(struct ibv_context *context, struct mr_dmah *dmah,
				 struct mr_error *err)
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
	return dmah->dmah ? 0
			  : mr_fail(err, MR_ERROR_REFUSED, mr_call_errno(), "ibv_alloc_dmah",
				    "cannot allocate a DMA handle");
}

/* uverbs_attrs_alloc_dmah_cmd_attr_ids of later versions of <rdma/ib_user_ioctl_cmds.h> */
enum { ALLOC_DMAH_HANDLE, ALLOC_DMAH_CPU_ID, ALLOC_DMAH_TPH_MEM_TYPE, ALLOC_DMAH_PH };

/*
 * The kernel answers EPROTONOSUPPORT where it (before Linux 6.17), its driver or the device has no DMA handles,
 * EPERM for a CPU that this process may not run on, and EINVAL for one that there is not.
 */
static int alloc_dmah_by_kernel(const struct mr_uverbs *uverbs, struct mr_dmah *dmah,
				struct mr_error *err)
{
	struct mr_ioctl request = mr_ioctl_new(MR_OBJECT_DMAH, MR_METHOD_DMAH_ALLOC);
	const struct mr_dmah_hints *hints = &dmah->hints;
	int rc;

	mr_ioctl_add_handle(&request, ALLOC_DMAH_HANDLE, 0);
	MR_IOCTL_IN(&request, ALLOC_DMAH_PH, hints->ph);
	if (hints->memory) {
		MR_IOCTL_IN(&request, ALLOC_DMAH_CPU_ID, hints->cpu);
		/* of an enumeration: its value stands in the place of data */
		mr_ioctl_add(&request, ALLOC_DMAH_TPH_MEM_TYPE, 0, 0)->attr_data.enum_data.elem_id =
			(uint8_t)(hints->memory - MR_DMAH_VOLATILE);
	}
	rc = mr_ioctl_create(uverbs, &request, "ioctl(DMAH_ALLOC)", &dmah->handle, err);
	if (rc)
		mr_wrap(err, "cannot allocate a DMA handle");
	else
		dmah->uverbs = uverbs;
	return rc;
}

int mr_dmah_alloc(const struct mr_registrar *registrar, const struct mr_dmah_hints *hints,
		  struct mr_dmah *dmah, struct mr_error *err)
{
	*dmah = (struct mr_dmah){ .hints = *hints };
	return registrar->via == MR_VIA_LIBRARY
		       ? alloc_dmah_by_library(registrar->context, dmah, err)
		       : alloc_dmah_by_kernel(registrar->uverbs, dmah, err);
}

int mr_dmah_free(struct mr_dmah *dmah, struct mr_error *err)
{
	mr_dealloc_dmah *dealloc = NULL;
	int rc = 0;

	if (dmah->dmah) {
		dealloc = (mr_dealloc_dmah *)mr_symbol_find(MR_SYMBOL_DEALLOC_DMAH, err);
		if (!dealloc)
			return -err->errnum;
		errno = 0;
		rc = dealloc(dmah->dmah); /* the man page says that it is the errno */
		if (rc)
			return mr_fail(err, MR_ERROR_REFUSED, rc > 0 ? rc : mr_call_errno(),
				       "ibv_dealloc_dmah", NULL);
	} else if (dmah->uverbs) {
		rc = mr_uverbs_destroy(dmah->uverbs, MR_KIND_DMAH, dmah->handle, err);
	}
	if (!rc)
		*dmah = (struct mr_dmah){ .dmah = NULL };
	return rc;
}
