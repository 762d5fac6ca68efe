// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/*
 * The object table of a context, in a sealed memfd: handles, the lock, growth, repair.
 *
 * All object types share one number space and the lowest free number is given out, as by the
 * kernel's xarray (rdma_core.c alloc_begin_idr_uobject).  A tree of bitmaps, 64 ways and four
 * levels, finds it in four steps.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "lib/sim/base/abi.h"

#define OBJECTS_START (SIM_DM_START + SIM_DM_SIZE)
#define FIRST_OBJECTS 1024u
#define MAX_OBJECTS   (64u * 64 * 64 * 64) /* that the bitmaps have room for */
#define LOCK_SECONDS  30
#define SEALS         (F_SEAL_SHRINK | F_SEAL_SEAL)

#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 0x0008U
#endif

_Static_assert(sizeof(struct sim_object) == 64, "an object is a cache line");
_Static_assert(sizeof(SIM_MAGIC) == sizeof(((struct sim_header *)0)->magic), "magic");

/*
 * Programs get a descriptor that only reads: what they do with it besides ioctl() cannot reach the
 * table.  libibverbs for one falls back to write() where an ioctl fails in certain ways.
 */
int sim_table_reopen(int fd, int flags)
{
	char path[64];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = sim_libc()->open(path, flags | O_CLOEXEC);
	if (own >= 0)
		return own;
	return errno == ENOENT ? -EIO : -errno; /* where /proc is missing, the device is not */
}

static int map(int fd, size_t start, size_t length, void **address)
{
	int own = sim_table_reopen(fd, O_RDWR), rc = 0;

	if (own < 0)
		return own;
	*address = sim_libc()->mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_SHARED, own,
				    (off_t)start);
	if (*address == MAP_FAILED)
		rc = -errno;
	sim_libc()->close(own);
	return rc;
}

int sim_table_allocate(int fd, off_t start, size_t length)
{
	int own = sim_table_reopen(fd, O_RDWR), rc;

	if (own < 0)
		return own;
	rc = fallocate(own, 0, start, (off_t)length) ? -ENOMEM : 0;
	sim_libc()->close(own);
	return rc;
}

/*
 * Make the file hold so many objects.  Its pages are allocated here rather than on first touch,
 * so that a machine without memory answers ENOMEM and does not raise SIGBUS.
 */
static int make_room(int fd, uint32_t capacity)
{
	size_t bitmaps = offsetof(struct sim_header, used) + capacity / 8;
	int rc;

	rc = sim_table_allocate(fd, 0, bitmaps);
	return rc ? rc
		  : sim_table_allocate(fd, OBJECTS_START, capacity * sizeof(struct sim_object));
}

static int init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;
	int rc;

	rc = pthread_mutexattr_init(&attr);
	if (rc)
		return -rc;
	rc = pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	if (!rc)
		rc = pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	if (!rc)
		rc = pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
	return -rc;
}

uint64_t sim_random(void)
{
	uint64_t number = 0;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number) || !number)
		number = (uint64_t)getpid();
	return number;
}

static int format(int fd, const struct sim_profile *profile)
{
	struct sim_header *header;
	void *address;
	int rc;

	rc = make_room(fd, FIRST_OBJECTS);
	if (!rc)
		rc = map(fd, 0, sizeof(*header), &address);
	if (rc)
		return rc;
	header = address;
	memcpy(header->magic, SIM_MAGIC, sizeof(header->magic));
	header->version = SIM_VERSION;
	header->id = sim_random();
	header->guard = ~header->id;
	strncpy(header->profile, mr_sim_profiles[profile->kind].name, sizeof(header->profile) - 1);
	header->kernel = sim_kernel();
	header->capacity = FIRST_OBJECTS;
	header->newest = SIM_NO_HANDLE;
	header->changing = SIM_NO_HANDLE;
	rc = init_lock(&header->lock);
	munmap(header, sizeof(*header));
	if (!rc && sim_libc()->fcntl(fd, F_ADD_SEALS, SEALS))
		rc = -errno;
	return rc;
}

/* Under the same number, as open() returns the lowest. */
static int make_read_only(int fd, bool cloexec)
{
	int own = sim_table_reopen(fd, O_RDONLY), rc = 0;

	if (own < 0)
		return own;
	if (dup3(own, fd, cloexec ? O_CLOEXEC : 0) < 0)
		rc = -errno;
	sim_libc()->close(own);
	return rc;
}

int sim_table_create(const struct sim_profile *profile, bool cloexec)
{
	unsigned int flags = MFD_ALLOW_SEALING | (cloexec ? MFD_CLOEXEC : 0);
	int fd, rc;

	/* vm.memfd_noexec=2 insists on the flag, kernels before 6.3 do not know it */
	fd = memfd_create("mrctl-sim", flags | MFD_NOEXEC_SEAL);
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("mrctl-sim", flags);
	if (fd < 0)
		return -errno;
	rc = format(fd, profile);
	if (!rc)
		rc = make_read_only(fd, cloexec);
	if (!rc)
		return fd;
	sim_libc()->close(fd);
	return rc;
}

int sim_table_probe(int fd, const struct sim_profile **profile)
{
	int seals = sim_libc()->fcntl(fd, F_GET_SEALS);
	struct {
		char magic[sizeof(SIM_MAGIC)];
		uint32_t version;
		char profile[16];
	} start;
	ssize_t length;

	*profile = NULL;
	/* EINVAL: no memfd; EBADF: closed, or O_PATH */
	if (seals < 0)
		return errno == EINVAL || errno == EBADF ? 0 : -errno;
	/* The seals come first: without them the file could shrink under its mapping. */
	if ((seals & SEALS) != SEALS)
		return 0;
	length = pread(fd, &start, sizeof(start), 0);
	if (length < 0)
		return errno == EBADF ? 0 : -errno;
	if (length != sizeof(start) || memcmp(start.magic, SIM_MAGIC, sizeof(start.magic)) != 0 ||
	    start.version != SIM_VERSION)
		return 0;
	start.profile[sizeof(start.profile) - 1] = '\0';
	*profile = sim_profile_find(start.profile);
	return 0;
}

int sim_table_map(struct sim_table *table, int fd)
{
	const struct sim_profile *again;
	void *address;
	int rc;

	*table = (struct sim_table){ .fd = fd };
	rc = sim_table_probe(fd, &table->profile);
	if (!rc && !table->profile)
		rc = -EBADF;
	if (!rc)
		rc = map(fd, 0, sizeof(*table->header), &address);
	if (rc)
		return rc;
	table->header = address;
	/* Another thread may have closed it meanwhile, and be about to make another: still empty. */
	rc = sim_table_probe(fd, &again);
	if (!rc && !again)
		rc = -EBADF;
	if (rc)
		munmap(table->header, sizeof(*table->header));
	table->kernel = rc ? 0 : (enum mr_sim_kernel)table->header->kernel;
	return rc;
}

static void unmap_objects(struct sim_object *objects, uint32_t count)
{
	if (objects)
		munmap(objects, count * sizeof(*objects));
}

void sim_table_unmap(struct sim_table *table)
{
	unmap_objects(table->objects, table->mapped);
	munmap(table->header, sizeof(*table->header));
}

/* Behind the end of its file a mapping raises SIGBUS. */
static bool is_there(int fd, uint32_t capacity)
{
	struct stat st;

	return capacity >= FIRST_OBJECTS && capacity <= MAX_OBJECTS &&
	       !sim_libc()->fstat(fd, &st) &&
	       (uint64_t)st.st_size >= OBJECTS_START + capacity * sizeof(struct sim_object);
}

/*
 * Map what the table has grown to.  The new mapping is in place before the old one goes, so that
 * a child forked by another thread at any moment finds a good one.
 */
static int map_objects(struct sim_table *table)
{
	uint32_t capacity = table->header->capacity, mapped = table->mapped;
	struct sim_object *before = table->objects;
	void *objects;
	int rc;

	if (mapped == capacity)
		return 0;
	if (capacity < mapped || !is_there(table->fd, capacity))
		return -EIO;
	rc = map(table->fd, OBJECTS_START, capacity * sizeof(*before), &objects);
	if (rc)
		return rc;
	__atomic_store_n(&table->objects, objects, __ATOMIC_RELEASE);
	__atomic_store_n(&table->mapped, capacity, __ATOMIC_RELEASE);
	unmap_objects(before, mapped);
	return 0;
}

static int grow(struct sim_table *table)
{
	uint32_t capacity = table->header->capacity * 2;
	int rc;

	rc = make_room(table->fd, capacity);
	if (rc)
		return rc;
	__atomic_store_n(&table->header->capacity, capacity, __ATOMIC_RELEASE);
	return map_objects(table);
}

static void take(struct sim_header *header, uint32_t handle)
{
	uint64_t *levels[] = { header->used, header->full1, header->full2, &header->full3 };
	size_t level;

	for (level = 0; level < 4; level++, handle /= 64) {
		levels[level][handle / 64] |= 1ull << handle % 64;
		if (~levels[level][handle / 64])
			return;
	}
}

static void release(struct sim_header *header, uint32_t handle)
{
	uint64_t *levels[] = { header->used, header->full1, header->full2, &header->full3 };
	size_t level;

	for (level = 0; level < 4; level++, handle /= 64)
		levels[level][handle / 64] &= ~(1ull << handle % 64);
}

/*
 * A process can be killed between any two of its stores, and what it has stored must then be in
 * the order of the program.
 */
static void in_order(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* The place that names @newer's neighbour: its own, or the header's for the newest. */
static uint32_t *older_of(struct sim_table *table, uint32_t newer)
{
	return newer == SIM_NO_HANDLE ? &table->header->newest : &table->objects[newer].older;
}

static void set_newer(struct sim_table *table, uint32_t older, uint32_t newer)
{
	if (older != SIM_NO_HANDLE)
		table->objects[older].newer = newer;
}

/* One store takes an object into the list, and one takes it out. */
static void enlist(struct sim_table *table, uint32_t handle)
{
	struct sim_object *object = &table->objects[handle];

	object->older = table->header->newest;
	object->newer = SIM_NO_HANDLE;
	in_order();
	table->header->newest = handle;
	in_order();
	set_newer(table, object->older, handle);
}

static void delist(struct sim_table *table, uint32_t handle)
{
	const struct sim_object *object = &table->objects[handle];

	*older_of(table, object->newer) = object->older;
	in_order();
	set_newer(table, object->older, object->newer);
}

/*
 * What is in the list without a type was on its way in or out; what has a type and is not in the
 * list was on its way to be the newest.
 */
static void repair_list(struct sim_table *table)
{
	uint32_t newer = SIM_NO_HANDLE, handle;

	for (handle = 0; handle < table->header->capacity; handle++)
		table->objects[handle].newer = handle; /* no object is newer than itself */
	while ((handle = *older_of(table, newer)) < table->header->capacity) {
		if (table->objects[handle].newer != handle)
			break;
		if (table->objects[handle].type) {
			table->objects[handle].newer = newer;
			newer = handle;
		} else {
			*older_of(table, newer) = table->objects[handle].older;
		}
	}
	*older_of(table, newer) = SIM_NO_HANDLE; /* as it is, if nobody wrote into it */
	for (handle = 0; handle < table->header->capacity; handle++)
		if (table->objects[handle].type && table->objects[handle].newer == handle)
			enlist(table, handle);
}

/* Whoever is killed in here is followed by someone who begins it again. */
static void finish_change(struct sim_table *table)
{
	const struct sim_object *change = &table->header->change;
	struct sim_object *object = &table->objects[table->header->changing];

	object->flags = change->flags;
	object->parent = change->parent;
	object->key = change->key;
	object->addr = change->addr;
	object->length = change->length;
	object->iova = change->iova;
	object->mm = change->mm;
	object->room = change->room;
	object->pinned = change->pinned;
	object->access = change->access;
	in_order();
	table->header->changing = SIM_NO_HANDLE;
}

/* What is derived: build it again. */
static void repair(struct sim_table *table)
{
	struct sim_header *header = table->header;
	struct sim_object *object;
	uint32_t i;

	if (header->changing != SIM_NO_HANDLE)
		finish_change(table);
	repair_list(table);

	memset(header->used, 0, header->capacity / 8);
	memset(header->full1, 0, sizeof(header->full1));
	memset(header->full2, 0, sizeof(header->full2));
	header->full3 = 0;
	for (i = 0; i < header->capacity; i++)
		table->objects[i].users = 0;
	for (i = 0; i < header->capacity; i++) {
		object = &table->objects[i];
		if (!object->type)
			continue;
		take(header, i);
		if (object->parent != SIM_NO_HANDLE)
			table->objects[object->parent].users++;
	}
}

/* Whoever wrote over the start of the file did not leave out what is around the lock. */
static bool is_intact(const struct sim_header *header)
{
	return !memcmp(header->magic, SIM_MAGIC, sizeof(header->magic)) &&
	       header->version == SIM_VERSION && header->guard == ~header->id;
}

/*
 * The lock is held for microseconds.  A holder that was stopped, or numbers that somebody wrote into
 * it, must not stop all others for ever.
 */
static int take_lock(struct sim_header *header)
{
	struct timespec end;
	int rc;

	if (!is_intact(header))
		return EIO;
	rc = pthread_mutex_trylock(&header->lock); /* looks at no clock */
	if (rc != EBUSY)
		return rc;
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += LOCK_SECONDS;
	return pthread_mutex_clocklock(&header->lock, CLOCK_MONOTONIC, &end);
}

int sim_table_lock(struct sim_table *table)
{
	struct sim_header *header = table->header;
	int rc;

	rc = take_lock(header);
	if (rc == EOWNERDEAD) {
		header->damaged = true;
		rc = pthread_mutex_consistent(&header->lock);
	}
	if (rc)
		return -rc;
	rc = map_objects(table);
	if (!rc && header->damaged) {
		repair(table);
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

int sim_object_find(const struct sim_table *table, uint32_t type, uint64_t handle,
		    struct sim_object **object)
{
	if (handle >= table->mapped || !table->objects[handle].type)
		return -ENOENT;
	*object = &table->objects[handle];
	return (*object)->type == type ? 0 : -EINVAL;
}

static uint32_t first_zero(uint64_t word)
{
	return (uint32_t)__builtin_ctzll(~word);
}

int sim_object_reserve(struct sim_table *table, uint32_t *handle, struct sim_object **object)
{
	struct sim_header *header = table->header;
	uint32_t lowest;
	int rc;

	if (!~header->full3)
		return -ENOMEM;
	lowest = first_zero(header->full3);
	lowest = lowest * 64 + first_zero(header->full2[lowest]);
	lowest = lowest * 64 + first_zero(header->full1[lowest]);
	lowest = lowest * 64 + first_zero(header->used[lowest]);
	if (lowest >= header->capacity) {
		rc = grow(table);
		if (rc)
			return rc;
	}
	take(header, lowest);
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
	enlist(table, handle);
	in_order();
	object->type = (uint16_t)type;
}

void sim_object_cancel(struct sim_table *table, uint32_t handle)
{
	release(table->header, handle);
}

void sim_object_change(struct sim_table *table, uint32_t handle, const struct sim_object *contents)
{
	struct sim_object *objects = table->objects;

	table->header->change = *contents;
	in_order();
	table->header->changing = handle;
	in_order();
	if (objects[handle].parent != SIM_NO_HANDLE)
		objects[objects[handle].parent].users--;
	if (contents->parent != SIM_NO_HANDLE)
		objects[contents->parent].users++;
	finish_change(table);
}

void sim_object_renew(struct sim_table *table, uint32_t handle)
{
	delist(table, handle);
	in_order();
	enlist(table, handle);
}

void sim_object_delete(struct sim_table *table, uint32_t handle)
{
	struct sim_object *object = &table->objects[handle];

	object->type = 0;
	in_order();
	delist(table, handle);
	if (object->parent != SIM_NO_HANDLE)
		table->objects[object->parent].users--;
	release(table->header, handle);
}
