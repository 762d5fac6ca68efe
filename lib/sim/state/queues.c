// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/sim/base/base.h"
#include "lib/sim/state/state.h"

#define WORDS (SIM_QUEUES / 64)

_Static_assert(sizeof(struct sim_queue) == SIM_QUEUE_SIZE, "size of a record");

/* The number in the table is untrusted. */
static uint32_t number_of(const struct sim_object *object)
{
	return object->queue % SIM_QUEUES;
}

int sim_queues_map(struct sim_table *table)
{
	void *address;
	int rc = table->queues ? 0
			       : sim_table_map_part(table->fd, SIM_QUEUES_START,
						    SIM_QUEUES * SIM_QUEUE_SIZE, &address);

	if (!rc && !table->queues)
		table->queues = address;
	return rc;
}

int sim_queue_reserve(struct sim_table *table, struct sim_object *object, struct sim_queue **queue)
{
	uint64_t *used = table->header->used_queues;
	uint32_t word = 0, number;
	int rc;

	while (word < WORDS && !~used[word])
		word++;
	if (word == WORDS)
		return -ENOMEM;
	number = word * 64 + (uint32_t)__builtin_ctzll(~used[word]);
	rc = sim_table_allocate(table->fd, (off_t)(SIM_QUEUES_START + number * SIM_QUEUE_SIZE),
				SIM_QUEUE_SIZE)
		     ?: sim_queues_map(table);
	if (rc)
		return rc;
	table->header->has_queues = true;
	used[word] |= 1ull << number % 64;
	object->queue = number;
	*queue = &table->queues[number];
	memset(*queue, 0, sizeof(**queue));
	(*queue)->object = sim_object_handle(table, object);
	(*queue)->owner = getpid();
	return 0;
}

void sim_queue_release(struct sim_table *table, const struct sim_object *object)
{
	const uint32_t number = number_of(object);

	table->header->used_queues[number / 64] &= ~(1ull << number % 64);
}

void sim_queue_keep(struct sim_table *table, const struct sim_object *object)
{
	const uint32_t number = number_of(object);

	table->header->used_queues[number / 64] |= 1ull << number % 64;
}

struct sim_queue *sim_queue_of(const struct sim_table *table, const struct sim_object *object)
{
	return &table->queues[number_of(object)];
}

int sim_queue_find(const struct sim_table *table, uint32_t type, uint64_t handle,
		   struct sim_queue **queue)
{
	struct sim_object *object;
	int rc = sim_object_find(table, type, handle, &object);

	if (!rc)
		*queue = sim_queue_of(table, object);
	return rc;
}

struct sim_queue *sim_queue_next(const struct sim_table *table, const struct sim_queue *queue)
{
	const uint64_t *used = table->header->used_queues;
	struct sim_object *object;
	uint32_t number = queue ? (uint32_t)(queue - table->queues) + 1 : 0;

	for (; table->queues && number < SIM_QUEUES; number++) {
		if (!used[number / 64])
			number |= 63; /* skip the word */
		else if (used[number / 64] >> number % 64 & 1 &&
			 table->queues[number].object < table->mapped) {
			object = &table->objects[table->queues[number].object];
			if (sim_has_queue(object) && number_of(object) == number)
				return &table->queues[number];
		}
	}
	return NULL;
}

bool sim_queue_is_used(const struct sim_table *table, uint32_t handle)
{
	const struct sim_queue *queue;

	for (queue = sim_queue_next(table, NULL); queue; queue = sim_queue_next(table, queue))
		if (table->objects[queue->object].type == UVERBS_OBJECT_QP &&
		    (queue->qp.send_cq == handle || queue->qp.recv_cq == handle ||
		     queue->qp.srq == handle))
			return true;
	return false;
}

struct sim_queue *sim_doorbell_sharer(const struct sim_table *table, const struct sim_queue *queue)
{
	struct sim_queue *other;

	for (other = sim_queue_next(table, NULL); other; other = sim_queue_next(table, other))
		if (other != queue && other->owner == queue->owner &&
		    other->doorbell_page == queue->doorbell_page)
			return other;
	return NULL;
}

uint32_t sim_doorbell_hand_over(const struct sim_table *table, const struct sim_object *object)
{
	const struct sim_queue *queue = sim_queue_of(table, object);
	struct sim_queue *other = queue->pins_doorbell ? sim_doorbell_sharer(table, queue) : NULL;

	if (!other || table->objects[other->object].mm != object->mm)
		return 0;
	other->pins_doorbell = true;
	table->objects[other->object].pinned++;
	return 1;
}

/* The driver of rxe does not use an offset twice either: rxe_mmap.c rxe_create_mmap_info(). */
int sim_ring_allocate(struct sim_table *table, struct sim_ring *ring)
{
	uint64_t *size = &table->header->rings_size;
	int rc = sim_table_allocate(table->fd, (off_t)(SIM_RINGS_START + *size), ring->size);

	if (rc)
		return rc;
	ring->start = SIM_RINGS_START + *size;
	*size += sim_round_up(ring->size, sim_page_size());
	return 0;
}

void sim_ring_free(const struct sim_table *table, const struct sim_ring *ring)
{
	const int own =
		ring->size && ring->start >= SIM_RINGS_START ? sim_reopen(table->fd, O_RDWR) : -1;

	if (own < 0)
		return;
	fallocate(own, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)ring->start,
		  (off_t)sim_round_up(ring->size, sim_page_size()));
	sim_libc()->close(own);
}

/* The rings of a record; those that it lacks are NULL or have no size. */
static void get_rings(uint16_t type, const struct sim_queue *queue, const struct sim_ring *rings[2])
{
	rings[0] = type == UVERBS_OBJECT_CQ    ? &queue->cq.ring
		   : type == UVERBS_OBJECT_SRQ ? &queue->srq.ring
					       : &queue->qp.sq;
	rings[1] = type == UVERBS_OBJECT_QP ? &queue->qp.rq : NULL;
}

void sim_queue_free_rings(const struct sim_table *table, uint16_t type,
			  const struct sim_queue *queue)
{
	const struct sim_ring *rings[2];

	if (table->kind != MR_SIM_RXE)
		return;
	get_rings(type, queue, rings);
	for (size_t i = 0; i < 2; i++)
		if (rings[i])
			sim_ring_free(table, rings[i]);
}

const struct sim_ring *sim_ring_find(const struct sim_table *table, uint64_t start)
{
	const struct sim_queue *queue;
	const struct sim_ring *rings[2];

	for (queue = sim_queue_next(table, NULL); queue; queue = sim_queue_next(table, queue)) {
		get_rings(table->objects[queue->object].type, queue, rings);
		for (size_t i = 0; i < 2; i++)
			if (rings[i] && rings[i]->size && rings[i]->start == start)
				return rings[i];
	}
	return NULL;
}

void *sim_ring_map(const struct sim_table *table, const struct sim_ring *ring)
{
	void *address;

	return sim_table_map_part(table->fd, ring->start, ring->size, &address) ? NULL : address;
}

int sim_cq_open_channel(const struct sim_cq *cq)
{
	struct stat st;

	if (cq->channel < 0 || sim_libc()->fstat(cq->channel, &st) || st.st_ino != cq->channel_ino)
		return -EBADF;
	return sim_reopen(cq->channel, O_RDWR | O_NONBLOCK);
}
