// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Limits of locked memory, control groups, and memory that cannot be pinned, on recorded hosts. */
#include "lib/diagnose/causes/diagnosis.h"

#include "lib/verbs/access.h"
#include "tests/unit/hosts.h"
#include "tests/unit/lib/diagnose/check.h"

static struct mr_environment environment;
static struct mr_region_request request;
static struct mr_diagnosis diagnosis;

/* Diagnoses a refused call about @length bytes at 1 MiB. */
static void diagnose(const char *call, int errnum, uint64_t length, uint32_t access)
{
	const bool is_dmabuf = !strcmp(call, "ibv_reg_dmabuf_mr");
	const struct mr_refusal refusal = {
		.call = call, .errnum = errnum, .environment = &environment, .request = &request
	};

	environment = (struct mr_environment){ .provider = "mlx5", .device = "mlx5_0" };
	request = (struct mr_region_request){ .call = is_dmabuf ? MR_REG_DMABUF_MR : MR_REG_MR,
					      .addr = is_dmabuf ? 0 : MIB,
					      .length = length,
					      .access = access };
	mr_diagnose(&refusal, &recorded.host, &diagnosis);
}

/* The first cause, and that no other is certain. */
static const struct mr_suspicion *first(const char *id, enum mr_certainty certainty)
{
	assert_true(diagnosis.cause_count);
	assert_string_equal(diagnosis.causes[0].cause->id, id);
	assert_int_equal(diagnosis.causes[0].certainty, certainty);
	for (size_t i = 1; i < diagnosis.cause_count; i++)
		assert_int_not_equal(diagnosis.causes[i].certainty, MR_CERTAIN);
	assert_true(diagnosis.causes[0].remedy[0]);
	return &diagnosis.causes[0];
}

static enum mr_certainty certainty(const char *id)
{
	for (size_t i = 0; i < diagnosis.cause_count; i++)
		if (!strcmp(diagnosis.causes[i].cause->id, id))
			return diagnosis.causes[i].certainty;
	for (size_t i = 0; i < diagnosis.ruled_out_count; i++)
		if (!strcmp(diagnosis.ruled_out[i].cause->id, id))
			return MR_RULED_OUT;
	return MR_UNRELATED;
}

static void assert_nothing_certain(void)
{
	for (size_t i = 0; i < diagnosis.cause_count; i++)
		assert_int_not_equal(diagnosis.causes[i].certainty, MR_CERTAIN);
}

#define WRITE MR_ACCESS_LOCAL_WRITE

/* ---- locked memory ---- */

TEST(the_ancestor_that_lowered_the_limit_is_named)
{
	const struct mr_suspicion *found;

	host_load(&recorded, "memlock-lowered");
	diagnose("ibv_reg_mr", ENOMEM, GIB, WRITE);
	found = first("MR-MEMLOCK", MR_CERTAIN);
	assert_contains(found->text,
			"0 bytes are pinned, this takes 1 GiB, and RLIMIT_MEMLOCK is 8 MiB");
	assert_contains(found->text, "lowered at containerd");
	assert_contains(found->remedy, "LimitMEMLOCK=infinity");
	assert_int_equal(certainty("MR-IPC-LOCK"), MR_UNRELATED);
	diagnose("ibv_reg_mr", ENOMEM, 8 * MIB, WRITE);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_RULED_OUT);
	assert_nothing_certain();
}

TEST(pages_are_counted_as_the_kernel_does)
{
	host_load(&recorded, "memlock-lowered");
	put("/proc/self/limits", "Max locked memory 12287 unlimited bytes\n");
	diagnose("ibv_reg_mr", ENOMEM, 8192, WRITE);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_RULED_OUT); /* two pages of two and a part */
	diagnose("ibv_reg_mr", ENOMEM, 8193, WRITE);
	first("MR-MEMLOCK", MR_CERTAIN);
	diagnose("ibv_reg_mr", ENOMEM, UINT64_C(1) << 45, WRITE); /* too many to count: EINVAL */
	assert_nothing_certain();
	diagnose("ibv_reg_mr", ENOMEM, UINT64_MAX - 4096, WRITE); /* wraps: EINVAL */
	assert_nothing_certain();
	diagnose("ibv_reg_mr", ENOMEM, GIB, MR_ACCESS_ON_DEMAND); /* is not pinned */
	assert_nothing_certain();
	diagnose("ibv_reg_mr", ENOMEM, GIB, MR_ACCESS_REMOTE_WRITE); /* is EINVAL */
	assert_nothing_certain();
}

TEST(what_is_pinned_counts)
{
	host_load(&recorded, "memlock-lowered");
	put("/proc/self/status", "Name:\tapp\nPPid:\t900\nUid:\t1000\t1000\t1000\t1000\n"
				 "CapEff:\t0\nVmPin:\t8188 kB\n");
	diagnose("ibv_reg_mr", ENOMEM, 4096, WRITE);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_RULED_OUT);
	diagnose("ibv_reg_mr", ENOMEM, 4097, WRITE);
	assert_contains(first("MR-MEMLOCK", MR_CERTAIN)->text,
			"7.9 MiB are pinned, this takes 8 KiB");
	put("/proc/self/status", "Name:\tapp\nPPid:\t900\nUid:\t1000\t1000\t1000\t1000\n"
				 "CapEff:\t0\n");
	diagnose("ibv_reg_mr", ENOMEM, 4097, WRITE); /* how much is pinned is not known */
	assert_int_equal(certainty("MR-MEMLOCK"), MR_UNRELATED);
	diagnose("ibv_reg_mr", ENOMEM, 9 * MIB, WRITE); /* and does not matter */
	first("MR-MEMLOCK", MR_CERTAIN);
}

TEST(a_limit_of_0_is_eperm)
{
	host_load(&recorded, "memlock-0");
	diagnose("ibv_reg_mr", EPERM, 4096, WRITE);
	first("MR-MEMLOCK-ZERO", MR_CERTAIN);
	host_load(&recorded, "memlock-64k");
	diagnose("ibv_reg_mr", EPERM, 4096, WRITE);
	assert_int_equal(certainty("MR-MEMLOCK-ZERO"), MR_RULED_OUT);
	assert_nothing_certain();
}

TEST(an_inert_capability_stands_behind_the_limit)
{
	host_load(&recorded, "container-inert-ipc-lock");
	diagnose("ibv_reg_mr", ENOMEM, GIB, WRITE);
	first("MR-MEMLOCK", MR_CERTAIN);
	assert_int_equal(certainty("MR-IPC-LOCK"), MR_LIKELY);
	assert_contains(diagnosis.causes[1].text, "its user is not root");
	diagnose("ibv_reg_mr", ENOMEM, MIB, WRITE);
	assert_int_equal(certainty("MR-IPC-LOCK"), MR_UNRELATED);
}

TEST(root_of_a_user_namespace_is_not_exempt)
{
	host_load(&recorded, "rootless");
	diagnose("ibv_reg_mr", ENOMEM, GIB, WRITE);
	first("MR-MEMLOCK", MR_CERTAIN);
	assert_int_equal(certainty("MR-USERNS"), MR_LIKELY);
}

TEST(a_capability_that_is_effective_excludes_the_limit)
{
	host_load(&recorded, "container-privileged");
	diagnose("ibv_reg_mr", ENOMEM, GIB, WRITE);
	assert_int_equal(certainty("MR-MEMLOCK"), MR_RULED_OUT);
	assert_nothing_certain();
}

/* ---- control groups ---- */

TEST(a_control_group_with_all_its_objects)
{
	const struct mr_suspicion *found;

	host_load(&recorded, "cgroup-rdma-full");
	diagnose("ibv_reg_mr", EAGAIN, 4096, WRITE);
	found = first("MR-CGROUP-RDMA", MR_CERTAIN);
	assert_contains(found->text, "job_1 has 1000 of 1000 hca_object of mlx5_0");
	assert_contains(found->remedy, "job_1/rdma.max");
	diagnose("ibv_reg_dmabuf_mr", EAGAIN, 4096, WRITE);
	first("MR-CGROUP-RDMA", MR_CERTAIN);
	diagnose("ibv_open_device", EAGAIN, 0,
		 0); /* a handle is left, and an object not always needed */
	first("MR-CGROUP-RDMA", MR_LIKELY);
	diagnose("ibv_rereg_mr", EAGAIN, 4096, WRITE); /* makes no object */
	assert_int_equal(certainty("MR-CGROUP-RDMA"), MR_UNRELATED);
}

TEST(a_control_group_with_objects_left_or_of_another_device)
{
	host_load(&recorded, "cgroup-rdma-near");
	diagnose("ibv_open_device", EAGAIN, 0, 0);
	assert_int_equal(certainty("MR-CGROUP-RDMA"), MR_RULED_OUT);
	host_load(&recorded, "cgroup-rdma-full");
	put("/sys/fs/cgroup/system.slice/slurmstepd.scope/job_1/rdma.max",
	    "mlx5_1 hca_handle=0 hca_object=0\n");
	put("/sys/fs/cgroup/system.slice/slurmstepd.scope/job_1/rdma.current",
	    "mlx5_1 hca_handle=0 hca_object=0\n");
	diagnose("ibv_reg_mr", EAGAIN, 4096, WRITE);
	assert_int_equal(certainty("MR-CGROUP-RDMA"), MR_UNRELATED);
}

TEST(a_group_above_counts)
{
	host_load(&recorded, "cgroup-rdma-near");
	put("/sys/fs/cgroup/system.slice/rdma.max", "mlx5_0 hca_handle=max hca_object=2000\n");
	put("/sys/fs/cgroup/system.slice/rdma.current", "mlx5_0 hca_handle=9 hca_object=2000\n");
	diagnose("ibv_reg_mr", EAGAIN, 4096, WRITE);
	assert_contains(first("MR-CGROUP-RDMA", MR_CERTAIN)->text, "2000 of 2000");
}

TEST(a_memory_limit_is_at_most_likely)
{
	host_load(&recorded, "cgroup-job");
	diagnose("ibv_reg_mr", ENOMEM, UINT64_C(1) << 40, WRITE);
	assert_int_equal(certainty("MR-CGROUP-MEMORY"), MR_LIKELY);
	assert_nothing_certain();
}

/* ---- memory ---- */

TEST(memory_of_kexec_handover)
{
	host_load(&recorded, "kexec-handover");
	diagnose("ibv_reg_mr", ENOMEM, 16 * GIB, WRITE);
	assert_contains(first("MR-CMA", MR_LIKELY)->remedy, "kho=off");
	diagnose("ibv_reg_mr", ENOMEM, MIB, WRITE);
	assert_int_equal(certainty("MR-CMA"), MR_POSSIBLE);
	diagnose("ibv_reg_mr", ENOMEM, GIB, MR_ACCESS_ON_DEMAND);
	assert_int_equal(certainty("MR-CMA"), MR_UNRELATED);
}

TEST(more_than_there_is_outside_of_cma)
{
	host_load(&recorded, "cma");
	diagnose("ibv_reg_mr", ENOMEM, 450 * GIB, WRITE);
	first("MR-CMA", MR_LIKELY);
	diagnose("ibv_reg_mr", ENOMEM, GIB, WRITE);
	assert_int_equal(certainty("MR-CMA"), MR_RULED_OUT);
}

TEST(more_than_the_host_has)
{
	host_load(&recorded, "healthy");
	diagnose("ibv_reg_mr", ENOMEM, UINT64_C(1) << 40, WRITE);
	assert_int_equal(certainty("MR-AVAILABLE"), MR_LIKELY);
	diagnose("ibv_reg_mr", ENOMEM, MIB, WRITE);
	assert_int_equal(certainty("MR-AVAILABLE"), MR_RULED_OUT);
	assert_int_equal(diagnosis.cause_count, 0);
}

TEST(a_large_dmabuf_and_an_iommu_that_translates)
{
	host_load(&recorded, "iommu-translation");
	diagnose("ibv_reg_dmabuf_mr", ENOMEM, 63 * GIB, WRITE);
	assert_contains(first("MR-IOMMU", MR_LIKELY)->remedy, "iommu=pt");
	diagnose("ibv_reg_dmabuf_mr", ENOMEM, MIB, WRITE);
	assert_int_equal(certainty("MR-IOMMU"), MR_UNRELATED);
}

/* ---- sandboxes ---- */

TEST(a_filter_of_system_calls_is_possible)
{
	host_load(&recorded, "healthy");
	put("/proc/self/status", "Name:\tapp\nPPid:\t1\nSeccomp:\t2\n");
	diagnose("ibv_reg_mr", EPERM, MIB, WRITE);
	assert_int_equal(certainty("MR-SECCOMP"), MR_POSSIBLE);
	put("/proc/self/status", "Name:\tapp\nPPid:\t1\nSeccomp:\t0\n");
	diagnose("ibv_reg_mr", EPERM, MIB, WRITE);
	assert_int_equal(certainty("MR-SECCOMP"), MR_UNRELATED);
}

TEST(the_kernel_of_gvisor)
{
	host_load(&recorded, "healthy");
	diagnose("ibv_reg_mr", ENOTTY, MIB, WRITE);
	assert_int_equal(certainty("MR-SANDBOX-IOCTL"), MR_UNRELATED);
	put("/proc/version", "Linux version 4.4.0 #1 SMP Sun Jan 10 15:06:54 PST 2016\n");
	diagnose("ibv_reg_mr", ENOTTY, MIB, WRITE);
	first("MR-SANDBOX-IOCTL", MR_LIKELY);
	diagnose("ibv_reg_mr", EINVAL, MIB, WRITE);
	assert_int_equal(certainty("MR-SANDBOX-IOCTL"), MR_POSSIBLE);
}

EACH_TEST(set_up, tear_down)
