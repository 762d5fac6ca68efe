// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Changes of a region that are interrupted by a kill, or made by two threads at once. */
#include <pthread.h>
#include <signal.h>

#include "tests/unit/lib/sim/device.h"
#include "tests/unit/lib/sim/handlers/rereg.h"

static int change_for_ever(struct device *device, uint32_t mr, uint32_t other)
{
	uint32_t pages, key;

	for (pages = 1;; pages = pages % 8 + 1) {
		EXPECT(!translate(device->fd, mr, device->memory, pages * PAGE, pages * PAGE,
				  &key));
		EXPECT(!set_pd(device->fd, mr, pages % 2 ? other : device->pd));
	}
}

TEST(a_kill_leaves_the_region_as_it_was_or_will_be)
{
	struct device *device = *state;
	uint32_t mr, other;
	struct mr first, seen;
	pid_t pid;
	int i;

	assert_int_equal(alloc_pd(device->fd, &other), 0);
	assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
	assert_int_equal(query(device->fd, mr, &first), 0);
	for (i = 0; i < 100; i++) {
		pid = fork();
		if (!pid)
			_exit(change_for_ever(device, mr, other));
		usleep((useconds_t)(i * 17 % 900));
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		assert_int_equal(query(device->fd, mr, &seen), 0);
		if (seen.iova != first.iova)
			assert_int_equal(seen.iova, seen.length);
	}
	assert_int_equal(set_pd(device->fd, mr, other), 0);
	assert_int_equal(dealloc_pd(device->fd, device->pd), 0);
	assert_int_equal(dealloc_pd(device->fd, other), EBUSY);
}

static void *rereg_often(void *argument)
{
	struct device *device = argument;
	uint32_t key;
	uintptr_t i;
	int rc;

	for (i = 0; i < 2000; i++) {
		rc = translate(device->fd, device->pd + 1, device->memory, (i % 8 + 1) * PAGE, IOVA,
			       &key);
		if (rc && rc != EBUSY)
			return (void *)(i + 1);
	}
	return NULL;
}

static int rereg_in_threads(struct device *device)
{
	pthread_t threads[4];
	void *failed;
	uint32_t key;
	size_t i;

	EXPECT(!may_lock(
		40)); /* each thread has up to 8 charged that are not yet those of the region */
	EXPECT(!reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL));
	for (i = 0; i < ARRAY_SIZE(threads); i++)
		EXPECT(!pthread_create(&threads[i], NULL, rereg_often, device));
	for (i = 0; i < ARRAY_SIZE(threads); i++) {
		EXPECT(!pthread_join(threads[i], &failed));
		EXPECT(!failed);
	}
	EXPECT(!translate(device->fd, device->pd + 1, device->memory, 8 * PAGE, IOVA, &key));
	EXPECT(!reg(device->fd, device->pd, device->memory, 32 * PAGE, LOCAL, NULL));
	EXPECT(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, NULL) == ENOMEM);
	return 0;
}

TEST(threads_can_change_a_region_at_once)
{
	in_child(rereg_in_threads, *state);
}

#define MUCH (7ul << 20) /* takes a while to pin, and is less than the usual RLIMIT_MEMLOCK */

struct race {
	struct device *device;
	int rc;
	bool done;
};

static void *translate_much(void *argument)
{
	struct race *race = argument;
	char *memory = map(MUCH, PROT_READ | PROT_WRITE);
	uint32_t key;

	race->rc = translate(race->device->fd, race->device->pd + 1, memory, MUCH, IOVA, &key);
	munmap(memory, MUCH);
	__atomic_store_n(&race->done, true, __ATOMIC_RELEASE);
	return NULL;
}

TEST(only_one_of_two_changes_is_made)
{
	struct device *device = *state;
	struct race race = { .device = device };
	uint32_t mr = 0, key = 0, access = 0;
	pthread_t thread;
	int i;

	for (i = 0; i < 2000 && race.rc != EBUSY; i++) {
		race.done = false;
		assert_int_equal(reg(device->fd, device->pd, device->memory, PAGE, LOCAL, &mr), 0);
		assert_int_equal(pthread_create(&thread, NULL, translate_much, &race), 0);
		while (!__atomic_load_n(&race.done, __ATOMIC_ACQUIRE)) {
			access ^= LOCAL;
			if (set_access(device->fd, mr, access, &key))
				break;
		}
		assert_int_equal(pthread_join(thread, NULL), 0);
		if (race.rc != EBUSY)
			assert_int_equal(dereg(device->fd, mr), 0);
	}
	assert_int_equal(race.rc, EBUSY);
	assert_region(device->fd, mr, key, PAGE, (uintptr_t)device->memory);
}

EACH_TEST(open_device, close_device)
