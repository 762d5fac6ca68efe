/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what is read of processes: their limits, rights and mappings. */
#ifndef LIB_HOST_PROCESSES_H
#define LIB_HOST_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/base.h"
#include "lib/host/reading.h"

/** CAP_IPC_LOCK of capabilities(7), as a bit: memory may be pinned beyond RLIMIT_MEMLOCK */
#define MR_CAP_IPC_LOCK (UINT64_C(1) << 14)

/** CAP_DAC_OVERRIDE of capabilities(7), as a bit: files may be opened whatever their permission is */
#define MR_CAP_DAC_OVERRIDE (UINT64_C(1) << 1)

enum { MR_STATUS_GROUPS = 64 /**< groups of a process that are looked at */ };

/** A process.  What its file does not tell is not known. */
struct mr_process_status {
	char name[16];                     /**< its command, in printable characters */
	struct mr_opt_u64 process;         /**< of a thread: number of its process (Tgid) */
	struct mr_opt_u64 parent;          /**< its number; 0: none that can be seen from here */
	struct mr_opt_u64 uid, gid;        /**< effective ones */
	uint32_t groups[MR_STATUS_GROUPS]; /**< supplementary ones */
	unsigned int group_count;
	struct mr_opt_u64 permitted, effective, bounding; /**< capabilities, one bit each */
	struct mr_opt_u64 no_new_privs; /**< 1: set-user-ID programs do not count */
	struct mr_opt_u64 threads;
	struct mr_opt_u64 seccomp; /**< 0: off, 1: strict, 2: system calls are filtered */
	struct mr_opt_u64 mapped;  /**< bytes of its address space */
	struct mr_opt_u64 data;    /**< bytes of it that are private and writable */
	struct mr_opt_u64 pinned;  /**< bytes that drivers pinned for it; RDMA counts these */
	struct mr_opt_u64 locked;  /**< bytes that mlock(2) locked; RDMA does not count these */
};

/**
 * mr_process_status_read() - read the status of a process
 * @process: its number, or "self"
 *
 * Return: 0, or -errno.
 */
int mr_process_status_read(struct mr_host *host, const char *process,
			   struct mr_process_status *status);

/** mr_process_may_write() - whether the permission bits of a file let a process read and write it */
bool mr_process_may_write(const struct mr_process_status *process,
			  const struct mr_host_status *file);

/**
 * mr_process_start() - read when a process was started (field 22 of /proc/PID/stat, proc_pid_stat(5))
 * @process: its number
 *
 * Return: clock ticks since the machine was booted; unknown where the process has ended.
 */
struct mr_opt_u64 mr_process_start(struct mr_host *host, const char *process);

/** mr_process_ticks() - the time now, as mr_process_start() tells it of a process that starts now */
uint64_t mr_process_ticks(void);

/**
 * mr_namespace_is_first() - whether a namespace of the process is the one that the machine was booted with
 * @type: "user", "pid" or "cgroup"
 *
 * Their inodes have fixed numbers: include/linux/proc_ns.h of the kernel.  For "user", uid_map answers where
 * the inode cannot be read.
 */
enum mr_tristate mr_namespace_is_first(struct mr_host *host, const char *type);

/** In the unit of the limit; UINT64_MAX: unlimited. */
struct mr_rlimit {
	uint64_t soft; /**< the one that counts */
	uint64_t hard; /**< up to which the process may raise the other */
};

#define MR_MEMLOCK "Max locked memory"

/**
 * mr_rlimit_read() - read a limit of a process
 * @process: its number, or "self"
 * @name:    of the line, such as MR_MEMLOCK (fs/proc/base.c lnames)
 * @limit:   set; to 0 where it cannot be read
 *
 * Return: 0, or -errno; -EINVAL where the file does not have it.
 */
int mr_rlimit_read(struct mr_host *host, const char *process, const char *name,
		   struct mr_rlimit *limit);

/** In printable characters; empty: not known. */
struct mr_unit {
	char name[128];     /**< "slurmd.service", "docker-0123456789ab"; else the group's path */
	char container[65]; /**< the whole id of a container */
	char service[128];  /**< of systemd, the innermost one: "containerd.service" */
};

/**
 * mr_unit_read() - find out what a process runs for
 * @process: its number, or "self"
 *
 * Return: 0, or -errno where the process has ended, or its control group cannot be read.
 */
int mr_unit_read(struct mr_host *host, const char *process, struct mr_unit *unit);

/**
 * mr_memlock_is_lifted() - whether the kernel lets this process pin beyond its limit
 *
 * It asks for CAP_IPC_LOCK in the first user namespace (drivers/infiniband/core/umem.c capable()).
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
 * mr_memlock_trace() - find out where a limit came from
 * @limit: of this process
 *
 * A process inherits the limits of its parent.  Where the parent has another soft limit, the child has set its
 * own, or who started it has.
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
 * Of another process its free numbers are counted.
 *
 * Return: 0, or -errno.
 */
int mr_descriptors_try(struct mr_host *host, struct mr_descriptors *descriptors);

/** A /dev, as /proc/self/mountinfo tells. */
struct mr_dev_folder {
	char type[32]; /**< of its file system; empty: /dev is no mount of its own */
	bool is_hosts; /**< that of the kernel, with the nodes of all devices: devtmpfs */
};

/** mr_dev_folder_read() - Return: 0, or -errno. */
int mr_dev_folder_read(struct mr_host *host, struct mr_dev_folder *folder);

/** mr_path_is_nodev() - whether a file is on a file system that is mounted with nodev: devices there cannot be opened */
enum mr_tristate mr_path_is_nodev(struct mr_host *host, const char *path);

/** What SELinux does. */
enum mr_selinux {
	MR_SELINUX_OFF,
	MR_SELINUX_PERMISSIVE, /**< it logs what it would refuse */
	MR_SELINUX_ENFORCING,
	MR_SELINUX_HIDDEN, /**< it is on, but its file system is not mounted here, as in a container */
};

/**
 * mr_selinux_read() - find out what SELinux does
 * @label: set to the label of the process, or to an empty text
 *
 * Return: 0; -EINVAL where the kernel's file holds something else; -ENOENT where there is no /sys; or -errno of
 * reading the file.
 */
int mr_selinux_read(struct mr_host *host, enum mr_selinux *mode, char *label, size_t size);

/**
 * mr_sandbox_is_gvisor() - whether the kernel is that of gVisor, by what it says of itself
 * @version: set to that
 */
bool mr_sandbox_is_gvisor(struct mr_host *host, char *version, size_t size);

/**
 * mr_group_name() - the name of a group of the host
 * @name: set to it, or to its number where it has none
 */
void mr_group_name(struct mr_host *host, uint32_t gid, char *name, size_t size);

/** What the environment of this process says. */
struct mr_fork {
	/** RDMAV_FORK_SAFE or IBV_FORK_SAFE is set: children do not inherit the pages of regions. */
	bool is_requested;
	bool huge_pages; /**< RDMAV_HUGEPAGES_SAFE is set: the size of pages is looked up, which is slow */
};

/** mr_fork_read() - libibverbs/init.c ibverbs_init() and libibverbs/memory.c ibv_fork_init() read the same */
void mr_fork_read(struct mr_host *host, struct mr_fork *fork);

/** mr_mappings_max() - vm.max_map_count; not known where it cannot be read */
struct mr_opt_u64 mr_mappings_max(struct mr_host *host);

/**
 * mr_mappings_used() - how many mappings the process has
 *
 * They are counted, and neither their addresses nor their files are recorded.
 */
struct mr_opt_u64 mr_mappings_used(struct mr_host *host);

/** A mapping, as /proc/self/maps has it (proc_pid_maps(5)). */
struct mr_mapping {
	uint64_t start, end;       /**< addresses; @end is the first behind it */
	uint64_t offset;           /**< bytes from the start of the file to that of the mapping */
	uint64_t inode;            /**< of the file; 0: there is none */
	unsigned int major, minor; /**< of the device that the file is on */
	bool readable, writable, executable, shared;
	char path[256]; /**< of the file, or "[stack]"; cut; empty: none */
};

/**
 * mr_mappings_walk() - call @visit with each mapping from an address on
 * @start: address; the first mapping is the one that has it, or the next one
 * @visit: returns whether it wants the next one
 *
 * Of this machine nothing is recorded: addresses and files of a process are its own.
 *
 * Return: 0, or -errno where the mappings cannot be read: -EBADMSG where a line is that of no mapping, or there is none.
 */
int mr_mappings_walk(struct mr_host *host, uint64_t start,
		     bool (*visit)(const struct mr_mapping *mapping, void *data), void *data);

/** What /proc/self/smaps tells of a mapping (proc_pid_smaps(5)). */
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

/** What a page has to be in memory for. */
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
