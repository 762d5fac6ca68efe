// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/dma-heap.h>
#include <linux/udmabuf.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/sim/base/base.h"
#include "lib/sim/memory/memory.h"
#include "lib/sim/state/state.h"

/* Prefixes of the names of memfds that represent dma-bufs; the second is for those of a heap. */
#define SIM_DMABUF_NAME    MR_SIM_DMABUF_NAME
#define SIM_DMABUF_OF_HEAP SIM_DMABUF_NAME "-heap"

/* A dma-buf of the device's pages; its first bytes are a struct sim_export. */
#define OF_DEVICE SIM_DMABUF_NAME "-device"

/* Returns whether @fd is a memfd whose name begins with @name. */
static bool sim_is_placeholder(int fd, const char *name)
{
	char path[64], target[64], wanted[64];
	ssize_t length;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	length = readlink(path, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	snprintf(wanted, sizeof(wanted), "/memfd:%s", name);
	return !strncmp(target, wanted, strlen(wanted));
}

/* Pages of a heap and of the device are taken as contiguous, those of a udmabuf as scattered. */
static bool describe_replacement(int fd, uint64_t *size, struct sim_dmabuf *dmabuf)
{
	const bool is_of_device = sim_is_placeholder(fd, OF_DEVICE);
	struct stat st;

	if (!sim_is_placeholder(fd, SIM_DMABUF_NAME) || sim_libc()->fstat(fd, &st))
		return false;
	*size = (uint64_t)st.st_size;
	dmabuf->scattered = !is_of_device && !sim_is_placeholder(fd, SIM_DMABUF_OF_HEAP);
	return !is_of_device ||
	       pread(fd, &dmabuf->export, sizeof(dmabuf->export), 0) == sizeof(dmabuf->export);
}

/* dma_buf_show_fdinfo() */
static bool describe_real(int fd, uint64_t *size, struct sim_dmabuf *dmabuf)
{
	char path[64], text[1024];
	const char *exporter, *line;
	ssize_t length;
	int info;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	info = sim_libc()->open(path, O_RDONLY | O_CLOEXEC);
	if (info < 0)
		return false;
	length = read(info, text, sizeof(text) - 1);
	sim_libc()->close(info);
	text[length > 0 ? length : 0] = '\0';
	exporter = strstr(text, "\nexp_name:\t");
	line = strstr(text, "\nsize:\t");
	if (!exporter || !line)
		return false;
	*size = strtoull(line + strlen("\nsize:\t"), NULL, 10);
	dmabuf->scattered = strstr(exporter, "udmabuf") != NULL;
	return true;
}

int sim_dmabuf_get(int fd, uint64_t offset, uint64_t length, struct sim_dmabuf *dmabuf)
{
	uint64_t end, size;
	int flags;

	*dmabuf = (struct sim_dmabuf){ 0 };
	if (__builtin_add_overflow(offset, length, &end))
		return -EINVAL;
	flags = sim_libc()->fcntl(fd, F_GETFL);
	if (flags < 0 || flags & O_PATH) /* fget() */
		return -EBADF;
	if (!describe_replacement(fd, &size, dmabuf) && !describe_real(fd, &size, dmabuf))
		return -EINVAL;
	return length && end <= size ? 0 : -EINVAL;
}

/* Makes a memfd of a name and a size in bytes: its descriptor, or -errno. */
static int sim_placeholder_make(const char *name, uint64_t size, bool cloexec)
{
	int fd = mr_memfd_create(name, cloexec ? MFD_CLOEXEC : 0), rc;

	if (fd < 0)
		return -errno;
	if (!ftruncate(fd, (off_t)size))
		return fd;
	rc = errno == EFBIG || errno == EINVAL ? -ENOMEM : -errno;
	sim_libc()->close(fd);
	return rc;
}

int sim_dmabuf_export(const struct sim_export *export, uint64_t size)
{
	int fd, rc;

	fd = sim_placeholder_make(OF_DEVICE, size, true);
	if (fd < 0)
		return fd;
	if (pwrite(fd, export, sizeof(*export), 0) == sizeof(*export))
		return fd;
	rc = -errno;
	sim_libc()->close(fd);
	return rc;
}

/* udmabuf.c check_memfd_seals(); the kernel refuses a range behind the end when it pins the pages */
static int check_memfd(const struct udmabuf_create *create)
{
	int seals = sim_libc()->fcntl((int)create->memfd, F_GET_SEALS);
	uint64_t end;
	struct stat st;

	if (seals < 0 || sim_libc()->fstat((int)create->memfd, &st))
		return -EBADFD;
	if (!(seals & F_SEAL_SHRINK) || seals & (F_SEAL_WRITE | F_SEAL_FUTURE_WRITE))
		return -EINVAL;
	return __builtin_add_overflow(create->offset, create->size, &end) ||
			       end > (uint64_t)st.st_size
		       ? -EINVAL
		       : 0;
}

/* The kernel shares the pages of the memfd.  A copy is good enough here: no device accesses it. */
static int copy_pages(int to, const struct udmabuf_create *create)
{
	off_t offset = (off_t)create->offset;
	uint64_t left = create->size;
	ssize_t done;

	for (; left; left -= (uint64_t)done) {
		done = sendfile(to, (int)create->memfd, &offset, left);
		if (done < 0)
			return -errno;
		if (!done)
			return -EIO;
	}
	return 0;
}

/* udmabuf_create() */
static int create_udmabuf(void *arg)
{
	const uint64_t limit = UINT64_C(64) << 20; /* the module's size_limit_mb */
	const struct udmabuf_create *create = arg;
	int fd, rc;

	if (create->flags & ~(uint32_t)UDMABUF_FLAGS_CLOEXEC || !create->size ||
	    create->size > limit || sim_page_offset(create->offset) ||
	    sim_page_offset(create->size))
		return -EINVAL;
	rc = check_memfd(create);
	if (rc)
		return rc;
	fd = sim_placeholder_make(SIM_DMABUF_NAME, create->size,
				  create->flags & UDMABUF_FLAGS_CLOEXEC);
	if (fd < 0)
		return fd;
	rc = copy_pages(fd, create);
	if (!rc)
		return fd;
	sim_libc()->close(fd);
	return rc;
}

/* dma_heap_ioctl_allocate(); the kernel would kill processes if it ran out of memory here */
static int allocate_from_heap(void *arg)
{
	const uint64_t page = sim_page_size();
	struct dma_heap_allocation_data *allocation = arg;
	uint64_t size = sim_round_up(allocation->len, page);
	int fd;

	if (allocation->fd || allocation->heap_flags ||
	    allocation->fd_flags & ~(uint32_t)DMA_HEAP_VALID_FD_FLAGS || !size)
		return -EINVAL;
	if (size / page > (uint64_t)sysconf(_SC_PHYS_PAGES))
		return -ENOMEM;
	fd = sim_placeholder_make(SIM_DMABUF_OF_HEAP, size, allocation->fd_flags & O_CLOEXEC);
	if (fd < 0)
		return fd;
	allocation->fd = (uint32_t)fd;
	return 0;
}

static const struct node {
	const char *path;
	const char *name; /* of the memfd that represents the open node */
	unsigned long request;
	int (*handle)(void *arg);
} nodes[] = {
	{ "/dev/udmabuf", "mrctl-udmabuf", UDMABUF_CREATE, create_udmabuf },
	{ "/dev/dma_heap/system", "mrctl-heap", DMA_HEAP_IOCTL_ALLOC, allocate_from_heap },
};
#define NODES (sizeof(nodes) / sizeof(nodes[0]))

bool sim_dmabuf_node_open(const char *path, int flags, int *fd)
{

	/* glibc declares that open() never gets NULL; this keeps the compiler from removing the test */
	__asm__("" : "+r"(path));
	if (!path || strncmp(path, "/dev/", 5) != 0)
		return false;
	for (size_t i = 0; i < NODES; i++) {
		if (strcmp(path, nodes[i].path) != 0 || sim_wanted_kind() == MR_SIM_PROFILES)
			continue;
		*fd = sim_placeholder_make(nodes[i].name, 0, flags & O_CLOEXEC);
		return true;
	}
	return false;
}

bool sim_dmabuf_node_ioctl(int fd, unsigned long request, void *arg, int *answer)
{
	for (size_t i = 0; i < NODES; i++) {
		if (request != nodes[i].request || !sim_is_placeholder(fd, nodes[i].name))
			continue;
		*answer = arg ? nodes[i].handle(arg) : -EFAULT;
		return true;
	}
	return false;
}

#define PAGES           (SIM_DM_SIZE >> SIM_DM_PAGE_SHIFT)
#define UNIT            64u /* MLX5_MEMIC_BASE_SIZE: lengths are rounded up to it */
#define LEAST_ALIGNMENT 6u  /* MLX5_MEMIC_BASE_ALIGN */
#define MOST_ALIGNMENT  12u

/* The result has 32 bits, as in the driver: it wraps for lengths that are much too large. */
static uint32_t pages_of(uint64_t length)
{
	return (uint32_t)((length + (1u << SIM_DM_PAGE_SHIFT) - 1) >> SIM_DM_PAGE_SHIFT);
}

/* A bit for each of @count pages from @first on. */
static uint64_t mask_of(uint64_t first, uint64_t count)
{
	return (count == PAGES ? UINT64_MAX : (UINT64_C(1) << count) - 1) << first;
}

/*
 * mlx5_ib_dm_mmap_free(): pages of a freed DM stay used while an MR is on a dma-buf of them, or a program
 * has them mapped.  Mappings are not known here.
 */
static uint64_t used_pages(const struct sim_table *table)
{
	uint64_t used = 0;
	const struct sim_object *object;

	for (object = sim_object_newest(table); object; object = sim_object_older(table, object)) {
		if (object->type == UVERBS_OBJECT_DM)
			used |= mask_of(object->addr, pages_of(object->length));
		else if (object->type == UVERBS_OBJECT_MR && object->flags & SIM_MR_DM_EXPORT)
			used |= mask_of(object->exported_pages >> 16,
					object->exported_pages & 0xffff);
	}
	return used;
}

/* mlx5_cmd_alloc_memic(): the driver looks for free pages first, and then the firmware checks the length */
static int find_pages(const struct sim_table *table, uint64_t length, uint32_t alignment,
		      uint64_t *first)
{
	const uint64_t bytes = (length + UNIT - 1) / UNIT * UNIT, used = used_pages(table);
	const uint32_t pages = pages_of(bytes), room = pages ? pages : 1;

	if (!bytes || (alignment > LEAST_ALIGNMENT && alignment > MOST_ALIGNMENT))
		return -EINVAL;
	/* where the length wrapped to no pages, bitmap_find_next_zero_area() needs one that is free */
	for (*first = 0; room <= PAGES && *first <= PAGES - room; ++*first) {
		if (used & mask_of(*first, room))
			continue;
		return pages && (uint32_t)bytes <= SIM_DM_MAX ? 0 : -EINVAL;
	}
	return -ENOMEM;
}

int sim_dm_allocate(const struct sim_table *table, uint64_t length, uint32_t alignment,
		    uint64_t *first)
{
	int rc = find_pages(table, length, alignment, first);

	/* on first touch, a machine without memory would raise SIGBUS rather than answer ENOMEM */
	return rc ? rc
		  : sim_table_allocate(table->fd, sim_dm_file_offset(*first),
				       pages_of(length) << SIM_DM_PAGE_SHIFT);
}

off_t sim_dm_file_offset(uint64_t first)
{
	return (off_t)(SIM_DM_START + (first << SIM_DM_PAGE_SHIFT));
}

const struct sim_object *sim_dm_find(const struct sim_table *table, uint64_t page, uint64_t *size)
{
	const struct sim_object *dm;

	for (dm = sim_object_newest(table); dm; dm = sim_object_older(table, dm)) {
		if (dm->type != UVERBS_OBJECT_DM || dm->addr != page)
			continue;
		*size = pages_of(dm->length) << SIM_DM_PAGE_SHIFT;
		return dm;
	}
	return NULL;
}

/*
 * uverbs_dmabuf_map(): a dma-buf is revoked when the object is gone that it was exported from.  Objects of
 * other contexts count as valid, since their tables are not known here.
 */
int sim_export_pages(const struct sim_table *table, const struct sim_export *export,
		     uint32_t *pages)
{
	const struct sim_object *object;

	*pages = 0;
	if (export->table != table->header->id)
		return 0;
	for (object = sim_object_newest(table); object; object = sim_object_older(table, object)) {
		if (object->iova != export->id || object->type == UVERBS_OBJECT_MR)
			continue;
		if (object->type == UVERBS_OBJECT_DM)
			*pages = (uint32_t)(object->addr << 16 | pages_of(object->length));
		return 0;
	}
	return -ENODEV;
}

bool sim_export_is_revoked(const struct sim_table *table, const struct sim_object *mr)
{
	uint64_t size;

	return mr->flags & SIM_MR_DM_EXPORT && !sim_dm_find(table, mr->exported_pages >> 16, &size);
}
