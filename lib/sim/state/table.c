// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <rdma/ib_user_ioctl_cmds.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/sim/base/base.h"
#include "lib/sim/state/state.h"

#define FIRST_OBJECTS 1024u
#define SEALS         (F_SEAL_SHRINK | F_SEAL_SEAL)

_Static_assert(sizeof(struct sim_object) == 64, "an object is a cache line");
_Static_assert(sizeof(SIM_MAGIC) == sizeof(((struct sim_header *)0)->magic), "magic");

/*
 * Make the file hold @capacity objects.  Their pages are allocated here: on first touch, a machine
 * without memory would raise SIGBUS rather than answer ENOMEM.
 */
static int allocate_objects(int fd, uint32_t capacity)
{
	size_t bitmaps = offsetof(struct sim_header, used) + capacity / 8;
	int rc = sim_table_allocate(fd, 0, bitmaps);

	return rc ? rc
		  : sim_table_allocate(fd, SIM_OBJECTS_START, capacity * sizeof(struct sim_object));
}

static int init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;
	int rc;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	rc = pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return -rc;
}

static int format_file(int fd, enum mr_sim_profile kind)
{
	struct sim_header *header;
	void *address;
	int rc = allocate_objects(fd, FIRST_OBJECTS);

	if (!rc)
		rc = sim_table_map_part(fd, 0, sizeof(*header), &address);
	if (rc)
		return rc;
	header = address;
	memcpy(header->magic, SIM_MAGIC, sizeof(header->magic));
	header->version = SIM_VERSION;
	header->id = sim_random();
	header->guard = ~header->id;
	header->kind = kind;
	header->kernel = sim_wanted_kernel();
	header->capacity = FIRST_OBJECTS;
	header->max_objects = sim_wanted_limit();
	header->newest = SIM_NO_HANDLE;
	header->changing = SIM_NO_HANDLE;
	rc = init_lock(&header->lock);
	munmap(header, sizeof(*header));
	if (!rc && sim_libc()->fcntl(fd, F_ADD_SEALS, SEALS))
		rc = -errno;
	return rc;
}

/*
 * The program gets a descriptor that only reads: nothing that it does with it, except ioctl(), shall reach the table.
 * (libibverbs falls back to write() after some errors of ioctl().)  The number is the first one's, since open() returns
 * the lowest that was free.
 */
int sim_table_create(enum mr_sim_profile kind, bool cloexec)
{
	int fd = mr_memfd_create("mrctl-sim", MFD_ALLOW_SEALING | (cloexec ? MFD_CLOEXEC : 0));
	int own, rc;

	if (fd < 0)
		return -errno;
	rc = format_file(fd, kind);
	own = rc ? rc : sim_reopen(fd, O_RDONLY);
	if (own >= 0) {
		rc = dup3(own, fd, cloexec ? O_CLOEXEC : 0) < 0 ? -errno : 0;
		sim_libc()->close(own);
	} else {
		rc = own;
	}
	if (!rc)
		return fd;
	sim_libc()->close(fd);
	return rc;
}

int sim_table_probe(int fd, enum mr_sim_profile *kind)
{
	int seals = sim_libc()->fcntl(fd, F_GET_SEALS);
	struct {
		char magic[sizeof(SIM_MAGIC)];
		uint32_t version;
		uint32_t kind;
	} start;
	ssize_t length;

	*kind = MR_SIM_PROFILES;
	/* EINVAL: it is no memfd; EBADF: it is closed, or of O_PATH */
	if (seals < 0)
		return errno == EINVAL || errno == EBADF ? 0 : -errno;
	/* The seals come first: without them the file could shrink under its mapping. */
	if ((seals & SEALS) != SEALS)
		return 0;
	length = pread(fd, &start, sizeof(start), 0);
	if (length < 0)
		return errno == EBADF ? 0 : -errno;
	if (length != sizeof(start) || memcmp(start.magic, SIM_MAGIC, sizeof(start.magic)) != 0 ||
	    start.version != SIM_VERSION || start.kind >= MR_SIM_PROFILES)
		return 0;
	*kind = (enum mr_sim_profile)start.kind;
	return 0;
}

int sim_table_map(struct sim_table *table, int fd)
{
	enum mr_sim_profile again;
	void *address;
	int rc;

	*table = (struct sim_table){ .fd = fd };
	rc = sim_table_probe(fd, &table->kind);
	if (!rc && table->kind == MR_SIM_PROFILES)
		rc = -EBADF;
	if (!rc)
		rc = sim_table_map_part(fd, 0, sizeof(*table->header), &address);
	if (rc)
		return rc;
	table->header = address;
	/* Another thread may have closed it meanwhile, and be making a table that has the number now. */
	rc = sim_table_probe(fd, &again);
	if (!rc && again == MR_SIM_PROFILES)
		rc = -EBADF;
	if (rc)
		munmap(table->header, sizeof(*table->header));
	table->kernel = rc ? 0 : (enum mr_sim_kernel)table->header->kernel;
	return rc;
}

void sim_table_unmap(struct sim_table *table)
{
	if (table->objects)
		munmap(table->objects, table->mapped * sizeof(*table->objects));
	if (table->queues)
		munmap(table->queues, SIM_QUEUES * SIM_QUEUE_SIZE);
	munmap(table->header, sizeof(*table->header));
}

/*
 * Map all objects if the table has grown.  The new mapping is stored before the old one goes: another
 * thread can fork at any moment, and the child needs a valid one.
 */
static int map_objects(struct sim_table *table)
{
	uint32_t capacity = table->header->capacity, mapped = table->mapped;
	struct sim_object *before = table->objects;
	struct stat st;
	void *objects;
	int rc;

	if (mapped == capacity)
		return 0;
	/* access to a mapping behind the end of the file raises SIGBUS */
	if (capacity < mapped || capacity < FIRST_OBJECTS || capacity > SIM_MAX_OBJECTS ||
	    sim_libc()->fstat(table->fd, &st) ||
	    (uint64_t)st.st_size < SIM_OBJECTS_START + capacity * sizeof(*before))
		return -EIO;
	rc = sim_table_map_part(table->fd, SIM_OBJECTS_START, capacity * sizeof(*before), &objects);
	if (rc)
		return rc;
	__atomic_store_n(&table->objects, objects, __ATOMIC_RELEASE);
	__atomic_store_n(&table->mapped, capacity, __ATOMIC_RELEASE);
	if (before)
		munmap(before, mapped * sizeof(*before));
	return 0;
}

/* Doubles the capacity of a locked table: 0, or -errno. */
static int sim_table_grow(struct sim_table *table)
{
	uint32_t capacity = table->header->capacity * 2;
	int rc = allocate_objects(table->fd, capacity);

	if (rc)
		return rc;
	__atomic_store_n(&table->header->capacity, capacity, __ATOMIC_RELEASE);
	return map_objects(table);
}

/* A bit of one level is set when the word below it is full. */
static void take_handle(struct sim_header *header, uint32_t handle)
{
	uint64_t *levels[] = { header->used, header->full1, header->full2, &header->full3 };
	size_t level;

	header->taken++;
	for (level = 0; level < 4; level++, handle /= 64) {
		levels[level][handle / 64] |= 1ull << handle % 64;
		if (~levels[level][handle / 64])
			return;
	}
}

static void release_handle(struct sim_header *header, uint32_t handle)
{
	uint64_t *levels[] = { header->used, header->full1, header->full2, &header->full3 };
	size_t level;

	header->taken--;
	for (level = 0; level < 4; level++, handle /= 64)
		levels[level][handle / 64] &= ~(1ull << handle % 64);
}

/*
 * A process can be killed between any two stores.  The table can be repaired only if the stores until
 * then are those that come first in the source: the compiler may not move a store across this.
 */
static void keep_order(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Where the list names the object before @newer; with SIM_NO_HANDLE, where it names its newest. */
static uint32_t *older_link(struct sim_table *table, uint32_t newer)
{
	return newer == SIM_NO_HANDLE ? &table->header->newest : &table->objects[newer].older;
}

static void set_newer(struct sim_table *table, uint32_t older, uint32_t newer)
{
	if (older != SIM_NO_HANDLE)
		table->objects[older].newer = newer;
}

/* The store into the header adds the object: before that, a kill leaves the list as it was. */
static void add_to_list(struct sim_table *table, uint32_t handle)
{
	struct sim_object *object = &table->objects[handle];

	object->older = table->header->newest;
	object->newer = SIM_NO_HANDLE;
	keep_order();
	table->header->newest = handle;
	keep_order();
	set_newer(table, object->older, handle);
}

static void remove_from_list(struct sim_table *table, uint32_t handle)
{
	const struct sim_object *object = &table->objects[handle];

	*older_link(table, object->newer) = object->older;
	keep_order();
	set_newer(table, object->older, object->newer);
}

bool sim_object_has_room(const struct sim_table *table)
{
	return table->header->taken < table->header->max_objects;
}

int sim_object_reserve(struct sim_table *table, uint32_t *handle, struct sim_object **object)
{
	struct sim_header *header = table->header;
	const uint64_t *levels[] = { &header->full3, header->full2, header->full1, header->used };
	uint32_t lowest = 0;
	int rc;

	if (!~header->full3)
		return -ENOMEM;
	if (!sim_object_has_room(table))
		return -EAGAIN;
	for (size_t level = 0; level < 4; level++)
		lowest = lowest * 64 + (uint32_t)__builtin_ctzll(~levels[level][lowest]);
	if (lowest >= header->capacity) {
		rc = sim_table_grow(table);
		if (rc)
			return rc;
	}
	take_handle(header, lowest);
	*handle = lowest;
	*object = &table->objects[lowest];
	**object = (struct sim_object){ .parent = SIM_NO_HANDLE };
	return 0;
}

void sim_object_commit(struct sim_table *table, uint32_t handle, uint32_t type)
{
	struct sim_object *object = &table->objects[handle];

	if (object->parent != SIM_NO_HANDLE)
		table->objects[object->parent].users++;
	add_to_list(table, handle);
	keep_order();
	object->type = (uint16_t)type;
}

void sim_object_cancel(struct sim_table *table, uint32_t handle)
{
	release_handle(table->header, handle);
}

/* If a process is killed in here, the next one that locks the table runs it again. */
static void finish_change(struct sim_table *table)
{
	table->objects[table->header->changing] = table->header->change;
	keep_order();
	table->header->changing = SIM_NO_HANDLE;
}

void sim_object_change(struct sim_table *table, uint32_t handle, const struct sim_object *contents)
{
	struct sim_object *objects = table->objects, *change = &table->header->change;

	*change = *contents;
	change->type = objects[handle].type;
	change->users = objects[handle].users;
	change->older = objects[handle].older;
	change->newer = objects[handle].newer;
	keep_order();
	table->header->changing = handle;
	keep_order();
	if (objects[handle].parent != SIM_NO_HANDLE)
		objects[objects[handle].parent].users--;
	if (contents->parent != SIM_NO_HANDLE)
		objects[contents->parent].users++;
	finish_change(table);
}

void sim_object_renew(struct sim_table *table, uint32_t handle)
{
	remove_from_list(table, handle);
	keep_order();
	add_to_list(table, handle);
}

void sim_object_delete(struct sim_table *table, uint32_t handle)
{
	struct sim_object *object = &table->objects[handle];
	const bool has_queue = sim_has_queue(object);
	const uint16_t type = object->type;

	object->type = 0;
	keep_order();
	if (has_queue) {
		sim_queue_release(table, object);
		sim_queue_free_rings(table, type, sim_queue_of(table, object));
	}
	remove_from_list(table, handle);
	if (object->parent != SIM_NO_HANDLE)
		table->objects[object->parent].users--;
	release_handle(table->header, handle);
}

/*
 * Remove objects without a type from the list: they were being made or deleted.  Add those with a type
 * that it lacks, as the newest: they were being renewed.  In between, an object whose @newer is its own
 * handle was not met in the list.
 */
static void repair_list(struct sim_table *table)
{
	uint32_t newer = SIM_NO_HANDLE, handle;

	for (handle = 0; handle < table->header->capacity; handle++)
		table->objects[handle].newer = handle;
	while ((handle = *older_link(table, newer)) < table->header->capacity) {
		if (table->objects[handle].newer != handle)
			break;
		if (table->objects[handle].type) {
			table->objects[handle].newer = newer;
			newer = handle;
		} else {
			*older_link(table, newer) = table->objects[handle].older;
		}
	}
	/* so it is already, unless the list was overwritten and leads in a circle or out of the table */
	*older_link(table, newer) = SIM_NO_HANDLE;
	for (handle = 0; handle < table->header->capacity; handle++)
		if (table->objects[handle].type && table->objects[handle].newer == handle)
			add_to_list(table, handle);
}

/*
 * Restores what a process left that was killed with the table locked.  A change that sim_object_change() began is
 * finished.  Then the list, the bitmaps and all counts of users are derived from the types and the links to older
 * objects.
 */
static void repair_objects(struct sim_table *table)
{
	struct sim_header *header = table->header;
	struct sim_object *object;

	/* The number is untrusted: a program may have overwritten the table. */
	if (header->changing < header->capacity)
		finish_change(table);
	header->changing = SIM_NO_HANDLE;
	repair_list(table);

	memset(header->used, 0, header->capacity / 8);
	memset(header->full1, 0, sizeof(header->full1));
	memset(header->full2, 0, sizeof(header->full2));
	header->full3 = 0;
	header->taken = 0;
	header->freed_count = 0;
	memset(header->used_queues, 0, sizeof(header->used_queues));
	for (uint32_t i = 0; i < header->capacity; i++)
		table->objects[i].users = 0;
	for (uint32_t i = 0; i < header->capacity; i++) {
		object = &table->objects[i];
		if (!object->type)
			continue;
		take_handle(header, i);
		if (object->parent < header->capacity)
			table->objects[object->parent].users++;
		if (sim_has_queue(object))
			sim_queue_keep(table, object);
	}
}

#define INDEXES (1u << 24)

/* Finds the MR or MW whose key without its @shift low bits is @key; or NULL. */
static const struct sim_object *find_key(const struct sim_table *table, uint32_t key, int shift)
{
	const struct sim_object *object;

	for (object = sim_object_newest(table); object; object = sim_object_older(table, object))
		if ((object->type == UVERBS_OBJECT_MR || object->type == UVERBS_OBJECT_MW) &&
		    object->key >> shift == key)
			break;
	return object;
}

struct sim_object *sim_key_find(const struct sim_table *table, uint32_t key)
{
	return (struct sim_object *)(uintptr_t)find_key(table, key, 0);
}

uint32_t sim_key_index(struct sim_table *table, uint32_t first)
{
	struct sim_header *header = table->header;
	uint32_t tries = INDEXES;

	do {
		if (header->key_index < first || header->key_index >= INDEXES - 1) {
			header->keys_went_round = header->key_index;
			header->freed_count = 0; /* a new key could be like one of them */
			header->key_index = first - 1;
		}
		header->key_index++;
	} while (header->keys_went_round && find_key(table, header->key_index, 8) && --tries);
	return header->key_index;
}

/* The number in the table is untrusted. */
static uint32_t *freed_count(struct sim_header *header)
{
	if (header->freed_count > SIM_FREED_KEYS)
		header->freed_count = 0;
	return &header->freed_count;
}

uint32_t sim_key_reuse(struct sim_table *table, uint8_t variant)
{
	uint32_t *count = freed_count(table->header), *keys = table->header->freed_keys, i, key = 0;

	for (i = *count; i-- && !key;)
		if (keys[i] && (uint8_t)keys[i] == variant) {
			key = keys[i];
			keys[i] = 0;
		}
	while (*count && !keys[*count - 1])
		--*count;
	return key;
}

void sim_key_free(struct sim_table *table, uint32_t key)
{
	uint32_t *count = freed_count(table->header), *keys = table->header->freed_keys;

	if ((uint8_t)key == SIM_KEY_OF_DEVICE)
		return;
	if (*count == SIM_FREED_KEYS) { /* forget the older half */
		memmove(keys, keys + SIM_FREED_KEYS / 2, SIM_FREED_KEYS / 2 * sizeof(*keys));
		*count = SIM_FREED_KEYS / 2;
	}
	keys[(*count)++] = key;
}

/* ---- what a process remembers ---- */

static struct sim_process *remembered;

static struct sim_process *make_process(void)
{
	static struct sim_process fallback; /* for a machine without memory */
	struct sim_process *mine, *other = NULL;

	mine = sim_libc()->mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (mine == MAP_FAILED)
		mine = &fallback;
	else
		madvise(mine, sizeof(*mine), MADV_WIPEONFORK);
	if (__atomic_compare_exchange_n(&remembered, &other, mine, false, __ATOMIC_ACQ_REL,
					__ATOMIC_ACQUIRE))
		return mine;
	if (mine != &fallback)
		munmap(mine, sizeof(*mine));
	return other;
}

static struct sim_process *get_process(void)
{
	struct sim_process *process = __atomic_load_n(&remembered, __ATOMIC_ACQUIRE);

	return process ? process : make_process();
}

struct sim_process *sim_process_lock(void)
{
	struct sim_process *process = get_process();

	pthread_mutex_lock(&process->lock);
	return process;
}

void sim_process_unlock(struct sim_process *process)
{
	pthread_mutex_unlock(&process->lock);
}

uint64_t sim_process_count(enum mr_sim_call call)
{
	return __atomic_add_fetch(&get_process()->calls[call], 1, __ATOMIC_RELAXED);
}

static struct sim_slot *slot_of(struct sim_process *process, int fd)
{
	return &process->slots[(unsigned int)fd % SIM_SLOTS];
}

static void unref(struct sim_file *file)
{
	if (!file || --file->refs)
		return;
	sim_table_unmap(&file->table);
	munmap(file, sizeof(*file));
}

static struct sim_file *find_known(int fd, const struct stat *st)
{
	struct sim_process *process = sim_process_lock();
	const struct sim_slot *slot = slot_of(process, fd);
	struct sim_file *file = NULL;

	if (slot->file && slot->fd == fd && slot->ino == st->st_ino && slot->dev == st->st_dev) {
		file = slot->file;
		file->refs++;
	}
	sim_process_unlock(process);
	return file;
}

/* Memory from mmap(), not malloc(): close() frees it, and signal handlers may call close(). */
static int remember(int fd, const struct stat *st, struct sim_file **found)
{
	struct sim_file *file = sim_libc()->mmap(NULL, sizeof(*file), PROT_READ | PROT_WRITE,
						 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sim_process *process;
	struct sim_slot *slot;
	int rc;

	if (file == MAP_FAILED)
		return -ENOMEM;
	rc = sim_table_map(&file->table, fd);
	if (rc) {
		munmap(file, sizeof(*file));
		return rc;
	}
	file->refs = 2; /* the slot's and the caller's */
	process = sim_process_lock();
	slot = slot_of(process, fd);
	unref(slot->file);
	*slot = (struct sim_slot){ .fd = fd, .dev = st->st_dev, .ino = st->st_ino, .file = file };
	sim_process_unlock(process);
	*found = file;
	return 0;
}

/* A memfd has no link in any folder.  All files with one are spared further system calls. */
static bool maybe_memfd(const struct stat *st)
{
	return S_ISREG(st->st_mode) && st->st_nlink == 0;
}

int sim_file_get(int fd, struct sim_file **file)
{
	enum mr_sim_profile kind;
	struct stat st;
	int rc;

	*file = NULL;
	if (sim_libc()->fstat(fd, &st))
		/* EBADF: the caller's own call on @fd answers it, too */
		return errno == EBADF ? 0 : -errno;
	if (!maybe_memfd(&st))
		return 0;
	*file = find_known(fd, &st);
	if (*file)
		return 0;
	rc = sim_table_probe(fd, &kind);
	return rc || kind == MR_SIM_PROFILES ? rc : remember(fd, &st, file);
}

void sim_file_put(struct sim_file *file)
{
	struct sim_process *process = sim_process_lock();

	unref(file);
	sim_process_unlock(process);
}

void sim_file_forget(int fd)
{
	/*
	 * close() may be called in a signal handler, which must not wait for a lock that the
	 * interrupted thread holds.  The slot then stays, and does no harm: fstat() shows another file.
	 * It costs nothing in programs that never open a simulated device: nothing is remembered then.
	 */
	struct sim_process *process = __atomic_load_n(&remembered, __ATOMIC_ACQUIRE);
	struct sim_slot *slot;

	if (!process || pthread_mutex_trylock(&process->lock))
		return;
	slot = slot_of(process, fd);
	if (slot->file && slot->fd == fd) {
		unref(slot->file);
		slot->file = NULL;
	}
	sim_process_unlock(process);
}

int sim_file_probe(int fd, const struct stat *st, enum mr_sim_profile *kind)
{
	*kind = MR_SIM_PROFILES;
	return maybe_memfd(st) ? sim_table_probe(fd, kind) : 0;
}

#define LOCK_SECONDS 30

/*
 * The lock is held for microseconds.  If its holder was stopped, or the lock was overwritten, a waiting
 * process gives up after LOCK_SECONDS: else every process that has the table would wait for ever.
 */
static int take_lock(struct sim_header *header)
{
	struct timespec end;
	int rc;

	/* what overwrites the lock does not spare the members before and behind it */
	if (memcmp(header->magic, SIM_MAGIC, sizeof(header->magic)) != 0 ||
	    header->version != SIM_VERSION || header->guard != ~header->id)
		return EIO;
	rc = pthread_mutex_trylock(&header->lock); /* spares clock_gettime() */
	if (rc != EBUSY)
		return rc;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += LOCK_SECONDS;
	return pthread_mutex_clocklock(&header->lock, CLOCK_MONOTONIC, &end);
}

int sim_table_lock(struct sim_table *table)
{
	struct sim_header *header = table->header;
	int rc = take_lock(header);

	if (rc == EOWNERDEAD) {
		header->damaged = true;
		rc = pthread_mutex_consistent(&header->lock);
	}
	if (rc)
		return -rc;
	rc = map_objects(table);
	if (!rc && header->has_queues)
		rc = sim_queues_map(table);
	if (!rc && header->damaged) {
		repair_objects(table);
		header->damaged = false;
	}
	if (rc)
		pthread_mutex_unlock(&header->lock);
	return rc;
}

void sim_table_unlock(struct sim_table *table)
{
	pthread_mutex_unlock(&table->header->lock);
}
