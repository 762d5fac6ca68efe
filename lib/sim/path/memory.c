// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Memory behind keys: what a work request may read and write. */
#include <errno.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <rdma/ib_user_ioctl_verbs.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/path/path.h"
#include "lib/sim/state/state.h"

/* The system calls answer EFAULT where the program has unmapped its memory; a plain access would crash it. */
bool sim_own_read(uint64_t addr, void *data, size_t length)
{
	struct iovec local = { data, length };
	struct iovec remote = { (void *)(uintptr_t)addr, length };

	return process_vm_readv(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)length;
}

bool sim_own_write(uint64_t addr, const void *data, size_t length)
{
	struct iovec local = { (void *)(uintptr_t)data, length };
	struct iovec remote = { (void *)(uintptr_t)addr, length };

	return process_vm_writev(getpid(), &local, 1, &remote, 1, 0) == (ssize_t)length;
}

static bool is_own(const struct sim_object *mr)
{
	struct sim_process *process;
	bool is_own;

	if (mr->flags & SIM_MR_ODP)
		return mr->owner == getpid();
	process = sim_process_lock();
	is_own = mr->mm && mr->mm == process->account.mm;
	sim_process_unlock(process);
	return is_own;
}

/* Regions of device memory are zero-based; their IOVA is that of QUERY_MR. */
static bool is_in_range(const struct sim_object *object, const struct sim_sge *range,
			uint64_t *offset)
{
	const uint64_t start = object->flags & SIM_MR_DM ? 0 : object->iova;

	/* implicit on-demand paging */
	if (!object->addr && object->length == UINT64_MAX) {
		*offset = range->addr;
		return true;
	}
	*offset = range->addr - start;
	return range->addr >= start && *offset <= object->length &&
	       range->length <= object->length - *offset;
}

/* rxe_resp.c check_rkey() checks the range of the region, and not that of its window */
static bool ignores_range(const struct sim_table *table, const struct sim_object *object)
{
	return table->kind == MR_SIM_RXE && object->type == UVERBS_OBJECT_MW;
}

/* Faults the pages of an on-demand region in, as the device would have the kernel do. */
static int find_own(const struct sim_table *table, const struct sim_object *mr,
		    const struct sim_sge *range, uint32_t access, struct sim_extent *extent)
{
	extent->kind = is_own(mr) ? SIM_EXTENT_OWN : SIM_EXTENT_NONE;
	if (extent->kind == SIM_EXTENT_NONE || !(mr->flags & SIM_MR_ODP))
		return 0;
	return sim_umem_touch(table->kernel, extent->addr, range->length,
			      access & ~(uint32_t)IB_UVERBS_ACCESS_REMOTE_READ)
		       ? -EACCES
		       : 0;
}

int sim_key_access(const struct sim_table *table, uint32_t pd, const struct sim_sge *range,
		   uint32_t access, struct sim_extent *extent)
{
	const struct sim_object *object = sim_key_find(table, range->key);
	uint64_t offset;

	*extent = (struct sim_extent){ .kind = SIM_EXTENT_NONE, .length = range->length };
	if (!object || object->parent != pd)
		return -EINVAL;
	if ((object->access & access) != access ||
	    (!is_in_range(object, range, &offset) && !ignores_range(table, object)))
		return -EACCES;
	if (object->type == UVERBS_OBJECT_MW) {
		/* The bound window grants remote access alone, and its memory is that of the region. */
		const struct sim_sge part = { object->addr + offset, range->length,
					      object->mr_key };

		return access && object->length ? sim_key_access(table, pd, &part, 0, extent)
						: -EACCES;
	}
	extent->addr = object->addr + offset;
	if (object->flags & SIM_MR_DM) {
		const struct sim_object *dm = &table->objects[object->dm];

		extent->kind = SIM_EXTENT_DEVICE;
		extent->addr += (uint64_t)sim_dm_file_offset(dm->addr);
		return 0;
	}
	if (object->flags & SIM_MR_DMABUF)
		return sim_export_is_revoked(table, object) ? -EACCES : 0;
	return find_own(table, object, range, access, extent);
}

/* Maps an extent of the device's memory: its first byte; NULL if that fails. */
static uint8_t *map_device(const struct sim_table *table, const struct sim_extent *extent,
			   void **start, size_t *size)
{
	const uint64_t skip = sim_page_offset(extent->addr);

	*size = skip + extent->length;
	return sim_table_map_part(table->fd, extent->addr - skip, *size, start)
		       ? NULL
		       : (uint8_t *)*start + skip;
}

void sim_extent_read(const struct sim_table *table, const struct sim_extent *extent, void *data)
{
	uint8_t *bytes;
	void *start;
	size_t size;

	if (extent->kind == SIM_EXTENT_DEVICE &&
	    (bytes = map_device(table, extent, &start, &size))) {
		memcpy(data, bytes, extent->length);
		munmap(start, size);
	} else if (extent->kind != SIM_EXTENT_OWN ||
		   !sim_own_read(extent->addr, data, extent->length)) {
		memset(data, 0, extent->length);
	}
}

void sim_extent_write(const struct sim_table *table, const struct sim_extent *extent,
		      const void *data)
{
	uint8_t *bytes;
	void *start;
	size_t size;

	if (extent->kind == SIM_EXTENT_OWN) {
		sim_own_write(extent->addr, data, extent->length);
	} else if (extent->kind == SIM_EXTENT_DEVICE &&
		   (bytes = map_device(table, extent, &start, &size))) {
		memcpy(bytes, data, extent->length);
		munmap(start, size);
	}
}

int sim_key_bind(struct sim_table *table, uint32_t pd, const struct sim_bind *bind)
{
	const uint32_t writing = IB_UVERBS_ACCESS_REMOTE_WRITE | IB_UVERBS_ACCESS_REMOTE_ATOMIC;
	/* hw/mlx5/mr.c set_mkc_access_pd_addr_fields(): mlx5 does not tell its HCA of MW_BIND */
	const uint32_t needed = (table->kind == MR_SIM_RXE ? IB_UVERBS_ACCESS_MW_BIND : 0) |
				(bind->access & writing ? IB_UVERBS_ACCESS_LOCAL_WRITE : 0);
	struct sim_object *mw = sim_key_find(table, bind->old_key);
	struct sim_object *mr = bind->length ? sim_key_find(table, bind->mr_key) : NULL;
	uint64_t offset;

	if (!mw || mw->type != UVERBS_OBJECT_MW || mw->parent != pd)
		return -EACCES;
	mw->length = 0;
	mw->key = bind->new_key;
	if (!bind->length)
		return 0;
	if (!mr || mr->type != UVERBS_OBJECT_MR || mr->parent != pd ||
	    (mr->access & needed) != needed || bind->length > UINT32_MAX ||
	    !is_in_range(mr, &(struct sim_sge){ bind->addr, (uint32_t)bind->length, 0 }, &offset))
		return -EACCES;
	mw->addr = bind->addr;
	mw->iova = bind->access & IB_UVERBS_ACCESS_ZERO_BASED ? 0 : bind->addr;
	mw->access = bind->access;
	mw->mr_key = bind->mr_key;
	mw->length = bind->length;
	return 0;
}
