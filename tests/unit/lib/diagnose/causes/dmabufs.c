// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Causes of refused dma-bufs and changes, on hosts that a test makes up: exporters that no machine without them has. */
#include "lib/diagnose/causes/diagnosis.h"

#include "lib/verbs/access.h"
#include "tests/unit/lib/diagnose/check.h"

#define ENOTSUPP_OF_KERNEL 524

static struct mr_region_request request;
static struct mr_environment environment;
static struct mr_refusal refusal;
static struct mr_diagnosis diagnosis;

static void refuse(const char *provider, enum mr_region_call how, int errnum)
{
	request = (struct mr_region_request){
		.call = how, .fd = 9, .length = 4096, .access = MR_ACCESS_LOCAL_WRITE
	};
	environment = (struct mr_environment){ .device = "mlx5_0" };
	snprintf(environment.provider, sizeof(environment.provider), "%s", provider);
	refusal = (struct mr_refusal){ .call = mr_call_row(how)->name,
				       .errnum = errnum,
				       .environment = &environment,
				       .request = &request };
}

/* A file with the descriptor 9. */
static void descriptor(const char *target, const char *info)
{
	call("link", "/proc/self/fd/9", target);
	put("/proc/self/fdinfo/9", info);
}

static void dmabuf_by(const char *exporter)
{
	char info[128];

	snprintf(info, sizeof(info),
		 "pos:\t0\nflags:\t02000002\nsize:\t8192\ncount:\t2\nexp_name:\t%s\n", exporter);
	descriptor("/dmabuf:", info);
}

/* What was found out about a cause. */
static enum mr_certainty ask(const char *id)
{
	mr_diagnose(&refusal, &recorded.host, &diagnosis);
	for (size_t i = 0; i < diagnosis.cause_count; i++)
		if (!strcmp(diagnosis.causes[i].cause->id, id))
			return diagnosis.causes[i].certainty;
	for (size_t i = 0; i < diagnosis.ruled_out_count; i++)
		if (!strcmp(diagnosis.ruled_out[i].cause->id, id))
			return MR_RULED_OUT;
	return MR_UNRELATED;
}

static void kernel(const char *release)
{
	put("/proc/sys/kernel/osrelease", release);
	put("/sys/module/ib_core/initstate", "live\n");
}

TEST(a_dmabuf_of_a_gpu_is_one_and_its_exporter_is_only_possible)
{
	refuse("mlx5", MR_REG_DMABUF_MR, EINVAL);
	dmabuf_by("amdgpu");
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_RULED_OUT);
	assert_int_equal(ask("MR-DMABUF-RANGE"), MR_RULED_OUT);
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_POSSIBLE);
	assert_contains(diagnosis.causes[0].remedy, "CONFIG_PCI_P2PDMA");
	refusal.errnum = EBUSY;
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_POSSIBLE);
}

/* The call was refused again, and with one change it answers @errnum. */
static void tried(enum mr_try_change change, int errnum)
{
	static struct mr_tries tries;

	tries = (struct mr_tries){ .count = 2, .is_refused_again = true };
	tries.list[0] = (struct mr_try){ .made = true, .errnum = refusal.errnum };
	tries.list[1] = (struct mr_try){ .change = change, .made = true, .errnum = errnum };
	refusal.tries = &tries;
}

TEST(another_dmabuf_shows_whether_it_was_the_exporter)
{
	refuse("mlx5", MR_REG_DMABUF_MR, EINVAL);
	dmabuf_by("amdgpu");
	tried(MR_TRY_UDMABUF, 0);
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_LIKELY);
	tried(MR_TRY_UDMABUF, EINVAL);
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_RULED_OUT);
	tried(MR_TRY_UDMABUF, ENOMEM);
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_POSSIBLE);
	tried(MR_TRY_OTHER_PD, 0);
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_POSSIBLE);
	/* Of a range beyond its end the exporter was not asked, and the new one is longer. */
	request.length = 9000;
	tried(MR_TRY_UDMABUF, 0);
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_UNRELATED);
	assert_int_equal(ask("MR-DMABUF-RANGE"), MR_CERTAIN);
}

TEST(any_page_size_shows_whether_it_was_the_page_sizes)
{
	refuse("mlx5", MR_UMEM_REG_EX, EINVAL);
	request.length = UINT64_C(4) << 20;
	request.page_sizes = UINT64_C(2) << 20;
	refusal.memory = "thp";
	assert_int_equal(ask("MR-UMEM-PAGE-SIZES"), MR_POSSIBLE);
	tried(MR_TRY_ANY_PAGE_SIZE, 0);
	assert_int_equal(ask("MR-UMEM-PAGE-SIZES"), MR_LIKELY);
	tried(MR_TRY_ANY_PAGE_SIZE, EINVAL);
	assert_int_equal(ask("MR-UMEM-PAGE-SIZES"), MR_RULED_OUT);
	request.page_sizes = 0;
	assert_int_equal(ask("MR-UMEM-PAGE-SIZES"), MR_CERTAIN);
}

TEST(small_pages_show_whether_huge_ones_were_expected)
{
	refuse("mlx5", MR_REG_MR, EINVAL);
	request.addr = MIB;
	request.access = MR_ACCESS_HUGETLB | MR_ACCESS_ON_DEMAND;
	assert_int_equal(ask("MR-ODP-HUGETLB"), MR_POSSIBLE);
	tried(MR_TRY_NO_HUGETLB, 0);
	assert_int_equal(ask("MR-ODP-HUGETLB"), MR_LIKELY);
	tried(MR_TRY_NO_HUGETLB, EINVAL);
	assert_int_equal(ask("MR-ODP-HUGETLB"), MR_RULED_OUT);
	refuse("ionic", MR_REG_MR, EINVAL);
	request.addr = MIB;
	request.access |= MR_ACCESS_REMOTE_ATOMIC;
	assert_int_equal(ask("MR-ATOMIC-IONIC"), MR_POSSIBLE);
	tried(MR_TRY_NO_REMOTE_ATOMIC, 0);
	assert_int_equal(ask("MR-ATOMIC-IONIC"), MR_LIKELY);
}

TEST(the_size_of_a_dmabuf_limits_the_range)
{
	refuse("mlx5", MR_REG_DMABUF_MR, EINVAL);
	dmabuf_by("nvidia");
	request.addr = 4096;
	assert_int_equal(ask("MR-DMABUF-RANGE"), MR_RULED_OUT);
	request.length++;
	assert_int_equal(ask("MR-DMABUF-RANGE"), MR_CERTAIN);
	request.length = UINT64_MAX;
	assert_int_equal(ask("MR-DMABUF-RANGE"), MR_CERTAIN);
}

TEST(what_is_no_dmabuf_is_certain)
{
	refuse("efa", MR_REG_DMABUF_MR, EINVAL);
	descriptor("socket:[4711]", "pos:\t0\nflags:\t02\nsize:\t9\n");
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_CERTAIN);
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_UNRELATED);
	refusal.errnum = EBADF;
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_UNRELATED);
	descriptor("/tmp/x", "pos:\t0\nflags:\t012000000\n");
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_CERTAIN);
	refusal.errnum = EINVAL;
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_UNRELATED);
}

TEST(nothing_is_said_of_a_descriptor_that_cannot_be_looked_at_or_is_anothers)
{
	refuse("mlx5", MR_REG_DMABUF_MR, EINVAL);
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_UNRELATED);
	descriptor("/dev/zero", "garbage\n");
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_UNRELATED);
	descriptor("/dev/zero", "pos:\t0\nflags:\t02\n");
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_CERTAIN);
	refusal.is_elsewhere = true;
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_UNRELATED);
}

TEST(a_standin_is_a_dmabuf_of_the_simulated_hca_alone)
{
	refuse("mlx5", MR_REG_DMABUF_MR, EINVAL);
	descriptor("/memfd:mrctl-dmabuf (deleted)", "pos:\t0\nflags:\t02\n");
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_CERTAIN);
	environment.simulated = true;
	assert_int_equal(ask("MR-DMABUF-FILE"), MR_RULED_OUT);
}

TEST(memory_of_a_vfio_device_cannot_be_pinned_before_linux_7)
{
	refuse("efa", MR_REG_DMABUF_MR, EOPNOTSUPP);
	dmabuf_by("vfio_pci_core");
	kernel("6.19.3");
	assert_int_equal(ask("MR-DMABUF-PIN"), MR_CERTAIN);
	kernel("7.2.13");
	assert_int_equal(ask("MR-DMABUF-PIN"), MR_POSSIBLE);
	refuse("mlx5", MR_REG_DMABUF_MR, EOPNOTSUPP);
	assert_int_equal(ask("MR-DMABUF-PIN"), MR_UNRELATED);
	refuse("mlx5", MR_UMEM_REG_DMABUF, EOPNOTSUPP);
	assert_int_equal(ask("MR-DMABUF-PIN"), MR_POSSIBLE);
}

TEST(memory_of_an_rdma_device_cannot_be_pinned)
{
	refuse("mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP);
	dmabuf_by("ib_uverbs");
	kernel("7.2.13");
	assert_int_equal(ask("MR-DMABUF-PIN"), MR_CERTAIN);
	kernel("7.9.0");
	assert_int_equal(ask("MR-DMABUF-PIN"), MR_LIKELY);
	dmabuf_by("udmabuf");
	assert_int_equal(ask("MR-DMABUF-PIN"), MR_RULED_OUT);
}

TEST(a_pcie_mapping_is_for_data_direct)
{
	refuse("mlx5", MR_REG_DMABUF_MR, ENOTSUPP_OF_KERNEL);
	dmabuf_by("nvidia");
	assert_int_equal(ask("MR-DMABUF-PCIE"), MR_POSSIBLE);
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_LIKELY);
	dmabuf_by("udmabuf");
	assert_int_equal(ask("MR-DMABUF-PCIE"), MR_UNRELATED);
}

static void gpu_and_hca(const char *group_of_hca)
{
	char link[64];

	snprintf(link, sizeof(link), "../../../../kernel/iommu_groups/%s", group_of_hca);
	put("/sys/class/infiniband/mlx5_0/node_type", "1: CA\n");
	call("link", "/sys/class/infiniband/mlx5_0/device", "../../../0000:c1:00.0");
	call("link", "/sys/bus/pci/devices/0000:c1:00.0/iommu_group", link);
	put("/sys/bus/pci/devices/0000:c4:00.0/class", "0x030200\n");
	put("/sys/bus/pci/devices/0000:c4:00.0/vendor", "0x10de\n");
	call("link", "/sys/bus/pci/devices/0000:c4:00.0/driver",
	     "../../../../bus/pci/drivers/nvidia");
	call("link", "/sys/bus/pci/devices/0000:c4:00.0/iommu_group",
	     "../../../../kernel/iommu_groups/42");
	call("answer", "/uname/machine", "aarch64");
	put("/proc/driver/nvidia/params", "GrdmaPciTopoCheckOverride: 0\n");
}

TEST(iommu_groups_of_gpu_and_hca_that_differ_are_likely)
{
	refuse("mlx5", MR_REG_DMABUF_MR, EINVAL);
	dmabuf_by("nvidia");
	gpu_and_hca("7");
	assert_int_equal(ask("MR-IOMMU-GROUP"), MR_LIKELY);
	gpu_and_hca("42");
	assert_int_equal(ask("MR-IOMMU-GROUP"), MR_RULED_OUT);
}

TEST(data_direct_begins_at_a_page)
{
	refuse("mlx5", MR_DV_REG_DMABUF_MR, EOPNOTSUPP);
	assert_int_equal(ask("MR-DATA-DIRECT-IOVA"), MR_RULED_OUT);
	request.addr = request.iova = 64;
	assert_int_equal(ask("MR-DATA-DIRECT-IOVA"), MR_CERTAIN);
	request.addr = 0;
	assert_int_equal(ask("MR-DATA-DIRECT-IOVA"),
			 MR_POSSIBLE); /* ib_uverbs answers EINVAL before */
	request.call = MR_REG_DMABUF_MR;
	assert_int_equal(ask("MR-DATA-DIRECT-IOVA"), MR_UNRELATED);
}

TEST(an_old_kernel_knows_no_page_sizes_or_dmabufs_of_umems)
{
	refuse("mlx5", MR_UMEM_REG_EX, EPROTONOSUPPORT);
	kernel("5.10.0");
	assert_int_equal(ask("MR-UMEM-ATTRIBUTE"), MR_LIKELY);
	kernel("5.15.0");
	assert_int_equal(ask("MR-UMEM-ATTRIBUTE"), MR_RULED_OUT);
	refuse("mlx5", MR_UMEM_REG_DMABUF, EPROTONOSUPPORT);
	assert_int_equal(ask("MR-UMEM-ATTRIBUTE"), MR_LIKELY);
	refuse("mlx5", MR_UMEM_REG, EPROTONOSUPPORT);
	assert_int_equal(ask("MR-UMEM-ATTRIBUTE"), MR_UNRELATED);
}

TEST(the_exporter_is_named_before_the_errno_of_the_kernel_alone)
{
	refuse("mlx5", MR_REG_DMABUF_MR, ENOTSUPP_OF_KERNEL);
	dmabuf_by("nvidia");
	assert_int_equal(ask("MR-DMABUF-EXPORTER"), MR_LIKELY);
	assert_int_equal(ask("MR-ENOTSUPP"), MR_POSSIBLE);
	assert_string_equal(diagnosis.causes[0].cause->id, "MR-DMABUF-EXPORTER");
	assert_contains(diagnosis.causes[0].text, "errno 524");
	descriptor("/tmp/x", "pos:\t0\nflags:\t02\n");
	assert_int_equal(ask("MR-ENOTSUPP"), MR_POSSIBLE);
}

/* ---- changes by libibverbs, whose code tells how far it came ---- */

static struct mr_rereg_request change;
static struct mr_rereg_failure failure;

static void refuse_change(const char *code, int errnum)
{
	change = (struct mr_rereg_request){ .changes = MR_CHANGE_TRANSLATION | MR_CHANGE_ACCESS,
					    .addr = 1 << 20,
					    .length = 4096,
					    .access = MR_ACCESS_REMOTE_WRITE };
	failure = (struct mr_rereg_failure){ .code = code };
	environment = (struct mr_environment){ .device = "mlx5_0", .provider = "mlx5" };
	refusal = (struct mr_refusal){ .call = "ibv_rereg_mr",
				       .errnum = errnum,
				       .environment = &environment,
				       .rereg = &change,
				       .rereg_failure = &failure,
				       .region_known = true,
				       .region_call = MR_REG_MR };
}

TEST(what_the_kernel_was_not_asked_it_has_not_refused)
{
	refuse_change("IBV_REREG_MR_ERR_CMD", EINVAL);
	assert_int_equal(ask("MR-ACCESS-LOCAL-WRITE"), MR_CERTAIN);
	assert_int_equal(ask("MR-REREG-FORK"), MR_UNRELATED);
	refuse_change("IBV_REREG_MR_ERR_INPUT", EINVAL);
	assert_int_equal(ask("MR-ACCESS-LOCAL-WRITE"), MR_UNRELATED);
	refuse_change("IBV_REREG_MR_ERR_DONT_FORK_NEW", EINVAL);
	assert_int_equal(ask("MR-ACCESS-LOCAL-WRITE"), MR_UNRELATED);
	assert_int_equal(ask("MR-REREG-FORK"), MR_LIKELY);
	refuse_change("IBV_REREG_MR_ERR_DO_FORK_OLD", EINVAL);
	assert_int_equal(ask("MR-ACCESS-LOCAL-WRITE"), MR_UNRELATED);
	assert_int_equal(ask("MR-REREG-FORK"), MR_LIKELY);
	refuse_change("IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW", EINVAL);
	assert_int_equal(ask("MR-ACCESS-LOCAL-WRITE"), MR_UNRELATED);
	assert_int_equal(ask("MR-REREG-FORK"), MR_LIKELY);
}

TEST(no_code_of_fork_protection_is_an_answer_of_the_driver)
{
	refuse_change("IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW", EACCES);
	change.changes = MR_CHANGE_ACCESS;
	change.access = MR_ACCESS_LOCAL_WRITE;
	kernel("7.2.13");
	assert_int_equal(ask("MR-REREG-READ-ONLY"), MR_UNRELATED);
	failure.code = "IBV_REREG_MR_ERR_CMD";
	assert_int_equal(ask("MR-REREG-READ-ONLY"), MR_LIKELY);
	refusal.pinned_access = (struct mr_opt_u64){ MR_ACCESS_REMOTE_READ, true };
	assert_int_equal(ask("MR-REREG-READ-ONLY"), MR_CERTAIN);
	refusal.pinned_access.value = MR_ACCESS_LOCAL_WRITE;
	assert_int_equal(ask("MR-REREG-READ-ONLY"), MR_RULED_OUT);
}

EACH_TEST(set_up, tear_down)
