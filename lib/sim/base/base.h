/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what all of the simulator uses: the system below it, and which kernel it simulates. */
#ifndef LIB_SIM_BASE_BASE_H
#define LIB_SIM_BASE_BASE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/simulator/spec.h"

/** Constants of the uverbs ABI that the headers of rdma-core 44 lack. */
_Static_assert(sizeof(void *) == 8, "the simulated HCA needs a 64-bit machine");

/* enum ib_uverbs_access_flags */
#define SIM_ACCESS_FLUSH_GLOBAL     (1u << 8)
#define SIM_ACCESS_FLUSH_PERSISTENT (1u << 9)

/* enum uverbs_methods_mr: UVERBS_METHOD_REG_MR and its UVERBS_ATTR_REG_MR_... */
#define SIM_METHOD_REG_MR            5
#define SIM_ATTR_REG_MR_HANDLE       0
#define SIM_ATTR_REG_MR_PD_HANDLE    1
#define SIM_ATTR_REG_MR_DMA_HANDLE   2
#define SIM_ATTR_REG_MR_IOVA         3
#define SIM_ATTR_REG_MR_ADDR         4
#define SIM_ATTR_REG_MR_LENGTH       5
#define SIM_ATTR_REG_MR_ACCESS_FLAGS 6
#define SIM_ATTR_REG_MR_FD           7
#define SIM_ATTR_REG_MR_FD_OFFSET    8
#define SIM_ATTR_REG_MR_RESP_LKEY    9
#define SIM_ATTR_REG_MR_RESP_RKEY    10

/* UVERBS_OBJECT_DMAH, UVERBS_METHOD_DMAH_..., and their UVERBS_ATTR_... */
#define SIM_OBJECT_DMAH            17
#define SIM_METHOD_DMAH_ALLOC      0
#define SIM_METHOD_DMAH_FREE       1
#define SIM_ATTR_ALLOC_DMAH_HANDLE 0
#define SIM_ATTR_ALLOC_DMAH_CPU_ID 1
#define SIM_ATTR_ALLOC_DMAH_MEMORY 2
#define SIM_ATTR_ALLOC_DMAH_PH     3
#define SIM_ATTR_FREE_DMAH_HANDLE  0
#define SIM_DMAH_MEMORIES          2 /* enum tph_mem_type */

/* UVERBS_OBJECT_DMABUF, UVERBS_METHOD_DMABUF_ALLOC and its UVERBS_ATTR_ALLOC_DMABUF_... */
#define SIM_OBJECT_DMABUF       18
#define SIM_METHOD_DMABUF_ALLOC 0
#define SIM_ATTR_EXPORT_FD      0
#define SIM_ATTR_EXPORT_OFFSET  1

/* MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, MLX5_IB_UAPI_REG_DMABUF_ACCESS_DATA_DIRECT */
#define SIM_ATTR_REG_DMABUF_MR_DRIVER_FLAGS 0x1000
#define SIM_DRIVER_DATA_DIRECT              1u

/* MLX5_IB_METHOD_GET_DATA_DIRECT_SYSFS_PATH, MLX5_IB_ATTR_GET_DATA_DIRECT_SYSFS_PATH */
#define SIM_METHOD_DATA_DIRECT_PATH 0x1001
#define SIM_ATTR_DATA_DIRECT_PATH   0x1000

struct statx;

/** Functions of libc in whose place the program gets those of preload/interpose.c. */
struct sim_libc {
	int (*open)(const char *path, int flags, ...);
	int (*openat)(int dir, const char *path, int flags, ...);
	int (*close)(int fd);
	int (*fcntl)(int fd, int command, ...);
	int (*fstat)(int fd, struct stat *st);
	int (*stat)(const char *path, struct stat *st);
	int (*lstat)(const char *path, struct stat *st);
	int (*fstatat)(int dir, const char *path, struct stat *st, int flags);
	int (*statx)(int dir, const char *path, int flags, unsigned int mask, struct statx *st);
	int (*access)(const char *path, int mode);
	int (*euidaccess)(const char *path, int mode);
	int (*faccessat)(int dir, const char *path, int mode, int flags);
	ssize_t (*readlink)(const char *path, char *text, size_t size);
	ssize_t (*readlinkat)(int dir, const char *path, char *text, size_t size);
	char *(*realpath)(const char *path, char *resolved);
	char *(*__realpath_chk)(const char *path, char *resolved, size_t size);
	ssize_t (*getxattr)(const char *path, const char *name, void *value, size_t size);
	ssize_t (*lgetxattr)(const char *path, const char *name, void *value, size_t size);
	ssize_t (*listxattr)(const char *path, char *names, size_t size);
	ssize_t (*llistxattr)(const char *path, char *names, size_t size);
	void *(*mmap)(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
	int (*ioctl)(int fd, unsigned long request, ...);
	int (*socket)(int domain, int type, int protocol);
};

/** sim_libc() - libc's own functions; safe before any constructor has run */
const struct sim_libc *sim_libc(void);

/** Bytes of the huge pages that the access flag HUGETLB promises. */
#define SIM_HUGE_PAGE (UINT64_C(2) << 20)

/** sim_page_size() - bytes of a page of this machine */
static inline uint64_t sim_page_size(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

/** sim_round_down() - the start of the page that an address is in; sizes are powers of two */
static inline uint64_t sim_round_down(uint64_t addr, uint64_t page_size)
{
	return addr & ~(page_size - 1);
}

/** sim_round_up() - the first page boundary at or after an address; in the last page of all it is 0 */
static inline uint64_t sim_round_up(uint64_t addr, uint64_t page_size)
{
	return (addr + page_size - 1) & ~(page_size - 1);
}

/** sim_page_offset() - bytes between the start of the page that an address is in, and the address */
static inline uint64_t sim_page_offset(uint64_t addr)
{
	return addr & (sim_page_size() - 1);
}

/** sim_random() - a random number, never 0, to tell tables, objects and address spaces apart */
uint64_t sim_random(void);

/**
 * sim_maps_note() - remember whether the program shares a file with write-back
 * @fd:    that it is about to map
 * @flags: of mmap(2)
 */
void sim_maps_note(int fd, int flags);

/** sim_maps_has_shared_file() - whether sim_maps_note() has met a file with write-back mapped MAP_SHARED */
bool sim_maps_has_shared_file(void);

/** sim_mapping_writes_back() - vma_needs_dirty_tracking(): whether writes to a mapping go to a file */
bool sim_mapping_writes_back(const struct mr_maps_line *mapping);

/** sim_mapping_is_secret() - whether a mapping is of memfd_secret(2): mm/secretmem.c */
bool sim_mapping_is_secret(const struct mr_maps_line *mapping);

/** sim_mapping_is_ring() - whether a mapping is the ring of a perf event: kernel/events/core.c perf_mmap() */
bool sim_mapping_is_ring(const struct mr_maps_line *mapping);

/**
 * sim_maps_walk() - call a function for each mapping in a range, by ascending address
 * @start: first address of the range
 * @end:   first address behind it; mappings are cut to the range, and their offset is that of the cut
 * @visit: ends the walk where it returns anything but 0
 *
 * Return: what the last @visit returned; 0 without mappings; -EIO where they cannot be read.
 */
int sim_maps_walk(uint64_t start, uint64_t end,
		  int (*visit)(const struct mr_maps_line *mapping, void *argument), void *argument);

/** sim_wanted_kind() - the kind of device in MRCTL_SIM; MR_SIM_PROFILES: no device is simulated */
enum mr_sim_profile sim_wanted_kind(void);

/** sim_wanted_kernel() - the kernel in MRCTL_SIM_KERNEL, or the newest */
enum mr_sim_kernel sim_wanted_kernel(void);

/**
 * sim_is_requested() - whether a variable is set that counts where it is set at all
 *
 * With MR_SIM_NO_OPTIONAL_ACCESS_VARIABLE the kernel does not know optional access flags, as before Linux 5.7;
 * else contexts report them as IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS.  MR_SIM_DATA_DIRECT_VARIABLE gives the HCA
 * a Data Direct device, and MR_SIM_TPH_VARIABLE its PCI function TPH, which DMA handles need.
 */
bool sim_is_requested(const char *variable);

/** sim_wanted_limit() - the number in MRCTL_SIM_MAX_OBJECTS, or UINT32_MAX */
uint32_t sim_wanted_limit(void);

/**
 * sim_refuse_variable() - print what is wrong with an environment variable, and end the process
 * @name: of the variable
 * @err:  the error; characters of its text that could control a terminal are replaced, since the
 *        text quotes the variable's value
 */
void sim_refuse_variable(const char *name, struct mr_error *err) __attribute__((noreturn));

/**
 * Changes that some of the simulated kernels have.  The rows of kernel_versions.c say of each what it
 * is, which kernel was the first to have it, and where it is in the kernel's source.
 */
enum sim_change {
	SIM_ALWAYS,

	/* since Linux 6.12 */
	SIM_ACCESS_CAPS,
	SIM_REREG_CHECK,
	SIM_READ_PINS,
	SIM_SHARED_FILES,
	SIM_DATA_DIRECT,
	SIM_RXE_ACCESS,
	SIM_RXE_REREG,
	SIM_DM_ENCAP,
	SIM_REREG_REFUSED,

	/* since Linux 7.2 */
	SIM_RXE_ODP,
	SIM_RXE_PAGES,
	SIM_REG_MR,
	SIM_PORT_SPEED,
	SIM_DMABUF_EXPORT,
	SIM_DMAH,
	SIM_IOVA_END,
	SIM_UDATA,
	SIM_SMALL_KEYS,
	SIM_MAPPED_RINGS,

	SIM_CHANGES,
};

/** The first of the simulated kernels that has each change. */
extern const enum mr_sim_kernel sim_first_kernels[SIM_CHANGES];

/** sim_has_change() - whether a kernel has a change */
static inline bool sim_has_change(enum mr_sim_kernel kernel, enum sim_change change)
{
	return kernel <= sim_first_kernels[change]; /* the newest comes first in the enumeration */
}

#endif
