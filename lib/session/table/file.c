// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/session/table/table.h"

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

#define CHAIN_MAX 1024u

static uint32_t *bucket_at(const struct mr_table *table, unsigned int index, uint64_t hash)
{
	uint32_t *buckets = (uint32_t *)(void *)mr_entry_at(table, table->capacity);

	if (index == MR_BY_MARK)
		return &table->header->marked;
	return buckets + (uint64_t)index * table->buckets + (hash & (table->buckets - 1));
}

/*
 * Ids count up, and the kernel gives the lowest handle that is free: most often neighbours follow one another, and so
 * do their buckets in memory.  Keys differ in some of their bits only.
 */
static uint64_t hash_number(unsigned int index, uint64_t value)
{
	if (index == MR_BY_ID || index == MR_BY_HANDLE)
		return value;
	return value * UINT64_C(0x9e3779b97f4a7c15) >> 29;
}

/* FNV-1a */
static uint64_t hash_name(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (int i = 0; i < MR_NAME_SIZE && name[i]; i++)
		hash = (hash ^ (uint8_t)name[i]) * UINT64_C(0x100000001b3);
	return hash;
}

static uint64_t number_of(const struct mr_entry *entry, unsigned int index)
{
	switch (index) {
	case MR_BY_ID:
		return entry->id;
	case MR_BY_HANDLE:
		return entry->handle;
	case MR_BY_LKEY:
		return entry->lkey;
	default:
		return entry->rkey;
	}
}

/*
 * The indexes that an entry belongs into, a bit for each.  Names are optional, keys come with the commit, and
 * umems have no keys.  Without remote access some drivers give the rkey 0 (rxe of Linux 6.1): it identifies
 * nothing.
 */
static unsigned int indexes_of(const struct mr_entry *entry)
{
	unsigned int indexes = 1u << MR_BY_ID;

	if (entry->name[0])
		indexes |= 1u << MR_BY_NAME;
	if (entry->state != MR_ENTRY_LIVE && entry->state != MR_ENTRY_IN_DOUBT)
		return indexes;
	indexes |= 1u << MR_BY_HANDLE;
	if (mr_region_kind(entry->call) != MR_KIND_UMEM)
		indexes |= 1u << MR_BY_LKEY | (entry->rkey ? 1u << MR_BY_RKEY : 0);
	if (mr_entry_is_marked(entry))
		indexes |= 1u << MR_BY_MARK;
	return indexes;
}

static bool is_indexed(const struct mr_entry *entry, unsigned int index)
{
	return indexes_of(entry) >> index & 1;
}

static uint64_t hash_of(const struct mr_entry *entry, unsigned int index)
{
	return index == MR_BY_NAME ? hash_name(entry->name)
				   : hash_number(index, number_of(entry, index));
}

static void link_entry(struct mr_table *table, uint32_t slot, unsigned int index)
{
	struct mr_entry *entry = mr_entry_at(table, slot);
	uint32_t *bucket = bucket_at(table, index, hash_of(entry, index));

	entry->next[index] = *bucket;
	*bucket = slot;
}

/*
 * Another holder can put all entries into one chain, which would make each search as long as the table.  So
 * a chain ends here once it is longer than any that mrctl makes.  There is no such limit for the chain of
 * all marked entries, and none in a private table, where all entries without a handle share a chain.
 */
uint32_t mr_table_longest_chain(const struct mr_table *table, unsigned int index)
{
	bool limited = !table->is_private && index < MR_TABLE_HASHES;

	return limited && table->capacity > CHAIN_MAX ? CHAIN_MAX : table->capacity;
}

/* Other holders can make a chain lead anywhere: each step is checked, and their number is limited. */
static void unlink_entry(struct mr_table *table, uint32_t slot, unsigned int index)
{
	struct mr_entry *entry = mr_entry_at(table, slot);
	uint32_t *link = bucket_at(table, index, hash_of(entry, index));
	uint32_t longest = mr_table_longest_chain(table, index);

	for (uint32_t steps = 0; steps < longest; steps++) {
		uint32_t at = *(volatile uint32_t *)link;

		if (at >= table->capacity)
			return;
		if (at == slot) {
			*link = entry->next[index];
			return;
		}
		link = &mr_entry_at(table, at)->next[index];
	}
}

/* Another holder may have changed the entries or the counter: the counter must not wrap around below 0. */
static void adjust_counter(uint32_t *counter, bool counts, bool more)
{
	if (counts && (more || *counter))
		*counter += more ? 1u : -1u;
}

static void count_entry(struct mr_table *table, uint32_t slot, unsigned int indexes, bool more)
{
	struct mr_table_pool *pool = &table->header->pool;

	adjust_counter(&pool->relaxed, mr_entry_at(table, slot)->call == MR_REG_MR_RELAXED, more);
	adjust_counter(&pool->marked, indexes >> MR_BY_MARK & 1, more);
}

void mr_table_link(struct mr_table *table, uint32_t slot, unsigned int among)
{
	unsigned int indexes = indexes_of(mr_entry_at(table, slot));

	count_entry(table, slot, indexes, true);
	for (indexes &= among; indexes; indexes &= indexes - 1)
		link_entry(table, slot, (unsigned int)__builtin_ctz(indexes));
}

void mr_table_unlink(struct mr_table *table, uint32_t slot, unsigned int among)
{
	unsigned int indexes = indexes_of(mr_entry_at(table, slot));

	count_entry(table, slot, indexes, false);
	for (indexes &= among; indexes; indexes &= indexes - 1)
		unlink_entry(table, slot, (unsigned int)__builtin_ctz(indexes));
}

void mr_table_unlink_name(struct mr_table *table, uint32_t slot)
{
	unlink_entry(table, slot, MR_BY_NAME);
}

void mr_table_rebuild_indexes(struct mr_table *table)
{
	struct mr_table_header *header = table->header;
	uint32_t count = 0;

	memset(bucket_at(table, 0, 0), 0xff,
	       (size_t)table->buckets * MR_TABLE_HASHES * sizeof(uint32_t));
	header->free = header->marked = MR_NO_SLOT;
	header->pool.relaxed = header->pool.marked = 0;
	for (uint32_t slot = table->capacity; slot-- > 0;) {
		struct mr_entry *entry = mr_entry_at(table, slot);

		if (entry->state == MR_ENTRY_FREE) {
			entry->next[0] = header->free;
			header->free = slot;
			continue;
		}
		count++;
		mr_table_link(table, slot, MR_ALL_INDEXES);
	}
	header->count = count;
	mr_table_end_change(table);
}

bool mr_entry_matches(const struct mr_entry *entry, enum mr_table_index index, uint64_t value,
		      const char *name)
{
	if (entry->state == MR_ENTRY_FREE || !is_indexed(entry, index))
		return false;
	return name ? !strncmp(entry->name, name, MR_NAME_SIZE) : number_of(entry, index) == value;
}

static uint32_t find(const struct mr_table *table, enum mr_table_index index, uint64_t value,
		     const char *name)
{
	uint64_t hash = name ? hash_name(name) : hash_number(index, value);
	uint32_t slot = *(volatile uint32_t *)bucket_at(table, index, hash);
	uint32_t longest = mr_table_longest_chain(table, index);

	for (uint32_t steps = 0; steps < longest && slot < table->capacity; steps++) {
		const struct mr_entry *entry = mr_entry_at(table, slot);

		if (mr_entry_matches(entry, index, value, name))
			return slot;
		slot = *(const volatile uint32_t *)&entry->next[index];
	}
	return MR_NO_SLOT;
}

uint32_t mr_table_find(const struct mr_table *table, enum mr_table_index index, uint64_t value)
{
	return find(table, index, value, NULL);
}

uint32_t mr_table_find_name(const struct mr_table *table, const char *name)
{
	return find(table, MR_BY_NAME, 0, name);
}
