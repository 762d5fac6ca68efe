// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * Pages of the mlx5 device that programs map or export as dma-bufs: UARs and DMs (hw/mlx5/main.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_cmds.h>
#include <rdma/mlx5_user_ioctl_verbs.h>

#include "lib/sim/base/abi.h"
#include "lib/sim/base/libc.h"
#include "lib/sim/base/pages.h"
#include "lib/sim/base/random.h"
#include "lib/sim/devices/mlx5_mmap.h"
#include "lib/sim/memory/device_memory.h"
#include "lib/sim/state/lock.h"
#include "lib/sim/state/objects.h"

#define MMAP_DEVICE_MEMORY 8 /* MLX5_IB_MMAP_DEVICE_MEM */
#define MMAP_OFFSET_START  9 /* MLX5_IB_MMAP_OFFSET_START: commands of dynamic entries */
#define MMAP_OFFSET_END    255
#define FIRST_UAR          8

/* mlx5_entry_to_mmap_offset(): the offset for mmap() of a UAR; the handle is the number of its entry */
static uint64_t uar_offset(uint32_t handle)
{
	uint64_t command = MMAP_OFFSET_START + (handle >> 16), index = handle & 0xffff;

	return ((index >> 8) << 16 | command << 8 | (index & 0xff)) * sim_page_size();
}

/* The command and the index in an offset for mmap(): MLX5_IB_MMAP_CMD_SHIFT, mlx5_ib_mmap_offset(). */
static uint64_t command_of(uint64_t offset, uint64_t *index)
{
	const uint64_t page = offset / sim_page_size();
	const uint64_t entry = (page >> 8 & 0xff) << 16 | (page >> 16) << 8 | (page & 0xff);

	*index = entry & 0xffff;
	return entry >> 16;
}

/* rdma_user_mmap_entry_get_pgoff(): the object that an offset is of, and its bytes; the table is locked */
static const struct sim_object *find_mmap_entry(const struct sim_table *table, uint64_t offset,
						uint64_t *size)
{
	uint64_t index, command = command_of(offset, &index);
	struct sim_object *uar;

	if (command == MMAP_DEVICE_MEMORY)
		return sim_dm_find(table, index, size);
	*size = sim_page_size();
	return command < MMAP_OFFSET_START ||
			       sim_object_find(table, MLX5_IB_OBJECT_UAR,
					       (command - MMAP_OFFSET_START) << 16 | index, &uar)
		       ? NULL
		       : uar;
}

int sim_mlx5_alloc_uar(struct sim_call *call)
{
	uint64_t type = sim_attr_number(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_TYPE);
	uint32_t length = (uint32_t)sim_page_size(), page = FIRST_UAR + call->created;
	uint64_t offset = uar_offset(call->created);
	int rc;

	if (type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF && type != MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC)
		return -EOPNOTSUPP;
	if (call->created >> 16 > MMAP_OFFSET_END - MMAP_OFFSET_START)
		return -ENOMEM;
	rc = sim_attr_put(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_OFFSET, &offset, sizeof(offset));
	if (!rc)
		rc = sim_attr_put(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_MMAP_LENGTH, &length,
				  sizeof(length));
	if (!rc)
		rc = sim_attr_put(call, MLX5_IB_ATTR_UAR_OBJ_ALLOC_PAGE_ID, &page, sizeof(page));
	call->object->iova = sim_random();
	return rc;
}

static void *map_table_file(const struct sim_table *table, void *addr, size_t length, int prot,
			    int flags, off_t file_offset)
{
	int fd = sim_table_reopen(table->fd, O_RDWR);
	void *address;

	if (fd < 0) {
		errno = -fd;
		return MAP_FAILED;
	}
	address = sim_libc()->mmap(addr, length, prot, flags, fd, file_offset);
	sim_libc()->close(fd);
	return address;
}

/* A UAR is mapped to anonymous memory: there are no queues whose doorbells the device would read. */
void *sim_mlx5_mmap(struct sim_table *table, void *addr, size_t length, int prot, int flags,
		    off_t offset)
{
	const struct sim_object *entry = NULL;
	off_t file_offset = -1;
	uint64_t size;

	if (flags & MAP_SHARED && !sim_table_lock(table)) {
		entry = find_mmap_entry(table, (uint64_t)offset, &size);
		if (entry && entry->type == UVERBS_OBJECT_DM)
			file_offset = sim_dm_file_offset(entry->addr);
		sim_table_unlock(table);
	}
	if (!entry || size != length) {
		errno = EINVAL;
		return MAP_FAILED;
	}
	if (file_offset < 0)
		return sim_libc()->mmap(addr, length, prot, flags | MAP_ANONYMOUS, -1, 0);
	return map_table_file(table, addr, length, prot, flags, file_offset);
}

/* uverbs_std_types_dmabuf.c UVERBS_METHOD_DMABUF_ALLOC, mlx5_ib_mmap_get_pfns() */
int sim_mlx5_export_dmabuf(struct sim_call *call)
{
	struct sim_export export = { .table = call->table->header->id };
	const struct sim_object *entry;
	uint64_t size;
	int fd, rc;

	entry = find_mmap_entry(call->table, sim_attr_number(call, SIM_ATTR_EXPORT_OFFSET), &size);
	if (!entry)
		return -EINVAL;
	export.id = entry->iova;
	fd = sim_dmabuf_export(&export, size);
	if (fd < 0)
		return fd;
	/* The caller gets the number of the eventfd that new_fd() made.  The dma-buf replaces the eventfd. */
	rc = dup3(fd, (int)call->created, O_CLOEXEC) < 0 ? -errno : 0;
	sim_libc()->close(fd);
	return rc;
}
