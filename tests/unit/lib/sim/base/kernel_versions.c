// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * How the answers of the simulated kernels differ.  This runs under "mrctl sim --profile ... --kernel ...",
 * once for each pair.  The expected answers are those of the guests of tests/kernel (see its observed.md),
 * or follow from the source of these kernels.
 */
#include <libgen.h>
#include <linux/magic.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>

#include <infiniband/verbs.h>
#include <rdma/ib_user_ioctl_cmds.h>

#include "lib/simulator/spec.h"

static enum mr_sim_kernel kernel;
static enum mr_sim_profile profile;

#define IS_RXE    (profile == MR_SIM_RXE)
#define DRIVER_ID (IS_RXE ? (uint32_t)RDMA_DRIVER_RXE : (uint32_t)RDMA_DRIVER_MLX5)
#ifndef NODE
#define NODE (IS_RXE ? "/dev/infiniband/uverbs251" : "/dev/infiniband/uverbs250")
#endif
#include "tests/unit/lib/sim/device.h"

/* The expected answer of this kernel. */
#define ON(of_7_2, of_6_12, of_6_1)                                                                \
	(kernel == MR_SIM_KERNEL_7_2    ? (of_7_2)                                                 \
	 : kernel == MR_SIM_KERNEL_6_12 ? (of_6_12)                                                \
					: (of_6_1))

/* The answer of rxe; mlx5 answers 0. */
#define RXE(of_7_2, of_6_12, of_6_1) (IS_RXE ? ON(of_7_2, of_6_12, of_6_1) : 0)

TEST(access_flags_are_those_of_the_kernel)
{
	assert_int_equal(reg(memory, PAGE, LOCAL | 1u << 8), /* flush-global */
			 IS_RXE ? ON(0, 0, EINVAL) : ON(EOPNOTSUPP, EOPNOTSUPP, EINVAL));
	assert_int_equal(reg(memory, PAGE, LOCAL | 1u << 9), /* flush-persistent */
			 IS_RXE ? EINVAL : ON(EOPNOTSUPP, EOPNOTSUPP, EINVAL));
	assert_int_equal(reg(memory, PAGE, LOCAL | ZERO_BASED), RXE(EOPNOTSUPP, EOPNOTSUPP, 0));
	assert_int_equal(reg(memory, PAGE, LOCAL | HUGETLB), RXE(EOPNOTSUPP, EOPNOTSUPP, 0));
	assert_int_equal(reg(memory, PAGE, ODP), RXE(0, EOPNOTSUPP, EINVAL));
	assert_int_equal(reg(memory, PAGE, LOCAL | 1u << 10), EINVAL);
	/* an IOVA may wrap in older kernels */
	assert_int_equal(reg_at(memory, 2 * PAGE, 0 - PAGE, LOCAL), IS_RXE ? 0 : ON(EINVAL, 0, 0));
}

TEST(rereg_checks_access)
{
	assert_int_equal(reg(memory, PAGE, 0), 0);
	assert_int_equal(set_access(LOCAL), ON(EACCES, EACCES, IS_RXE ? EOPNOTSUPP : 0));
	assert_int_equal(set_access(REMOTE_READ), IS_RXE ? ON(0, 0, EOPNOTSUPP) : 0);
}

static int access_of(const void *addr, uint64_t iova)
{
	return change(REREG_ACCESS, addr, PAGE, iova, 0, REMOTE_READ);
}

/* Linux 6.1 makes such a region anew, of the range in the request, which is not to be translated. */
TEST(rereg_of_on_demand_access_takes_the_given_range)
{
	if (IS_RXE)
		skip(); /* it has on-demand paging since Linux 7.2, and changes its access */
	assert_int_equal(reg(memory, PAGE, ODP), 0);
	assert_int_equal(access_of(NOT_MAPPED, IOVA), ON(EOPNOTSUPP, EOPNOTSUPP, EFAULT));
	assert_int_equal(access_of(memory, IOVA + 16), ON(EOPNOTSUPP, EOPNOTSUPP, EINVAL));
	assert_int_equal(access_of(memory, IOVA), ON(EOPNOTSUPP, EOPNOTSUPP, 0));
}

/* ---- memory ---- */

TEST(memory_that_is_read_must_be_readable)
{
	const int inaccessible = ON(EFAULT, EFAULT, 0);
	char *all = map(4 * PAGE, PROT_READ | PROT_WRITE), *none = all + PAGE, *readonly;

	assert_int_equal(mprotect(none, PAGE, PROT_NONE), 0);
	assert_int_equal(reg(none, PAGE, 0), inaccessible);
	assert_int_equal(reg(all + 10, 3 * PAGE, REMOTE_READ), inaccessible);
	assert_int_equal(reg(none, PAGE, LOCAL), EFAULT);
	assert_int_equal(munmap(all + 2 * PAGE, PAGE), 0);
	assert_int_equal(reg(all, 4 * PAGE, 0), EFAULT);

	readonly = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(reg(readonly, PAGE, 0), ON(0, 0, EFAULT));
	assert_int_equal(reg(map(PAGE, PROT_READ), PAGE, 0), 0);
	assert_int_equal(reg((void *)(uintptr_t)PAGE, PAGE, 0), EFAULT);
}

TEST(memory_that_can_only_be_written_is_pinned_where_it_is_mapped)
{
	char *writable = map(2 * PAGE, PROT_READ | PROT_WRITE);

	writable[0] = 1;
	assert_int_equal(mprotect(writable, 2 * PAGE, PROT_WRITE), 0);
	assert_int_equal(reg(writable, PAGE, 0), 0);
	assert_int_equal(reg(writable, 2 * PAGE, 0), ON(EFAULT, EFAULT, 0));
	assert_int_equal(reg(writable, 2 * PAGE, LOCAL), 0);
}

/* Maps a new file below a folder, shared; @path is set to its name. */
static char *map_file(const char *below, char path[512])
{
	char *start;
	int file;

	snprintf(path, 512, "%s/mrctl-test-XXXXXX", below);
	file = mkstemp(path);
	assert_true(file >= 0);
	assert_int_equal(ftruncate(file, 2 * PAGE), 0);
	start = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	assert_ptr_not_equal(start, MAP_FAILED);
	close(file);
	return start;
}

TEST(files_are_written_by_shared_mappings_in_older_kernels)
{
	char self[400] = "", below[400], path[512], *start;
	struct statfs fs;
	struct stat st;

	start = map_file("/dev/shm", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(reg(start, 2 * PAGE, LOCAL), 0);

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(below, sizeof(below), "%s", dirname(self));
	assert_int_equal(statfs(below, &fs), 0);
	if (fs.f_type == TMPFS_MAGIC)
		skip(); /* it writes nothing back */
	assert_int_equal(stat(below, &st), 0);
	/* the second file is deleted: the simulator knows it by its device, if that has a major number */
	for (int i = 0; i < (major(st.st_dev) ? 2 : 1); i++) {
		start = map_file(below, path);
		if (i)
			assert_int_equal(unlink(path), 0);
		assert_int_equal(reg(start + PAGE, 10, LOCAL), ON(EFAULT, EFAULT, 0));
		assert_int_equal(reg(start, PAGE, REMOTE_READ), 0);
		if (!i)
			assert_int_equal(unlink(path), 0);
	}
	/* other mappings of the process do not matter */
	assert_int_equal(reg(memory, PAGE, LOCAL), 0);
}

/* ramfs treats writes to shared pages as a disk's file system does; of an overlay its upper layer counts. */
TEST_IN_CHILD(shared_files_are_those_of_their_file_system)
{
	char folder[] = "/tmp/mrctl-test-XXXXXX", path[512], options[300], *start;

	EXPECT(mkdtemp(folder));
	if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("ramfs", folder, "ramfs", 0, NULL)) {
		rmdir(folder);
		print_message("this user cannot mount a ramfs\n");
		return 0;
	}
	start = map_file(folder, path);
	EXPECT(reg(start, PAGE, LOCAL) == ON(EFAULT, EFAULT, 0));
	EXPECT(!reg(start, PAGE, REMOTE_READ));

	EXPECT(!umount2(folder, MNT_DETACH) && !mount("tmpfs", folder, "tmpfs", 0, NULL));
	EXPECT(!chdir(folder) && !mkdir("low", 0700) && !mkdir("up per", 0700) &&
	       !mkdir("work", 0700) && !mkdir("over", 0700));
	snprintf(options, sizeof(options), "lowerdir=%s/low,upperdir=%s/up per,workdir=%s/work",
		 folder, folder, folder);
	if (!mount("overlay", "over", "overlay", 0, options)) {
		EXPECT(!mount("ramfs", "up per", "ramfs", 0, NULL)); /* its path is not that of the upper layer now */
		start = map_file("over", path);
		EXPECT(!reg(start, PAGE, LOCAL));
		EXPECT(!umount2("over", MNT_DETACH));
	}
	EXPECT(!chdir("/") && !umount2(folder, MNT_DETACH));
	rmdir(folder);
	return 0;
}

TEST(rings_of_perf_events_have_pages_in_older_kernels)
{
	struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(event),
					 .config = PERF_COUNT_SW_DUMMY,
					 .exclude_kernel = 1,
					 .exclude_hv = 1 };
	int perf = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	char *ring;

	if (perf < 0)
		skip(); /* not for this user */
	ring = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, perf, 0);
	assert_ptr_not_equal(ring, MAP_FAILED);
	close(perf);
	assert_int_equal(reg(ring, PAGE, 0), ON(EFAULT, 0, 0));
	assert_int_equal(reg(ring, PAGE, LOCAL), ON(EFAULT, EFAULT, 0));
	/* only the first page can be written, which older kernels pin for reading, too */
	assert_int_equal(reg(ring + PAGE, PAGE, 0), ON(EFAULT, 0, EFAULT));
	assert_int_equal(reg(ring + PAGE, PAGE, LOCAL), EFAULT);
}

/* ---- methods and attributes ---- */

static int send_method(uint16_t object, uint16_t method)
{
	struct request request;

	init(&request, object, method);
	return send_to(&request, fd);
}

TEST(methods_are_those_of_the_kernel)
{
	const int none = EPROTONOSUPPORT;
	struct request request;
	char text[64];

	/* without their attributes */
	assert_int_equal(send_method(UVERBS_OBJECT_MR, 5), ON(EINVAL, none, none));
	assert_int_equal(send_method(UVERBS_OBJECT_DEVICE, 7), ON(EOPNOTSUPP, none, none));
	/* UVERBS_OBJECT_DMABUF */
	assert_int_equal(send_method(18, 0), IS_RXE ? none : ON(EINVAL, none, none));
	init(&request, UVERBS_OBJECT_DEVICE, 0x1001); /* ...GET_DATA_DIRECT_SYSFS_PATH */
	pointer(&request, 0x1000, sizeof(text), text);
	assert_int_equal(send_to(&request, fd), IS_RXE ? none : ON(ENODEV, ENODEV, none));
}

TEST(data_direct_is_known)
{
	struct ib_uverbs_attr *flags;
	struct request request;
	int dmabuf;

	if (IS_RXE)
		skip(); /* no dma-bufs */
	dmabuf = make_dmabuf(1);
	init_dmabuf(&request, dmabuf, 0, PAGE, IOVA, 0);
	assert_int_equal(send_reg(&request), 0);
	flags = attr(&request, 0x1000, 4, 0); /* MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS */
	assert_int_equal(send_reg(&request), ON(0, 0, EPROTONOSUPPORT));
	flags->data = 1;
	assert_int_equal(send_reg(&request), ON(EINVAL, EINVAL, EPROTONOSUPPORT));
	flags->flags = 0; /* not mandatory: kernels that do not know the attribute ignore it */
	assert_int_equal(send_reg(&request), ON(EINVAL, EINVAL, 0));
	close(dmabuf);
}

TEST(small_regions_share_keys_in_older_kernels)
{
	uint32_t key;

	if (IS_RXE)
		skip(); /* keys do not depend on a size, and REREG_TRANS is not supported */
	assert_int_equal(reg_at(memory, PAGE, 0, LOCAL), 0);
	key = mr.lkey;
	assert_int_equal(translate(memory, 2 * PAGE, 0), 0);
	assert_int_equal(mr.lkey != key, ON(true, false, false));
	key = mr.lkey;
	assert_int_equal(translate(memory, 5 * PAGE, 0), 0);
	assert_int_not_equal(mr.lkey, key);
}

TEST(the_device_reports_paging_and_newer_kernels_take_driver_data_of_any_size)
{
	const bool any_size = ON(true, false, false);
	const struct ib_uverbs_ex_query_device in = { 0 };
	const struct ib_uverbs_alloc_pd pd_in = { 0 };
	struct ib_uverbs_ex_query_device_resp out;
	struct ib_uverbs_alloc_pd_resp pd_out;
	struct request request;
	uint64_t data[4] = { 1, 1, 1, 1 };

	init_write(&request, IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		   &in, sizeof(in), &out, sizeof(out));
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(out.odp_caps.general_caps,
			 IS_RXE ? ON(IBV_ODP_SUPPORT, 0, 0)
				: IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT);
	pointer(&request, UVERBS_ATTR_UHW_OUT, sizeof(data), data);
	assert_int_equal(send_to(&request, fd), IS_RXE && !any_size ? EINVAL : 0);
	if (IS_RXE)
		assert_int_equal(data[3], any_size ? 0 : 1);
	attr(&request, UVERBS_ATTR_UHW_IN, 8, 1);
	assert_int_equal(send_to(&request, fd), any_size ? EOPNOTSUPP : EINVAL);

	init_write(&request, IB_USER_VERBS_CMD_ALLOC_PD, &pd_in, sizeof(pd_in), &pd_out,
		   sizeof(pd_out));
	assert_int_equal(send_to(&request, fd), IS_RXE || any_size ? 0 : EFAULT);
	if (IS_RXE)
		return;
	/* older kernels write all of the answer, however short its place is said to be */
	data[0] = UINT64_MAX;
	pointer(&request, UVERBS_ATTR_UHW_OUT, 2, data);
	assert_int_equal(send_to(&request, fd), 0);
	assert_int_equal(data[0] >> 16 == UINT64_MAX >> 16, any_size);
	request.attrs[request.hdr.num_attrs - 1].len = 0;
	assert_int_equal(send_to(&request, fd), 0);
	request.attrs[request.hdr.num_attrs - 1].data = 0;
	assert_int_equal(send_to(&request, fd), any_size ? 0 : EFAULT);
}

static int read_names(void **state __attribute__((unused)))
{
	const char *name = getenv("MRCTL_SIM");
	const int found = mr_word_find(mr_sim_profiles, name, strlen(name));
	struct mr_error err;

	profile = (enum mr_sim_profile)found;
	return found < 0 || mr_sim_kernel_parse(getenv("MRCTL_SIM_KERNEL"), &kernel, &err);
}

ALL_TESTS(read_names, NULL)
EACH_TEST(open_device, close_device)
