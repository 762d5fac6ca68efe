// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/memfd.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/cleanup.h"
#include "lib/base/clock.h"
#include "lib/session/table/format.h"

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

#define MAGIC             "mrctl session\n\n"
#define VERSION           3u
#define SEALS             (F_SEAL_SHRINK | F_SEAL_SEAL)
#define FIRST_ENTRIES     64u
#define ENTRIES_MAX       (1u << 26)
#define CHAIN_MAX         1024u

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

static struct mr_entry *entry_at(const struct mr_table *table, uint32_t slot)
{
	return (struct mr_entry *)(void *)((char *)table->header + HEADER_SIZE) + slot;
}

/* ---- indexes ---- */

static uint32_t *bucket_at(const struct mr_table *table, unsigned int index, uint64_t hash)
{
	uint32_t *buckets = (uint32_t *)(void *)entry_at(table, table->capacity);

	if (index == MR_BY_MARK)
		return &table->header->marked;
	return buckets + (uint64_t)index * table->buckets + (hash & (table->buckets - 1));
}

static uint64_t hash_number(uint64_t value)
{
	value *= UINT64_C(0x9e3779b97f4a7c15);
	return value >> 29;
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
 * By what an entry can be found, a bit for each index: names are optional, keys come with the commit,
 * and umems have none.  Without remote access some drivers give no rkey, or 0 (rxe of Linux 6.1):
 * that is nobody's name.
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
	return index == MR_BY_NAME ? hash_name(entry->name) : hash_number(number_of(entry, index));
}

static void link_entry(struct mr_table *table, uint32_t slot, unsigned int index)
{
	struct mr_entry *entry = entry_at(table, slot);
	uint32_t *bucket = bucket_at(table, index, hash_of(entry, index));

	entry->next[index] = *bucket;
	*bucket = slot;
}

/*
 * Other holders can make a chain as long as the table, and all entries be looked for in it: a chain
 * ends here when it is longer than any that mrctl makes.  Marked entries are all in one, and so are
 * those without a handle, which only a private table has.
 */
static uint32_t longest_chain(const struct mr_table *table, unsigned int index)
{
	bool limited = !table->is_private && index < MR_TABLE_HASHES;

	return limited && table->capacity > CHAIN_MAX ? CHAIN_MAX : table->capacity;
}

/* Chains can be made to lead anywhere by other holders: each step is checked, and so is their number. */
static void unlink_entry(struct mr_table *table, uint32_t slot, unsigned int index)
{
	struct mr_entry *entry = entry_at(table, slot);
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
		link = &entry_at(table, at)->next[index];
	}
}

/* Another holder may have changed what is counted: a number too low must not become a high one. */
static void count(uint32_t *counter, bool counts, bool more)
{
	if (counts && (more || *counter))
		*counter += more ? 1u : -1u;
}

static void count_entry(struct mr_table *table, uint32_t slot, unsigned int indexes, bool more)
{
	struct mr_table_pool *pool = &table->header->pool;

	count(&pool->relaxed, entry_at(table, slot)->call == MR_REG_MR_RELAXED, more);
	count(&pool->marked, indexes >> MR_BY_MARK & 1, more);
}

#define ALL_INDEXES UINT32_MAX
/* What a commit does not change. */
#define BUT_ID_AND_NAME (ALL_INDEXES << MR_BY_HANDLE)

/* Into those of the indexes @among in which it is to be found. */
static void link_among(struct mr_table *table, uint32_t slot, unsigned int among)
{
	unsigned int indexes = indexes_of(entry_at(table, slot));

	count_entry(table, slot, indexes, true);
	for (indexes &= among; indexes; indexes &= indexes - 1)
		link_entry(table, slot, (unsigned int)__builtin_ctz(indexes));
}

static void unlink_among(struct mr_table *table, uint32_t slot, unsigned int among)
{
	unsigned int indexes = indexes_of(entry_at(table, slot));

	count_entry(table, slot, indexes, false);
	for (indexes &= among; indexes; indexes &= indexes - 1)
		unlink_entry(table, slot, (unsigned int)__builtin_ctz(indexes));
}

static void link_all(struct mr_table *table, uint32_t slot)
{
	link_among(table, slot, ALL_INDEXES);
}

static void unlink_all(struct mr_table *table, uint32_t slot)
{
	unlink_among(table, slot, ALL_INDEXES);
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
		struct mr_entry *entry = entry_at(table, slot);

		if (entry->state == MR_ENTRY_FREE) {
			entry->next[0] = header->free;
			header->free = slot;
			continue;
		}
		count++;
		link_all(table, slot);
	}
	header->count = count;
	header->indexes_valid = 1;
}

/* Between these two a killed process leaves a table whose indexes the next one makes anew. */
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
 * The state is what counts when a process is killed: it is written after all that it vouches for,
 * and before what it no longer does.
 */
static void set_state(struct mr_entry *entry, enum mr_entry_state state)
{
	__asm__ volatile("" : : : "memory");
	*(volatile uint32_t *)&entry->state = state;
	__asm__ volatile("" : : : "memory");
}

/* ---- mapping ---- */

static int fail_unsound(struct mr_error *err, const char *why)
{
	mr_fail_text(err, MR_ERROR_ABSENT, EPROTO, "this is no sound session table: %s", why);
	mr_hint(err, "end the session and open a new one");
	return -EPROTO;
}

/*
 * Whether so many bytes are there, as mrctl allocates them.  Looking at a table without would make
 * the kernel allocate them now, on the reader's account; and where it cannot, raise SIGBUS.
 */
static bool has_bytes(int fd, uint64_t size)
{
	struct statfs filesystem;
	struct stat st;

	return !fstat(fd, &st) && !fstatfs(fd, &filesystem) && filesystem.f_type == TMPFS_MAGIC &&
	       (uint64_t)st.st_size >= size && (uint64_t)st.st_blocks * 512 >= size;
}

/* Maps what the header says there is, if the file really has it. */
static int map_table(struct mr_table *table, struct mr_error *err)
{
	struct mr_table_header header;
	void *map;
	ssize_t got = pread(table->fd, &header, sizeof(header), 0);

	if (got != (ssize_t)sizeof(header) ||
	    memcmp(header.magic, MAGIC, sizeof(header.magic)) != 0)
		return fail_unsound(err, "its header is missing");
	if (header.version != VERSION || header.entry_size != sizeof(struct mr_entry)) {
		mr_fail_text(err, MR_ERROR_ABSENT, EPROTO,
			     "the session was opened by another version of mrctl");
		mr_hint(err, "use the mrctl that opened it");
		return -EPROTO;
	}
	if (!header.capacity || header.capacity > ENTRIES_MAX ||
	    !has_bytes(table->fd, size_for(header.capacity)))
		return fail_unsound(err, "it is shorter than it says");
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
	table->fd =
		memfd_create("mrctl-session", MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
	if (table->fd < 0 && errno == EINVAL) /* Linux before 6.3 */
		table->fd = memfd_create("mrctl-session", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (table->fd < 0)
		return fail_memory(err, errno, "memfd_create");
	rc = posix_fallocate(table->fd, 0, (off_t)size_for(FIRST_ENTRIES));
	if (rc) {
		mr_table_close(table);
		return fail_memory(err, rc, "posix_fallocate");
	}
	if (pwrite(table->fd, &header, sizeof(header), 0) != (ssize_t)sizeof(header) ||
	    fcntl(table->fd, F_ADD_SEALS, SEALS)) {
		rc = fail_memory(err, errno, "fcntl(F_ADD_SEALS)");
		mr_table_close(table);
		return rc;
	}
	rc = map_table(table, err);
	if (rc)
		mr_table_close(table);
	else
		rebuild_indexes(table);
	return rc;
}

int mr_table_open(int fd, struct mr_table *table, struct mr_error *err)
{
	int seals = fcntl(fd, F_GET_SEALS), rc;

	*table = (struct mr_table){ .fd = fd };
	if (seals < 0 || (seals & SEALS) != SEALS || seals & (F_SEAL_GROW | F_SEAL_WRITE))
		rc = fail_unsound(err, "it is not a memfd with the seals that mrctl sets");
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

uint64_t mr_table_size(const struct mr_table *table)
{
	return table->mapped;
}

/* Not inlined: a private table does without its stack. */
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

/* ---- entries ---- */

/*
 * The entries are followed by the indexes, which have to move: they are marked as gone first, so
 * that a holder that is killed here leaves nothing half done.
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
	/* Where the old indexes were are entries now, and they are free. */
	memset(entry_at(table, old), 0,
	       size_for(old) - HEADER_SIZE - (uint64_t)old * sizeof(struct mr_entry));
	__asm__ volatile("" : : : "memory");
	table->header->capacity = capacity;
	rc = map_table(table, err);
	if (!rc)
		rebuild_indexes(table);
	return rc;
}

/* A free slot, from the chain of free ones if that is sound. */
static uint32_t take_free(struct mr_table *table)
{
	struct mr_table_header *header = table->header;
	uint32_t slot = *(volatile uint32_t *)&header->free;

	if (slot < table->capacity && entry_at(table, slot)->state == MR_ENTRY_FREE) {
		header->free = entry_at(table, slot)->next[0];
		return slot;
	}
	if (slot == MR_NO_SLOT)
		return slot;
	rebuild_indexes(table);
	slot = *(volatile uint32_t *)&header->free;
	if (slot >= table->capacity)
		return MR_NO_SLOT;
	header->free = entry_at(table, slot)->next[0];
	return slot;
}

static int check_pool(const struct mr_table *table, const struct mr_entry *entry,
		      struct mr_error *err)
{
	struct mr_table_pool pool;

	mr_table_pool(table, &pool);
	if (entry->call != MR_REG_MR_RELAXED || pool.relaxed < pool.limit)
		return 0;
	mr_fail(err, MR_ERROR_RELAXED, EAGAIN, "mr_reg_mr_relaxed", NULL);
	mr_hint(err,
		"the session's pool of %u relaxed regions is full, and none of them is deferred and "
		"can be invalidated: deregister some, or open the session with a larger "
		"--relaxed-limit",
		pool.limit);
	return -EAGAIN;
}

/* Nobody else has that name afterwards. */
static int take_name(struct mr_table *table, const char *name, struct mr_error *err)
{
	uint32_t slot = name[0] ? mr_table_find_name(table, name) : MR_NO_SLOT;

	if (slot == MR_NO_SLOT)
		return 0;
	if (!mr_entry_is_marked(entry_at(table, slot)))
		return mr_fail_text(err, MR_ERROR_USAGE, EEXIST,
				    "the %s has a region named '%s' already", mr_table_noun(table),
				    name);
	begin_change(table);
	unlink_entry(table, slot, MR_BY_NAME);
	entry_at(table, slot)->name[0] = '\0';
	end_change(table);
	return 0;
}

int mr_table_add(struct mr_table *table, struct mr_entry *entry, uint32_t *slot,
		 struct mr_error *err)
{
	uint32_t place;
	int rc = check_pool(table, entry, err);

	if (!rc)
		rc = take_name(table, entry->name, err);
	if (rc)
		return rc;
	if (table->header->free == MR_NO_SLOT) {
		rc = grow(table, err);
		if (rc)
			return rc;
	}
	begin_change(table);
	place = take_free(table);
	if (place == MR_NO_SLOT)
		return fail_unsound(err, "its free entries are lost");
	entry->id = ++table->header->last_id;
	entry->state = MR_ENTRY_FREE;
	*entry_at(table, place) = *entry;
	entry->state = MR_ENTRY_PENDING;
	set_state(entry_at(table, place), MR_ENTRY_PENDING);
	link_all(table, place);
	table->header->count++;
	end_change(table);
	*slot = place;
	return 0;
}

static void free_entry(struct mr_table *table, uint32_t slot)
{
	struct mr_entry *entry = entry_at(table, slot);

	begin_change(table);
	unlink_all(table, slot);
	set_state(entry, MR_ENTRY_FREE);
	entry->id = 0;
	entry->name[0] = '\0';
	entry->next[0] = table->header->free;
	table->header->free = slot;
	table->header->count--;
	end_change(table);
}

bool mr_table_get(const struct mr_table *table, uint32_t slot, struct mr_entry *entry)
{
	if (slot >= table->capacity)
		return false;
	mr_copy_out(entry, entry_at(table, slot), sizeof(*entry));
	mr_clean_text(entry->name, sizeof(entry->name));
	mr_clean_text(entry->memory, sizeof(entry->memory));
	return entry->state != MR_ENTRY_FREE;
}

bool mr_table_is_used(const struct mr_table *table, uint32_t slot)
{
	return slot < table->capacity &&
	       *(volatile uint32_t *)&entry_at(table, slot)->state != MR_ENTRY_FREE;
}

static bool has_id(const struct mr_table *table, uint32_t slot, uint64_t id)
{
	return mr_table_is_used(table, slot) &&
	       *(volatile uint64_t *)&entry_at(table, slot)->id == id;
}

/*
 * The kernel has given the entry's handle to another region, so its own is destroyed.  A process
 * that has the entry in hand is about to remove it: until then its place must not be another's,
 * who could not claim it.
 */
static void lose_handle(struct mr_table *table, uint32_t slot)
{
	if (!mr_table_is_claimed(table, slot)) {
		free_entry(table, slot);
		return;
	}
	begin_change(table);
	unlink_all(table, slot);
	entry_at(table, slot)->handle = MR_NO_HANDLE;
	link_all(table, slot);
	end_change(table);
}

/* As many as a chain has: another holder could write new ones as fast as they are removed. */
static void lose_others(struct mr_table *table, uint32_t handle)
{
	uint32_t other = mr_table_find(table, MR_BY_HANDLE, handle), lost = 0;

	while (other != MR_NO_SLOT && lost++ < longest_chain(table, MR_BY_HANDLE)) {
		lose_handle(table, other);
		other = mr_table_find(table, MR_BY_HANDLE, handle);
	}
}

/* Id and name stay what they were, and so does its place in their indexes. */
bool mr_table_commit(struct mr_table *table, uint32_t slot, const struct mr_entry *entry)
{
	struct mr_entry *place;
	uint32_t next[MR_BY_HANDLE];

	if (!has_id(table, slot, entry->id))
		return false;
	if (entry->handle != MR_NO_HANDLE)
		lose_others(table, entry->handle);
	place = entry_at(table, slot);
	begin_change(table);
	unlink_among(table, slot, BUT_ID_AND_NAME);
	memcpy(next, place->next, sizeof(next));
	*place = *entry;
	memcpy(place->next, next, sizeof(next));
	set_state(place, MR_ENTRY_LIVE);
	link_among(table, slot, BUT_ID_AND_NAME);
	end_change(table);
	return true;
}

/*
 * A process that is killed in here leaves the entry in doubt, and while it says what is unsure its
 * region is recognised before and after the change: that comes first and goes last.
 */
bool mr_table_change(struct mr_table *table, uint32_t slot, const struct mr_entry *entry)
{
	struct mr_entry now, changed = *entry;
	struct mr_entry *place;

	if (!mr_table_get(table, slot, &now) || now.id != entry->id || now.handle != entry->handle)
		return false;
	place = entry_at(table, slot);
	set_state(place, MR_ENTRY_IN_DOUBT);
	begin_change(table);
	unlink_all(table, slot);
	changed.state = MR_ENTRY_IN_DOUBT;
	changed.unsure = now.unsure;
	*place = changed;
	__asm__ volatile("" : : : "memory");
	*(volatile uint8_t *)&place->unsure = entry->unsure;
	link_all(table, slot);
	end_change(table);
	set_state(place, (enum mr_entry_state)entry->state);
	return true;
}

void mr_table_set_state(struct mr_table *table, uint32_t slot, uint64_t id,
			enum mr_entry_state state)
{
	if (has_id(table, slot, id))
		set_state(entry_at(table, slot), state);
}

/* The time of the mark is what tells that there is one: it is written last. */
void mr_table_mark(struct mr_table *table, uint32_t slot, uint64_t id, uint64_t now,
		   uint64_t defer_ns)
{
	struct mr_entry *entry = entry_at(table, slot);

	if (!has_id(table, slot, id))
		return;
	begin_change(table);
	unlink_all(table, slot);
	entry->defer_ns = defer_ns;
	__asm__ volatile("" : : : "memory");
	*(volatile uint64_t *)&entry->marked_ns = now;
	link_all(table, slot);
	end_change(table);
}

void mr_table_refuse_mark(struct mr_table *table, uint32_t slot, uint64_t id, int errnum)
{
	if (has_id(table, slot, id))
		entry_at(table, slot)->mark_errno = (uint32_t)errnum;
}

uint32_t mr_table_next_marked(const struct mr_table *table, uint32_t slot)
{
	struct mr_entry entry;
	uint32_t next = *(volatile uint32_t *)&table->header->marked;

	if (slot != MR_NO_SLOT)
		next = mr_table_get(table, slot, &entry) ? entry.next[MR_BY_MARK] : MR_NO_SLOT;
	return mr_table_get(table, next, &entry) && mr_entry_is_marked(&entry) ? next : MR_NO_SLOT;
}

void mr_table_pool(const struct mr_table *table, struct mr_table_pool *pool)
{
	mr_copy_out(pool, &table->header->pool, sizeof(*pool));
}

void mr_table_set_pool(struct mr_table *table, const struct mr_table_pool *pool)
{
	table->header->pool.limit = pool->limit;
	table->header->pool.watermark = pool->watermark;
}

void mr_table_remove(struct mr_table *table, uint32_t slot, uint64_t id)
{
	if (has_id(table, slot, id))
		free_entry(table, slot);
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
	uint64_t hash = name ? hash_name(name) : hash_number(value);
	uint32_t slot = *(volatile uint32_t *)bucket_at(table, index, hash);
	uint32_t longest = longest_chain(table, index);

	for (uint32_t steps = 0; steps < longest && slot < table->capacity; steps++) {
		const struct mr_entry *entry = entry_at(table, slot);

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

uint32_t mr_table_count(const struct mr_table *table)
{
	uint32_t count = *(volatile uint32_t *)&table->header->count;

	return count < table->capacity ? count : table->capacity;
}
