/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/* Declares what all of the simulator uses: the system below it, and which kernel it simulates. */
#ifndef LIB_SIM_BASE_BASE_H
#define LIB_SIM_BASE_BASE_H

#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/xattr.h>
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

char *__realpath_chk(const char *path, char *resolved, size_t size);

/** Functions of libc in whose place the program gets those of preload/interpose.c. */
struct sim_libc {
	__typeof__(open) *open;
	__typeof__(openat) *openat;
	__typeof__(close) *close;
	__typeof__(fcntl) *fcntl;
	__typeof__(fstat) *fstat;
	__typeof__(stat) *stat;
	__typeof__(lstat) *lstat;
	__typeof__(fstatat) *fstatat;
	__typeof__(statx) *statx;
	__typeof__(access) *access;
	__typeof__(euidaccess) *euidaccess;
	__typeof__(faccessat) *faccessat;
	__typeof__(readlink) *readlink;
	__typeof__(readlinkat) *readlinkat;
	__typeof__(realpath) *realpath;
	__typeof__(__realpath_chk) *__realpath_chk;
	__typeof__(getxattr) *getxattr;
	__typeof__(lgetxattr) *lgetxattr;
	__typeof__(listxattr) *listxattr;
	__typeof__(llistxattr) *llistxattr;
	__typeof__(mmap) *mmap;
	__typeof__(ioctl) *ioctl;
	__typeof__(socket) *socket;
	__typeof__(write) *write;
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
bool sim_mapping_writes_back(const struct mr_mapping *mapping);

/** sim_mapping_is_secret() - whether a mapping is of memfd_secret(2): mm/secretmem.c */
bool sim_mapping_is_secret(const struct mr_mapping *mapping);

/** sim_mapping_is_ring() - whether a mapping is the ring of a perf event: kernel/events/core.c perf_mmap() */
bool sim_mapping_is_ring(const struct mr_mapping *mapping);

/**
 * sim_maps_walk() - call a function for each mapping in a range, by ascending address
 * @start: first address of the range
 * @end:   first address behind it; mappings are cut to the range, and their offset is that of the cut
 * @visit: ends the walk where it returns anything but 0
 *
 * Return: what the last @visit returned; 0 without mappings; -EIO where they cannot be read.
 */
int sim_maps_walk(uint64_t start, uint64_t end,
		  int (*visit)(const struct mr_mapping *mapping, void *argument), void *argument);

/** sim_wanted_kind() - the kind of device in MRCTL_SIM; MR_SIM_PROFILES: no device is simulated */
enum mr_sim_profile sim_wanted_kind(void);

/** sim_wanted_kernel() - the kernel in MRCTL_SIM_KERNEL, or the newest */
enum mr_sim_kernel sim_wanted_kernel(void);

/** sim_wanted_limit() - the number in MRCTL_SIM_MAX_OBJECTS, or UINT32_MAX */
uint32_t sim_wanted_limit(void);

/**
 * sim_refuse_variable() - print what is wrong with an environment variable, and end the process
 * @name: of the variable
 * @err:  the error; characters of its text that could control a terminal are replaced, since the
 *        text quotes the variable's value
 */
void sim_refuse_variable(const char *name, struct mr_error *err) __attribute__((noreturn));

/** Changes that some of the simulated kernels have: what each is, and where it is in the kernel's source. */
enum sim_change {
	SIM_ALWAYS,

	SIM_SINCE_6_12,
	/** Flush flags are known.  To flags that a device lacks the answer is EOPNOTSUPP, before EINVAL:
	 * rdma/ib_verbs.h IB_ACCESS_SUPPORTED */
	SIM_ACCESS_CAPS = SIM_SINCE_6_12,
	/** rereg cannot add write access to pages that were pinned for reading:
	 * umem.c ib_umem_check_rereg() */
	SIM_REREG_CHECK,
	/** Memory without write access is pinned for reading.  Before, it was pinned for writing with
	 * FOLL_FORCE: umem.c ib_umem_get() */
	SIM_READ_PINS,
	/** Shared mappings of files with write-back cannot be pinned for writing:
	 * mm/gup.c writable_file_mapping_allowed() */
	SIM_SHARED_FILES,
	/** mlx5 has Data Direct: hw/mlx5/data_direct.c */
	SIM_DATA_DIRECT,
	/** rxe refuses access flags that it does not support: rxe_verbs.h RXE_ACCESS_SUPPORTED_MR */
	SIM_RXE_ACCESS,
	/** rxe can change regions: rxe_verbs.c rxe_rereg_user_mr() */
	SIM_RXE_REREG,
	/** rxe leaves a request that fails on its own side to flush_send_queue(): rxe_req.c rxe_requester() */
	SIM_RXE_FLUSH,
	/** The device may have memory for the headers of tunnels:
	 * rdma/mlx5_user_ioctl_verbs.h MLX5_IB_UAPI_DM_TYPE_ENCAP_SW_ICM */
	SIM_DM_ENCAP,
	/** mlx5 refuses a change without translation for which it has to make an MR of on-demand paging or of a
	 * dma-buf anew.  Before, it took the range of the request for that of the MR:
	 * hw/mlx5/mr.c mlx5_ib_rereg_user_mr() */
	SIM_REREG_REFUSED,

	SIM_SINCE_7_2,
	/** rxe has on-demand paging: rxe_odp.c */
	SIM_RXE_ODP = SIM_SINCE_7_2,
	/** rxe has an array of the pages of a region, in one piece: rxe_mr.c __alloc_mr_page_info() */
	SIM_RXE_PAGES,
	/** One method registers memory and dma-bufs alike:
	 * uverbs_std_types_mr.c UVERBS_METHOD_REG_MR */
	SIM_REG_MR,
	/** A method answers the speed of a port:
	 * uverbs_std_types_device.c UVERBS_METHOD_QUERY_PORT_SPEED */
	SIM_PORT_SPEED,
	/** A method exports the device's pages as a dma-buf: uverbs_std_types_dmabuf.c */
	SIM_DMABUF_EXPORT,
	/** mlx5 has DMA handles, on devices with TPH: uverbs_std_types_dmah.c, hw/mlx5/dmah.c */
	SIM_DMAH,
	/** mlx5 refuses an IOVA that wraps: umem.c ib_umem_find_best_pgsz(); also in 6.1.192 */
	SIM_IOVA_END,
	/** Driver data may have any size, and must be zero after the part that the driver knows:
	 * ib_core_uverbs.c ib_respond_udata() and its like */
	SIM_UDATA,
	/** mlx5 makes keys for fewer than four blocks, and for any number of pages:
	 * hw/mlx5/mr.c, before: MR_CACHE_LAST_STD_ENTRY */
	SIM_SMALL_KEYS,
	/** The ring of a perf event is mapped like memory of a device; before, page faults mapped its pages:
	 * kernel/events/core.c map_range() */
	SIM_MAPPED_RINGS,
};

/** sim_has_change() - whether a kernel has a change */
static inline bool sim_has_change(enum mr_sim_kernel kernel, enum sim_change change)
{
	/* the newest kernel comes first in its enumeration */
	return kernel <= (change < SIM_SINCE_6_12  ? MR_SIM_KERNEL_6_1
			  : change < SIM_SINCE_7_2 ? MR_SIM_KERNEL_6_12
						   : MR_SIM_KERNEL_7_2);
}

#endif
