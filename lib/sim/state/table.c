// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The file of an object table: making, recognizing, mapping and growing it. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/base/base.h"
#include "lib/sim/base/environment.h"
#include "lib/sim/base/libc.h"
#include "lib/sim/base/random.h"
#include "lib/sim/state/table.h"

#define OBJECTS_START (SIM_DM_START + SIM_DM_SIZE)
#define FIRST_OBJECTS 1024u
#define MAX_OBJECTS   (64u * 64 * 64 * 64) /* as many as the bitmaps have bits */
#define SEALS         (F_SEAL_SHRINK | F_SEAL_SEAL)

_Static_assert(sizeof(struct sim_object) == 64, "an object is a cache line");
_Static_assert(sizeof(SIM_MAGIC) == sizeof(((struct sim_header *)0)->magic), "magic");

int sim_table_reopen(int fd, int flags)
{
	char path[64];
	int own;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	own = sim_libc()->open(path, flags | O_CLOEXEC);
	if (own >= 0)
		return own;
	/* /proc is missing; the program would take ENOENT for a missing device */
	return errno == ENOENT ? -EIO : -errno;
}

static int map_file(int fd, size_t start, size_t length, void **address)
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
 * Make the file hold @capacity objects.  Their pages are allocated here: on first touch, a machine
 * without memory would raise SIGBUS rather than answer ENOMEM.
 */
static int allocate_objects(int fd, uint32_t capacity)
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

static int format_file(int fd, enum mr_sim_profile kind)
{
	struct sim_header *header;
	void *address;
	int rc;

	rc = allocate_objects(fd, FIRST_OBJECTS);
	if (!rc)
		rc = map_file(fd, 0, sizeof(*header), &address);
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
 * Replace a descriptor by one that only reads, for the program: nothing that it does with a descriptor,
 * except ioctl(), shall reach the table.  (libibverbs falls back to write() after some errors of ioctl().)
 * The number stays, since open() returns the lowest that was free.
 */
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

int sim_table_create(enum mr_sim_profile kind, bool cloexec)
{
	unsigned int flags = MFD_ALLOW_SEALING | (cloexec ? MFD_CLOEXEC : 0);
	int fd, rc;

	fd = mr_memfd_create("mrctl-sim", flags);
	if (fd < 0)
		return -errno;
	rc = format_file(fd, kind);
	if (!rc)
		rc = make_read_only(fd, cloexec);
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
		rc = map_file(fd, 0, sizeof(*table->header), &address);
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

/* Whether the file is long enough for its objects.  Access to a mapping behind its end raises SIGBUS. */
static bool file_has_objects(int fd, uint32_t capacity)
{
	struct stat st;

	return capacity >= FIRST_OBJECTS && capacity <= MAX_OBJECTS &&
	       !sim_libc()->fstat(fd, &st) &&
	       (uint64_t)st.st_size >= OBJECTS_START + capacity * sizeof(struct sim_object);
}

/*
 * Map all objects if the table has grown.  The new mapping is stored before the old one goes: another
 * thread can fork at any moment, and the child needs a valid one.
 */
int sim_table_map_objects(struct sim_table *table)
{
	uint32_t capacity = table->header->capacity, mapped = table->mapped;
	struct sim_object *before = table->objects;
	void *objects;
	int rc;

	if (mapped == capacity)
		return 0;
	if (capacity < mapped || !file_has_objects(table->fd, capacity))
		return -EIO;
	rc = map_file(table->fd, OBJECTS_START, capacity * sizeof(*before), &objects);
	if (rc)
		return rc;
	__atomic_store_n(&table->objects, objects, __ATOMIC_RELEASE);
	__atomic_store_n(&table->mapped, capacity, __ATOMIC_RELEASE);
	unmap_objects(before, mapped);
	return 0;
}

int sim_table_grow(struct sim_table *table)
{
	uint32_t capacity = table->header->capacity * 2;
	int rc;

	rc = allocate_objects(table->fd, capacity);
	if (rc)
		return rc;
	__atomic_store_n(&table->header->capacity, capacity, __ATOMIC_RELEASE);
	return sim_table_map_objects(table);
}
