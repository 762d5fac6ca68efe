/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The simulated HCA: the kernel's uverbs ABI below the unmodified libibverbs and its providers.
 *
 * A simulated descriptor is a memfd that holds the object table of one context, so objects live
 * exactly as long as the open file: across fork, exec, SCM_RIGHTS and the death of their maker.
 *
 *   interpose.c  the libc calls that programs make        libc.c     the ones behind them
 *   file.c       which descriptors are simulated          table.c    objects and their handles
 *   methods.c    what each ioctl method accepts           uverbs.c   ioctl and attributes
 *   write.c      the older write commands                 device.c   context, device, port, gid
 *   mr.c         PDs and MRs                              rereg.c    changing an MR
 *   umem.c       the memory behind them                   account.c  RLIMIT_MEMLOCK
 *   maps.c       its mappings
 *   fault.c      calls that are to fail                 kernel.c   in what kernels differ
 *   reg.c        registering by ioctl
 *   dmabuf.c     dma-bufs                                 devx.c     umems
 *   advise.c     prefetching for ODP         dm.c       memory on the device
 *   mlx5.c, rxe.c  what belongs to the drivers
 *
 * Functions return 0 or -errno, and the errno is the one that the kernel would answer.
 */
#ifndef LIB_SIM_BASE_ABI_H
#define LIB_SIM_BASE_ABI_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/types.h>

#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_ioctl_cmds.h>

#include "lib/simulator/spec.h"

#if __SIZEOF_POINTER__ != 8
#error "the simulated HCA needs a 64-bit machine"
#endif

/* ---- libc.c ------------------------------------------------------------------------------- */

/** The functions that this library hides from the program. */
struct sim_libc {
	int (*open)(const char *path, int flags, ...);
	int (*openat)(int dir, const char *path, int flags, ...);
	int (*close)(int fd);
	int (*fcntl)(int fd, int command, ...);
	int (*fstat)(int fd, struct stat *st);
	int (*stat)(const char *path, struct stat *st);
	void *(*mmap)(void *addr, size_t length, int prot, int flags, int fd, off_t offset);
	int (*ioctl)(int fd, unsigned long request, ...);
	int (*socket)(int domain, int type, int protocol);
};

/** sim_libc() - libc's own functions; safe before any constructor has run */
const struct sim_libc *sim_libc(void);

/* ---- kernel.c ------------------------------------------------------------------------------ */

/** In what the kernels differ: each holds from some kernel on. */
enum sim_fact {
	SIM_EVER,        /**< holds for all */
	SIM_ACCESS_CAPS, /**< flush flags are known; devices answer EOPNOTSUPP to what they lack */
	SIM_REREG_CHECK, /**< rereg cannot add write access to pages taken to be read */
	SIM_READ_PINS, /**< memory that is only read is pinned to be read, not to be written by force */
	SIM_SHARED_FILES, /**< shared mappings of files with write-back cannot be written to */
	SIM_DATA_DIRECT,  /**< mlx5: Data Direct */
	SIM_RXE_ACCESS,   /**< rxe: refuses flags that it does not support */
	SIM_RXE_REREG,    /**< rxe: changes regions */
	SIM_RXE_ODP,      /**< rxe: on-demand paging */
	SIM_REG_MR,       /**< the method that registers memory and dma-bufs alike */
	SIM_PORT_SPEED, /**< a method for the speed of a port, and dma-bufs of the device's pages */
	SIM_IOVA_END,   /**< mlx5: refuses an IOVA that wraps */
	SIM_UDATA,      /**< driver data of any size, as ib_respond_udata() and its like take it */
	SIM_SMALL_KEYS, /**< mlx5: keys for less than four blocks */
	SIM_FACTS,
};

/** sim_holds() - whether a fact holds for a kernel */
bool sim_holds(enum mr_sim_kernel kernel, enum sim_fact fact);

/** sim_refuse_variable() - say what is wrong in an environment variable, and end the process */
void sim_refuse_variable(const char *name, struct mr_error *err) __attribute__((noreturn));

/** sim_kernel() - the kernel that the environment asks for (MRCTL_SIM_KERNEL) */
enum mr_sim_kernel sim_kernel(void);

/* The environment variable by which the kernel knows no optional access flags, as before 5.7. */
#define SIM_NO_OPTIONAL_VARIABLE "MRCTL_SIM_NO_OPTIONAL_ACCESS"

/** sim_has_optional_access() - IB_UVERBS_CORE_SUPPORT_OPTIONAL_MR_ACCESS */
bool sim_has_optional_access(void);

/* ---- profiles: mlx5.c, rxe.c ---------------------------------------------------------------- */

struct sim_call;
struct sim_mr_request;
struct sim_rereg;
struct sim_table;

/** A kind of device, chosen by the environment variable MRCTL_SIM: what belongs to its driver. */
struct sim_profile {
	enum mr_sim_profile kind;
	const char *node;   /**< path of the character device */
	unsigned int major; /**< as in the file "dev" of the profile's sysfs tree */
	unsigned int minor;
	uint32_t driver_id; /**< enum rdma_driver_id */
	uint64_t node_guid; /**< in the machine's byte order; the port's is the next */
	struct ib_uverbs_query_device_resp attributes; /**< less the GUIDs */
	struct ib_uverbs_odp_caps odp;
	enum sim_fact odp_since;   /**< without it: no on-demand paging */
	enum sim_fact rereg_since; /**< without it: no rereg_user_mr */
	uint32_t xrc_odp;
	uint64_t max_dm_size; /**< bytes of a piece of memory on the device; 0: it has none */
	struct ib_uverbs_query_port_resp port;
	uint32_t gid_type;       /**< enum ib_uverbs_gid_type */
	bool has_dmabuf;         /**< reg_mr takes dma-bufs */
	uint32_t unknown_access; /**< flags that the device does not have */

	int (*get_context)(struct sim_call *call);
	int (*query_context)(struct sim_call *call); /**< NULL: contexts cannot be imported */
	int (*query_device)(struct sim_call *call);
	int (*alloc_pd)(struct sim_call *call, uint32_t handle);

	/** What the driver's reg_user_mr can fail with; no table may be locked. */
	int (*reg_mr)(struct sim_mr_request *request);

	/** What the driver's rereg_user_mr can fail with; no table may be locked. */
	int (*rereg_mr)(struct sim_rereg *rereg);

	/** A memory key for an MR, other than the one it had @before (0: none). */
	uint32_t (*key)(struct sim_table *table, uint32_t handle, uint32_t order, uint32_t before);

	/** The handle of the MR that may have a key. */
	uint32_t (*handle_of)(uint32_t its_key);

	/** As mmap(2), of a page of the device; NULL: it has none. */
	void *(*mmap)(struct sim_table *table, void *addr, size_t length, int prot, int flags,
		      off_t offset);
};

extern const struct sim_profile sim_mlx5_profile, sim_rxe_profile;

/* ---- table.c ------------------------------------------------------------------------------ */

#define SIM_MAGIC     "mrctl sim table"
#define SIM_VERSION   8
#define SIM_NO_HANDLE UINT32_MAX

/**
 * One object.  Its handle is its place in the table.  @type is written last when an object comes
 * and first when it goes: what it says holds.  Everything else in the table can be derived from
 * that and from the list that header->newest and @older make, which has every object in it.
 */
struct sim_object {
	uint16_t type;   /**< number of the uverbs object; 0 (DEVICE, which has none) is free */
	uint16_t flags;  /**< MR: SIM_MR_... */
	uint32_t parent; /**< handle of the object it keeps busy (an MR's PD), or SIM_NO_HANDLE */
	uint32_t users;  /**< objects that name this one as parent: derived */
	uint32_t key;    /**< MR: lkey and rkey; umem: its id */
	uint64_t addr;   /**< MR: start of the memory; DM: its first page */
	uint64_t length; /**< MR, DM: bytes */
	uint64_t iova;   /**< MR: the address by which a peer reaches it; DM, UAR: random */
	uint32_t mm;     /**< MR: the address space that is charged for @pinned */
	union {
		uint32_t room; /**< MR: pages that it can have without another key */
		uint32_t dm;   /**< MR of SIM_MR_DM: the handle of that */
		uint32_t kept; /**< MR of SIM_MR_DM_EXPORT: pages: the first << 16 | how many */
	};
	uint32_t pinned; /**< MR: pages */
	uint32_t access; /**< MR: enum ib_uverbs_access_flags */
	uint32_t older;  /**< the object made before this one, or SIM_NO_HANDLE */
	uint32_t newer;  /**< the object made after it: derived */
};

#define SIM_MR_WRITABLE    1u  /**< its memory was taken to be written: umem->writable */
#define SIM_MR_ODP         2u  /**< nothing is pinned: umem->is_odp */
#define SIM_MR_DMABUF      4u  /**< of a dma-buf: umem->is_dmabuf */
#define SIM_MR_DATA_DIRECT 8u  /**< through the Data Direct device: mr->data_direct */
#define SIM_MR_DM          16u /**< of memory on the device: mr->dm */
#define SIM_MR_DM_EXPORT   32u /**< of a dma-buf of such memory */

/** Start of the file; zero bits are free, so new pages of the file need no preparation. */
struct sim_header {
	char magic[16];
	uint32_t version;
	char profile[16];     /**< its name */
	uint32_t kernel;      /**< enum mr_sim_kernel */
	uint64_t id;          /**< random */
	pthread_mutex_t lock; /**< robust and shared between processes: guards all below */
	uint64_t guard;       /**< ~id: tells that nobody wrote over the lock */
	uint32_t capacity;    /**< objects that the file has room for */
	bool damaged;         /**< a process was killed inside: all that is derived may be wrong */
	bool has_context;     /**< GET_CONTEXT was done */
	bool has_devx;        /**< and it asked for DEVX */
	uint8_t cqe_version;  /**< mlx5: that GET_CONTEXT settled on */
	uint8_t next_key;     /**< rxe: variant of the next key */
	uint32_t umem_id;     /**< mlx5: the last that was given out */
	uint32_t newest;      /**< the object made last, or SIM_NO_HANDLE */
	uint32_t changing;    /**< the object that is to become @change, or SIM_NO_HANDLE */
	struct sim_object change;
	uint64_t full3;     /**< bit i: full2[i] is all ones */
	uint64_t full2[64]; /**< bit j of word i: full1[64 i + j] is all ones; and so on */
	uint64_t full1[64 * 64];
	uint64_t used[64 * 64 * 64]; /**< bit j of word i: handle 64 i + j is taken */
};

/** Memory on the device is in the file, between the header and the objects. */
#define SIM_ALIGNMENT 0x10000 /* a multiple of every page size */
#define SIM_DM_START                                                                               \
	((sizeof(struct sim_header) + SIM_ALIGNMENT - 1) / SIM_ALIGNMENT * SIM_ALIGNMENT)
#define SIM_DM_SIZE (256u << 10)

/** This process's view of a table. */
struct sim_table {
	struct sim_header *header;
	struct sim_object *objects; /**< valid while the table is locked */
	uint32_t mapped;            /**< objects reachable through it */
	const struct sim_profile *profile;
	enum mr_sim_kernel kernel;
	int fd; /**< by which the caller came */
};

/**
 * sim_table_create() - a new file with an empty table
 * @profile: kind of its device
 * @cloexec: whether exec shall close it
 *
 * Return: the descriptor, which only reads, or -ENOMEM, -EMFILE, -ENFILE.
 */
int sim_table_create(const struct sim_profile *profile, bool cloexec);

/** sim_random() - a number that no other table or process has, and never 0 */
uint64_t sim_random(void);

/** sim_table_reopen() - another descriptor of a table's file, with O_RDWR or O_RDONLY, or -errno */
int sim_table_reopen(int fd, int flags);

/** sim_table_allocate() - make sure that a part of the file has its pages: 0, -ENOMEM, -errno */
int sim_table_allocate(int fd, off_t start, size_t length);

/**
 * sim_table_probe() - whether a descriptor is a table: by its seals and its first bytes
 * @profile: set to its profile, or NULL where it is none
 *
 * Return: 0, or -errno where that cannot be told.
 */
int sim_table_probe(int fd, const struct sim_profile **profile);

/**
 * sim_table_map() - map the table of a descriptor; sim_table_unmap() it
 *
 * Return: 0, -EBADF where it is none, or -errno of what failed.
 */
int sim_table_map(struct sim_table *table, int fd);
void sim_table_unmap(struct sim_table *table);

/**
 * sim_table_lock() - enter the table; everything below needs it
 *
 * Repairs what a process left that was killed inside, and maps what others have added.
 *
 * Return: 0, -ENOMEM, -EIO where somebody wrote over the table, -ETIMEDOUT where its lock is not to be had.
 */
int sim_table_lock(struct sim_table *table);
void sim_table_unlock(struct sim_table *table);

/**
 * sim_object_find() - look an object up
 * @handle: any number from user space
 *
 * Return: 0, -ENOENT for a handle that is free, -EINVAL for an object of another type.
 */
int sim_object_find(const struct sim_table *table, uint32_t type, uint64_t handle,
		    struct sim_object **object);

/**
 * sim_object_reserve() - take the lowest free handle
 * @object: its empty place, good until the next reservation or the unlocking
 *
 * Follow with sim_object_commit() or sim_object_cancel() before unlocking.
 *
 * Return: 0, or -ENOMEM.
 */
int sim_object_reserve(struct sim_table *table, uint32_t *handle, struct sim_object **object);

/** sim_object_commit() - the object exists, and from now on keeps its @parent busy */
void sim_object_commit(struct sim_table *table, uint32_t handle, uint32_t type);
void sim_object_cancel(struct sim_table *table, uint32_t handle);

/**
 * sim_object_change() - give an object other contents, all or (killed inside) nothing
 * @contents: all but type, users and place in the list
 */
void sim_object_change(struct sim_table *table, uint32_t handle, const struct sim_object *contents);

/** sim_object_renew() - the object counts as made just now */
void sim_object_renew(struct sim_table *table, uint32_t handle);

/** sim_object_delete() - free an object and its handle */
void sim_object_delete(struct sim_table *table, uint32_t handle);

/* ---- file.c ------------------------------------------------------------------------------- */

/** What this process knows of itself; a forked child starts with an empty one. */
struct sim_process;

/** A simulated descriptor of this process, mapped. */
struct sim_file {
	struct sim_table table;
	uint32_t refs; /**< guarded by the process lock */
};

/**
 * sim_file_get() - the table behind a descriptor; sim_file_put() it
 * @file: set to it, or NULL when @fd is not simulated
 *
 * One fstat() when the descriptor is known, a few system calls when it is new here.
 *
 * Return: 0, or -errno where that cannot be told, or the table not be reached: what was to be done with
 * @fd must fail, rather than be done to the file behind it.
 */
int sim_file_get(int fd, struct sim_file **file);
void sim_file_put(struct sim_file *file);

/** sim_file_forget() - @fd is about to be closed */
void sim_file_forget(int fd);

/** sim_file_profile() - as sim_table_probe(), of a descriptor whose real fstat() is @st */
int sim_file_profile(int fd, const struct stat *st, const struct sim_profile **profile);

/** sim_process_count() - count a call of this process; returns how many there were */
uint64_t sim_process_count(enum mr_sim_call call);

/* ---- fault.c ------------------------------------------------------------------------------ */

/** What a call that was entered has before it. */
struct sim_fault {
	int error;        /**< 0, or the -errno to answer with instead of carrying it out */
	int signal_after; /**< that the caller is to get when it is done, or 0 */
};

/** sim_fault_wanted() - whether any fault of such calls was asked for */
bool sim_fault_wanted(enum mr_sim_call call);

/**
 * sim_fault_enter() - count a call, wait, stop or die, as was asked for; no table may be locked
 * @call: MR_SIM_CALLS for one that is not counted
 */
struct sim_fault sim_fault_enter(enum mr_sim_call call);

/** sim_fault_leave() - the call was carried out */
void sim_fault_leave(const struct sim_fault *fault);

/* ---- account.c ---------------------------------------------------------------------------- */

#define SIM_SHARES 256

/** What is pinned in one table: none where @pages is 0. */
struct sim_share {
	uint64_t table; /**< its header's id */
	uint64_t pages;
	int fd; /**< by which it was seen last */
};

/**
 * Pages of this address space that are pinned: the kernel's mm->pinned_vm.  A new address space
 * (fork, exec) starts at nothing.
 */
struct sim_account {
	uint32_t mm;      /**< names this address space in the tables; 0: not yet named */
	uint64_t pinned;  /**< sum of the shares */
	uint64_t pending; /**< pages that are in no table yet */
	bool crowded;     /**< a table got no share */
	ino_t user_ns;    /**< its user namespace; 0: not yet asked */
	struct sim_share shares[SIM_SHARES];
};

/** The process lock guards the account and the list of descriptors; it is never held long. */
struct sim_account *sim_process_lock(void);
void sim_process_unlock(void);

/** sim_account_limit() - RLIMIT_MEMLOCK of the caller, in bytes */
rlim_t sim_account_limit(void);

/** sim_account_locking_allowed() - can_do_mlock(): false at limit 0 without CAP_IPC_LOCK */
bool sim_account_locking_allowed(rlim_t limit);

/**
 * sim_account_charge() - count pages against a limit in bytes; no table may be locked
 *
 * Return: 0, or -ENOMEM over the limit without CAP_IPC_LOCK.
 */
int sim_account_charge(uint64_t pages, rlim_t limit);

/** sim_account_cancel() - give charged pages back that no object took */
void sim_account_cancel(uint64_t pages);

/** sim_account_commit() - an object of a locked table holds the pages; returns what to store in its mm */
uint32_t sim_account_commit(const struct sim_table *table, uint64_t pages);

/** sim_account_release() - an object of address space @mm in a locked table is gone */
void sim_account_release(const struct sim_table *table, uint32_t mm, uint64_t pages);

/* ---- maps.c ------------------------------------------------------------------------------- */

/** A part of a mapping of this process. */
struct sim_mapping {
	uint64_t start, end;
	uint64_t inode;
	unsigned int major; /**< of the device that the file is on */
	bool readable, writable, shared;
	const char *path; /**< or "" */
};

/** sim_maps_note() - @fd is mapped: remember that a file may be shared */
void sim_maps_note(int fd, int flags);

/** sim_maps_has_shared_file() - whether it may be that a file with write-back is shared */
bool sim_maps_has_shared_file(void);

/** sim_mapping_writes_back() - whether writing to it has to be tracked (vma_needs_dirty_tracking) */
bool sim_mapping_writes_back(const struct sim_mapping *mapping);

/**
 * sim_maps_walk() - look at the mappings in a range, in order, until one returns other than 0
 *
 * Return: what it returned, or 0; -EIO where the mappings cannot be read.
 */
int sim_maps_walk(uint64_t start, uint64_t end,
		  int (*look)(const struct sim_mapping *mapping, void *argument), void *argument);

/* ---- umem.c ------------------------------------------------------------------------------- */

/**
 * sim_umem_pin() - do what ib_umem_get() does, as far as it can fail; no table may be locked
 * @kernel: whose rules hold
 * @access: enum ib_uverbs_access_flags
 * @pages:  set to the number of pages charged
 *
 * Return: 0, -EINVAL, -EPERM, -ENOMEM, -EFAULT.
 */
int sim_umem_pin(enum mr_sim_kernel kernel, uint64_t addr, uint64_t length, uint32_t access,
		 uint32_t *pages);

/** sim_access_writable() - ib_access_writable() */
bool sim_access_writable(uint32_t access);

/** Bytes of the huge pages that access flag HUGETLB promises. */
#define SIM_HUGE_PAGE (UINT64_C(2) << 20)

/** sim_umem_check_odp() - what ib_umem_odp_get() checks: nothing is pinned */
int sim_umem_check_odp(uint64_t addr, uint64_t length, uint32_t access);

/** sim_umem_touch() - fault pages in, as a page fault of the device does: 0, -EFAULT, -EPERM, -ENOMEM */
int sim_umem_touch(uint64_t addr, uint64_t length, bool writable);

/** sim_umem_is_huge() - whether all the memory is in huge pages, as far as the kernel tells */
bool sim_umem_is_huge(uint64_t addr, uint64_t length);

/* ---- dmabuf.c ------------------------------------------------------------------------------ */

/** Memfds whose names begin so stand for dma-bufs. */
#define SIM_DMABUF_NAME "mrctl-dmabuf"

/** What a dma-buf of pages of the device is of. */
struct sim_export {
	uint64_t table; /**< header->id of the context; 0: it is of other memory */
	uint64_t id;    /**< the object's iova */
};

struct sim_dmabuf {
	bool scattered; /**< its pages are not contiguous */
	struct sim_export export;
};

/** sim_dmabuf_export() - a dma-buf of pages of the device; returns the descriptor or -errno */
int sim_dmabuf_export(const struct sim_export *export, uint64_t size);

/**
 * sim_dmabuf_get() - what ib_umem_dmabuf_get() can fail with
 * @dmabuf: set
 *
 * Return: 0, -EBADF, or -EINVAL for what is no dma-buf and for a range that is not in it.
 */
int sim_dmabuf_get(int fd, uint64_t offset, uint64_t length, struct sim_dmabuf *dmabuf);

/**
 * sim_dmabuf_open() - open a node that makes dma-bufs, if it is one and the environment asks for a
 * simulated device
 * @path: or NULL
 * @fd:   set to the descriptor or -errno
 *
 * Return: false for any other path.
 */
bool sim_dmabuf_open(const char *path, int flags, int *fd);

/**
 * sim_dmabuf_ioctl() - serve such a node
 * @answer: set to what ioctl() returns, or -errno
 *
 * Return: false for any other descriptor.
 */
bool sim_dmabuf_ioctl(int fd, unsigned long request, void *arg, int *answer);

/* ---- methods.c ---------------------------------------------------------------------------- */

#define SIM_MAX_ATTRS 12

enum sim_attr_kind {
	SIM_ATTR_IN,      /**< data, inline up to 8 bytes */
	SIM_ATTR_OUT,     /**< room for data */
	SIM_ATTR_USE,     /**< handle of an object */
	SIM_ATTR_DESTROY, /**< handle of the object to destroy; the method's first attribute */
	SIM_ATTR_NEW,     /**< gets the handle of a new object */
	SIM_ATTR_NEW_FD,  /**< gets a new descriptor */
	SIM_ATTR_RAW_FD,  /**< a descriptor, whatever it is */
};

/** What a method accepts under one attribute id: the kernel's struct uverbs_attr_spec. */
struct sim_attr_spec {
	uint16_t id;
	uint8_t kind;
	bool mandatory;
	uint16_t min; /**< bytes; for a handle, the type of its object */
	uint16_t max;
	enum sim_fact since; /**< unknown to kernels for which this does not hold */
};

struct sim_method {
	uint32_t driver; /**< enum rdma_driver_id; RDMA_DRIVER_UNKNOWN: any */
	uint16_t object;
	uint16_t method;
	enum sim_fact since; /**< unknown to kernels for which this does not hold */
	enum mr_sim_call
		call; /**< its name; MR_SIM_CALLS: none, as INVOKE_WRITE, which carries named commands */
	int (*handle)(struct sim_call *call); /**< NULL: nothing but the destroying */
	size_t count;
	struct sim_attr_spec attrs[SIM_MAX_ATTRS];
};

/**
 * sim_method_find() - look up a method of a table's driver and kernel
 *
 * Return: 0, -EOPNOTSUPP for what the kernel knows and this does not model, -EPROTONOSUPPORT
 * for what the kernel does not know either.
 */
int sim_method_find(const struct sim_table *table, uint16_t object, uint16_t method,
		    const struct sim_method **found);

/** sim_is_object_type() - whether the kernel knows objects of this number */
bool sim_is_object_type(const struct sim_table *table, uint16_t object);

/* ---- uverbs.c ----------------------------------------------------------------------------- */

/** One ioctl on its way; the table is locked. */
struct sim_call {
	struct sim_table *table;
	bool unlocked; /**< the table could not be locked again */
	const struct sim_method *method;
	struct ib_uverbs_attr *attrs[SIM_MAX_ATTRS]; /**< the caller's, in the order of the specs */
	struct sim_object *object;                   /**< that the handle attribute names */
	const struct sim_attr_spec *creates;         /**< NULL until something was created */
	uint32_t created;                            /**< its handle or descriptor */
};

/** sim_uverbs_ioctl() - serve RDMA_VERBS_IOCTL; no table may be locked */
int sim_uverbs_ioctl(struct sim_table *table, struct ib_uverbs_ioctl_hdr *hdr);

/**
 * sim_call_unlock() - let others work on the table; what is to be created has no handle meanwhile
 *
 * No pointer into the table is good afterwards.
 */
void sim_call_unlock(struct sim_call *call);

/** sim_call_relock() - the end of that; returns 0 or what sim_table_lock() does */
int sim_call_relock(struct sim_call *call);

/** sim_attr() - an attribute that the caller passed, or NULL */
struct ib_uverbs_attr *sim_attr(const struct sim_call *call, uint16_t id);

/** sim_attr_data() - what the caller passed in under @id, wherever it is; NULL without it */
const void *sim_attr_data(const struct sim_call *call, uint16_t id, size_t *length);

/** sim_attr_is_zero() - whether what was passed in is all zeros from byte @start on */
bool sim_attr_is_zero(const struct sim_call *call, uint16_t id, size_t start);

/** sim_attr_number() - a mandatory constant (UVERBS_ATTR_CONST_IN) */
uint64_t sim_attr_number(const struct sim_call *call, uint16_t id);

/** sim_attr_flags() - uverbs_get_flags32(): -EINVAL for other bits than @allowed */
int sim_attr_flags(const struct sim_call *call, uint16_t id, uint32_t allowed, uint32_t *flags);

/**
 * sim_attr_copy() - answer; a shorter attribute gets less, a longer one keeps what is behind it
 *
 * Return: 0, -ENOENT when the caller did not ask, or -EFAULT.
 */
int sim_attr_copy(const struct sim_call *call, uint16_t id, const void *data, size_t size);

/**
 * sim_attr_put() - answer; a shorter attribute gets less, a longer one zeros behind it
 *
 * Return: 0 (also when the caller did not ask), or -EFAULT.
 */
int sim_attr_put(const struct sim_call *call, uint16_t id, const void *data, size_t size);

/** sim_need_context() - -EINVAL before GET_CONTEXT (ib_uverbs_get_ucontext) */
int sim_need_context(const struct sim_table *table);

/**
 * sim_destroy() - destroy an object by a handle from user space
 *
 * Return: 0, -ENOENT, -EINVAL for another type, -EBUSY when another object needs it.
 */
int sim_destroy(struct sim_table *table, uint16_t type, uint64_t handle);

/* ---- write.c ------------------------------------------------------------------------------ */

/**
 * sim_write_request() - copy a command's request, as uverbs_request() does
 *
 * Return: 0, or -EOPNOTSUPP when what follows the known part is not all zeros.
 */
int sim_write_request(const struct sim_call *call, void *request, size_t size);

int sim_invoke_write(struct sim_call *call);

/** sim_write_name() - which command an INVOKE_WRITE carries; MR_SIM_CALLS if it gets none to do */
enum mr_sim_call sim_write_name(const struct ib_uverbs_ioctl_hdr *hdr);

/* ---- device.c ----------------------------------------------------------------------------- */

/** sim_profile_find() - a profile by its name (or NULL, for NULL) */
const struct sim_profile *sim_profile_find(const char *name);

/** sim_odp_caps() - what the device can do on demand with its kernel */
struct ib_uverbs_odp_caps sim_odp_caps(const struct sim_table *table);

int sim_get_context(struct sim_call *call);
int sim_query_context(struct sim_call *call);
int sim_info_handles(struct sim_call *call);
int sim_query_port(struct sim_call *call);
int sim_query_gid_table(struct sim_call *call);
int sim_query_gid_entry(struct sim_call *call);
int sim_write_query_device(struct sim_call *call);
int sim_write_query_device_ex(struct sim_call *call);

/* ---- mr.c --------------------------------------------------------------------------------- */

/** What a driver is asked to register. */
struct sim_mr_request {
	enum mr_sim_kernel kernel;
	uint64_t addr; /**< or offset in the dma-buf */
	uint64_t length;
	uint64_t iova;
	uint32_t access;
	bool is_dmabuf;
	bool data_direct;
	int fd;                   /**< of the dma-buf */
	struct sim_dmabuf dmabuf; /**< set */
	uint32_t pinned;          /**< set: pages charged */
	uint32_t order;           /**< set: log2 of the blocks that its key is for */
	uint32_t room;            /**< set: pages that fit its key, or object->kept */
	uint16_t flags;           /**< set: SIM_MR_... */
	bool unnoted;             /**< set: the driver leaves length and IOVA to its caller */
};

/** What a driver is asked to change. */
struct sim_rereg {
	struct sim_object old;
	struct sim_mr_request
		request; /**< what the MR is to be; unless @translate, with the old memory */
	bool translate;  /**< the memory changes, or (set) has to be taken anew */
	bool new_key;    /**< set: the key does not stay */
};

/* not in the headers of rdma-core 44 */
#define SIM_ACCESS_FLUSH_GLOBAL     (1u << 8)
#define SIM_ACCESS_FLUSH_PERSISTENT (1u << 9)

/** sim_mr_take() - let the driver register; the table is unlocked meanwhile */
int sim_mr_take(struct sim_call *call, struct sim_mr_request *request);

/** sim_mr_fill() - describe what it registered in a reserved object of its PD */
void sim_mr_fill(struct sim_table *table, uint32_t handle, uint32_t pd, uint32_t key,
		 const struct sim_mr_request *request);

/* all flags that there are: IB_ACCESS_SUPPORTED */
#define SIM_ACCESS_KNOWN                                                                           \
	(((SIM_ACCESS_FLUSH_PERSISTENT << 1) - 1) | (uint32_t)IB_UVERBS_ACCESS_OPTIONAL_RANGE)

/** sim_access_check() - ib_check_mr_access() */
int sim_access_check(const struct sim_table *table, uint32_t access);

int sim_query_mr(struct sim_call *call);
int sim_write_alloc_pd(struct sim_call *call);
int sim_write_dealloc_pd(struct sim_call *call);
int sim_write_reg_mr(struct sim_call *call);
int sim_write_dereg_mr(struct sim_call *call);

/* ---- reg.c --------------------------------------------------------------------------------- */

/* not in the headers of rdma-core 44: MLX5_IB_ATTR_REG_DMABUF_MR_ACCESS_FLAGS, UVERBS_..._REG_MR */
#define SIM_ATTR_REG_DMABUF_MR_DRIVER_FLAGS 0x1000
#define SIM_METHOD_REG_MR                   5
#define SIM_ATTR_REG_MR_HANDLE              0
#define SIM_ATTR_REG_MR_PD_HANDLE           1
#define SIM_ATTR_REG_MR_IOVA                3
#define SIM_ATTR_REG_MR_ADDR                4
#define SIM_ATTR_REG_MR_LENGTH              5
#define SIM_ATTR_REG_MR_ACCESS_FLAGS        6
#define SIM_ATTR_REG_MR_FD                  7
#define SIM_ATTR_REG_MR_FD_OFFSET           8
#define SIM_ATTR_REG_MR_RESP_LKEY           9
#define SIM_ATTR_REG_MR_RESP_RKEY           10

int sim_reg_dmabuf_mr(struct sim_call *call);
int sim_reg_mr(struct sim_call *call);

/* ---- rxe.c: its own methods ---------------------------------------------------------------- */

int sim_rxe_reg_dmabuf_mr(struct sim_call *call);

/* ---- rereg.c ------------------------------------------------------------------------------- */

int sim_write_rereg_mr(struct sim_call *call);

/* ---- mlx5.c: its own methods --------------------------------------------------------------- */

int sim_mlx5_query_pd(struct sim_call *call);
int sim_mlx5_devx_other(struct sim_call *call);
int sim_mlx5_alloc_uar(struct sim_call *call);
/* not in the headers of rdma-core 44: MLX5_IB_ATTR_GET_DATA_DIRECT_SYSFS_PATH */
#define SIM_ATTR_DATA_DIRECT_PATH 0x1000
/* The environment variable by which the HCA has a Data Direct device. */
#define SIM_DATA_DIRECT_VARIABLE "MRCTL_SIM_DATA_DIRECT"

int sim_mlx5_data_direct_path(struct sim_call *call);

/* not in the headers of rdma-core 44: UVERBS_ATTR_ALLOC_DMABUF_... */
#define SIM_ATTR_EXPORT_FD     0
#define SIM_ATTR_EXPORT_OFFSET 1

int sim_mlx5_export_dmabuf(struct sim_call *call);

/* ---- dm.c ---------------------------------------------------------------------------------- */

/** The most that can be allocated at once. */
#define SIM_DM_MAX (128u << 10)

int sim_mlx5_alloc_dm(struct sim_call *call);
int sim_mlx5_query_dm(struct sim_call *call);
int sim_reg_dm_mr(struct sim_call *call);

/** sim_dm_place() - where a page is in the table's file */
off_t sim_dm_place(uint64_t page);

/**
 * sim_dm_find() - the DM that begins with a page, or NULL; the table is locked
 * @size: set to the bytes of its pages
 */
const struct sim_object *sim_dm_find(const struct sim_table *table, uint64_t page, uint64_t *size);

/**
 * sim_export_take() - note in an MR on a dma-buf which pages it keeps; the table is locked
 *
 * Return: 0, or -ENODEV if what the dma-buf is of is gone.
 */
int sim_export_take(const struct sim_table *table, struct sim_mr_request *request);

/** sim_export_is_revoked() - whether the DM is gone whose dma-buf an MR is on; the table is locked */
bool sim_export_is_revoked(const struct sim_table *table, const struct sim_object *mr);

/** sim_dm_is_used() - whether an MR is on a DM; the table is locked */
bool sim_dm_is_used(const struct sim_table *table, uint32_t its_handle);

/* ---- advise.c ------------------------------------------------------------------------------ */

int sim_advise_mr(struct sim_call *call);

/* ---- devx.c -------------------------------------------------------------------------------- */

int sim_mlx5_umem_reg(struct sim_call *call);

#endif
