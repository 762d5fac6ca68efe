// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The lock of an object table, shared by all processes that have the table. */
#include <errno.h>
#include <string.h>
#include <time.h>

#include "lib/sim/state/lock.h"
#include "lib/sim/state/objects.h"

#define LOCK_SECONDS 30

/* Whether nothing has overwritten the lock: that would not spare the members before and behind it. */
static bool is_intact(const struct sim_header *header)
{
	return !memcmp(header->magic, SIM_MAGIC, sizeof(header->magic)) &&
	       header->version == SIM_VERSION && header->guard == ~header->id;
}

/*
 * The lock is held for microseconds.  If its holder was stopped, or the lock was overwritten, a waiting
 * process gives up after LOCK_SECONDS: else every process that has the table would wait for ever.
 */
static int take_lock(struct sim_header *header)
{
	struct timespec end;
	int rc;

	if (!is_intact(header))
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
	int rc;

	rc = take_lock(header);
	if (rc == EOWNERDEAD) {
		header->damaged = true;
		rc = pthread_mutex_consistent(&header->lock);
	}
	if (rc)
		return -rc;
	rc = sim_table_map_objects(table);
	if (!rc && header->damaged) {
		sim_objects_repair(table);
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
