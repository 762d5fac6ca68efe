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

/* All indexes, as a mask with a bit for each. */
#define ALL_INDEXES UINT32_MAX

/*
 * A process that is killed between these two leaves indexes that are marked as invalid: mr_table_lock() of the next
 * process rebuilds them.
 */
static void begin_change(struct mr_table *table)
{
	table->header->indexes_valid = 0;
	__asm__ volatile("" : : : "memory");
}

static void end_change(struct mr_table *table)
{
	__asm__ volatile("" : : : "memory");
	table->header->indexes_valid = 1;
}

/*
 * After a process was killed, the state of an entry shows which of its members are valid.  So a state is stored
 * after all members that it makes valid, and before those are written that it makes invalid.
 */
static void store_state(struct mr_entry *entry, enum mr_entry_state state)
{
	__asm__ volatile("" : : : "memory");
	*(volatile uint32_t *)&entry->state = state;
	__asm__ volatile("" : : : "memory");
}

static uint32_t buckets_for(uint32_t capacity)
{
	return 1u << (31 - __builtin_clz(capacity));
}

static uint64_t size_for(uint32_t capacity)
{
	return HEADER_SIZE + (uint64_t)capacity * sizeof(struct mr_entry) +
	       (uint64_t)buckets_for(capacity) * MR_TABLE_HASHES * sizeof(uint32_t);
}

static int fail_unsound(struct mr_error *err, const char *why)
{
	const int rc = mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
				    "this is not a valid session table: %s", why);

	mr_hint(err, "end the session and open a new one");
	return rc;
}

/*
 * Maps the table.  All bytes of its file must be allocated, as mrctl leaves them.  To read a page that is not allocated
 * would make the kernel allocate it then, at the reader's charge, and raise SIGBUS where it cannot.
 */
static int map_table(struct mr_table *table, struct mr_error *err)
{
	ssize_t got;
	struct mr_table_header header;
	struct statfs filesystem;
	struct stat st;
	uint64_t size;
	void *map;

	got = pread(table->fd, &header, sizeof(header), 0);
	if (got != (ssize_t)sizeof(header) ||
	    memcmp(header.magic, MAGIC, sizeof(header.magic)) != 0)
		return fail_unsound(err, "its header is missing");
	if (header.version != VERSION || header.entry_size != sizeof(struct mr_entry)) {
		mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
			     "the session was opened by another version of mrctl");
		mr_hint(err, "use the mrctl that opened it");
		return -EPROTO;
	}
	size = header.capacity && header.capacity <= ENTRIES_MAX ? size_for(header.capacity)
								 : UINT64_MAX;
	if (fstat(table->fd, &st) || fstatfs(table->fd, &filesystem) ||
	    filesystem.f_type != TMPFS_MAGIC || (uint64_t)st.st_size < size ||
	    (uint64_t)st.st_blocks * 512 < size)
		return fail_unsound(err, "it is shorter than its header says");
	map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, table->fd, 0);
	if (map == MAP_FAILED)
		return mr_fail(err, MR_ERROR_HOST, errno, "mmap", "cannot map the session table");
	if (table->header)
		munmap(table->header, table->mapped);
	table->header = map;
	table->mapped = size;
	table->capacity = header.capacity;
	table->buckets = buckets_for(header.capacity);
	return 0;
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

static uint64_t hash_of(const struct mr_entry *entry, unsigned int index)
{
	return index == MR_BY_NAME ? hash_name(entry->name)
				   : hash_number(index, number_of(entry, index));
}

/*
 * Another holder can put all entries into one chain, which would make each search as long as the table.  So
 * a chain ends here once it is longer than any that mrctl makes.  There is no such limit for the chain of
 * all marked entries, and none in a private table, where all entries without a handle share a chain.
 */
static uint32_t longest_chain(const struct mr_table *table, unsigned int index)
{
	bool limited = !table->is_private && index < MR_TABLE_HASHES;

	return limited ? CHAIN_MAX : table->capacity;
}

/* Other holders can make a chain lead anywhere: each step is checked, and their number is limited. */
static void unlink_entry(struct mr_table *table, uint32_t slot, unsigned int index)
{
	struct mr_entry *entry = mr_entry_at(table, slot);
	uint32_t *link = bucket_at(table, index, hash_of(entry, index));
	uint32_t longest = longest_chain(table, index);

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

static void link_all(struct mr_table *table, uint32_t slot, unsigned int among)
{
	struct mr_entry *entry = mr_entry_at(table, slot);
	unsigned int indexes = indexes_of(entry);

	count_entry(table, slot, indexes, true);
	for (indexes &= among; indexes; indexes &= indexes - 1) {
		unsigned int index = (unsigned int)__builtin_ctz(indexes);
		uint32_t *bucket = bucket_at(table, index, hash_of(entry, index));

		entry->next[index] = *bucket;
		*bucket = slot;
	}
}

static void unlink_all(struct mr_table *table, uint32_t slot, unsigned int among)
{
	unsigned int indexes = indexes_of(mr_entry_at(table, slot));

	count_entry(table, slot, indexes, false);
	for (indexes &= among; indexes; indexes &= indexes - 1)
		unlink_entry(table, slot, (unsigned int)__builtin_ctz(indexes));
}

static void rebuild_indexes(struct mr_table *table)
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
		link_all(table, slot, ALL_INDEXES);
	}
	header->count = count;
	end_change(table);
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
	errno = EIO; /* of a write that is cut */
	if (rc)
		rc = fail_memory(err, rc, "posix_fallocate");
	else if (pwrite(table->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header))
		rc = fail_memory(err, errno, "pwrite");
	else if (fcntl(table->fd, F_ADD_SEALS, SEALS))
		rc = fail_memory(err, errno, "fcntl(F_ADD_SEALS)");
	else
		rc = map_table(table, err);
	if (rc)
		mr_table_close(table);
	else
		rebuild_indexes(table);
	return rc;
}

int mr_table_open(int fd, struct mr_table *table, struct mr_error *err)
{
	int seals = fcntl(fd, F_GET_SEALS), rc; /* -1, an error, has the bit of F_SEAL_WRITE */

	*table = (struct mr_table){ .fd = fd };
	if ((seals & SEALS) != SEALS || seals & (F_SEAL_GROW | F_SEAL_WRITE))
		rc = fail_unsound(err, "it is not a memfd with mrctl's seals");
	else
		rc = map_table(table, err);
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

/*
 * The new entries take the place of the indexes, which move behind them.  The indexes are marked as invalid
 * first: if this process is killed here, the next one rebuilds them.
 */
static int grow(struct mr_table *table, struct mr_error *err)
{
	uint32_t old = table->capacity, capacity = old + (old / 8 > 64 ? old / 8 : 64);
	int rc;

	if (capacity > ENTRIES_MAX)
		return fail_memory(err, ENOSPC, "mrctl");
	rc = posix_fallocate(table->fd, 0, (off_t)size_for(capacity));
	if (rc)
		return fail_memory(err, rc, "posix_fallocate");
	begin_change(table);
	/* Or what the old indexes held would be taken for entries.  Zeros are a free entry. */
	memset(mr_entry_at(table, old), 0,
	       size_for(old) - HEADER_SIZE - (uint64_t)old * sizeof(struct mr_entry));
	__asm__ volatile("" : : : "memory");
	table->header->capacity = capacity;
	rc = map_table(table, err);
	if (!rc)
		rebuild_indexes(table);
	return rc;
}

/* Not inlined, so that mr_table_lock() of a private table, which does nothing, sets up no stack for this. */
__attribute__((noinline)) static int lock_shared(struct mr_table *table, struct mr_error *err)
{
	int rc = mr_table_take_lock(table, err);

	if (rc)
		return rc;
	if (*(volatile uint32_t *)&table->header->capacity != table->capacity)
		rc = map_table(table, err);
	if (rc) {
		mr_table_unlock(table);
		return rc;
	}
	if (!table->header->indexes_valid)
		rebuild_indexes(table);
	return 0;
}

int mr_table_lock(struct mr_table *table, struct mr_error *err)
{
	return table->is_private ? 0 : lock_shared(table, err);
}

bool mr_entry_matches(const struct mr_entry *entry, enum mr_table_index index, uint64_t value,
		      const char *name)
{
	if (entry->state == MR_ENTRY_FREE || !(indexes_of(entry) >> index & 1))
		return false;
	return name ? !strncmp(entry->name, name, MR_NAME_SIZE) : number_of(entry, index) == value;
}

uint32_t mr_table_find(const struct mr_table *table, enum mr_table_index index, uint64_t value,
		       const char *name)
{
	uint64_t hash = name ? hash_name(name) : hash_number(index, value);
	uint32_t slot = *(volatile uint32_t *)bucket_at(table, index, hash);
	uint32_t longest = longest_chain(table, index);

	for (uint32_t steps = 0; steps < longest && slot < table->capacity; steps++) {
		const struct mr_entry *entry = mr_entry_at(table, slot);

		if (mr_entry_matches(entry, index, value, name))
			return slot;
		slot = *(const volatile uint32_t *)&entry->next[index];
	}
	return MR_NO_SLOT;
}

/* ---- entries ---- */

/* The indexes that mr_table_commit() changes: all but those of ids and names. */
#define MR_KEY_INDEXES (ALL_INDEXES << MR_BY_HANDLE)

/*
 * During a change: a free slot.  If another holder has damaged the chain of free entries, it is rebuilt with the
 * indexes, which are valid then: the change continues, so they are marked as invalid again.
 */
static uint32_t take_free(struct mr_table *table)
{
	struct mr_table_header *header = table->header;
	uint32_t slot = *(volatile uint32_t *)&header->free;

	if (slot < table->capacity && mr_entry_at(table, slot)->state == MR_ENTRY_FREE) {
		header->free = mr_entry_at(table, slot)->next[0];
		return slot;
	}
	if (slot == MR_NO_SLOT)
		return slot;
	rebuild_indexes(table);
	begin_change(table);
	slot = *(volatile uint32_t *)&header->free;
	if (slot >= table->capacity)
		return MR_NO_SLOT;
	header->free = mr_entry_at(table, slot)->next[0];
	return slot;
}

/* Checks that no other entry has that name: a marked one loses it. */
static int take_name(struct mr_table *table, const char *name, struct mr_error *err)
{
	uint32_t slot = name[0] ? mr_table_find(table, MR_BY_NAME, 0, name) : MR_NO_SLOT;

	if (slot == MR_NO_SLOT)
		return 0;
	if (!mr_entry_is_marked(mr_entry_at(table, slot)))
		return mr_fail_text(err, MR_ERROR_USAGE, EEXIST,
				    "the %s has a region named '%s' already", mr_table_noun(table),
				    name);
	begin_change(table);
	unlink_entry(table, slot, MR_BY_NAME);
	mr_entry_at(table, slot)->name[0] = '\0';
	end_change(table);
	return 0;
}

int mr_table_add(struct mr_table *table, struct mr_entry *entry, uint32_t *slot,
		 struct mr_error *err)
{
	struct mr_table_pool pool;
	uint32_t free_slot;
	int rc;

	mr_table_pool(table, &pool);
	if (entry->call == MR_REG_MR_RELAXED && pool.relaxed >= pool.limit)
		return mr_fail(err, MR_ERROR_RELAXED, EAGAIN, "mr_reg_mr_relaxed", NULL);
	rc = take_name(table, entry->name, err);
	if (rc)
		return rc;
	if (table->header->free == MR_NO_SLOT) {
		rc = grow(table, err);
		if (rc)
			return rc;
	}
	begin_change(table);
	free_slot = take_free(table);
	if (free_slot == MR_NO_SLOT)
		return fail_unsound(err, "its list of free entries is damaged");
	entry->id = ++table->header->last_id;
	entry->state = MR_ENTRY_FREE;
	*mr_entry_at(table, free_slot) = *entry;
	entry->state = MR_ENTRY_PENDING;
	store_state(mr_entry_at(table, free_slot), MR_ENTRY_PENDING);
	link_all(table, free_slot, ALL_INDEXES);
	table->header->count++;
	end_change(table);
	*slot = free_slot;
	return 0;
}

static void free_entry(struct mr_table *table, uint32_t slot)
{
	struct mr_entry *entry = mr_entry_at(table, slot);

	begin_change(table);
	unlink_all(table, slot, ALL_INDEXES);
	store_state(entry, MR_ENTRY_FREE);
	entry->id = 0;
	entry->name[0] = '\0';
	entry->next[0] = table->header->free;
	table->header->free = slot;
	table->header->count--;
	end_change(table);
}

bool mr_table_get(const struct mr_table *table, uint32_t slot, struct mr_entry *entry)
{
	if (!mr_table_is_used(table, slot))
		return false;
	mr_copy_out(entry, mr_entry_at(table, slot), sizeof(*entry));
	mr_clean_text(entry->name, sizeof(entry->name));
	mr_clean_text(entry->memory, sizeof(entry->memory));
	return entry->state != MR_ENTRY_FREE;
}

bool mr_table_is_used(const struct mr_table *table, uint32_t slot)
{
	return slot < table->capacity &&
	       *(volatile uint32_t *)&mr_entry_at(table, slot)->state != MR_ENTRY_FREE;
}

bool mr_table_has_id(const struct mr_table *table, uint32_t slot, uint64_t id)
{
	return mr_table_is_used(table, slot) &&
	       *(volatile uint64_t *)&mr_entry_at(table, slot)->id == id;
}

/*
 * The kernel has given the handle of these entries to another region, so their own are destroyed.  A process that has
 * claimed an entry is about to remove it.  Until then the slot must not become free: whoever got it could not claim it.
 * The number is limited: another holder could add entries as fast as they are removed here.
 */
static void drop_stale_entries(struct mr_table *table, uint32_t handle)
{
	uint32_t slot, lost = 0;

	while ((slot = mr_table_find(table, MR_BY_HANDLE, handle, NULL)) != MR_NO_SLOT &&
	       lost++ < longest_chain(table, MR_BY_HANDLE)) {
		if (!mr_table_is_claimed(table, slot)) {
			free_entry(table, slot);
			continue;
		}
		begin_change(table);
		unlink_all(table, slot, ALL_INDEXES);
		mr_entry_at(table, slot)->handle = MR_NO_HANDLE;
		link_all(table, slot, ALL_INDEXES);
		end_change(table);
	}
}

/* The id and the name do not change, so the entry stays linked in their indexes. */
bool mr_table_commit(struct mr_table *table, uint32_t slot, const struct mr_entry *entry)
{
	struct mr_entry *stored;
	uint32_t next[MR_BY_HANDLE];

	if (!mr_table_has_id(table, slot, entry->id))
		return false;
	if (entry->handle != MR_NO_HANDLE)
		drop_stale_entries(table, entry->handle);
	stored = mr_entry_at(table, slot);
	begin_change(table);
	unlink_all(table, slot, MR_KEY_INDEXES);
	memcpy(next, stored->next, sizeof(next));
	*stored = *entry;
	memcpy(stored->next, next, sizeof(next));
	store_state(stored, MR_ENTRY_LIVE);
	link_all(table, slot, MR_KEY_INDEXES);
	end_change(table);
	return true;
}

/*
 * A process that is killed in here leaves the entry in doubt.  As long as @in_doubt says what the kernel was
 * asked for, the region is recognised as it was before the change and as it is after it (is_same_region() in look.c):
 * so @in_doubt is written after all that it is about.
 */
bool mr_table_change(struct mr_table *table, uint32_t slot, const struct mr_entry *entry)
{
	struct mr_entry current, changed = *entry;
	struct mr_entry *stored;

	if (!mr_table_get(table, slot, &current) || current.id != entry->id ||
	    current.handle != entry->handle)
		return false;
	stored = mr_entry_at(table, slot);
	store_state(stored, MR_ENTRY_IN_DOUBT);
	begin_change(table);
	unlink_all(table, slot, ALL_INDEXES);
	changed.state = MR_ENTRY_IN_DOUBT;
	changed.in_doubt = current.in_doubt;
	*stored = changed;
	__asm__ volatile("" : : : "memory");
	*(volatile uint8_t *)&stored->in_doubt = entry->in_doubt;
	link_all(table, slot, ALL_INDEXES);
	end_change(table);
	store_state(stored, (enum mr_entry_state)entry->state);
	return true;
}

void mr_table_set_state(struct mr_table *table, uint32_t slot, uint64_t id,
			enum mr_entry_state state)
{
	if (mr_table_has_id(table, slot, id))
		store_state(mr_entry_at(table, slot), state);
}

void mr_table_remove(struct mr_table *table, uint32_t slot, uint64_t id)
{
	if (mr_table_has_id(table, slot, id))
		free_entry(table, slot);
}

uint32_t mr_table_count(const struct mr_table *table)
{
	uint32_t count = *(volatile uint32_t *)&table->header->count;

	return count < table->capacity ? count : table->capacity;
}

void mr_table_pool(const struct mr_table *table, struct mr_table_pool *pool)
{
	mr_copy_out(pool, &table->header->pool, sizeof(*pool));
}

int mr_table_set_pool(struct mr_table *table, const struct mr_table_pool *pool,
		      struct mr_error *err)
{
	int rc = mr_table_lock(table, err);

	if (rc)
		return rc;
	table->header->pool.limit = pool->limit;
	table->header->pool.watermark = pool->watermark;
	mr_table_unlock(table);
	return 0;
}

/* An entry is marked as soon as it has the time of the mark, so that is written last. */
void mr_table_mark(struct mr_table *table, uint32_t slot, uint64_t id, uint64_t now,
		   uint64_t defer_ns)
{
	struct mr_entry *entry = mr_entry_at(table, slot);

	if (!mr_table_has_id(table, slot, id))
		return;
	begin_change(table);
	unlink_all(table, slot, ALL_INDEXES);
	entry->defer_ns = defer_ns;
	__asm__ volatile("" : : : "memory");
	*(volatile uint64_t *)&entry->marked_ns = now;
	link_all(table, slot, ALL_INDEXES);
	end_change(table);
}

void mr_table_refuse_mark(struct mr_table *table, uint32_t slot, uint64_t id, int errnum)
{
	if (mr_table_has_id(table, slot, id))
		mr_entry_at(table, slot)->mark_errno = (uint32_t)errnum;
}

uint32_t mr_table_next_marked(const struct mr_table *table, uint32_t slot)
{
	struct mr_entry entry;
	uint32_t next = *(volatile uint32_t *)&table->header->marked;

	if (slot != MR_NO_SLOT)
		next = mr_table_get(table, slot, &entry) ? entry.next[MR_BY_MARK] : MR_NO_SLOT;
	return mr_table_get(table, next, &entry) && mr_entry_is_marked(&entry) ? next : MR_NO_SLOT;
}

int mr_table_begin_unnamed(struct mr_table *table, struct mr_error *err)
{
	int rc;

	if (table->is_private)
		return 0;
	rc = mr_table_lock(table, err);
	if (rc)
		return rc;
	if (mr_lock_byte(table, F_RDLCK, MR_UNNAMED_BYTE))
		rc = mr_fail(err, MR_ERROR_HOST, errno, "fcntl(F_SETLK)", NULL);
	mr_table_unlock(table);
	return rc;
}

void mr_table_end_unnamed(const struct mr_table *table)
{
	if (!table->is_private)
		mr_lock_byte(table, F_UNLCK, MR_UNNAMED_BYTE);
}

bool mr_table_others_make_objects(const struct mr_table *table)
{
	struct mr_entry entry;
	struct flock lock;

	if (table->is_private)
		return false;
	if (mr_find_lock(table, F_WRLCK, MR_UNNAMED_BYTE, &lock))
		return true;
	for (uint32_t slot = 0; slot < table->capacity; slot++)
		if (mr_table_get(table, slot, &entry) && entry.state == MR_ENTRY_PENDING &&
		    mr_table_is_claimed(table, slot))
			return true;
	return false;
}
