// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/session/table/change.h"
#include "lib/session/table/file.h"
#include "lib/session/table/format.h"
#include "lib/session/table/index.h"

#define MAGIC             "mrctl session\n\n"
#define VERSION           7u
#define SEALS             (F_SEAL_SHRINK | F_SEAL_SEAL)
#define FIRST_ENTRIES     64u
#define ENTRIES_MAX       (1u << 26)

#define RELAXED_LIMIT     65536u
#define RELAXED_WATERMARK 256u

static uint32_t buckets_for(uint32_t capacity)
{
	return 1u << (31 - __builtin_clz(capacity));
}

static uint64_t size_for(uint32_t capacity)
{
	return HEADER_SIZE + (uint64_t)capacity * sizeof(struct mr_entry) +
	       (uint64_t)buckets_for(capacity) * MR_TABLE_HASHES * sizeof(uint32_t);
}

int mr_table_fail_unsound(struct mr_error *err, const char *why)
{
	mr_fail_text(err, MR_ERROR_ABSENT, EPROTO, "this is no sound session table: %s", why);
	mr_hint(err, "end the session and open a new one");
	return -EPROTO;
}

/*
 * Whether the file has that many bytes, and all of them are allocated, as mrctl leaves them.  To read a page
 * that is not allocated would make the kernel allocate it then, at the reader's charge, and raise SIGBUS where
 * it cannot.
 */
static bool has_bytes(int fd, uint64_t size)
{
	struct statfs filesystem;
	struct stat st;

	return !fstat(fd, &st) && !fstatfs(fd, &filesystem) && filesystem.f_type == TMPFS_MAGIC &&
	       (uint64_t)st.st_size >= size && (uint64_t)st.st_blocks * 512 >= size;
}

int mr_table_map(struct mr_table *table, struct mr_error *err)
{
	struct mr_table_header header;
	void *map;
	ssize_t got = pread(table->fd, &header, sizeof(header), 0);

	if (got != (ssize_t)sizeof(header) ||
	    memcmp(header.magic, MAGIC, sizeof(header.magic)) != 0)
		return mr_table_fail_unsound(err, "its header is missing");
	if (header.version != VERSION || header.entry_size != sizeof(struct mr_entry)) {
		mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
			     "the session was opened by another version of mrctl");
		mr_hint(err, "use the mrctl that opened it");
		return -EPROTO;
	}
	if (!header.capacity || header.capacity > ENTRIES_MAX ||
	    !has_bytes(table->fd, size_for(header.capacity)))
		return mr_table_fail_unsound(err, "it is shorter than it says");
	map = mmap(NULL, size_for(header.capacity), PROT_READ | PROT_WRITE, MAP_SHARED, table->fd,
		   0);
	if (map == MAP_FAILED)
		return mr_fail(err, MR_ERROR_HOST, errno, "mmap", "cannot map the session table");
	if (table->header)
		munmap(table->header, table->mapped);
	table->header = map;
	table->mapped = size_for(header.capacity);
	table->capacity = header.capacity;
	table->buckets = buckets_for(header.capacity);
	return 0;
}

static int fail_memory(struct mr_error *err, int errnum, const char *call)
{
	return mr_fail(err, MR_ERROR_HOST, errnum, call, "no room for the session table");
}

int mr_table_create(const struct mr_table_device *device, struct mr_table *table,
		    struct mr_error *err)
{
	struct mr_table_header header = { .magic = MAGIC,
					  .version = VERSION,
					  .entry_size = sizeof(struct mr_entry),
					  .capacity = FIRST_ENTRIES,
					  .pool = { .limit = RELAXED_LIMIT,
						    .watermark = RELAXED_WATERMARK },
					  .device = *device };
	int rc;

	*table = (struct mr_table){ .fd = -1 };
	table->fd = mr_memfd_create("mrctl-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (table->fd < 0)
		return fail_memory(err, errno, "memfd_create");
	rc = posix_fallocate(table->fd, 0, (off_t)size_for(FIRST_ENTRIES));
	if (rc) {
		mr_table_close(table);
		return fail_memory(err, rc, "posix_fallocate");
	}
	errno = EIO; /* of a write that is cut */
	if (pwrite(table->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		rc = fail_memory(err, errno, "pwrite");
	else if (fcntl(table->fd, F_ADD_SEALS, SEALS))
		rc = fail_memory(err, errno, "fcntl(F_ADD_SEALS)");
	else
		rc = mr_table_map(table, err);
	if (rc)
		mr_table_close(table);
	else
		mr_table_rebuild_indexes(table);
	return rc;
}

int mr_table_open(int fd, struct mr_table *table, struct mr_error *err)
{
	int seals = fcntl(fd, F_GET_SEALS), rc;

	*table = (struct mr_table){ .fd = fd };
	if (seals < 0 || (seals & SEALS) != SEALS || seals & (F_SEAL_GROW | F_SEAL_WRITE))
		rc = mr_table_fail_unsound(err, "it is not a memfd with the seals that mrctl sets");
	else
		rc = mr_table_map(table, err);
	if (rc)
		mr_table_close(table);
	return rc;
}

void mr_table_close(struct mr_table *table)
{
	if (table->header)
		munmap(table->header, table->mapped);
	if (table->fd >= 0)
		close(table->fd);
	*table = (struct mr_table){ .fd = -1 };
}

void mr_table_device(const struct mr_table *table, struct mr_table_device *device)
{
	mr_copy_out(device, &table->header->device, sizeof(*device));
	mr_clean_text(device->name, sizeof(device->name));
	mr_clean_text(device->provider, sizeof(device->provider));
}

const char *mr_table_noun(const struct mr_table *table)
{
	return table->is_private ? "batch" : "session";
}

uint64_t mr_table_size(const struct mr_table *table)
{
	return table->mapped;
}

/*
 * The new entries take the place of the indexes, which move behind them.  The indexes are marked as invalid
 * first: where this process is killed in here, the next one makes them anew.
 */
int mr_table_grow(struct mr_table *table, struct mr_error *err)
{
	uint32_t old = table->capacity, capacity = old + (old / 8 > 64 ? old / 8 : 64);
	int rc;

	if (capacity > ENTRIES_MAX)
		return fail_memory(err, ENOSPC, "mrctl");
	rc = posix_fallocate(table->fd, 0, (off_t)size_for(capacity));
	if (rc)
		return fail_memory(err, rc, "posix_fallocate");
	mr_table_begin_change(table);
	/* Or what the old indexes held would be taken for entries.  Zeros are a free entry. */
	memset(mr_entry_at(table, old), 0,
	       size_for(old) - HEADER_SIZE - (uint64_t)old * sizeof(struct mr_entry));
	__asm__ volatile("" : : : "memory");
	table->header->capacity = capacity;
	rc = mr_table_map(table, err);
	if (!rc)
		mr_table_rebuild_indexes(table);
	return rc;
}
