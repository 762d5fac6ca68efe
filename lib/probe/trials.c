// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <infiniband/verbs.h>

#include "lib/probe/change.h"
#include "lib/probe/dmabuf.h"
#include "lib/probe/memory.h"
#include "lib/probe/objects.h"
#include "lib/probe/trials.h"
#include "lib/verbs/verbs.h"

#define LW         IBV_ACCESS_LOCAL_WRITE
#define RW         IBV_ACCESS_REMOTE_WRITE
#define RR         IBV_ACCESS_REMOTE_READ
#define RA         IBV_ACCESS_REMOTE_ATOMIC
#define MW         IBV_ACCESS_MW_BIND
#define GLOBAL     (1u << 8) /* rdma-core 45: IBV_ACCESS_FLUSH_GLOBAL */
#define PERSISTENT (1u << 9) /* rdma-core 45: IBV_ACCESS_FLUSH_PERSISTENT */

#define HUGE_2M    (UINT64_C(2) << 20)
#define HUGE_1G    (UINT64_C(1) << 30)

/* A region of one page of memory.  @...: further members */
#define REGION(group_, name_, subject_, access_, ...)                                              \
	{                                                                                          \
		.id = group_ "." name_, .group = (group_), .subject = (subject_),                  \
		.attempt = mr_try_memory, .access = (access_), __VA_ARGS__                         \
	}

/* An access flag, or a combination of them, by the letters that each id is made of: lw for local-write, ... */
#define ACCESS(name_, access_, ...)                                                                \
	REGION("access", name_, "these access flags", access_, __VA_ARGS__)

/* A trial with an attempt of its own. */
#define TRIAL(group_, name_, subject_, attempt_, ...)                                              \
	{                                                                                          \
		.id = group_ "." name_, .group = (group_), .subject = (subject_),                  \
		.attempt = (attempt_), __VA_ARGS__                                                 \
	}

#define NEEDS(capability_) .capability = MR_CAPABILITY_##capability_

/*
 * The legal combinations of the flags that every device has are all here.  Write access of peers needs that
 * of the device itself.
 */
const struct mr_trial mr_trials[] = {
	ACCESS("none", 0, .call = MR_REG_MR),
	ACCESS("local-write", LW, .call = MR_REG_MR),
	ACCESS("remote-read", RR, .call = MR_REG_MR),
	ACCESS("remote-write", RW, NEEDS(FORBIDDEN)),
	ACCESS("remote-atomic", RA, NEEDS(FORBIDDEN)),
	ACCESS("mw-bind", MW, NEEDS(WINDOWS)),
	ACCESS("rr+mw", RR | MW, NEEDS(WINDOWS)),
	ACCESS("lw+mw", LW | MW, NEEDS(WINDOWS)),
	ACCESS("lw+rr", LW | RR, .call = MR_REG_MR),
	ACCESS("lw+rr+mw", LW | RR | MW, NEEDS(WINDOWS)),
	ACCESS("lw+rw", LW | RW, .call = MR_REG_MR),
	ACCESS("lw+rw+mw", LW | RW | MW, NEEDS(WINDOWS)),
	ACCESS("lw+rw+rr", LW | RW | RR, .call = MR_REG_MR),
	ACCESS("lw+rw+rr+mw", LW | RW | RR | MW, NEEDS(WINDOWS)),
	ACCESS("lw+ra", LW | RA, NEEDS(ATOMICS)),
	ACCESS("lw+ra+mw", LW | RA | MW, NEEDS(ATOMICS)),
	ACCESS("lw+rr+ra", LW | RR | RA, NEEDS(ATOMICS)),
	ACCESS("lw+rr+ra+mw", LW | RR | RA | MW, NEEDS(ATOMICS)),
	ACCESS("lw+rw+ra", LW | RW | RA, NEEDS(ATOMICS)),
	ACCESS("lw+rw+ra+mw", LW | RW | RA | MW, NEEDS(ATOMICS)),
	ACCESS("lw+rw+rr+ra", LW | RW | RR | RA, NEEDS(ATOMICS)),
	ACCESS("lw+rw+rr+ra+mw", LW | RW | RR | RA | MW, NEEDS(ATOMICS)),
	ACCESS("rw+rr", RW | RR, NEEDS(FORBIDDEN)),
	ACCESS("rr+ra", RR | RA, NEEDS(FORBIDDEN)),
	ACCESS("rw+ra", RW | RA, NEEDS(FORBIDDEN)),
	ACCESS("rw+rr+ra+mw", RW | RR | RA | MW, NEEDS(FORBIDDEN)),
	ACCESS("on-demand", MR_ACCESS_ON_DEMAND, NEEDS(ODP)),
	TRIAL("access", "hugetlb", "these access flags", mr_try_ignored,
	      .access = MR_ACCESS_HUGETLB),
	ACCESS("flush-global", GLOBAL, NEEDS(FLUSH_GLOBAL)),
	TRIAL("access", "flush-persistent", "these access flags", mr_try_flush_persistent,
	      .access = PERSISTENT, NEEDS(FLUSH_PERSISTENT)),
	TRIAL("access", "relaxed-ordering", "these access flags", mr_try_relaxed,
	      .access = MR_ACCESS_RELAXED_ORDERING, NEEDS(RELAXED)),
	TRIAL("access", "lw+rw+relaxed-ordering", "these access flags", mr_try_relaxed,
	      .access = LW | RW | MR_ACCESS_RELAXED_ORDERING, NEEDS(RELAXED)),
	ACCESS("unknown-bit", 1u << 15, NEEDS(FORBIDDEN)),

	REGION("kind", "plain", "ibv_reg_mr", LW, .call = MR_REG_MR),
	REGION("kind", "plain-ioctl", "the same by the kernel itself", LW, .via = MR_VIA_KERNEL),
	REGION("kind", "iova", "another address for the HCA", LW, .call = MR_REG_MR_IOVA),
	TRIAL("kind", "zero-based", "a region that begins at 0, by the flag", mr_try_zero_based,
	      .access = LW | MR_ACCESS_ZERO_BASED),
	REGION("kind", "huge-pages", "on a huge page of the host", LW, .memory = MR_MEMORY_HUGETLB),
	REGION("kind", "odp-explicit", "pages fetched on demand", LW | MR_ACCESS_ON_DEMAND,
	       NEEDS(ODP)),
	TRIAL("kind", "odp-implicit", "the whole address space, on demand", mr_try_implicit,
	      .access = LW | MR_ACCESS_ON_DEMAND, NEEDS(IMPLICIT)),
	REGION("kind", "odp-huge-pages", "on demand, on a huge page",
	       LW | MR_ACCESS_ON_DEMAND | MR_ACCESS_HUGETLB, .memory = MR_MEMORY_HUGETLB),
	TRIAL("kind", "null-mr", "the region that takes all and holds nothing", mr_try_null,
	      .call = MR_ALLOC_NULL_MR),

	TRIAL("prefetch", "read", "fetch pages, for reading", mr_try_advice,
	      .detail = IBV_ADVISE_MR_ADVICE_PREFETCH),
	TRIAL("prefetch", "write", "fetch pages, for writing", mr_try_advice,
	      .detail = IBV_ADVISE_MR_ADVICE_PREFETCH_WRITE),
	TRIAL("prefetch", "no-fault", "fetch the pages that are there", mr_try_advice,
	      .detail = IBV_ADVISE_MR_ADVICE_PREFETCH_NO_FAULT),
	TRIAL("prefetch", "ioctl", "fetch pages, by the kernel itself", mr_try_advice,
	      .via = MR_VIA_KERNEL, .detail = IBV_ADVISE_MR_ADVICE_PREFETCH),

	TRIAL("dmabuf", "none", "with the descriptor -1: EBADF means yes", mr_try_no_dmabuf,
	      .call = MR_REG_DMABUF_MR, .access = LW, .yes_errno = EBADF),
	TRIAL("dmabuf", "udmabuf", "of memory, by /dev/udmabuf", mr_try_dmabuf,
	      .call = MR_REG_DMABUF_MR, .access = LW, .dmabuf = MR_DMABUF_UDMABUF),
	TRIAL("dmabuf", "heap", "of the dma-heap \"system\"", mr_try_dmabuf,
	      .call = MR_REG_DMABUF_MR, .access = LW, .dmabuf = MR_DMABUF_HEAP),
	TRIAL("dmabuf", "dm", "of memory on the device", mr_try_dm_dmabuf, .call = MR_REG_DMABUF_MR,
	      .access = LW),
	TRIAL("dmabuf", "ioctl", "with the descriptor -1, by the kernel itself", mr_try_no_dmabuf,
	      .call = MR_REG_DMABUF_MR, .via = MR_VIA_KERNEL, .access = LW, .yes_errno = EBADF),
	TRIAL("dmabuf", "data-direct", "by Data Direct, with the descriptor -1", mr_try_no_dmabuf,
	      .call = MR_DV_REG_DMABUF_MR, .access = LW, .yes_errno = EBADF, NEEDS(DATA_DIRECT)),
	TRIAL("dmabuf", "data-direct-heap", "by Data Direct, of the dma-heap", mr_try_dmabuf,
	      .call = MR_DV_REG_DMABUF_MR, .access = LW, .dmabuf = MR_DMABUF_HEAP,
	      NEEDS(DATA_DIRECT)),

	REGION("umem", "plain", "a umem of DEVX", LW, .call = MR_UMEM_REG),
	TRIAL("umem", "pages-4k", "a umem with pages of 4 KiB", mr_try_umem_pages,
	      .call = MR_UMEM_REG_EX, .access = LW, .detail = 4096),
	TRIAL("umem", "pages-64k", "a umem with pages of 64 KiB, on a huge page", mr_try_umem_pages,
	      .call = MR_UMEM_REG_EX, .access = LW, .memory = MR_MEMORY_HUGETLB, .detail = 65536),
	TRIAL("umem", "pages-2m", "a umem with pages of 2 MiB, on a huge page", mr_try_umem_pages,
	      .call = MR_UMEM_REG_EX, .access = LW, .memory = MR_MEMORY_HUGETLB,
	      .huge_size = HUGE_2M, .detail = HUGE_2M),
	TRIAL("umem", "pages-1g", "a umem with pages of 1 GiB, on a huge page", mr_try_umem_pages,
	      .call = MR_UMEM_REG_EX, .access = LW, .memory = MR_MEMORY_HUGETLB,
	      .huge_size = HUGE_1G, .detail = HUGE_1G),
	TRIAL("umem", "dmabuf", "a umem of the dma-heap \"system\"", mr_try_dmabuf,
	      .call = MR_UMEM_REG_DMABUF, .access = LW, .dmabuf = MR_DMABUF_HEAP),
	TRIAL("umem", "dmabuf-none", "of a file that is none: EINVAL means yes", mr_try_umem_memfd,
	      .call = MR_UMEM_REG_DMABUF, .access = LW, .yes_errno = EINVAL),
	REGION("umem", "ioctl", "a umem, by the kernel itself", LW, .call = MR_UMEM_REG,
	       .via = MR_VIA_KERNEL),

	TRIAL("rereg", "translation", "other memory for a region", mr_try_rereg,
	      .detail = MR_CHANGE_TRANSLATION),
	TRIAL("rereg", "pd", "another protection domain", mr_try_rereg, .detail = MR_CHANGE_PD),
	TRIAL("rereg", "access", "other access flags", mr_try_rereg, .detail = MR_CHANGE_ACCESS,
	      .access = LW),
	TRIAL("rereg", "translation-ioctl", "other memory, by the kernel itself", mr_try_rereg,
	      .via = MR_VIA_KERNEL, .detail = MR_CHANGE_TRANSLATION),
	TRIAL("rereg", "pd-ioctl", "another domain, by the kernel itself", mr_try_rereg,
	      .via = MR_VIA_KERNEL, .detail = MR_CHANGE_PD),
	TRIAL("rereg", "access-ioctl", "other access, by the kernel itself", mr_try_rereg,
	      .via = MR_VIA_KERNEL, .detail = MR_CHANGE_ACCESS, .access = LW),

	TRIAL("window", "type-1", "a memory window of type 1", mr_try_window,
	      .detail = IBV_MW_TYPE_1, NEEDS(WINDOWS_1)),
	TRIAL("window", "type-2", "a memory window of type 2", mr_try_window,
	      .detail = IBV_MW_TYPE_2, NEEDS(WINDOWS_2)),

	TRIAL("dm", "alloc", "memory on the device", mr_try_dm_alloc, NEEDS(DM)),
	TRIAL("dm", "register", "a region on memory on the device", mr_try_dm_register,
	      .call = MR_REG_DM_MR, .access = LW | MR_ACCESS_ZERO_BASED),
	TRIAL("dm", "export", "a dma-buf of memory on the device", mr_try_dm_export),

	TRIAL("reg-mr-ex", "addr", "ibv_reg_mr_ex of memory", mr_try_ex, .call = MR_REG_MR_EX,
	      .access = LW),
	TRIAL("reg-mr-ex", "iova", "the same at another address", mr_try_ex,
	      .call = MR_REG_MR_EX_IOVA, .access = LW),
	TRIAL("reg-mr-ex", "dmabuf", "the same of the dma-heap \"system\"", mr_try_ex,
	      .call = MR_REG_MR_EX_FD, .access = LW, .dmabuf = MR_DMABUF_HEAP),

	TRIAL("import", "device", "a device in a second process", mr_try_import_device,
	      .call = MR_REG_MR),
	TRIAL("import", "pd", "a protection domain there", mr_try_import_pd, .call = MR_REG_MR),
	TRIAL("import", "mr", "a region there", mr_try_import_mr, .call = MR_REG_MR),
	TRIAL("import", "umem", "a umem there", mr_try_import_umem, .call = MR_UMEM_REG),

	TRIAL("dma-handle", "alloc", "a DMA handle (hints for PCIe)", mr_try_dma_handle,
	      .call = MR_REG_MR),
	TRIAL("dma-handle", "register", "a region with a DMA handle", mr_try_dmah_register,
	      .call = MR_REG_MR_DMAH, .access = LW),
	{ .id = NULL },
};

bool mr_trial_has_access(const struct mr_trial *trial)
{
	return trial->access || trial->attempt == mr_try_memory;
}
