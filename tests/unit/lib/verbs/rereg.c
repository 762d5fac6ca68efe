// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The real libibverbs and libmlx5 on the simulated HCA: changing a region that this process registered, and
 * attributes.
 */
#include <dlfcn.h>
#include <infiniband/verbs.h>

#include "lib/verbs/verbs.h"
#include "tests/unit/unit.h"

#define PAGE 4096u

static struct mr_device device;
static struct mr_environment environment;
static struct mr_uverbs uverbs;
static struct mr_registrar registrar, by_kernel;
static struct mr_rereg_failure failure;
static struct mr_error err;
static struct mr_region region;
static char *memory; /* two pages; the region is on the first one */

/* Makes the library answer with a code that it does not have.  tests/cli/fork.bats has those of fork protection. */
static bool strange;

int ibv_rereg_mr(struct ibv_mr *mr, int flags, struct ibv_pd *pd, void *addr, size_t length,
		 int access)
{
	int (*real)(struct ibv_mr *, int, struct ibv_pd *, void *, size_t, int);
	int rc;

	*(void **)&real = dlsym(RTLD_NEXT, "ibv_rereg_mr");
	rc = real(mr, flags, pd, addr, length, access);
	return strange ? rc - 100 : rc;
}

static int open_device(void **state __attribute__((unused)))
{
	uint32_t pd_handle;

	/* Switches fork protection on: some codes are answers of that. */
	if (ibv_fork_init() || mr_device_open(NULL, &device, &environment, &err))
		return -1;
	uverbs = mr_device_uverbs(&device, &environment, &pd_handle);
	registrar = (struct mr_registrar){ .via = MR_VIA_LIBRARY, .pd = device.pd };
	by_kernel = (struct mr_registrar){ .via = MR_VIA_KERNEL,
					   .uverbs = &uverbs,
					   .pd_handle = pd_handle };
	return 0;
}

static int close_device(void **state __attribute__((unused)))
{
	mr_device_close(&device);
	return 0;
}

static int set_up(void **state __attribute__((unused)))
{
	struct mr_region_request request = { .length = PAGE, .access = 1 };

	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	request.addr = (uintptr_t)memory;
	return mr_region_register(&registrar, &request, &region, &err);
}

/* Also after a failed change the region exists, and has to be deregistered. */
static int tear_down(void **state __attribute__((unused)))
{
	munmap(memory, 2 * PAGE);
	return mr_region_deregister(&registrar, &region, &err);
}

static int rereg_by_kernel(uint64_t length)
{
	const struct mr_rereg_request request = { .changes = MR_CHANGE_TRANSLATION,
						  .addr = (uintptr_t)memory,
						  .length = length,
						  .iova = (uintptr_t)memory };

	return mr_region_rereg(&by_kernel, &request, &region, &failure, &err);
}

/* Checks where the region is, by the kernel and by struct mr_region. */
static void is_at(uint64_t addr, uint64_t length)
{
	struct mr_uverbs_mr mr;

	assert_int_equal(mr_uverbs_query_mr(&uverbs, region.handle, &mr, &err), 0);
	assert_int_equal(mr.iova, addr);
	assert_int_equal(mr.length, length);
	assert_int_equal(mr.lkey, region.lkey);
	assert_int_equal(mr.rkey, region.rkey);
	assert_int_equal(region.addr, addr);
	assert_int_equal(region.length, length);
}

/* tests/cli/batch-regions.bats has the codes that the library knows. */
TEST(a_code_that_is_not_known_leaves_the_region_unusable)
{
	const struct mr_rereg_request request = { .changes = 0 };

	strange = true;
	assert_int_equal(mr_region_rereg(&registrar, &request, &region, &failure, &err), -EINVAL);
	strange = false;
	assert_string_equal(err.call, "ibv_rereg_mr");
	assert_string_equal(failure.code, "IBV_REREG_MR_ERR_CMD");
	assert_int_equal(failure.old, MR_OLD_UNUSABLE);
	is_at((uintptr_t)memory, PAGE);
	assert_contains(err.hint, "deregister it");
	assert_string_equal(mr_rereg_code_name(0), "IBV_REREG_MR_ERR_CMD");
	assert_string_equal(mr_rereg_code_name(IBV_REREG_MR_ERR_CMD_AND_DO_FORK_NEW - 1),
			    "IBV_REREG_MR_ERR_CMD");
}

TEST(the_kernel_changes_a_region_that_the_library_has_registered)
{
	assert_int_equal(rereg_by_kernel(2 * PAGE), 0);
	assert_int_equal(failure.old, MR_OLD_UNTOUCHED);
	is_at((uintptr_t)memory, 2 * PAGE);
	assert_int_equal(region.mr->lkey, region.lkey);
	assert_int_equal(region.mr->rkey, region.rkey);
}

TEST(a_region_that_does_not_exist_is_not_imported)
{
	struct mr_region none;

	assert_int_equal(mr_region_import(&registrar, 1000, &none, &err), -ENOENT);
	assert_string_equal(err.call, "ibv_import_mr");
}

/* ---- attributes ---- */

TEST(the_kernel_says_the_same_of_a_device_as_libibverbs)
{
	const struct mr_uverbs none = { .fd = -1 };
	struct mr_attributes library, kernel;

	assert_int_equal(mr_attributes_query(device.context, &library, &err), 0);
	assert_int_equal(mr_attributes_query_kernel(&uverbs, &kernel, &err), 0);
	assert_true(kernel.max_mr_size && kernel.odp.general && kernel.max_dm_size);
	library.pci_atomics = kernel.pci_atomics;
	assert_memory_equal(&kernel, &library, offsetof(struct mr_attributes, hw_version) + sizeof(uint32_t));
	assert_memory_equal(&kernel.max_mr_size, &library.max_mr_size,
			    sizeof(kernel) - offsetof(struct mr_attributes, max_mr_size));
	assert_int_equal(mr_attributes_query_kernel(&none, &kernel, &err), -EBADF);
	assert_string_equal(err.call, "ioctl(QUERY_DEVICE)");
}

EACH_TEST(set_up, tear_down)
ALL_TESTS(open_device, close_device)
