/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what is read of the host: memory, control groups, RDMA devices, the kernel, limits, and mappings. */
#ifndef LIB_HOST_HOST_H
#define LIB_HOST_HOST_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

/** Bytes.  Figures that the kernel does not report are unknown. */
struct mr_meminfo {
	struct mr_opt_u64 total;
	struct mr_opt_u64 free;
	struct mr_opt_u64 available; /**< what new programs can have without swapping */
	struct mr_opt_u64 swap_total, swap_free;
	struct mr_opt_u64 commit_limit; /**< where vm.overcommit_memory is 2 */
	struct mr_opt_u64 committed;
	struct mr_opt_u64 huge_page_size; /**< of hugetlb, where none is asked for */
	struct mr_opt_u64 cma_total;      /**< in the areas of the contiguous memory allocator */
	struct mr_opt_u64 corrupted;      /**< pages that have failed, and were taken out of use */
	struct mr_opt_u64 cma_free; /**< free in page blocks of type CMA, whoever they belong to */
};

/** mr_meminfo_read() - Return: 0, or -errno. */
int mr_meminfo_read(struct mr_host *host, struct mr_meminfo *info);

/** The pages of one size, of the host or of a NUMA node.  Figures that the kernel does not report are unknown. */
struct mr_huge_pool {
	uint64_t size; /**< bytes of a page */
	struct mr_opt_u64 total, free;
	struct mr_opt_u64 reserved;   /**< free ones that are promised; by host alone */
	struct mr_opt_u64 surplus;    /**< beyond what was set */
	struct mr_opt_u64 overcommit; /**< how many surplus pages there may be; by host alone */
};

enum { MR_HUGE_POOLS = 8 /**< sizes that an architecture has at most */ };

struct mr_huge_pools {
	struct mr_huge_pool pools[MR_HUGE_POOLS]; /**< by name of their folders */
	size_t count;
};

/**
 * mr_huge_pools_read() - read the pools
 * @node: of a NUMA node, "node0"; NULL: of the host
 *
 * Return: 0, or -errno, and no pool; -ENOENT where the kernel has no hugetlb.
 */
int mr_huge_pools_read(struct mr_host *host, const char *node, struct mr_huge_pools *pools);

/** mr_huge_pools_find() - the pool of pages of @size bytes; or NULL */
const struct mr_huge_pool *mr_huge_pools_find(const struct mr_huge_pools *pools, uint64_t size);

/** mr_huge_pool_room() - pages that can still be had, reserved ones left out; not known where a figure is missing */
struct mr_opt_u64 mr_huge_pool_room(const struct mr_huge_pool *pool);

/** mr_huge_pools_bytes() - bytes of all pages, or of those that can still be had; what is not known is 0 */
uint64_t mr_huge_pools_bytes(const struct mr_huge_pools *pools, bool only_room);

/** mr_huge_page_default() - bytes of a page of hugetlb by default; 0 where the kernel has no hugetlb */
uint64_t mr_huge_page_default(struct mr_host *host);

/**
 * mr_thp_mode() - whether the kernel makes huge pages by itself
 * @mode: set to "always", "madvise" or "never", or to an empty text
 *
 * Return: 0; -ENOENT where it has no transparent huge pages; -EINVAL for another word.
 */
int mr_thp_mode(struct mr_host *host, char *mode, size_t size);

/** Available memory. */
struct mr_available {
	uint64_t bytes; /**< the least that any of these leaves */
	const char *by; /**< "MemAvailable", "memory.max", "memory.high" or "RLIMIT_AS" */
};

/**
 * mr_available_read() - compute the available memory
 *
 * It is the least of MemAvailable of /proc/meminfo, of what each control group of this process leaves
 * (mr_memory_group_read()), and of RLIMIT_AS less VmSize.
 *
 * Return: 0, or -errno if /proc/meminfo lacks the figure.
 */
int mr_available_read(struct mr_host *host, struct mr_available *available);

/** A mapping that could not be made. */
struct mr_shortage {
	uint64_t length;    /**< bytes */
	uint64_t huge_size; /**< bytes of its huge pages, 0 for other memory */
	bool is_private;    /**< private and writable: the kernel counts it as data */
};

/** Which limit is too small. */
enum mr_shortage_kind {
	MR_SHORTAGE_NONE,       /**< none is known to be */
	MR_SHORTAGE_RLIMIT,     /**< RLIMIT_AS or RLIMIT_DATA of the process */
	MR_SHORTAGE_HUGE_POOL,  /**< huge pages of the host */
	MR_SHORTAGE_HUGE_GROUP, /**< huge pages of a control group */
	MR_SHORTAGE_COMMIT,     /**< what the host promises, vm.overcommit_memory 2 */
	MR_SHORTAGE_MEMORY,     /**< all memory of the host, vm.overcommit_memory 0 */
};

/** A limit that is too small. */
struct mr_shortage_reason {
	char text[320];   /**< the limit with its figures */
	char remedy[320]; /**< what to do */
};

/**
 * mr_shortage_find() - find the limit that is too small
 * @reason: set, but for MR_SHORTAGE_NONE
 *
 * The rules are those of mm/mmap.c may_expand_vm(), mm/util.c __vm_enough_memory(), mm/hugetlb.c
 * hugetlb_acct_memory() and mm/hugetlb_cgroup.c.
 */
enum mr_shortage_kind mr_shortage_find(const struct mr_shortage *shortage, struct mr_host *host,
				       struct mr_shortage_reason *reason);

/**
 * mr_page_size() - bytes of an ordinary page: 4 KiB, or up to 256 KiB where the kernel was built so (arm64, POWER)
 *
 * Return: a power of two; 4096, which no kernel goes below, if a recording has no valid figure.
 */
uint64_t mr_page_size(struct mr_host *host);

/**
 * mr_pinned_pages() - bytes that are pinned: nr_foll_pin_acquired less nr_foll_pin_released
 *
 * The kernel counts there each page that pin_user_pages() pins, once for each time, whoever pins it: RDMA, VFIO,
 * io_uring, and direct I/O while it lasts (mm/gup.c).  dma-buf and ODP pin nothing in this way.
 *
 * Return: unknown where the kernel does not count them (before Linux 5.7).
 */
struct mr_opt_u64 mr_pinned_pages(struct mr_host *host);

/** A control group. */
struct mr_cgroup {
	char mount[PATH_MAX]; /**< where its hierarchy is mounted: "/sys/fs/cgroup" */
	char path[PATH_MAX];  /**< below that: "/system.slice/a.service"; empty: @mount itself */
	unsigned int version; /**< 1 or 2 */
	bool is_below;        /**< there are groups above @mount that cannot be seen from here */
};

/**
 * mr_cgroup_find() - find the control group of this process
 * @controller: "memory", "hugetlb" or "rdma".  Version 2 has one hierarchy for all; whether the controller is
 *              enabled in it, its files show.
 *
 * Return: 0; -ENOENT where there is none; -EXDEV where there is one that cannot be seen from here; -ENODATA where
 * there is no /proc; or -errno of reading it.
 */
int mr_cgroup_find(struct mr_host *host, const char *controller, struct mr_cgroup *group);

/** mr_cgroup_up() - go to the group above; false at the one that is mounted */
bool mr_cgroup_up(struct mr_cgroup *group);

/** Memory of a control group, in bytes.  A limit of UINT64_MAX is none. */
struct mr_memory_group {
	struct mr_opt_u64 max;  /**< beyond it, processes are killed */
	struct mr_opt_u64 high; /**< beyond it, processes are slowed down; version 2 only */
	struct mr_opt_u64 used; /**< without pages of files, which the kernel can drop */
};

/** mr_memory_group_read() - false where the group has no limits, as the controller is not enabled in it */
bool mr_memory_group_read(struct mr_host *host, const struct mr_cgroup *group,
			  struct mr_memory_group *memory);

/** Counters of huge pages in a control group (mm/hugetlb_cgroup.c). */
enum mr_huge_count {
	MR_HUGE_RESERVED, /**< what mmap(2) promises; kernels before 5.7 have no limit of it */
	MR_HUGE_FAULTED,  /**< what is used */
	MR_HUGE_COUNTS,
};

/** A limit of huge pages, in bytes. */
struct mr_huge_limit {
	char file[64]; /**< of the group: "hugetlb.2MB.rsvd.max" */
	struct mr_opt_u64 max, used;
};

/**
 * mr_huge_limit_read() - read a limit of huge pages
 * @page: bytes of a page
 *
 * Return: false where the group does not have it.
 */
bool mr_huge_limit_read(struct mr_host *host, const struct mr_cgroup *group, uint64_t page,
			enum mr_huge_count count, struct mr_huge_limit *limit);

/** Kinds of RDMA objects that a control group limits. */
enum mr_rdma_resource {
	MR_RDMA_HANDLE, /**< opened devices */
	MR_RDMA_OBJECT, /**< protection domains, regions, queues, ... */
	MR_RDMA_RESOURCES,
};

/** Their names in the kernel's files. */
extern const char *const mr_rdma_resources[MR_RDMA_RESOURCES];

/** A device in a control group. */
struct mr_rdma_pool {
	char device[64];
	struct mr_opt_u64 max[MR_RDMA_RESOURCES]; /**< UINT64_MAX: no limit */
	struct mr_opt_u64 used[MR_RDMA_RESOURCES];
};

enum { MR_RDMA_POOLS = 64 /**< devices that are looked at */ };

struct mr_rdma_pools {
	struct mr_rdma_pool pools[MR_RDMA_POOLS];
	size_t count;
};

/**
 * mr_rdma_pools_read() - read limits and use of a control group by device
 *
 * Return: 0; -ENOENT where the group has none, as the controller is not enabled in it; or -errno.
 */
int mr_rdma_pools_read(struct mr_host *host, const struct mr_cgroup *group,
		       struct mr_rdma_pools *pools);

/** A device.  Facts that sysfs does not show are empty or unknown. */
struct mr_rdma_device {
	char name[64];        /**< "mlx5_0" */
	char driver[64];      /**< of its PCI function, or of another bus: "mlx5_core" */
	char firmware[64];    /**< version */
	char board_id[64];    /**< "MT_0000000223" */
	char hca_type[64];    /**< "MT4119" */
	char hw_rev[32];      /**< revision of the chip */
	char node_type[32];   /**< "CA", "RNIC", ... */
	char pci_address[32]; /**< "0000:c1:00.0" */
	char parent[64];      /**< network device below a software device: "eth0" */
	struct mr_opt_u64 numa_node;
	struct mr_opt_u64 fw_pages;  /**< pages of 4 KiB that the firmware has (mlx5) */
	struct mr_opt_u64 reg_pages; /**< pages that the driver counts as registered (mlx5) */
	/* by mr_rdma_device_identify() */
	char node_desc[65];      /**< text that an administrator may set */
	char node_guid[32];      /**< "0200:00ff:fe6d:7263" */
	char sys_image_guid[32]; /**< the same of the adapter */
};

/** A port of a device. */
struct mr_rdma_port {
	unsigned int number; /**< from 1 */
	char state[32];      /**< "ACTIVE" */
	char phys_state[32]; /**< "LinkUp" */
	char link_layer[32]; /**< "InfiniBand" or "Ethernet" */
	char rate[64];       /**< "100 Gb/sec (4X EDR)" */
	struct mr_opt_u64 lid;
};

/** The most ports that a device has. */
#define MR_RDMA_PORTS 255

/**
 * mr_rdma_device_list() - call @take with the name of each device in the network namespace of this process
 *
 * Return: how many there are, or -errno; -ENOENT where ib_core is not loaded.
 */
int mr_rdma_device_list(struct mr_host *host, void (*take)(const char *name, void *data),
			void *data);

/**
 * mr_rdma_device_read_place() - read only where a device is and what its driver counts
 *
 * These are its PCI address, driver, NUMA node, fw_pages and reg_pages.
 */
void mr_rdma_device_read_place(struct mr_host *host, const char *name,
			       struct mr_rdma_device *device);

/** mr_rdma_device_read() - read what sysfs shows of a device */
void mr_rdma_device_read(struct mr_host *host, const char *name, struct mr_rdma_device *device);

/**
 * mr_rdma_device_identify() - read the facts that identify a device
 *
 * It is kept apart because it identifies a machine (the description begins with its name), and so has no place
 * in a recording.
 */
void mr_rdma_device_identify(struct mr_host *host, struct mr_rdma_device *device);

/** mr_rdma_ports_read() - read its ports, in their order; @ports: MR_RDMA_PORTS.  Return: how many there are. */
size_t mr_rdma_ports_read(struct mr_host *host, const char *device, struct mr_rdma_port *ports);

/** Which devices are in the network namespace of this process. */
struct mr_rdma_netns {
	enum mr_tristate is_exclusive; /**< whether a device belongs to one namespace only */
	int error; /**< -errno of reading that; -ENOENT: the kernel is older, or has no RDMA */
	unsigned int visible;  /**< devices here */
	unsigned int hidden;   /**< devices that have a node, but are not here */
	char first_hidden[64]; /**< name of one of them */
};

/** mr_rdma_netns_read() - Return: 0, or -errno where the devices cannot be listed; -ENOENT where there is no /sys. */
int mr_rdma_netns_read(struct mr_host *host, struct mr_rdma_netns *netns);

#define MR_UVERBS_NODES "/dev/infiniband/"

/** A node below /dev/infiniband, by which programs open an RDMA device. */
struct mr_rdma_node {
	char path[sizeof(MR_UVERBS_NODES) + NAME_MAX]; /**< empty: sysfs knows of none */
	char device[64];                               /**< "mlx5_0" */
	unsigned int major, minor;                     /**< of the device, as sysfs says */
	/* by mr_rdma_node_read() */
	struct mr_opt_u64 mode;     /**< its permission; not known: there is no such file */
	struct mr_opt_u64 uid, gid; /**< its owner and group */
	int error;     /**< -errno of opening it for reading and writing; 0: this user may */
	bool is_other; /**< the file there is no device, or another one than sysfs says */
};

/** mr_rdma_node_read() - find the node of a device, and try to open that.  Return: whether sysfs knows of a node. */
bool mr_rdma_node_read(struct mr_host *host, const char *device, struct mr_rdma_node *node);

/**
 * mr_uverbs_node_find() - find the node of a device
 * @device: "mlx5_0", or NULL for any
 * @node:   set where there is one
 *
 * Return: 1; 0 where there is none; or -errno where the class of nodes cannot be read.
 */
int mr_uverbs_node_find(struct mr_host *host, const char *device, struct mr_rdma_node *node);

/**
 * mr_rdma_device_find() - whether sysfs shows a device in this network namespace, with a node or without
 * @name:   the device, or NULL for any
 * @device: set to its name, @size bytes long
 */
bool mr_rdma_device_find(struct mr_host *host, const char *name, char *device, size_t size);

/** An open descriptor of the process that was given as that of a dma-buf. */
struct mr_dmabuf_file {
	bool is_dmabuf;
	bool is_path;      /**< it was opened by O_PATH: reading it, or registering it, is EBADF */
	bool is_simulated; /**< a memfd that represents a dma-buf of the simulated HCA */
	char target[104];  /**< what /proc/self/fd shows: "/dev/zero", "pipe:[1234]" */
	char exporter[32]; /**< driver that made the dma-buf: "udmabuf"; empty: not known */
	struct mr_opt_u64 size; /**< bytes of the dma-buf */
};

/**
 * mr_dmabuf_file_read() - look at a descriptor
 *
 * Return: 0; -ENOENT where no such descriptor is open; or -errno of reading /proc.
 */
int mr_dmabuf_file_read(struct mr_host *host, int fd, struct mr_dmabuf_file *file);

/** The running kernel: its release, options, command line, modules and symbols. */
struct mr_kernel_version {
	unsigned int major, minor;
};

/** mr_kernel_release() - "6.12.107+deb13-amd64"; false where it cannot be read */
bool mr_kernel_release(struct mr_host *host, char *release, size_t size);

/** mr_kernel_version() - read a release; false where it does not begin with two numbers */
bool mr_kernel_version(const char *release, struct mr_kernel_version *version);

/**
 * mr_kernel_release_is_plain() - whether a release is named as those of Linux itself, or of Debian and Ubuntu, are
 *
 * The release of such a kernel shows what it lacks.  Vendors of others, enterprise distributions above all,
 * keep an old release and add what newer ones brought.
 */
bool mr_kernel_release_is_plain(const char *release);

/** An option that the kernel was built with. */
struct mr_kernel_option {
	const char *name;       /**< "INFINIBAND" */
	enum mr_tristate is_on; /**< built in or as a module; MR_UNKNOWN: not in the file */
};

/**
 * mr_kernel_options_read() - look up options in the file that distributions install with a kernel
 * @options: by name; is_on is set
 * @path:    set to the file, or to an empty text; it has room for 40 bytes more than the release
 *
 * Files are looked for in /boot and /lib/modules; /proc/config.gz, which is compressed, is not read.
 *
 * Return: 0; -ENOENT where there is no such file; or -errno of the last one.
 */
int mr_kernel_options_read(struct mr_host *host, const char *release,
			   struct mr_kernel_option *options, size_t count, char *path, size_t size);

/**
 * mr_kernel_words() - the words of the kernel's command line that have to do with registration
 * @words: set: "iommu=pt kho=on"
 *
 * Other words are neither read nor recorded.
 *
 * Return: 0, or -errno.
 */
int mr_kernel_words(struct mr_host *host, char *words, size_t size);

/** mr_kernel_has_module() - whether a module is loaded, or one that is built in shows itself in /sys/module */
bool mr_kernel_has_module(struct mr_host *host, const char *name);

/** mr_kernel_has_symbol() - whether /proc/kallsyms has a symbol; no addresses are read or recorded */
enum mr_tristate mr_kernel_has_symbol(struct mr_host *host, const char *name);

/** Bytes of the lines that are kept, the newest ones. */
#define MR_KERNEL_LOG_MAX (48 << 10)

/**
 * mr_kernel_log_read() - read these lines
 * @text: set to the lines, each with its newline
 *
 * It is the answer "kernel-log" of a host.
 *
 * Return: 0; or -errno: -EPERM where only root may read the log (kernel.dmesg_restrict), -ENOENT where a recording does
 * not have it.
 */
int mr_kernel_log_read(struct mr_host *host, char text[MR_KERNEL_LOG_MAX]);

/**
 * mr_kernel_log_choose() - keep the lines of a log that have one of the words
 * @log:  is changed: it is cut into its lines
 * @text: set to the last ones that fit into @size bytes
 */
void mr_kernel_log_choose(char *log, char *text, size_t size);

/** Lists of CPUs, as the kernel writes them: "0-3,8". */
struct mr_cpus {
	char possible[256]; /**< /sys/devices/system/cpu/possible; empty: not known */
	char allowed[256];  /**< Cpus_allowed_list of this thread; empty: not known */
};

/** mr_cpus_read() - read the lists; what cannot be read, or is longer than there is room, becomes empty */
void mr_cpus_read(struct mr_host *host, struct mr_cpus *cpus);

/**
 * mr_cpu_list_has() - whether a list has a CPU; MR_UNKNOWN: the list is empty, or is none
 * @ends_before: set to whether all CPUs of the list have lower numbers; MR_UNKNOWN likewise
 */
enum mr_tristate mr_cpu_list_has(const char *list, uint64_t cpu, enum mr_tristate *ends_before);

/** The processor.  Unknown texts are empty. */
struct mr_processor {
	char model[128];   /**< "AMD EPYC 9654 96-Core Processor" */
	char governor[32]; /**< of the frequency of the first CPU: "performance" */
	char online[256];  /**< CPUs, as the kernel lists them: "0-191" */
	char nodes[256];   /**< NUMA nodes with memory, likewise */
	char clock[32];    /**< what the kernel reads the time from: "tsc" */
};

/** mr_processor_read() - read /proc/cpuinfo and /sys/devices/system */
void mr_processor_read(struct mr_host *host, struct mr_processor *processor);

/** PCI functions that can have to do with registration: network adapters, GPUs and other accelerators. */
enum mr_pci_kind {
	MR_PCI_NETWORK, /**< class 02, or 0c06 (InfiniBand) */
	MR_PCI_GPU,     /**< class 03 or 12 of a maker of GPUs that RDMA devices can access */
};

enum mr_pci_vendor {
	MR_PCI_AMD = 0x1002,
	MR_PCI_NVIDIA = 0x10de,
	MR_PCI_MELLANOX = 0x15b3,
};

struct mr_pci_function {
	enum mr_pci_kind kind;
	char address[16]; /**< "0000:c1:00.0" */
	uint32_t vendor;
	char driver[64]; /**< that is bound to it, or empty */
	bool is_virtual; /**< of SR-IOV, seen by the host that made it: often kept for guests, without a driver */
};

/** mr_pci_list() - call @take with each; Return: 0, or -errno: -ENOENT where there is no PCI. */
int mr_pci_list(struct mr_host *host,
		void (*take)(const struct mr_pci_function *function, void *data), void *data);

/**
 * mr_pci_region() - bytes of a region (BAR) of a function, as its file "resource" has them
 * @index: 0 to 5
 *
 * Return: 0 where it has no such region, or that cannot be read.
 */
uint64_t mr_pci_region(struct mr_host *host, const char *pci_address, unsigned int index);

/**
 * mr_pci_binding() - identify the binding of a function to its driver: a later one has another number
 * @folder: of the function in /sys
 *
 * Return: the low half of the inode number of its link "driver".  sysfs makes that link anew when a driver is bound,
 * and numbers go up (__kernfs_new_node() of fs/kernfs/dir.c).  0 where there is no driver, or none is to be seen.
 */
uint32_t mr_pci_binding(struct mr_host *host, const char *folder);

/** How the IOMMU treats a function. */
struct mr_iommu {
	char group[16]; /**< its number; empty: no IOMMU is in the way */
	char type[16];  /**< "identity", "DMA", ...; empty: not known (before Linux 5.11) */
};

/** mr_iommu_read() - Documentation/ABI/testing/sysfs-kernel-iommu_groups */
void mr_iommu_read(struct mr_host *host, const char *pci_address, struct mr_iommu *iommu);

/** A command.  Figures that the kernel does not count are unknown: it counts failures since Linux 5.18. */
struct mr_mlx5_command {
	const char *name;              /**< "CREATE_MKEY" */
	struct mr_opt_u64 sent;        /**< "n" */
	struct mr_opt_u64 failed;      /**< all failures */
	struct mr_opt_u64 refused;     /**< "failed_mbox_status": those that the firmware refused */
	struct mr_opt_u64 last_errno;  /**< of the last failure; 0: there was none */
	struct mr_opt_u64 last_status; /**< of the last refusal; 0: there was none */
	struct mr_opt_u64 last_syndrome; /**< the firmware's number of the reason */
};

/** How many commands have to do with registration. */
#define MR_MLX5_COMMANDS 12

/**
 * mr_mlx5_commands_read() - read the counters of the commands that have to do with registration
 * @pci_address: of the device
 * @commands:    set; each has a name
 *
 * Return: 0, or -errno with MR_ERROR_HOST and a hint: debugfs is not mounted, root alone may read it, or the
 * device has no such counters.
 */
int mr_mlx5_commands_read(struct mr_host *host, const char *pci_address,
			  struct mr_mlx5_command commands[MR_MLX5_COMMANDS], struct mr_error *err);

/** mr_mlx5_command_read() - read the counters of one command, such as "ALLOC_UAR".  Return: as above. */
int mr_mlx5_command_read(struct mr_host *host, const char *pci_address, const char *name,
			 struct mr_mlx5_command *command, struct mr_error *err);

/** A line that is younger than this can be about the call that was just refused. */
#define MR_MLX5_LOG_RECENT_NS UINT64_C(2000000000)

/** A refused command. */
struct mr_mlx5_log_line {
	char command[40]; /**< "CREATE_MKEY"; "UMR": a work request for a key, no command */
	uint64_t status;  /**< of the firmware, or of the completion of the work request */
	uint64_t syndrome;
	int errnum;      /**< that mlx5_core made of it; 0: older kernels do not write it */
	uint64_t age_ns; /**< since it was written */
};

/**
 * mr_mlx5_log_read() - the last line about a command that the thread has sent to a device
 * @device: name of the RDMA device
 *
 * The log is read from its end, at most 32 KiB.
 *
 * Return: 0; -ENOENT: there is no such line; or -errno: -EPERM where only root may read the log
 * (kernel.dmesg_restrict).
 */
int mr_mlx5_log_read(struct mr_host *host, const char *device, struct mr_mlx5_log_line *line);

/**
 * mr_mlx5_log_parse() - read such a line
 * @text:        a line of the log, with its time
 * @pci_address: of the device
 * @thread:      that has sent the command
 * @line:        set; its age is the time of the log, since the machine was started
 *
 * Return: whether it is a line about that device and thread.
 */
bool mr_mlx5_log_parse(const char *text, const char *pci_address, uint64_t thread,
		       struct mr_mlx5_log_line *line);

/** A status of a command. */
struct mr_mlx5_status {
	uint64_t status;
	const char *name; /**< "BAD_PARAM_ERR" */
	/** Errno of mlx5_core for it: drivers/net/ethernet/mellanox/mlx5/core/cmd.c cmd_status_to_err(); 0 for OK. */
	int errnum;
	const char *meaning; /**< a few words */
};

/** mr_mlx5_status() - the row of a status; NULL: mlx5_core does not know it, and returns EIO */
const struct mr_mlx5_status *mr_mlx5_status(uint64_t status);

/** mr_mlx5_status_name() - "BAD_PARAM_ERR"; NULL: unknown */
const char *mr_mlx5_status_name(uint64_t status);

/**
 * mr_memlock_is_lifted() - whether the kernel lets this process pin beyond its limit
 *
 * It requires CAP_IPC_LOCK in the initial user namespace (drivers/infiniband/core/umem.c capable()).
 */
enum mr_tristate mr_memlock_is_lifted(struct mr_host *host);

/** How far the limit of this process was followed upwards. */
enum mr_memlock_trace {
	MR_MEMLOCK_OWN,        /**< mr_limits_set() has set it: --limit */
	MR_MEMLOCK_SET,        /**< the parent of the process has another limit */
	MR_MEMLOCK_FROM_START, /**< the process is the first one that can be seen from here */
	MR_MEMLOCK_HIDDEN,     /**< the parent of the process cannot be read */
};

/** The farthest ancestor, or this process itself, up to which all have the limit of this process. */
struct mr_memlock_origin {
	enum mr_memlock_trace trace;
	uint64_t pid; /**< 0: this process */
	char name[16];
	uint64_t parent_pid; /**< 0: it has none */
	char parent[16]; /**< name of its parent; empty where there is none, or it is not known */
	struct mr_rlimit parents; /**< the parent's limit, with MR_MEMLOCK_SET */
	struct mr_unit unit;
};

/**
 * mr_memlock_trace() - find the origin of a limit
 * @limit: of this process
 *
 * A process inherits the limits of its parent.  If the parent has another soft limit, the child or the program that
 * started it has set the limit.
 *
 * Return: 0, or -errno where the status of this process cannot be read.
 */
int mr_memlock_trace(struct mr_host *host, const struct mr_rlimit *limit,
		     struct mr_memlock_origin *origin);

/** Files that libibverbs has open at once: a class in sysfs, a device in that class, and a file of that device. */
#define MR_LIBIBVERBS_DESCRIPTORS 3

struct mr_descriptors {
	int error;      /**< errno of opening MR_LIBIBVERBS_DESCRIPTORS files, or 0 */
	uint64_t limit; /**< RLIMIT_NOFILE, UINT64_MAX: none */
};

/**
 * mr_descriptors_try() - open as many files as libibverbs does, and close them
 *
 * For another process, its free numbers are counted instead.
 *
 * Return: 0, or -errno.
 */
int mr_descriptors_try(struct mr_host *host, struct mr_descriptors *descriptors);

/** The /dev in /proc/self/mountinfo. */
struct mr_dev_folder {
	char type[32]; /**< of its file system; empty: /dev is not a separate mount */
	bool is_hosts; /**< that of the kernel, with the nodes of all devices: devtmpfs */
};

/** mr_dev_folder_read() - Return: 0, or -errno. */
int mr_dev_folder_read(struct mr_host *host, struct mr_dev_folder *folder);

/** mr_path_is_nodev() - whether a file is on a file system that is mounted with nodev: devices there cannot be opened */
enum mr_tristate mr_path_is_nodev(struct mr_host *host, const char *path);

/** State of SELinux. */
enum mr_selinux {
	MR_SELINUX_OFF,
	MR_SELINUX_PERMISSIVE, /**< it only logs refusals */
	MR_SELINUX_ENFORCING,
	MR_SELINUX_HIDDEN, /**< it is on, but its file system is not mounted here, as in a container */
};

/**
 * mr_selinux_read() - read the mode of SELinux
 * @label: set to the label of the process, or to an empty text
 *
 * Return: 0; -EINVAL where the kernel's file holds something else; -ENOENT where there is no /sys; or -errno of
 * reading the file.
 */
int mr_selinux_read(struct mr_host *host, enum mr_selinux *mode, char *label, size_t size);

/**
 * mr_mappings_used() - how many mappings the process has
 *
 * They are counted, and neither their addresses nor their files are recorded.
 */
struct mr_opt_u64 mr_mappings_used(struct mr_host *host);

/**
 * mr_mappings_walk() - call @visit with each mapping from an address on
 * @start: address; the first mapping is the one that has it, or the next one
 * @visit: returns whether it wants the next one
 *
 * Mappings of this machine are never recorded: addresses and files are private.
 *
 * Return: 0, or -errno where the mappings cannot be read: -EBADMSG where a line is that of no mapping, or there is none.
 */
int mr_mappings_walk(struct mr_host *host, uint64_t start,
		     bool (*visit)(const struct mr_mapping *mapping, void *data), void *data);

/** Facts of /proc/self/smaps about a mapping (proc_pid_smaps(5)). */
struct mr_mapping_details {
	uint64_t page_size;    /**< bytes */
	uint64_t huge;         /**< bytes of pages from the pool of hugetlb that are there */
	unsigned int key;      /**< ProtectionKey, 0 where there is none: pkeys(7) */
	bool is_io;            /**< VmFlags io: memory of a device */
	bool is_pfn;           /**< VmFlags pf: pages that the kernel does not manage */
	bool is_hugetlb;       /**< VmFlags ht */
	bool is_unreserved;    /**< VmFlags nr: no pages were reserved for it */
	bool is_thp_requested; /**< VmFlags hg: madvise(2) has asked for transparent huge pages */
	bool has_faults;       /**< VmFlags um, uw or ui: userfaultfd(2) handles its faults */
};

/**
 * mr_mapping_details_read() - read the details of the mapping that begins at an address
 *
 * The kernel looks at each page of the mappings before it.  So nothing is read where the process has so
 * much memory that this takes milliseconds.
 *
 * Return: 0; -EFBIG where it would take too long; -ENOENT where no mapping begins there; or -errno.
 */
int mr_mapping_details_read(struct mr_host *host, uint64_t start,
			    struct mr_mapping_details *details);

/** A page that is not in memory (Documentation/admin-guide/mm/pagemap.rst). */
struct mr_absent_page {
	uint64_t addr;
	bool is_swapped; /**< in swap, or marked as one that must not be used: bit 62 */
	bool is_guard;   /**< of MADV_GUARD_INSTALL, since Linux 6.15: bit 58 */
};

/** Uses of a page that require it in memory. */
enum mr_page_use {
	MR_PAGE_READ,
	MR_PAGE_WRITE, /**< userfaultfd(2) does not handle writes */
	MR_PAGE_OWN,   /**< the same of a private mapping that has its copy already */
};

/**
 * mr_absent_page_find() - find the first page of a range that the process does not have in memory for a use
 * @start: of a page
 * @end:   first address behind the range
 *
 * Return: 1 where there is one; 0; -ENODATA of a recording, which has no pages; or -errno.
 */
int mr_absent_page_find(struct mr_host *host, uint64_t start, uint64_t end, enum mr_page_use use,
			struct mr_absent_page *page);

/** The file behind a mapping of the process, and the file system that it is on. */
struct mr_mapped_file {
	char filesystem[32]; /**< "ext4"; empty: neither a visible mount nor statfs(2) names it */
	char upper[32];      /**< of an overlay: the file system of its upper layer, or "" */
	bool can_be_device;  /**< it is of a kind whose mappings can be memory of a device */
	bool is_found;       /**< the file can be looked at, so the next members are those of it */
	bool has_path;       /**< the path of the mapping leads to it */
	uint32_t type;       /**< S_IFREG, ..., as of stat(2) */
	struct mr_opt_u64 size;      /**< bytes of a regular file */
	struct mr_opt_u64 allocated; /**< bytes of it that the file system has room for */
	struct mr_opt_u64 free;      /**< bytes that are free in the file system */
	enum mr_tristate is_dax; /**< the file is memory itself, and has no page cache (statx(2)) */
};

/**
 * mr_mapped_file_read() - look at the file of a mapping; without one, nothing is known
 *
 * A file without a path (unlinked, or of memfd_create(2)) is looked at through /proc/PID/map_files, which root may
 * follow, or else through a descriptor of the process.
 */
void mr_mapped_file_read(struct mr_host *host, const struct mr_mapping *mapping,
			 struct mr_mapped_file *file);

#endif
