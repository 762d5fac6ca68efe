/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The object table of a context: a sealed memfd.  The descriptor of the context that a program has is a
 * descriptor of this memfd.  So objects live exactly as long as the open file: across fork, exec,
 * SCM_RIGHTS and the death of the process that made them.
 */
#ifndef LIB_SIM_STATE_TABLE_H
#define LIB_SIM_STATE_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/simulator/spec.h"

#define SIM_MAGIC     "mrctl sim table"
#define SIM_VERSION   10
#define SIM_NO_HANDLE UINT32_MAX

/**
 * One object.  Its handle is its index in the table.  @type is stored last when an object is made, and
 * first when it is deleted: an object exists if and only if its @type is not 0.  What is "derived" can
 * be computed from the types and from the list of all objects that header->newest and @older form.
 */
struct sim_object {
	uint16_t type;   /**< number of the uverbs object; 0 (UVERBS_OBJECT_DEVICE): none */
	uint16_t flags;  /**< MR: SIM_MR_... */
	uint32_t parent; /**< handle of the object that it keeps busy, or SIM_NO_HANDLE */
	uint32_t users;  /**< number of objects whose parent this one is: derived */
	uint32_t key;    /**< MR: lkey and rkey; umem: its id */
	uint64_t addr;   /**< MR, umem: start of the memory; DM: number of its first page */
	uint64_t length; /**< MR, umem, DM: bytes */
	uint64_t iova;   /**< MR: as in the verbs; DM, UAR: random id, by which dma-bufs name it */
	uint32_t mm;     /**< MR, umem: the address space that is charged for @pinned */

	/**
	 * MR: pages that its key can hold; SIM_MR_ODP: the process whose memory it is of; SIM_MR_DM: the DM;
	 * SIM_MR_DM_EXPORT: first page << 16 | count; SIM_MR_DMAH, which never changes its memory: the DMA handle
	 */
	union {
		uint32_t key_pages;
		pid_t owner;
		uint32_t dm;
		uint32_t exported_pages;
		uint32_t dmah;
	};
	uint32_t pinned; /**< MR, umem: pages */
	uint32_t access; /**< MR, umem: enum ib_uverbs_access_flags */
	uint32_t older;  /**< the object made before this one, or SIM_NO_HANDLE */
	uint32_t newer;  /**< the object made after it, or SIM_NO_HANDLE: derived */
};

#define SIM_MR_WRITABLE    1u  /**< its memory is pinned for writing: umem->writable */
#define SIM_MR_ODP         2u  /**< nothing is pinned: umem->is_odp */
#define SIM_MR_DMABUF      4u  /**< of a dma-buf: umem->is_dmabuf */
#define SIM_MR_DATA_DIRECT 8u  /**< through the Data Direct device: mr->data_direct */
#define SIM_MR_DM          16u /**< of a DM: mr->dm */
#define SIM_MR_DM_EXPORT   32u /**< of a dma-buf that was exported from a DM */
#define SIM_MR_DMAH        64u /**< with a DMA handle: mr->dmah */

#define SIM_FREED_KEYS     1024

/** Start of the file.  A zero bit is a free handle, so that new pages of the file need no preparation. */
struct sim_header {
	char magic[16];
	uint32_t version;
	uint32_t kind;        /**< of its device: enum mr_sim_profile */
	uint32_t kernel;      /**< enum mr_sim_kernel */
	uint64_t id;          /**< random */
	pthread_mutex_t lock; /**< robust and shared between processes: guards all below */
	uint64_t guard;       /**< ~id, unless the lock was overwritten */
	uint32_t capacity;    /**< number of objects that the file has room for */
	bool damaged;         /**< a holder of @lock was killed: what is derived may be wrong */
	bool has_context;     /**< GET_CONTEXT has succeeded */
	bool has_devx;        /**< GET_CONTEXT asked for DEVX */
	uint8_t cqe_version;  /**< mlx5: the one that GET_CONTEXT agreed on */
	uint8_t next_key;     /**< rxe: low 8 bits of the next key */
	uint32_t taken;       /**< number of handles that are taken: derived */
	uint32_t max_objects; /**< limit of @taken, as of an rdma cgroup */
	uint32_t key_index;   /**< index of the last key that was new */
	bool keys_went_round; /**< indexes of keys have begun anew: some may be taken */
	uint32_t freed_count; /**< elements of @freed_keys */
	uint32_t freed_keys
		[SIM_FREED_KEYS]; /**< keys to use again, the last one first; 0: was used */
	uint32_t umem_id;         /**< mlx5: id of the last umem */
	uint32_t newest;          /**< the object made last, or SIM_NO_HANDLE */
	uint32_t changing; /**< object that is being overwritten by @change, or SIM_NO_HANDLE */
	struct sim_object change;
	uint64_t full3;     /**< bit i: full2[i] has no zero bit */
	uint64_t full2[64]; /**< bit j of word i: full1[64 i + j] has no zero bit; and so on */
	uint64_t full1[64 * 64];
	uint64_t used[64 * 64 * 64]; /**< bit j of word i: handle 64 i + j is taken */
};

/** Where the memory of the device is in the file: between the header and the objects. */
#define SIM_ALIGNMENT 0x10000 /* a multiple of every page size */
#define SIM_DM_START                                                                               \
	((sizeof(struct sim_header) + SIM_ALIGNMENT - 1) / SIM_ALIGNMENT * SIM_ALIGNMENT)
#define SIM_DM_SIZE (256u << 10)

/** A table as it is mapped in this process. */
struct sim_table {
	struct sim_header *header;
	struct sim_object *objects; /**< valid while the table is locked */
	uint32_t mapped;            /**< number of elements of @objects */
	enum mr_sim_profile kind;   /**< of its device */
	enum mr_sim_kernel kernel;
	int fd; /**< a descriptor of its file */
};

/**
 * sim_table_create() - make an empty table
 * @kind:    of its device
 * @cloexec: whether exec closes the descriptor
 *
 * Return: a descriptor of its file for the program, which can only read; or -ENOMEM, -EMFILE, -ENFILE.
 */
int sim_table_create(enum mr_sim_profile kind, bool cloexec);

/** sim_table_reopen() - open a table's file once more, with O_RDWR or O_RDONLY: the descriptor, or -errno */
int sim_table_reopen(int fd, int flags);

/**
 * sim_table_allocate() - have the pages of a part of the file allocated
 * @start:  bytes from the start of the file
 * @length: bytes
 *
 * Return: 0, -ENOMEM, or -errno of sim_table_reopen().
 */
int sim_table_allocate(int fd, off_t start, size_t length);

/**
 * sim_table_probe() - recognize the descriptor of a table by its seals and first bytes
 * @kind: set to the kind of its device, or to MR_SIM_PROFILES if it is no table
 *
 * Return: 0, or -errno if the descriptor cannot be examined.
 */
int sim_table_probe(int fd, enum mr_sim_profile *kind);

/**
 * sim_table_map() - map the header of a table; sim_table_unmap() it
 * @table: set; its objects are mapped by sim_table_lock()
 *
 * Return: 0, -EBADF if @fd is no table, or -errno.
 */
int sim_table_map(struct sim_table *table, int fd);
void sim_table_unmap(struct sim_table *table);

/** sim_table_map_objects() - map the objects of a locked table, if it has grown: 0, or -errno */
int sim_table_map_objects(struct sim_table *table);

/** sim_table_grow() - double the capacity of a locked table: 0, or -errno */
int sim_table_grow(struct sim_table *table);

#endif
