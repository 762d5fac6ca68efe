// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules of drivers, libraries and kernels, and exporters of dma-bufs, which no machine of ours has. */
#include <infiniband/verbs.h>

#include "lib/diagnose/causes/causes.h"
#include "lib/verbs/verbs.h"
#include "lib/verify/verify.h"
#include "tests/unit/lib/diagnose/causes/cause.h"

EACH_TEST(set_up, tear_down)

#define ENOTSUPP_OF_KERNEL 524

/* A refused registration at 1 MiB, or of a dma-buf; what follows "is" is optional. */
struct rule {
	const char *provider;
	enum mr_region_call how;
	int errnum;
	uint64_t length;
	const char *id;
	unsigned int is; /* the certainty */
	const char *says;
	const char *changes; /* of the host */
	const char *kernel;  /* that is simulated */
	const char *rdma_core, *memory;
	uint32_t access; /* 0: local-write */
	bool reports;    /* the device has told: */
	struct mr_attributes attributes;
	uint64_t held, addr, iova, page_sizes;
	enum mr_via via;
	uint32_t driver_id; /* 0: none is known */
	bool is_simulated, is_of_other_process;
	uint64_t unknown; /* bits of a comp_mask */
	enum mr_tristate by_kernel;
	enum mr_try_change change; /* with which the call was tried, ... */
	int tried;                 /* ... and its answer */
	enum mr_try_change first;  /* how it was repeated, where ... */
	bool passes, is_other;     /* ... it passed then, or was refused with another errno */
};

static struct mr_region_request request;
static struct mr_uverbs uverbs;
static struct mr_tries tries;

static void refuse(const struct rule *row)
{
	request = (struct mr_region_request){ .call = row->how,
					      .fd = 9,
					      .addr = row->addr,
					      .iova = row->iova,
					      .length = row->length,
					      .page_sizes = row->page_sizes,
					      .access = row->access ? row->access : WRITE };
	environment = (struct mr_environment){ .device = "mlx5_0", .simulated = row->is_simulated };
	snprintf(environment.provider, sizeof(environment.provider), "%s", row->provider);
	snprintf(environment.rdma_core, sizeof(environment.rdma_core), "%s", row->rdma_core ?: "65.0");
	snprintf(environment.simulated_kernel, sizeof(environment.simulated_kernel), "%s", row->kernel ?: "");
	uverbs = (struct mr_uverbs){ .driver_id = row->driver_id };
	tries = (struct mr_tries){ .count = 2, .is_refused_again = !row->passes && !row->is_other };
	tries.list[0] = (struct mr_try){ .change = row->first,
					 .made = true,
					 .errnum = row->passes     ? 0
						   : row->is_other ? ERANGE
								   : row->errnum };
	tries.count = row->change ? 2 : 1;
	tries.list[1] = (struct mr_try){ .change = row->change, .made = true, .errnum = row->tried };
	refusal = (struct mr_refusal){ .call = mr_call_row(row->how)->name,
				       .errnum = row->errnum,
				       .kind = MR_ERROR_REFUSED,
				       .via = row->via,
				       .environment = &environment,
				       .request = &request,
				       .memory = row->memory,
				       .held = row->held,
				       .unknown_attributes = row->unknown,
				       .by_kernel = row->by_kernel,
				       .is_of_other_process = row->is_of_other_process,
				       .uverbs = row->driver_id ? &uverbs : NULL,
				       .tries = row->change || row->passes ? &tries : NULL };
}

/* ---- causes that are asked by themselves, as their devices are not here to be asked ---- */

/* Asks a cause; its device has told what the row says. */
static void ask(const struct rule *row)
{
	const struct mr_cause *cause = mr_cause_find(row->id, strlen(row->id));
	struct mr_suspicion suspicion = { .cause = cause };
	struct mr_inquiry inquiry;

	refuse(row);
	mr_inquiry_init(&inquiry, &refusal, &recorded.host);
	inquiry.has_attributes = row->reports ? MR_FACT_KNOWN : MR_FACT_UNKNOWN;
	inquiry.attributes = row->attributes;
	assert_true(mr_cause_speaks_for(cause, 1U << inquiry.operation, refusal.errnum));
	mr_cause_look(&inquiry, cause, &suspicion);
	if (suspicion.certainty != row->is || (row->says && !strstr(suspicion.text, row->says)))
		fail_msg("%s by %s, length %ju, kernel %s: %s '%s'", row->id, row->provider, (uintmax_t)row->length,
			 row->kernel ?: "?", mr_certainties[suspicion.certainty].name, suspicion.text);
	if (suspicion.certainty > MR_UNRELATED)
		assert_true(suspicion.text[0] && suspicion.evidence_count);
	if (suspicion.certainty > MR_RULED_OUT)
		expect_evidence(&suspicion);
}

#define MTT                                                                                                            \
	"/sys/module/mlx4_core/parameters/log_num_mtt 20\n"                                                            \
	"/sys/module/mlx4_core/parameters/log_mtts_per_seg 3\n"
#define SIZE(n)      .reports = true, .attributes.max_mr_size = n
#define ODP(n)       .reports = true, .attributes.odp.general = n
#define REL(s)       .changes = "/proc/sys/kernel/osrelease " s "\n/sys/module/ib_core/initstate live"
#define OFED(s)      .changes = "/proc/sys/kernel/osrelease " s "\n/sys/module/mlx_compat/taint OE"
#define NO_ODP       "/boot/config-6.1.0-50-amd64 # CONFIG_INFINIBAND_ON_DEMAND_PAGING is not set\n"
#define DMABUF       MR_REG_DMABUF_MR
#define UNKNOWN_FLAG (WRITE | 1U << 10)
#define MOST_PAGES   (UINT64_C(4096) * UINT32_MAX)

TEST(rules_of_drivers_and_kernels)
{
	static const struct rule rows[] = {
		{ "mlx5", DMABUF, EPROTONOSUPPORT, MIB, "MR-KERNEL-METHOD", .is = UNRELATED },
		{ "efa", MR_REG_MR, ENOMEM, 128 * GIB, "MR-EFA-PAGES", .is = LIKELY, .says = "33554432 pages" },
		{ "efa", MR_REG_MR, ENOMEM, 96 * GIB, "MR-EFA-PAGES", .is = POSSIBLE },
		{ "efa", MR_REG_MR, ENOMEM, 4 * GIB + 4096, "MR-EFA-PAGES", .is = POSSIBLE },
		{ "efa", MR_REG_MR, ENOMEM, 4 * GIB, "MR-EFA-PAGES", .is = RULED_OUT },
		{ "mlx5", MR_REG_MR, ENOMEM, 128 * GIB, "MR-EFA-PAGES", .is = UNRELATED },
		{ "erdma", MR_REG_MR, EIO, 4 * GIB, "MR-ERDMA-SIZE", .is = LIKELY, SIZE(64 * GIB),
		  .held = 60 * GIB + 1 },
		{ "erdma", MR_REG_MR, EIO, 4 * GIB, "MR-ERDMA-SIZE", .is = POSSIBLE, SIZE(64 * GIB), .held = 60 * GIB },
		{ "erdma", MR_REG_MR, EINVAL, 4 * GIB, "MR-ERDMA-SIZE", .is = LIKELY, SIZE(64 * GIB),
		  .held = UINT64_MAX },
		{ "erdma", MR_REG_MR, EINVAL, 4 * GIB, "MR-ERDMA-SIZE", .is = UNRELATED, SIZE(64 * GIB) },
		{ "erdma", MR_REG_MR, EIO, 4 * GIB, "MR-ERDMA-SIZE", .is = UNRELATED },
		{ "rxe", MR_REG_MR, EIO, 128 * GIB, "MR-ERDMA-SIZE", .is = UNRELATED, SIZE(64 * GIB) },
		{ "mlx4", MR_REG_MR, ENOMEM, 64 * GIB, "MR-MLX4-MTT", .is = UNRELATED },
		{ "mlx4", MR_REG_MR, ENOMEM, 32 * GIB + 1, "MR-MLX4-MTT", .is = LIKELY, .changes = MTT,
		  .says = "at most 32 GiB (log_num_mtt 20)" },
		{ "mlx4", MR_REG_MR, ENOMEM, 32 * GIB, "MR-MLX4-MTT", .is = POSSIBLE },
		{ "mlx4", MR_REG_MR, ENOMEM, GIB, "MR-MLX4-MTT", .is = POSSIBLE, .held = 31 * GIB },
		{ "mlx4", MR_REG_MR, ENOMEM, GIB, "MR-MLX4-MTT", .is = LIKELY, .held = 31 * GIB + 1 },
		{ "rxe", MR_REG_MR, ENOMEM, GIB + 1, "MR-RXE-SIZE", .is = LIKELY, .kernel = "7.0", .says = "262145 pages" },
		{ "rxe", MR_REG_MR, ENOMEM, GIB, "MR-RXE-SIZE", .is = UNRELATED, .kernel = "7.0" },
		{ "rxe", MR_REG_MR, ENOMEM, GIB + 1, "MR-RXE-SIZE", .is = UNRELATED, .kernel = "6.19" },
		{ "rxe", MR_REG_MR, EINVAL, MIB, "MR-RXE-EINVAL", .is = POSSIBLE, .kernel = "5.12" },
		{ "rxe", MR_REG_MR, EINVAL, MIB, "MR-RXE-EINVAL", .is = UNRELATED, .kernel = "5.13" },
		{ "mlx5", MR_REG_MR, EINVAL, MIB, "MR-RXE-EINVAL", .is = UNRELATED, .kernel = "5.10" },
		{ "bnxt_re", MR_REG_MR, EFAULT, MIB, "MR-BNXT-EFAULT", .is = POSSIBLE, .kernel = "6.5" },
		{ "bnxt_re", MR_REG_MR, EFAULT, MIB, "MR-BNXT-EFAULT", .is = UNRELATED, .kernel = "6.6" },
		{ "mlx5", MR_REG_MR, EFAULT, MIB, "MR-BNXT-EFAULT", .is = UNRELATED, .kernel = "6.1" },
		{ "bnxt_re", MR_REG_MR, EIO, MIB, "MR-BNXT-FIRMWARE", .is = LIKELY },
		{ "rxe", MR_REG_MR, EIO, MIB, "MR-BNXT-FIRMWARE", .is = UNRELATED },
		{ "ionic", MR_REG_MR, EINVAL, MIB, "MR-ATOMIC-IONIC", .is = UNRELATED },
		{ "ionic", MR_REG_MR, EINVAL, MIB, "MR-ATOMIC-IONIC", .is = POSSIBLE,
		  .access = WRITE | MR_ACCESS_REMOTE_ATOMIC },
		{ "mlx5", MR_REG_MR, EINVAL, MIB, "MR-ATOMIC-IONIC", .is = UNRELATED,
		  .access = WRITE | MR_ACCESS_REMOTE_ATOMIC },
		{ "mlx5", DMABUF, EINVAL, GIB, "MR-DMABUF-UMR", .is = POSSIBLE },
		{ "mlx5", DMABUF, EINVAL, MIB, "MR-DMABUF-UMR", .is = UNRELATED },
		{ "mlx5", DMABUF, EOPNOTSUPP, MIB, "MR-DMABUF-ODP", .is = UNRELATED, .kernel = "7.2" },
		{ "mlx5", DMABUF, EOPNOTSUPP, MIB, "MR-DMABUF-ODP", .is = LIKELY, ODP(0), .kernel = "7.1" },
		{ "mlx5", DMABUF, EOPNOTSUPP, MIB, "MR-DMABUF-ODP", .is = CERTAIN, ODP(0), .kernel = "7.2" },
		{ "mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP, MIB, "MR-DMABUF-ODP", .is = UNRELATED, ODP(0),
		  .kernel = "7.2" },
		{ "mlx5", DMABUF, EOPNOTSUPP, MIB, "MR-DMABUF-ODP", .is = RULED_OUT, ODP(1), .kernel = "7.2" },
		{ "mlx5", DMABUF, EOPNOTSUPP, MIB, "MR-DMABUF-ODP", .is = CERTAIN, ODP(0),
		  .changes = NO_ODP "/proc/sys/kernel/osrelease 6.1.0-50-amd64\n"
				    "/sys/module/ib_core/initstate live" },
		{ "mlx5", DMABUF, EOPNOTSUPP, MIB, "MR-DMABUF-ODP", .is = LIKELY, ODP(0),
		  OFED("6.1.0-50-amd64") }, /* it is built with options of its own */
		{ "mlx5", MR_REG_MR, EINVAL, SIZE_MAX, "MR-IMPLICIT-ADDRESS", .is = CERTAIN,
		  .access = WRITE | ON_DEMAND, .addr = MIB },
		{ "mlx5", MR_REG_MR, EINVAL, SIZE_MAX, "MR-IMPLICIT-ADDRESS", .is = UNRELATED,
		  .access = WRITE | ON_DEMAND, .addr = MIB, .via = MR_VIA_KERNEL },
		{ "mlx5", MR_REG_MR, EINVAL, SIZE_MAX, "MR-IMPLICIT-ADDRESS", .is = RULED_OUT,
		  .access = WRITE | ON_DEMAND },
		{ "new", MR_REG_MR, EINVAL, MIB, "MR-VIA-KERNEL-DATA", .is = POSSIBLE, .via = MR_VIA_KERNEL,
		  .driver_id = 250 },
		{ "new", MR_REG_MR, EINVAL, MIB, "MR-VIA-KERNEL-DATA", .is = UNRELATED, .via = MR_VIA_KERNEL,
		  .driver_id = 1 },
		{ "mlx5", MR_REG_MR, ENOTSUPP_OF_KERNEL, MIB, "MR-ENOTSUPP", .is = POSSIBLE },
		{ "mlx5", DMABUF, ENOTSUPP_OF_KERNEL, MIB, "MR-ENOTSUPP", .is = LIKELY },
		{ "mlx5", DMABUF, EPROTONOSUPPORT, MIB, "MR-KERNEL-METHOD", .is = POSSIBLE, .kernel = "5.12" },
		{ "mlx5", DMABUF, EPROTONOSUPPORT, MIB, "MR-KERNEL-METHOD", .is = LIKELY,
		  .changes = "# vendors' kernels\n/proc/sys/kernel/osrelease 4.18.0-553.5.1.el8_10.x86_64\n"
			     "/sys/module/ib_core/initstate live",
		  .says = "unless its vendor has added it" },
		{ "mlx5", DMABUF, EPROTONOSUPPORT, MIB, "MR-KERNEL-METHOD", .is = CERTAIN, REL("5.10.110-rc7") },
		{ "mlx5", MR_REG_MR, EINVAL, MIB, "MR-ACCESS-FLAGS", .is = LIKELY, REL("5.14.0-427.13.1.el9_4.x86_64"),
		  .access = MR_ACCESS_FLUSH_GLOBAL },
		{ "mlx5", DMABUF, EPROTONOSUPPORT, MIB, "MR-KERNEL-METHOD", .is = LIKELY, OFED("5.10.110") },
		{ "mlx5", DMABUF, EPROTONOSUPPORT, MIB, "MR-KERNEL-METHOD", .is = POSSIBLE, OFED("6.12.5"),
		  .says = "the RDMA modules are those of OFED" },
		{ "mlx5", MR_REG_MR, EINVAL, MIB, "MR-ACCESS-FLAGS", .is = LIKELY, OFED("6.12.5"),
		  .access = UNKNOWN_FLAG },
		{ "mlx5", MR_REG_MR, EINVAL, MIB, "MR-ACCESS-FLAGS", .is = LIKELY, .kernel = "7.3",
		  .access = UNKNOWN_FLAG },
		{ "mlx5", MR_REG_MR, EINVAL, MIB, "MR-ACCESS-FLAGS", .is = UNRELATED, .kernel = "6.2",
		  .access = MR_ACCESS_FLUSH_GLOBAL },
		/* vendors have providers of their own for hardware alone */
		{ "mlx4", DMABUF, EOPNOTSUPP, MIB, "MR-PROVIDER-OPERATION", .is = LIKELY },
		{ "rxe", DMABUF, EOPNOTSUPP, MIB, "MR-PROVIDER-OPERATION", .is = LIKELY, .rdma_core = "2410mlnx54.0" },
		{ "mlx5", MR_REG_MR_EX, EOPNOTSUPP, MIB, "MR-COMP-MASK", .is = UNRELATED },
		{ "mlx5", MR_REG_MR_EX, EOPNOTSUPP, MIB, "MR-COMP-MASK", .is = LIKELY, .unknown = 64,
		  .by_kernel = MR_NO, .says = "comp_mask has 0x40" },
		{ "mlx5", MR_REG_MR_EX, EOPNOTSUPP, MIB, "MR-COMP-MASK", .is = UNRELATED, .unknown = 64,
		  .by_kernel = MR_YES },
		/* figures at their limits */
		{ "mlx5", MR_REG_MR, EINVAL, 0, "MR-LENGTH-ZERO", .is = LIKELY, .addr = MIB + 1 }, /* it has a page */
		{ "mlx5", MR_REG_MR, EINVAL, 1, "MR-LENGTH-ZERO", .is = UNRELATED, .addr = MIB },
		{ "mlx5", MR_REG_MR, EINVAL, 4096, "MR-RANGE-WRAPS", .is = UNRELATED, .addr = UINT64_MAX - 8191 },
		{ "mlx5", MR_REG_MR, EINVAL, 4097, "MR-RANGE-WRAPS", .is = CERTAIN, .addr = UINT64_MAX - 8191 },
		{ "mlx5", MR_REG_MR, EINVAL, UINT64_MAX, "MR-RANGE-WRAPS", .is = UNRELATED, .addr = MIB,
		  .access = ON_DEMAND },
		{ "mlx5", MR_REG_MR, EOVERFLOW, UINT64_MAX, "MR-RANGE-WRAPS", .is = CERTAIN, .addr = MIB,
		  .access = ON_DEMAND },
		{ "mlx5", MR_REG_MR, EOVERFLOW, UINT64_MAX, "MR-RANGE-WRAPS", .is = UNRELATED, .addr = MIB },
		{ "mlx5", MR_REG_MR, EOVERFLOW, UINT64_MAX, "MR-RANGE-WRAPS", .is = UNRELATED,
		  .access = ON_DEMAND }, /* an implicit one */
		{ "mlx5", MR_REG_MR, EINVAL, MOST_PAGES, "MR-PAGE-COUNT", .is = UNRELATED, .addr = MIB },
		{ "mlx5", MR_REG_MR, EINVAL, MOST_PAGES, "MR-PAGE-COUNT", .is = CERTAIN, .addr = MIB + 1 },
		{ "mlx5", MR_REG_MR, EINVAL, MOST_PAGES + 1, "MR-PAGE-COUNT", .is = UNRELATED, .addr = MIB,
		  .access = ON_DEMAND },
		{ "mlx5", MR_REG_MR, EINVAL, UINT64_MAX, "MR-PAGE-COUNT", .is = UNRELATED, .addr = MIB },
		{ "mlx5", MR_REG_MR, EINVAL, MOST_PAGES + 4097, "MR-PAGE-COUNT", .is = CERTAIN,
		  .addr = UINT64_MAX - MOST_PAGES - 8192 },
		{ "mlx5", MR_REG_MR, EINVAL, MOST_PAGES + 4098, "MR-PAGE-COUNT", .is = UNRELATED,
		  .addr = UINT64_MAX - MOST_PAGES - 8192 },
		{ "mlx5", MR_REG_MR, EIO, GIB, "MR-MAX-MR", .is = UNRELATED, SIZE(GIB) },
		{ "mlx5", MR_REG_MR, EINVAL, GIB + 1, "MR-MAX-MR", .is = LIKELY, SIZE(GIB) },
		{ "mlx5", MR_ALLOC_NULL_MR, EOPNOTSUPP, 0, "MR-NULL-KEY", .is = LIKELY },
		{ "rxe", MR_ALLOC_NULL_MR, EOPNOTSUPP, 0, "MR-NULL-KEY", .is = UNRELATED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change(rows[i].changes ?: "");
		ask(&rows[i]);
	}
}

/* ---- dma-bufs, and what tries show ---- */

#define FILE_9(target, info) "/calls/proc/self/fd/9.link " target "\n/proc/self/fdinfo/9 pos:\t0\n" info
#define INFO(line)           "/proc/self/fdinfo/9 " line "\n"
#define BY(exporter)         FILE_9("/dmabuf:", INFO("flags:\t02000002") INFO("size:\t8192") INFO("exp_name:\t" exporter))
#define KERNEL(release)      "/proc/sys/kernel/osrelease " release "\n/sys/module/ib_core/initstate live\n"
#define HCA_IN(group)        "/calls/sys/bus/pci/devices/0000:c1:00.0/iommu_group.link ../kernel/iommu_groups/" group "\n"
#define GPU                  "/sys/bus/pci/devices/0000:c4:00.0/"
#define GPU_BESIDE_HCA                                                                                                 \
	"/sys/class/infiniband/mlx5_0/node_type 1: CA\n"                                                               \
	"/calls/sys/class/infiniband/mlx5_0/device.link ../../../0000:c1:00.0\n" GPU "class 0x030200\n" GPU            \
	"vendor 0x10de\n/calls" GPU "driver.link ../bus/pci/drivers/nvidia\n"                                          \
	"/calls" GPU "iommu_group.link ../kernel/iommu_groups/42\n"                                                    \
	"/calls/uname/machine.answer aarch64\n"                                                                        \
	"/proc/driver/nvidia/params GrdmaPciTopoCheckOverride: 0\n"
#define LOCKED(limit)                                                                                                  \
	"/proc/self/limits Max locked memory " limit " " limit " bytes\n/proc/self/status PPid:\t0\n"                  \
	"/proc/self/status CapEff:\t0\n/proc/self/status VmPin:\t0 kB\n"
#define TRIED(with, errno) .change = MR_TRY_##with, .tried = errno

TEST(dmabufs_and_what_tries_show)
{
	static const struct rule rows[] = {
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = UNRELATED },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = RULED_OUT, .changes = BY("amdgpu") },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-RANGE", .is = RULED_OUT },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-EXPORTER", .is = FIRST_POSSIBLE,
		  .says = "CONFIG_PCI_P2PDMA" },
		{ "mlx5", DMABUF, EBUSY, 4096, "MR-DMABUF-EXPORTER", .is = POSSIBLE },
		{ "mlx5", DMABUF, EBADF, 4096, "MR-DMABUF-FILE", .is = UNRELATED },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-EXPORTER", .is = LIKELY, TRIED(UDMABUF, 0) },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-EXPORTER", .is = RULED_OUT, TRIED(UDMABUF, EINVAL) },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-EXPORTER", .is = POSSIBLE, TRIED(UDMABUF, ENOMEM) },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-EXPORTER", .is = POSSIBLE, TRIED(OTHER_PD, 0) },
		/* The exporter was not asked for a range beyond its end, and the new one is longer. */
		{ "mlx5", DMABUF, EINVAL, 9000, "MR-DMABUF-EXPORTER", .is = UNRELATED, TRIED(UDMABUF, 0) },
		/* A call that passes now had a cause that has gone, but a session's context or a change may be the cause. */
		{ "mlx5", DMABUF, EINVAL, 9000, "MR-DMABUF-RANGE", .is = CERTAIN },
		{ "mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP, 4096, "MR-DATA-DIRECT-IOVA", .is = CERTAIN, .addr = 64,
		  .iova = 64, TRIED(NO_DATA_DIRECT, EOPNOTSUPP) },
		{ "mlx5", DMABUF, EINVAL, 9000, "MR-DMABUF-RANGE", .is = POSSIBLE, .passes = true },
		{ "mlx5", DMABUF, EINVAL, 9000, "MR-DMABUF-RANGE", .is = LIKELY, .passes = true,
		  .first = MR_TRY_OWN_CONTEXT },
		{ "mlx5", DMABUF, EINVAL, 9000, "MR-DMABUF-RANGE", .is = CERTAIN, .passes = true,
		  .first = MR_TRY_ANEW },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-EXPORTER", .is = POSSIBLE, .passes = true,
		  .first = MR_TRY_OWN_CONTEXT },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-EXPORTER", .is = POSSIBLE, .is_other = true,
		  TRIED(UDMABUF, 0) },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-RANGE", .is = RULED_OUT, .addr = 4096 },
		{ "efa", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = CERTAIN,
		  .changes = FILE_9("socket:[4711]", INFO("flags:\t02")) },
		{ "efa", DMABUF, EINVAL, 4096, "MR-DMABUF-EXPORTER", .is = UNRELATED },
		{ "efa", DMABUF, EBADF, 4096, "MR-DMABUF-FILE", .is = UNRELATED },
		{ "efa", DMABUF, EBADF, 4096, "MR-DMABUF-FILE", .is = CERTAIN,
		  .changes = FILE_9("/tmp/x", INFO("flags:\t012000000")) }, /* O_PATH */
		{ "efa", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = UNRELATED },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = UNRELATED,
		  .changes = "/proc/self/fdinfo/9 garbage" },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = CERTAIN,
		  .changes = FILE_9("/dev/zero", INFO("flags:\t02")) },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = UNRELATED, .is_of_other_process = true },
		{ "mlx5", DMABUF, ENOTSUPP_OF_KERNEL, 4096, "MR-ENOTSUPP", .is = POSSIBLE },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = CERTAIN,
		  .changes = FILE_9("/memfd:mrctl-dmabuf (deleted)", INFO("flags:\t02")) },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-DMABUF-FILE", .is = RULED_OUT, .is_simulated = true },
		{ "efa", DMABUF, EOPNOTSUPP, 4096, "MR-DMABUF-PIN", .is = CERTAIN,
		  .changes = BY("vfio_pci_core") KERNEL("6.19.3") },
		{ "efa", DMABUF, EOPNOTSUPP, 4096, "MR-DMABUF-PIN", .is = POSSIBLE, .changes = KERNEL("7.0.0") },
		{ "mlx5", DMABUF, EOPNOTSUPP, 4096, "MR-DMABUF-PIN", .is = UNRELATED },
		{ "mlx5", MR_UMEM_REG_DMABUF, EOPNOTSUPP, 4096, "MR-DMABUF-PIN", .is = POSSIBLE },
		{ "mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP, 4096, "MR-DMABUF-PIN", .is = CERTAIN,
		  .changes = BY("ib_uverbs") KERNEL("7.2.13") },
		{ "mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP, 4096, "MR-DMABUF-PIN", .is = LIKELY,
		  .changes = KERNEL("7.9.0") },
		{ "mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP, 4096, "MR-DMABUF-PIN", .is = RULED_OUT,
		  .changes = BY("udmabuf") },
		/* A limit of this process need not be that of another one, whose request shows its own faults. */
		{ "mlx5", MR_REG_MR, ENOMEM, MIB, "MR-MEMLOCK", .is = CERTAIN, .changes = LOCKED("65536") },
		{ "mlx5", MR_REG_MR, ENOMEM, MIB, "MR-MEMLOCK", .is = POSSIBLE, .is_of_other_process = true },
		{ "mlx5", MR_REG_MR, ENOMEM, MIB, "MR-MEMLOCK", .is = UNRELATED, .is_of_other_process = true,
		  .changes = LOCKED("unlimited") },
		{ "mlx5", MR_REG_MR, EINVAL, MIB, "MR-ACCESS-LOCAL-WRITE", .is = CERTAIN, .is_of_other_process = true,
		  .access = MR_ACCESS_REMOTE_WRITE },
		{ "mlx5", DMABUF, ENOTSUPP_OF_KERNEL, 4096, "MR-DMABUF-PCIE", .is = UNRELATED },
		{ "mlx5", DMABUF, ENOTSUPP_OF_KERNEL, 4096, "MR-DMABUF-PCIE", .is = POSSIBLE, .changes = BY("nvidia") },
		{ "mlx5", DMABUF, ENOTSUPP_OF_KERNEL, 4096, "MR-DMABUF-EXPORTER", .is = FIRST_LIKELY,
		  .says = "errno 524" },
		{ "mlx5", DMABUF, ENOTSUPP_OF_KERNEL, 4096, "MR-ENOTSUPP", .is = POSSIBLE },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-IOMMU-GROUP", .is = LIKELY, .changes = GPU_BESIDE_HCA HCA_IN("7") },
		{ "mlx5", DMABUF, EINVAL, 4096, "MR-IOMMU-GROUP", .is = RULED_OUT, .changes = HCA_IN("42") },
		{ "mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP, 4096, "MR-DATA-DIRECT-IOVA", .is = RULED_OUT },
		{ "mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP, 4096, "MR-DATA-DIRECT-IOVA", .is = POSSIBLE,
		  .iova = 64 }, /* ib_uverbs answers EINVAL before */
		{ "mlx5", DMABUF, EOPNOTSUPP, 4096, "MR-DATA-DIRECT-IOVA", .is = UNRELATED, .iova = 64 },
		{ "mlx5", MR_UMEM_REG_EX, EPROTONOSUPPORT, 4096, "MR-UMEM-ATTRIBUTE", .is = LIKELY,
		  .changes = KERNEL("5.10.0") },
		{ "mlx5", MR_UMEM_REG, EPROTONOSUPPORT, 4096, "MR-UMEM-ATTRIBUTE", .is = UNRELATED },
		{ "mlx5", MR_UMEM_REG_EX, EPROTONOSUPPORT, 4096, "MR-UMEM-ATTRIBUTE", .is = RULED_OUT,
		  .changes = KERNEL("5.15.0") },
		{ "mlx5", MR_UMEM_REG_DMABUF, EPROTONOSUPPORT, 4096, "MR-UMEM-ATTRIBUTE", .is = LIKELY },
		{ "mlx5", MR_UMEM_REG_EX, EINVAL, 4 * MIB, "MR-UMEM-PAGE-SIZES", .is = POSSIBLE, .memory = "thp",
		  .page_sizes = 2 * MIB },
		{ "mlx5", MR_REG_MR, EINVAL, 4096, "MR-ODP-HUGETLB", .is = RULED_OUT, .addr = MIB,
		  .access = MR_ACCESS_HUGETLB | ON_DEMAND, .memory = "hugetlb-2M" },
		{ "mlx5", MR_REG_MR, EINVAL, 4096, "MR-ODP-HUGETLB", .is = POSSIBLE, .addr = MIB,
		  .access = MR_ACCESS_HUGETLB | ON_DEMAND },
		{ "mlx5", MR_REG_MR, EINVAL, 4096, "MR-ODP-HUGETLB", .is = RULED_OUT, .addr = MIB,
		  .access = MR_ACCESS_HUGETLB | ON_DEMAND, TRIED(NO_HUGETLB, EINVAL) },
	};
	char place[64];

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		change(rows[i].changes ?: "");
		refuse(&rows[i]);
		snprintf(place, sizeof(place), "row %zu, %s", i, rows[i].id);
		expect_cause(place, rows[i].id, rows[i].is, rows[i].says ?: "");
	}
}

/* ---- freeing ---- */

TEST(what_may_be_bound_to_an_object_that_is_busy)
{
	static const struct {
		const char *provider, *call;
		int errnum;
		enum mr_region_kind kind;
		bool is_known;
		uint32_t access;
		const char *id;
		enum mr_certainty certainty;
	} rows[] = {
		{ "rxe", "ibv_dereg_mr", EINVAL, MR_KIND_MR, true, WRITE, "MR-MW-BOUND", RULED_OUT },
		{ "rxe", "ibv_dereg_mr", EINVAL, MR_KIND_MR, true, MR_ACCESS_MW_BIND, "MR-MW-BOUND", LIKELY },
		{ "rxe", "ibv_dereg_mr", EINVAL, MR_KIND_MR, false, 0, "MR-MW-BOUND", POSSIBLE },
		{ "rxe", "ibv_dereg_mr", EBUSY, MR_KIND_MR, true, MR_ACCESS_MW_BIND, "MR-MW-BOUND", UNRELATED },
		{ "mlx5", "ibv_dereg_mr", EBUSY, MR_KIND_MR, true, WRITE, "MR-MW-BOUND", POSSIBLE },
		{ "mlx5", "ibv_dereg_mr", EINVAL, MR_KIND_MR, true, WRITE, "MR-MW-BOUND", UNRELATED },
		{ "mlx5", "ibv_free_dm", EBUSY, MR_KIND_DM, false, 0, "MR-MW-BOUND", UNRELATED },
		{ "mlx5", "mlx5dv_devx_umem_dereg", EBUSY, MR_KIND_UMEM, false, 0, "MR-UMEM-BUSY", POSSIBLE },
		{ "mlx5", "ibv_dereg_mr", EBUSY, MR_KIND_MR, false, 0, "MR-UMEM-BUSY", UNRELATED },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		environment = (struct mr_environment){ .device = "mlx5_0" };
		strcpy(environment.provider, rows[i].provider);
		refusal = (struct mr_refusal){ .call = rows[i].call,
					       .errnum = rows[i].errnum,
					       .environment = &environment,
					       .handle_known = true,
					       .handle_kind = rows[i].kind,
					       .region_known = rows[i].is_known,
					       .region_call = MR_REG_MR,
					       .region_access = rows[i].access };
		expect_cause(rows[i].call, rows[i].id, rows[i].certainty, "");
	}
}

/* ---- changes by libibverbs, whose code tells how far it came ---- */

static struct mr_rereg_request rereg;
static struct mr_rereg_failure failure;

static void refuse_change(const char *code, int errnum, uint32_t changes, uint32_t access)
{
	rereg = (struct mr_rereg_request){ .changes = changes, .addr = MIB, .length = 4096, .access = access };
	failure = (struct mr_rereg_failure){ .code = code };
	environment = (struct mr_environment){ .device = "mlx5_0", .provider = "mlx5" };
	refusal = (struct mr_refusal){ .call = "ibv_rereg_mr",
				       .errnum = errnum,
				       .environment = &environment,
				       .rereg = &rereg,
				       .rereg_failure = &failure,
				       .region_known = true,
				       .region_call = MR_REG_MR };
}

TEST(what_the_kernel_was_not_asked_it_has_not_refused)
{
	static const struct {
		const char *code;
		enum mr_certainty by_kernel, by_fork;
	} rows[] = {
		{ "IBV_REREG_MR_ERR_CMD", CERTAIN, UNRELATED },
		{ "IBV_REREG_MR_ERR_INPUT", UNRELATED, UNRELATED },
		{ "IBV_REREG_MR_ERR_DONT_FORK_NEW", UNRELATED, LIKELY },
		{ "IBV_REREG_MR_ERR_DO_FORK_OLD", UNRELATED, LIKELY },
		{ "IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW", UNRELATED, LIKELY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		refuse_change(rows[i].code, EINVAL, MR_CHANGE_TRANSLATION | MR_CHANGE_ACCESS, MR_ACCESS_REMOTE_WRITE);
		expect_cause(rows[i].code, "MR-ACCESS-LOCAL-WRITE", rows[i].by_kernel, "");
		expect_cause(rows[i].code, "MR-REREG-FORK", rows[i].by_fork, "");
	}
	change(KERNEL("7.2.13"));
	refuse_change("IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW", EACCES, MR_CHANGE_ACCESS, WRITE);
	expect_cause("after", "MR-REREG-READ-ONLY", UNRELATED, "");
	refuse_change("IBV_REREG_MR_ERR_CMD", EACCES, MR_CHANGE_ACCESS, WRITE);
	expect_cause("pages are not known", "MR-REREG-READ-ONLY", LIKELY, "");
}

TEST(answers_of_the_data_path)
{
	static const struct {
		const char *id;
		uint32_t answer;
		enum mr_certainty is;
		bool refused, is_outside; /* by access, by range */
		enum mr_data_access access;
		enum mr_region_call call;
		const char *provider; /* NULL: mlx5 */
		bool is_gone;
		enum mr_tristate is_inert;
	} rows[] = {
		{ "MR-DATA-ACCESS", IBV_WC_WR_FLUSH_ERR, CERTAIN, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_LOC_PROT_ERR, CERTAIN, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_REM_ACCESS_ERR, CERTAIN, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_LOC_QP_OP_ERR, CERTAIN, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_MW_BIND_ERR, CERTAIN, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_LOC_ACCESS_ERR, CERTAIN, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_REM_OP_ERR, CERTAIN, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_REM_INV_REQ_ERR, CERTAIN, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_RETRY_EXC_ERR, UNRELATED, .refused = true },
		{ "MR-DATA-ACCESS", IBV_WC_REM_ACCESS_ERR, RULED_OUT },
		{ "MR-DATA-RANGE", IBV_WC_REM_ACCESS_ERR, CERTAIN, .is_outside = true },
		{ "MR-DATA-RANGE", IBV_WC_RETRY_EXC_ERR, UNRELATED, .is_outside = true },
		{ "MR-DATA-RANGE", IBV_WC_REM_ACCESS_ERR, RULED_OUT },
		{ "MR-DATA-ALIGN", IBV_WC_REM_INV_REQ_ERR, RULED_OUT, .access = MR_DATA_REMOTE_ATOMIC },
		{ "MR-DATA-ALIGN", IBV_WC_REM_INV_REQ_ERR, UNRELATED, .access = MR_DATA_REMOTE_READ },
		{ "MR-DATA-KEY", IBV_WC_REM_ACCESS_ERR, CERTAIN, .is_gone = true },
		{ "MR-DATA-KEY", IBV_WC_RETRY_EXC_ERR, UNRELATED, .is_gone = true },
		{ "MR-DATA-KEY", IBV_WC_REM_ACCESS_ERR, RULED_OUT },
		{ "MR-DATA-PD", IBV_WC_REM_ACCESS_ERR, RULED_OUT },
		{ "MR-DATA-PD", IBV_WC_RETRY_EXC_ERR, UNRELATED },
		{ "MR-DATA-IOVA", IBV_WC_REM_ACCESS_ERR, RULED_OUT },
		{ "MR-DATA-INERT", IBV_WC_REM_ACCESS_ERR, LIKELY, .is_inert = MR_YES },
		{ "MR-DATA-INERT", IBV_WC_REM_ACCESS_ERR, RULED_OUT, .is_inert = MR_NO },
		{ "MR-DATA-INERT", IBV_WC_REM_ACCESS_ERR, UNRELATED, .refused = true, .is_inert = MR_YES },
		{ "MR-DATA-DMABUF", IBV_WC_REM_ACCESS_ERR, POSSIBLE, .call = MR_REG_DMABUF_MR },
		{ "MR-DATA-DMABUF", IBV_WC_REM_ACCESS_ERR, UNRELATED, .is_outside = true, .call = MR_REG_DMABUF_MR },
		{ "MR-DATA-DMABUF", IBV_WC_RETRY_EXC_ERR, UNRELATED, .call = MR_REG_DMABUF_MR },
		{ "MR-DATA-DMABUF", IBV_WC_REM_ACCESS_ERR, UNRELATED },
		{ "MR-DATA-P2P", IBV_WC_RETRY_EXC_ERR, POSSIBLE, .call = MR_REG_DMABUF_MR },
		{ "MR-DATA-P2P", MR_DATA_OK, UNRELATED, .call = MR_REG_DMABUF_MR },
		{ "MR-DATA-P2P", IBV_WC_RETRY_EXC_ERR, UNRELATED },
		{ "MR-DATA-IOMMU", IBV_WC_RETRY_EXC_ERR, POSSIBLE },
		{ "MR-DATA-IOMMU", IBV_WC_RETRY_EXC_ERR, UNRELATED, .provider = "rxe" },
		{ "MR-DATA-WINDOW", IBV_WC_MW_BIND_ERR, POSSIBLE, .access = MR_DATA_MW_BIND },
		{ "MR-DATA-WINDOW", IBV_WC_MW_BIND_ERR, UNRELATED, .access = MR_DATA_REMOTE_READ },
		{ "MR-DATA-PEER", IBV_WC_RETRY_EXC_ERR, LIKELY },
		{ "MR-DATA-PEER", IBV_WC_RNR_RETRY_EXC_ERR, LIKELY },
		{ "MR-DATA-PEER", MR_DATA_TIMEOUT, LIKELY },
		{ "MR-DATA-PEER", IBV_WC_REM_ACCESS_ERR, UNRELATED },
		{ "MR-DATA-FLUSH", IBV_WC_WR_FLUSH_ERR, POSSIBLE },
		{ "MR-DATA-FLUSH", IBV_WC_REM_ACCESS_ERR, UNRELATED },
	};
	struct mr_data_row data;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		data = (struct mr_data_row){ .access = rows[i].access,
					     .length = 64,
					     .granted = !rows[i].refused,
					     .is_inside = !rows[i].is_outside,
					     .answer = rows[i].answer };
		environment = (struct mr_environment){ .device = "mlx5_0" };
		strcpy(environment.provider, rows[i].provider ?: "mlx5");
		refusal = (struct mr_refusal){ .call = "ibv_poll_cq",
					       .environment = &environment,
					       .region_call = rows[i].call,
					       .is_gone = rows[i].is_gone,
					       .is_inert = rows[i].is_inert,
					       .data = &data };
		mr_diagnose(&refusal, &recorded.host, &diagnosis);
		if (certainty_of(rows[i].id) != rows[i].is)
			fail_msg("%s by answer %u: %s", rows[i].id, rows[i].answer,
				 mr_certainties[certainty_of(rows[i].id)].name);
	}
}

TEST(each_cause_has_all_texts)
{
	for (const struct mr_cause *cause = mr_cause_next(NULL); cause; cause = mr_cause_next(cause))
		if (!cause->subject || !cause->what || !cause->recognise || !cause->remedy || !cause->sources)
			fail_msg("%s lacks a text", cause->id);
}
