/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * The object table of a context: a sealed memfd, which every descriptor of that context is.  So
 * objects live exactly as long as the open file: across fork, exec, SCM_RIGHTS and the death of
 * their maker.
 */
#ifndef LIB_SIM_STATE_TABLE_H
#define LIB_SIM_STATE_TABLE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/simulator/spec.h"

#define SIM_MAGIC     "mrctl sim table"
#define SIM_VERSION   9
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
		uint32_t key_pages; /**< MR: the most pages that it can have with its key */
		uint32_t dm;        /**< SIM_MR_DM: handle of the DM */
		uint32_t
			exported_pages; /**< SIM_MR_DM_EXPORT: first page << 16 | number of pages */
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
	uint32_t kind;        /**< enum mr_sim_profile */
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
	enum mr_sim_profile kind;   /**< of its device */
	enum mr_sim_kernel kernel;
	int fd; /**< by which the caller came */
};

/**
 * sim_table_create() - a new file with an empty table
 * @kind:    of its device
 * @cloexec: whether exec shall close it
 *
 * Return: the descriptor, which only reads, or -ENOMEM, -EMFILE, -ENFILE.
 */
int sim_table_create(enum mr_sim_profile kind, bool cloexec);

/** sim_table_reopen() - another descriptor of a table's file, with O_RDWR or O_RDONLY, or -errno */
int sim_table_reopen(int fd, int flags);

/** sim_table_allocate() - make sure that a part of the file has its pages: 0, -ENOMEM, -errno */
int sim_table_allocate(int fd, off_t start, size_t length);

/**
 * sim_table_probe() - whether a descriptor is a table: by its seals and its first bytes
 * @kind: set to the kind of its device, or MR_SIM_PROFILES where it is none
 *
 * Return: 0, or -errno where that cannot be told.
 */
int sim_table_probe(int fd, enum mr_sim_profile *kind);

/**
 * sim_table_map() - map the table of a descriptor; sim_table_unmap() it
 *
 * Return: 0, -EBADF where it is none, or -errno of what failed.
 */
int sim_table_map(struct sim_table *table, int fd);
void sim_table_unmap(struct sim_table *table);

/** sim_table_map_objects() - reach the objects that others have added: 0, or -errno; locked */
int sim_table_map_objects(struct sim_table *table);

/** sim_table_grow() - double the objects that the file has room for: 0, or -errno; locked */
int sim_table_grow(struct sim_table *table);

#endif
