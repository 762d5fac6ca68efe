// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Why a device is not found or not opened, on hosts with other containers, services and permissions than this one. */
#include "tests/unit/lib/diagnose/causes/cause.h"

EACH_TEST(set_up, tear_down)

#define LISTED                                                                                                         \
	"/sys/class/infiniband_verbs/uverbs0/ibdev mlx5_0\n"                                                           \
	"/sys/class/infiniband_verbs/uverbs0/dev 231:192\n"

/* An HCA, and a user who may open its node, on a host without containers or sandboxes. */
#define HEALTHY                                                                                                        \
	"/sys/class/infiniband/mlx5_0/node_type 1: CA\n" LISTED "/sys/class/infiniband_verbs/abi_version 6\n"          \
	"/proc/self/status Uid:\t1000\t1000\t1000\t1000\n"                                                             \
	"/proc/self/status Gid:\t100\t100\t100\t100\n"                                                                 \
	"/proc/self/status Groups:\t100\n/proc/self/status CapEff:\t0\n"                                               \
	"/proc/self/uid_map 0 0 4294967295\n"                                                                          \
	"/proc/self/mountinfo 24 1 0:6 / /dev rw - devtmpfs udev rw\n"                                                 \
	"/calls/proc/self/ns/pid.link pid:[4026531836]\n"                                                              \
	"/calls/descriptors.answer error=0 limit=1024\n"
#define NODE_IS(status) "/calls/dev/infiniband/uverbs0.stat " status "\n"
#define FOR_ALL         "mode=20666 uid=0 gid=0 device=231:192"
#define FOR_GROUP       "mode=20660 uid=0 gid=44 device=231:192"
#define OPENS           NODE_IS(FOR_ALL) "/calls/dev/infiniband/uverbs0.open ok\n"
#define REFUSES(errno)  "/calls/dev/infiniband/uverbs0.open.error " errno "\n"
#define SERVICE         "/proc/self/cgroup 0::/system.slice/trainer.service\n"
#define NODEV(is)       "/calls/nodev/dev/infiniband/uverbs0.answer " is "\n"
#define ENFORCE(is)     "/sys/fs/selinux/enforce " is "\n"
#define SYSFS           "/sys/class/net/lo/ifindex 1\n"
#define ADAPTER                                                                                                        \
	"/sys/bus/pci/devices/0000:21:00.0/class 0x020000\n"                                                           \
	"/sys/bus/pci/devices/0000:21:00.0/vendor 0x15b3\n"
#define DESCRIPTORS(answer) "/calls/descriptors.answer " answer "\n"

#define FIND                "ibv_get_device_list", ENODEV, NULL
#define NAMED               "ibv_get_device_list", ENODEV, "mlx5_0"
#define OPEN                "ibv_open_device"

struct opening {
	const char *changes, *call;
	int errnum;
	const char *device, *id;
	unsigned int certainty;
	const char *says;
};

static const struct opening openings[] = {
	{ "# a container without the node\n" HEALTHY "/calls/proc/self/ns/pid.link pid:[4026532567]\n"
	  "/proc/self/mountinfo 24 1 0:50 / /dev rw - tmpfs tmpfs rw",
	  FIND, "MR-NODE", CERTAIN, "--device=/dev/infiniband" },
	{ "# a host without the node\n" HEALTHY, FIND, "MR-NODE", CERTAIN, "mknod /dev/infiniband/uverbs0 c 231 192" },
	{ "", OPEN, ENOENT, "mlx5_0", "MR-NODE", CERTAIN, "" },
	{ "", OPEN, ENODEV, "mlx5_0", "", 0, "" }, /* which is not the errno of that */
	{ "# a service with private devices\n" HEALTHY SERVICE
	  "/proc/self/mountinfo 24 1 0:6 / /dev rw - devtmpfs udev rw\n"
	  "/proc/self/mountinfo 90 26 0:52 / /dev ro - tmpfs tmpfs rw,mode=755",
	  FIND, "MR-SANDBOX", CERTAIN, "a private /dev (tmpfs)" },
	{ "", FIND, "MR-SANDBOX", CERTAIN, "systemctl edit trainer.service" },
	{ "# a service with rules for devices\n" HEALTHY SERVICE NODE_IS(FOR_ALL) REFUSES("EPERM"), OPEN, EPERM,
	  "mlx5_0", "MR-SANDBOX", FIRST_LIKELY, "DeviceAllow" },
	{ "# a node of a group\n" HEALTHY NODE_IS(FOR_GROUP) REFUSES("EACCES") "/calls/group/44.answer rdma", OPEN,
	  EACCES, "mlx5_0", "MR-NODE-ACCESS", CERTAIN, "mode 0660, user 0 and group rdma, and this is user 1000" },
	{ "", OPEN, EACCES, "mlx5_0", "MR-NODE-ACCESS", CERTAIN, "usermod -aG rdma" },
	{ "# a folder that may not be searched\n" HEALTHY REFUSES(
		  "EACCES") "/calls/dev/infiniband/uverbs0.stat.error EACCES",
	  "stat", EACCES, NULL, "MR-NODE-ACCESS", CERTAIN, "do not let user" },
	{ "", OPEN, EACCES, "mlx5_0", "MR-NODE-ACCESS", CERTAIN, "" },
	{ "# a file system with nodev\n" HEALTHY NODE_IS(FOR_ALL) REFUSES("EACCES") NODEV("1") ENFORCE("1"), OPEN,
	  EACCES, "mlx5_0", "MR-NODEV", CERTAIN, "" },
	{ NODEV("0") "/proc/self/attr/current system_u:system_r:trainer_t:s0", OPEN, EACCES, "mlx5_0", "MR-SELINUX",
	  FIRST_LIKELY, "" },
	{ "-/sys/fs/selinux/enforce", OPEN, EACCES, "mlx5_0", "MR-SELINUX", FIRST_POSSIBLE, "" },
	{ ENFORCE("0"), OPEN, EACCES, "mlx5_0", NULL, 0, "" },
	{ "# an adapter without driver\n" SYSFS ADAPTER, FIND, "MR-MODULES", CERTAIN, "an adapter has no driver" },
	{ "", "ibv_get_device_list", ENODEV, "rxe0", "MR-MODULES", FIRST_LIKELY, "adapter" },
	{ "# another device than that of the adapter\n" HEALTHY OPENS ADAPTER, "ibv_get_device_list", ENODEV, "mlx5_1",
	  "MR-MODULES", FIRST_LIKELY, "modprobe" },
	{ "", "ibv_get_device_list", ENODEV, "mlx5_1", "MR-DEVICE-NAME", LIKELY, "" },
	{ "# no device\n" SYSFS, NAMED, "MR-DEVICE", CERTAIN, "" },
	/* A context that is open holds ib_uverbs: without its class this is another sysfs. */
	{ "", "ibv_reg_mr", EIO, "mlx5_0", "", 0, "" },
	{ "/sys/class/infiniband_verbs/abi_version 6", "ibv_reg_mr", EIO, "mlx5_0", "MR-DEVICE-GONE", CERTAIN, "" },
	{ "# no sysfs\n/proc/self/uid_map 0 0 4294967295", FIND, "MR-DEVICE", FIRST_LIKELY, "" },
	{ "", "ibv_reg_mr", EIO, "mlx5_0", "", 0, "" },
	{ "# a node with another number\n" HEALTHY NODE_IS("mode=20666 uid=0 gid=0 device=231:7") REFUSES("ENXIO"),
	  OPEN, ENXIO, "mlx5_0", "MR-NODE-NUMBER", CERTAIN, "" },
	/* libibverbs finds the right one there */
	{ "/calls/dev/char/231:192.stat " FOR_ALL, OPEN, ENOENT, "mlx5_0", "", 0, "" },
	{ "# a node that is a file\n" HEALTHY NODE_IS("mode=100666 uid=0 gid=0 device=0:0"), OPEN, ENOENT, "mlx5_0",
	  "MR-NODE-NUMBER", CERTAIN, "not a character device" },
	{ "/calls/dev/char/231:192.stat mode=100666 uid=0 gid=0 device=0:0", OPEN, EIO, "mlx5_0", "MR-NODE-NUMBER",
	  CERTAIN, "mknod /dev/infiniband/uverbs0 c 231 192" },
	{ "# no provider\n" HEALTHY OPENS, FIND, "MR-PROVIDER", FIRST_LIKELY, "names no providers" },
	{ "", "ibv_import_device", EOPNOTSUPP, "mlx5_0", "MR-IMPORT", UNRELATED, "" },
	{ "# no more files\n" HEALTHY OPENS DESCRIPTORS("error=24 limit=256"), "ibv_get_device_list", EMFILE, NULL,
	  "MR-DESCRIPTORS", CERTAIN, "its limit is 256" },
	{ "", "ibv_import_device", ENODEV, "mlx5_0", "MR-DESCRIPTORS", CERTAIN, "" },
	{ "", "ibv_get_device_list", ENFILE, NULL, "", 0, "" },
	{ DESCRIPTORS("error=23 limit=256"), "ibv_get_device_list", ENFILE, NULL, "MR-DESCRIPTORS", CERTAIN, "" },
	{ DESCRIPTORS("lies"), "ibv_get_device_list", ENFILE, NULL, "", 0, "" },
};

static void refuse(const char *call, int errnum, const char *device)
{
	environment = (struct mr_environment){ .simulated = false };
	refusal = (struct mr_refusal){ .call = call, .errnum = errnum, .environment = &environment, .device = device };
}

TEST(a_device_that_is_not_found_or_not_opened)
{
	for (size_t i = 0; i < ARRAY_SIZE(openings); i++) {
		const struct opening *row = &openings[i];

		change(row->changes);
		refuse(row->call, row->errnum, row->device);
		expect_cause(row->changes, row->id, row->certainty, row->says);
	}
}

#define UDMABUF     MR_DMABUF_UDMABUF
#define STAT_OF(it) "/calls/dev/" it ".stat "
#define CREATE      "ioctl(UDMABUF_CREATE)"

/* Making a dma-buf of 4 MiB; the heap is "system". */
TEST(a_dmabuf_that_cannot_be_made)
{
	static const struct {
		const char *changes, *call;
		enum mr_dmabuf_type type;
		int errnum;
		const char *id;
		unsigned int certainty;
		const char *says;
	} rows[] = {
		{ HEALTHY STAT_OF("udmabuf") "mode=20600 uid=0 gid=0 device=10:126", "open", UDMABUF, EACCES,
		  "MR-UDMABUF", CERTAIN, "has mode 0600" },
		{ "", "open", UDMABUF, EPERM, "MR-UDMABUF", FIRST_LIKELY, "device rules" },
		{ "", "open", UDMABUF, ENXIO, "MR-UDMABUF", FIRST_LIKELY, "has no driver" },
		{ "", "open", UDMABUF, ENOENT, "MR-UDMABUF", FIRST_POSSIBLE, "" },
		{ STAT_OF("udmabuf") "mode=20666 uid=0 gid=0 device=10:126", "open", UDMABUF, EACCES, "MR-UDMABUF",
		  FIRST_LIKELY, "" },
		{ "-/calls/dev/udmabuf.stat", "open", UDMABUF, EACCES, "MR-UDMABUF", FIRST_LIKELY, "" },
		{ "", "open", UDMABUF, ENOENT, "MR-UDMABUF", CERTAIN, "" },
		{ "", CREATE, UDMABUF, EINVAL, NULL, 0, "" },
		{ "/sys/module/udmabuf/parameters/size_limit_mb 3", CREATE, UDMABUF, EINVAL, "MR-UDMABUF-SIZE", CERTAIN,
		  "at most 3 MiB" },
		{ "/sys/module/udmabuf/parameters/size_limit_mb 4", CREATE, UDMABUF, EINVAL, "MR-UDMABUF-SIZE",
		  RULED_OUT, "" },
		{ "", "open", MR_DMABUF_HEAP, ENOENT, "MR-DMA-HEAP", CERTAIN, "" },
		{ "/calls/dev/dma_heap.list", "open", MR_DMABUF_HEAP, ENOENT, "MR-DMA-HEAP", CERTAIN, "no dma-heaps" },
		{ "/calls/dev/dma_heap.list cma\n/calls/dev/dma_heap.list other", "open", MR_DMABUF_HEAP, ENOENT,
		  "MR-DMA-HEAP", FIRST_LIKELY, "the dma-heaps cma other, and not system" },
		{ STAT_OF("dma_heap/system") "mode=20600 uid=0 gid=0 device=10:1", "open", MR_DMABUF_HEAP, EACCES,
		  "MR-DMA-HEAP", CERTAIN, "member of the group of /dev/dma_heap/system" },
		{ "", CREATE, MR_DMABUF_HEAP, EACCES, "MR-DMA-HEAP", UNRELATED, "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct mr_dmabuf_request dmabuf = { .source = { .type = rows[i].type, .name = "system" },
							  .size = 4 * MIB };

		change(rows[i].changes);
		refuse(rows[i].call, rows[i].errnum, NULL);
		refusal.dmabuf = &dmabuf;
		expect_cause(rows[i].changes, rows[i].id, rows[i].certainty, rows[i].says);
	}
}
