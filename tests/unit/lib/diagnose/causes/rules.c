// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Rules of drivers and libraries that no test can provoke: the causes, asked by hand about recorded hosts. */
#include <errno.h>
#include <string.h>

#include "lib/diagnose/causes/catalogue.h"
#include "lib/verbs/access.h"
#include "lib/verbs/uverbs.h"
#include "tests/unit/lib/diagnose/check.h"

static struct mr_region_request request;
static struct mr_environment environment;
static struct mr_refusal refusal;
static struct mr_inquiry inquiry;
static struct mr_suspicion suspicion;

/* Begins a refusal of a registration of @length bytes by the provider's device. */
static void refuse(const char *provider, int errnum, uint64_t length)
{
	request = (struct mr_region_request){ .call = MR_REG_MR,
					      .addr = 1 << 20,
					      .length = length,
					      .access = MR_ACCESS_LOCAL_WRITE };
	environment = (struct mr_environment){ .device = "hca0", .rdma_core = "65.0" };
	snprintf(environment.provider, sizeof(environment.provider), "%s", provider);
	refusal = (struct mr_refusal){ .call = "ibv_reg_mr",
				       .errnum = errnum,
				       .kind = MR_ERROR_REFUSED,
				       .environment = &environment,
				       .request = &request };
	memset(&inquiry, 0, sizeof(inquiry));
	inquiry.refusal = &refusal;
	inquiry.host = &recorded.host;
}

static void device_reports(struct mr_attributes attributes)
{
	inquiry.has_attributes = MR_FACT_KNOWN;
	inquiry.attributes = attributes;
}

static void kernel_is(unsigned int major, unsigned int minor)
{
	inquiry.has_kernel = MR_FACT_KNOWN;
	inquiry.kernel = (struct mr_kernel_version){ major, minor };
	inquiry.has_ofed = MR_NO;
}

/* The host has a kernel of that release, which is read when a cause asks for it. */
static void release_is(const char *release)
{
	inquiry.has_kernel = MR_FACT_NOT_READ;
	put("/proc/sys/kernel/osrelease", release);
	put("/sys/module/ib_core/initstate", "live\n");
}

/* Asks a cause about it. */
static enum mr_certainty ask(const char *id)
{
	const struct mr_cause *cause = mr_cause_find(id, strlen(id));

	assert_non_null(cause);
	inquiry.operation = mr_operation_of(&refusal);
	assert_true(mr_cause_speaks_for(cause, 1U << inquiry.operation, refusal.errnum));
	memset(&suspicion, 0, sizeof(suspicion));
	suspicion.cause = cause;
	cause->look(&inquiry, &suspicion);
	if (suspicion.certainty > MR_UNRELATED) {
		assert_true(suspicion.text[0]);
		assert_true(suspicion.evidence_count);
	}
	return suspicion.certainty;
}

TEST(efa_has_room_for_few_pages)
{
	refuse("efa", ENOMEM, 128 * GIB);
	assert_int_equal(ask("MR-EFA-PAGES"), MR_LIKELY);
	assert_contains(suspicion.text, "33554432 pages");
	refuse("efa", ENOMEM, 8 * GIB);
	assert_int_equal(ask("MR-EFA-PAGES"), MR_POSSIBLE);
	refuse("efa", ENOMEM, GIB);
	assert_int_equal(ask("MR-EFA-PAGES"), MR_RULED_OUT);
	refuse("mlx5", ENOMEM, 128 * GIB);
	assert_int_equal(ask("MR-EFA-PAGES"), MR_UNRELATED);
}

TEST(erdma_takes_its_size_in_all)
{
	refuse("erdma", EIO, 4 * GIB);
	device_reports((struct mr_attributes){ .max_mr_size = 64 * GIB });
	refusal.held = 63 * GIB;
	assert_int_equal(ask("MR-ERDMA-SIZE"), MR_LIKELY);
	refusal.held = 0;
	assert_int_equal(ask("MR-ERDMA-SIZE"), MR_POSSIBLE);
	refusal.errnum = EINVAL;
	assert_int_equal(ask("MR-ERDMA-SIZE"), MR_UNRELATED);
	refuse("rxe", EIO, 128 * GIB);
	device_reports((struct mr_attributes){ .max_mr_size = 64 * GIB });
	assert_int_equal(ask("MR-ERDMA-SIZE"), MR_UNRELATED);
}

TEST(mlx4_has_a_table_of_translations)
{
	refuse("mlx4", ENOMEM, 64 * GIB);
	assert_int_equal(ask("MR-MLX4-MTT"), MR_UNRELATED);
	put("/sys/module/mlx4_core/parameters/log_num_mtt", "20\n");
	put("/sys/module/mlx4_core/parameters/log_mtts_per_seg", "3\n");
	assert_int_equal(ask("MR-MLX4-MTT"), MR_LIKELY);
	assert_contains(suspicion.text, "at most 32 GiB (log_num_mtt 20)");
	request.length = GIB;
	assert_int_equal(ask("MR-MLX4-MTT"), MR_POSSIBLE);
	refusal.held = 32 * GIB;
	assert_int_equal(ask("MR-MLX4-MTT"), MR_LIKELY);
}

TEST(rxe_of_an_old_kernel_tells_each_failure_as_einval)
{
	refuse("rxe", EINVAL, MIB);
	kernel_is(5, 10);
	assert_int_equal(ask("MR-RXE-EINVAL"), MR_POSSIBLE);
	kernel_is(5, 13);
	assert_int_equal(ask("MR-RXE-EINVAL"), MR_UNRELATED);
}

TEST(ionic_refuses_remote_atomics)
{
	refuse("ionic", EINVAL, MIB);
	assert_int_equal(ask("MR-ATOMIC-IONIC"), MR_UNRELATED);
	request.access |= MR_ACCESS_REMOTE_ATOMIC;
	assert_int_equal(ask("MR-ATOMIC-IONIC"), MR_POSSIBLE);
}

TEST(an_mlx5_device_may_load_few_pages_of_a_dmabuf)
{
	refuse("mlx5", EINVAL, GIB);
	refusal.call = "ibv_reg_dmabuf_mr";
	request.call = MR_REG_DMABUF_MR;
	assert_int_equal(ask("MR-DMABUF-UMR"), MR_POSSIBLE);
	request.length = MIB;
	assert_int_equal(ask("MR-DMABUF-UMR"), MR_UNRELATED);
}

TEST(mlx5_refuses_dmabufs_for_want_of_odp_from_linux_7_2_on)
{
	refuse("mlx5", EOPNOTSUPP, MIB);
	refusal.call = "ibv_reg_dmabuf_mr";
	request.call = MR_REG_DMABUF_MR;
	assert_int_equal(ask("MR-DMABUF-ODP"), MR_UNRELATED);
	device_reports((struct mr_attributes){ .odp.general = 0 });
	kernel_is(7, 1);
	assert_int_equal(ask("MR-DMABUF-ODP"), MR_LIKELY);
	kernel_is(7, 2);
	assert_int_equal(ask("MR-DMABUF-ODP"), MR_CERTAIN);
	request.call = MR_DV_REG_DMABUF_MR;
	assert_int_equal(ask("MR-DMABUF-ODP"), MR_UNRELATED);
	request.call = MR_REG_DMABUF_MR;
	device_reports((struct mr_attributes){ .odp.general = 1 });
	assert_int_equal(ask("MR-DMABUF-ODP"), MR_RULED_OUT);
}

TEST(an_address_of_an_implicit_region_is_refused_by_the_library_alone)
{
	refuse("mlx5", EINVAL, SIZE_MAX);
	request.access |= MR_ACCESS_ON_DEMAND;
	assert_int_equal(ask("MR-IMPLICIT-ADDRESS"), MR_CERTAIN);
	refusal.via = MR_VIA_KERNEL;
	assert_int_equal(ask("MR-IMPLICIT-ADDRESS"), MR_UNRELATED);
	refusal.via = MR_VIA_LIBRARY;
	request.addr = 0;
	assert_int_equal(ask("MR-IMPLICIT-ADDRESS"), MR_RULED_OUT);
}

TEST(a_driver_that_is_not_known_may_want_data_of_its_own)
{
	const struct mr_uverbs unknown = { .driver_id = 250 }, mlx5 = { .driver_id = 1 };

	refuse("new", EINVAL, MIB);
	refusal.via = MR_VIA_KERNEL;
	refusal.uverbs = &unknown;
	assert_int_equal(ask("MR-VIA-KERNEL-DATA"), MR_POSSIBLE);
	refusal.uverbs = &mlx5;
	assert_int_equal(ask("MR-VIA-KERNEL-DATA"), MR_UNRELATED);
}

TEST(the_errno_of_the_kernel_alone_comes_from_below)
{
	refuse("mlx5", 524, MIB);
	assert_int_equal(ask("MR-ENOTSUPP"), MR_POSSIBLE);
	refusal.call = "ibv_reg_dmabuf_mr";
	request.call = MR_REG_DMABUF_MR;
	assert_int_equal(ask("MR-ENOTSUPP"), MR_LIKELY);
}

TEST(a_method_is_known_from_a_release_on)
{
	refuse("mlx5", EPROTONOSUPPORT, MIB);
	refusal.call = "ibv_reg_dmabuf_mr";
	request.call = MR_REG_DMABUF_MR;
	assert_int_equal(ask("MR-KERNEL-METHOD"), MR_UNRELATED);
	kernel_is(5, 4);
	assert_int_equal(ask("MR-KERNEL-METHOD"), MR_CERTAIN);
	assert_contains(suspicion.text, "this kernel is 5.4, and Linux knows this from 5.12 on");
	kernel_is(6, 1);
	assert_int_equal(ask("MR-KERNEL-METHOD"), MR_POSSIBLE);
}

TEST(flags_that_a_later_kernel_may_know_are_not_certain)
{
	refuse("mlx5", EINVAL, MIB);
	request.access |= 1u << 10;
	kernel_is(7, 2);
	assert_int_equal(ask("MR-ACCESS-FLAGS"), MR_CERTAIN);
	kernel_is(7, 3);
	assert_int_equal(ask("MR-ACCESS-FLAGS"), MR_LIKELY);
	request.access = MR_ACCESS_FLUSH_GLOBAL;
	assert_int_equal(ask("MR-ACCESS-FLAGS"), MR_UNRELATED);
	kernel_is(6, 1);
	assert_int_equal(ask("MR-ACCESS-FLAGS"), MR_CERTAIN);
	kernel_is(5, 14);
	assert_int_equal(ask("MR-ACCESS-FLAGS"), MR_CERTAIN);
}

TEST(the_release_of_a_vendors_kernel_does_not_tell_what_it_lacks)
{
	refuse("mlx5", EINVAL, MIB);
	request.access = MR_ACCESS_FLUSH_GLOBAL;
	release_is("5.14.0-427.13.1.el9_4.x86_64");
	assert_int_equal(ask("MR-ACCESS-FLAGS"), MR_LIKELY);
	release_is("6.1.0-50-amd64");
	assert_int_equal(ask("MR-ACCESS-FLAGS"), MR_CERTAIN);
	refusal.call = "ibv_reg_dmabuf_mr";
	request.call = MR_REG_DMABUF_MR;
	refusal.errnum = EPROTONOSUPPORT;
	release_is("4.18.0-553.5.1.el8_10.x86_64");
	assert_int_equal(ask("MR-KERNEL-METHOD"), MR_LIKELY);
	assert_contains(suspicion.text, "unless its vendor has added it");
	release_is("5.4.0-150-generic");
	assert_int_equal(ask("MR-KERNEL-METHOD"), MR_CERTAIN);
}

TEST(no_release_tells_what_the_modules_of_ofed_lack)
{
	refuse("mlx5", EPROTONOSUPPORT, MIB);
	refusal.call = "ibv_reg_dmabuf_mr";
	request.call = MR_REG_DMABUF_MR;
	release_is("5.10.110");
	assert_int_equal(ask("MR-KERNEL-METHOD"), MR_CERTAIN);
	put("/sys/module/mlx_compat/taint", "OE\n");
	release_is("5.10.110");
	assert_int_equal(ask("MR-KERNEL-METHOD"), MR_LIKELY);
	release_is("6.12.5");
	assert_int_equal(ask("MR-KERNEL-METHOD"), MR_POSSIBLE);
	assert_contains(suspicion.text, "the RDMA modules are those of OFED");
	refuse("mlx5", EINVAL, MIB);
	request.access |= 1u << 10;
	release_is("6.12.5");
	assert_int_equal(ask("MR-ACCESS-FLAGS"), MR_LIKELY);
}

TEST(ofed_is_built_with_options_of_its_own)
{
	refuse("mlx5", EOPNOTSUPP, MIB);
	refusal.call = "ibv_reg_dmabuf_mr";
	request.call = MR_REG_DMABUF_MR;
	device_reports((struct mr_attributes){ .max_mr = 1 });
	put("/boot/config-6.1.0-50-amd64", "# CONFIG_INFINIBAND_ON_DEMAND_PAGING is not set\n");
	release_is("6.1.0-50-amd64");
	assert_int_equal(ask("MR-DMABUF-ODP"), MR_CERTAIN);
	put("/sys/module/mlx_compat/taint", "OE\n");
	release_is("6.1.0-50-amd64");
	assert_int_equal(ask("MR-DMABUF-ODP"), MR_LIKELY);
}

TEST(vendors_have_providers_of_their_own_for_hardware_alone)
{
	refuse("mlx4", EOPNOTSUPP, MIB);
	refusal.call = "ibv_reg_dmabuf_mr";
	request.call = MR_REG_DMABUF_MR;
	assert_int_equal(ask("MR-PROVIDER-OPERATION"), MR_LIKELY);
	snprintf(environment.provider, sizeof(environment.provider), "rxe");
	assert_int_equal(ask("MR-PROVIDER-OPERATION"), MR_CERTAIN);
	snprintf(environment.rdma_core, sizeof(environment.rdma_core), "2410mlnx54.0");
	assert_int_equal(ask("MR-PROVIDER-OPERATION"), MR_LIKELY);
}

TEST(a_key_for_null_mrs_is_the_only_thing_that_mlx5_needs_for_one)
{
	refuse("mlx5", EOPNOTSUPP, 0);
	refusal.call = "ibv_alloc_null_mr";
	request.call = MR_ALLOC_NULL_MR;
	assert_int_equal(ask("MR-NULL-KEY"), MR_LIKELY);
	snprintf(environment.provider, sizeof(environment.provider), "rxe");
	assert_int_equal(ask("MR-NULL-KEY"), MR_UNRELATED);
}

EACH_TEST(set_up, tear_down)
