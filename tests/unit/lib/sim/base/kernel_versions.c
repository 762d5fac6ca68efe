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

#define FLUSH_GLOBAL     (1u << 8)
#define FLUSH_PERSISTENT (1u << 9)

/* The expected answer of each kernel. */
struct answers {
	int of[MR_SIM_KERNELS];
};

#define ANSWERS(of_7_2, of_6_12, of_6_1)                                                           \
	{                                                                                          \
		.of = { [MR_SIM_KERNEL_7_2] = (of_7_2),                                            \
			[MR_SIM_KERNEL_6_12] = (of_6_12),                                          \
			[MR_SIM_KERNEL_6_1] = (of_6_1) }                                           \
	}

struct access_case {
	const char *name;
	uint32_t access;
	struct answers mlx5, rxe;
};

TEST_WITH(access_flags_are_those_of_the_kernel, open_device, close_device)
{
	static const struct access_case cases[] = {
		{ "flush-global", FLUSH_GLOBAL, ANSWERS(EOPNOTSUPP, EOPNOTSUPP, EINVAL),
		  ANSWERS(0, 0, EINVAL) },
		{ "flush-persistent", FLUSH_PERSISTENT, ANSWERS(EOPNOTSUPP, EOPNOTSUPP, EINVAL),
		  ANSWERS(EINVAL, EINVAL, EINVAL) },
		{ "zero-based", IB_UVERBS_ACCESS_ZERO_BASED, ANSWERS(0, 0, 0),
		  ANSWERS(EOPNOTSUPP, EOPNOTSUPP, 0) },
		{ "hugetlb", IB_UVERBS_ACCESS_HUGETLB, ANSWERS(0, 0, 0),
		  ANSWERS(EOPNOTSUPP, EOPNOTSUPP, 0) },
		{ "on demand", IB_UVERBS_ACCESS_ON_DEMAND, ANSWERS(0, 0, 0),
		  ANSWERS(0, EOPNOTSUPP, EINVAL) },
		{ "bit 10", 1u << 10, ANSWERS(EINVAL, EINVAL, EINVAL),
		  ANSWERS(EINVAL, EINVAL, EINVAL) },
	};
	struct device *device = *state;
	const struct answers *answers;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		answers = IS_RXE ? &cases[i].rxe : &cases[i].mlx5;
		assert_equal_for(cases[i].name,
				 reg(device->fd, device->pd, device->memory, PAGE,
				     LOCAL | cases[i].access, NULL),
				 answers->of[kernel]);
	}
}

TEST_WITH(an_iova_may_wrap_in_older_kernels, open_device, close_device)
{
	static const struct answers mlx5 = ANSWERS(EINVAL, 0, 0);
	struct device *device = *state;
	struct ib_uverbs_reg_mr_resp mr;

	assert_int_equal(
		reg_at(device->fd, device->pd, device->memory, 2 * PAGE, 0 - PAGE, LOCAL, &mr),
		IS_RXE ? 0 : mlx5.of[kernel]);
}

TEST_WITH(rereg_checks_access, open_device, close_device)
{
	static const struct answers mlx5 = ANSWERS(EACCES, EACCES, 0),
				    rxe = ANSWERS(EACCES, EACCES, EOPNOTSUPP),
				    back = ANSWERS(0, 0, EOPNOTSUPP);
	struct device *device = *state;
	struct ib_uverbs_rereg_mr in = { .flags = REREG_ACCESS, .access_flags = LOCAL };
	struct ib_uverbs_rereg_mr_resp out;

	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, 0, &in.mr_handle), 0);
	assert_int_equal(rereg(device->fd, &in, &out), (IS_RXE ? &rxe : &mlx5)->of[kernel]);
	in.access_flags = IB_UVERBS_ACCESS_REMOTE_READ;
	assert_int_equal(rereg(device->fd, &in, &out), IS_RXE ? back.of[kernel] : 0);
}

/* Linux 6.1 makes such a region anew, of the range in the request, which is not to be translated. */
TEST_WITH(rereg_of_on_demand_access_takes_the_given_range, open_device, close_device)
{
	static const struct answers nothing = ANSWERS(EOPNOTSUPP, EOPNOTSUPP, EFAULT),
				    memory = ANSWERS(EOPNOTSUPP, EOPNOTSUPP, 0),
				    offset = ANSWERS(EOPNOTSUPP, EOPNOTSUPP, EINVAL);
	struct device *device = *state;
	struct ib_uverbs_rereg_mr in = { .flags = REREG_ACCESS,
					 .access_flags = IB_UVERBS_ACCESS_REMOTE_READ,
					 .start = 0x10000,
					 .length = PAGE,
					 .hca_va = 0x10000 };
	struct ib_uverbs_rereg_mr_resp out;

	if (IS_RXE)
		skip(); /* it has on-demand paging since Linux 7.2, and changes its access */
	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE,
			     LOCAL | IB_UVERBS_ACCESS_ON_DEMAND, &in.mr_handle),
			 0);
	assert_int_equal(rereg(device->fd, &in, &out), nothing.of[kernel]);
	in.start = (uintptr_t)device->memory;
	in.hca_va = in.start + 16;
	assert_int_equal(rereg(device->fd, &in, &out), offset.of[kernel]);
	in.hca_va = in.start;
	assert_int_equal(rereg(device->fd, &in, &out), memory.of[kernel]);
}

TEST_WITH(memory_that_is_read_must_be_readable, open_device, close_device)
{
	static const struct answers inaccessible = ANSWERS(EFAULT, EFAULT, 0),
				    shared = ANSWERS(0, 0, EFAULT);
	struct device *device = *state;
	char *memory = map(4 * PAGE, PROT_READ | PROT_WRITE), *none = memory + PAGE, *readonly;

	assert_int_equal(mprotect(none, PAGE, PROT_NONE), 0);
	assert_int_equal(reg(device->fd, device->pd, none, PAGE, 0, NULL), inaccessible.of[kernel]);
	assert_int_equal(reg(device->fd, device->pd, memory + 10, 3 * PAGE,
			     IB_UVERBS_ACCESS_REMOTE_READ, NULL),
			 inaccessible.of[kernel]);
	assert_int_equal(reg(device->fd, device->pd, none, PAGE, LOCAL, NULL), EFAULT);
	assert_int_equal(munmap(memory + 2 * PAGE, PAGE), 0);
	assert_int_equal(reg(device->fd, device->pd, memory, 4 * PAGE, 0, NULL), EFAULT);
	munmap(memory, 4 * PAGE);

	readonly = mmap(NULL, PAGE, PROT_READ, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(reg(device->fd, device->pd, readonly, PAGE, 0, NULL), shared.of[kernel]);
	munmap(readonly, PAGE);
	readonly = map(PAGE, PROT_READ);
	assert_int_equal(reg(device->fd, device->pd, readonly, PAGE, 0, NULL), 0);
	munmap(readonly, PAGE);
	assert_int_equal(reg(device->fd, device->pd, (void *)(uintptr_t)PAGE, PAGE, 0, NULL),
			 EFAULT);
}

/* A shared mapping of a new file below a folder; @path is set to its name. */
static char *map_file(const char *below, char path[512])
{
	char *memory;
	int fd;

	snprintf(path, 512, "%s/mrctl-test-XXXXXX", below);
	fd = mkstemp(path);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 2 * PAGE), 0);
	memory = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(memory, MAP_FAILED);
	close(fd);
	return memory;
}

TEST_WITH(files_are_written_by_shared_mappings_in_older_kernels, open_device, close_device)
{
	static const struct answers shared = ANSWERS(EFAULT, EFAULT, 0);
	struct device *device = *state;
	char self[400] = "", below[400], path[512], *memory, *private;
	struct statfs fs;
	struct stat st;
	int i;

	memory = map_file("/dev/shm", path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(reg(device->fd, device->pd, memory, 2 * PAGE, LOCAL, NULL), 0);
	munmap(memory, 2 * PAGE);

	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	snprintf(below, sizeof(below), "%s", dirname(self));
	assert_int_equal(statfs(below, &fs), 0);
	if (fs.f_type == TMPFS_MAGIC)
		skip(); /* it writes nothing back */
	assert_int_equal(stat(below, &st), 0);
	/* the second file is deleted: the simulator knows it by its device, if that has a major number */
	for (i = 0; i < (major(st.st_dev) ? 2 : 1); i++) {
		memory = map_file(below, path);
		if (i)
			assert_int_equal(unlink(path), 0);
		assert_int_equal(reg(device->fd, device->pd, memory + PAGE, 10, LOCAL, NULL),
				 shared.of[kernel]);
		assert_int_equal(reg(device->fd, device->pd, memory, PAGE,
				     IB_UVERBS_ACCESS_REMOTE_READ, NULL),
				 0);
		munmap(memory, 2 * PAGE);
		if (!i)
			assert_int_equal(unlink(path), 0);
	}
	/* other mappings of the process do not matter */
	private = map(PAGE, PROT_READ | PROT_WRITE);
	assert_int_equal(reg(device->fd, device->pd, private, PAGE, LOCAL, NULL), 0);
	munmap(private, PAGE);
}

static int use_mounted_files(struct device *device)
{
	static const struct answers ramfs = ANSWERS(EFAULT, EFAULT, 0);
	char folder[] = "/tmp/mrctl-test-XXXXXX", path[512], options[300], *memory;

	EXPECT(mkdtemp(folder));
	if (unshare(CLONE_NEWNS) || mount("none", "/", "none", MS_REC | MS_PRIVATE, NULL) ||
	    mount("ramfs", folder, "ramfs", 0, NULL)) {
		rmdir(folder);
		print_message("this user cannot mount a ramfs\n");
		return 0;
	}
	memory = map_file(folder, path);
	EXPECT(reg(device->fd, device->pd, memory, PAGE, LOCAL, NULL) == ramfs.of[kernel]);
	EXPECT(!reg(device->fd, device->pd, memory, PAGE, IB_UVERBS_ACCESS_REMOTE_READ, NULL));
	munmap(memory, 2 * PAGE);

	EXPECT(!umount2(folder, MNT_DETACH) && !mount("tmpfs", folder, "tmpfs", 0, NULL));
	EXPECT(!chdir(folder) && !mkdir("low", 0700) && !mkdir("up per", 0700) &&
	       !mkdir("work", 0700) && !mkdir("over", 0700));
	snprintf(options, sizeof(options), "lowerdir=%s/low,upperdir=%s/up per,workdir=%s/work",
		 folder, folder, folder);
	if (!mount("overlay", "over", "overlay", 0, options)) {
		memory = map_file("over", path);
		EXPECT(!reg(device->fd, device->pd, memory, PAGE, LOCAL, NULL));
		EXPECT(!umount2("over", MNT_DETACH));
	}
	EXPECT(!chdir("/") && !umount2(folder, MNT_DETACH));
	rmdir(folder);
	return 0;
}

/* ramfs treats writes to shared pages as a disk's file system does; of an overlay its upper layer counts. */
TEST_WITH(shared_files_are_those_of_their_file_system, open_device, close_device)
{
	in_child(use_mounted_files, *state);
}

TEST_WITH(rings_of_perf_events_have_pages_in_older_kernels, open_device, close_device)
{
	static const struct answers read = ANSWERS(EFAULT, 0, 0),
				    write = ANSWERS(EFAULT, EFAULT, 0),
				    late = ANSWERS(EFAULT, EFAULT, EFAULT),
				    data = ANSWERS(EFAULT, 0, EFAULT);
	struct perf_event_attr event = { .type = PERF_TYPE_SOFTWARE,
					 .size = sizeof(event),
					 .config = PERF_COUNT_SW_DUMMY,
					 .exclude_kernel = 1,
					 .exclude_hv = 1 };
	struct device *device = *state;
	char *ring;
	int fd = (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		skip(); /* not for this user */
	ring = mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(ring, MAP_FAILED);
	close(fd);
	assert_int_equal(reg(device->fd, device->pd, ring, PAGE, 0, NULL), read.of[kernel]);
	assert_int_equal(reg(device->fd, device->pd, ring, PAGE, LOCAL, NULL), write.of[kernel]);
	/* only the first page can be written, which older kernels pin for reading, too */
	assert_int_equal(reg(device->fd, device->pd, ring + PAGE, PAGE, 0, NULL), data.of[kernel]);
	assert_int_equal(reg(device->fd, device->pd, ring + PAGE, PAGE, LOCAL, NULL),
			 late.of[kernel]);
	munmap(ring, 3 * PAGE);
}

TEST_WITH(memory_that_can_only_be_written_is_pinned_where_it_is_mapped, open_device, close_device)
{
	static const struct answers absent = ANSWERS(EFAULT, EFAULT, 0);
	struct device *device = *state;
	char *memory = map(2 * PAGE, PROT_READ | PROT_WRITE);

	memory[0] = 1;
	assert_int_equal(mprotect(memory, 2 * PAGE, PROT_WRITE), 0);
	assert_int_equal(reg(device->fd, device->pd, memory, PAGE, 0, NULL), 0);
	assert_int_equal(reg(device->fd, device->pd, memory, 2 * PAGE, 0, NULL), absent.of[kernel]);
	assert_int_equal(reg(device->fd, device->pd, memory, 2 * PAGE, LOCAL, NULL), 0);
	munmap(memory, 2 * PAGE);
}

/* ---- methods and attributes ------------------------------------------------------------------ */

TEST_WITH(methods_are_those_of_the_kernel, open_device, close_device)
{
	static const struct answers reg_mr = ANSWERS(EINVAL, EPROTONOSUPPORT, EPROTONOSUPPORT),
				    path = ANSWERS(ENODEV, ENODEV, EPROTONOSUPPORT),
				    unmodelled =
					    ANSWERS(EOPNOTSUPP, EPROTONOSUPPORT, EPROTONOSUPPORT);
	struct device *device = *state;
	struct request request;
	char text[64];

	init(&request, UVERBS_OBJECT_MR, 5); /* UVERBS_METHOD_REG_MR, without its attributes */
	assert_int_equal(send_to(&request, device->fd), reg_mr.of[kernel]);
	init(&request, UVERBS_OBJECT_DEVICE, 7); /* UVERBS_METHOD_QUERY_PORT_SPEED */
	assert_int_equal(send_to(&request, device->fd), unmodelled.of[kernel]);
	init(&request, 18, 0); /* UVERBS_OBJECT_DMABUF, without its attributes, too */
	assert_int_equal(send_to(&request, device->fd),
			 IS_RXE ? EPROTONOSUPPORT : reg_mr.of[kernel]);
	init(&request, UVERBS_OBJECT_DEVICE, 0x1001); /* ...GET_DATA_DIRECT_SYSFS_PATH */
	pointer(&request, 0x1000, sizeof(text), text);
	assert_int_equal(send_to(&request, device->fd), IS_RXE ? EPROTONOSUPPORT : path.of[kernel]);
}

TEST_WITH(data_direct_is_known, open_device, close_device)
{
	static const struct answers unasked = ANSWERS(0, 0, EPROTONOSUPPORT),
				    asked = ANSWERS(EINVAL, EINVAL, EPROTONOSUPPORT);
	struct device *device = *state;
	int fd = memfd_create("mrctl-dmabuf", MFD_CLOEXEC);
	struct ib_uverbs_attr *flags;
	struct request request;
	uint32_t keys[2];

	if (IS_RXE)
		skip(); /* no dma-bufs */
	assert_int_equal(ftruncate(fd, PAGE), 0);
	init(&request, UVERBS_OBJECT_MR, UVERBS_METHOD_REG_DMABUF_MR);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_HANDLE, 0, 0);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_PD_HANDLE, 0, device->pd);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_OFFSET, 8, 0);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_LENGTH, 8, PAGE);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_IOVA, 8, IOVA);
	attr(&request, UVERBS_ATTR_REG_DMABUF_MR_FD, 4, (uint32_t)fd);
	pointer(&request, UVERBS_ATTR_REG_DMABUF_MR_RESP_LKEY, 4, &keys[0]);
	pointer(&request, UVERBS_ATTR_REG_DMABUF_MR_RESP_RKEY, 4, &keys[1]);
	assert_int_equal(send_to(&request, device->fd), 0);
	flags = attr(&request, 0x1000, 4, 0); /* MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS */
	assert_int_equal(send_to(&request, device->fd), unasked.of[kernel]);
	flags->data = 1;
	assert_int_equal(send_to(&request, device->fd), asked.of[kernel]);
	flags->flags = 0; /* not mandatory: kernels that do not know the attribute ignore it */
	assert_int_equal(send_to(&request, device->fd), kernel == MR_SIM_KERNEL_6_1 ? 0 : EINVAL);
	close(fd);
}

TEST_WITH(small_regions_share_keys_in_older_kernels, open_device, close_device)
{
	static const struct answers changes = ANSWERS(true, false, false);
	struct device *device = *state;
	struct ib_uverbs_rereg_mr in = {
		.flags = REREG_TRANS,
		.start = (uintptr_t)device->memory,
		.length = 2 * PAGE,
	};
	struct ib_uverbs_rereg_mr_resp out;
	struct ib_uverbs_reg_mr_resp mr;

	if (IS_RXE)
		skip(); /* keys do not depend on a size, and REREG_TRANS is not supported */
	assert_int_equal(reg_at(device->fd, device->pd, device->memory, PAGE, 0, LOCAL, &mr), 0);
	in.mr_handle = mr.mr_handle;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_equal(out.lkey != mr.lkey, changes.of[kernel]);
	in.length = 5 * PAGE;
	mr.lkey = out.lkey;
	assert_int_equal(rereg(device->fd, &in, &out), 0);
	assert_int_not_equal(out.lkey, mr.lkey);
}

TEST(the_device_says_whether_it_has_paging_on_demand)
{
	static const struct answers rxe = ANSWERS(IBV_ODP_SUPPORT, 0, 0);
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = ibv_open_device(list[0]);
	struct ibv_device_attr_ex attributes;

	(void)state;
	assert_int_equal(ibv_query_device_ex(context, NULL, &attributes), 0);
	assert_int_equal(attributes.odp_caps.general_caps,
			 IS_RXE ? rxe.of[kernel] : IBV_ODP_SUPPORT | IBV_ODP_SUPPORT_IMPLICIT);
	ibv_close_device(context);
	ibv_free_device_list(list);
}

TEST_WITH(advice_is_known_with_paging_on_demand, open_device, close_device)
{
	static const struct answers rxe = ANSWERS(EINVAL, EOPNOTSUPP, EOPNOTSUPP);
	struct device *device = *state;
	struct device other = { .fd = device->fd, .pd = 1000 };

	assert_int_equal(advise(device, 0x7fffff00, 0, 0, IOVA, 1),
			 IS_RXE ? rxe.of[kernel] : ENOENT);
	assert_int_equal(advise(&other, 0x7fffff00, 0, 0, IOVA, 1), ENOENT);
}

TEST_WITH(driver_data_has_any_size_in_newer_kernels, open_device, close_device)
{
	static const struct answers unknown = ANSWERS(EOPNOTSUPP, EINVAL, EINVAL),
				    small = ANSWERS(0, EFAULT, EFAULT),
				    large = ANSWERS(0, EINVAL, EINVAL);
	const struct ib_uverbs_ex_query_device in = { 0 };
	const struct ib_uverbs_alloc_pd pd = { 0 };
	struct device *device = *state;
	struct ib_uverbs_ex_query_device_resp out;
	struct ib_uverbs_alloc_pd_resp pd_out;
	struct request request;
	uint64_t data[4] = { 1, 1, 1, 1 };

	init_write(&request, IB_USER_VERBS_EX_CMD_QUERY_DEVICE | IB_USER_VERBS_CMD_FLAG_EXTENDED,
		   &in, sizeof(in), &out, sizeof(out));
	assert_int_equal(send_to(&request, device->fd), 0);
	pointer(&request, UVERBS_ATTR_UHW_OUT, sizeof(data), data);
	assert_int_equal(send_to(&request, device->fd), IS_RXE ? large.of[kernel] : 0);
	if (IS_RXE)
		assert_int_equal(data[3], large.of[kernel] ? 1 : 0);
	attr(&request, UVERBS_ATTR_UHW_IN, 8, 1);
	assert_int_equal(send_to(&request, device->fd), unknown.of[kernel]);

	init_write(&request, IB_USER_VERBS_CMD_ALLOC_PD, &pd, sizeof(pd), &pd_out, sizeof(pd_out));
	assert_int_equal(send_to(&request, device->fd), IS_RXE ? 0 : small.of[kernel]);
	if (IS_RXE)
		return;
	/* older kernels write all of the answer, however short its place is said to be */
	data[0] = UINT64_MAX;
	pointer(&request, UVERBS_ATTR_UHW_OUT, 2, data);
	assert_int_equal(send_to(&request, device->fd), 0);
	assert_int_equal(data[0] >> 16 == UINT64_MAX >> 16, !small.of[kernel]);
	request.attrs[request.hdr.num_attrs - 1].len = 0;
	assert_int_equal(send_to(&request, device->fd), 0);
	request.attrs[request.hdr.num_attrs - 1].data = 0;
	assert_int_equal(send_to(&request, device->fd), small.of[kernel]);
}

static int read_names(void **state __attribute__((unused)))
{
	struct mr_error err;

	return mr_sim_kernel_parse(getenv("MRCTL_SIM_KERNEL"), &kernel, &err) ||
	       mr_sim_profile_parse(getenv("MRCTL_SIM"), &profile, &err);
}

ALL_TESTS(read_names, NULL)
